//! The funnel: every question to every agent goes through here. Rebuilds the conversation, runs the driver, writes down
//! what it says as it says it.

mod folding;
mod health;
pub mod sampling;
mod surroundings;

use std::pin::pin;
use std::sync::Arc;

use amelia_core::config::agent::DriverType;
use amelia_core::config::retry::RetryConfig;
use amelia_core::driver::{
    AgentMessage, AgentMessageStream, AgentRequest, AnswerShape, Driver, DriverError, ModelOptions,
};
use amelia_core::event::system::HealthStatus;
use amelia_core::event::{AgentEvent, EventKind, SystemEvent};
use amelia_core::human::HumanRequest;
use amelia_core::human_tool;
use amelia_core::id::{AgentName, RequestId};
use amelia_core::message::{Message, Object, Part, Role, ThinkingPart};
use amelia_core::recording::Tape;
use amelia_core::redact::Redactor;
use amelia_core::tool::ToolBox;
use amelia_graph::node::{NodeCx, NodeError};
use futures_util::StreamExt;
use futures_util::future::{Either, select};
use tokio::sync::oneshot;

use crate::conversation;
use crate::ending::{StopCause, StopSignal};
use crate::guarding::Guard;
use crate::handing_in::HandIn;
use crate::helpers::Helpers;
use crate::kept_threads::KeptThreads;
use crate::live::{Live, Streaming};
use crate::moment::moment;
use crate::stopping::TurnPlace;
use crate::thoughts::{is_thought, thoughts};
use crate::tools::{JournaledTools, OwnTools};

/// Adds tools to those of a place: those of MCP servers.
pub type MoreTools = Arc<dyn Fn(&Arc<dyn ToolBox>) -> Arc<dyn ToolBox> + Send + Sync>;

/// An agent of a run: what it runs on, who helps it, who watches.
#[derive(Clone)]
pub struct Agent {
    pub name: AgentName,
    pub driver: Arc<dyn Driver>,
    pub driver_type: DriverType,
    pub model: String,
    pub options: ModelOptions,
    pub max_turns: u32,
    pub helpers: Helpers,
    /// What it has besides the tools of the place where it works.
    pub more_tools: Option<MoreTools>,
    pub live: Live,
    /// Where it is kept what the outside says to it.
    pub tape: Arc<dyn Tape>,
    /// Nothing is kept or shown with a secret in it.
    pub redactor: Arc<Redactor>,
    /// Its conversations that span visits, kept from one visit to the next.
    pub threads: Arc<KeptThreads>,
    /// How often it is asked again when its driver was not available. None for drivers that try again by themselves.
    pub retry: RetryConfig,
}

/// What an agent is asked.
pub struct Question<'q> {
    pub system: String,
    /// Comes next in the conversation, unless it is there already.
    pub opening: Message,
    pub tools: Arc<dyn ToolBox>,
    /// What is handed in by one of them ends the conversation.
    pub hand_ins: &'q [HandIn],
    /// The final answer must fit it.
    pub shape: Option<AnswerShape>,
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentAnswer {
    Text(String),
    /// By which tool, and what.
    HandedIn {
        tool: String,
        args: Object,
    },
}

/// Why an agent did not finish.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentStop {
    /// The driver cannot continue; the conversation is kept.
    Driver(DriverError),
    /// It asked a person, or its sub-agents did; the conversation continues with the answers.
    Asks(Vec<HumanRequest>),
    /// The log cannot be written.
    Node(NodeError),
}

impl From<NodeError> for AgentStop {
    fn from(error: NodeError) -> Self {
        Self::Node(error)
    }
}

impl From<amelia_core::store::StoreError> for AgentStop {
    fn from(error: amelia_core::store::StoreError) -> Self {
        Self::Node(error.into())
    }
}

impl Agent {
    /// Asks the agent, or continues with what it was asked before.
    ///
    /// When a person has let the agent continue past a limit, their words come next, and the turns count anew.
    pub async fn ask(&self, cx: &NodeCx, question: &Question<'_>) -> Result<AgentAnswer, AgentStop> {
        let mut cx = cx.clone();
        let mut is_failing = false;
        for attempt in 0.. {
            let answer = self.try_once(&cx, question).await;
            let Some(wait) = answer.as_ref().err().and_then(|how| self.wait(how, attempt)) else {
                if is_failing && answer.is_ok() {
                    cx.note(vec![self.health(&cx, HealthStatus::Healthy)]);
                }
                return answer;
            };
            is_failing = true;
            self.wait_out(&cx, &answer, attempt, wait).await?;
            cx = cx.up_to_date();
        }
        Err(AgentStop::Driver(DriverError::Silent { times: 1 }))
    }

