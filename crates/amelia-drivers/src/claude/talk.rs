//! The conversation with the program, as a state machine: what it says, and what is to be done about it. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use amelia_core::clock::Clock;
use amelia_core::driver::{AgentMessage, AgentRequest, DeltaKind, DriverError};
use amelia_core::id::{CallId, SessionId};
use amelia_core::message::{Message, Part};
use amelia_core::problem::Problem;
use amelia_core::tool::{ToolBox, ToolCall, ToolPermission, ToolResult, ToolSpec, WorkArea};
use amelia_core::workplace::{ListedRights, Rights};
use serde_json::{Value, json};

use super::asking::Asking;
use super::given_words::GivenWords;
use super::parse::{
    Block, Content, Finished, Line, RateLimit, Request, SYNTHETIC, Spoken, Streamed, System, text_of,
};
use super::spending::Spending;
use super::{ClaudeSettings, OLDEST, args, failure, mcp};
use crate::model::messages;
use crate::program::{
    Launch, MessageFactory, ProgramRetry, Protocol, ProtocolAction, UserInput, from_the_start,
    in_conversation, is_of_proxy, next_words, was_silent,
};

/// The id of our first request.
const HELLO: &str = "amelia-hello";

/// One conversation.
pub(super) struct ClaudeTalk {
    settings: ClaudeSettings,
    request: AgentRequest,
    work_area: Result<WorkArea, DriverError>,
    /// What is offered on the pipe.
    offered: Vec<ToolSpec>,
    factory: MessageFactory,
    session: Option<String>,
    asking: Asking,
    spending: BTreeMap<Option<String>, Spending>,
    /// Calls of its own tools that have not returned.
    calls: BTreeMap<String, ToolCall>,
    /// Calls that we have denied: the denial is not reported again.
    denied: BTreeSet<String>,
    told: BTreeSet<String>,
    given: GivenWords,
}

impl ClaudeTalk {
    pub(super) fn new(
        settings: &ClaudeSettings,
        request: AgentRequest,
        tools: &dyn ToolBox,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let work_area = tools
            .work_area()
            .ok_or_else(|| DriverError::Setup("the program has no directory to work in".to_owned()));
        let offered = offered(work_area.as_ref().ok(), tools);
        let session = request.session.as_ref().map(ToString::to_string);
        Self {
            settings: settings.clone(),
            work_area,
            offered,
            factory: MessageFactory { agent: request.agent.clone(), clock },
            session,
            request,
            asking: Asking::default(),
            spending: BTreeMap::new(),
            calls: BTreeMap::new(),
            denied: BTreeSet::new(),
            told: BTreeSet::new(),
            given: GivenWords::default(),
        }
    }

    fn told_once(&mut self, text: String) -> Vec<ProtocolAction> {
        let is_new = self.told.insert(text.clone());
        if is_new { vec![ProtocolAction::Tell(AgentMessage::Notice { text })] } else { Vec::new() }
    }

    /// Gives it what a person says.
    fn give(&mut self, message: &Message) -> Vec<ProtocolAction> {
        self.given.give(message.clone());
        self.say(UserInput::of(message), Some(message))
    }

    fn say(&mut self, input: UserInput, message: Option<&Message>) -> Vec<ProtocolAction> {
        let input = input.encoded(image_block);
        let notices = input.notices("claude").into_iter().flat_map(|notice| self.told_once(notice));
        let mut acts: Vec<ProtocolAction> = notices.collect();
        let text = json!({"type": "text", "text": input.text});
        let content = match input.blocks.is_empty() {
            true => json!(input.text),
            false if input.text.is_empty() => input.blocks.into(),
            false => std::iter::once(text).chain(input.blocks).collect(),
        };
        acts.push(ProtocolAction::Say(user_line(&content, message)));
        acts
    }

    fn system(&mut self, system: &System) -> Vec<ProtocolAction> {
        match system.subtype.as_str() {
            "init" => self.introduced(system),
            "api_retry" if is_key_refused(system) => {
                vec![ProtocolAction::Fail(failure::of_refused_key(system.error_status))]
            }
            "api_retry" => {
                vec![ProtocolAction::Retry(retry_of(system, &self.request.model, self.settings.address()))]
            }
            _ => Vec::new(),
        }
    }

    fn introduced(&mut self, system: &System) -> Vec<ProtocolAction> {
        if let Some(version) = system.claude_code_version.as_deref().filter(|version| is_too_old(version)) {
            let (major, minor, patch) = OLDEST;
            let message = format!("version {version} is too old, {major}.{minor}.{patch} or newer is needed");
            let problem = Problem::new(message).with_hint("claude update");
            return vec![ProtocolAction::Fail(failure::program(problem))];
        }
        let Some(session) = system.session_id.clone() else { return Vec::new() };
        let is_known = self.told.insert(format!("session {session}"));
        self.session = Some(session.clone());
        match SessionId::new(&session) {
            Ok(session) if is_known => vec![ProtocolAction::Tell(AgentMessage::Session(session))],
            Ok(_) | Err(_) => Vec::new(),
        }
    }

