//! `amelia do`: one agent with tools does one thing, in a worktree of its own, live on the terminal.

use std::process::ExitCode;
use std::sync::Arc;

use amelia_agents::pipeline::single;
use amelia_core::budget::Budget;
use amelia_core::clock::SystemClock;
use amelia_core::document::Documents;
use amelia_core::id::GraphName;
use amelia_core::run::RunSpec;
use amelia_orchestrator::settings::Profiles;
use anyhow::Result;

use crate::assemble::Assembly;
use crate::cast::Cast;
use crate::cli::{Do, Global, Resume};
use crate::foreground::{Foreground, conclude};
use crate::home::{Home, find_run, runs_on};
use crate::order::Order;
use crate::place;
use crate::refusal::{Exit, Refusal};
use crate::terminal::Terminal;

pub(super) async fn run(args: &Do, home: &Home, global: &Global) -> Result<ExitCode> {
    if let Some(run) = &args.resume {
        let resume = Resume {
            run: run.clone(),
            approve: false,
            message: None,
            accept: false,
            max_tokens: args.max_tokens,
            max_time: args.max_time,
            budget: args.budget,
        };
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
    let assembly =
        Assembly::new(home, &std::iter::once(&cast.agent).chain(&cast.oracle).collect::<Vec<_>>())?;
    let prompt = assembly.redactor().text(prompt).into_owned();
    let place = place::choose(args, &prompt).await?;
    let order = Order {
        prompt,
        agent: cast.agent,
        oracle: cast.oracle,
        retry: cast.retry,
        read_only: args.read_only,
        max_turns: args.max_turns,
        copy_files: cast.copy_files,
        setup: cast.setup,
    };
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
    let here = Foreground { runs: &runs, home, terminal: &terminal, budget: None, auto: false };
    let (row, stop) = here.go(&row, Vec::new()).await?;
    conclude(&row, &stop, home, global).await
}

/// The first line of a prompt, for lists.
pub(super) fn title(prompt: &str) -> String {
    let line = prompt.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    line.trim().chars().take(80).collect()
}
