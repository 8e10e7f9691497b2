//! `amelia resume`, `approve`, `reject`: let a run go on that was interrupted, waits, or failed.

use std::process::ExitCode;
use std::sync::Arc;

use amelia_core::budget::Budget;
use amelia_core::clock::{Clock, SystemClock};
use amelia_core::human::{HumanAction, HumanKind, HumanReply};
use amelia_core::view::RunRow;
use amelia_graph::engine::Stop;
use amelia_graph::position::approval;
use anyhow::{Context, Result};
use serde_json::json;

use crate::cli::{Approve, Global, Reject, Resume};
use crate::foreground::{Foreground, conclude};
use crate::home::{Home, find_run, runs_on};
use crate::known::Known;
use crate::refusal::{Exit, Refusal};
use crate::terminal::Terminal;

pub(super) async fn run(args: &Resume, home: &Home, global: &Global) -> Result<ExitCode> {
    let store = home.open_existing()?;
    let mut row = find_run(&*store, &args.run).await?;
    let known = Known::named(&row.run.spec.graph)?;
    let runs = runs_on(store);
    let terminal = Arc::new(Terminal::new(global));
    let here = Foreground { runs: &runs, home, terminal: &terminal, budget: budget(args, &row), auto: false };
    loop {
        let (after, stop) = here.go(&row, replies(args, &row)).await?;
        row = after;
        // A synthetic run asks several things one after the other.
        let is_asked_on = known == Known::Synthetic && matches!(stop, Stop::Waiting(_));
        if !(args.approve && is_asked_on) {
            return conclude(&row, &stop, home, global).await;
        }
    }
}

pub(super) async fn approve(args: &Approve, home: &Home, global: &Global) -> Result<ExitCode> {
    let plan = args.plan.as_ref().map(|path| {
        std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))
    });
    let updates = plan.transpose()?.map(|plan| json!({ "plan": plan }));
    let action = if updates.is_some() { HumanAction::Modify } else { HumanAction::Approve };
    answer(args.run.as_deref(), home, global, |yes| HumanReply {
        action,
        message: args.feedback.clone(),
        updates: updates.clone(),
        ..yes
    })
    .await
}

pub(super) async fn reject(args: &Reject, home: &Home, global: &Global) -> Result<ExitCode> {
    answer(args.run.as_deref(), home, global, |yes| HumanReply {
        action: HumanAction::Reject,
        message: Some(args.feedback.clone()),
        ..yes
    })
    .await
}

/// Answers the run that waits for an approval, and goes on with it.
async fn answer(
    run: Option<&str>,
    home: &Home,
    global: &Global,
    how: impl Fn(HumanReply) -> HumanReply,
) -> Result<ExitCode> {
    let store = home.open_existing()?;
    let row = match run {
        Some(run) => find_run(&*store, run).await?,
        None => super::waiting(&*store).await?,
    };
    let asked = row.view.pending.iter().find(|request| request.kind == HumanKind::Approval);
    let Some(request) = asked.filter(|_| !row.view.status.is_final()) else {
        let message = format!("run {} does not wait for an approval: it is {}", row.run.id, row.view.status);
        return Err(Refusal::new(Exit::Conflict, message).into());
    };
    let reply = how(approval(request, SystemClock.now()));
    let runs = runs_on(store);
    let terminal = Arc::new(Terminal::new(global));
    let here = Foreground { runs: &runs, home, terminal: &terminal, budget: None, auto: false };
    let (row, stop) = here.go(&row, vec![reply]).await?;
    conclude(&row, &stop, home, global).await
}

fn replies(args: &Resume, row: &RunRow) -> Vec<HumanReply> {
    if !args.approve {
        return Vec::new();
    }
    let yes = |request| HumanReply { message: args.message.clone(), ..approval(request, SystemClock.now()) };
    row.view.pending.iter().map(yes).collect()
}

fn budget(args: &Resume, row: &RunRow) -> Option<Budget> {
    args.budget.map(|usd| Budget { usd: Some(usd), ..row.run.spec.budget })
}
