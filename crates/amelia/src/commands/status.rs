//! `amelia status`, `why`, and `amelia` alone: what there is, where it stands, and what it waits for.

mod pull_request;
mod reason;
mod table;

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use amelia_core::clock::{Clock as _, SystemClock};
use amelia_core::run::{RunLocation, RunStatus};
use amelia_core::view::RunRow;
use amelia_host::home::Home;
use amelia_host::place;
use amelia_wire::rest::config::SettingsShown;
use amelia_wire::rest::flat_run::FlatRun;
use amelia_wire::rest::outcome::RunOutcome;
use amelia_wire::rest::run::StoredRun;
use amelia_wire::rest::travel::Diff;
use amelia_wire::rest::why::{Worker, why};
use amelia_wire::status::Status;
use anyhow::{Context as _, Result};
use jiff::Timestamp;
use serde_json::{Value, json};

use self::pull_request::PullRequestLook;
use self::reason::{Ending, ended_in_json, late_and_next, next, reason};
use self::table::{SeenRun, state, table};
use super::checkpoints;
use super::which_run::newest;
use crate::cli::{Global, StatusArgs, WhyArgs};
use crate::cli_error::{CliError, Exit};
use crate::client::Client;
use crate::findings;
use crate::outcome;
use crate::reach;
use crate::ui;

/// How often `--watch` looks.
const WATCH: Duration = Duration::from_millis(500);
/// Back to the corner, and everything away.
const CLEAR: &str = "\x1b[H\x1b[2J";

pub(super) async fn run(args: &StatusArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    if !home.has_runs() && global.server.is_none() {
        return nothing(args, home, global);
    }
    let mut look = PullRequestLook::default();
    loop {
        let client = reach::to_look(home, global).await?;
        let shown = shown(&client, args, home, global, &mut look).await;
        client.close().await?;
        if args.watch && std::io::stdout().is_terminal() && !global.json {
            anstream::print!("{CLEAR}");
        }
        match global.json {
            true => anstream::println!("{}", shown?),
            false => ui::say_lines(&shown?),
        }
        if !args.watch {
            return Ok(ExitCode::SUCCESS);
        }
        tokio::time::sleep(WATCH).await;
    }
}

/// Why a run is where it is, and what moves it on.
pub(super) async fn why_run(args: &WhyArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let client = reach::to_look(home, global).await?;
    let row = newest(&client, args.run.as_deref()).await?;
    let worker = or_elsewhere(client.worker(row.run.id).await?, reach::is_elsewhere(&client, home));
    match global.json {
        true => {
            let told = match why(&row, &worker) {
                Some(told) => serde_json::to_value(told)?,
                None => ended_in_json(&row, &worker, &ending(&client, &row).await),
            };
            anstream::println!("{told}");
        }
        false => {
            let ending = ending(&client, &row).await;
            let (title, state) = (ui::one_line(&row.run.spec.title), state_at_end(&row, &worker, &ending));
            ui::say!("{}  {title}  {state}", ui::bold(row.run.number));
            ui::say!("{}", reason(&row, &worker, &ending, SystemClock.now(), &ui::command(global)));
            if let Some(changes) = &row.view.definition_changes {
                ui::say!("{}", outcome::definition_line(changes));
            }
        }
    }
    client.close().await?;
    Ok(ExitCode::SUCCESS)
}

/// A short look around, for a user who typed only the program's name.
pub(super) async fn overview(home: &Home, global: &Global) -> Result<ExitCode> {
    let me = ui::command(global);
    let line = |command: &str, what: &str| ui::say!("  {:<26}  {what}", format!("{me} {command}"));
    if home.has_runs() {
        let client = reach::to_look(home, global).await?;
        let rows = seen(&client, "limit=500", home).await?;
        let settings: SettingsShown = client.get("/settings").await?;
        client.close().await?;
        // What has failed can be retried: that is not done, either.
        let is_open = |row: &RunRow| !matches!(row.view.status, RunStatus::Completed | RunStatus::Cancelled);
        let active: Vec<&SeenRun> = rows.iter().filter(|seen| is_open(&seen.row)).collect();
        match rows.len() {
            0 => ui::say!("No runs yet."),
            runs => ui::say!("{}", counts(runs, active.len())),
        }
        if !active.is_empty() {
            let shown = active.iter().take(10).copied();
            anstream::println!(
                "{}",
                table(shown, SystemClock.now(), ui::columns(), root_here().await.as_deref())
            );
        }
        let waiting = active.iter().filter(|seen| !seen.row.view.pending.is_empty()).count();
        if waiting > 0 {
            let need = if waiting == 1 { "needs" } else { "need" };
            ui::say!("\n{} {me} inbox", ui::painted(ui::WAITS, format!("{waiting} {need} you:")));
        }
        anstream::println!();
        if lacks_profile(&settings).await {
            line("init", "create a profile for this repository, which has none");
        }
    } else {
        ui::say!("{}\n", ui::bold("Amelia plans, implements and reviews issues."));
        line("demo", "try it without an API key");
        line("doctor", "check this machine for missing tools and keys");
        line(
            "init",
            match root_here().await {
                Some(_) => "create a profile for this repository",
                None => "create a profile; run it in a git repository",
            },
        );
    }
    line("start \"…\" --follow", "plan, implement and review an issue");
    line("do \"…\"", "run one agent on one task");
    line("status", "list runs and their status");
    line("--help", "show the other commands");
    Ok(ExitCode::SUCCESS)
}