    /// The input of an agent, as its guardrails let it through, and what they have found.
    fn guarded_word(&self, cx: &NodeCx, message: Message, place: usize) -> (Message, Vec<EventKind>) {
        match &self.helpers.guard {
            Some(guard) => guard.of(cx, &self.name, &self.tape).word(message, place),
            None => (message, Vec::new()),
        }
    }

    async fn try_once(&self, cx: &NodeCx, question: &Question<'_>) -> Result<AgentAnswer, AgentStop> {
        let again = |answered| human_tool::escalated(answered, RequestId(cx.new_id()), cx.now());
        if let Some(again) = cx.answered().and_then(again) {
            return Err(AgentStop::Asks(vec![again]));
        }
        let past = cx.past().await?;
        let handed_in = |hand_in: &HandIn| {
            let args = conversation::handed_in(past, cx, hand_in.name())?;
            Some((hand_in.name().to_owned(), args))
        };
        if let Some((tool, args)) = question.hand_ins.iter().find_map(handed_in) {
            if !conversation::has_finished(past, cx) {
                self.record(cx, finished(&args)).await?;
            }
            return Ok(AgentAnswer::HandedIn { tool, args });
        }
        let messages = self.threads.read(cx, past, &self.name);
        let mut messages = self.within_limit(cx, messages, &question.opening).await?;
        let next = conversation::next_words(cx, &messages, &question.opening);
        let unheard = next.len().saturating_add(conversation::unheard(past, &self.name));
        let asked = conversation::result_of_question(cx, past);
        if let Some(result) = asked.filter(|_| self.driver_type.is_program() && !next.is_empty()) {
            self.note_or_record(cx, [EventKind::Agent(AgentEvent::Returned(result))]).await?;
        }
        // Written with the answer, or after a moment: a visit that is repeated says the same again.
        for message in next.into_iter().map(|message| self.redactor.clean(message)) {
            for result in conversation::close(&mut messages, past) {
                self.note_or_record(cx, [EventKind::Agent(AgentEvent::Returned(result))]).await?;
            }
            let (message, violations) = self.guarded_word(cx, message, messages.len());
            let said = EventKind::Agent(AgentEvent::Said(Box::new(message.clone())));
            self.note_or_record(cx, [said].into_iter().chain(violations)).await?;
            messages.push(Arc::new(message));
        }
        let max_turns = self.max_turns.saturating_add(conversation::turns_before_last_word(&messages));
        let request = AgentRequest {
            agent: self.name.clone(),
            model: self.model.clone(),
            system: question.system.clone(),
            messages,
            answer: question.shape.clone(),
            options: self.options.clone(),
            max_turns,
            session: conversation::session(past, &self.name),
            unheard,
            channel: self.channel(cx),
            meter: self.meter(cx),
        };
        self.drive(cx, request, question).await
    }

    async fn drive(
        &self,
        cx: &NodeCx,
        request: AgentRequest,
        question: &Question<'_>,
    ) -> Result<AgentAnswer, AgentStop> {
        let (outlet, mut ending) = StopSignal::new();
        let (helpers, redactor, agent) = (&self.helpers, &self.redactor, &self.name);
        let is_program = self.driver_type.is_program();
        let place_tools = &question.tools;
        let with_more = self.more_tools.as_ref().map(|more| more(place_tools));
        let own = OwnTools {
            tools: with_more.as_ref().unwrap_or(place_tools),
            helpers,
            tape: &self.tape,
            redactor,
            agent,
            is_program,
            may_elicit: helpers.person || helpers.servers_ask,
            sampling: sampling::SamplingModel::of(self),
            place: TurnPlace::of(&request.messages),
        };
        let tools = Arc::new(JournaledTools::new(&own, cx, question.hand_ins.to_vec(), outlet));
        // What is there before the agent begins is not its doing.
        tools.file_events(&moment(cx, &self.name, BEGIN)).await;
        let driven = self.listen(cx, request, &tools, &mut ending).await;
        if driven.is_err() {
            tools.file_events(&moment(cx, &self.name, REST)).await;
            self.note_or_record(cx, tools.violations()).await?;
        }
        driven
    }

