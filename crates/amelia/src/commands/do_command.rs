//! `amelia do`: one agent with tools does one thing, in a worktree of its own, live on the terminal.

use std::process::ExitCode;
use std::sync::Arc;

use amelia_agents::live::Live;
use amelia_agents::pipeline::single::{self, Single};
use amelia_core::budget::{Account, Budget};
use amelia_core::human::{HumanKind, HumanReply};
use amelia_core::id::GraphName;
use amelia_core::run::RunSpec;
use amelia_core::view::RunRow;
use amelia_graph::engine::Stop;
use amelia_orchestrator::runs::{Move, Runs};
use anyhow::{Context, Result};

use crate::cli::{Do, Global};
use crate::home::{Home, find_run, runs_on};
use crate::moving::{Reins, unless_interrupted, watched};
use crate::order::{Choice, Order};
use crate::place::{self, Place};
use crate::refusal::{Exit, Refusal};
use crate::terminal::Terminal;
use crate::ui;

pub(super) async fn run(args: &Do, home: &Home, global: &Global) -> Result<ExitCode> {
    if args.prompt.trim().is_empty() {
        return Err(Refusal::new(
            Exit::Usage,
            "what is to be done?\n  hint: amelia do \"make the failing test pass\"",
        )
        .into());
    }
    let choice = Choice::complete(&args.model)?;
    let store = home.open()?;
    let place = Place::choose(args).await?;
    let order = Order {
        prompt: args.prompt.clone(),
        provider: choice.provider.to_string(),
        model: choice.model,
        base_url: choice.base_url,
        wire: choice.wire.to_string(),
        key_env: choice.key_env,
        read_only: args.read_only,
        max_turns: args.max_turns,
        place,
    };
    let spec = RunSpec {
        input: serde_json::to_value(&order)?,
        budget: Budget { usd: args.budget, ..Budget::default() },
        ..RunSpec::new(GraphName::new(single::NAME)?, title(&args.prompt))
    };
    let runs = runs_on(store);
    let run = runs.create(spec).await?;
    let row = find_run(&**runs.store(), &run.to_string()).await?;
    let terminal = Arc::new(Terminal::new(global));
    let stop = go(&runs, home, &row, row.run.spec.budget, &terminal, Vec::new()).await?;
    conclude(&find_run(&**runs.store(), &run.to_string()).await?, &stop, home, global).await
}

/// Moves the run of an order until it comes to rest.
pub(super) async fn go(
    runs: &Runs,
    home: &Home,
    row: &RunRow,
    budget: Budget,
    terminal: &Arc<Terminal>,
    replies: Vec<HumanReply>,
) -> Result<Stop> {
    let order = order_of(row)?;
    let run = row.run.id;
    let shown = Arc::clone(terminal);
    let live: Live = Arc::new(move |delta| shown.delta(&delta));
    // What commands of an earlier life of this run left behind must not go on beside this one.
    amelia_tools::end_leftovers(&run.to_string());
    let worktree = order.place.ensure(home, run).await?;
    let tools = place::tools(&order, &worktree, run)?;
    let account = Account::new(budget, row.view.spend);
    let graph = single::graph(order.work(&worktree.path, tools, account, live)?)?;
    let initial = Single { goal: order.prompt.clone(), answer: None };
    watched(runs, run, row.view.seq, terminal, |Reins { cancel, inbox }| {
        runs.go(run, &graph, initial, Move { cancel, inbox, replies })
    })
    .await
}

/// What came of it, and what can be done now.
pub(super) async fn conclude(row: &RunRow, stop: &Stop, home: &Home, global: &Global) -> Result<ExitCode> {
    let (run, me) = (row.run.id, ui::command(global.home.as_deref()));
    if !global.json
        && !global.quiet
        && let Ok(order) = order_of(row)
    {
        unless_interrupted(summarise(row, &order, home, &me)).await?;
    }
    match stop {
        Stop::Completed => Ok(ExitCode::SUCCESS),
        Stop::Waiting(HumanKind::Pause) => {
            Err(Refusal::new(Exit::Interrupted, format!("paused\n  hint: {me} resume {run} --approve"))
                .into())
        }
        Stop::Waiting(HumanKind::Budget) => {
            let message = format!("the budget is used up\n  hint: {me} resume {run} --approve --budget USD");
            Err(Refusal::new(Exit::Waiting, message).into())
        }
        Stop::Waiting(kind) => {
            let asked = row.view.pending.last().map(|request| request.prompt.as_str()).unwrap_or_default();
            let message = format!("the run waits ({kind}): {asked}\n  hint: {me} resume {run} --approve");
            Err(Refusal::new(Exit::Waiting, message).into())
        }
        Stop::Failed(failure) => {
            let has_hint = failure.message.contains("\n  hint: ");
            let hint = if has_hint { String::new() } else { format!("\n  hint: {me} resume {run}") };
            Err(Refusal::new(Exit::Failed, format!("{}{hint}", failure.message)).into())
        }
        Stop::Cancelled => Err(Refusal::new(
            Exit::Interrupted,
            format!("cancelled\n  hint: what was done is kept: {me} diff {run}"),
        )
        .into()),
    }
}

async fn summarise(row: &RunRow, order: &Order, home: &Home, me: &str) -> Result<()> {
    let worktree = order.place.ensure(home, row.run.id).await?;
    let changes = order.place.diff_stat(&worktree).await?;
    let run = row.run.id;
    anstream::println!();
    changes.iter().for_each(|change| anstream::println!("{}", ui::change_line(change)));
    if changes.is_empty() {
        anstream::println!("{}", ui::dim("nothing was changed"));
    }
    let spend = row.view.spend;
    let cost = match (spend.calls, spend.unpriced_calls) {
        (0, _) => "no model was asked".to_owned(),
        (calls, 0) => format!("{calls} model calls, {} tokens, {:.4} USD", spend.tokens, spend.usd),
        (calls, unknown) if unknown >= calls => {
            format!("{calls} model calls, {} tokens, cost unknown", spend.tokens)
        }
        (calls, unknown) => {
            format!(
                "{calls} model calls, {} tokens, {:.4} USD and {unknown} calls of unknown cost",
                spend.tokens, spend.usd
            )
        }
    };
    anstream::println!("{}", ui::dim(cost));
    let branch = worktree.branch.as_deref().unwrap_or("no branch");
    anstream::println!("{} {branch} in {}", ui::dim("branch"), worktree.path.display());
    anstream::println!("{} {me} diff {run}", ui::dim("look at it:"));
    Ok(())
}

/// The order that a run was started with.
pub(super) fn order_of(row: &RunRow) -> Result<Order> {
    serde_json::from_value(row.run.spec.input.clone())
        .with_context(|| format!("run {} was not started by `amelia do`", row.run.id))
}

/// The first line of a prompt, for lists.
fn title(prompt: &str) -> String {
    let line = prompt.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    line.trim().chars().take(80).collect()
}
