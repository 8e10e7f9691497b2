//! `amelia diff`: what a run has changed.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;

use crate::cli::Diff;
use crate::home::{Home, find_run};
use crate::place;
use crate::refusal::{Exit, Refusal};
use crate::ui;

pub(super) async fn run(args: &Diff, home: &Home) -> Result<ExitCode> {
    let row = find_run(&*home.look()?, &args.run).await?;
    let worktree = place::ensure(place::of(&row)?, home, row.run.id).await?;
    if args.stat {
        let changes = place::diff_stat(place::of(&row)?, &worktree).await?;
        changes.iter().for_each(|change| anstream::println!("{}", ui::change_line(change)));
        return Ok(ExitCode::SUCCESS);
    }
    let diff = place::diff(place::of(&row)?, &worktree).await?;
    // A pager that was closed early is not an error.
    std::io::stdout().write_all(diff.text.as_bytes()).ok();
    if diff.is_cut {
        let message = format!(
            "the changes are longer than {} MB: the rest is left out\n  hint: git -C '{}' diff {}",
            diff.text.len() / (1024 * 1024),
            worktree.path.display(),
            worktree.base_commit
        );
        return Err(Refusal::new(Exit::Failed, message).into());
    }
    Ok(ExitCode::SUCCESS)
}
