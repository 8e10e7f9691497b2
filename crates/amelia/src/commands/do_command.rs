//! `amelia do`: one agent with tools does one thing, in a worktree of its own, live on the terminal.

use std::process::ExitCode;
use std::sync::Arc;

use amelia_agents::live::Live;
use amelia_agents::pipeline::single::{self, Single};
use amelia_core::budget::{Account, Budget};
use amelia_core::clock::{Clock, SystemClock};
use amelia_core::document::Documents;
use amelia_core::human::{HumanKind, HumanReply};
use amelia_core::id::GraphName;
use amelia_core::run::RunSpec;
use amelia_core::view::RunRow;
use amelia_graph::engine::Stop;
use amelia_graph::position::approval;
use amelia_orchestrator::runs::{Move, Runs};
use amelia_orchestrator::settings::Profiles;
use anyhow::{Context, Result};
use jiff::SignedDuration;

use crate::assemble::Assembly;
use crate::cast::Cast;
use crate::cli::{Do, Global, Resume};
use crate::home::{Home, find_run, runs_on};
use crate::moving::{Reins, unless_interrupted, watched};
use crate::order::Order;
use crate::place;
use crate::refusal::{Exit, Refusal};
use crate::terminal::Terminal;
use crate::ui;

pub(super) async fn run(args: &Do, home: &Home, global: &Global) -> Result<ExitCode> {
    if let Some(run) = &args.resume {
        let resume = Resume { run: run.clone(), approve: false, message: None, budget: args.budget };
        return super::resume::run(&resume, home, global).await;
    }
    let prompt = args.prompt.as_deref().unwrap_or_default();
    if prompt.trim().is_empty() {
        return Err(Refusal::new(
            Exit::Usage,
            "what is to be done?\n  hint: amelia do \"make the failing test pass\"",
        )
        .into());
    }
    let store = home.open()?;
    let profiles = Profiles::new(Arc::clone(&store) as Arc<dyn Documents>, Arc::new(SystemClock));
    let cast = Cast::choose(args, home, &profiles).await?;
    let place = place::choose(args, prompt).await?;
    let order = Order {
        prompt: prompt.to_owned(),
        agent: cast.agent,
        oracle: cast.oracle,
        retry: cast.retry,
        read_only: args.read_only,
        max_turns: args.max_turns,
    };
    let assembly = Assembly::new(home, &order.agents())?;
    let order = assembly.redactor().clean(order);
    let spec = RunSpec {
        input: serde_json::to_value(&order)?,
        budget: Budget {
            usd: args.budget.or(cast.budget.usd),
            tokens: args.max_tokens.or(cast.budget.tokens),
            wall_seconds: args.max_time.or(cast.budget.wall_seconds),
            calls: cast.budget.calls,
        },
        profile: cast.profile,
        place: Some(place),
        ..RunSpec::new(GraphName::new(single::NAME)?, title(&order.prompt))
    };
    let runs = runs_on(store);
    let run = runs.create(spec).await?;
    let row = find_run(&**runs.store(), &run.to_string()).await?;
    let terminal = Arc::new(Terminal::new(global));
    let (row, stop) = go(&runs, home, &row, row.run.spec.budget, &terminal, Vec::new()).await?;
    conclude(&row, &stop, home, global).await
}

/// Moves the run of an order until it ends, or waits for somebody who is not at this terminal.
pub(super) async fn go(
    runs: &Runs,
    home: &Home,
    row: &RunRow,
    budget: Budget,
    terminal: &Arc<Terminal>,
    mut replies: Vec<HumanReply>,
) -> Result<(RunRow, Stop)> {
    let mut row = row.clone();
    loop {
        let stop = go_once(runs, home, &row, budget, terminal, replies).await?;
        row = find_run(&**runs.store(), &row.run.id.to_string()).await?;
        let asked = row.view.pending.iter().find(|request| request.kind == HumanKind::Question);
        match (asked, stop) {
            (Some(request), Stop::Waiting(HumanKind::Question)) if terminal.is_interactive() => {
                let Some(words) = terminal.ask(request).await? else {
                    return Ok((row, Stop::Waiting(HumanKind::Question)));
                };
                let yes = approval(request, SystemClock.now());
                replies = vec![HumanReply { message: Some(words), ..yes }];
            }
            (_, stop) => return Ok((row, stop)),
        }
    }
}

async fn go_once(
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
    // What commands of an earlier life of this run left behind must not go on beside this one. A run that never
    // started has none, and looking through all processes takes long on a busy machine.
    if row.view.started_at.is_some() {
        amelia_tools::end_leftovers(&run.to_string());
    }
    let worktree = place::ensure(place::of(row)?, home, run).await?;
    let tools = place::tools(&order, &worktree, run)?;
    let active = SignedDuration::from_millis(i64::try_from(row.view.active_ms).unwrap_or(i64::MAX));
    let account = Account::new(budget, row.view.spend).going_on(SystemClock.now(), active);
    let assembly = Assembly::new(home, &order.agents())?;
    let graph = single::graph(order.work(&assembly, &worktree.path, tools, account, &live)?)?;
    let replies = assembly.redactor().clean(replies);
    let initial = Single { goal: order.prompt.clone(), answer: None };
    watched(runs, run, row.view.seq, terminal, |Reins { cancel, inbox }| {
        runs.go(run, &graph, initial, Move { cancel, inbox, replies })
    })
    .await
}

/// What came of it, and what can be done now.
pub(super) async fn conclude(row: &RunRow, stop: &Stop, home: &Home, global: &Global) -> Result<ExitCode> {
    let (run, me) = (row.run.id, ui::command(global.home.as_deref()));
    if !global.json && !global.quiet && row.run.spec.place.is_some() {
        unless_interrupted(summarise(row, home, &me)).await?;
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
            let words = if *kind == HumanKind::Question { " --message 'YOUR ANSWER'" } else { "" };
            let message =
                format!("the run waits ({kind}): {asked}\n  hint: {me} resume {run} --approve{words}");
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

async fn summarise(row: &RunRow, home: &Home, me: &str) -> Result<()> {
    let worktree = place::ensure(place::of(row)?, home, row.run.id).await?;
    let changes = place::diff_stat(place::of(row)?, &worktree).await?;
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
