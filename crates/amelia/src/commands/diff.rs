//! `amelia diff`: what a run has changed.

use std::io::Write;
use std::process::ExitCode;

use amelia_host::home::Home;
use amelia_wire::rest::travel::Diff;
use anyhow::Result;

use super::which_run::newest;
use crate::cli::{DiffArgs as Args, Global};
use crate::cli_error::{CliError, Exit};
use crate::reach;
use crate::ui;

pub(super) async fn run(args: &Args, home: &Home, global: &Global) -> Result<ExitCode> {
    let client = reach::to_look(home, global).await?;
    let row = newest(&client, args.run.as_deref()).await?;
    let diff: Diff = client.get(&format!("/workflows/{}/diff?stat={}", row.run.id, args.stat)).await?;
    client.close().await?;
    if global.json {
        anstream::println!("{}", serde_json::to_string(&diff)?);
    } else if args.stat {
        diff.files.iter().for_each(|file| anstream::println!("{}", ui::change_line(file)));
    } else {
        // A pager that was closed early is not an error.
        std::io::stdout().write_all(diff.diff.as_bytes()).ok();
    }
    if diff.is_cut {
        let base = row.run.spec.place.map(|place| place.base_commit).unwrap_or_default();
        let megabytes = diff.diff.len() / (1024 * 1024);
        let message = format!("the changes are longer than {megabytes} MB: the rest is left out");
        let hint = format!("git -C '{}' diff {base}", diff.worktree);
        return Err(CliError::new(Exit::Failed, message).with_hint(hint).into());
    }
    Ok(ExitCode::SUCCESS)
}
