//! `amelia diff`: what a run has changed.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use amelia_core::shell_word::shell_word;
use amelia_host::home::Home;
use amelia_wire::rest::travel::Diff;
use anyhow::Result;

use super::pager;
use super::which_run::{newest, say_chosen};
use crate::cli::{DiffArgs as Args, Global};
use crate::cli_error::{CliError, Exit};
use crate::reach;
use crate::ui;

pub(super) async fn run(args: &Args, home: &Home, global: &Global) -> Result<ExitCode> {
    let client = reach::to_look(home, global).await?;
    let row = newest(&client, args.run.as_deref()).await?;
    // `merge` may choose another one.
    if args.run.is_none() {
        say_chosen(&row, "", global);
    }
    let diff: Diff = client.get(&format!("/workflows/{}/diff?stat={}", row.run.id, args.stat)).await?;
    client.close().await?;
    if global.json {
        anstream::println!("{}", serde_json::to_string(&diff)?);
    } else if diff.files.is_empty() && diff.diff.is_empty() {
        // Not in what a program reads as a diff.
        anstream::eprintln!("run {} has changed nothing", row.run.number);
    } else if args.stat {
        diff.files.iter().for_each(|file| ui::say!("{}", ui::change_line(file)));
    } else if std::io::stdout().is_terminal() {
        pager::show(&coloured(&diff.diff));
    } else {
        // A reader that was closed early is not an error.
        std::io::stdout().write_all(diff.diff.as_bytes()).ok();
    }
    if diff.is_cut {
        let base = row.run.spec.place.map(|place| place.base_commit).unwrap_or_default();
        let megabytes = diff.diff.len() / (1024 * 1024);
        let message = format!("the changes are longer than {megabytes} MB: the rest is omitted");
        let hint = format!("git -C {} diff {base}", shell_word(&diff.worktree));
        return Err(CliError::new(Exit::Failed, message).with_hint(hint).into());
    }
    Ok(ExitCode::SUCCESS)
}

/// A diff in the colours of git, without the power to steer the terminal.
fn coloured(diff: &str) -> String {
    let mut is_hunk = false;
    let lines = diff.lines().map(|line| {
        let line = ui::clean(line);
        // A removed line may look like a header: what is a hunk is known by what came before.
        is_hunk = !line.starts_with("diff ") && (is_hunk || line.starts_with("@@"));
        match line.chars().next() {
            Some('@') if is_hunk => ui::painted(ui::BUSY, line),
            Some('+') if is_hunk => ui::painted(ui::GOOD, line),
            Some('-') if is_hunk => ui::painted(ui::BAD, line),
            _ if !is_hunk => ui::bold(line),
            _ => line,
        }
    });
    lines.map(|line| line + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_has_colours_and_cannot_steer_the_terminal() {
        let diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n--- a comment\n+new\x1b[2J\n same\n";
        let expected = [
            ui::bold("diff --git a/x b/x"),
            ui::bold("--- a/x"),
            ui::bold("+++ b/x"),
            ui::painted(ui::BUSY, "@@ -1,2 +1 @@"),
            ui::painted(ui::BAD, "--- a comment"),
            ui::painted(ui::GOOD, "+new\u{FFFD}[2J"),
            " same".to_owned(),
        ];
        assert_eq!(coloured(diff), expected.map(|line| line + "\n").concat());
    }
}
