//! `amelia usage`: tokens and cost. An unknown cost is shown as unknown, never as nothing.

mod table;

use std::process::ExitCode;

use amelia_core::view::RunRow;
use amelia_host::home::Home;
use amelia_wire::rest::usage::{RunUsage, Spent, Usage};
use anyhow::Result;

use self::table::{csv, document, rows, table};
use crate::cli::{Global, UsageArgs as Args};
use crate::reach;
use crate::ui;

pub(super) async fn run(args: &Args, home: &Home, global: &Global) -> Result<ExitCode> {
    // Without runs, the one that is named is not there.
    let usage = match home.has_runs() || global.server.is_some() || args.run.is_some() {
        true => asked(args, home, global).await?,
        false => Usage::default(),
    };
    let by = args.grouped_by();
    let rows = rows(&usage, by);
    if global.json {
        anstream::println!("{}", document(&rows, &usage.total, by));
    } else if args.csv {
        anstream::print!("{}", csv(&rows, by));
    } else if rows.is_empty() {
        ui::say!("nothing was spent");
    } else {
        ui::say_lines(table(&rows, &usage.total, by, ui::columns()).trim_end());
    }
    Ok(ExitCode::SUCCESS)
}

async fn asked(args: &Args, home: &Home, global: &Global) -> Result<Usage> {
    let client = reach::to_look(home, global).await?;
    let since = args.since.map(|since| format!("?since={since}")).unwrap_or_default();
    let usage = match &args.run {
        Some(run) => client.find(run).await.map(|row| of_run(&row)),
        None => client.get(&format!("/usage{since}")).await,
    };
    client.close().await?;
    usage
}

/// The same of one run.
fn of_run(RunRow { run, view }: &RunRow) -> Usage {
    let total = Spent::from(view.spend);
    let of_run = RunUsage {
        id: run.id.0,
        short_id: run.number.to_string(),
        title: run.spec.title.clone(),
        created_at: run.created_at,
        usage: total,
    };
    let by_agent = view.spend_by_agent.iter().map(|(agent, spend)| (agent.to_string(), Spent::from(*spend)));
    let by_model = view.spend_by_model.iter().map(|(model, spend)| (model.clone(), Spent::from(*spend)));
    let day = run.created_at.strftime("%Y-%m-%d").to_string();
    Usage {
        total,
        runs: vec![of_run],
        agents: by_agent.collect(),
        models: by_model.collect(),
        days: [(day, total)].into(),
        ..Usage::default()
    }
}
