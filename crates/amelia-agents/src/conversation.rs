//! A conversation is what the log says it is: a resumed agent continues it. Pure.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use amelia_core::event::human::Intervention;
use amelia_core::event::{AgentEvent, Event, EventKind};
use amelia_core::human::AnsweredRequest;
use amelia_core::id::{AgentName, CallId, MessageId, Seq, SessionId, Step};
use amelia_core::message::{ExecutionMode, Message, Object, Part, Role, TextPart};
use amelia_core::tool::{ToolCall, ToolResult};
use amelia_core::view::HEARD;
use amelia_graph::node::NodeCx;
use serde_json::{Value, json};

use crate::{asking, eliciting, permission, stopping};

/// Marks a message as the words with which a person let an agent continue.
pub(crate) const ANSWER_TO: &str = "answer_to";
/// What a person said in such a message, in their own words, and what they had been asked.
pub(crate) const PERSON_SAID: &str = "person_said";
pub(crate) const PERSON_ASKED: &str = "person_asked";
/// Marks a message as what a visit has to say: the opening, or the next word in a conversation of several visits.
const OPENS: &str = "opens_step";

/// What a person, or a node, says to an agent first.
#[must_use]
pub fn from_user(cx: &NodeCx, agent: &AgentName, text: impl Into<String>) -> Message {
    word(cx, agent, 1, text)
}

/// What a node says to an agent as its `number`-th word in this visit. The same number is the same word, also after a
/// crash.
#[must_use]
pub fn word(cx: &NodeCx, agent: &AgentName, number: u32, text: impl Into<String>) -> Message {
    Message {
        id: MessageId(cx.new_id()),
        at: cx.now(),
        role: Role::User,
        agent: agent.clone(),
        task: None,
        parent: None,
        mode: ExecutionMode::default(),
        memory: Object::new(),
        parts: vec![Part::Text(TextPart::new(text))],
        metadata: Object::from_iter([(OPENS.to_owned(), json!([cx.step(), number]))]),
    }
}

/// Whether the conversation has this word.
#[must_use]
pub fn has_word(messages: &[impl Borrow<Message>], word: &Message) -> bool {
    let opens = word.metadata.get(OPENS);
    // A word is looked for in every turn of a long conversation, and most of its messages are answers.
    let is_same = |message: &Message| message.role == word.role && message.metadata.get(OPENS) == opens;
    messages.iter().rev().any(|message| is_same(message.borrow()))
}

/// Whether a message is a word of the same visit as another one.
#[must_use]
pub(crate) fn is_word_of(message: &Message, word: &Message) -> bool {
    let visit = |message: &Message| message.metadata.get(OPENS)?.get(0).cloned();
    let opened = visit(message);
    opened.is_some() && opened == visit(word)
}

/// The number of a word in its visit.
#[must_use]
pub(crate) fn number_of(word: &Message) -> u64 {
    word.metadata.get(OPENS).and_then(|opens| opens.get(1)).and_then(Value::as_u64).unwrap_or_default()
}

/// The word as this visit has said it, by what was recorded of the conversation.
#[must_use]
pub fn was_said<'e>(past: &'e [Event], cx: &NodeCx, word: &Message) -> Option<&'e Message> {
    let opens = word.metadata.get(OPENS);
    let of_visit = past.iter().rev().take_while(|event| event.draft.step == Some(cx.step()));
    of_visit.into_iter().find_map(|event| match &event.draft.kind {
        EventKind::Agent(AgentEvent::Said(said)) if said.role == word.role => {
            (said.metadata.get(OPENS) == opens).then_some(&**said)
        }
        _ => None,
    })
}

/// What is said next, by the visit and by a person; nothing when the conversation has it all.
#[must_use]
pub fn next_words(cx: &NodeCx, messages: &[impl Borrow<Message>], opening: &Message) -> Vec<Message> {
    let is_open = has_word(messages, opening);
    let guidance = guidance(cx, &opening.agent, messages, is_open);
    let opening = (!is_open).then(|| opening.clone());
    opening.into_iter().chain(guidance).collect()
}

