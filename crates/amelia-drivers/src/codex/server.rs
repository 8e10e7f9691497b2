//! The conversation with `codex app-server`, as a state machine: what it says, and what is to be done about it. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use amelia_core::clock::Clock;
use amelia_core::driver::{AgentMessage, AgentRequest, DeltaKind, DriverError};
use amelia_core::id::SessionId;
use amelia_core::tool::{ToolPermission, ToolResult, ToolSpec, WorkArea};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::approval::{self, Approval};
use super::failure::TurnError;
use super::item::{Item, ItemTranslator};
use super::item_tracker::ItemTracker;
use super::thread::Terms;
use super::usage::Meter;
use super::{CodexSettings, failure, launch, outgoing};
use crate::program::rpc::{self, RpcMessage, text};
use crate::program::{
    Launch, MessageFactory, ProtocolAction, SteeredWord, UserInput, from_the_start, in_conversation,
    next_words,
};

/// It calls a tool of ours.
pub const CALL: &str = "item/tool/call";

/// All that we listen to.
pub const HEARD: [&str; 14] = [
    "account/rateLimits/updated",
    "error",
    "item/agentMessage/delta",
    "item/commandExecution/outputDelta",
    "item/completed",
    "item/reasoning/summaryTextDelta",
    "item/reasoning/textDelta",
    "item/started",
    "model/rerouted",
    "serverRequest/resolved",
    "thread/tokenUsage/updated",
    "turn/completed",
    "turn/started",
    "warning",
];

/// Why we wait for an answer.
#[derive(Debug, Clone, PartialEq)]
enum Awaited {
    Hello,
    Resume,
    Start,
    Turn,
    /// These words were said in the middle of a turn.
    Steer(Box<SteeredWord>),
}

/// One conversation.
pub(super) struct ServerTalk {
    settings: CodexSettings,
    request: AgentRequest,
    work_area: WorkArea,
    extras: Vec<ToolSpec>,
    factory: MessageFactory,
    asked: u64,
    awaited: BTreeMap<u64, Awaited>,
    thread: Option<String>,
    turn: Option<String>,
    items: ItemTracker,
    /// Questions under way, by their key; each with the id to answer to.
    approvals: BTreeMap<String, (Value, Approval)>,
    meter: Meter,
    model_calls: u32,
    last_words: String,
    resets_at: Option<Timestamp>,
    /// What a person said that no turn has heard yet.
    unheard: Vec<SteeredWord>,
    /// What people said in this turn, until it is in the conversation: it is taken into it before the next model call.
    given: Vec<SteeredWord>,
    told: BTreeSet<String>,
}

