//! `amelia prompt`: the words that roles are told, with versions.

use std::path::Path;
use std::process::ExitCode;

use amelia_agents::prompt::{SHIPPED, problem};
use amelia_core::clock::{Clock, SystemClock};
use amelia_core::document::{Change, DocumentKind, Documents};
use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::cli::{Global, PromptCommand};
use crate::home::Home;
use crate::refusal::{Exit, Refusal};
use crate::ui;

/// No prompt is larger.
const LARGEST: usize = 256 * 1024;

pub(super) async fn run(command: &PromptCommand, home: &Home, global: &Global) -> Result<ExitCode> {
    let store = home.open()?;
    match command {
        PromptCommand::List => list(&*store, global).await?,
        PromptCommand::Show { name } => {
            let shipped = shipped(name)?;
            let own = store.versions(DocumentKind::Prompt, name).await?.pop().and_then(|last| last.body);
            let text = own.as_ref().and_then(Value::as_str).unwrap_or(shipped);
            match global.json {
                true => {
                    anstream::println!("{}", json!({"name": name, "text": text, "is_own": own.is_some()}));
                }
                false => anstream::print!("{text}"),
            }
        }
        PromptCommand::Set { name, file } => set(&*store, name, file, global).await?,
        PromptCommand::History { name } => {
            shipped(name)?;
            for version in store.versions(DocumentKind::Prompt, name).await? {
                let what = match version.body.as_ref().and_then(Value::as_str) {
                    Some(text) => format!("{} lines", text.lines().count()),
                    None => "back to the shipped one".to_owned(),
                };
                anstream::println!("{:>4} {} {what}", version.version, ui::dim(ui::day_time(version.at)));
            }
        }
        PromptCommand::Reset { name } => {
            shipped(name)?;
            change(&*store, name, None).await?;
            say(global, &format!("{name} is the shipped one again"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(store: &dyn Documents, global: &Global) -> Result<()> {
    let own = store.documents(DocumentKind::Prompt).await?;
    let version = |name: &str| own.iter().find(|document| document.name == name).map(|found| found.version);
    if global.json {
        let rows: Vec<Value> =
            SHIPPED.iter().map(|(name, _)| json!({"name": name, "own_version": version(name)})).collect();
        anstream::println!("{}", json!(rows));
        return Ok(());
    }
    for (name, _) in SHIPPED {
        match version(name) {
            Some(version) => {
                let mark = ui::painted(ui::WAITS, format!("yours, version {version}"));
                anstream::println!("{} {mark}", ui::bold(name));
            }
            None => anstream::println!("{name}"),
        }
    }
    Ok(())
}

async fn set(store: &dyn Documents, name: &str, file: &Path, global: &Global) -> Result<()> {
    shipped(name)?;
    let text = match file == Path::new("-") {
        true => std::io::read_to_string(std::io::stdin()).context("standard input is no text")?,
        false => {
            std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?
        }
    };
    if text.trim().is_empty() || text.len() > LARGEST {
        let message = format!("a prompt has 1 to {LARGEST} bytes of text, and this has {}", text.len());
        return Err(Refusal::new(Exit::Usage, message).into());
    }
    if let Some(problem) = problem(&text) {
        say(global, &format!("{} {problem}; the text is used as it stands", ui::painted(ui::WAITS, "note:")));
    }
    let version = change(store, name, Some(json!(text))).await?;
    say(global, &format!("{name} is yours now, version {version}"));
    Ok(())
}

async fn change(store: &dyn Documents, name: &str, body: Option<Value>) -> Result<u32> {
    let change = Change { kind: DocumentKind::Prompt, name: name.to_owned(), body };
    Ok(store.change(SystemClock.now(), vec![change]).await?.first().copied().unwrap_or(0))
}

fn shipped(name: &str) -> Result<&'static str> {
    let found = SHIPPED.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
    found.ok_or_else(|| {
        let message = format!("there is no prompt `{name}`\n  hint: amelia prompt list");
        Refusal::new(Exit::NotFound, message).into()
    })
}

fn say(global: &Global, text: &str) {
    if !global.quiet && !global.json {
        anstream::println!("{text}");
    }
}
