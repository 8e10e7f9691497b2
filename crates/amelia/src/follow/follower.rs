//! A run as its server tells it, one thing after the other, until it comes to rest: over the death of a server.

use std::pin::Pin;
use std::time::{Duration, Instant};

use amelia_core::driver::DeltaKind;
use amelia_core::event::{Event, EventKind, RunEvent};
use amelia_core::id::{RequestId, Seq};
use amelia_core::problem::Problem;
use amelia_core::run::RunStatus;
use amelia_core::view::RunRow;
use amelia_wire::rest::live::HeardOfLog;
use anyhow::Result;

use super::FollowFrom;
use crate::cli_error::{CliError, Exit};
use crate::client::{Client, Socket};
use crate::terminal::LiveSpeaker;

/// How long a server may be away before following it ends.
pub(super) const RECONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// How often one looks whether it is back.
pub(super) const GLANCE: Duration = Duration::from_millis(100);

/// What is shown of a run.
pub(crate) enum FollowStep {
    Event(Box<Event>),
    /// A piece of what an agent says right now.
    Delta(LiveSpeaker, DeltaKind, String),
    /// Pieces are missing.
    Missed,
    /// The server is gone, and another is looked for.
    Lost,
    /// It has ended, or waits for a person.
    Rested,
}

/// Where one is with a run.
pub(crate) struct RunFollower<'a> {
    client: &'a Client,
    row: RunRow,
    answered: Vec<RequestId>,
    /// Rests before that are history.
    end: Seq,
    is_at_rest: bool,
    connection: Connection<'a>,
}

/// A connection that is not there yet is kept: who follows may look away for a moment, again and again.
enum Connection<'a> {
    Opening(Pin<Box<dyn Future<Output = Result<Socket>> + Send + 'a>>),
    Open(Box<Socket>),
}

impl<'a> RunFollower<'a> {
    pub(crate) fn new(client: &'a Client, told: FollowFrom) -> Self {
        let FollowFrom { row, answered, end, is_at_rest } = told;
        let connection = Connection::Opening(Box::pin(client.follow(row.run.id, row.view.seq)));
        Self { client, row, answered, end, is_at_rest, connection }
    }

    /// The run as far as it was shown.
    pub(crate) fn row(&self) -> &RunRow {
        &self.row
    }

    /// The run as it is at the end.
    pub(crate) fn into_row(self) -> RunRow {
        self.row
    }

    /// What comes next. Can be dropped at any time.
    pub(crate) async fn next(&mut self) -> Result<FollowStep> {
        loop {
            if self.is_at_rest {
                return Ok(FollowStep::Rested);
            }
            let heard = match &mut self.connection {
                Connection::Open(socket) => socket.next().await,
                Connection::Opening(socket) => {
                    self.connection = Connection::Open(Box::new(socket.as_mut().await?));
                    continue;
                }
            };
            return Ok(match heard {
                Some(HeardOfLog::Event { payload }) => {
                    self.row.view.apply(&payload);
                    self.is_at_rest = payload.seq >= self.end && is_rest(&payload, &self.row, &self.answered)
                        // It had ended before; its log may end later, with the delivery of its change.
                        || payload.seq == self.end && self.row.view.status.is_final();
                    FollowStep::Event(payload)
                }
                Some(HeardOfLog::Delta { agent, session, kind, text }) => {
                    FollowStep::Delta(LiveSpeaker { agent, session }, kind, text)
                }
                // It could not even write down why it does not continue.
                Some(HeardOfLog::Error { error }) => {
                    let problem = Problem { message: error.message, hint: error.hint };
                    return Err(CliError::new(Exit::Failed, problem).into());
                }
                Some(HeardOfLog::Lagged {}) => FollowStep::Missed,
                Some(HeardOfLog::Other) => continue,
                None => {
                    self.connection = Connection::Opening(Box::pin(again(self.client, self.row.clone())));
                    FollowStep::Lost
                }
            });
        }
    }
}

/// The server was killed, or is started anew.
async fn again(client: &Client, row: RunRow) -> Result<Socket> {
    let since = Instant::now();
    while since.elapsed() < RECONNECT_TIMEOUT {
        client.look_again();
        match client.follow(row.run.id, row.view.seq).await {
            Ok(socket) => return Ok(socket),
            Err(_) => tokio::time::sleep(GLANCE).await,
        }
    }
    let message =
        "the server has stopped; the run continues when a server starts again, or another command resumes it";
    let hint = format!(
        "`amelia status {}` shows where it is, `amelia resume {0} --follow` continues it",
        row.run.number
    );
    Err(CliError::new(Exit::Unreachable, message).with_hint(hint).into())
}

/// Nothing more happens by itself. The runs of helpers on the same log do not count, and a run that waits for an answer
/// which it was given continues.
fn is_rest(event: &Event, row: &RunRow, answered: &[RequestId]) -> bool {
    let EventKind::Run(kind) = &event.draft.kind else { return false };
    event.draft.session.is_none()
        && match kind {
            RunEvent::Paused { .. } => !row.view.pending.iter().any(|open| answered.contains(&open.id)),
            RunEvent::Completed { .. } | RunEvent::Failed { .. } | RunEvent::Cancelled { .. } => true,
            RunEvent::Created { .. }
            | RunEvent::Queued
            | RunEvent::Limited { .. }
            | RunEvent::ChecksReplaced { .. }
            | RunEvent::AgentsReplaced { .. }
            | RunEvent::DefinitionReplaced { .. }
            | RunEvent::StateEdited { .. }
            | RunEvent::TeamReplaced { .. }
            | RunEvent::Archived { .. }
            | RunEvent::PermissionGranted(_)
            | RunEvent::Steered(_)
            | RunEvent::Started
            | RunEvent::Resumed { .. } => false,
        }
}

/// Whether a run does nothing until a person does something: it has ended, waits for an answer, or was never started.
pub(crate) fn needs_person(row: &RunRow) -> bool {
    match row.view.status {
        RunStatus::Pending => row.view.queued_at.is_none(),
        RunStatus::Running => false,
        // It only waits for a time.
        RunStatus::Waiting(_) => !row.view.pending.iter().any(|request| request.waits_until().is_some()),
        RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled => true,
    }
}
