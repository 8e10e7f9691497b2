//! How a conversation ends before its driver says so: a question to a person, a result that was handed in, a loop, or a
//! log that cannot be written: then the model may get nothing more.

use amelia_core::driver::DriverError;
use amelia_core::human::HumanRequest;
use amelia_core::message::Object;
use amelia_graph::node::NodeError;
use parking_lot::Mutex;
use tokio::sync::oneshot;

/// Why the driver is not asked any further.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum StopCause {
    /// One question, or one of each sub-agent.
    Asks(Vec<HumanRequest>),
    HandedIn {
        tool: String,
        args: Object,
    },
    /// It makes the same failing call again and again.
    Looped(DriverError),
    Broken(NodeError),
}

/// Where an ending leaves the middle of a tool call.
pub(crate) struct StopSignal(Mutex<Option<oneshot::Sender<StopCause>>>);

impl StopSignal {
    pub(crate) fn new() -> (Self, oneshot::Receiver<StopCause>) {
        let (sender, receiver) = oneshot::channel();
        (Self(Mutex::new(Some(sender))), receiver)
    }

    /// Lets it out. Never returns: the listener drops the conversation, and the call with it.
    pub(crate) async fn end<T>(&self, ending: StopCause) -> T {
        let sender = self.0.lock().take();
        if let Some(sender) = sender {
            // No one listens any more: then no one waits for this call either.
            sender.send(ending).ok();
        }
        std::future::pending().await
    }
}
