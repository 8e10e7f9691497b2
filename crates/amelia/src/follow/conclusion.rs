//! How it came out: what was changed, what it cost, what to do next, and the exit code that says so to scripts.

use std::process::ExitCode;

use amelia_agents::permission::PERMISSION;
use amelia_core::human::HumanKind;
use amelia_core::quota::ExhaustedQuota;
use amelia_core::run::RunStatus;
use amelia_core::view::RunRow;
use amelia_wire::rest::travel::Diff;
use anyhow::Result;
use tokio::signal::unix::{SignalKind, signal};

use super::FollowEnd;
use crate::cli::{Global, LIMIT_FLAGS};
use crate::cli_error::{CliError, Exit};
use crate::client::Client;
use crate::ui;

pub(crate) async fn conclude(client: &Client, ended: &FollowEnd, global: &Global) -> Result<ExitCode> {
    let me = ui::command(global);
    let row = match ended {
        FollowEnd::Rested(row) => row,
        FollowEnd::LeftAlone(row) => {
            let run = row.run.id;
            let message = format!("the run goes on\n  hint: {me} logs {run} --follow, or {me} cancel {run}");
            return Err(CliError::new(Exit::Interrupted, message).into());
        }
    };
    let is_shown = !global.json && !global.quiet && row.run.spec.place.is_some();
    let shown = if is_shown { unless_interrupted(summarise(client, row, &me)).await } else { Ok(()) };
    match (verdict(row, &me), shown) {
        (Ok(exit), shown) => shown.map(|()| exit),
        // How the run came out is more than that its changes cannot be shown.
        (Err(verdict), _) => Err(verdict),
    }
}

/// Does what is only for people, unless they do not want to wait for it. After a run was followed, nothing else ends the
/// program at Ctrl-C.
async fn unless_interrupted(shown: impl Future<Output = Result<()>>) -> Result<()> {
    let mut pressed = signal(SignalKind::interrupt())?;
    tokio::select! {
        shown = shown => shown,
        _ = pressed.recv() => Ok(()),
    }
}

async fn summarise(client: &Client, row: &RunRow, me: &str) -> Result<()> {
    let run = row.run.id;
    anstream::println!();
    // A run that could not even begin has no worktree.
    if row.view.started_at.is_some() {
        let changes = client.get(&format!("/workflows/{run}/diff?stat=true")).await?;
        show_changes(&changes, row, me);
    }
    anstream::println!("{}", ui::dim(ui::cost(&row.view.spend)));
    for late in late_words(row) {
        anstream::println!("{} {}", ui::dim("this message came too late for the agents:"), ui::clean(late));
    }
    Ok(())
}

/// What a person said to a run that ended before an agent heard it.
pub(crate) fn late_words(row: &RunRow) -> impl Iterator<Item = &str> {
    let is_over = matches!(row.view.status, RunStatus::Completed | RunStatus::Cancelled);
    let all = row.view.unheard.iter().filter(move |_| is_over);
    all.filter_map(|words| words.details.get("message")?.as_str())
}

fn show_changes(changes: &Diff, row: &RunRow, me: &str) {
    let Diff { files, branch, worktree, .. } = changes;
    files.iter().for_each(|file| anstream::println!("{}", ui::change_line(file)));
    if files.is_empty() {
        anstream::println!("{}", ui::dim("nothing was changed"));
    }
    let branch = branch.as_deref().unwrap_or("no branch");
    let place = ui::one_line(&format!("{branch} in {worktree}"));
    anstream::println!("{} {place}", ui::dim("branch"));
    anstream::println!("{} {me} diff {}", ui::dim("look at it:"), row.run.id);
}

/// Whether an agent asks to use a tool of its own.
fn is_permission(row: &RunRow) -> bool {
    row.view.pending.last().is_some_and(|request| request.context.get(PERMISSION).is_some())
}

