//! The life of a run as it is seen from here: events and words until it comes to rest, over the death of a server.

use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant};

use amelia_core::event::{Event, EventKind, RunEvent};
use amelia_core::id::{RequestId, RunId};
use amelia_core::problem::Problem;
use amelia_core::view::RunRow;
use amelia_wire::error::ErrorInfo;
use amelia_wire::rest::live::HeardOfLog;
use anyhow::Result;
use tokio::signal::unix::{SignalKind, signal};

use super::{Follow, FollowFrom};
use crate::cli_error::{CliError, Exit};
use crate::client::Socket;
use crate::terminal::LiveSpeaker;

/// How long a server may be away before nobody waits for it any more.
pub(super) const RECONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// How often one looks whether it is back.
pub(super) const GLANCE: Duration = Duration::from_millis(100);
/// How often a moving picture moves.
const FRAME: Duration = Duration::from_millis(120);

/// What Ctrl-C means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnInterrupt {
    /// The run is worked on here: it is paused, and cancelled when pressed again.
    Pause,
    /// The run goes on somewhere else: nobody looks any more.
    LookAway,
}

/// Why nobody follows any more.
pub(crate) enum FollowEnd {
    /// The run has ended, or waits.
    Rested(RunRow),
    /// The person looks away; the run goes on.
    LeftAlone(RunRow),
}

type Telling<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

impl Follow<'_> {
    /// Shows everything after the moment in which the run was told, until it comes to rest.
    pub(super) async fn until_rest(&self, told: FollowFrom) -> Result<FollowEnd> {
        let FollowFrom { mut row, answered, end, .. } = told;
        let run = row.run.id;
        self.terminal.follow(&row.run.spec);
        // One listener for all the time, or a press between two looks would be lost.
        let mut pressed = signal(SignalKind::interrupt())?;
        let mut presses = 0_u32;
        let mut telling: Option<Telling<'_>> = None;
        let mut socket = self.client.follow(run, row.view.seq).await?;
        let mut frames = tokio::time::interval(FRAME);
        let ended = loop {
            tokio::select! {
                biased;
                _ = pressed.recv() => {
                    presses += 1;
                    match self.on_interrupt {
                        OnInterrupt::LookAway => break FollowEnd::LeftAlone(row),
                        OnInterrupt::Pause => telling = Some(self.stop(run, presses)),
                    }
                }
                heard = socket.next() => match heard {
                    Some(HeardOfLog::Event { payload }) => {
                        row.view.apply(&payload);
                        self.terminal.event(&payload)?;
                        if payload.seq >= end && is_rest(&payload, &row, &answered) {
                            break FollowEnd::Rested(row);
                        }
                    }
                    Some(HeardOfLog::Delta { agent, session, kind, text }) => {
                        self.terminal.delta(LiveSpeaker { agent, session }, kind, &text);
                    }
                    Some(HeardOfLog::Error { error }) => return Err(self.stalled(error).into()),
                    Some(HeardOfLog::Lagged {}) => self.terminal.missed(),
                    Some(HeardOfLog::Other) => {}
                    None => tokio::select! {
                        found = self.again(&row) => socket = found?,
                        _ = pressed.recv() => break FollowEnd::LeftAlone(row),
                    },
                },
                () = async { if let Some(told) = &mut telling { told.await } }, if telling.is_some() => {
                    telling = None;
                }
                _ = frames.tick() => self.terminal.tick(&row.view),
            }
        };
        self.terminal.finish();
        Ok(ended)
    }

    /// Stops the run. Too late is fine: then it has come to rest by itself.
    fn stop(&self, run: RunId, presses: u32) -> Telling<'_> {
        let what = if presses == 1 { "pause" } else { "cancel" };
        Box::pin(async move { drop(self.client.tell(run, what).await) })
    }

    /// The run could not even write down why it does not go on.
    fn stalled(&self, error: ErrorInfo) -> CliError {
        self.terminal.finish();
        CliError::new(Exit::Failed, Problem { message: error.message, hint: error.hint })
    }

    /// The connection is gone: the server was killed, or is started anew.
    async fn again(&self, row: &RunRow) -> Result<Socket> {
        let run = row.run.id;
        let number = row.run.number;
        self.terminal.note(&format!(
            "the server has stopped; waiting for another: `amelia resume {number}` starts one and continues the run"
        ));
        let since = Instant::now();
        while since.elapsed() < RECONNECT_TIMEOUT {
            self.client.look_again();
            match self.client.follow(run, row.view.seq).await {
                Ok(socket) => return Ok(socket),
                Err(_) => tokio::time::sleep(GLANCE).await,
            }
        }
        let message = "the server has stopped; the run continues when a server starts again";
        let hint = format!("`amelia resume {number} --follow` starts one and continues the run");
        Err(CliError::new(Exit::Unreachable, message).with_hint(hint).into())
    }
}

/// Nothing more happens by itself. The runs of helpers on the same log do not count, and a run that waits for an answer
/// which it was given goes on.
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
            | RunEvent::Archived { .. }
            | RunEvent::PermissionGranted(_)
            | RunEvent::Steered(_)
            | RunEvent::Started
            | RunEvent::Resumed { .. } => false,
        }
}
