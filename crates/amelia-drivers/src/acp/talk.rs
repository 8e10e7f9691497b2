//! The conversation with an agent, as a state machine: what it says, and what is to be done about it. Pure.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use amelia_core::clock::Clock;
use amelia_core::driver::{AgentMessage, AgentRequest, DriverError, Usage};
use amelia_core::id::SessionId;
use amelia_core::message::Message;
use amelia_core::problem::Problem;
use amelia_core::tool::{Risk, ToolPermission, ToolResult, WorkArea};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::AcpSettings;
use super::approval;
use super::failure::Namer;
use super::given_tools::GivenTools;
use super::helping::Helping;
use super::item_tracker::{self, ItemTracker, ToolCallUpdate};
use super::wire::{self, AuthMethod, Hello, Opened, PromptAbilities, Selection, Turned};
use crate::model::textual::protocol;
use crate::program::rpc::{self, RpcError, RpcMessage, text};
use crate::program::{
    Launch, MessageFactory, Protocol, ProtocolAction, SteeredWord, UserInput, from_the_start,
    in_conversation, next_words, was_silent,
};

/// A model's name that means: the default of the agent.
const ANY_MODEL: &str = "default";

/// Why we wait for an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Awaited {
    Hello,
    Again,
    New,
    /// A choice that can fail without harm.
    Choice,
    Turn,
}

/// One conversation.
pub(super) struct AcpTalk {
    settings: AcpSettings,
    request: AgentRequest,
    work_area: WorkArea,
    given_tools: GivenTools,
    factory: MessageFactory,
    namer: Namer,
    asked: u64,
    awaited: BTreeMap<u64, Awaited>,
    ways_in: Vec<AuthMethod>,
    session: Option<String>,
    /// What is asked before the first words, one after the other.
    choices: VecDeque<(&'static str, Value)>,
    words: UserInput,
    takes: PromptAbilities,
    items: ItemTracker,
    helping: Helping,
    /// Calls of our tools in its last words that have not returned, and what came of the others.
    calls: BTreeSet<String>,
    results: Vec<UserInput>,
    /// What is said when the turn has ended.
    unheard: Vec<SteeredWord>,
    /// What people said with the last prompt, until there is a sign that the agent has it.
    given: Vec<Message>,
    turns: u32,
    cost_usd: Option<f64>,
    told: BTreeSet<String>,
    /// Over the length of the conversation and all that the agent has said.
    heard: Sha256,
}

impl AcpTalk {
    pub(super) fn new(
        settings: &AcpSettings,
        request: AgentRequest,
        work_area: WorkArea,
        given_tools: GivenTools,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let program = settings.command.first().cloned().unwrap_or_default();
        let name = program.rsplit('/').next().unwrap_or_default().to_owned();
        let factory = MessageFactory { agent: request.agent.clone(), clock };
        Self {
            settings: settings.clone(),
            namer: Namer { program: name, model: request.model.clone() },
            helping: Helping::new(work_area.clone(), &given_tools, factory.clone()),
            factory,
            heard: Sha256::new().chain_update(request.messages.len().to_le_bytes()),
            request,
            work_area,
            given_tools,
            asked: 0,
            awaited: BTreeMap::new(),
            ways_in: Vec::new(),
            session: None,
            choices: VecDeque::new(),
            words: UserInput::default(),
            takes: PromptAbilities::default(),
            items: ItemTracker::default(),
            calls: BTreeSet::new(),
            results: Vec::new(),
            unheard: Vec::new(),
            given: Vec::new(),
            turns: 0,
            cost_usd: None,
            told: BTreeSet::new(),
        }
    }

    fn ask(&mut self, awaited: Awaited, method: &str, params: &Value) -> ProtocolAction {
        self.asked += 1;
        self.awaited.insert(self.asked, awaited);
        ProtocolAction::Say(wire::request(self.asked, method, params))
    }

    /// The name of a call of ours: the agent has none for it. It follows from all that was heard, so a replay finds it again.
    fn call_name(&self, index: usize) -> String {
        let digest = self.heard.clone().chain_update(index.to_le_bytes()).finalize();
        digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }

    fn tell_once(&mut self, text: String) -> Vec<ProtocolAction> {
        let is_new = self.told.insert(text.clone());
        if is_new { vec![ProtocolAction::Tell(AgentMessage::Notice { text })] } else { Vec::new() }
    }

