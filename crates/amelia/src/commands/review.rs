//! `amelia review`: a look at local changes, and with `--fix` the mending of what is right.

use std::process::ExitCode;
use std::sync::Arc;

use amelia_agents::pipeline::implementation::state::Implementation;
use amelia_core::review::Disposition;
use amelia_core::store::{At, Store};
use amelia_graph::engine::Stop;
use amelia_graph::state::rebuild;
use amelia_orchestrator::desk::{Desk, Order, ReviewOf, Work};
use anyhow::{Context, Result};

use crate::cli::{Global, Review};
use crate::counter::Counter;
use crate::foreground::{Foreground, conclude};
use crate::home::{Home, find_run, runs_on};
use crate::refusal::Refusal;
use crate::terminal::Terminal;
use crate::ui;

pub(super) async fn run(args: &Review, home: &Home, global: &Global) -> Result<ExitCode> {
    let store = home.open()?;
    let counter = Counter::on(home, &store);
    let what = args.base.clone().map_or(ReviewOf::Local, ReviewOf::Since);
    let order = Order {
        work: Work::Review { what, fix: args.fix, personas: args.personas.clone() },
        profile: args.profile.clone(),
        worktree: std::env::current_dir().context("the current directory is gone")?,
        ..Order::default()
    };
    let spec = counter.take(order).await.map_err(Refusal::of_desk)?;
    let runs = runs_on(store);
    let run = runs.create(spec).await?;
    let row = find_run(&**runs.store(), &run.to_string()).await?;
    let terminal = Arc::new(Terminal::new(global));
    let here = Foreground { runs: &runs, home, terminal: &terminal, budget: None, auto: false };
    let (row, stop) = here.go(&row, Vec::new()).await?;
    if stop == Stop::Completed && !global.json {
        report(&**runs.store(), row.run.id).await?;
    }
    conclude(&row, &stop, home, global).await
}

/// What was found, and what becomes of it.
async fn report(store: &dyn Store, run: amelia_core::id::RunId) -> Result<()> {
    let Some(loaded) = store.load(run, At::Latest).await? else { return Ok(()) };
    let progress = rebuild::<Implementation>(&loaded)?.progress;
    let Some(review) = progress.review else { return Ok(()) };
    let verdict = if review.approved { "approved" } else { "changes wanted" };
    anstream::println!("\n{} {verdict}, {} findings", ui::bold("Review:"), review.comments.len());
    let decided = progress.evaluation.map(|evaluation| evaluation.items).unwrap_or_default();
    for (number, comment) in (1..).zip(&review.comments) {
        let item = decided.iter().find(|item| item.number == number);
        let place = match (&comment.file, comment.line) {
            (Some(file), Some(line)) => format!("{file}:{line} "),
            (Some(file), None) => format!("{file} "),
            (None, _) => String::new(),
        };
        let fate = item.map(|item| match item.disposition {
            Disposition::Implement => ui::painted(ui::WAITS, "implement"),
            Disposition::Reject => ui::dim("rejected"),
            Disposition::Defer => ui::dim("deferred"),
            Disposition::Clarify => ui::painted(ui::WAITS, "not clear"),
        });
        anstream::println!("  {number}. {}{}", ui::dim(ui::clean(&place)), ui::clean(&comment.text));
        if let (Some(fate), Some(item)) = (fate, item) {
            anstream::println!("     {fate} {}", ui::dim(ui::clean(&item.reason)));
        }
    }
    Ok(())
}