/// How many runs there are, and how many of them may need a person.
fn counts(runs: usize, open: usize) -> String {
    let all = ui::counted(runs, "run");
    match open {
        0 => format!("{all}; none is unfinished or has failed"),
        open => format!("{all}; {open} unfinished or failed:"),
    }
}

/// Whether this is a repository that no profile is for.
async fn lacks_profile(settings: &SettingsShown) -> bool {
    let Some(root) = root_here().await else { return false };
    !settings.settings.profiles.values().any(|profile| Path::new(&profile.repo_root) == root)
}

fn nothing(args: &StatusArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let is_named = |named: &PathBuf| std::env::var_os("AMELIA_HOME").is_none_or(|set| set != *named);
    if global.home.as_ref().is_some_and(is_named) && !home.path().exists() {
        let message = format!("the home {} does not exist", home.path().display());
        return Err(CliError::new(Exit::NotFound, message).with_hint("check --home").into());
    }
    if args.run.is_some() {
        // Says what there is not.
        home.look()?;
    }
    if global.json {
        anstream::println!("[]");
    } else {
        ui::say!("no runs in {}", home.path().display());
        if !global.quiet {
            let me = ui::command(global);
            let way = format!("{me} init creates a profile, then {me} start \"your task\" begins a run");
            ui::say!("{} {way}", ui::dim("next:"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn one(
    client: &Client,
    run: &str,
    args: &StatusArgs,
    elsewhere: bool,
    global: &Global,
    look: &mut PullRequestLook,
) -> Result<String> {
    let row = client.find(run).await?;
    if global.json && args.stored {
        return Ok(serde_json::to_string(&row)?);
    }
    look.renew(client, &row).await;
    if global.json {
        let now = SystemClock.now();
        let run = serde_json::to_value(flat(client.flat(row.run.id).await?, elsewhere, now))?;
        let outcome = client.outcome(&row).await.ok().flatten();
        let undo = outcome.as_ref().and_then(merge_undo);
        let mut run = look.to_json(run);
        if let Value::Object(fields) = &mut run {
            fields.insert("merge_undo".to_owned(), json!(undo));
        }
        return Ok(run.to_string());
    }
    let worker = or_elsewhere(client.worker(row.run.id).await?, elsewhere);
    let ending = ending(client, &row).await;
    let outcome = client.outcome(&row).await?.map(|outcome| match &ending.merged_by_hand {
        // The merge that the log knows is gone.
        Some(_) => RunOutcome { merged: None, ..outcome },
        None => outcome,
    });
    let pull_request = look.lines(&row, &ui::command(global));
    let shown = whole(&row, &worker, outcome.as_ref(), pull_request, &ending, global);
    let findings = findings::of_review(client, &row).await?;
    Ok([shown].into_iter().chain(findings).collect::<Vec<_>>().join("\n"))
}

async fn shown(
    client: &Client,
    args: &StatusArgs,
    home: &Home,
    global: &Global,
    look: &mut PullRequestLook,
) -> Result<String> {
    if let Some(run) = &args.run {
        let elsewhere = reach::is_elsewhere(client, home);
        return one(client, run, args, elsewhere, global, look).await;
    }
    let limit = if args.all { 500 } else { args.limit };
    let states = if args.unfinished { "&status=pending,running,awaiting_approval,paused" } else { "" };
    let archived = if args.archived { "&archived=true" } else { "" };
    let repository =
        if args.here { format!("&worktree={}", repository_here().await?) } else { String::new() };
    let query = format!("limit={limit}&undone=true{states}{archived}{repository}");
    match (global.json, args.stored) {
        (true, true) => return Ok(serde_json::to_string(&client.stored(&query).await?)?),
        (true, false) => {
            let elsewhere = reach::is_elsewhere(client, home);
            let now = SystemClock.now();
            let runs = client.flat_runs(&query).await?.into_iter().map(|run| flat(run, elsewhere, now));
            return Ok(serde_json::to_string(&runs.collect::<Vec<_>>())?);
        }
        (false, _) => {}
    }
    let rows = seen(client, &query, home).await?;
    if rows.is_empty() {
        return Ok(none(args, home, &ui::command(global)));
    }
    let table = table(rows.iter(), SystemClock.now(), ui::columns(), root_here().await.as_deref());
    Ok(match rows.len() >= usize::try_from(limit).unwrap_or(usize::MAX) && !args.all {
        true => format!("{table}\n{}", ui::dim("older runs: --all")),
        false => table,
    })
}

/// The repository of this directory, if there is one.
async fn root_here() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    Some(place::look(&here).await.ok()?.root().to_owned())
}

fn none(args: &StatusArgs, home: &Home, me: &str) -> String {
    match args {
        StatusArgs { archived: true, .. } => "no run is archived".to_owned(),
        StatusArgs { unfinished: true, .. } => "every run has ended".to_owned(),
        StatusArgs { here: true, .. } => {
            "no run belongs to the repository of this directory; --archived shows archived ones".to_owned()
        }
        _ => format!(
            "no runs in {}; {me} start \"your task\" begins one, and --archived shows archived ones",
            home.path().display()
        ),
    }
}

/// The repository of this directory, as a value of a query.
async fn repository_here() -> Result<String> {
    let here = std::env::current_dir().context("the current directory is gone")?;
    let repository = place::look(&here).await?;
    Ok(form_urlencoded::byte_serialize(repository.root().to_string_lossy().as_bytes()).collect())
}

/// What only git and the checkpoints know of a run that has ended.
async fn ending(client: &Client, row: &RunRow) -> Ending {
    let (run, status) = (row.run.id, row.view.status);
    if !matches!(status, RunStatus::Completed | RunStatus::Cancelled) {
        return Ending::default();
    }
    // A run may have changed nothing, or work on no files.
    let changes = client.get::<Diff>(&format!("/workflows/{run}/diff?stat=true")).await;
    let last_checkpoint = match status {
        RunStatus::Cancelled => checkpoints::last_before_end(client, run).await.ok().flatten(),
        _ => None,
    };
    let changes = changes.ok();
    let merge = match row.view.merged {
        Some(_) => client.stored_run(run).await.ok(),
        None => None,
    };
    Ending {
        has_changes: changes.as_ref().is_some_and(|changes| !changes.files.is_empty()),
        uncommitted: changes.as_ref().map_or(0, |changes| changes.uncommitted),
        merged_by_hand: match row.view.merged {
            Some(_) => merge.as_ref().and_then(|stored| stored.merged_by_hand.clone()),
            None => changes.and_then(|changes| changes.merged_into),
        },
        last_checkpoint,
        undone: merge.and_then(|stored| stored.undone_merge),
    }
}

/// A run for scripts. One that seems to be interrupted may be moved by another process.
fn flat(run: FlatRun, is_elsewhere: bool, now: Timestamp) -> FlatRun {
    match run.status {
        Status::Running if is_elsewhere => {
            let since = run.updated_at.map(|last| now.duration_since(last).as_millis());
            let since = since.and_then(|since| u64::try_from(since).ok()).unwrap_or(0);
            let active_ms = run.active_ms.saturating_add(since);
            FlatRun { waiting_for: Some("work".to_owned()), reason: None, active_ms, ..run }
        }
        _ => run,
    }
}

fn or_elsewhere(worker: Worker, is_elsewhere: bool) -> Worker {
    match worker {
        Worker::None if is_elsewhere => Worker::Moving,
        worker => worker,
    }
}

async fn seen(client: &Client, query: &str, home: &Home) -> Result<Vec<SeenRun>> {
    let elsewhere = reach::is_elsewhere(client, home);
    let seen = |stored: StoredRun| {
        let (undone, is_merged_by_hand) = (stored.undone_merge, stored.merged_by_hand.is_some());
        let (row, worker) = stored.split();
        SeenRun { row, worker: or_elsewhere(worker, elsewhere), undone, is_merged_by_hand }
    };
    Ok(client.stored(query).await?.into_iter().map(seen).collect())
}

/// The same word for a run that a person merged as for one that Amelia merged.
fn state_at_end(row: &RunRow, worker: &Worker, ending: &Ending) -> String {
    match ending.merged_by_hand {
        Some(_) => ui::painted(ui::GOOD, "merged"),
        None => state(row, worker, ending.undone),
    }
}

/// What a run needs next, for the command that made it.
pub(super) fn next_step(row: &RunRow, me: &str) -> Option<String> {
    next(row, &Worker::None, &Ending::default(), SystemClock.now(), me)
}

/// One run, in full.
fn whole(
    row: &RunRow,
    worker: &Worker,
    outcome: Option<&RunOutcome>,
    pull_request: Vec<String>,
    ending: &Ending,
    global: &Global,
) -> String {
    let RunRow { run, view } = row;
    // The branch of a directory that is no repository of the user says nothing.
    let is_workspace = run.spec.place.as_ref().is_some_and(RunLocation::is_workspace);
    let own = outcome.filter(|_| is_workspace).map(|outcome| RunOutcome { branch: None, ..outcome.clone() });
    let outcome = own.as_ref().or(outcome);
    let mut lines =
        vec![format!("{}  {}", ui::bold(ui::one_line(&run.spec.title)), state_at_end(row, worker, ending))];
    lines.extend(outcome.map(|outcome| outcome::lines_with(outcome, pull_request)).unwrap_or_default());
    lines.extend(outcome.and_then(merge_undo).map(|undo| ui::labelled_command("undo:", undo)));
    lines.extend(
        ending.merged_by_hand.as_ref().filter(|_| outcome.is_some()).map(|into| {
            format!("{}: {} has its changes", ui::painted(ui::GOOD, "merged"), ui::one_line(into))
        }),
    );
    lines.extend([
        format!("{} {}  {}", ui::dim("run"), ui::bold(run.number), ui::dim(run.id)),
        format!("{} {}, created {}", ui::dim("pipeline"), run.spec.graph, ui::day_time(run.created_at)),
    ]);
    if let Some(profile) = &run.spec.profile {
        lines.push(format!("{} {}", ui::dim("profile"), ui::one_line(profile)));
    }
    if let Some(place) = &run.spec.place {
        let directory = ui::one_line(&place.repository.to_string_lossy());
        lines.push(match (place.is_workspace(), place.in_place) {
            (true, _) => format!("{} {directory}, made by Amelia for this run", ui::dim("directory")),
            (false, true) => format!("{} {directory}, in place", ui::dim("repository")),
            (false, false) => format!("{} {directory}, in a worktree of its own", ui::dim("repository")),
        });
    }
    if let Some(changes) = &view.definition_changes {
        lines.push(outcome::definition_line(changes));
    }
    // The tasks of a result stand above.
    if let Some(task) = view.task.as_ref().filter(|_| outcome.is_none()) {
        let round = if view.review_round > 0 {
            format!(", review round {}", view.review_round)
        } else {
            String::new()
        };
        lines.push(format!(
            "{} {}: {}{round}",
            ui::dim("task"),
            format_args!("{} of {}", task.index + 1, task.total),
            ui::one_line(&task.title)
        ));
    }
    let (now, me) = (SystemClock.now(), ui::command(global));
    let seconds = worker.running_ms(view, now) / 1000;
    lines.push(format!("{} {}, {seconds} s of running time", ui::dim("spent"), ui::cost(&view.spend)));
    let budget = row.budget();
    if !budget.is_unlimited() {
        lines.push(format!("{} {budget}", ui::dim("limits")));
    }
    let models: BTreeSet<&str> =
        view.spend_by_model.keys().map(String::as_str).filter(|name| !name.is_empty()).collect();
    if !models.is_empty() {
        let models = models.into_iter().map(ui::one_line).collect::<Vec<_>>().join(", ");
        lines.push(format!("{} {models}", ui::dim("models")));
    }
    // What has come of it stands above.
    lines.extend(match outcome {
        Some(_) => late_and_next(row, worker, ending, now, &me),
        None => vec![reason(row, worker, ending, now, &me)],
    });
    lines.join("\n")
}

/// The command that undoes a merge that was not undone.
fn merge_undo(outcome: &RunOutcome) -> Option<&str> {
    outcome.merged.as_ref().filter(|merged| merged.undone.is_none())?.undo.as_deref()
}

#[cfg(test)]
mod tests {
    use amelia_core::id::{GraphName, RunId, RunNumber};
    use amelia_core::run::{Run, RunSpec};
    use amelia_core::view::RunView;

    use super::*;

    #[test]
    fn a_run_that_another_process_moves_is_running_for_scripts_too() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let run = Run {
            id: RunId(uuid::Uuid::nil()),
            number: RunNumber(4),
            spec: RunSpec::new(GraphName::new("g").unwrap(), "It adds"),
            created_at: at(0),
        };
        let seen = |status, is_elsewhere| {
            let (active_ms, updated_at) = (20_000, Some(at(100)));
            let view = RunView { status, active_ms, updated_at, ..RunView::default() };
            let row = RunRow { run: run.clone(), view };
            flat(FlatRun::new(&row, &Worker::None, None, None), is_elsewhere, at(110)).active_ms
        };
        assert_eq!(seen(RunStatus::Running, true), 30_000);
        assert_eq!(seen(RunStatus::Running, false), 20_000);
        assert_eq!(seen(RunStatus::Failed, true), 20_000);
    }
}
