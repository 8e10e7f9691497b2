//! Which run a command is about when none is named.

use amelia_core::human::HumanKind;
use amelia_core::id::RunNumber;
use amelia_core::run::RunStatus;
use amelia_core::view::RunRow;
use amelia_wire::rest::delivery::UndoneWay;
use amelia_wire::rest::travel::Diff;
use anyhow::Result;

use crate::cli::Global;
use crate::cli_error::{CliError, Exit};
use crate::client::Client;
use crate::ui;

const NAME_IT: &str = "name a run (see `amelia status`)";
/// Runs that a hint lists.
const LISTED: usize = 8;
/// As much of a title as tells runs apart.
const LISTED_TITLE: usize = 30;
/// As much of the title of the run that was chosen.
const CHOSEN_TITLE: usize = 50;

/// The run that is named, or the newest one of this repository that has not ended, or the newest one. One that has just
/// failed comes first: a person wants to know why.
pub(super) async fn newest(client: &Client, run: Option<&str>) -> Result<RunRow> {
    if let Some(run) = run {
        return client.find(run).await;
    }
    let mut rows = client.rows("limit=500").await?;
    rows.retain(is_here);
    let has_failed = rows.first().is_some_and(|row| row.view.status == RunStatus::Failed);
    let unfinished = rows.iter().position(|row| !row.view.status.is_final());
    let place = unfinished.filter(|_| !has_failed).unwrap_or(0);
    if place < rows.len() {
        return Ok(rows.swap_remove(place));
    }
    let refusal = CliError::new(Exit::Usage, "no run belongs to this directory");
    Err(refusal.with_hint(NAME_IT).into())
}

/// A run whose change is to be delivered.
pub(super) struct ChosenRun {
    pub(super) row: RunRow,
    /// Newer runs of this repository that have changes, too, unless a person named the run: `diff` shows one of these.
    pub(super) newer: Vec<RunRow>,
}

impl ChosenRun {
    /// The question to a person who may mean another run; nothing if only this one can be meant.
    pub(super) fn question(&self) -> Option<String> {
        let (run, newest) = (self.row.run.number, self.newer.first()?.run.number);
        Some(format!("{newest} is newer and has changes, too. Merge {run}?"))
    }

    /// The same where no person can answer.
    pub(super) fn refusal(&self) -> Option<CliError> {
        let (run, newest) = (self.row.run.number, self.newer.first()?.run.number);
        let message = format!("{run} can be merged, but {newest} is newer and has changes, too");
        let runs: Vec<&RunRow> = std::iter::once(&self.row).chain(&self.newer).collect();
        let hint = format!("{}; --yes merges {run}", name_one_of(&runs));
        Some(CliError::new(Exit::Usage, message).with_hint(hint))
    }
}

/// What there is to merge of a run.
enum Mergeable {
    Yes,
    /// It has no change, or none on a branch.
    Nothing,
    /// It is in this branch.
    Already(String),
    /// It was merged, and that was undone: it is not merged again unless it is named.
    Undone,
    /// It has a change, and its branch is gone.
    Deleted,
    /// It has a change, and is not completed.
    Unfinished,
}

/// The run that is named, or the newest completed one of this repository that has a change which was merged nowhere.
pub(super) async fn completed(client: &Client, run: Option<&str>) -> Result<ChosenRun> {
    if let Some(run) = run {
        return Ok(ChosenRun { row: client.find(run).await?, newer: Vec::new() });
    }
    let mut newer = Vec::new();
    let mut last = None;
    for stored in client.stored("limit=500").await? {
        let undone = stored.undone_merge;
        let row = stored.split().0;
        if !is_here(&row) {
            continue;
        }
        match mergeable(client, &row, undone).await? {
            Mergeable::Yes => return Ok(ChosenRun { row, newer }),
            Mergeable::Nothing => continue,
            Mergeable::Unfinished => {}
            other => last = last.or(Some((row.run.number, other))),
        }
        newer.push(row);
    }
    Err(nothing_to_merge(last).into())
}