    fn answered(&mut self, awaited: Awaited, result: &Value) -> Vec<ProtocolAction> {
        match awaited {
            Awaited::Hello => self.greeted(Hello::deserialize(result).unwrap_or_default()),
            Awaited::Again => {
                self.words = next_words(&self.request);
                self.opened(result)
            }
            Awaited::New => {
                self.words = self.first_words();
                self.opened(result)
            }
            Awaited::Choice => self.next_choice(),
            Awaited::Turn => self.turned(&Turned::deserialize(result).unwrap_or_default()),
        }
    }

    fn refused(&mut self, awaited: Awaited, refusal: &RpcError) -> Vec<ProtocolAction> {
        match awaited {
            Awaited::Hello | Awaited::New | Awaited::Turn => {
                vec![ProtocolAction::Fail(self.namer.of_refusal(refusal, &self.ways_in))]
            }
            Awaited::Again => {
                let text =
                    format!("the conversation no longer exists; a new one starts: {}", refusal.message);
                let new = wire::new(&self.work_area.path);
                vec![
                    ProtocolAction::Tell(AgentMessage::Notice { text }),
                    self.ask(Awaited::New, "session/new", &new),
                ]
            }
            Awaited::Choice => {
                let text = format!("the agent rejected a setting: {}", refusal.message);
                let mut acts = vec![ProtocolAction::Tell(AgentMessage::Notice { text })];
                acts.extend(self.next_choice());
                acts
            }
        }
    }

    fn greeted(&mut self, hello: Hello) -> Vec<ProtocolAction> {
        if hello.protocol_version != wire::VERSION {
            let theirs = hello.protocol_version;
            let message = format!(
                "it speaks version {theirs} of the Agent Client Protocol, and Amelia speaks version {}",
                wire::VERSION
            );
            let problem = Problem::new(message).with_hint("install another version of the agent");
            return vec![ProtocolAction::Fail(self.namer.program(problem))];
        }
        self.ways_in = hello.auth_methods;
        self.takes = hello.agent_capabilities.prompt_capabilities;
        let directory = self.work_area.path.clone();
        match (self.request.session.as_ref().map(ToString::to_string), hello.agent_capabilities.again()) {
            (Some(session), Some(method)) => {
                let act = self.ask(Awaited::Again, method, &wire::again(&directory, &session));
                self.session = Some(session);
                vec![act]
            }
            (Some(_), None) => {
                let mut acts =
                    self.tell_once("the agent cannot resume a conversation; a new one starts".to_owned());
                acts.push(self.ask(Awaited::New, "session/new", &wire::new(&directory)));
                acts
            }
            (None, _) => vec![self.ask(Awaited::New, "session/new", &wire::new(&directory))],
        }
    }

    /// There is no other place for what it is to be.
    fn first_words(&self) -> UserInput {
        let tools = match self.given_tools.described.as_slice() {
            [] => String::new(),
            described => {
                format!(
                    "Use your own tools as usual. Amelia gives you the tools below in addition: only these are called \
                     by writing a block of text, as described here.\n\n{}\n\n",
                    protocol::described(described)
                )
            }
        };
        let limits = self.given_tools.limits;
        let mut input = from_the_start(&self.request);
        input.text = format!("{}\n\n{limits}{tools}{}", self.request.system, input.text);
        input
    }

    fn opened(&mut self, result: &Value) -> Vec<ProtocolAction> {
        let opened = Opened::deserialize(result).unwrap_or_default();
        let Some(session) = opened.session_id.clone().or_else(|| self.session.clone()) else {
            return vec![ProtocolAction::Fail(self.namer.program("it started a conversation without an id"))];
        };
        // What it has said again of the past is known.
        self.items = ItemTracker::default();
        let mut acts: Vec<ProtocolAction> = SessionId::new(&session)
            .map(|id| ProtocolAction::Tell(AgentMessage::Session(id)))
            .into_iter()
            .collect();
        if self.request.model != ANY_MODEL {
            match opened.select(&session, &self.request.model) {
                Selection::Ask(method, params) => self.choices.push_back((method, params)),
                Selection::Nothing => {}
                Selection::NotOffered => acts.extend(self.tell_once(format!(
                    "the agent does not offer the model `{}`: it uses its own",
                    self.request.model
                ))),
            }
        }
        self.session = Some(session);
        acts.extend(self.next_choice());
        acts
    }

    fn next_choice(&mut self) -> Vec<ProtocolAction> {
        match self.choices.pop_front() {
            Some((method, params)) => vec![self.ask(Awaited::Choice, method, &params)],
            None => {
                let words = std::mem::take(&mut self.words);
                self.next_turn(words)
            }
        }
    }