impl ServerTalk {
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
            request,
            work_area,
            extras,
            asked: 0,
            awaited: BTreeMap::new(),
            thread: None,
            turn: None,
            items: ItemTracker::default(),
            approvals: BTreeMap::new(),
            meter: Meter::default(),
            model_calls: 0,
            last_words: String::new(),
            resets_at: None,
            unheard: Vec::new(),
            given: Vec::new(),
            told: BTreeSet::new(),
        }
    }

    pub(super) fn begin(&mut self) -> (Launch, Vec<ProtocolAction>) {
        let hello = self.ask(Awaited::Hello, "initialize", &outgoing::initialize());
        (launch::server(&self.settings, &self.work_area), vec![hello])
    }

    /// Whether it has understood us at all.
    pub(super) fn is_greeted(&self) -> bool {
        self.asked > 1
    }

    pub(super) fn hear(&mut self, line: &str) -> Vec<ProtocolAction> {
        match rpc::read(line) {
            None if line.trim().is_empty() => Vec::new(),
            None => self.tell_once("codex sent something that is not in its protocol; Amelia ignored it"),
            Some(RpcMessage::Told { method, params }) => self.told(&method, &params),
            Some(RpcMessage::Asked { id, method, params }) => self.asked(&id, &method, &params),
            Some(RpcMessage::Answered { id, result }) => match self.awaited.remove(&id) {
                Some(awaited) => self.answered(&awaited, &result),
                None => Vec::new(),
            },
            Some(RpcMessage::Refused { id, refusal }) => match self.awaited.remove(&id) {
                Some(awaited) => self.refused(awaited, &refusal.message),
                None => Vec::new(),
            },
        }
    }

    pub(super) fn permitted(&mut self, key: &str, permit: &ToolPermission) -> Vec<ProtocolAction> {
        let Some((id, approval)) = self.approvals.remove(key) else { return Vec::new() };
        let (answer, words) = approval.answer(permit);
        let mut acts = vec![ProtocolAction::Say(outgoing::answer(&id, &answer))];
        acts.extend(words.into_iter().flat_map(|words| self.steered(words.into())));
        acts
    }

    pub(super) fn returned(&mut self, key: &str, result: &ToolResult) -> Vec<ProtocolAction> {
        let id = serde_json::from_str(key).unwrap_or(Value::Null);
        vec![ProtocolAction::Say(outgoing::answer(&id, &outgoing::returned(result)))]
    }

    pub(super) fn steered(&mut self, word: SteeredWord) -> Vec<ProtocolAction> {
        match (&self.thread, &self.turn) {
            (Some(thread), Some(turn)) => {
                let params = json!({"threadId": thread, "expectedTurnId": turn, "input": outgoing::input(&word.input)});
                self.given.push(word.clone());
                vec![self.ask(Awaited::Steer(Box::new(word)), "turn/steer", &params)]
            }
            _ => {
                self.unheard.push(word);
                Vec::new()
            }
        }
    }

    fn ask(&mut self, awaited: Awaited, method: &str, params: &Value) -> ProtocolAction {
        self.asked += 1;
        self.awaited.insert(self.asked, awaited);
        ProtocolAction::Say(outgoing::request(self.asked, method, params))
    }

    fn terms(&self) -> Terms<'_> {
        let (settings, request) = (&self.settings, &self.request);
        Terms { settings, request, work_area: &self.work_area, extras: &self.extras }
    }

    fn tell_once(&mut self, text: impl Into<String>) -> Vec<ProtocolAction> {
        let text = text.into();
        let is_new = self.told.insert(text.clone());
        if is_new { vec![ProtocolAction::Tell(AgentMessage::Notice { text })] } else { Vec::new() }
    }

    fn answered(&mut self, awaited: &Awaited, result: &Value) -> Vec<ProtocolAction> {
        match awaited {
            Awaited::Hello => self.greeted(result),
            Awaited::Resume => self.opened(result, next_words(&self.request)),
            Awaited::Start => self.opened(result, from_the_start(&self.request)),
            Awaited::Turn => {
                self.turn = text(result, &["turn", "id"]).map(str::to_owned);
                let mut acts = self.taken(|_| true);
                acts.extend(self.catch_up());
                acts
            }
            Awaited::Steer(_) => Vec::new(),
        }
    }

    fn refused(&mut self, awaited: Awaited, message: &str) -> Vec<ProtocolAction> {
        let refused = |what: &str| {
            vec![ProtocolAction::Fail(failure::program(format!("it refused {what}: {message}")))]
        };
        match awaited {
            Awaited::Hello => refused("to be spoken to"),
            Awaited::Resume => {
                let text = format!("the conversation no longer exists; a new one starts: {message}");
                let start = self.terms().start();
                vec![
                    ProtocolAction::Tell(AgentMessage::Notice { text }),
                    self.ask(Awaited::Start, "thread/start", &start),
                ]
            }
            Awaited::Start => refused("to begin a conversation"),
            Awaited::Turn => {
                let error = TurnError::of_words(message);
                vec![ProtocolAction::Fail(failure::of_turn(&error, &self.request.model, self.resets_at))]
            }
            // The turn had just ended: it is said in the next one.
            Awaited::Steer(word) => {
                self.given.retain(|given| *given != *word);
                self.unheard.push(*word);
                Vec::new()
            }
        }
    }

    fn greeted(&mut self, result: &Value) -> Vec<ProtocolAction> {
        let agent = text(result, &["userAgent"]).unwrap_or_default();
        if let Err(too_old) = failure::of_version(agent) {
            return vec![ProtocolAction::Fail(too_old)];
        }
        let open = match self.request.session.as_ref().map(ToString::to_string) {
            Some(thread) => {
                let params = self.terms().resume(&thread);
                self.ask(Awaited::Resume, "thread/resume", &params)
            }
            None => {
                let params = self.terms().start();
                self.ask(Awaited::Start, "thread/start", &params)
            }
        };
        vec![ProtocolAction::Say(outgoing::initialized()), open]
    }

    fn opened(&mut self, result: &Value, input: UserInput) -> Vec<ProtocolAction> {
        let Some(thread) = text(result, &["thread", "id"]).map(str::to_owned) else {
            return vec![ProtocolAction::Fail(failure::program("it started a conversation without an id"))];
        };
        let session = SessionId::new(&thread).map(AgentMessage::Session).map(ProtocolAction::Tell);
        self.thread = Some(thread);
        let turn = self.next_turn(input);
        session.into_iter().chain(turn).collect()
    }

    fn next_turn(&mut self, input: UserInput) -> Option<ProtocolAction> {
        let thread = self.thread.clone()?;
        let unheard = std::mem::take(&mut self.unheard);
        let words = unheard.iter().map(|word| word.input.clone());
        let input = UserInput::joined(std::iter::once(input).chain(words));
        self.given.extend(unheard);
        let params = self.terms().turn(&thread, &input);
        Some(self.ask(Awaited::Turn, "turn/start", &params))
    }

    /// What fits is in the conversation.
    fn taken(&mut self, fits: impl Fn(&SteeredWord) -> bool) -> Vec<ProtocolAction> {
        let (taken, open) = std::mem::take(&mut self.given).into_iter().partition(fits);
        self.given = open;
        let taken: Vec<SteeredWord> = taken;
        taken.into_iter().filter_map(|word| word.message).map(in_conversation).collect()
    }

    /// Says what could not be said before the turn had a name.
    fn catch_up(&mut self) -> Vec<ProtocolAction> {
        std::mem::take(&mut self.unheard).into_iter().flat_map(|words| self.steered(words)).collect()
    }

    fn asked(&mut self, id: &Value, method: &str, params: &Value) -> Vec<ProtocolAction> {
        let key = id.to_string();
        if method == CALL {
            let name = text(params, &["tool"]).unwrap_or_default();
            let args = params.get("arguments").cloned().unwrap_or_default();
            let call = self.factory.call(text(params, &["callId"]).unwrap_or(&key), name, args);
            return vec![ProtocolAction::Call { key, call }];
        }
        let item = text(params, &["itemId"]).and_then(|id| self.items.item(id));
        let Some(approval) = approval::read(method, params, item, &self.factory, &self.work_area.path) else {
            return vec![ProtocolAction::Say(outgoing::refusal(id, &format!("{method} is not known here")))];
        };
        let (call, risk) = (approval.call.clone(), approval.risk);
        self.approvals.insert(key.clone(), (id.clone(), approval));
        vec![ProtocolAction::Permit { key, call, risk }]
    }

    fn told(&mut self, method: &str, params: &Value) -> Vec<ProtocolAction> {
        // Those whom it has set to work tell us too; their words are theirs.
        let thread = text(params, &["threadId"]);
        let is_ours = thread.is_none() || thread == self.thread.as_deref();
        match method {
            "thread/tokenUsage/updated" => self.metered(thread.unwrap_or_default(), params),
            "account/rateLimits/updated" => {
                self.limited(params);
                Vec::new()
            }
            _ if !is_ours => Vec::new(),
            "turn/started" => {
                self.turn = text(params, &["turn", "id"]).map(str::to_owned);
                Vec::new()
            }
            "turn/completed" => self.turned(params),
            "item/started" => self.item(params, ItemTracker::begun),
            "item/completed" => self.item(params, ItemTracker::done),
            "item/agentMessage/delta" => delta(DeltaKind::Text, params),
            "item/reasoning/summaryTextDelta" | "item/reasoning/textDelta" => {
                delta(DeltaKind::Thinking, params)
            }
            "item/commandExecution/outputDelta" => delta(DeltaKind::Tool, params),
            "error" if params.get("willRetry") == Some(&Value::Bool(true)) => {
                let error = params.get("error").and_then(|error| TurnError::deserialize(error).ok());
                vec![ProtocolAction::Retry(error.unwrap_or_default().retry())]
            }
            // It does not want our answer any more.
            "serverRequest/resolved" => {
                let key = params.get("requestId").map(Value::to_string).unwrap_or_default();
                let open = self.approvals.remove(&key).map(|_| ProtocolAction::Forget { key });
                open.into_iter().collect()
            }
            "warning" => {
                let text = text(params, &["message"]).unwrap_or_default();
                self.tell_once(format!("codex: {text}"))
            }
            "model/rerouted" => {
                let to = text(params, &["toModel"]).unwrap_or("another model");
                self.tell_once(format!("codex: the call was rerouted to {to}"))
            }
            _ => Vec::new(),
        }
    }

    fn item(
        &mut self,
        params: &Value,
        then: fn(&mut ItemTracker, &ItemTranslator<'_>, &str, &Item) -> Vec<AgentMessage>,
    ) -> Vec<ProtocolAction> {
        let id = text(params, &["item", "id"]).unwrap_or_default();
        // An item of a kind that we know, in a shape that we do not, is left out.
        let Some(Ok(item)) = params.get("item").map(Item::deserialize) else { return Vec::new() };
        if let Item::UserMessage { content } = &item {
            let said: Vec<&str> = content.iter().filter_map(|part| text(part, &["text"])).collect();
            return self.taken(|word| said.contains(&word.input.text.as_str()));
        }
        if let Item::AgentMessage { text } = &item {
            self.last_words.clone_from(text);
        }
        let translator = ItemTranslator { factory: &self.factory, work_area: &self.work_area.path };
        then(&mut self.items, &translator, id, &item).into_iter().map(ProtocolAction::Tell).collect()
    }

    /// Only while we are at work: what a conversation has used before is reported again when it is resumed.
    fn metered(&mut self, thread: &str, params: &Value) -> Vec<ProtocolAction> {
        let Some(tokens) = self.meter.counted(thread, params).filter(|_| self.turn.is_some()) else {
            return Vec::new();
        };
        self.model_calls += 1;
        let used = ProtocolAction::Used(tokens.used(&self.request.model, Some(1)));
        let turns = self.request.max_turns;
        let is_over = self.model_calls > turns && self.turn.is_some();
        let over = is_over.then_some(ProtocolAction::Fail(DriverError::Turns { turns }));
        [used].into_iter().chain(over).collect()
    }

    /// When the account can be used again, if a window of it is used up.
    fn limited(&mut self, params: &Value) {
        let windows = ["primary", "secondary"].into_iter().filter_map(|name| {
            let window = params.get("rateLimits")?.get(name)?;
            let is_full = window.get("usedPercent")?.as_f64()? >= 100.0;
            is_full.then(|| window.get("resetsAt")?.as_i64()).flatten()
        });
        self.resets_at = windows.max().and_then(|at| Timestamp::from_second(at).ok());
    }

    fn turned(&mut self, params: &Value) -> Vec<ProtocolAction> {
        self.turn = None;
        let is_completed = text(params, &["turn", "status"]) == Some("completed");
        let taken = self.taken(|_| is_completed);
        let error = params.pointer("/turn/error").and_then(|error| TurnError::deserialize(error).ok());
        let turned = match text(params, &["turn", "status"]) {
            Some("completed") if !self.unheard.is_empty() => {
                self.next_turn(UserInput::default()).into_iter().collect()
            }
            Some("completed") => {
                let session = self.thread.as_deref().and_then(|thread| SessionId::new(thread).ok());
                let text = self.last_words.clone();
                vec![
                    ProtocolAction::Tell(AgentMessage::Result { text, session, is_error: false }),
                    ProtocolAction::Done,
                ]
            }
            Some("interrupted") => vec![ProtocolAction::Fail(failure::program("its turn was interrupted"))],
            _ => {
                let error = error.unwrap_or_else(|| TurnError::of_words("the turn failed"));
                vec![ProtocolAction::Fail(failure::of_turn(&error, &self.request.model, self.resets_at))]
            }
        };
        taken.into_iter().chain(turned).collect()
    }
}

fn delta(kind: DeltaKind, params: &Value) -> Vec<ProtocolAction> {
    let text = text(params, &["delta"]).unwrap_or_default().to_owned();
    vec![ProtocolAction::Tell(AgentMessage::Delta { kind, text })]
}
