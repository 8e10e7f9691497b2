//! `amelia run`, `pause`, `cancel`, `archive`: short words to a run.

use std::path::Path;
use std::process::ExitCode;

use amelia_core::event::human::InterventionKind;
use amelia_core::human::HumanKind;
use amelia_core::id::RunId;
use amelia_core::id::RunNumber;
use amelia_core::object::Object;
use amelia_core::run::{Run, RunStatus};
use amelia_core::view::RunRow;
use amelia_host::home::Home;
use amelia_wire::rest::human::Pending;
use amelia_wire::rest::intervene::{Intervene, InterventionAccepted};
use amelia_wire::rest::request::{Accepted, Batch, BatchStarted};
use amelia_wire::rest::travel::Diff;
use anyhow::{Context, Result};
use serde_json::json;

use super::checkpoints;
use super::resume::has_ended;
use super::watching::{Watching, watch};
use super::way_out::way_out;
use super::which_run::{only_archivable, unfinished};
use crate::after_failure::after_failure;
use crate::cli::{ArchiveArgs, CancelArgs, Global, PauseArgs, RunArgs, SayArgs};
use crate::cli_error::{CliError, Exit};
use crate::client::Client;
use crate::follow::FollowFrom;
use crate::reach;
use crate::ui;

/// Starts runs that were queued.
pub(super) async fn run(args: &RunArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let client = reach::to_work(home, global).await?;
    if let Some(run) = &args.run {
        let row = client.find(run).await?;
        if let Some(refusal) = refusal_while_waiting(&row, &ui::command(global)) {
            return Err(refusal.into());
        }
        client.tell(row.run.id, "start").await?;
        let (run, told) = (row.run.id, FollowFrom::to_go_on(row));
        return watch(&client, run, Some(told), Watching::from(&args.watch), global).await;
    }
    let worktree = match (&args.worktree, args.all) {
        (Some(path), _) => {
            Some(path.canonicalize().with_context(|| format!("{} does not exist", path.display()))?)
        }
        (None, true) => None,
        (None, false) => Some(std::env::current_dir().context("the current directory is gone")?),
    };
    let worktree = worktree.map(|path| path.to_string_lossy().into_owned());
    let done: BatchStarted = client.post("/workflows/start-batch", &Batch { ids: None, worktree }).await?;
    if global.json {
        anstream::println!("{}", serde_json::to_string(&done)?);
    } else {
        for run in &done.started {
            let number = client.row(RunId(*run)).await?.run.number;
            ui::say!("{} {number}", ui::painted(ui::GOOD, "started"));
        }
        if done.started.is_empty() && done.errors.is_empty() {
            ui::say!("no run is queued");
        }
    }
    match done.errors.iter().next() {
        None => Ok(ExitCode::SUCCESS),
        Some((run, why)) => {
            Err(CliError::new(Exit::Failed, format!("run {run} was not started: {why}")).into())
        }
    }
}

/// A run that waits was started: says what it waits for, and what continues it.
fn refusal_while_waiting(row: &RunRow, me: &str) -> Option<CliError> {
    let RunStatus::Waiting(_) = row.view.status else { return None };
    let run = row.run.number;
    let message = format!("run {run} was started already: it is {}", row.view.status_words());
    let has_others = row.view.pending.len() > 1;
    let hint = match row.view.asked() {
        Some(request) => way_out(&Pending::new(row, request), has_others, me),
        None => format!("{me} why {run} says what it needs"),
    };
    Some(CliError::new(Exit::Conflict, message).with_hint(hint))
}