/// What a person said when they let the agent continue past a limit, or answered it; `None` when no question was asked, or the
/// conversation has it already, or the answer is the result of a call that the conversation has. An agent that begins
/// anew, in a fork of a run that waited, needs no word to continue, but gets the answer.
fn guidance(
    cx: &NodeCx,
    agent: &AgentName,
    messages: &[impl Borrow<Message>],
    is_open: bool,
) -> Option<Message> {
    let answered = cx.answered()?;
    let asked_it = |call: &ToolCall| asking::is_about(answered, call);
    let mut calls = messages.iter().flat_map(|message| calls_of(message.borrow()));
    if calls.any(asked_it) || is_open_call(answered, messages) {
        return None;
    }
    let request = answered.request.id.to_string();
    if messages.iter().any(|message| is_answer_to(message.borrow(), &request)) {
        return None;
    }
    if stopping::is_stop(answered) {
        return stopping::words(answered, messages).map(|words| answer_message(cx, agent, &request, words));
    }
    let words = permission::words(answered).or_else(|| eliciting::words(answered));
    let words = words.or_else(|| asking::words(answered));
    let words = words.or_else(|| answered.reply.message.clone());
    let go_on =
        || is_open.then(|| "Continue. If something failed repeatedly, try another approach.".to_owned());
    let mut message = answer_message(cx, agent, &request, words.or_else(go_on)?);
    if let Some(words) = asking::person_words(answered) {
        let said = [(PERSON_ASKED, json!(answered.request.prompt)), (PERSON_SAID, json!(words))];
        message.metadata.extend(said.map(|(key, value)| (key.to_owned(), value)));
    }
    Some(message)
}

/// Whether this message gave an agent what a person answered to this request.
fn is_answer_to(message: &Message, request: &str) -> bool {
    message.metadata.get(ANSWER_TO).and_then(Value::as_str) == Some(request)
}

/// What was recorded since an agent got the answer that this visit has; nothing if that is yet to come.
pub(crate) fn since_answer<'e>(cx: &NodeCx, past: &'e [Event]) -> &'e [Event] {
    let request = cx.answered().map(|answered| answered.request.id.to_string()).unwrap_or_default();
    let is_told = |event: &Event| match &event.draft.kind {
        EventKind::Agent(AgentEvent::Said(said)) => is_answer_to(said, &request),
        _ => false,
    };
    let told = past.iter().position(is_told);
    told.and_then(|told| past.get(told..)).unwrap_or_default()
}

/// The words with which a person lets an agent continue.
fn answer_message(cx: &NodeCx, agent: &AgentName, request: &str, words: String) -> Message {
    let metadata = Object::from_iter([(ANSWER_TO.to_owned(), json!(request))]);
    Message { metadata, ..from_user(cx, agent, words) }
}

/// Whether the answer is about a call of the last turn, which is made next.
fn is_open_call(answered: &AnsweredRequest, messages: &[impl Borrow<Message>]) -> bool {
    let last = messages.last().map(Borrow::borrow).filter(|last: &&Message| last.role == Role::Assistant);
    let allowed = |call: &ToolCall| permission::is_about_call(answered, call);
    last.into_iter().flat_map(calls_of).any(allowed)
}

/// Turns that were taken before a person or a visit last said something: they do not count any more.
#[must_use]
pub fn turns_before_last_word(messages: &[impl Borrow<Message>]) -> u32 {
    let is_word =
        |message: &Message| message.metadata.contains_key(ANSWER_TO) || message.metadata.contains_key(OPENS);
    let last = messages.iter().rposition(|message| is_word(message.borrow()));
    let before = messages.iter().take(last.unwrap_or(0));
    let turns = before.filter(|message| (*message).borrow().role == Role::Assistant).count();
    u32::try_from(turns).unwrap_or(u32::MAX)
}

/// What was handed in by the tool `name` in this visit, and accepted.
#[must_use]
pub fn handed_in(past: &[Event], cx: &NodeCx, name: &str) -> Option<Object> {
    let this_visit = || past.iter().filter(|event| event.draft.step == Some(cx.step()));
    let mut accepted = this_visit().filter_map(|event| match &event.draft.kind {
        EventKind::Agent(AgentEvent::Returned(result)) => Some(result),
        _ => None,
    });
    let is_ours = |result: &&ToolResult| {
        result.tool.server.is_none() && result.tool.name == name && result.is_success()
    };
    let call = &accepted.rfind(is_ours)?.call;
    this_visit().find_map(|event| match &event.draft.kind {
        EventKind::Agent(AgentEvent::Called(called)) if called.id == *call => Some(called.args.clone()),
        _ => None,
    })
}