    fn assistant(&mut self, spoken: Spoken) -> Vec<ProtocolAction> {
        if spoken.message.model.as_deref() == Some(SYNTHETIC) {
            return Vec::new();
        }
        let Content::Blocks(blocks) = spoken.message.content else { return Vec::new() };
        let messages = blocks.into_iter().filter_map(|block| match block {
            Block::Text { text } if text.trim().is_empty() => None,
            Block::Text { text } => Some(self.factory.said(text)),
            Block::Thinking { thinking } if thinking.trim().is_empty() => None,
            Block::Thinking { thinking } => Some(AgentMessage::Thinking { text: thinking }),
            // Calls of our tools are recorded where they run. The program itself answers calls of tools that do not exist.
            Block::ToolUse { name, .. } if is_offered(&self.offered, &name) => None,
            Block::ToolUse { id, name, input } => {
                let call = self.factory.call(&id, &name, input);
                self.calls.insert(id, call.clone());
                Some(AgentMessage::ToolCall(call))
            }
            Block::ToolResult { .. } | Block::Other => None,
        });
        let messages: Vec<AgentMessage> = messages.collect();
        nested(messages, spoken.parent_tool_use_id.as_deref())
    }

    fn user(&mut self, spoken: Spoken) -> Vec<ProtocolAction> {
        if spoken.is_replay {
            return self.given.repeated(spoken.uuid.as_deref()).map(in_conversation).into_iter().collect();
        }
        let Content::Blocks(blocks) = spoken.message.content else { return Vec::new() };
        let results = blocks.into_iter().filter_map(|block| match block {
            Block::ToolResult { tool_use_id, content, is_error } => {
                let call = self.calls.remove(&tool_use_id)?;
                let text = text_of(&content);
                Some(AgentMessage::ToolResult(self.factory.result(&call, &text, is_error.unwrap_or(false))))
            }
            Block::Text { .. } | Block::Thinking { .. } | Block::ToolUse { .. } | Block::Other => None,
        });
        let results: Vec<AgentMessage> = results.collect();
        nested(results, spoken.parent_tool_use_id.as_deref())
    }

    fn streamed(&mut self, streamed: Streamed) -> Vec<ProtocolAction> {
        let Streamed { event, parent_tool_use_id } = streamed;
        let is_main = parent_tool_use_id.is_none();
        let is_start = event.get("type").and_then(Value::as_str) == Some("message_start");
        let taken = if is_main && is_start { self.given.called() } else { Vec::new() };
        let used = self.spending.entry(parent_tool_use_id).or_default().read(&event);
        let delta = |name: &str| event.pointer(name).and_then(Value::as_str).map(str::to_owned);
        let live = match (delta("/delta/text"), delta("/delta/thinking")) {
            _ if !is_main => None,
            (Some(text), _) => Some(AgentMessage::Delta { kind: DeltaKind::Text, text }),
            (None, Some(text)) => Some(AgentMessage::Delta { kind: DeltaKind::Thinking, text }),
            (None, None) => None,
        };
        let told = live.map(ProtocolAction::Tell).into_iter().chain(used.map(ProtocolAction::Used));
        taken.into_iter().map(in_conversation).chain(told).collect()
    }

    fn limited(&mut self, limit: &RateLimit) -> Vec<ProtocolAction> {
        match limit.status.as_str() {
            "rejected" if limit.is_using_overage => {
                let kind = limit.rate_limit_type.as_deref().unwrap_or("the account");
                self.told_once(format!("claude: the limit of {kind} is used up; extra usage is paid for"))
            }
            "rejected" => vec![ProtocolAction::Fail(failure::of_limit(limit))],
            "allowed_warning" => {
                let kind = limit.rate_limit_type.as_deref().unwrap_or("the account");
                let used = limit.utilization.map(|share| format!(", {:.0} % used", share * 100.0));
                self.told_once(format!("claude: near the limit of {kind}{}", used.unwrap_or_default()))
            }
            _ => Vec::new(),
        }
    }

