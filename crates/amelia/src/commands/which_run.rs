//! Which run a command is about when none is named.

use amelia_core::human::HumanKind;
use amelia_core::run::RunStatus;
use amelia_core::view::RunRow;
use anyhow::Result;

use crate::cli_error::{CliError, Exit};
use crate::client::Client;

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
    Err(refusal.with_hint("name a run (see `amelia status`)").into())
}

/// The run that is named, or the newest completed one of this repository whose change was merged nowhere.
pub(super) async fn completed(client: &Client, run: Option<&str>) -> Result<RunRow> {
    let is_open = |row: &RunRow| row.view.merged.is_none();
    let refusal = "no completed run of this repository has a change to merge";
    newest_with(client, run, "status=completed&limit=500", is_open, refusal).await
}

/// The run that is named, or the newest one of this repository that has a pull request.
pub(super) async fn with_pull_request(client: &Client, run: Option<&str>) -> Result<RunRow> {
    let has_one = |row: &RunRow| row.view.pull_request.is_some();
    let refusal = "no run of this repository has a pull request";
    newest_with(client, run, "limit=500", has_one, refusal).await
}

async fn newest_with(
    client: &Client,
    run: Option<&str>,
    query: &str,
    is_meant: impl Fn(&RunRow) -> bool,
    refusal: &str,
) -> Result<RunRow> {
    if let Some(run) = run {
        return client.find(run).await;
    }
    let found = client.rows(query).await?.into_iter().find(|row| is_here(row) && is_meant(row));
    found.ok_or_else(|| {
        CliError::new(Exit::NotFound, refusal).with_hint("name a run (see `amelia status`)").into()
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
    if waiting.len() > 1 {
        waiting.retain(is_here);
    }
    match (waiting.pop(), waiting.pop()) {
        (Some(row), None) => Ok(row),
        (None, _) => Err(CliError::new(Exit::Conflict, "no run is waiting for approval").into()),
        (Some(_), Some(_)) => {
            let refusal = CliError::new(Exit::Usage, "more than one run is waiting");
            Err(refusal.with_hint("name the run (see `amelia inbox`)").into())
        }
    }
}

/// Whether the current directory is in the repository of this run.
fn is_here(row: &RunRow) -> bool {
    let repository = row.run.spec.place.as_ref().map(|place| &place.repository);
    std::env::current_dir()
        .is_ok_and(|here| repository.is_some_and(|repository| here.starts_with(repository)))
}
