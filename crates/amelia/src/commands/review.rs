//! `amelia review`: a look at local changes, and with `--fix` the mending of what is right.

use std::process::ExitCode;

use amelia_agents::pipeline::implementation::state::TaskProgress;
use amelia_core::id::RunId;
use amelia_core::review::Disposition;
use amelia_core::run::RunStatus;
use amelia_host::home::Home;
use amelia_wire::rest::request::{NewReview, ReviewMode};
use anyhow::{Context, Result};
use serde_json::Value;

use super::watching::{Watching, watch};
use super::which_profile::profile_here;
use crate::cli::{Global, ReviewArgs};
use crate::client::Client;
use crate::reach;
use crate::ui;

pub(super) async fn run(args: &ReviewArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let here = std::env::current_dir().context("the current directory is gone")?;
    let client = reach::to_work(home, global).await?;
    let order = NewReview {
        worktree_path: here,
        profile: profile_here(&client, args.profile.as_deref(), global).await?,
        base: args.base.clone(),
        diff: None,
        pull_request: args.pr,
        mode: if args.fix { ReviewMode::ReviewFix } else { ReviewMode::ReviewOnly },
        personas: args.personas.clone(),
        budget: args.limits.budget(),
    };
    let run = client.create("/workflows/review", &order, None).await?;
    let outcome = watch(&client, run, None, Watching::following(), global).await;
    if client.row(run).await?.view.status == RunStatus::Completed && !global.json {
        report(&client, run).await?;
    }
    outcome
}

/// What was found, and what becomes of it.
async fn report(client: &Client, run: RunId) -> Result<()> {
    let mut shown: Value = client.get(&format!("/workflows/{run}")).await?;
    let progress = shown.pointer_mut("/state/progress").map(Value::take).unwrap_or_default();
    let progress: TaskProgress = serde_json::from_value(progress).unwrap_or_default();
    let Some(review) = progress.review else { return Ok(()) };
    let findings = match review.comments.len() {
        1 => "1 finding".to_owned(),
        many => format!("{many} findings"),
    };
    ui::say!("\n{} {}, {findings}", ui::bold("Review:"), review.verdict());
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
        ui::say!("  {number}. {}{}", ui::dim(ui::clean(&place)), ui::clean(&comment.text));
        if let (Some(fate), Some(item)) = (fate, item) {
            ui::say!("     {fate} {}", ui::dim(ui::clean(&item.reason)));
        }
    }
    Ok(())
}
