//! How a tool call stops the agent it was made by: when the log cannot be written, nothing may be told to the model.

use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};

use amelia_graph::node::NodeError;
use tokio::sync::oneshot;

/// The calls' end. The first one that is raised counts.
pub(crate) struct Alarm(Mutex<Option<oneshot::Sender<NodeError>>>);

impl Alarm {
    /// An alarm, and what the agent listens to.
    pub(crate) fn new() -> (Self, oneshot::Receiver<NodeError>) {
        let (sender, receiver) = oneshot::channel();
        (Self(Mutex::new(Some(sender))), receiver)
    }

    /// Never returns: the agent is dropped, and its calls with it.
    pub(crate) async fn raise(&self, error: NodeError) -> Infallible {
        let sender = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(sender) = sender {
            // Nobody listens any more: then the agent has stopped already.
            sender.send(error).ok();
        }
        std::future::pending().await
    }
}
