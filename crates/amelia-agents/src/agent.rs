//! The funnel: every question to every agent goes through here. Rebuilds the conversation, runs the driver, writes down
//! what it says as it says it.

use std::sync::Arc;

use amelia_core::driver::{AgentMessage, AgentRequest, Driver, DriverError};
use amelia_core::event::{AgentEvent, EventKind, SystemEvent};
use amelia_core::id::AgentName;
use amelia_core::message::{Message, Object, ThinkingPart};
use amelia_core::tool::{ToolBox, ToolCx};
use amelia_graph::node::{NodeCx, NodeError};
use futures_util::StreamExt;
use futures_util::future::{Either, select};

use crate::alarm::Alarm;
use crate::conversation;
use crate::live::{Delta, Live};
use crate::tools::JournaledTools;

/// An agent in its place: what it runs on, what it may use, who watches.
#[derive(Clone)]
pub struct Agent {
    pub name: AgentName,
    pub driver: Arc<dyn Driver>,
    pub tools: Arc<dyn ToolBox>,
    pub live: Live,
}

/// Why an agent did not finish.
#[derive(Debug, Clone, PartialEq)]
pub enum Stopped {
    /// The driver cannot go on; the conversation is kept.
    Driver(DriverError),
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
        let (alarm, mut broken) = Alarm::new();
        let tools = Arc::new(JournaledTools {
            inner: Arc::clone(&self.tools),
            cx: cx.clone(),
            agent: self.name.clone(),
            alarm,
        });
        let request = AgentRequest { agent: self.name.clone(), messages, max_turns, ..request };
        let mut said = self.driver.run(request, Arc::clone(&tools) as Arc<dyn ToolBox>, self.tool_cx(cx));
        let mut answer = None;
        loop {
            let message = match select(said.next(), &mut broken).await {
                Either::Left((Some(message), _)) => message,
                Either::Right((Ok(error), _)) => return Err(Stopped::Node(error)),
                // `tools` holds the other end.
                Either::Left((None, _)) | Either::Right((Err(_), _)) => break,
            };
            if let Some(text) = self.take(cx, message.map_err(Stopped::Driver)?).await? {
                answer = Some(text);
            }
        }
        answer.ok_or(Stopped::Driver(DriverError::Silent { times: 1 }))
    }

    /// One message: shown, or written down. The final one is returned.
    async fn take(&self, cx: &NodeCx, message: AgentMessage) -> Result<Option<String>, Stopped> {
        let event = match message {
            AgentMessage::Delta { kind, text } => {
                (self.live)(Delta { run: cx.run(), agent: self.name.clone(), kind, text });
                return Ok(None);
            }
            AgentMessage::Said(message) => AgentEvent::Said(message),
            AgentMessage::Thinking { text } => AgentEvent::Thought(ThinkingPart { text, signature: None }),
            AgentMessage::ToolCall(call) => AgentEvent::Called(call),
            AgentMessage::ToolResult(result) => AgentEvent::Returned(result),
            AgentMessage::Usage(usage) => AgentEvent::Used(usage),
            AgentMessage::Notice { text } => {
                let warned = SystemEvent::Warned { message: text, details: Object::new() };
                cx.record(vec![cx.draft(&self.name, EventKind::System(warned))]).await?;
                return Ok(None);
            }
            AgentMessage::Result { text, session, is_error } => {
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
        Ok(cx.record(vec![cx.draft(&self.name, EventKind::Agent(event))]).await?)
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