async fn mergeable(client: &Client, row: &RunRow, undone: Option<UndoneWay>) -> Result<Mergeable> {
    let place = row.run.spec.place.as_ref();
    let changes = async || client.get::<Diff>(&format!("/workflows/{}/diff?stat=true", row.run.id)).await;
    if row.view.status != RunStatus::Completed {
        // One that has not begun has no diff, and what is in the checkout is not to be merged.
        let is_elsewhere = place.is_some_and(|place| !place.in_place);
        let has_changes = is_elsewhere && changes().await.is_ok_and(|changes| !changes.files.is_empty());
        return Ok(if has_changes { Mergeable::Unfinished } else { Mergeable::Nothing });
    }
    match (&row.view.merged, undone) {
        (Some(_), Some(_)) => return Ok(Mergeable::Undone),
        (Some(merged), None) => return Ok(Mergeable::Already(merged.into.clone())),
        (None, _) => {}
    }
    // What worked in the checkout has no branch of its own.
    if place.is_none_or(|place| place.in_place) {
        return Ok(Mergeable::Nothing);
    }
    let changes = changes().await?;
    Ok(match changes.merged_into {
        Some(into) => Mergeable::Already(into),
        None if changes.files.is_empty() => Mergeable::Nothing,
        None if changes.branch.is_none() => Mergeable::Deleted,
        None => Mergeable::Yes,
    })
}

/// A second merge reports what became of the first.
fn nothing_to_merge(last: Option<(RunNumber, Mergeable)>) -> CliError {
    let (already, hint) = match last {
        Some((run, Mergeable::Undone)) => {
            (format!("; the merge of {run} was undone"), format!("`amelia merge {run}` merges it again"))
        }
        Some((run, Mergeable::Already(into))) => {
            let hint = format!("`amelia status` lists the runs; `amelia diff {run}` shows what was merged");
            (format!("; {run} is already merged into {into}"), hint)
        }
        Some((run, Mergeable::Deleted)) => (
            format!("; the branch of {run} was deleted"),
            format!("`amelia worktree restore {run}` brings it back"),
        ),
        Some((_, Mergeable::Yes | Mergeable::Nothing | Mergeable::Unfinished)) | None => {
            (String::new(), NAME_IT.to_owned())
        }
    };
    let message = format!("no completed run of this repository has a change to merge{already}");
    CliError::new(Exit::NotFound, message).with_hint(hint)
}

/// The run that is named, or the only one of this repository that can be resumed.
pub(super) async fn resumable(client: &Client, run: Option<&str>) -> Result<RunRow> {
    if let Some(run) = run {
        return client.find(run).await;
    }
    let rows = client.rows("status=pending,running,awaiting_approval,paused,failed&limit=500").await?;
    only(rows, "can be resumed")
}

/// The run that is named, or the only one of this repository that has not ended.
pub(super) async fn unfinished(client: &Client, run: Option<&str>) -> Result<RunRow> {
    if let Some(run) = run {
        return client.find(run).await;
    }
    only(client.rows("status=pending,running,awaiting_approval,paused&limit=500").await?, "is unfinished")
}

/// The only run of this repository that has ended and is shown in lists; or, to undo that, the only archived one.
pub(super) async fn only_archivable(client: &Client, is_undo: bool) -> Result<RunRow> {
    match is_undo {
        true => only(client.rows("archived=true&limit=500").await?, "is archived"),
        false => only(client.rows("status=completed,failed,cancelled&limit=500").await?, "has ended"),
    }
}

/// The only one of these that belongs to this repository.
fn only(mut rows: Vec<RunRow>, what: &str) -> Result<RunRow> {
    rows.retain(is_here);
    match rows.len() {
        1 => Ok(rows.swap_remove(0)),
        0 => {
            let refusal = CliError::new(Exit::NotFound, format!("no run of this repository {what}"));
            Err(refusal.with_hint(NAME_IT).into())
        }
        _ => {
            let refusal = CliError::new(Exit::Usage, format!("more than one run of this repository {what}"));
            Err(refusal.with_hint(name_one_of(&rows.iter().collect::<Vec<_>>())).into())
        }
    }
}

