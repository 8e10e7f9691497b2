//! `amelia logs`: what happened in a run, and with `--follow` what happens.

use std::process::ExitCode;
use std::time::Duration;

use amelia_core::event::Event;
use amelia_core::id::{RunId, Seq};
use amelia_core::run::RunStatus;
use amelia_core::view::{RunRow, RunView};
use amelia_host::home::Home;
use amelia_wire::rest::Page;
use amelia_wire::rest::why::Worker;
use anyhow::Result;

use super::watching::{Watching, watch};
use super::which_run::newest;
use crate::cli::{Global, LogsArgs};
use crate::cli_error::{CliError, Exit};
use crate::client::Client;
use crate::event_line::EventLines;
use crate::follow::{FollowEnd, FollowFrom, conclude};
use crate::reach;
use crate::ui;

const PAGE: usize = 500;
/// How often one looks for more.
const GLANCE: Duration = Duration::from_millis(200);

pub(super) async fn run(args: &LogsArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let client = reach::to_look(home, global).await?;
    let outcome = show(&client, args, home, global).await;
    client.close().await?;
    outcome
}

async fn show(client: &Client, args: &LogsArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let row = newest(client, args.run.as_deref()).await?;
    let stopped = match args.follow {
        true => stopped(&row, &moved_by(client, home, &row).await?, client.is_local(), &ui::command(global)),
        false => None,
    };
    if let Some(stopped) = stopped {
        past(client, row.run.id, args.since, &mut LogLines::default(), args, global).await?;
        return Err(stopped.into());
    }
    // A run that has ended looks as it did when it was at work, with or without a server.
    let is_shown = match row.view.status.is_final() {
        true => args.follow && args.since < row.view.seq.0 && has_whole_log(client, &row).await?,
        false => (is_at_work(&row) || waits(&row)) && !client.is_local(),
    };
    if args.follow && is_shown && !is_filtered(args) {
        let run = row.run.id;
        let mut told = FollowFrom::to_go_on(row);
        told.row.view = RunView { seq: Seq(args.since), ..RunView::default() };
        return watch(client, run, Some(told), Watching::following(), global).await;
    }
    let lines = &mut LogLines::default();
    let mut seen = past(client, row.run.id, args.since, lines, args, global).await?;
    while args.follow && has_more(client, home, &client.row(row.run.id).await?) {
        tokio::time::sleep(GLANCE).await;
        seen = past(client, row.run.id, seen, lines, args, global).await?;
    }
    past(client, row.run.id, seen, lines, args, global).await?;
    if lines.shown == 0 && is_filtered(args) && !global.json {
        anstream::eprintln!("no event of run {} matches", row.run.number);
    }
    let row = client.row(row.run.id).await?;
    match args.follow && waits(&row) {
        // Nothing more comes until a person answers: says so, and how.
        true => conclude(client, &FollowEnd::Rested(row), &Global { quiet: true, ..global.clone() }).await,
        false => Ok(ExitCode::SUCCESS),
    }
}

/// What moves a run. Another process may, without telling us.
async fn moved_by(client: &Client, home: &Home, row: &RunRow) -> Result<Worker> {
    match reach::is_elsewhere(client, home) {
        true => Ok(Worker::Moving),
        false => client.worker(row.run.id).await,
    }
}

/// Nothing more comes from a run that no process moves: says so, and what continues it.
fn stopped(row: &RunRow, worker: &Worker, is_without_server: bool, me: &str) -> Option<CliError> {
    let run = row.run.number;
    let message = match row.view.status {
        RunStatus::Running if *worker == Worker::None => {
            format!("run {run} was interrupted: no server is running it")
        }
        RunStatus::Pending if is_without_server && row.view.queued_at.is_some() => {
            format!("run {run} is queued, and no server is running")
        }
        _ => return None,
    };
    let hint = format!("{me} resume {run} --follow continues it");
    Some(CliError::new(Exit::Interrupted, message).with_hint(hint))
}

/// Whether the log has its last event. Old events may have been removed, and who follows would wait for them.
async fn has_whole_log(client: &Client, row: &RunRow) -> Result<bool> {
    let (run, last) = (row.run.id, row.view.seq.0);
    let path = format!("/workflows/{run}/events?format=log&limit=1&after={}", last.saturating_sub(1));
    let page: Page<Event> = client.get(&path).await?;
    Ok(page.items.iter().any(|event| event.seq.0 == last))
}

