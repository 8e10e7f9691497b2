//! How it came out: what was changed, what it cost, what to do next, and the exit code that says so to scripts.

use std::path::Path;
use std::process::ExitCode;

use amelia_agents::pipeline::single;
use amelia_core::human::{HumanKind, HumanRequest};
use amelia_core::human_tool::is_of_tool;
use amelia_core::permission::PERMISSION;
use amelia_core::problem::Problem;
use amelia_core::quota::ExhaustedQuota;
use amelia_core::run::{RunLocation, RunStatus};
use amelia_core::shell_word::shell_word;
use amelia_core::view::RunRow;
use amelia_host::place;
use amelia_wire::rest::Page;
use amelia_wire::rest::artifact::ArtifactShown;
use amelia_wire::rest::travel::Diff;
use anyhow::Result;
use tokio::signal::unix::{SignalKind, signal};

use super::{FollowEnd, has_problems};
use crate::after_failure::after_failure;
use crate::after_rounds::{RoundsChoice, after_interrupted_call};
use crate::cli::{Global, LIMIT_FLAGS};
use crate::cli_error::{CliError, Exit, exit_of};
use crate::client::Client;
use crate::reviewed::{ChangedBy, changed_by, reviewed_files};
use crate::ui;

/// The code of a run whose provider refused the key.
const UNAUTHORISED: &str = "unauthorised";
/// Graphs whose agents can keep artifacts.
const KEEP_ARTIFACTS: [&str; 2] = ["team", "workflow"];
/// As many artifacts as are named at the end of a run.
const SHOWN_ARTIFACTS: usize = 5;

pub(crate) async fn conclude(client: &Client, ended: &FollowEnd, global: &Global) -> Result<ExitCode> {
    let me = ui::command(global);
    let row = match ended {
        FollowEnd::Rested(row) | FollowEnd::Interrupted(row) => row,
        FollowEnd::LeftAlone(row) => {
            let run = row.run.number;
            let hint = format!("{me} logs {run} --follow, or {me} cancel {run}");
            return Err(CliError::new(Exit::Interrupted, "the run continues").with_hint(hint).into());
        }
    };
    let is_shown = !global.json && !global.quiet && row.run.spec.place.is_some();
    let shown = if is_shown { unless_interrupted(summarise(client, row, &me)).await } else { Ok(None) };
    let changes = shown.as_ref().ok().copied().flatten();
    if let Some(hint) = old_key(row, || client.changed_keys(), &me) {
        let message = row.view.failure.as_ref().map(|failure| Problem::parse(&failure.message).message);
        return Err(CliError::new(Exit::Failed, message.unwrap_or_default()).with_hint(hint).into());
    }
    match (verdict(ended, row, changes, &me), shown) {
        (Ok(exit), shown) => shown.map(|_| exit),
        // How the run came out is more than that its changes cannot be shown.
        (Err(verdict), _) => Err(verdict),
    }
}

/// A key was refused that has another value in this shell than in the server, which is the one that was used.
fn old_key(row: &RunRow, changed: impl FnOnce() -> Vec<String>, me: &str) -> Option<String> {
    let failure = row.view.failure.as_ref().filter(|failure| failure.code == UNAUTHORISED)?;
    let is_named = |name: &String| failure.message.contains(&format!("`{name}`"));
    let name = changed().into_iter().find(is_named).filter(|_| row.view.status == RunStatus::Failed)?;
    let run = row.run.number;
    Some(format!(
        "the server still uses the old value of `{name}`: {me} server restart, then {me} resume {run}"
    ))
}

/// Does what is only for people, unless they do not want to wait for it. After a run was followed, nothing else ends the
/// program at Ctrl-C.
async fn unless_interrupted(shown: impl Future<Output = Result<Option<Changes>>>) -> Result<Option<Changes>> {
    let mut pressed = signal(SignalKind::interrupt())?;
    tokio::select! {
        shown = shown => shown,
        _ = pressed.recv() => Ok(None),
    }
}

/// Whether a run has changed something, if that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Changes {
    None,
    Some,
}

