//! `amelia backup`, `restore`: a home in one file.

use std::process::ExitCode;

use amelia_host::home::Home;
use amelia_host::{backup, size};
use anyhow::Result;
use serde_json::json;

use crate::cli::{BackupArgs, Global, RestoreArgs};
use crate::ui;

pub(super) fn write(args: &BackupArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let bytes = backup::write(home, &args.file)?;
    match (global.json, global.quiet) {
        (true, _) => anstream::println!("{}", json!({"file": args.file, "bytes": bytes})),
        (false, false) => {
            ui::say!("{} ({})", args.file.display(), size::shown(bytes));
            ui::say!("{}", ui::dim("API keys and worktrees are not in it"));
        }
        (false, true) => {}
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn restore(args: &RestoreArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    backup::restore(home, &args.file)?;
    let me = ui::command(global);
    match (global.json, global.quiet) {
        (true, _) => anstream::println!("{}", json!({"home": home.path()})),
        (false, false) => {
            ui::say!("restored {}", home.path().display());
            let next = format!("{me} doctor checks keys; {me} worktree restore RUN recreates a worktree");
            ui::say!("{}", ui::dim(next));
        }
        (false, true) => {}
    }
    Ok(ExitCode::SUCCESS)
}