    fn finished(&mut self, finished: Finished) -> Vec<ProtocolAction> {
        if finished.is_error || finished.subtype != "success" {
            if let Some(again) = self.lost(&finished.errors.join("\n")) {
                return vec![again];
            }
            let address = self.settings.address();
            let error = failure::of_result(&finished, &self.request.model, self.request.max_turns, address);
            // It continues after a limit: with what it did last.
            return vec![ProtocolAction::Close, ProtocolAction::Fail(error)];
        }
        let strange =
            finished.permission_denials.iter().filter(|denial| !self.denied.contains(&denial.tool_use_id));
        let strange: Vec<&str> = strange.map(|denial| denial.tool_name.as_str()).collect();
        let mut acts: Vec<ProtocolAction> = self.given.finished().into_iter().map(in_conversation).collect();
        if !strange.is_empty() {
            let text = format!("claude was not allowed to use {}, by its own rules", strange.join(", "));
            acts.push(ProtocolAction::Tell(AgentMessage::Notice { text }));
        }
        if !self.given.is_empty() {
            // It continues with what a person has said meanwhile.
            return acts;
        }
        let text = match finished.structured_output {
            Some(answer) if self.request.answer.is_some() => answer.to_string(),
            _ => finished.result.unwrap_or_default(),
        };
        let session = finished.session_id.or_else(|| self.session.clone());
        let session = session.and_then(|session| SessionId::new(session).ok());
        acts.push(ProtocolAction::Tell(AgentMessage::Result { text, session, is_error: false }));
        acts.push(ProtocolAction::Done);
        acts
    }

    /// Another start, when what it says means that it does not have the conversation any more. Only who resumes work that
    /// was interrupted learns it: an agent whose result was taken is always stopped before it saves.
    fn lost(&mut self, words: &str) -> Option<ProtocolAction> {
        let is_lost = words.contains("No conversation found");
        let was_interrupted = self.request.is_heard();
        self.session.take_if(|_| is_lost).map(|_| ProtocolAction::Again {
            why: was_interrupted.then(|| {
                "claude was stopped before it saved the conversation: it starts again with everything that was \
                 said, so nothing is lost"
                    .to_owned()
            }),
        })
    }

    fn asked(&mut self, id: String, request: Request) -> Vec<ProtocolAction> {
        let Ok(work_area) = &self.work_area else { return Vec::new() };
        self.asking.asked(id, request, &self.factory, work_area, &self.offered, &mut self.denied)
    }
}

impl Protocol for ClaudeTalk {
    fn begin(&mut self) -> (Launch, Vec<ProtocolAction>) {
        let work_area = match &self.work_area {
            Ok(work_area) => work_area.clone(),
            Err(error) => {
                let nowhere = WorkArea::new(".".into(), Rights::Read);
                let launch = args::launch(&self.settings, &self.request, &nowhere, None);
                return (launch, vec![ProtocolAction::Fail(error.clone())]);
            }
        };
        let launch = args::launch(&self.settings, &self.request, &work_area, self.session.as_deref());
        let input =
            if self.session.is_some() { next_words(&self.request) } else { from_the_start(&self.request) };
        let hello = json!({"subtype": "initialize", "hooks": null});
        let hello = json!({"type": "control_request", "request_id": HELLO, "request": hello});
        let mut acts = vec![ProtocolAction::Say(hello.to_string())];
        acts.extend(self.say(input, None));
        for message in self.given.again() {
            acts.extend(self.give(&message));
        }
        (launch, acts)
    }

    fn hear(&mut self, line: &str) -> Vec<ProtocolAction> {
        match serde_json::from_str::<Line>(line) {
            Ok(Line::System(system)) => self.system(&system),
            Ok(Line::Assistant(spoken)) => self.assistant(spoken),
            Ok(Line::User(spoken)) => self.user(spoken),
            Ok(Line::StreamEvent(streamed)) => self.streamed(streamed),
            Ok(Line::RateLimitEvent { rate_limit_info }) => self.limited(&rate_limit_info),
            Ok(Line::Result(finished)) => self.finished(*finished),
            Ok(Line::ControlRequest { request_id, request }) => self.asked(request_id, request),
            Ok(Line::ControlCancelRequest { request_id }) => vec![ProtocolAction::Forget { key: request_id }],
            // It repeats our own answers, too.
            Ok(Line::ControlResponse { response })
                if response.subtype == "error" && response.request_id == HELLO =>
            {
                let detail = response.error.unwrap_or_default();
                vec![ProtocolAction::Fail(failure::program(format!("it refused to begin: {detail}")))]
            }
            Ok(Line::ControlResponse { .. } | Line::Other) => Vec::new(),
            // What has another shape than we know is of another version; what is no JSON at all should not be there.
            Err(_) if line.trim_start().starts_with('{') || line.trim().is_empty() => Vec::new(),
            Err(_) => self.told_once("claude printed a line that is not part of its protocol".to_owned()),
        }
    }

