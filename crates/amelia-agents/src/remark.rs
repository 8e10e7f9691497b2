//! What the person has said about a task: to Amelia, when it asked them how to continue, and to the Developer in its
//! conversation. Others who judge the work need it too, or they undo what the person wanted. Pure.

use amelia_core::ask_human::answered_questions;
use amelia_core::message::{Message, Role};
use amelia_core::view::HEARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::conversation::{PERSON_ASKED, PERSON_SAID};

/// Words of the person.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PersonRemark {
    /// What they were asked, as far as a model wrote it; empty when they spoke on their own.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub asked: String,
    pub words: String,
}

impl PersonRemark {
    /// Nothing when there are no words.
    #[must_use]
    pub fn new(asked: &str, words: &str) -> Option<Self> {
        let (asked, words) = (asked.trim().to_owned(), words.trim().to_owned());
        (!words.is_empty()).then_some(Self { asked, words })
    }
}

/// What the person has said in the conversation with an agent, oldest first.
#[must_use]
pub fn remarks(conversation: &[Message]) -> Vec<PersonRemark> {
    let mut found = Vec::new();
    for (place, message) in conversation.iter().enumerate() {
        match message.role {
            Role::User => found.extend(said_to_agent(message)),
            // The results follow the turn that made the calls.
            Role::Tool => {
                let exchange = conversation.get(place.saturating_sub(1)..=place).unwrap_or_default();
                let answered = answered_questions(exchange);
                found.extend(answered.iter().filter_map(|one| PersonRemark::new(&one.question, &one.answer)));
            }
            Role::Assistant | Role::System => {}
        }
    }
    found
}

fn said_to_agent(message: &Message) -> Option<PersonRemark> {
    let text = |key| message.metadata.get(key).and_then(Value::as_str);
    match text(PERSON_SAID) {
        Some(words) => PersonRemark::new(text(PERSON_ASKED).unwrap_or_default(), words),
        None => message.metadata.get(HEARD).and_then(|_| PersonRemark::new("", &message.text())),
    }
}

#[cfg(test)]
#[path = "remark_tests.rs"]
mod tests;