    /// Takes what the driver says, until it is done or a call ends the conversation.
    async fn listen(
        &self,
        cx: &NodeCx,
        request: AgentRequest,
        tools: &Arc<JournaledTools>,
        ending: &mut oneshot::Receiver<StopCause>,
    ) -> Result<AgentAnswer, AgentStop> {
        let mut said = self.driver.run(request, Arc::clone(tools) as Arc<dyn ToolBox>, self.tool_cx(cx));
        let mut answer = None;
        let is_held_back =
            !self.driver_type.is_program() && self.helpers.guard.as_ref().is_some_and(Guard::holds_back);
        let mut streaming = Streaming::new(&self.name, &self.redactor, &self.live, cx, is_held_back);
        let mut is_failing = false;
        while let Some(next) = next_message(cx, &mut said, ending).await? {
            let message = match next {
                Next::Said(message) => message.map_err(|error| self.stopped(error))?,
                Next::Ending(StopCause::Asks(requests)) => return Err(AgentStop::Asks(requests)),
                Next::Ending(StopCause::HandedIn { tool, args }) => {
                    let files = tools.file_events(&moment(cx, &self.name, END)).await;
                    self.record_all(cx, files, finished(&args)).await?;
                    return Ok(AgentAnswer::HandedIn { tool, args });
                }
                Next::Ending(StopCause::Looped(error)) => return Err(self.stopped(error)),
                Next::Ending(StopCause::Broken(error)) => return Err(AgentStop::Node(error)),
            };
            self.note_health(cx, &message, &mut is_failing);
            if let Some(text) = self.take(cx, tools, &mut streaming, message).await? {
                answer = Some(AgentAnswer::Text(text));
            }
        }
        answer.ok_or(AgentStop::Driver(DriverError::Silent { times: 1 }))
    }

    /// One message: shown, or written down. The final one is returned.
    async fn take(
        &self,
        cx: &NodeCx,
        tools: &JournaledTools,
        streaming: &mut Streaming<'_>,
        message: AgentMessage,
    ) -> Result<Option<String>, AgentStop> {
        if !matches!(message, AgentMessage::Delta { .. }) {
            streaming.end();
        }
        let event = match message {
            AgentMessage::Delta { kind, text } => {
                streaming.feed(cx.session(), kind, &text);
                return Ok(None);
            }
            AgentMessage::Said(message) => {
                let message = tools.warned(message);
                streaming.accepted(&message);
                let is_answer = self.is_answer(cx, &message);
                // One commit for the turn, what it cost, and the calls that come next.
                let mut drafts = tools.announce(&message);
                for thought in thoughts(&message).into_iter().rev() {
                    drafts.insert(0, cx.draft(&self.name, self.redactor.clean(thought)));
                }
                let place = drafts.iter().take_while(|draft| is_thought(draft)).count();
                let said = self.redactor.clean(EventKind::Agent(AgentEvent::Said(message)));
                drafts.insert(place, cx.draft(&self.name, said));
                match is_answer {
                    true => cx.note(drafts),
                    false => cx.record(drafts).await?,
                }
                return Ok(None);
            }
            AgentMessage::Nested { call, message } => {
                let helper = cx.helper(call.as_str());
                return Box::pin(self.take(&helper, tools, streaming, *message)).await.map(|_| None);
            }
            AgentMessage::Session(session) => {
                AgentEvent::Started { context_tokens: None, memories: None, session: Some(session) }
            }
            AgentMessage::Thinking { text } => AgentEvent::Thought(ThinkingPart { text, signature: None }),
            AgentMessage::ToolCall(call) => {
                tools.called_by_program(&call);
                AgentEvent::Called(call)
            }
            AgentMessage::ToolResult(result) => {
                let moment = moment(cx, &self.name, result.call.as_str());
                let files = tools.file_events(&moment).await;
                let looped = tools.returned_to_program(&result);
                self.record_all(cx, files, AgentEvent::Returned(result)).await?;
                return looped.map_or(Ok(None), |error| Err(self.stopped(error)));
            }
            AgentMessage::Usage(usage) => {
                cx.note(vec![cx.draft(&self.name, EventKind::Agent(AgentEvent::Used(usage)))]);
                return Ok(None);
            }
            AgentMessage::Notice { text } => {
                let message = self.redactor.text(&text).into_owned();
                let warned = SystemEvent::Warned { message, details: Object::new() };
                cx.record(vec![cx.draft(&self.name, EventKind::System(warned))]).await?;
                return Ok(None);
            }
            AgentMessage::ScriptedModel => {
                self.note_or_record(cx, [EventKind::System(SystemEvent::scripted_model())]).await?;
                return Ok(None);
            }
            AgentMessage::Retry { text } => {
                let retry = SystemEvent::retry(self.redactor.text(&text).into_owned());
                cx.record(vec![cx.draft(&self.name, EventKind::System(retry))]).await?;
                return Ok(None);
            }
            AgentMessage::Result { text, session, is_error } => {
                let text = self.redactor.text(&text).into_owned();
                // An earlier try of this visit ended here, and not its node.
                if conversation::last_output(cx.past().await?, cx.step(), &self.name) == Some(&text) {
                    return Ok(Some(text));
                }
                let finished = AgentEvent::Finished {
                    text: text.clone(),
                    is_error,
                    session,
                    tokens: None,
                    duration_ms: None,
                    memories_stored: None,
                };
                let files = tools.file_events(&moment(cx, &self.name, END)).await;
                // The answer is written already. What it became is written with the end of the visit.
                self.note_or_record(cx, files.into_iter().chain([EventKind::Agent(finished)])).await?;
                return Ok(Some(text));
            }
        };
        self.record(cx, event).await?;
        Ok(None)
    }

