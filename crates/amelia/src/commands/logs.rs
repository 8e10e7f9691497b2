//! `amelia logs`: what happened in a run.

use std::process::ExitCode;

use amelia_core::id::Seq;
use amelia_core::store::Store;
use anyhow::Result;

use crate::cli::{Global, Logs};
use crate::home::{Home, find_run};
use crate::ui;

const PAGE: usize = 1000;

pub(super) async fn run(args: &Logs, home: &Home, global: &Global) -> Result<ExitCode> {
    let store = home.look()?;
    let run = find_run(&*store, &args.run).await?.run.id;
    let mut after = Seq(args.since);
    loop {
        let events = store.events(run, after, PAGE).await?;
        let Some(last) = events.last() else { return Ok(ExitCode::SUCCESS) };
        after = last.seq;
        for event in &events {
            let name = event.draft.kind.name();
            if args.name.as_ref().is_some_and(|wanted| !name.starts_with(wanted.as_str())) {
                continue;
            }
            if global.json {
                anstream::println!("{}", serde_json::to_string(event)?);
            } else {
                anstream::println!("{}", ui::event_line(event));
            }
        }
    }
}