pub(super) async fn say(args: &SayArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let (run, message) = args.run_and_message();
    let Some(message) = message else {
        let refusal = CliError::new(Exit::Usage, "the message is missing");
        return Err(refusal.with_hint(format!("{} say 'YOUR MESSAGE'", ui::command(global))).into());
    };
    if let (None, Ok(run)) = (run, message.parse::<RunNumber>()) {
        let refusal = CliError::new(Exit::Usage, format!("the message to {run} is missing"));
        return Err(refusal.with_hint(format!("{} say {run} 'YOUR MESSAGE'", ui::command(global))).into());
    }
    let client = reach::to_control(home, global).await?;
    let said = async {
        let row = unfinished(&client, run).await?;
        refuse_ended(&client, &row, global).await?;
        let said: Accepted = match &args.agent {
            None => {
                let path = format!("/workflows/{}/say", row.run.id);
                client.post(&path, &json!({"message": message})).await?
            }
            Some(agent) => {
                let details = Object::from_iter([
                    ("message".to_owned(), json!(message)),
                    ("agent".to_owned(), json!(agent)),
                ]);
                let said = intervene(&client, row.run.id, InterventionKind::Instruction, details).await?;
                Accepted { id: said.id, status: said.status }
            }
        };
        anyhow::Ok((row, said))
    };
    let (said, client_is_local) = (said.await, client.is_local());
    client.close().await?;
    let (row, said) = said?;
    // Only now that the message is stored: the run could end before it.
    let is_interrupted = client_is_local && row.view.status == RunStatus::Running;
    let started = match is_interrupted && !global.no_autostart {
        true => reach::to_work(home, global).await.map(Some),
        false => Ok(None),
    };
    match (global.json, global.quiet) {
        (true, _) => anstream::println!("{}", serde_json::to_string(&said)?),
        (false, false) => {
            let when = match (&row.view.status, &started) {
                (_, Ok(Some(_))) => "now, and continues",
                (RunStatus::Running, _) if !client_is_local => {
                    "as soon as the current model call or tool call ends"
                }
                _ => "when it resumes",
            };
            match &args.agent {
                Some(agent) => ui::say!("`{}` gets the message in its next step", ui::one_line(agent)),
                None => ui::say!("run {} gets the message {when}", row.run.number),
            }
        }
        (false, true) => {}
    }
    if let Some(client) = started? {
        client.close().await?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Intervenes in a run. It is in the log when this returns `Ok`.
pub(super) async fn intervene(
    client: &Client,
    run: RunId,
    intervention_type: InterventionKind,
    details: Object,
) -> Result<InterventionAccepted> {
    let wanted = Intervene { intervention_type, details, user_id: None };
    client.post(&format!("/workflows/{run}/intervene"), &wanted).await
}

pub(super) async fn pause(args: &PauseArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let client = reach::to_control(home, global).await?;
    let outcome = async {
        let row = unfinished(&client, args.run.as_deref()).await?;
        refuse_ended(&client, &row, global).await?;
        let (run, me) = (row.run.number, ui::command(global));
        if row.view.status == RunStatus::Failed {
            let refusal = CliError::new(Exit::Conflict, format!("run {run} cannot be paused: it has failed"));
            return Err(refusal.with_hint(after_failure(&row, &me)).into());
        }
        if let RunStatus::Waiting(kind) = row.view.status {
            let message = match kind {
                HumanKind::Pause => format!("run {run} is already paused"),
                _ => format!("run {run} cannot be paused: it is {}", row.view.status_words()),
            };
            let refusal = CliError::new(Exit::Conflict, message);
            return Err(refusal.with_hint(format!("{me} why {run} says what it needs")).into());
        }
        tell(&client, &row, "pause", "is paused", global).await
    };
    let outcome = outcome.await;
    client.close().await?;
    outcome
}

pub(super) async fn cancel(args: &CancelArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let client = reach::to_control(home, global).await?;
    let outcome = cancelled(&client, args.run.as_deref(), global).await;
    client.close().await?;
    outcome
}

/// A run that has ended hears nothing: says so, and what to do instead. One that has failed can be resumed.
async fn refuse_ended(client: &Client, row: &RunRow, global: &Global) -> Result<()> {
    let checkpoint = match row.view.status {
        RunStatus::Completed => None,
        RunStatus::Cancelled => checkpoints::last_before_end(client, row.run.id).await?,
        RunStatus::Pending | RunStatus::Running | RunStatus::Waiting(_) | RunStatus::Failed => return Ok(()),
    };
    Err(has_ended(row, checkpoint, &ui::command(global)).into())
}

async fn cancelled(client: &Client, run: Option<&str>, global: &Global) -> Result<ExitCode> {
    let row = unfinished(client, run).await?;
    refuse_ended(client, &row, global).await?;
    // What it has changed so far is the same before and after, and a worktree may be removed then.
    let changes: Option<Diff> = client.get(&format!("/workflows/{}/diff?stat=true", row.run.id)).await.ok();
    let has_worktree = row.run.spec.place.as_ref().is_some_and(|place| !place.in_place);
    let done = match changes {
        // Nothing of it is lost, and it is not in the way.
        Some(changes) if changes.files.is_empty() && has_worktree && row.view.started_at.is_some() => {
            let me = ui::command(global);
            format!("is cancelled; it has changed nothing, and `{me} cleanup` removes its worktree")
        }
        Some(changes) if changes.files.is_empty() => "is cancelled; it has changed nothing".to_owned(),
        Some(Diff { branch: Some(branch), worktree, uncommitted, .. }) => {
            let (branch, worktree) = (ui::one_line(&branch), ui::path(Path::new(&worktree)));
            let open = match uncommitted {
                0 => String::new(),
                files => format!("; {} not committed", ui::counted(files, "file")),
            };
            format!("is cancelled; its changes are kept (branch {branch}, worktree {worktree}{open})")
        }
        Some(_) => "is cancelled; its changes are kept".to_owned(),
        None => "is cancelled; it has changed nothing".to_owned(),
    };
    tell(client, &row, "cancel", &done, global).await
}

pub(super) async fn archive(args: &ArchiveArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let client = reach::to_control(home, global).await?;
    let (what, done) = match args.undo {
        false => {
            ("archive", "is archived: lists no longer show it, and commands use it only when you name it")
        }
        true => ("unarchive", "is shown in lists again"),
    };
    let outcome = async {
        let mut rows = Vec::new();
        for run in &args.runs {
            rows.push(client.find(run).await?);
        }
        if rows.is_empty() {
            rows.push(only_archivable(&client, args.undo).await?);
        }
        for row in &rows {
            tell(&client, row, what, done, global).await?;
        }
        Ok(ExitCode::SUCCESS)
    };
    let outcome = outcome.await;
    client.close().await?;
    outcome
}

async fn tell(client: &Client, row: &RunRow, what: &str, done: &str, global: &Global) -> Result<ExitCode> {
    let Run { id: run, number, .. } = row.run;
    client.tell(run, what).await?;
    match (global.json, global.quiet) {
        (true, _) => anstream::println!("{}", serde_json::to_string(&client.flat(run).await?)?),
        (false, false) => ui::say!("run {number} {done}"),
        (false, true) => {}
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use amelia_core::id::GraphName;
    use amelia_core::run::RunSpec;
    use amelia_core::view::RunView;
    use clap::Parser as _;
    use serde_json::json;

    use super::*;
    use crate::cli::{Cli, Command};
    use crate::cli_error::problem_of;

    #[test]
    fn a_run_that_waits_is_not_started_and_the_command_that_continues_it_is_named() {
        let run = Run {
            id: RunId(uuid::Uuid::nil()),
            number: RunNumber(6),
            spec: RunSpec::new(GraphName::new("g").unwrap(), "a fork"),
            created_at: jiff::Timestamp::UNIX_EPOCH,
        };
        let waits = |kind: &str, context: serde_json::Value| {
            let request: amelia_core::human::HumanRequest = serde_json::from_value(json!({
                "id": uuid::Uuid::nil(), "kind": kind, "by": "engine", "at": "2026-01-01T00:00:00Z",
                "prompt": "?", "context": context,
            }))
            .unwrap();
            let status = RunStatus::Waiting(request.kind);
            let view = RunView { status, pending: vec![request], ..RunView::default() };
            let refusal = refusal_while_waiting(&RunRow { run: run.clone(), view }, "amelia").unwrap();
            let told = problem_of(&refusal.into());
            (told.message, told.hint.unwrap_or_default())
        };
        let (message, hint) = waits("breakpoint", json!({}));
        assert_eq!(message, "run r6 was started already: it is waiting (breakpoint)");
        assert_eq!(hint, "amelia step r6; amelia continue r6; amelia cancel r6");
        let (_, hint) = waits("approval", json!({"plan_path": "p"}));
        assert!(hint.contains("amelia approve r6"), "{hint}");
        assert!(refusal_while_waiting(&RunRow { run, view: RunView::default() }, "amelia").is_none());
    }

    #[test]
    fn a_message_needs_no_run() {
        let said = |words: &[&str]| match Cli::try_parse_from(words).unwrap().command {
            Some(Command::Say(args)) => {
                let (run, message) = args.run_and_message();
                (run.map(str::to_owned), message.map(str::to_owned), args.agent)
            }
            _ => panic!("{words:?}"),
        };
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(said(&["amelia", "say", "use tabs"]), (None, text("use tabs"), None));
        assert_eq!(said(&["amelia", "say", "r1", "use tabs"]), (text("r1"), text("use tabs"), None));
        let expected = (text("r1"), text("use tabs"), text("writer"));
        for words in [
            ["r1", "--agent", "writer", "use tabs"],
            ["--agent", "writer", "r1", "use tabs"],
            ["r1", "use tabs", "--agent", "writer"],
        ] {
            assert_eq!(said(&[&["amelia", "say"][..], &words].concat()), expected, "{words:?}");
        }
        for command in ["cancel", "pause", "reject"] {
            assert!(Cli::try_parse_from(["amelia", command]).is_ok(), "{command}");
        }
    }
}
