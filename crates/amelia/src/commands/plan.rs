//! `amelia plan`: what was planned.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::json;

use crate::cli::{Global, Plan};
use crate::home::{Home, find_run};
use crate::place;
use crate::refusal::{Exit, Refusal};
use crate::ui;

pub(super) async fn run(args: &Plan, home: &Home, global: &Global) -> Result<ExitCode> {
    let store = home.look()?;
    let row = match &args.run {
        Some(run) => find_run(&*store, run).await?,
        None => super::waiting(&*store).await?,
    };
    let Some(plan) = place::plan(&row, &*store).await? else {
        let message = format!("run {} has no plan yet\n  hint: amelia logs {}", row.run.id, row.run.id);
        return Err(Refusal::new(Exit::NotFound, message).into());
    };
    match global.json {
        true => anstream::println!("{}", json!({"run": row.run.id, "plan": plan})),
        false => anstream::print!("{}", ui::clean(&plan)),
    }
    Ok(ExitCode::SUCCESS)
}