    fn next_turn(&mut self, input: UserInput) -> Vec<ProtocolAction> {
        let Some(session) = self.session.clone() else { return Vec::new() };
        self.turns += 1;
        if self.turns > self.request.max_turns {
            return vec![ProtocolAction::Fail(DriverError::Turns { turns: self.request.max_turns })];
        }
        let (words, messages): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.unheard).into_iter().map(|word| (word.input, word.message)).unzip();
        self.given.extend(messages.into_iter().flatten());
        let input = UserInput::joined(std::iter::once(input).chain(words));
        let takes = self.takes;
        let said = input.encoded(|part| takes.block(part));
        let notices = said.notices("the agent").into_iter().flat_map(|notice| self.tell_once(notice));
        let mut acts: Vec<ProtocolAction> = notices.collect();
        acts.push(self.ask(Awaited::Turn, "session/prompt", &wire::prompt(&session, said)));
        acts
    }

    fn told(&mut self, method: &str, params: &Value) -> Vec<ProtocolAction> {
        let is_ours = text(params, &["sessionId"]) == self.session.as_deref();
        let is_open = self.awaited.values().any(|awaited| *awaited == Awaited::Turn);
        let Some(update) = params.get("update").filter(|_| method == "session/update" && is_ours && is_open)
        else {
            return Vec::new();
        };
        let mut acts = self.taken();
        if text(update, &["sessionUpdate"]) == Some("usage_update") {
            let cost = update.get("cost").filter(|cost| text(cost, &["currency"]) == Some("USD"));
            self.cost_usd = cost.and_then(|cost| cost.get("amount")?.as_f64()).or(self.cost_usd);
            return acts;
        }
        if let Some("completed" | "failed") = text(update, &["status"]) {
            self.helping.over(text(update, &["toolCallId"]));
        }
        let told = self.items.updated(update, &self.factory);
        acts.extend(told.messages.into_iter().map(ProtocolAction::Tell));
        acts.extend(told.done.and_then(|done| self.overstepped(&done)));
        acts
    }

    /// The agent works on its prompt: it has all of it.
    fn taken(&mut self) -> Vec<ProtocolAction> {
        std::mem::take(&mut self.given).into_iter().map(in_conversation).collect()
    }

    /// It has done unasked what its role or its list of tools does not allow: it may not continue.
    fn overstepped(&self, done: &ToolCallUpdate) -> Option<ProtocolAction> {
        let problem = match self.work_area.listed {
            None if self.work_area.allows(Risk::Write) || !done.is_change() => return None,
            None => Problem::new("it changed a file, and its role may only read")
                .with_hint("set the agent up so that it asks before it writes"),
            Some(_) => {
                let done_what = match done.risk(&self.work_area.path) {
                    risk if self.work_area.allows(risk) => return None,
                    _ if done.is_change() => "changed a file",
                    _ if done.is_command() => "ran a command",
                    _ if done.is_fetch() => "used the network",
                    _ => return None,
                };
                Problem::new(format!(
                    "it {done_what} without asking, and the tools of this agent do not let it"
                ))
                .with_hint(
                    "set the program up so that it asks before it writes, runs commands or uses the network",
                )
            }
        };
        Some(ProtocolAction::Fail(self.namer.program(problem)))
    }

    fn asked(&mut self, id: &Value, method: &str, params: &Value) -> Vec<ProtocolAction> {
        if method != "session/request_permission" {
            let name = self.call_name(0);
            return self.helping.asked(id, method, params, &name);
        }
        let call = params
            .get("toolCall")
            .and_then(|call| ToolCallUpdate::deserialize(call).ok())
            .unwrap_or_default();
        let (doing, told) = self.items.asked(call, &self.factory);
        let options = params.get("options").and_then(Value::as_array).cloned().unwrap_or_default();
        let mut acts: Vec<ProtocolAction> = told.into_iter().map(ProtocolAction::Tell).collect();
        if !approval::can_allow_once(&options) {
            acts.extend(self.tell_once(
                "the agent takes no answer for one call only: what is allowed once may not be asked again".to_owned(),
            ));
        }
        acts.push(self.helping.wanted(id, &doing, options));
        acts
    }

