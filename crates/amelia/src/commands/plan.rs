//! `amelia plan`: an issue is planned, or a plan is shown.

use std::process::ExitCode;

use amelia_core::id::RunNumber;
use amelia_host::home::Home;
use anyhow::Result;
use serde_json::json;

use super::which_run::waiting;
use crate::cli::{Global, PlanArgs, PlanCommand};
use crate::cli_error::{CliError, Exit};
use crate::reach;
use crate::terminal::markdown;
use crate::ui;

pub(super) async fn run(args: &PlanArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    match (&args.command, &args.order) {
        (Some(PlanCommand::Show { run }), _) => show(run.as_deref(), home, global).await,
        (None, order) if order.issue.is_none() && order.title.is_none() => show(None, home, global).await,
        (None, order) => {
            if let Some(run) = order.issue.as_deref().filter(|text| text.parse::<RunNumber>().is_ok()) {
                refuse_run(run, home, global).await?;
            }
            let mut order = order.clone();
            (order.queue, order.plan) = (true, true);
            super::start::run(&order, home, global).await
        }
    }
}

/// An issue may be called like a run, but not like one that there is: who names that one wants to see its plan.
async fn refuse_run(run: &str, home: &Home, global: &Global) -> Result<()> {
    if !home.has_runs() && global.server.is_none() {
        return Ok(());
    }
    let client = reach::to_look(home, global).await?;
    let found = client.find(run).await;
    client.close().await?;
    if found.is_err() {
        return Ok(());
    }
    let refusal = CliError::new(Exit::Usage, format!("`{run}` is a run, not an issue"));
    Err(refusal.with_hint(format!("{} plan show {run} shows its plan", ui::command(global))).into())
}

async fn show(run: Option<&str>, home: &Home, global: &Global) -> Result<ExitCode> {
    let client = reach::to_look(home, global).await?;
    let row = waiting(&client, run).await?;
    let run = row.run.id;
    let plan = client.plan(run).await?;
    match global.json {
        true => {
            let estimate = client.estimate(run).await?;
            anstream::println!("{}", json!({"run": run, "plan": plan, "estimate": estimate}));
        }
        false => {
            let estimate = client.estimate_words(&row).await?;
            anstream::println!("{}", markdown(&plan, ui::columns()).trim_end());
            if let Some(estimate) = estimate {
                ui::say!("\n{} {estimate}", ui::bold("Estimate:"));
            }
        }
    }
    client.close().await?;
    Ok(ExitCode::SUCCESS)
}
