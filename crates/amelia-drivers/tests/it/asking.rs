//! One question to one agent without tools, and everything that came back.

use std::sync::Arc;
use std::time::Duration;

use amelia_core::budget::BudgetGate;
use amelia_core::clock::{Clock, SystemClock};
use amelia_core::config::retry::RetryConfig;
use amelia_core::driver::{
    AgentMessage, AgentRequest, AnswerShape, Driver, DriverError, ModelOptions, UsageMeter,
};
use amelia_core::id::{AgentName, MessageId};
use amelia_core::key_source::KeySource;
use amelia_core::message::{ExecutionMode, Message, Object, Part, Role, TextPart};
use amelia_core::recording::Channel;
use amelia_core::tool::{ToolBox, ToolCall, ToolCx, ToolResult, ToolSpec};
use amelia_drivers::api::ApiDriver;
use amelia_drivers::model::{HttpModel, Network, Prices, Timeouts, WireFormat, client};
use amelia_drivers::quota::QuotaGate;
use amelia_drivers::user_messages::LiveUserMessages;
use async_trait::async_trait;
use futures_util::StreamExt;

/// Who is asked, and how patiently.
pub(crate) struct Asking {
    pub(crate) base_url: String,
    pub(crate) wire: WireFormat,
    pub(crate) idle: Duration,
    pub(crate) retries: u32,
    pub(crate) answer: Option<AnswerShape>,
    pub(crate) options: ModelOptions,
}

impl Asking {
    /// Waits as long as a user would, and does not try again.
    pub(crate) fn new(base_url: String, wire: WireFormat) -> Self {
        let options = ModelOptions::default();
        Self { base_url, wire, idle: Timeouts::default().idle, retries: 0, answer: None, options }
    }

    /// All that the agent said, and how it ended.
    pub(crate) async fn ask(&self, prompt: &str) -> (Vec<AgentMessage>, Option<DriverError>) {
        let mut said = Vec::new();
        let mut stream = self.driver().run(self.request(prompt), Arc::new(NoTools), ToolCx::default());
        while let Some(message) = stream.next().await {
            match message {
                Ok(message) => said.push(message),
                Err(error) => return (said, Some(error)),
            }
        }
        (said, None)
    }

    fn driver(&self) -> ApiDriver {
        let timeouts = Timeouts { idle: self.idle, ..Timeouts::default() };
        let model = HttpModel {
            redactor: std::sync::Arc::default(),
            name: "here".to_owned(),
            wire: self.wire,
            base_url: self.base_url.clone(),
            key: None,
            key_source: KeySource::Variable("NO_KEY".to_owned()),
            timeouts,
            client: client(timeouts).unwrap(),
            transport: Network::transport(client(timeouts).unwrap()),
            traits: Arc::default(),
            encoded: Arc::default(),
        };
        ApiDriver {
            model: Arc::new(model),
            clock: Arc::new(SystemClock),
            retry: RetryConfig { max_retries: self.retries, base_delay: 0.0, max_delay: 0.0 },
            prices: Arc::new(Prices::shipped().unwrap()),
            budget_gate: BudgetGate::default(),
            quota: QuotaGate::default(),
            breaker: Arc::default(),
            user_messages: Arc::new(LiveUserMessages(Arc::default())),
            context_tokens: Arc::new(128_000.into()),
            fallbacks: Vec::new(),
        }
    }

    fn request(&self, prompt: &str) -> AgentRequest {
        let agent = AgentName::new("asker").unwrap();
        let opening = Message {
            id: MessageId(SystemClock.new_id()),
            at: SystemClock.now(),
            role: Role::User,
            agent: agent.clone(),
            task: None,
            parent: None,
            mode: ExecutionMode::default(),
            memory: Object::new(),
            parts: vec![Part::Text(TextPart::new(prompt))],
            metadata: Object::new(),
        };
        AgentRequest {
            agent,
            model: "scripted".to_owned(),
            system: "You are brief.".to_owned(),
            messages: vec![Arc::new(opening)],
            answer: self.answer.clone(),
            options: self.options.clone(),
            max_turns: 5,
            session: None,
            unheard: usize::MAX,
            channel: Channel::default(),
            meter: UsageMeter::default(),
        }
    }
}

struct NoTools;

#[async_trait]
impl ToolBox for NoTools {
    fn specs(&self) -> Vec<ToolSpec> {
        Vec::new()
    }

    async fn call(&self, _: &ToolCx, call: &ToolCall) -> ToolResult {
        ToolResult {
            error: Some(format!("there is no tool `{}`", call.tool)),
            ..ToolResult::interrupted(call)
        }
    }
}

/// The last words.
pub(crate) fn result(said: &[AgentMessage]) -> Option<&str> {
    match said.last() {
        Some(AgentMessage::Result { text, .. }) => Some(text),
        _ => None,
    }
}

/// What people are told on the way.
pub(crate) fn notices(said: &[AgentMessage]) -> Vec<&str> {
    let mut notices = Vec::new();
    for message in said {
        if let AgentMessage::Notice { text } | AgentMessage::Retry { text } = message {
            notices.push(text.as_str());
        }
    }
    notices
}
