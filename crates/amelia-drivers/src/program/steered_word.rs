//! What is said to a program in the middle of its work. Pure.

use amelia_core::driver::AgentMessage;
use amelia_core::message::Message;

use super::{ProtocolAction, UserInput};

/// Words for a program, with the message of the person who said them, if a person did.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SteeredWord {
    pub(crate) input: UserInput,
    pub(crate) message: Option<Message>,
}

impl SteeredWord {
    pub(crate) fn of(message: &Message) -> Self {
        Self { input: UserInput::of(message), message: Some(message.clone()) }
    }
}

impl From<String> for SteeredWord {
    fn from(text: String) -> Self {
        Self { input: text.into(), message: None }
    }
}

/// The program has this in its conversation.
pub(crate) fn in_conversation(message: Message) -> ProtocolAction {
    ProtocolAction::Tell(AgentMessage::Said(Box::new(message)))
}
