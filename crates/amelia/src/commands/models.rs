//! `amelia models`: what is known of models, shipped and added by the user.

use std::path::Path;
use std::process::ExitCode;

use amelia_core::driver::Price;
use amelia_drivers::model::{Catalog, ModelInfo, Thinking};
use amelia_host::assemble::catalog;
use amelia_host::home::Home;
use anyhow::{Context, Result};
use serde_json::json;

use crate::cli::{Global, ModelsCommand};
use crate::cli_error::{CliError, Exit};
use crate::ui;

pub(super) fn run(args: &ModelsCommand, home: &Home, global: &Global) -> Result<ExitCode> {
    match args {
        ModelsCommand::List => list(&catalog(home)?, global)?,
        ModelsCommand::Show { model } => show(&catalog(home)?, model, global)?,
        ModelsCommand::Update { file } => update(home, file, global)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list(catalog: &Catalog, global: &Global) -> Result<()> {
    if global.json {
        anstream::println!("{}", serde_json::to_string(catalog)?);
        return Ok(());
    }
    let width = catalog.models.keys().map(|name| name.chars().count()).max().unwrap_or(0);
    for (name, info) in &catalog.models {
        let price = info.price.map_or_else(|| "price unknown".to_owned(), |price| price_line(&price));
        let window = format!("{:>5}k", info.context / 1000);
        ui::say!("{}  {}  {price}", format_args!("{:<width$}", ui::clean(name)), ui::dim(window));
    }
    ui::say!("{}", ui::dim(format!("as of {}; USD per million tokens", catalog.as_of)));
    Ok(())
}

fn price_line(price: &Price) -> String {
    format!("{} in, {} out", price.input, price.output)
}

fn show(catalog: &Catalog, model: &str, global: &Global) -> Result<()> {
    let Some((name, info)) = catalog.named(model) else {
        let message = format!("the model `{}` is unknown", ui::clean(model));
        let hint = "Amelia treats it like the newest models of its provider, and its cost is unknown; add it with amelia models update --file FILE";
        return Err(CliError::new(Exit::NotFound, message).with_hint(hint).into());
    };
    if global.json {
        anstream::println!("{}", json!({"name": name, "info": info}));
        return Ok(());
    }
    for (what, value) in facts(name, info) {
        ui::say_hanging(&format!("{} {}", ui::dim(format!("{what:<9}")), ui::clean(&value)), 10);
    }
    Ok(())
}

fn facts(name: &str, info: &ModelInfo) -> Vec<(&'static str, String)> {
    let wires: Vec<String> = info.wires.iter().map(ToString::to_string).collect();
    let reasoning = match (info.thinking, info.efforts.is_empty()) {
        (Thinking::None, _) => "cannot be set".to_owned(),
        (_, true) => "any word".to_owned(),
        (_, false) => info.efforts.join(", "),
    };
    let price = info.price.map_or_else(
        || "unknown".to_owned(),
        |price| {
            let Price { cache_read, cache_write, long, .. } = price;
            let long = long.map_or_else(String::new, |long| {
                format!(
                    "; above {} tokens {} times in, {} times out",
                    long.above, long.input_times, long.output_times
                )
            });
            format!("{}, {cache_read} cache read, {cache_write} cache write{long}", price_line(&price))
        },
    );
    vec![
        ("listed as", name.to_owned()),
        ("window", format!("{} tokens, {} of them output", info.context, info.output)),
        ("wire", wires.join(", ")),
        ("reasoning", reasoning),
        ("images", if info.images { "yes" } else { "no" }.to_owned()),
        ("price", price),
    ]
}

/// Puts a table of the user's into the home, after it was read.
fn update(home: &Home, file: &Path, global: &Global) -> Result<()> {
    let text = std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let table = Catalog::parse(&text)
        .map_err(|error| CliError::new(Exit::Usage, format!("{}: {error}", file.display())))?;
    home.make()?;
    let config = home.path().join("config");
    std::fs::create_dir_all(&config).with_context(|| format!("{}", config.display()))?;
    let (path, beside) = (config.join("models.json"), config.join("models.json.new"));
    std::fs::write(&beside, &text).with_context(|| format!("{}", beside.display()))?;
    std::fs::rename(&beside, &path).with_context(|| format!("{}", path.display()))?;
    if !global.quiet {
        ui::say!("{} models as of {}, in {}", table.models.len(), table.as_of, path.display());
    }
    Ok(())
}
