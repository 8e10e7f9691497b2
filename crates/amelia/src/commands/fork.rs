//! `amelia fork`: a new run from a moment of another.

use std::collections::BTreeMap;
use std::process::ExitCode;

use amelia_core::id::RunNumber;
use amelia_core::run::{ForkPoint, Run, RunLocation};
use amelia_graph::editing::StateEdit;
use amelia_host::home::Home;
use amelia_wire::rest::travel::ForkRequest;
use anyhow::Result;

use super::checkpoints::last_before_end;
use super::status::next_step;
use crate::cli::{ForkArgs, Global};
use crate::cli_error::{CliError, Exit};
use crate::outcome::definition_line;
use crate::reach;
use crate::ui;

pub(super) async fn run(args: &ForkArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let edits = args.set.iter().map(|text| StateEdit::parse(text)).collect::<Result<Vec<_>, _>>();
    let edits = edits.map_err(|problem| CliError::new(Exit::Usage, problem))?;
    home.existing()?;
    let client = reach::to_work_here(home, global, Vec::new()).await?;
    let outcome = async {
        let Run { id: run, number: of, .. } = client.find(&args.run).await?.run;
        let at = match args.at {
            Some(at) => at,
            None => last_before_end(&client, run).await?.ok_or_else(|| no_checkpoint(of))?,
        };
        let set: BTreeMap<_, _> = edits.into_iter().map(|edit| (edit.path, edit.value)).collect();
        let request = ForkRequest { at, set, definition_from_file: args.definition_from_file };
        let forked = client.create(&format!("/workflows/{run}/fork"), &request, None).await?;
        let forked = client.row(forked).await?;
        anyhow::Ok((forked, of, ForkPoint { run, checkpoint: at }))
    };
    let outcome = outcome.await;
    client.close().await?;
    let (forked, of, from) = outcome?;
    let Run { id, number, spec, .. } = &forked.run;
    if global.json {
        anstream::println!("{}", serde_json::json!({"run": id, "forked_from": from}));
    } else {
        anstream::println!("{}", ui::bold(number));
        if !global.quiet {
            let me = ui::command(global);
            ui::say!("  {}", ui::dim(format!("a fork of {of} from checkpoint {}", from.checkpoint)));
            if let Some(place) = &spec.place {
                ui::say!("  {}", ui::dim(begins(place)));
            }
            if let Some(changes) = &forked.view.definition_changes {
                ui::say!("  {}", ui::dim(definition_line(changes)));
            }
            if let Some(next) = next_step(&forked, &me) {
                ui::say!("  {} {next}", ui::dim("next"));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// It was cancelled before it began.
fn no_checkpoint(run: RunNumber) -> CliError {
    CliError::new(Exit::Conflict, format!("run {run} has no checkpoint to start from"))
        .with_hint("`amelia start` starts a new run")
}

/// Which files a fork begins with.
fn begins(place: &RunLocation) -> &'static str {
    match (place.in_place, &place.tree) {
        (true, _) if place.is_workspace() => "it works in the directory of that run as it is now",
        (true, _) => "it works in your checkout as it is now",
        (false, Some(_)) => "its worktree starts with the files of that checkpoint",
        (false, None) => "its worktree starts at the last commit before that checkpoint",
    }
}
