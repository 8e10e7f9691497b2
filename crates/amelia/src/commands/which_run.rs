//! Which run a command is about when none is named.

use amelia_core::human::HumanKind;
use amelia_core::run::RunStatus;
use amelia_core::view::RunRow;
use amelia_wire::rest::delivery::UndoneWay;
use amelia_wire::rest::travel::Diff;
use anyhow::Result;

use crate::cli_error::{CliError, Exit};
use crate::client::Client;
use crate::ui;

const NAME_IT: &str = "name a run (see `amelia status`)";
/// Runs that a hint lists.
const LISTED: usize = 8;
/// As much of a title as tells runs apart.
const LISTED_TITLE: usize = 30;

/// The run that is named, or the newest one of this repository that has not ended, or the newest one.
pub(super) async fn newest(client: &Client, run: Option<&str>) -> Result<RunRow> {
    if let Some(run) = run {
        return client.find(run).await;
    }
    let mut rows = client.rows("limit=500").await?;
    rows.retain(is_here);
    let place = rows.iter().position(|row| !row.view.status.is_final()).unwrap_or(0);
    if place < rows.len() {
        return Ok(rows.swap_remove(place));
    }
    let refusal = CliError::new(Exit::Usage, "no run belongs to the repository of this directory");
    Err(refusal.with_hint(NAME_IT).into())
}

/// The run that is named, or the newest completed one of this repository that has a change which was merged nowhere. One
/// whose merge was undone is not merged again unless it is named.
pub(super) async fn completed(client: &Client, run: Option<&str>) -> Result<RunRow> {
    if let Some(run) = run {
        return client.find(run).await;
    }
    let stored = client.stored("status=completed&limit=500").await?.into_iter();
    let mut last = None;
    for stored in stored {
        let undone = stored.undone_merge;
        let row = stored.split().0;
        match (is_here(&row), row.view.merged.is_none()) {
            (true, true) if has_change(client, &row).await? => return Ok(row),
            (true, false) if last.is_none() => last = Some((row, undone)),
            _ => {}
        }
    }
    let again = last.as_ref().filter(|(_, undone)| undone.is_some());
    let hint = again.map(|(row, _)| format!("`amelia merge {}` merges it again", row.run.number));
    Err(nothing_to_merge(last.as_ref()).with_hint(hint.unwrap_or_else(|| NAME_IT.to_owned())).into())
}

/// Whether a run has a branch of its own with a change. What worked in the checkout has none.
async fn has_change(client: &Client, row: &RunRow) -> Result<bool> {
    if row.run.spec.place.as_ref().is_none_or(|place| place.in_place) {
        return Ok(false);
    }
    let changes: Diff = client.get(&format!("/workflows/{}/diff?stat=true", row.run.id)).await?;
    Ok(!changes.files.is_empty())
}

/// Who merges twice is told what became of the first time.
fn nothing_to_merge(last: Option<&(RunRow, Option<UndoneWay>)>) -> CliError {
    let last = last.and_then(|(row, undone)| Some((row.run.number, row.view.merged.as_ref()?, undone)));
    let already = last.map(|(run, merged, undone)| match undone {
        Some(_) => format!("; the merge of {run} was undone"),
        None => format!("; {run} is already merged into {}", merged.into),
    });
    let message = "no completed run of this repository has a change to merge";
    CliError::new(Exit::NotFound, format!("{message}{}", already.unwrap_or_default()))
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
            Err(refusal.with_hint(name_one_of(&rows)).into())
        }
    }
}

/// A hint with the ids and titles of some runs.
fn name_one_of(rows: &[RunRow]) -> String {
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
        refusal.with_hint(NAME_IT).into()
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
            Err(refusal.with_hint(name_one_of(&waiting)).into())
        }
    }
}

/// Whether the current directory is in the repository of this run.
fn is_here(row: &RunRow) -> bool {
    let repository = row.run.spec.place.as_ref().map(|place| &place.repository);
    std::env::current_dir()
        .is_ok_and(|here| repository.is_some_and(|repository| here.starts_with(repository)))
}