    fn permitted(&mut self, key: &str, permit: ToolPermission) -> Vec<ProtocolAction> {
        self.asking.permitted(key, permit, &mut self.denied)
    }

    fn returned(&mut self, key: &str, result: ToolResult) -> Vec<ProtocolAction> {
        self.asking.returned(key, &result)
    }

    fn steered(&mut self, message: &Message) -> Vec<ProtocolAction> {
        self.give(message)
    }

    fn ended(&mut self, code: Option<i32>, last_words: &str) -> ProtocolAction {
        self.lost(last_words).unwrap_or_else(|| ProtocolAction::Fail(failure::of_end(code, last_words)))
    }

    fn silent(&mut self, silence: Duration) -> DriverError {
        failure::program(was_silent(silence))
    }
}

/// Whether its model refuses the key. It renews a sign-in that has expired once; after that it would try for minutes.
fn is_key_refused(system: &System) -> bool {
    matches!(system.error_status, Some(401 | 403)) && system.attempt.is_some_and(|attempt| attempt > 1)
}

/// The program counts its retries; people count tries.
fn retry_of(system: &System, model: &str, address: Option<&str>) -> ProgramRetry {
    let seconds = system.retry_delay_ms.unwrap_or(0.0) / 1000.0;
    let next = system.attempt.unwrap_or(1).saturating_add(1);
    let tries = system.max_retries.map(|retries| format!(" of {}", retries.saturating_add(1)));
    let failure = match system.error_status {
        Some(status @ (401 | 403)) => format!("claude: its provider did not accept the call ({status})"),
        Some(status) => format!("claude: {model} did not answer ({status})"),
        None => match address {
            Some(address) => format!("claude: cannot reach {model} at {address}"),
            None => format!("claude: cannot reach {model}"),
        },
    };
    // It would try more often; we stop it after the next one.
    let again = match system.error_status {
        Some(401 | 403) => format!("trying once more in {seconds:.1} s"),
        _ => format!("trying again in {seconds:.1} s ({next}{})", tries.unwrap_or_default()),
    };
    ProgramRetry { failure, again, is_unreached: system.error_status.is_none_or(is_of_proxy) }
}

/// Our tools that it is given. Who only reads gets those for it: all of them only read. Who has a list gets what is in it and
/// what it has no tool of its own for.
fn offered(work_area: Option<&WorkArea>, tools: &dyn ToolBox) -> Vec<ToolSpec> {
    let is_replaced =
        |spec: &ToolSpec| spec.name.server.is_none() && ListedRights::is_replaced(&spec.name.name);
    match work_area {
        Some(WorkArea { listed: Some(_), rights: Rights::Work, .. }) => {
            tools.specs().into_iter().filter(|spec| !is_replaced(spec)).collect()
        }
        Some(WorkArea { rights: Rights::Read, .. }) => tools.specs(),
        Some(WorkArea { listed: None, rights: Rights::Work, .. }) | None => tools.extras(),
    }
}

/// Whether it is one of our tools.
fn is_offered(offered: &[ToolSpec], tool: &str) -> bool {
    mcp::own_name(tool).is_some_and(|name| offered.iter().any(|spec| spec.name.for_models() == name))
}

/// With an id, what a person says is known again when the program repeats it, and not taken twice.
fn user_line(content: &Value, said: Option<&Message>) -> String {
    let message = json!({"role": "user", "content": content});
    let mut line = json!({"type": "user", "message": message, "parent_tool_use_id": null, "session_id": ""});
    if let (Some(said), Some(fields)) = (said, line.as_object_mut()) {
        fields.insert("uuid".to_owned(), json!(said.id));
    }
    line.to_string()
}

fn image_block(part: &Part) -> Option<Value> {
    match part {
        Part::Image(image) => Some(messages::image_block(&image.url)),
        _ => None,
    }
}

/// What a sub-agent says belongs to the call that it works on.
fn nested(messages: Vec<AgentMessage>, parent: Option<&str>) -> Vec<ProtocolAction> {
    let wrapped = messages.into_iter().map(|message| match parent {
        None => ProtocolAction::Tell(message),
        Some(call) => ProtocolAction::Tell(AgentMessage::Nested {
            call: CallId::repaired(call),
            message: Box::new(message),
        }),
    });
    wrapped.collect()
}

fn is_too_old(version: &str) -> bool {
    let mut numbers = version.split(['.', '-']).map_while(|part| part.parse::<u32>().ok());
    match (numbers.next(), numbers.next(), numbers.next()) {
        (Some(major), Some(minor), Some(patch)) => (major, minor, patch) < OLDEST,
        // A version that is written otherwise is not taken for an old one.
        _ => false,
    }
}
