//! `amelia plan`: an issue is planned, or a plan is shown.

use std::process::ExitCode;

use amelia_host::home::Home;
use amelia_wire::rest::travel::PlanShown;
use anyhow::Result;
use serde_json::json;

use super::which_run::waiting;
use crate::cli::{Global, PlanArgs, PlanCommand};
use crate::reach;
use crate::terminal::markdown;
use crate::ui;

pub(super) async fn run(args: &PlanArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    match (&args.command, &args.order) {
        (Some(PlanCommand::Show { run }), _) => show(run.as_deref(), home, global).await,
        (None, order) if order.issue.is_none() && order.title.is_none() => show(None, home, global).await,
        (None, order) => {
            let mut order = order.clone();
            (order.queue, order.plan) = (true, true);
            super::start::run(&order, home, global).await
        }
    }
}

async fn show(run: Option<&str>, home: &Home, global: &Global) -> Result<ExitCode> {
    let client = reach::to_look(home, global).await?;
    let run = waiting(&client, run).await?.run.id;
    let PlanShown { plan } = client.get(&format!("/workflows/{run}/plan")).await?;
    let estimate = client.estimate(run).await?;
    client.close().await?;
    match global.json {
        true => anstream::println!("{}", json!({"run": run, "plan": plan, "estimate": estimate})),
        false => {
            anstream::println!("{}", markdown(&plan, ui::columns()).trim_end());
            if let Some(estimate) = estimate {
                ui::say!("\n{} {}", ui::bold("Estimate:"), estimate.text);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