/// What is to be done now.
fn verdict(row: &RunRow, me: &str) -> Result<ExitCode> {
    let run = row.run.id;
    let asked = row.view.pending.last().map(|request| request.prompt.as_str()).unwrap_or_default();
    let (exit, message) = match row.view.status {
        RunStatus::Completed => return Ok(ExitCode::SUCCESS),
        RunStatus::Waiting(HumanKind::Pause) => {
            (Exit::Interrupted, format!("paused\n  hint: {me} resume {run}"))
        }
        // It says itself what is to be done.
        RunStatus::Waiting(HumanKind::Budget) if asked.contains("\n  hint: ") => {
            (Exit::Waiting, asked.to_owned())
        }
        RunStatus::Waiting(HumanKind::Budget) => {
            (Exit::Waiting, format!("{asked}\n  hint: {me} resume {run} with a new limit: {LIMIT_FLAGS}"))
        }
        RunStatus::Waiting(HumanKind::Approval) if is_permission(row) => (
            Exit::Waiting,
            format!("{asked}\n  hint: {me} approve {run} --follow, or {me} reject {run} --feedback '…'"),
        ),
        RunStatus::Waiting(HumanKind::Approval) => (
            Exit::Waiting,
            format!(
                "the plan waits for you\n  hint: {me} plan show {run}; then {me} approve {run}, or {me} reject {run} --feedback '…'"
            ),
        ),
        RunStatus::Waiting(HumanKind::Question) => (
            Exit::Waiting,
            format!("the run asks: {asked}\n  hint: {me} answer {run} --message 'YOUR ANSWER'"),
        ),
        RunStatus::Waiting(HumanKind::Quota) if ExhaustedQuota::waited_for(&row.view).is_some() => {
            let hint = format!("a server goes on with it by itself then; {me} resume {run} tries it now");
            (Exit::Waiting, format!("the run waits: {asked}\n  hint: {hint}"))
        }
        RunStatus::Waiting(kind) => {
            let more = if kind == HumanKind::Rounds { ", or --accept to take it as it is" } else { "" };
            let hint = format!("{me} resume {run} --approve{more}");
            (Exit::Waiting, format!("the run waits ({kind}): {asked}\n  hint: {hint}"))
        }
        RunStatus::Failed => {
            let failure = row.view.failure.as_ref().map(|failure| failure.message.as_str());
            let message = failure.unwrap_or("the run has failed");
            let has_hint = message.contains("\n  hint: ");
            let hint = if has_hint { String::new() } else { format!("\n  hint: {me} resume {run}") };
            (Exit::Failed, format!("{message}{hint}"))
        }
        RunStatus::Cancelled => {
            (Exit::Interrupted, format!("cancelled\n  hint: what was done is kept: {me} diff {run}"))
        }
        RunStatus::Pending | RunStatus::Running => {
            (Exit::Failed, format!("the run has not come to rest\n  hint: {me} status {run}"))
        }
    };
    Err(CliError::new(exit, message).into())
}

#[cfg(test)]
mod tests {
    use amelia_core::clock::{Clock as _, SystemClock};
    use amelia_core::event::human::{Intervention, InterventionKind};
    use amelia_core::id::{GraphName, RunId};
    use amelia_core::message::Object;
    use amelia_core::run::{Run, RunSpec};
    use amelia_core::view::RunView;

    use super::*;

    #[test]
    fn words_that_no_agent_can_hear_any_more_are_shown() {
        let words = Intervention {
            id: "1".to_owned(),
            kind: InterventionKind::Instruction,
            details: Object::from_iter([("message".to_owned(), "stop at once".into())]),
            by: None,
        };
        let run = Run {
            id: RunId(SystemClock.new_id()),
            created_at: SystemClock.now(),
            spec: RunSpec::new(GraphName::new("g").unwrap(), "a run"),
        };
        let shown = |status| {
            let view = RunView { status, unheard: vec![words.clone()], ..RunView::default() };
            late_words(&RunRow { run: run.clone(), view }).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(shown(RunStatus::Completed), ["stop at once"]);
        // They are heard when it is resumed.
        assert!(shown(RunStatus::Failed).is_empty());
    }
}
