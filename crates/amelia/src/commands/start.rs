//! `amelia start`: from an issue to reviewed commits, in the foreground.

use std::process::ExitCode;
use std::sync::Arc;

use amelia_orchestrator::desk::{Desk, Order, Work};
use anyhow::{Context, Result};

use crate::cli::{Global, Start};
use crate::counter::Counter;
use crate::foreground::{Foreground, conclude};
use crate::home::{Home, find_run, runs_on};
use crate::refusal::Refusal;
use crate::terminal::Terminal;

pub(super) async fn run(args: &Start, home: &Home, global: &Global) -> Result<ExitCode> {
    let store = home.open()?;
    let counter = Counter::on(home, &store);
    let order = Order {
        work: Work::Implementation {
            issue: args.issue.clone(),
            title: args.title.clone(),
            description: args.description.clone(),
            plan: read(args.plan_file.as_deref())?,
            design: read(args.design.as_deref())?,
        },
        profile: args.profile.clone(),
        worktree: std::env::current_dir().context("the current directory is gone")?,
        branch: args.branch.clone(),
        base: args.base.clone(),
        in_place: args.in_place,
        budget: amelia_core::budget::Budget { usd: args.budget, ..Default::default() },
        idempotency_key: args.idempotency_key.clone(),
    };
    let spec = counter.take(order).await.map_err(Refusal::of_desk)?;
    let runs = runs_on(store);
    let run = runs.create(spec).await?;
    let row = find_run(&**runs.store(), &run.to_string()).await?;
    let terminal = Arc::new(Terminal::new(global));
    let here = Foreground { runs: &runs, home, terminal: &terminal, budget: None, auto: args.auto };
    let (row, stop) = here.go(&row, Vec::new()).await?;
    conclude(&row, &stop, home, global).await
}

fn read(path: Option<&std::path::Path>) -> Result<Option<String>> {
    let text = path.map(|path| {
        std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))
    });
    text.transpose()
}
