//! `amelia merge` and `amelia pr`: the change of a run goes into a branch or a pull request.

use std::process::ExitCode;

use amelia_core::run::RunStatus;
use amelia_core::text::short_commit;
use amelia_core::view::RunRow;
use amelia_host::home::Home;
use amelia_wire::rest::delivery::{
    Merge, MergeAnswer, MergeWay, OpenPullRequest, PullRequestDetail, PullRequestShown, UndoneWay,
};
use amelia_wire::rest::travel::Diff;
use anyhow::Result;
use serde_json::json;

use super::checkpoints;
use super::which_run::{ChosenRun, completed, say_chosen, with_pull_request};
use crate::after_failure::after_failure;
use crate::cli::{Global, MergeArgs, PrCommand, PrOpenArgs, PrShowArgs};
use crate::cli_error::{CliError, Exit};
use crate::client::Client;
use crate::reach;
use crate::ui;

pub(super) async fn merge(args: &MergeArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let client = reach::to_work(home, global).await?;
    let chosen = completed(&client, args.run.as_deref()).await?;
    let row = &chosen.row;
    refuse_unless_completed(&client, row, "be merged", global).await?;
    // A run that changed nothing has none; the merge says so.
    let changes = client.get::<Diff>(&format!("/workflows/{}/diff?stat=true", row.run.id)).await.ok();
    let into =
        args.into.as_deref().or(row.run.spec.place.as_ref().and_then(|place| place.base_branch.as_deref()));
    if let Some(there) = changes.as_ref().and_then(|changes| changes.merged_into.as_deref())
        && into.is_none_or(|into| into == there)
        && !args.delete_branch
        && client.undone_merge(row.run.id).await? != Some(UndoneWay::Reverted)
    {
        let note =
            format!("{there} already has the changes of {}: there is nothing to merge", row.run.number);
        match global.json {
            true => anstream::println!("{}", json!({"merged": null, "undo": null, "notes": [note]})),
            false => ui::say!("{}", ui::one_line(&note)),
        }
        client.close().await?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.run.is_none() {
        let branch = changes.and_then(|changes| changes.branch);
        say_chosen(row, &way(branch.as_deref(), into), global);
        confirm_choice(&chosen, args, global)?;
    }
    let method = match (args.squash, args.rebase) {
        (true, _) => MergeWay::Squash,
        (false, true) => MergeWay::Rebase,
        (false, false) => MergeWay::Merge,
    };
    let body = Merge { into: args.into.clone(), method, delete_branch: args.delete_branch };
    let answer: MergeAnswer = client.post(&format!("/workflows/{}/merge", row.run.id), &body).await?;
    client.close().await?;
    if global.json {
        anstream::println!("{}", serde_json::to_string(&answer)?);
        return Ok(ExitCode::SUCCESS);
    }
    let MergeAnswer { merged, undo, notes } = answer;
    let commit = short_commit(&merged.commit);
    let place = row.run.spec.place.as_ref().map(|place| ui::path(&place.repository));
    let place = place.map(|place| format!(" in {place}")).unwrap_or_default();
    let run = row.run.number;
    ui::say!("Merged {run} into {} ({commit}){place}", ui::bold(&merged.into));
    if merged.branch_deleted {
        ui::say!("Deleted the branch {}", merged.branch);
    }
    notes.iter().for_each(|note| ui::say!("{} {note}", ui::painted(ui::WAITS, "note:")));
    if !global.quiet {
        let until = format!("as long as {} has no newer commits, this undoes the merge:", merged.into);
        ui::say!("{}", ui::dim(ui::one_line(&until)));
        ui::say_command("undo:", &undo);
    }
    Ok(ExitCode::SUCCESS)
}

/// A person who names no run may mean a newer one than the one that was chosen.
fn confirm_choice(chosen: &ChosenRun, args: &MergeArgs, global: &Global) -> Result<()> {
    let (false, Some(question), Some(refusal)) = (args.yes, chosen.question(), chosen.refusal()) else {
        return Ok(());
    };
    if global.json || !ui::is_interactive() {
        return Err(refusal.into());
    }
    match ui::confirm(&question)? {
        true => Ok(()),
        false => {
            let refusal = CliError::new(Exit::Interrupted, "nothing was merged");
            Err(refusal.with_hint(format!("{} merge RUN", ui::command(global))).into())
        }
    }
}

/// From which branch to which.
fn way(branch: Option<&str>, into: Option<&str>) -> String {
    let into = into.unwrap_or("the current branch");
    branch.map(|branch| ui::one_line(&format!(": {branch} -> {into}"))).unwrap_or_default()
}

/// Only what is completed is delivered: says how the run stands, and what helps.
async fn refuse_unless_completed(client: &Client, row: &RunRow, what: &str, global: &Global) -> Result<()> {
    let checkpoint = match row.view.status {
        RunStatus::Completed => return Ok(()),
        RunStatus::Cancelled => checkpoints::last_before_end(client, row.run.id).await?,
        _ => None,
    };
    Err(not_completed(row, checkpoint, what, &ui::command(global)).into())
}

/// What a cancelled run has changed stays on its branch; only another run can complete it.
fn not_completed(row: &RunRow, checkpoint: Option<u32>, what: &str, me: &str) -> CliError {
    let run = row.run.number;
    let (state, hint) = match row.view.status {
        RunStatus::Cancelled => {
            let fork = checkpoint
                .map(|number| format!("; {me} fork {run} --at {number} makes a new run that continues it"));
            let hint = format!("{me} diff {run} shows its changes{}", fork.unwrap_or_default());
            ("was cancelled".to_owned(), hint)
        }
        RunStatus::Failed => ("has failed".to_owned(), after_failure(row, me)),
        _ => (format!("is {}", row.view.status_words()), format!("{me} why {run} says what it needs")),
    };
    CliError::new(Exit::Conflict, format!("run {run} {state}: only a completed run can {what}"))
        .with_hint(hint)
}

pub(super) async fn pr(command: &PrCommand, home: &Home, global: &Global) -> Result<ExitCode> {
    match command {
        PrCommand::Open(args) => open(args, home, global).await,
        PrCommand::Show(args) => show(args, home, global).await,
    }
}

async fn open(args: &PrOpenArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let client = reach::to_work(home, global).await?;
    let ChosenRun { row, .. } = completed(&client, args.run.as_deref()).await?;
    if args.run.is_none() {
        say_chosen(&row, "", global);
    }
    refuse_unless_completed(&client, &row, "have a pull request", global).await?;
    // A run that changed nothing has none; the server says so.
    let changes = client.get::<Diff>(&format!("/workflows/{}/diff?stat=true", row.run.id)).await.ok();
    if let Some(there) = changes.and_then(|changes| changes.merged_into)
        && row.view.pull_request.is_none()
    {
        return Err(nothing_to_review(&row, &there, &ui::command(global)).into());
    }
    let body = OpenPullRequest { base: args.base.clone(), draft: args.draft };
    let opened: PullRequestShown =
        client.post(&format!("/workflows/{}/pull-request", row.run.id), &body).await?;
    client.close().await?;
    match global.json {
        true => anstream::println!("{}", serde_json::to_string(&opened)?),
        false => ui::say!("{}", opened_line(&opened, &row, &ui::command(global))),
    }
    Ok(ExitCode::SUCCESS)
}

/// A host opens no pull request without a change.
fn nothing_to_review(row: &RunRow, there: &str, me: &str) -> CliError {
    let (run, there) = (row.run.number, ui::one_line(there));
    let message = format!("{there} already has the changes of {run}: there is nothing for a pull request");
    let refusal = CliError::new(Exit::Conflict, message);
    refusal.with_hint(format!("{me} diff {run} shows the changes; {me} status {run} shows where they are"))
}

/// The second time, the pull request is the same, with what the branch has now.
fn opened_line(opened: &PullRequestShown, before: &RunRow, me: &str) -> String {
    let PullRequestShown { number, url, draft, .. } = opened;
    let kind = if *draft { "draft pull request" } else { "pull request" };
    let run = before.run.number;
    match &before.view.pull_request {
        Some(known) if known.number == *number => format!(
            "The {kind} #{number} of {run} was opened before, and its branch is pushed again: {url}\n\
             {me} pr show {run} shows its state"
        ),
        Some(_) | None => format!("Opened {kind} #{number}: {url}"),
    }
}

async fn show(args: &PrShowArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let client = reach::to_look(home, global).await?;
    let row = with_pull_request(&client, args.run.as_deref()).await?;
    let detail: PullRequestDetail = client.get(&format!("/workflows/{}/pull-request", row.run.id)).await?;
    client.close().await?;
    match global.json {
        true => anstream::println!("{}", serde_json::to_string(&detail)?),
        false => lines(&detail).iter().for_each(|line| ui::say!("{line}")),
    }
    Ok(ExitCode::SUCCESS)
}

/// A pull request as it stands, for people.
pub(super) fn lines(detail: &PullRequestDetail) -> Vec<String> {
    let conflicts = if detail.has_conflicts == Some(true) { ", has conflicts" } else { "" };
    let mut lines = vec![
        format!("#{} {} ({}{conflicts})", detail.number, ui::one_line(&detail.title), detail.status),
        ui::dim(&detail.url),
    ];
    lines.extend(check_lines(detail));
    lines
}

/// The checks of a pull request, and the reviews, a line each.
pub(super) fn check_lines(detail: &PullRequestDetail) -> Vec<String> {
    let of_check = |outcome: &str| match outcome {
        "passed" => ui::painted(ui::GOOD, "passed"),
        "failed" => ui::painted(ui::BAD, "failed"),
        other => other.to_owned(),
    };
    let checks = detail.checks.iter();
    let checks = checks.map(|check| format!("{}  {}", of_check(&check.outcome), ui::one_line(&check.name)));
    let reviews = detail.reviews.iter();
    let reviews = reviews
        .map(|review| format!("{}  {}", review.verdict.replace('_', " "), ui::one_line(&review.author)));
    checks.chain(reviews).collect()
}
