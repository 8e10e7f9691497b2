//! The life of a run as it is seen from here: events and words on the terminal until it comes to rest.

use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant};

use amelia_core::human::HumanKind;
use amelia_core::id::RunId;
use amelia_core::run::RunStatus;
use amelia_core::view::RunRow;
use anyhow::Result;
use tokio::signal::unix::{SignalKind, signal};

use super::follower::{FollowStep, RECONNECT_TIMEOUT, RunFollower};
use super::{Follow, FollowFrom};

/// How often a moving picture moves.
const FRAME: Duration = Duration::from_millis(120);

/// What Ctrl-C means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnInterrupt {
    /// The run is worked on here: it is paused, and cancelled when pressed again.
    Pause,
    /// The run continues elsewhere: it is not followed any more.
    LookAway,
}

/// Why the run is not followed any more.
pub(crate) enum FollowEnd {
    /// The run has ended, or waits.
    Rested(RunRow),
    /// The same, because the person here has stopped it.
    Interrupted(RunRow),
    /// The person looks away; the run continues.
    LeftAlone(RunRow),
}

impl FollowEnd {
    /// A run that came to rest, after the person here pressed Ctrl-C or not.
    fn of(row: RunRow, is_pressed: bool) -> Self {
        match row.view.status {
            RunStatus::Waiting(HumanKind::Pause) | RunStatus::Cancelled if is_pressed => {
                Self::Interrupted(row)
            }
            _ => Self::Rested(row),
        }
    }

    /// The run, if it has ended or waits.
    pub(crate) fn at_rest(&self) -> Option<&RunRow> {
        match self {
            Self::Rested(row) | Self::Interrupted(row) => Some(row),
            Self::LeftAlone(_) => None,
        }
    }
}

type Telling<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

impl Follow<'_> {
    /// Shows everything after the moment of the command, until the run comes to rest.
    pub(super) async fn until_rest(&self, told: FollowFrom) -> Result<FollowEnd> {
        let ended = self.shown_until_rest(RunFollower::new(self.client, told)).await;
        self.terminal.finish();
        ended
    }

    async fn shown_until_rest(&self, mut follower: RunFollower<'_>) -> Result<FollowEnd> {
        let run = follower.row().run.id;
        self.terminal.follow(follower.row());
        if self.terminal.shows_calls() {
            // Calls that began before: their results are shown with what was called.
            let before = self.client.events_before(follower.row()).await.unwrap_or_default();
            self.terminal.recall(&before);
        }
        // One listener for all the time, or a press between two looks would be lost.
        let mut pressed = signal(SignalKind::interrupt())?;
        let mut presses = 0_u32;
        let mut lost_since = None;
        let mut telling: Option<Telling<'_>> = None;
        let mut frames = tokio::time::interval(FRAME);
        loop {
            tokio::select! {
                biased;
                _ = pressed.recv() => {
                    presses += 1;
                    match self.on_interrupt {
                        OnInterrupt::LookAway => return Ok(FollowEnd::LeftAlone(follower.into_row())),
                        OnInterrupt::Pause if lost_since.is_some() => {
                            return Ok(FollowEnd::LeftAlone(follower.into_row()));
                        }
                        OnInterrupt::Pause => telling = Some(self.stop(run, presses)),
                    }
                }
                step = follower.next() => {
                    let step = step?;
                    lost_since = matches!(step, FollowStep::Lost).then(Instant::now);
                    match step {
                        FollowStep::Event(event) => self.terminal.event(&event)?,
                        FollowStep::Delta(speaker, kind, text) => self.terminal.delta(speaker, kind, &text),
                        FollowStep::Missed => self.terminal.missed(),
                        FollowStep::Lost => self.note_lost(follower.row()),
                        FollowStep::Rested => return Ok(FollowEnd::of(follower.into_row(), presses > 0)),
                    }
                }
                () = async { if let Some(told) = &mut telling { told.await } }, if telling.is_some() => {
                    telling = None;
                }
                _ = frames.tick() => match lost_since {
                    None => self.terminal.tick(&follower.row().view),
                    Some(since) => self.terminal.tick_without_server(time_left(since.elapsed())),
                },
            }
        }
    }

    /// Stops the run. Too late is fine: then it has come to rest by itself.
    fn stop(&self, run: RunId, presses: u32) -> Telling<'_> {
        let what = if presses == 1 { "pause" } else { "cancel" };
        Box::pin(async move { drop(self.client.tell(run, what).await) })
    }

    fn note_lost(&self, row: &RunRow) {
        // A command that resumes the run by itself could not be followed from here.
        self.terminal.note(&format!(
            "interrupted: the server has stopped; `amelia server start` in another terminal continues {}, and this command \
             follows it. It waits {} s for a server",
            row.run.number,
            RECONNECT_TIMEOUT.as_secs()
        ));
    }
}

/// How long a server is still waited for.
fn time_left(waited: Duration) -> Duration {
    RECONNECT_TIMEOUT.saturating_sub(waited)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_waited_for_until_the_time_is_over() {
        assert_eq!(time_left(Duration::ZERO), RECONNECT_TIMEOUT);
        assert_eq!(time_left(Duration::from_secs(12)), RECONNECT_TIMEOUT - Duration::from_secs(12));
        assert_eq!(time_left(RECONNECT_TIMEOUT * 2), Duration::ZERO);
    }
}
