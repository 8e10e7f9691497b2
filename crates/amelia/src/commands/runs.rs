//! `amelia runs`: what there is, and where it stands.

use std::process::ExitCode;

use amelia_core::run::RunStatus;
use amelia_core::store::{RunFilter, Store};
use amelia_core::view::RunRow;
use anyhow::Result;

use crate::cli::{Global, Runs};
use crate::home::Home;
use crate::ui;

pub(super) async fn run(args: &Runs, home: &Home, global: &Global) -> Result<ExitCode> {
    let store = home.look()?;
    let filter = RunFilter { unfinished: args.unfinished, limit: args.limit };
    let rows = store.runs(&filter).await?;
    if global.json {
        anstream::println!("{}", serde_json::to_string(&rows)?);
        return Ok(ExitCode::SUCCESS);
    }
    for row in &rows {
        anstream::println!("{}", line(row, home.is_busy()));
    }
    if rows.is_empty() {
        let which = if args.unfinished { "unfinished runs" } else { "runs" };
        anstream::println!("no {which} in {}", home.path().display());
    }
    Ok(ExitCode::SUCCESS)
}

/// `is_busy`: some process is at work here. Without one, a run that should be moving was interrupted.
fn line(row: &RunRow, is_busy: bool) -> String {
    let RunRow { run, view } = row;
    let nodes: Vec<&str> = view.active_nodes().map(amelia_core::id::NodeId::as_str).collect();
    let place = if nodes.is_empty() { String::new() } else { format!(" at {}", nodes.join(", ")) };
    let asks = match view.pending.len() {
        0 => String::new(),
        1 => ", 1 question open".to_owned(),
        count => format!(", {count} questions open"),
    };
    let status = match view.status {
        RunStatus::Running if !is_busy => ui::painted(ui::WAITS, "interrupted"),
        status => ui::status(status),
    };
    format!(
        "{}  {}  {}{place}{asks}  {}",
        ui::bold(run.id),
        ui::dim(ui::day_time(run.created_at)),
        status,
        ui::clean(&run.spec.title),
    )
}
