//! `amelia resume`: let a run go on that was interrupted, waits, or failed.

use std::process::ExitCode;
use std::sync::Arc;

use amelia_core::budget::Budget;
use amelia_core::clock::{Clock, SystemClock};
use amelia_core::human::HumanReply;
use amelia_core::view::RunRow;
use amelia_graph::engine::Stop;
use amelia_graph::position::approval;
use amelia_orchestrator::runs::{Move, Runs};
use anyhow::Result;

use super::do_command;
use crate::cli::{Global, Resume};
use crate::home::{Home, find_run, runs_on};
use crate::known::Known;
use crate::moving::{Reins, watched};
use crate::synthetic::graph::{Surroundings, graph};
use crate::synthetic::state::Work;
use crate::terminal::Terminal;

pub(super) async fn run(args: &Resume, home: &Home, global: &Global) -> Result<ExitCode> {
    let store = home.open_existing()?;
    let row = find_run(&*store, &args.run).await?;
    let known = Known::named(&row.run.spec.graph)?;
    let runs = runs_on(store);
    let terminal = Arc::new(Terminal::new(global));
    let mut row = row;
    loop {
        let replies = replies(args, &row);
        let stop = match known {
            Known::Synthetic => {
                let stop = synthetic(&runs, &row, home, &terminal, replies).await?;
                row = find_run(&**runs.store(), &row.run.id.to_string()).await?;
                stop
            }
            Known::Single => {
                let budget = budget(args, &row);
                let (after, stop) = do_command::go(&runs, home, &row, budget, &terminal, replies).await?;
                row = after;
                stop
            }
        };
        // A run may ask several things one after the other.
        let is_asked_on = known == Known::Synthetic && matches!(stop, Stop::Waiting(_));
        if !(args.approve && is_asked_on) {
            return do_command::conclude(&row, &stop, home, global).await;
        }
    }
}

async fn synthetic(
    runs: &Runs,
    row: &RunRow,
    home: &Home,
    terminal: &Terminal,
    replies: Vec<HumanReply>,
) -> Result<Stop> {
    let graph = graph(&Arc::new(Surroundings::quiet(home)))?;
    let run = row.run.id;
    watched(runs, run, row.view.seq, terminal, |Reins { cancel, inbox }| {
        runs.go(run, &graph, Work::default(), Move { cancel, inbox, replies })
    })
    .await
}

fn replies(args: &Resume, row: &RunRow) -> Vec<HumanReply> {
    if !args.approve {
        return Vec::new();
    }
    let yes = |request| HumanReply { message: args.message.clone(), ..approval(request, SystemClock.now()) };
    row.view.pending.iter().map(yes).collect()
}

fn budget(args: &Resume, row: &RunRow) -> Budget {
    match args.budget {
        Some(usd) => Budget { usd: Some(usd), ..row.run.spec.budget },
        None => row.run.spec.budget,
    }
}