fn is_at_work(row: &RunRow) -> bool {
    matches!(row.view.status, RunStatus::Pending | RunStatus::Running)
}

fn waits(row: &RunRow) -> bool {
    matches!(row.view.status, RunStatus::Waiting(_))
}

fn is_filtered(args: &LogsArgs) -> bool {
    args.level.is_some() || args.name.is_some() || args.agent.is_some()
}

/// Whether more events are to come: a server works on the run, or another process does in the foreground.
fn has_more(client: &Client, home: &Home, row: &RunRow) -> bool {
    match client.is_local() {
        true => home.is_busy() && row.view.status == RunStatus::Running,
        false => is_at_work(row),
    }
}

/// The lines of a log, and how many were shown.
#[derive(Default)]
struct LogLines {
    lines: EventLines,
    shown: usize,
}

/// Shows what has happened after an event, and says which was the last.
async fn past(
    client: &Client,
    run: RunId,
    mut after: u64,
    lines: &mut LogLines,
    args: &LogsArgs,
    global: &Global,
) -> Result<u64> {
    let level = args.level.as_ref().map(|level| format!("&level={level}")).unwrap_or_default();
    loop {
        let path = format!("/workflows/{run}/events?format=log&limit={PAGE}&after={after}{level}");
        let page: Page<Event> = client.get(&path).await?;
        for event in page.items.iter().filter(|event| is_wanted(event, args)) {
            lines.shown += 1;
            if global.json {
                anstream::println!("{}", serde_json::to_string(event)?);
            } else {
                anstream::println!("{}", lines.lines.line(event));
            }
        }
        after = page.items.last().map_or(after, |event| event.seq.0);
        match page.next_cursor.and_then(|next| next.parse().ok()) {
            Some(next) => after = next,
            None => return Ok(after),
        }
    }
}

fn is_wanted(event: &Event, args: &LogsArgs) -> bool {
    let name = event.draft.kind.name();
    let is_of = |wanted: &String| is_agent(event.draft.agent.as_str(), wanted);
    args.name.as_ref().is_none_or(|wanted| name.starts_with(wanted.as_str()))
        && args.agent.as_ref().is_none_or(is_of)
}

/// The log shows `Developer` and `Code Reviewer` where the name is `developer` and `code_reviewer`.
fn is_agent(name: &str, wanted: &str) -> bool {
    let plain = |text: &str| text.trim().to_lowercase().replace([' ', '-'], "_");
    plain(name) == plain(wanted)
}

#[cfg(test)]
mod tests {
    use amelia_core::id::{GraphName, RunNumber};
    use amelia_core::run::{Run, RunSpec};
    use jiff::Timestamp;

    use super::*;
    use crate::cli_error::problem_of;

    #[test]
    fn an_agent_is_found_by_the_name_that_the_log_shows() {
        for wanted in ["developer", "Developer", " DEVELOPER "] {
            assert!(is_agent("developer", wanted), "{wanted}");
        }
        assert!(is_agent("code_reviewer", "Code Reviewer"));
        assert!(!is_agent("developer", "reviewer"));
    }

    #[test]
    fn who_follows_a_run_that_nothing_moves_is_told_what_continues_it() {
        let told = |status, worker: &Worker, is_without_server| {
            let run = Run {
                id: RunId(uuid::Uuid::nil()),
                number: RunNumber(4),
                spec: RunSpec::new(GraphName::new("g").unwrap(), "a run"),
                created_at: Timestamp::UNIX_EPOCH,
            };
            let queued_at = Some(Timestamp::UNIX_EPOCH);
            let row = RunRow { run, view: RunView { status, queued_at, ..RunView::default() } };
            stopped(&row, worker, is_without_server, "amelia")
        };
        let interrupted = told(RunStatus::Running, &Worker::None, true).unwrap();
        assert_eq!(interrupted.exit, Exit::Interrupted);
        let problem = problem_of(&interrupted.into());
        assert_eq!(problem.message, "run r4 was interrupted: no server is running it");
        assert_eq!(problem.hint.as_deref(), Some("amelia resume r4 --follow continues it"));
        assert!(told(RunStatus::Pending, &Worker::None, true).is_some());
        for (status, worker, is_without_server) in [
            (RunStatus::Running, Worker::Moving, true),
            (RunStatus::Pending, Worker::None, false),
            (RunStatus::Completed, Worker::None, true),
            (RunStatus::Failed, Worker::None, true),
        ] {
            assert!(told(status, &worker, is_without_server).is_none(), "{status}");
        }
    }
}