async fn summarise(client: &Client, row: &RunRow, me: &str) -> Result<Option<Changes>> {
    let run = row.run.id;
    anstream::println!();
    let mut found = Changes::None;
    let artifacts = artifacts_of(client, row).await?;
    // A run that could not even begin has no worktree, and neither has one whose nodes touch no files.
    if row.view.started_at.is_some() {
        match client.get::<Diff>(&format!("/workflows/{run}/diff?stat=true")).await {
            Ok(changes) => {
                found = if changes.files.is_empty() { Changes::None } else { Changes::Some };
                show_changes(&changes, &artifacts, row, me).await;
            }
            Err(error) if exit_of(&error) == Exit::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    artifact_lines(&artifacts, row, me).iter().for_each(|line| ui::say!("{line}"));
    ui::say!("{}", ui::dim(ui::cost(&row.view.spend)));
    for late in late_words(row) {
        ui::say!("{} {}", ui::dim("this message came too late for the agents:"), ui::clean(late));
    }
    Ok(Some(found))
}

/// What a person said to a run that ended before an agent heard it.
pub(crate) fn late_words(row: &RunRow) -> impl Iterator<Item = &str> {
    let is_over = matches!(row.view.status, RunStatus::Completed | RunStatus::Cancelled);
    let all = row.view.unheard.iter().filter(move |_| is_over);
    all.filter_map(|words| words.details.get("message")?.as_str())
}

/// The paths of what the agents of a team or a workflow have kept.
async fn artifacts_of(client: &Client, row: &RunRow) -> Result<Vec<String>> {
    if !KEEP_ARTIFACTS.contains(&row.run.spec.graph.as_str()) {
        return Ok(Vec::new());
    }
    let path = format!("/tasks/{}/artifacts?limit={}", row.run.id, SHOWN_ARTIFACTS + 1);
    match client.get::<Page<ArtifactShown>>(&path).await {
        Ok(page) => Ok(page.items.into_iter().map(|item| item.path).collect()),
        Err(error) if exit_of(&error) == Exit::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// A line for each artifact, with the command that prints it.
fn artifact_lines(paths: &[String], row: &RunRow, me: &str) -> Vec<String> {
    let run = row.run.number;
    let command = |path: &String| {
        let path = shell_word(path);
        format!("{} {me} artifact get {run} {}", ui::dim("artifact:"), ui::one_line(&path))
    };
    let mut lines: Vec<String> = paths.iter().take(SHOWN_ARTIFACTS).map(command).collect();
    if paths.len() > SHOWN_ARTIFACTS {
        lines.push(format!("{} {me} artifact list {run}", ui::dim("more artifacts:")));
    }
    lines
}

async fn show_changes(changes: &Diff, artifacts: &[String], row: &RunRow, me: &str) {
    let Diff { files, uncommitted, branch, worktree, .. } = changes;
    let run = row.run.number;
    if changed_by(row) != ChangedBy::Run {
        return show_reviewed(changes, row, me);
    }
    files.iter().for_each(|file| ui::say!("{}", ui::change_line(file)));
    if files.is_empty() {
        if artifacts.is_empty() {
            ui::say!("{}", ui::dim("nothing was changed"));
        }
        return;
    }
    let is_workspace = row.run.spec.place.as_ref().is_some_and(RunLocation::is_workspace);
    if is_workspace {
        ui::say!("{} {}", ui::dim("directory"), ui::path(Path::new(worktree)));
    } else if let Some(branch) = branch {
        ui::say!("{} {}", ui::dim("branch"), ui::one_line(branch));
        ui::say!("{} {}", ui::dim("worktree"), ui::path(Path::new(worktree)));
    }
    let is_in_place = row.run.spec.place.as_ref().is_some_and(|place| place.in_place);
    let is_deliverable = row.view.status == RunStatus::Completed && !is_in_place && row.view.merged.is_none();
    if *uncommitted > 0 && is_deliverable {
        let (files, them) =
            (ui::counted(*uncommitted, "file"), if *uncommitted == 1 { "it" } else { "them" });
        let way = format!("`{me} merge {run}` commits {them}, or commit {them} in the worktree");
        ui::say!("{} {files}; {way}", ui::dim("not committed:"));
    }
    if is_deliverable && row.run.spec.graph.as_str() == single::NAME {
        ui::say!("{} {me} do runs no checks", ui::dim("not checked:"));
    }
    ui::say!("{} {me} diff {run}", ui::dim("look at it:"));
    if is_deliverable {
        let request = if has_remote(row).await { format!(", or {me} pr open {run}") } else { String::new() };
        ui::say!("{} {me} merge {run}{request}", ui::dim("merge it:"));
    }
}

/// The files that a review has looked at, in the checkout of the person.
fn show_reviewed(changes: &Diff, row: &RunRow, me: &str) {
    let run = row.run.number;
    if let Some(heading) = reviewed_files(row).filter(|_| !changes.files.is_empty()) {
        ui::say!("{}", ui::dim(heading));
        changes.files.iter().for_each(|file| ui::say!("{}", ui::change_line(file)));
    }
    // The person's changes can be gone when the command is used.
    match changed_by(row).has_own() {
        true => ui::say!("{} {me} diff {run}", ui::dim("look at it:")),
        false => ui::say!("{} {me} status {run}", ui::dim("findings:")),
    }
}

/// Whether a pull request can be opened. A repository on another machine may have a remote.
async fn has_remote(row: &RunRow) -> bool {
    let Some(place) = &row.run.spec.place else { return false };
    match place::look(&place.repository).await {
        Ok(repository) => !matches!(repository.remote().await, Ok(None)),
        Err(_) => true,
    }
}

/// Whether an agent asks to use a tool of its own.
fn is_permission(row: &RunRow) -> bool {
    row.view.pending.last().is_some_and(|request| request.context.get(PERMISSION).is_some())
}

/// Whether the run asks to approve its plan.
fn asks_about_plan(row: &RunRow) -> bool {
    row.view.pending.last().is_some_and(HumanRequest::is_about_plan)
}

/// How a run came out that is not completed, and what to do now.
fn verdict(ended: &FollowEnd, row: &RunRow, changes: Option<Changes>, me: &str) -> Result<ExitCode> {
    let run = row.run.number;
    let exit = match row.view.status {
        RunStatus::Completed => return Ok(ExitCode::SUCCESS),
        RunStatus::Cancelled => Exit::Interrupted,
        RunStatus::Waiting(HumanKind::Pause) if matches!(ended, FollowEnd::Interrupted(_)) => {
            Exit::Interrupted
        }
        RunStatus::Waiting(_) => Exit::Waiting,
        RunStatus::Failed | RunStatus::Pending | RunStatus::Running => Exit::Failed,
    };
    let (message, hint) = match row.view.status {
        RunStatus::Cancelled if changes == Some(Changes::None) => {
            return Err(CliError::new(exit, "the run is cancelled; it has changed nothing").into());
        }
        // It works on no files.
        RunStatus::Cancelled if row.run.spec.place.is_none() => {
            return Err(CliError::new(exit, "the run is cancelled").into());
        }
        RunStatus::Waiting(kind) => waiting(row, kind, me),
        RunStatus::Failed => {
            let message = row.view.failure.as_ref().map(|failure| failure.message.clone());
            let message = message.unwrap_or_else(|| "the run has failed".to_owned());
            let Problem { message, .. } = Problem::parse(&message);
            return Err(CliError::new(exit, message).with_hint(after_failure(row, me)).into());
        }
        RunStatus::Cancelled => {
            ("the run is cancelled".to_owned(), format!("its changes are kept: {me} diff {run}"))
        }
        RunStatus::Completed | RunStatus::Pending | RunStatus::Running => {
            ("the run has not stopped yet".to_owned(), format!("{me} status {run}"))
        }
    };
    // A question may say itself what to do.
    let problem = Problem::parse(&message);
    let hint = problem.hint.clone().unwrap_or(hint);
    Err(CliError::new(exit, problem.with_hint(hint)).into())
}

/// What a run waits for, and what to do about it.
fn waiting(row: &RunRow, kind: HumanKind, me: &str) -> (String, String) {
    let run = row.run.number;
    let asked = row.view.pending.last().map(|request| request.prompt.as_str()).unwrap_or_default();
    let decide = format!("{me} approve {run} --follow, or {me} reject {run} --feedback '…'");
    match kind {
        HumanKind::Pause => ("the run is paused".to_owned(), format!("{me} resume {run}")),
        HumanKind::Budget => (asked.to_owned(), format!("{me} resume {run} with a new limit: {LIMIT_FLAGS}")),
        HumanKind::Approval if is_permission(row) => {
            let lasting = match &row.run.spec.profile {
                Some(_) => "--for-run and --always allow",
                None => "--for-run allows",
            };
            (asked.to_owned(), format!("{decide}; {lasting} later calls, too"))
        }
        HumanKind::Approval if !asks_about_plan(row) => (format!("the run asks: {asked}"), decide),
        HumanKind::Approval if row.view.pending.last().is_some_and(has_problems) => {
            (asked.to_owned(), format!("{me} plan show {run}; then {me} reject {run} --feedback '…'"))
        }
        HumanKind::Approval => (
            "the plan is waiting for your approval".to_owned(),
            format!("{me} plan show {run}; then {me} approve {run}, or {me} reject {run} --feedback '…'"),
        ),
        HumanKind::Question => {
            (format!("the run asks: {asked}"), format!("{me} answer {run} --message 'YOUR ANSWER'"))
        }
        HumanKind::Escalation if row.view.asked().is_some_and(is_of_tool) => {
            (format!("an agent needs help: {asked}"), format!("{me} answer {run} --message 'YOUR ANSWER'"))
        }
        HumanKind::Escalation if row.view.asked().is_some_and(HumanRequest::is_about_interrupted_call) => {
            (format!("the run asks: {asked}"), after_interrupted_call(run, me))
        }
        HumanKind::Quota if ExhaustedQuota::waited_for(&row.view).is_some() => (
            format!("the run is waiting: {asked}"),
            format!("a server resumes it after that time; {me} resume {run} tries now"),
        ),
        HumanKind::Rounds => {
            let request = row.view.pending.last();
            let choice = RoundsChoice {
                can_accept: request.is_some_and(HumanRequest::can_accept),
                is_about_checks: request.is_some_and(HumanRequest::is_about_checks),
            };
            let topic = request.map_or_else(|| kind.to_string(), HumanRequest::topic);
            (format!("the run is waiting ({topic}): {asked}"), choice.ways(run, me))
        }
        HumanKind::Breakpoint | HumanKind::Step => {
            let way = format!("{me} step {run}; {me} continue {run}; {me} cancel {run}");
            (format!("the run is stopped: {asked}"), way)
        }
        HumanKind::Escalation | HumanKind::StepLimit | HumanKind::Quota => {
            (format!("the run is waiting ({kind}): {asked}"), format!("{me} resume {run} --approve"))
        }
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::clock::{Clock as _, SystemClock};
    use amelia_core::event::human::{Intervention, InterventionKind};
    use amelia_core::id::{GraphName, RunId, RunNumber};
    use amelia_core::message::Object;
    use amelia_core::run::{Run, RunSpec};
    use amelia_core::view::RunView;

    use super::*;
    use crate::cli_error::problem_of;

    fn run() -> Run {
        Run {
            id: RunId(SystemClock.new_id()),
            number: RunNumber(1),
            created_at: SystemClock.now(),
            spec: RunSpec::new(GraphName::new("g").unwrap(), "a run"),
        }
    }

    #[test]
    fn every_artifact_is_told_with_the_command_that_prints_it() {
        let row = RunRow { run: run(), view: RunView::default() };
        let told = |paths: &[&str]| {
            let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
            let lines = artifact_lines(&paths, &row, "amelia");
            lines.iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect::<Vec<_>>()
        };
        assert_eq!(told(&[]), [""; 0]);
        assert_eq!(
            told(&["documents/report.md", "data/a b.csv"]),
            [
                "artifact: amelia artifact get r1 documents/report.md",
                "artifact: amelia artifact get r1 'data/a b.csv'",
            ]
        );
        assert_eq!(told(&["a"; 6]).last().unwrap(), "more artifacts: amelia artifact list r1");
    }

    #[test]
    fn a_cancelled_run_without_a_repository_has_no_changes_to_look_at() {
        let view = RunView { status: RunStatus::Cancelled, ..RunView::default() };
        let told = |run: Run| {
            let row = RunRow { run, view: view.clone() };
            let verdict = verdict(&FollowEnd::Rested(row.clone()), &row, None, "amelia").unwrap_err();
            let Problem { message, hint } = problem_of(&verdict);
            (message, hint)
        };
        assert_eq!(told(run()), ("the run is cancelled".to_owned(), None));
        let place =
            serde_json::json!({"repository": "/r", "key": "k", "base_commit": "c", "in_place": false});
        let spec = RunSpec { place: Some(serde_json::from_value(place).unwrap()), ..run().spec };
        let hint = "its changes are kept: amelia diff r1".to_owned();
        assert_eq!(told(Run { spec, ..run() }), ("the run is cancelled".to_owned(), Some(hint)));
    }

    #[test]
    fn only_the_pause_of_the_person_here_is_an_interruption() {
        let view = RunView { status: RunStatus::Waiting(HumanKind::Pause), ..RunView::default() };
        let row = RunRow { run: run(), view };
        let told = |ended: FollowEnd| {
            let verdict = verdict(&ended, &row, None, "amelia").unwrap_err();
            (exit_of(&verdict), problem_of(&verdict).message, problem_of(&verdict).hint)
        };
        let (message, hint) = ("the run is paused".to_owned(), Some("amelia resume r1".to_owned()));
        let elsewhere = told(FollowEnd::Rested(row.clone()));
        assert_eq!(elsewhere, (Exit::Waiting, message.clone(), hint.clone()));
        assert_eq!(told(FollowEnd::Interrupted(row.clone())), (Exit::Interrupted, message, hint));
    }

    #[test]
    fn a_refused_key_that_has_changed_needs_another_server() {
        let message = "openai refused the key: no\n  hint: check the variable `A_KEY`; a server keeps it";
        let failure = serde_json::json!({"code": UNAUTHORISED, "message": message});
        let failure = Some(serde_json::from_value(failure).unwrap());
        let view = RunView { status: RunStatus::Failed, failure, ..RunView::default() };
        let row = RunRow { run: run(), view };
        let hint = |changed: &[&str]| {
            old_key(&row, || changed.iter().map(|name| (*name).to_owned()).collect(), "amelia")
        };
        let expected =
            "the server still uses the old value of `A_KEY`: amelia server restart, then amelia resume r1";
        assert_eq!(hint(&["B_KEY", "A_KEY"]).as_deref(), Some(expected));
        assert_eq!(hint(&["B_KEY"]), None);
        let other = RunView { failure: None, ..row.view.clone() };
        assert_eq!(
            old_key(&RunRow { view: other, ..row.clone() }, || vec!["A_KEY".to_owned()], "amelia"),
            None
        );
    }

    #[test]
    fn words_that_no_agent_can_hear_any_more_are_shown() {
        let words = Intervention {
            id: "1".to_owned(),
            kind: InterventionKind::Instruction,
            details: Object::from_iter([("message".to_owned(), "stop at once".into())]),
            by: None,
        };
        let run = run();
        let shown = |status| {
            let view = RunView { status, unheard: vec![words.clone()], ..RunView::default() };
            late_words(&RunRow { run: run.clone(), view }).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(shown(RunStatus::Completed), ["stop at once"]);
        // They are heard when it is resumed.
        assert!(shown(RunStatus::Failed).is_empty());
    }
}
