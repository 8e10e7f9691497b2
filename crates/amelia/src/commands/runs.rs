//! `amelia runs`: what there is, and where it stands.

use std::process::ExitCode;

use amelia_core::store::{RunFilter, Store};
use amelia_core::view::RunRow;
use anyhow::Result;

use crate::cli::{Global, Runs};
use crate::home::Home;
use crate::ui;

pub(super) async fn run(args: &Runs, home: &Home, global: &Global) -> Result<ExitCode> {
    let store = home.open_existing()?;
    let filter = RunFilter { unfinished: args.unfinished, limit: args.limit };
    let rows = store.runs(&filter).await?;
    if global.json {
        println!("{}", serde_json::to_string(&rows)?);
        return Ok(ExitCode::SUCCESS);
    }
    for row in &rows {
        anstream::println!("{}", line(row));
    }
    if rows.is_empty() {
        println!("no runs in {}", home.path().display());
    }
    Ok(ExitCode::SUCCESS)
}

fn line(row: &RunRow) -> String {
    let RunRow { run, view } = row;
    let nodes: Vec<&str> = view.active_nodes().map(amelia_core::id::NodeId::as_str).collect();
    let place = if nodes.is_empty() { String::new() } else { format!(" at {}", nodes.join(", ")) };
    let asks = match view.pending.len() {
        0 => String::new(),
        count => format!(", {count} questions open"),
    };
    format!(
        "{}  {}  {}{place}{asks}  {}",
        ui::bold(run.id),
        ui::dim(ui::day_time(run.created_at)),
        ui::status(view.status),
        ui::clean(&run.spec.title),
    )
}
