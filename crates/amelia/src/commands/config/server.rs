//! `amelia config server`: the values that a server would start with now, and where each comes from.

use std::process::ExitCode;

use amelia_host::home::Home;
use amelia_host::server_config::{self, FIELDS, MergedConfig};
use anyhow::Result;
use serde_json::{Map, Value, json};

use crate::cli::{Global, ServerSettings};
use crate::ui;

pub(super) fn run(command: &ServerSettings, home: &Home, global: &Global) -> Result<ExitCode> {
    match command {
        ServerSettings::Show => {
            let merged = server_config::gather(home, Vec::new())?;
            show(&merged, global);
            // What would be refused at the start is refused here, below what was said.
            server_config::load(home, Vec::new())?;
        }
        ServerSettings::Set { key, value } => {
            let path = server_config::keep(home, key, value)?;
            let merged = server_config::gather(home, Vec::new())?;
            if global.json {
                let shown = merged.value(key).unwrap_or(&Value::Null);
                anstream::println!("{}", json!({"key": key, "value": shown, "file": path}));
            } else if !global.quiet {
                ui::say!("{key} is saved in {}; restart the server to apply it", path.display());
                let source = merged.source(key);
                if source.word() != "file" {
                    ui::say!("{source} overrides the file here");
                }
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn show(merged: &MergedConfig, global: &Global) {
    let shown = |key: &str| merged.value(key).cloned().unwrap_or_default();
    if global.json {
        let line = |key: &str| {
            let source = merged.source(key);
            json!({"value": shown(key), "source": source.word(), "place": source.to_string()})
        };
        let all: Map<String, Value> =
            FIELDS.iter().map(|field| (field.key.to_owned(), line(field.key))).collect();
        anstream::println!("{}", Value::Object(all));
        return;
    }
    let widest = FIELDS.iter().map(|field| field.key.len()).max().unwrap_or(0);
    for field in &FIELDS {
        let value = match shown(field.key) {
            Value::String(text) => text,
            other => other.to_string(),
        };
        let source = ui::dim(format!("{} · {}", merged.source(field.key), field.variable()));
        ui::say!("{:widest$}  {value}  {source}", field.key);
    }
}