/// Whether the output of this visit is in the log.
#[must_use]
pub fn has_finished(past: &[Event], cx: &NodeCx) -> bool {
    past.iter().any(|event| {
        event.draft.step == Some(cx.step())
            && matches!(event.draft.kind, EventKind::Agent(AgentEvent::Finished { .. }))
    })
}

/// The output of `agent` in a visit, when the log has it and nothing was said to the agent after it.
#[must_use]
pub fn last_output<'a>(past: &'a [Event], step: Step, agent: &AgentName) -> Option<&'a String> {
    let of_visit = |event: &&Event| event.draft.step == Some(step) && event.draft.agent == *agent;
    let last = past.iter().rev().filter(of_visit).find_map(|event| match &event.draft.kind {
        EventKind::Agent(AgentEvent::Finished { text, .. }) => Some(Some(text)),
        EventKind::Agent(AgentEvent::Said(said)) if said.role == Role::User => Some(None),
        _ => None,
    });
    last.flatten()
}

/// What a person said to an agent in the middle of its work.
#[must_use]
pub fn heard(cx: &NodeCx, agent: &AgentName, words: &Intervention) -> Message {
    let text = words.details.get("message").and_then(Value::as_str).unwrap_or_default();
    let mut message = from_user(cx, agent, text);
    message.metadata = Object::from_iter([(HEARD.to_owned(), json!(words.id))]);
    // The same words are the same message, however often they are given: a program may know it again.
    message.id = words.id.parse().map_or(message.id, MessageId);
    message
}

/// Whether a message is these words of a person.
pub(crate) fn is_of(message: &Message, words: &Intervention) -> bool {
    message.metadata.get(HEARD).and_then(Value::as_str) == Some(&words.id)
}

/// The result of the call with which a program asked a person: it was ended then, and gets the answer in words. `None`
/// when the log has one.
pub(crate) fn result_of_question(cx: &NodeCx, past: &[Event]) -> Option<ToolResult> {
    let called = past.iter().rev().find_map(|event| match &event.draft.kind {
        EventKind::Agent(AgentEvent::Called(call)) => asking::answer(cx, call),
        _ => None,
    })?;
    let is_known = |result: &ToolResult| result.call == called.call;
    (!past.iter().filter_map(result_in).any(is_known)).then_some(called)
}

/// How many messages `agent` got since it last did anything: it has heard all before. What a person says in the middle of
/// its work is written down only when it has it in its conversation.
#[must_use]
pub fn unheard(past: &[Event], agent: &AgentName) -> usize {
    let latest = past.iter().rev().filter(|event| event.draft.agent == *agent);
    let is_word = latest.filter_map(|event| match &event.draft.kind {
        EventKind::Agent(AgentEvent::Said(said)) => {
            Some(said.role == Role::User && !said.metadata.contains_key(HEARD))
        }
        EventKind::Agent(
            AgentEvent::Called(_) | AgentEvent::Returned(_) | AgentEvent::Thought(_) | AgentEvent::Used(_),
        ) => Some(false),
        _ => None,
    });
    is_word.take_while(|is_word| *is_word).count()
}

/// The vendor's conversation with `agent`, when there is one.
#[must_use]
pub fn session(past: &[Event], agent: &AgentName) -> Option<SessionId> {
    let of_agent = past.iter().rev().filter(|event| event.draft.agent == *agent);
    of_agent.into_iter().find_map(|event| match &event.draft.kind {
        EventKind::Agent(AgentEvent::Started { session, .. } | AgentEvent::Finished { session, .. }) => {
            session.clone()
        }
        _ => None,
    })
}

