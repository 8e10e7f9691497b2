//! What the person has said about the work: to Amelia, when it asked them how to continue, and to an agent in its
//! conversation. The others need it too, or they undo what the person wanted. Pure.

use std::borrow::Borrow;
use std::collections::BTreeSet;

use amelia_core::ask_human::answered_questions;
use amelia_core::event::{AgentEvent, Event, EventKind};
use amelia_core::id::{AgentName, RunId};
use amelia_core::message::{Message, Role};
use amelia_core::view::HEARD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::conversation::{ANSWER_TO, PERSON_ASKED, PERSON_SAID, rebuild};
use crate::prompt::fence;

/// Words of the person.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PersonRemark {
    /// Of words that come to others on several ways; empty where there is only one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// What they were asked, as far as a model wrote it; empty when they spoke on their own.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub asked: String,
    pub words: String,
    /// While what was done: `task 1`. Empty where that is not known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub place: String,
}

impl PersonRemark {
    /// Nothing when there are no words.
    #[must_use]
    pub fn new(asked: &str, words: &str) -> Option<Self> {
        let (asked, words) = (asked.trim().to_owned(), words.trim().to_owned());
        (!words.is_empty()).then(|| Self { asked, words, ..Self::default() })
    }

    /// The same with where it was said, unless it says so.
    #[must_use]
    pub fn said_in(self, place: &str) -> Self {
        if self.place.is_empty() { Self { place: place.to_owned(), ..self } } else { self }
    }

    /// Whether these are the same words at the same time, however they came.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        if self.id.is_empty() { self == other } else { self.id == other.id }
    }

    /// The same for those who were not there.
    #[must_use]
    pub fn in_context(self, context: &str) -> Self {
        let asked =
            if self.asked.is_empty() { context.to_owned() } else { format!("{context}\n{}", self.asked) };
        Self { asked, ..self }
    }

    fn called(self, id: impl Into<String>) -> Self {
        Self { id: id.into(), ..self }
    }
}

/// What the person has said in the conversation with an agent, oldest first.
#[must_use]
pub fn remarks(conversation: &[impl Borrow<Message>]) -> Vec<PersonRemark> {
    let mut found = Vec::new();
    for (place, message) in conversation.iter().map(Borrow::borrow).enumerate() {
        let message: &Message = message;
        match message.role {
            Role::User => found.extend(said_to_agent(message)),
            // The results follow the turn that made the calls.
            Role::Tool => {
                let exchange = conversation.get(place.saturating_sub(1)..=place).unwrap_or_default();
                let answered = answered_questions(exchange.iter().map(Borrow::borrow));
                let said = (1..).zip(&answered).filter_map(|(number, one)| {
                    let remark = PersonRemark::new(&one.question, &one.answer)?;
                    Some(remark.called(format!("{} {number}", message.id.0)))
                });
                found.extend(said);
            }
            Role::Assistant | Role::System => {}
        }
    }
    found
}

fn said_to_agent(message: &Message) -> Option<PersonRemark> {
    let text = |key| message.metadata.get(key).and_then(Value::as_str);
    match text(PERSON_SAID) {
        Some(words) => PersonRemark::new(text(PERSON_ASKED).unwrap_or_default(), words)
            .map(|remark| remark.called(text(ANSWER_TO).unwrap_or_default())),
        None => {
            let id = text(HEARD)?;
            PersonRemark::new("", &message.text()).map(|remark| remark.called(id))
        }
    }
}

/// What the person has said to any agent, by all that was recorded; in each conversation oldest first.
#[must_use]
pub fn remarks_to_all(recorded: Vec<Event>) -> Vec<PersonRemark> {
    let mut sessions: Vec<(Option<RunId>, Vec<Event>)> = Vec::new();
    for event in recorded {
        let session = event.draft.session;
        match sessions.iter_mut().find(|(id, _)| *id == session) {
            Some((_, events)) => events.push(event),
            None => sessions.push((session, vec![event])),
        }
    }
    let said_in = |(_, events): &(_, Vec<Event>)| -> Vec<PersonRemark> {
        speakers(events).into_iter().flat_map(|agent| remarks(&rebuild(events, agent))).collect()
    };
    once(sessions.iter().flat_map(said_in))
}

fn speakers(events: &[Event]) -> Vec<&AgentName> {
    let mut speakers = Vec::new();
    for event in events {
        let has_said = matches!(event.draft.kind, EventKind::Agent(AgentEvent::Said(_)));
        if has_said && !speakers.contains(&&event.draft.agent) {
            speakers.push(&event.draft.agent);
        }
    }
    speakers
}

/// Marks a message as one that passes remarks on: their ids.
const PASSES_ON: &str = "passes_on";

/// Says in the metadata of a message which remarks it passes on.
pub(crate) fn mark_passed_on(message: &mut Message, remarks: &[PersonRemark]) {
    let ids: Vec<&str> =
        remarks.iter().map(|remark| remark.id.as_str()).filter(|id| !id.is_empty()).collect();
    if !ids.is_empty() {
        message.metadata.insert(PASSES_ON.to_owned(), json!(ids));
    }
}

/// The ids of the remarks that an agent has heard itself, or that were passed on to it.
#[must_use]
pub fn known_ids(conversation: &[impl Borrow<Message>]) -> BTreeSet<String> {
    let messages = conversation.iter().map(Borrow::borrow);
    let passed_on = messages.filter_map(|message: &Message| message.metadata.get(PASSES_ON)?.as_array());
    let passed_on = passed_on.flatten().filter_map(Value::as_str).map(str::to_owned);
    let heard = remarks(conversation).into_iter().map(|remark| remark.id);
    passed_on.chain(heard).filter(|id| !id.is_empty()).collect()
}

/// What the person has said to others, in words for an agent that has not heard it; nothing when there is nothing.
#[must_use]
pub fn passed_on(remarks: &[PersonRemark]) -> Option<String> {
    let place = |remark: &PersonRemark| match remark.place.as_str() {
        "" => String::new(),
        place => format!(" (said during {place})"),
    };
    let item = |remark: &PersonRemark| match remark.asked.as_str() {
        "" => format!("- {}{}", remark.words, place(remark)),
        asked => {
            let asked = fence::untrusted(asked, "what they were asked");
            format!("- {}{}\n  They said this about:\n\n{asked}", remark.words, place(remark))
        }
    };
    let items: Vec<String> = remarks.iter().map(item).collect();
    let opening = "The person you work for has also said this, to other agents of this run. Where your work differs from \
                   it, this counts. What was said during another task is about that task, unless the words say otherwise:";
    (!items.is_empty()).then(|| format!("{opening}\n\n{}", items.join("\n\n")))
}

/// Each remark where it comes first.
#[must_use]
pub fn once(remarks: impl IntoIterator<Item = PersonRemark>) -> Vec<PersonRemark> {
    let mut found: Vec<PersonRemark> = Vec::new();
    for remark in remarks {
        if !found.iter().any(|known| known.is_same(&remark)) {
            found.push(remark);
        }
    }
    found
}

#[cfg(test)]
#[path = "remark_tests.rs"]
mod tests;
