//! What can be said to a run while it moves. Cancelling is not here: that is a token, which always works.

use amelia_core::event::EventKind;
use amelia_core::event::human::Intervention;
use amelia_core::event::run::Steering;
use amelia_core::human::HumanReply;
use tokio::sync::{mpsc, oneshot};

use crate::position::NotWaiting;

/// Commands that may wait for a busy engine; a sender waits when there are more.
const QUEUE: usize = 64;

/// A cheap handle on a running engine.
#[derive(Debug, Clone)]
pub struct Control(mpsc::Sender<ControlCommand>);

/// The engine's end of a [`Control`].
#[derive(Debug)]
pub struct Inbox(mpsc::Receiver<ControlCommand>);

#[derive(Debug)]
pub(crate) enum ControlCommand {
    Reply(HumanReply, oneshot::Sender<Result<(), NotWaiting>>),
    Pause(oneshot::Sender<()>),
    Halt(oneshot::Sender<()>),
    Say(Intervention, oneshot::Sender<()>),
    Steer(Steering, oneshot::Sender<()>),
    Note(Vec<EventKind>, oneshot::Sender<()>),
}

/// Why a command came to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ControlError {
    #[error(transparent)]
    NotWaiting(#[from] NotWaiting),
    /// Nothing is lost: what was not committed is read from the store by the next start.
    #[error("the run is not running")]
    NotRunning,
}

/// A handle and its engine's end.
#[must_use]
pub fn control() -> (Control, Inbox) {
    let (sender, receiver) = mpsc::channel(QUEUE);
    (Control(sender), Inbox(receiver))
}

impl Control {
    /// Answers a question. Durable when it returns `Ok`.
    pub async fn reply(&self, reply: HumanReply) -> Result<(), ControlError> {
        let (answer, committed) = oneshot::channel();
        self.0.send(ControlCommand::Reply(reply, answer)).await.map_err(|_| ControlError::NotRunning)?;
        Ok(committed.await.map_err(|_| ControlError::NotRunning)??)
    }

    /// Stops before the next node. Durable when it returns `Ok`.
    pub async fn pause(&self) -> Result<(), ControlError> {
        let (answer, committed) = oneshot::channel();
        self.0.send(ControlCommand::Pause(answer)).await.map_err(|_| ControlError::NotRunning)?;
        committed.await.map_err(|_| ControlError::NotRunning)
    }

    /// Says something to the run: an agent of it hears it as soon as it can. Durable when it returns `Ok`.
    pub async fn say(&self, words: Intervention) -> Result<(), ControlError> {
        let (answer, committed) = oneshot::channel();
        self.0.send(ControlCommand::Say(words, answer)).await.map_err(|_| ControlError::NotRunning)?;
        committed.await.map_err(|_| ControlError::NotRunning)
    }

    /// Says where the run stops from now on. Durable when it returns `Ok`.
    pub async fn steer(&self, steering: Steering) -> Result<(), ControlError> {
        let (answer, committed) = oneshot::channel();
        self.0.send(ControlCommand::Steer(steering, answer)).await.map_err(|_| ControlError::NotRunning)?;
        committed.await.map_err(|_| ControlError::NotRunning)
    }

    /// Writes facts that come from outside ([`EventKind::may_come_from_outside`]). Nodes at work do not notice. Durable when
    /// it returns `Ok`.
    pub async fn note(&self, facts: Vec<EventKind>) -> Result<(), ControlError> {
        let (answer, committed) = oneshot::channel();
        self.0.send(ControlCommand::Note(facts, answer)).await.map_err(|_| ControlError::NotRunning)?;
        committed.await.map_err(|_| ControlError::NotRunning)
    }

    /// Stops at once: nodes at work are dropped and continue from their journal with the run. Durable when it
    /// returns `Ok`.
    pub async fn halt(&self) -> Result<(), ControlError> {
        let (answer, committed) = oneshot::channel();
        self.0.send(ControlCommand::Halt(answer)).await.map_err(|_| ControlError::NotRunning)?;
        committed.await.map_err(|_| ControlError::NotRunning)
    }
}

impl Inbox {
    /// The next command; never, when the last [`Control`] is dropped.
    pub(crate) async fn next(&mut self) -> ControlCommand {
        match self.0.recv().await {
            Some(command) => command,
            None => std::future::pending().await,
        }
    }
}