/// Ends a last turn whose calls were not all made: the conversation continues with something else. Says the results that
/// were missing. A call that the log has begun may have been made: that is not known.
#[must_use]
pub fn close(messages: &mut Vec<Arc<Message>>, past: &[Event]) -> Vec<ToolResult> {
    let Some(last) = messages.last().filter(|message| message.role == Role::Assistant) else {
        return Vec::new();
    };
    let has_begun = |call: &ToolCall| {
        let is_it = |event: &Event| match &event.draft.kind {
            EventKind::Agent(AgentEvent::Called(called)) => called.id == call.id,
            _ => false,
        };
        past.iter().any(is_it)
    };
    let not_run = |call: &ToolCall| match has_begun(call) {
        true => ToolResult::interrupted(call),
        false => ToolResult {
            error: Some("not run: the turn had ended".to_owned()),
            ..ToolResult::interrupted(call)
        },
    };
    let missing: Vec<ToolResult> = calls_of(last).map(not_run).collect();
    if !missing.is_empty() {
        let parts = missing.iter().cloned().map(Part::ToolResult).collect();
        let results = Message { role: Role::Tool, parts, metadata: Object::new(), ..(**last).clone() };
        messages.push(Arc::new(results));
    }
    missing
}

/// The conversation of `agent` in the events of one session: every turn, and after each turn the results of its
/// calls. A last turn whose calls have not all returned stands at the end without results: its calls are resumed
/// one by one, each by its own rule.
#[must_use]
pub fn rebuild(past: &[Event], agent: &AgentName) -> Vec<Arc<Message>> {
    RebuiltConversation::default().read_on(past, agent)
}

/// A conversation as far as it was rebuilt. What follows is read from the events that follow.
#[derive(Debug, Default)]
pub(crate) struct RebuiltConversation {
    /// So many events were read, up to this one: all calls in them have their results.
    events: usize,
    end: Seq,
    messages: Vec<Arc<Message>>,
    calls: BTreeSet<CallId>,
}

impl RebuiltConversation {
    /// The conversation of `agent` in `past`, of which the events that were read before are the beginning.
    pub(crate) fn read_on(&mut self, past: &[Event], agent: &AgentName) -> Vec<Arc<Message>> {
        if !self.is_beginning_of(past) {
            *self = Self::default();
        }
        let new = past.get(self.events..).unwrap_or_default();
        let results: BTreeMap<&CallId, &ToolResult> =
            new.iter().filter_map(result_in).map(|result| (&result.call, result)).collect();
        let mut open = None;
        let mut messages = self.messages.clone();
        for (place, event) in new.iter().enumerate().filter(|(_, event)| event.draft.agent == *agent) {
            let EventKind::Agent(AgentEvent::Said(said)) = &event.draft.kind else { continue };
            messages.push(Arc::new((**said).clone()));
            let calls: Vec<&CallId> = calls_of(said).map(|call| &call.id).collect();
            let returned: Option<Vec<Part>> = calls
                .iter()
                .map(|id| results.get(id).map(|result| Part::ToolResult((*result).clone())))
                .collect();
            match returned {
                None => open = open.or(Some((place, messages.len() - 1))),
                Some(parts) if !parts.is_empty() => {
                    let (role, metadata) = (Role::Tool, Object::new());
                    messages.push(Arc::new(Message { role, parts, metadata, ..(**said).clone() }));
                }
                Some(_) => {}
            }
            if open.is_none() {
                self.calls.extend(calls.into_iter().cloned());
            }
        }
        let (read, kept) = open.unwrap_or((new.len(), messages.len()));
        self.messages.extend(messages.iter().take(kept).skip(self.messages.len()).cloned());
        self.end = new.iter().take(read).next_back().map_or(self.end, |last| last.seq);
        self.events += read;
        messages
    }

    /// Whether these events continue those that were read, and no result of theirs is another now.
    fn is_beginning_of(&self, past: &[Event]) -> bool {
        let last = self.events.checked_sub(1).map(|last| past.get(last).map(|event| event.seq));
        let mut new = past.iter().skip(self.events).filter_map(result_in);
        last.is_none_or(|last| last == Some(self.end)) && !new.any(|result| self.calls.contains(&result.call))
    }
}

fn result_in(event: &Event) -> Option<&ToolResult> {
    match &event.draft.kind {
        EventKind::Agent(AgentEvent::Returned(result)) => Some(result),
        _ => None,
    }
}

fn calls_of(message: &Message) -> impl Iterator<Item = &ToolCall> {
    message.parts.iter().filter_map(|part| match part {
        Part::ToolCall(call) => Some(call),
        _ => None,
    })
}

#[cfg(test)]
#[path = "conversation_tests.rs"]
mod tests;
