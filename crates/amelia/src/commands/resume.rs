//! `amelia resume`, `approve`, `reject`: let a run go on that was interrupted, waits, or failed.

use std::process::ExitCode;
use std::sync::Arc;

use amelia_core::budget::Budget;
use amelia_core::clock::{Clock, SystemClock};
use amelia_core::event::{EventKind, RunEvent};
use amelia_core::human::{HumanAction, HumanKind, HumanReply};
use amelia_core::run::RunStatus;
use amelia_core::view::RunRow;
use amelia_graph::engine::Stop;
use amelia_graph::position::approval;
use anyhow::{Context, Result};
use serde_json::json;

use crate::cli::{Approve, Cancel, Global, Reject, Resume};
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
    let yes = |request| HumanReply { message: args.message.clone(), ..approval(request, SystemClock.now()) };
    let accept = |request| HumanReply {
        action: HumanAction::Modify,
        updates: Some(json!({"accept": true})),
        ..approval(request, SystemClock.now())
    };
    let pending = row.view.pending.iter();
    match (args.approve, args.accept) {
        (true, _) => pending.map(yes).collect(),
        (false, true) => pending.filter(|request| request.kind == HumanKind::Rounds).map(accept).collect(),
        // To resume what a person paused is to let it go on.
        (false, false) => pending.filter(|request| request.kind == HumanKind::Pause).map(yes).collect(),
    }
}

fn budget(args: &Resume, row: &RunRow) -> Option<Budget> {
    let old = row.run.spec.budget;
    let new = Budget {
        usd: args.budget.or(old.usd),
        tokens: args.max_tokens.or(old.tokens),
        wall_seconds: args.max_time.or(old.wall_seconds),
        ..old
    };
    (new != old).then_some(new)
}

/// `amelia cancel`: ends a run that nobody moves.
pub(super) async fn cancel(args: &Cancel, home: &Home, global: &Global) -> Result<ExitCode> {
    let store = home.open_existing()?;
    let row = find_run(&*store, &args.run).await?;
    if matches!(row.view.status, RunStatus::Completed | RunStatus::Cancelled) {
        let message = format!("run {} is {} already", row.run.id, row.view.status);
        return Err(Refusal::new(Exit::Conflict, message).into());
    }
    runs_on(store).record(&row, EventKind::Run(RunEvent::Cancelled { by: None })).await?;
    if !global.quiet && !global.json {
        anstream::println!("run {} is cancelled; what it has done is kept", row.run.id);
    }
    Ok(ExitCode::SUCCESS)
}
