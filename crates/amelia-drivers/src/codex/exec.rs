//! The conversation with `codex exec`: it gets its input once, and then only sends. No permissions, no tools of
//! ours; its sandbox alone holds it back. Pure.

use std::sync::Arc;

use amelia_core::clock::Clock;
use amelia_core::driver::{AgentMessage, AgentRequest, DriverError};
use amelia_core::id::SessionId;
use amelia_core::message::Message;
use amelia_core::tool::{ToolSpec, WorkArea};
use serde::Deserialize;
use serde_json::Value;

use super::failure::TurnError;
use super::item::{Item, ItemTranslator};
use super::item_tracker::ItemTracker;
use super::usage::Tokens;
use super::{CodexSettings, failure, launch};
use crate::program::rpc::text;
use crate::program::{
    Launch, MessageFactory, ProtocolAction, UserInput, from_the_start, in_conversation, next_words,
    not_installed,
};

/// One conversation.
pub(super) struct ExecTalk {
    settings: CodexSettings,
    request: AgentRequest,
    work_area: WorkArea,
    extras: Vec<ToolSpec>,
    factory: MessageFactory,
    session: Option<String>,
    is_heard: bool,
    is_garbled: bool,
    items: ItemTracker,
    last_words: String,
    /// What people said meanwhile: it is the next turn.
    unheard: Vec<Message>,
    /// What they said is what this turn began with.
    given: Vec<Message>,
}

impl ExecTalk {
    pub(super) fn new(
        settings: &CodexSettings,
        request: AgentRequest,
        work_area: WorkArea,
        extras: Vec<ToolSpec>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            settings: settings.clone(),
            factory: MessageFactory { agent: request.agent.clone(), clock },
            session: request.session.as_ref().map(ToString::to_string),
            request,
            work_area,
            extras,
            is_heard: false,
            is_garbled: false,
            items: ItemTracker::default(),
            last_words: String::new(),
            unheard: Vec::new(),
            given: Vec::new(),
        }
    }

    pub(super) fn begin(&mut self) -> (Launch, Vec<ProtocolAction>) {
        self.given = std::mem::take(&mut self.unheard);
        let input = match self.session {
            Some(_) if !self.given.is_empty() => UserInput::joined(self.given.iter().map(UserInput::of)),
            Some(_) => next_words(&self.request),
            None => from_the_start(&self.request),
        };
        // It takes images only as files.
        let input = input.encoded(|_| None);
        let notices = input.notices("codex exec").into_iter();
        let mut words = input.text;
        if let Some(shape) = &self.request.answer {
            words.push_str(&format!(
                "\n\nYour last message must be JSON that fits this schema, and nothing else:\n{}",
                shape.schema
            ));
        }
        let session = self.session.as_deref();
        let launch = launch::exec(&self.settings, &self.request, &self.work_area, session, &words);
        let missing: Vec<String> = self.extras.iter().map(|spec| spec.name.to_string()).collect();
        let text = format!("codex exec cannot be given these tools: {}", missing.join(", "));
        let notices = notices.chain((!missing.is_empty()).then_some(text));
        let told = notices.map(|text| ProtocolAction::Tell(AgentMessage::Notice { text }));
        (launch, told.chain([ProtocolAction::Say(words)]).collect())
    }

    pub(super) fn steered(&mut self, message: &Message) -> Vec<ProtocolAction> {
        self.unheard.push(message.clone());
        let text = "codex exec does not read messages while it works: it gets this one when its turn ends"
            .to_owned();
        vec![ProtocolAction::Tell(AgentMessage::Notice { text })]
    }

    pub(super) fn hear(&mut self, line: &str) -> Vec<ProtocolAction> {
        let Ok(event) = serde_json::from_str::<Value>(line) else {
            let text = "codex sent something that is not in its protocol; Amelia ignored it".to_owned();
            let is_new = !line.trim().is_empty() && !std::mem::replace(&mut self.is_garbled, true);
            return is_new
                .then_some(ProtocolAction::Tell(AgentMessage::Notice { text }))
                .into_iter()
                .collect();
        };
        self.is_heard = true;
        match text(&event, &["type"]).unwrap_or_default() {
            "thread.started" => {
                self.session = text(&event, &["thread_id"]).map(str::to_owned);
                let session = self.session.as_deref().and_then(|session| SessionId::new(session).ok());
                let session = session.map(AgentMessage::Session).map(ProtocolAction::Tell);
                let taken = std::mem::take(&mut self.given).into_iter().map(in_conversation);
                session.into_iter().chain(taken).collect()
            }
            "item.started" => self.item(&event, ItemTracker::begun),
            "item.completed" => self.item(&event, ItemTracker::done),
            "turn.completed" => self.turned(&event),
            "turn.failed" => {
                let error = event.get("error").and_then(|error| TurnError::deserialize(error).ok());
                let error = error.unwrap_or_else(|| TurnError::of_words("the turn failed"));
                vec![ProtocolAction::Fail(failure::of_turn(&error, &self.request.model, None))]
            }
            "error" => {
                let text = format!("codex: {}", text(&event, &["message"]).unwrap_or_default());
                vec![ProtocolAction::Tell(AgentMessage::Notice { text })]
            }
            _ => Vec::new(),
        }
    }

    fn item(
        &mut self,
        event: &Value,
        then: fn(&mut ItemTracker, &ItemTranslator<'_>, &str, &Item) -> Vec<AgentMessage>,
    ) -> Vec<ProtocolAction> {
        let id = text(event, &["item", "id"]).unwrap_or_default();
        let Some(Ok(item)) = event.get("item").map(Item::deserialize) else { return Vec::new() };
        if let Item::AgentMessage { text } = &item {
            self.last_words.clone_from(text);
        }
        let translator = ItemTranslator { factory: &self.factory, work_area: &self.work_area.path };
        then(&mut self.items, &translator, id, &item).into_iter().map(ProtocolAction::Tell).collect()
    }

    /// It reports what it has used at the end, and for a resumed conversation together with all before: then
    /// it is not known what this turn took.
    fn turned(&mut self, event: &Value) -> Vec<ProtocolAction> {
        let tokens = event.get("usage").and_then(|usage| Tokens::deserialize(usage).ok());
        let tokens = tokens.filter(|_| self.request.session.is_none()).unwrap_or_default();
        let session = self.session.as_deref().and_then(|session| SessionId::new(session).ok());
        let used = ProtocolAction::Used(tokens.used(&self.request.model, None));
        let mut acts: Vec<ProtocolAction> =
            std::mem::take(&mut self.given).into_iter().map(in_conversation).collect();
        if !self.unheard.is_empty() && session.is_some() {
            acts.extend([used, ProtocolAction::Close, ProtocolAction::Again { why: None }]);
            return acts;
        }
        let text = self.last_words.clone();
        acts.extend([
            used,
            ProtocolAction::Tell(AgentMessage::Result { text, session, is_error: false }),
            ProtocolAction::Done,
        ]);
        acts
    }

    /// A conversation that it does not have is begun anew.
    pub(super) fn ended(&mut self, code: Option<i32>, last_words: &str) -> ProtocolAction {
        if !self.is_heard && self.session.is_some() && last_words.contains("no rollout found") {
            self.session = None;
            return ProtocolAction::Again {
                why: Some("the conversation no longer exists; a new one starts".to_owned()),
            };
        }
        if code == Some(127) && !self.is_heard {
            return ProtocolAction::Fail(missing());
        }
        ProtocolAction::Fail(failure::of_end(code, last_words))
    }
}

fn missing() -> DriverError {
    failure::program(not_installed())
}
