//! A call that waits for a run: progress is reported for what happens, and now and then that it still works.

use std::time::Duration;

use amelia_core::view::RunRow;
use amelia_mcp::ProgressReporter;
use anyhow::Result;

use crate::client::Client;
use crate::event_line::EventLines;
use crate::follow::{FollowFrom, FollowStep, RunFollower, needs_person};

/// Clients give up on a call that says nothing for a minute.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Waits until a run ends, or needs a person.
pub(super) async fn until_person(
    client: &Client,
    mut told: FollowFrom,
    progress: &ProgressReporter,
) -> Result<RunRow> {
    let mut lines = EventLines::default();
    loop {
        let row = until_rest(RunFollower::new(client, told), &mut lines, progress).await?;
        if needs_person(&row) {
            return Ok(row);
        }
        told = FollowFrom::to_go_on(row);
    }
}

async fn until_rest(
    mut follower: RunFollower<'_>,
    lines: &mut EventLines,
    progress: &ProgressReporter,
) -> Result<RunRow> {
    let mut beats = tokio::time::interval(HEARTBEAT);
    beats.tick().await;
    loop {
        tokio::select! {
            step = follower.next() => match step? {
                FollowStep::Event(event) => {
                    if let Some(line) = lines.plain(&event) {
                        progress.report(&line);
                    }
                }
                FollowStep::Lost => progress.report("the server has stopped; waiting for another"),
                FollowStep::Rested => return Ok(follower.into_row()),
                FollowStep::Delta(..) | FollowStep::Missed => {}
            },
            _ = beats.tick() => progress.report(&still(follower.row())),
        }
    }
}

fn still(row: &RunRow) -> String {
    let nodes: Vec<String> = row.view.active_nodes().map(ToString::to_string).collect();
    match nodes.is_empty() {
        true => format!("{} is {}", row.run.number, row.view.status_words()),
        false => format!("{} is at {}", row.run.number, nodes.join(", ")),
    }
}