    /// Whether a message probably ends its turn: it is written with the end of the visit, which comes next, or after a
    /// moment. A process that dies in between asks the model again, as when it dies during the call.
    fn is_answer(&self, cx: &NodeCx, message: &Message) -> bool {
        let is_call = |part: &Part| matches!(part, Part::ToolCall(_));
        cx.is_thread()
            && !self.driver_type.is_program()
            && message.role == Role::Assistant
            && !message.parts.iter().any(is_call)
    }

    fn stopped(&self, error: DriverError) -> AgentStop {
        AgentStop::Driver(error.cleaned(|text| self.redactor.text(text).into_owned()))
    }

    async fn record(&self, cx: &NodeCx, event: AgentEvent) -> Result<(), AgentStop> {
        let event = self.redactor.clean(EventKind::Agent(event));
        Ok(cx.record(vec![cx.draft(&self.name, event)]).await?)
    }

    /// Facts that are written with the next ones of a thread. Other conversations may have company in their visit, whose
    /// facts must not come into one commit with theirs: a replay would need the same luck.
    async fn note_or_record(
        &self,
        cx: &NodeCx,
        kinds: impl IntoIterator<Item = EventKind>,
    ) -> Result<(), AgentStop> {
        let drafts = kinds.into_iter().map(|kind| cx.draft(&self.name, self.redactor.clean(kind))).collect();
        match cx.is_thread() {
            true => cx.note(drafts),
            false => cx.record(drafts).await?,
        }
        Ok(())
    }

    /// What became of files, and then what it was that changed them, in one commit.
    async fn record_all(
        &self,
        cx: &NodeCx,
        files: Vec<EventKind>,
        event: AgentEvent,
    ) -> Result<(), AgentStop> {
        let kinds = files.into_iter().chain([EventKind::Agent(event)]);
        let drafts = kinds.map(|kind| cx.draft(&self.name, self.redactor.clean(kind))).collect();
        Ok(cx.record(drafts).await?)
    }
}

/// The moment before an agent does anything.
const BEGIN: &str = "begin";
/// The moment after an agent has done everything.
pub const END: &str = "end";
/// The moment at which an agent stops in the middle: it asks, or cannot continue. What is there is kept; it is reported later.
pub const REST: &str = "rest";

/// What an agent hands in is its output.
fn finished(args: &Object) -> AgentEvent {
    AgentEvent::Finished {
        text: serde_json::Value::Object(args.clone()).to_string(),
        is_error: false,
        session: None,
        tokens: None,
        duration_ms: None,
        memories_stored: None,
    }
}

/// What comes next in a conversation.
enum Next {
    Said(Result<AgentMessage, DriverError>),
    Ending(StopCause),
}

/// The driver's next message, or how the conversation ends; what was noted does not wait for it longer than a moment.
async fn next_message(
    cx: &NodeCx,
    said: &mut AgentMessageStream,
    ending: &mut oneshot::Receiver<StopCause>,
) -> Result<Option<Next>, NodeError> {
    loop {
        let (next, written) = (select(said.next(), &mut *ending), pin!(cx.write_noted()));
        match select(next, written).await {
            Either::Left((Either::Left((message, _)), _)) => return Ok(message.map(Next::Said)),
            Either::Left((Either::Right((Ok(ending), _)), _)) => return Ok(Some(Next::Ending(ending))),
            // The tools hold the other end as long as the driver has them.
            Either::Left((Either::Right((Err(_), _)), _)) => return Ok(None),
            Either::Right((written, _)) => written?,
        }
    }
}
