//! `amelia fork`: a new run from a moment of another.

use std::process::ExitCode;

use amelia_core::run::ForkPoint;
use amelia_graph::travel::Edit;
use anyhow::Result;

use crate::cli::{Fork, Global};
use crate::home::{Home, find_run};
use crate::known::Known;
use crate::refusal::{Exit, Refusal};
use crate::ui;

pub(super) async fn run(args: &Fork, home: &Home, global: &Global) -> Result<ExitCode> {
    let edits = args.set.iter().map(|text| Edit::parse(text)).collect::<Result<Vec<_>, _>>();
    let edits = edits.map_err(|problem| Refusal::new(Exit::Usage, problem))?;
    let store = home.open_existing()?;
    let run = find_run(&*store, &args.run).await?.run;
    let from = ForkPoint { run: run.id, checkpoint: args.at };
    let forked = Known::named(&run.spec.graph)?.fork(&*store, from, &edits).await?;
    if global.json {
        anstream::println!("{}", serde_json::json!({"run": forked, "forked_from": from}));
    } else {
        anstream::println!("{}", ui::bold(forked));
        if !global.quiet {
            let me = ui::command(global.home.as_deref());
            anstream::println!("  {} {me} resume {forked} --approve", ui::dim("let it go on:"));
        }
    }
    Ok(ExitCode::SUCCESS)
}
