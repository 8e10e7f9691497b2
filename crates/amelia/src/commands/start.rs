//! `amelia start`, `amelia plan ISSUE`: an issue becomes a run, which the server takes to reviewed commits.

use std::path::Path;
use std::process::ExitCode;

use amelia_core::id::RunId;
use amelia_host::home::Home;
use amelia_wire::rest::request::NewWorkflow;
use anyhow::{Context, Result};
use serde_json::Value;

use super::attach;
use super::watching::{Watching, watch};
use super::which_profile::profile_here;
use crate::cli::{Global, StartArgs};
use crate::cli_error::{CliError, Exit};
use crate::client::Client;
use crate::reach;
use crate::ui;

pub(super) async fn run(args: &StartArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let is_said = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
    if !is_said(&args.issue) && !is_said(&args.title) && args.pipeline.is_none() {
        let refusal = CliError::new(Exit::Usage, "the task is missing");
        return Err(refusal.with_hint("give an issue, or --title \"…\"").into());
    }
    let mut order = order(args)?;
    let client = reach::to_work(home, global).await?;
    // Other pipelines have an input instead.
    if args.pipeline.is_none() {
        order.profile = profile_here(&client, args.profile.as_deref(), global).await?;
    }
    let run = client.create("/workflows", &order, args.idempotency_key.as_deref()).await?;
    if args.queue && !args.plan {
        return told_later(&client, run, global).await;
    }
    let watching = Watching::from(&args.watch).auto(args.auto);
    watch(&client, run, None, watching, global).await
}

/// The request as it is sent: files are read here, because the server may be elsewhere.
fn order(args: &StartArgs) -> Result<NewWorkflow> {
    let here = std::env::current_dir().context("the current directory is gone")?;
    let (issue_id, title) = task(args);
    Ok(NewWorkflow {
        issue_id,
        title,
        description: args.description.clone(),
        attachments: attach::read(&args.attach)?,
        profile: args.profile.clone(),
        worktree_path: here,
        branch: args.branch.clone(),
        in_place: args.in_place,
        base: args.base.clone(),
        queue: args.queue,
        plan_now: args.plan,
        plan_content: read(args.plan_file.as_deref())?,
        design: read(args.design.as_deref())?,
        pipeline: args.pipeline.clone(),
        input: input(args.input.as_deref())?,
        budget: args.limits.budget(),
        retention_days: args.keep.retention_days,
        label: args.keep.label.clone(),
        auto_approve: args.auto,
        ..NewWorkflow::default()
    })
}

/// Issue and title. No key of an issue has a blank in it: such text is a title.
fn task(args: &StartArgs) -> (Option<String>, Option<String>) {
    match (&args.issue, &args.title) {
        (Some(text), None) if text.trim().contains(char::is_whitespace) => (None, Some(text.clone())),
        (issue, title) => (issue.clone(), title.clone()),
    }
}

fn input(path: Option<&Path>) -> Result<Option<Value>> {
    let Some(path) = path else { return Ok(None) };
    let text = read(Some(path))?.unwrap_or_default();
    let parsed = serde_json::from_str(&text);
    parsed
        .map(Some)
        .map_err(|error| CliError::new(Exit::Usage, format!("{}: {error}", path.display())).into())
}

async fn told_later(client: &Client, run: RunId, global: &Global) -> Result<ExitCode> {
    if global.json {
        anstream::println!("{}", serde_json::to_string(&client.flat(run).await?)?);
    } else {
        let run = client.row(run).await?.run.number;
        anstream::println!("{}", ui::bold(run));
        let me = ui::command(global);
        if !global.quiet {
            ui::say!("  {} {me} run {run}", ui::dim("start it:"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn read(path: Option<&Path>) -> Result<Option<String>> {
    let text = path.map(|path| {
        std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))
    });
    text.transpose()
}