    fn turned(&mut self, turned: &Turned) -> Vec<ProtocolAction> {
        let mut acts = self.taken();
        self.helping.over(None);
        acts.extend(self.items.flush(&self.factory).into_iter().map(ProtocolAction::Tell));
        acts.extend(self.used(turned).map(ProtocolAction::Used));
        if turned.stop_reason != "end_turn" {
            acts.push(ProtocolAction::Fail(self.namer.of_stop(&turned.stop_reason, self.turns)));
            return acts;
        }
        let name = |index| self.call_name(index);
        let calls = item_tracker::calls(&self.items.last_words, &self.given_tools.described, name);
        if !calls.is_empty() {
            for (key, call) in calls {
                let call = self.factory.call(&key, &call.tool.to_string(), Value::Object(call.args));
                self.calls.insert(key.clone());
                acts.push(ProtocolAction::Call { key, call });
            }
            self.items.last_words.clear();
            return acts;
        }
        if !self.unheard.is_empty() {
            acts.extend(self.next_turn(UserInput::default()));
            return acts;
        }
        let session = self.session.as_deref().and_then(|session| SessionId::new(session).ok());
        let text = std::mem::take(&mut self.items.last_words);
        acts.extend([
            ProtocolAction::Tell(AgentMessage::Result { text, session, is_error: false }),
            ProtocolAction::Done,
        ]);
        acts
    }

    /// What a turn took, if it says so. Its cost is that of the whole conversation: known only for a new one.
    fn used(&mut self, turned: &Turned) -> Option<Usage> {
        let tokens = turned.usage.as_ref()?;
        let is_new = self.request.session.is_none() && self.turns == 1;
        let read = tokens.cached_read_tokens;
        Some(Usage {
            input_tokens: Some(tokens.input_tokens.saturating_add(read)),
            output_tokens: Some(tokens.output_tokens),
            cache_read_tokens: Some(read),
            cache_creation_tokens: Some(tokens.cached_write_tokens),
            cost_usd: self.cost_usd.filter(|_| is_new),
            model: Some(self.request.model.clone()),
            ..Usage::default()
        })
    }
}

impl Protocol for AcpTalk {
    fn begin(&mut self) -> (Launch, Vec<ProtocolAction>) {
        let mut command = self.settings.command.iter().cloned();
        let program = command.next().unwrap_or_default();
        let launch = Launch {
            program,
            args: command.collect(),
            env: Vec::new(),
            directory: self.work_area.path.clone(),
        };
        let hello = wire::initialize(&self.given_tools);
        (launch, vec![self.ask(Awaited::Hello, "initialize", &hello)])
    }

    fn hear(&mut self, line: &str) -> Vec<ProtocolAction> {
        self.heard.update(line);
        match rpc::read(line) {
            None if line.trim().is_empty() => Vec::new(),
            None => self.tell_once(
                "the agent sent something that is not in its protocol; Amelia ignored it".to_owned(),
            ),
            Some(RpcMessage::Told { method, params }) => self.told(&method, &params),
            Some(RpcMessage::Asked { id, method, params }) => self.asked(&id, &method, &params),
            Some(RpcMessage::Answered { id, result }) => match self.awaited.remove(&id) {
                Some(awaited) => self.answered(awaited, &result),
                None => Vec::new(),
            },
            Some(RpcMessage::Refused { id, refusal }) => match self.awaited.remove(&id) {
                Some(awaited) => self.refused(awaited, &refusal),
                None => Vec::new(),
            },
        }
    }

    fn permitted(&mut self, key: &str, permit: ToolPermission) -> Vec<ProtocolAction> {
        let (acts, words) = self.helping.permitted(key, permit);
        self.unheard.extend(words.map(SteeredWord::from));
        acts
    }

    fn returned(&mut self, key: &str, result: ToolResult) -> Vec<ProtocolAction> {
        if !self.calls.remove(key) {
            return self.helping.returned(key, result);
        }
        self.results.push(UserInput::with_images(protocol::returned(&result), &result.images));
        match self.calls.is_empty() {
            false => Vec::new(),
            true => {
                let results = UserInput::joined(std::mem::take(&mut self.results));
                self.next_turn(results)
            }
        }
    }

    fn steered(&mut self, message: &Message) -> Vec<ProtocolAction> {
        self.unheard.push(SteeredWord::of(message));
        Vec::new()
    }

    fn ended(&mut self, code: Option<i32>, last_words: &str) -> ProtocolAction {
        ProtocolAction::Fail(self.namer.of_end(code, last_words))
    }

    fn silent(&mut self, silence: Duration) -> DriverError {
        self.namer.program(was_silent(silence))
    }
}
