//! The funnel: every question to every agent goes through here. Rebuilds the conversation, runs the driver, writes down
//! what it says as it says it.

use std::sync::Arc;

use amelia_core::driver::{AgentMessage, AgentRequest, Driver, DriverError};
use amelia_core::event::{AgentEvent, EventKind, SystemEvent};
use amelia_core::human::HumanRequest;
use amelia_core::id::AgentName;
use amelia_core::message::{Message, Object, ThinkingPart};
use amelia_core::redact::Redactor;
use amelia_core::tool::{ToolBox, ToolCx};
use amelia_graph::node::{NodeCx, NodeError};
use futures_util::StreamExt;
use futures_util::future::{Either, select};
use tokio::sync::RwLock;

use crate::asking::Outlet;
use crate::conversation;
use crate::live::{Delta, Live, Streaming};
use crate::tools::{Helpers, JournaledTools};

/// An agent in its place: what it runs on, what it may use, who watches.
#[derive(Clone)]
pub struct Agent {
    pub name: AgentName,
    pub driver: Arc<dyn Driver>,
    pub tools: Arc<dyn ToolBox>,
    pub helpers: Helpers,
    pub live: Live,
    /// Nothing is kept or shown with a secret in it.
    pub redactor: Arc<Redactor>,
}

/// Why an agent did not finish.
#[derive(Debug, Clone, PartialEq)]
pub enum Stopped {
    /// The driver cannot go on; the conversation is kept.
    Driver(DriverError),
    /// It asked a person; the conversation goes on with the answer.
    Asks(HumanRequest),
    /// The log cannot be written.
    Node(NodeError),
}

impl From<NodeError> for Stopped {
    fn from(error: NodeError) -> Self {
        Self::Node(error)
    }
}

impl From<amelia_core::store::StoreError> for Stopped {
    fn from(error: amelia_core::store::StoreError) -> Self {
        Self::Node(error.into())
    }
}

impl Agent {
    /// Asks the agent, or goes on with what it was asked before. `opening` is the first message of a conversation that
    /// has not begun; `request` has everything else.
    ///
    /// When a person has let the agent go on past a limit, their words come next, and the turns count anew.
    pub async fn ask(&self, cx: &NodeCx, opening: Message, request: AgentRequest) -> Result<String, Stopped> {
        let mut messages = conversation::rebuild(cx.past().await?, &self.name);
        let guidance = conversation::guidance(cx, &self.name, &messages);
        let next = if messages.is_empty() { Some(opening) } else { guidance };
        if let Some(message) = next {
            self.record(cx, AgentEvent::Said(Box::new(message.clone()))).await?;
            messages.push(message);
        }
        let max_turns = request.max_turns.saturating_add(conversation::turns_before_guidance(&messages));
        let request = AgentRequest { agent: self.name.clone(), messages, max_turns, ..request };
        let (outlet, mut asked) = Outlet::new();
        let tools = Arc::new(self.journaled(cx, outlet));
        let mut said = self.driver.run(request, Arc::clone(&tools) as Arc<dyn ToolBox>, self.tool_cx(cx));
        let mut answer = None;
        let mut streaming = Streaming::new(self, cx.run());
        loop {
            let message = match select(said.next(), &mut asked).await {
                Either::Left((Some(message), _)) => message,
                Either::Right((Ok(request), _)) => return Err(Stopped::Asks(self.redactor.clean(request))),
                // `tools` holds the other end.
                Either::Left((None, _)) | Either::Right((Err(_), _)) => break,
            };
            if let Some(text) = self.take(cx, &mut streaming, message.map_err(Stopped::Driver)?).await? {
                answer = Some(text);
            }
        }
        answer.ok_or(Stopped::Driver(DriverError::Silent { times: 1 }))
    }

    fn journaled(&self, cx: &NodeCx, outlet: Outlet) -> JournaledTools {
        JournaledTools {
            inner: Arc::clone(&self.tools),
            helpers: self.helpers.clone(),
            outlet,
            quiet: RwLock::new(()),
            redactor: Arc::clone(&self.redactor),
            cx: cx.clone(),
            agent: self.name.clone(),
        }
    }

    /// One message: shown, or written down. The final one is returned.
    async fn take(
        &self,
        cx: &NodeCx,
        streaming: &mut Streaming<'_>,
        message: AgentMessage,
    ) -> Result<Option<String>, Stopped> {
        if !matches!(message, AgentMessage::Delta { .. }) {
            streaming.end();
        }
        let event = match message {
            AgentMessage::Delta { kind, text } => {
                streaming.feed(kind, &text);
                return Ok(None);
            }
            AgentMessage::Said(message) => AgentEvent::Said(message),
            AgentMessage::Thinking { text } => AgentEvent::Thought(ThinkingPart { text, signature: None }),
            AgentMessage::ToolCall(call) => AgentEvent::Called(call),
            AgentMessage::ToolResult(result) => AgentEvent::Returned(result),
            AgentMessage::Usage(usage) => AgentEvent::Used(usage),
            AgentMessage::Notice { text } => {
                let message = self.redactor.text(&text).into_owned();
                let warned = SystemEvent::Warned { message, details: Object::new() };
                cx.record(vec![cx.draft(&self.name, EventKind::System(warned))]).await?;
                return Ok(None);
            }
            AgentMessage::Result { text, session, is_error } => {
                let text = self.redactor.text(&text).into_owned();
                let finished = AgentEvent::Finished {
                    text: text.clone(),
                    is_error,
                    session,
                    tokens: None,
                    duration_ms: None,
                    memories_stored: None,
                };
                self.record(cx, finished).await?;
                return Ok(Some(text));
            }
        };
        self.record(cx, event).await?;
        Ok(None)
    }

    async fn record(&self, cx: &NodeCx, event: AgentEvent) -> Result<(), Stopped> {
        let event = self.redactor.clean(EventKind::Agent(event));
        Ok(cx.record(vec![cx.draft(&self.name, event)]).await?)
    }

    /// Tools show their output to the same people, and stop with the run.
    fn tool_cx(&self, cx: &NodeCx) -> ToolCx {
        let (live, agent, run) = (Arc::clone(&self.live), self.name.clone(), cx.run());
        ToolCx {
            cancel: cx.cancel().child_token(),
            progress: Arc::new(move |text: &str| {
                let kind = amelia_core::driver::DeltaKind::Tool;
                live(Delta { run, agent: agent.clone(), kind, text: text.to_owned() });
            }),
        }
    }
}