/// A hint with the ids and titles of some runs.
fn name_one_of(rows: &[&RunRow]) -> String {
    let title = |row: &RunRow| ui::cut(&ui::one_line(&row.run.spec.title), LISTED_TITLE);
    let names: Vec<String> =
        rows.iter().take(LISTED).map(|row| format!("{} ({})", row.run.number, title(row))).collect();
    let more = if rows.len() > LISTED { ", …" } else { "" };
    format!("name one of {}{more}", names.join(", "))
}

/// The run that is named, or the newest one of this repository that has a pull request.
pub(super) async fn with_pull_request(client: &Client, run: Option<&str>) -> Result<RunRow> {
    if let Some(run) = run {
        return client.find(run).await;
    }
    let is_meant = |row: &RunRow| is_here(row) && row.view.pull_request.is_some();
    let found = client.rows("limit=500").await?.into_iter().find(is_meant);
    found.ok_or_else(|| {
        let refusal = CliError::new(Exit::NotFound, "no run of this repository has a pull request");
        refusal.with_hint("amelia pr open").into()
    })
}

/// The run that is named, or the only one that waits for an approval: in this repository, if there are more.
pub(super) async fn waiting(client: &Client, run: Option<&str>) -> Result<RunRow> {
    if let Some(run) = run {
        return client.find(run).await;
    }
    let rows = client.rows("status=awaiting_approval&limit=500").await?;
    let mut waiting: Vec<RunRow> =
        rows.into_iter().filter(|row| row.view.status == RunStatus::Waiting(HumanKind::Approval)).collect();
    if waiting.len() > 1 && waiting.iter().any(is_here) {
        waiting.retain(is_here);
    }
    match waiting.len() {
        0 => Err(CliError::new(Exit::Conflict, "no run is waiting for approval").into()),
        1 => Ok(waiting.swap_remove(0)),
        _ => {
            let refusal = CliError::new(Exit::Usage, "more than one run is waiting for approval");
            Err(refusal.with_hint(name_one_of(&waiting.iter().collect::<Vec<_>>())).into())
        }
    }
}

/// Says which run a command has chosen by itself, where no program reads it.
pub(super) fn say_chosen(row: &RunRow, what: &str, global: &Global) {
    if !global.json && !global.quiet {
        let title = ui::cut(&ui::one_line(&row.run.spec.title), CHOSEN_TITLE);
        anstream::eprintln!("{} {}", ui::bold(row.run.number), ui::dim(format!("{title}{what}")));
    }
}

/// Whether the current directory is in the repository of this run.
fn is_here(row: &RunRow) -> bool {
    let repository = row.run.spec.place.as_ref().map(|place| &place.repository);
    std::env::current_dir()
        .is_ok_and(|here| repository.is_some_and(|repository| here.starts_with(repository)))
}

#[cfg(test)]
mod tests {
    use amelia_core::id::{GraphName, RunId};
    use amelia_core::run::{Run, RunSpec};
    use amelia_core::view::RunView;

    use super::*;
    use crate::cli_error::problem_of;

    fn row(number: u64, title: &str) -> RunRow {
        let run = Run {
            id: RunId(uuid::Uuid::nil()),
            number: RunNumber(number),
            spec: RunSpec::new(GraphName::new("g").unwrap(), title),
            created_at: jiff::Timestamp::UNIX_EPOCH,
        };
        RunRow { run, view: RunView::default() }
    }

    #[test]
    fn a_run_that_is_older_than_another_with_changes_is_asked_about() {
        let chosen =
            ChosenRun { row: row(1, "It adds"), newer: vec![row(3, "It halves"), row(2, "It asks")] };
        assert_eq!(chosen.question().as_deref(), Some("r3 is newer and has changes, too. Merge r1?"));
        let refusal = problem_of(&chosen.refusal().unwrap().into());
        assert_eq!(refusal.message, "r1 can be merged, but r3 is newer and has changes, too");
        let hint = "name one of r1 (It adds), r3 (It halves), r2 (It asks); --yes merges r1";
        assert_eq!(refusal.hint.as_deref(), Some(hint));
        let newest = ChosenRun { newer: Vec::new(), ..chosen };
        assert!(newest.question().is_none() && newest.refusal().is_none());
    }
}
