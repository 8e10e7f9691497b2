//! Every provider as its documentation says it behaves: a fake that refuses what the real one refuses, in its own words,
//! and streams as it streams. One conversation runs against each: thinking, two calls in one turn, an image, an overflow,
//! an answer that is cut off, and a resume from the middle.

mod anthropic;
mod azure;
mod chat;
mod fake;
mod kimi;
mod odd;
mod openai;
mod sdk;

use std::sync::Arc;

use amelia_core::budget::BudgetGate;
use amelia_core::clock::{Clock, SystemClock};
use amelia_core::config::retry::RetryConfig;
use amelia_core::driver::{
    AgentMessage, AgentRequest, AnswerShape, Driver, DriverError, ModelOptions, Usage, UsageMeter,
};
use amelia_core::id::{AgentName, MessageId};
use amelia_core::key_source::KeySource;
use amelia_core::message::{ExecutionMode, ImagePart, Message, Object, Part, Role, TextPart};
use amelia_core::recording::Channel;
use amelia_core::tool::{Risk, ToolBox, ToolCall, ToolCx, ToolName, ToolResult, ToolSpec};
use amelia_drivers::api::ApiDriver;
use amelia_drivers::model::{
    Catalog, HttpModel, Model, Network, Prices, Provider, Textual, Timeouts, Traits, WireFormat, client,
};
use amelia_drivers::quota::QuotaGate;
use amelia_drivers::user_messages::LiveUserMessages;
use async_trait::async_trait;
use futures_util::StreamExt;
use parking_lot::Mutex;
use serde_json::json;

use self::fake::{Fake, Rules};

/// Exchanges with a tool before the final answer; their results do not fit together.
const EXCHANGES: usize = 6;
/// Bytes of a result of the tool.
const RESULT: usize = 20_000;
/// Bytes of a request that is refused as too long.
const WINDOW: usize = 80_000;

/// Who is asked.
struct ModelCase {
    provider: Provider,
    wire: WireFormat,
    model: &'static str,
    options: ModelOptions,
    answer: Option<AnswerShape>,
    /// Where it is, below the address of the server.
    root: &'static str,
}

impl ModelCase {
    fn new(provider: Provider, wire: WireFormat, model: &'static str) -> Self {
        Self { provider, wire, model, options: ModelOptions::default(), answer: None, root: "/v1" }
    }

    fn below(self, root: &'static str) -> Self {
        Self { root, ..self }
    }

    fn thinking(self, word: &str) -> Self {
        let options =
            ModelOptions { reasoning: Some(word.to_owned()), temperature: Some(0.2), ..self.options };
        Self { options, ..self }
    }

    fn driver(&self, url: &str) -> ApiDriver {
        let timeouts = Timeouts::default();
        let catalog = Catalog::shipped().unwrap();
        let traits = Traits::of(self.provider, self.wire, catalog.of(self.model));
        let http: Arc<dyn Model> = Arc::new(HttpModel {
            redactor: Arc::default(),
            name: self.provider.to_string(),
            wire: self.wire,
            base_url: format!("{url}{}", self.root),
            key: None,
            key_source: KeySource::Variable("NO_KEY".to_owned()),
            timeouts,
            client: client(timeouts).unwrap(),
            transport: Network::transport(client(timeouts).unwrap()),
            traits: Arc::new(Mutex::new(traits)),
            encoded: Arc::default(),
        });
        ApiDriver {
            model: Arc::new(Textual::when_needed(http)),
            clock: Arc::new(SystemClock),
            retry: RetryConfig { max_retries: 2, base_delay: 0.0, max_delay: 0.0 },
            prices: Arc::new(Prices::of_models(catalog)),
            budget_gate: BudgetGate::default(),
            quota: QuotaGate::default(),
            breaker: Arc::default(),
            user_messages: Arc::new(LiveUserMessages(Arc::default())),
            context_tokens: Arc::new(128_000.into()),
            fallbacks: Vec::new(),
        }
    }

    fn request(&self, messages: Vec<Message>) -> AgentRequest {
        AgentRequest {
            agent: AgentName::new("developer").unwrap(),
            model: self.model.to_owned(),
            system: "You are brief.".to_owned(),
            messages: messages.into_iter().map(Arc::new).collect(),
            answer: self.answer.clone(),
            options: self.options.clone(),
            max_turns: 50,
            session: None,
            unheard: usize::MAX,
            channel: Channel::default(),
            meter: UsageMeter::default(),
        }
    }

    async fn run(&self, url: &str, messages: Vec<Message>) -> Talked {
        self.run_with(self.driver(url), messages).await
    }

    async fn run_with(&self, driver: ApiDriver, messages: Vec<Message>) -> Talked {
        let said = Arc::new(Mutex::new(messages.clone()));
        let tools = Arc::new(Look(Arc::clone(&said)));
        let mut stream = driver.run(self.request(messages), tools, ToolCx::default());
        let (mut end, mut notices, mut used) = (Err(None), Vec::new(), Vec::new());
        while let Some(message) = stream.next().await {
            match message {
                Ok(AgentMessage::Said(message)) => said.lock().push(*message),
                Ok(AgentMessage::Notice { text } | AgentMessage::Retry { text }) => notices.push(text),
                Ok(AgentMessage::Usage(usage)) => used.push(usage),
                Ok(AgentMessage::Result { text, .. }) => end = Ok(text),
                Ok(_) => {}
                Err(error) => end = Err(Some(error)),
            }
        }
        let messages = said.lock().clone();
        Talked { end, messages, notices, used }
    }
}

/// A conversation as it went.
#[derive(Debug)]
struct Talked {
    end: Result<String, Option<DriverError>>,
    messages: Vec<Message>,
    notices: Vec<String>,
    used: Vec<Usage>,
}

impl Talked {
    fn calls(&self) -> usize {
        let parts = self.messages.iter().flat_map(|message| &message.parts);
        parts.filter(|part| matches!(part, Part::ToolCall(_))).count()
    }
}

fn message(role: Role, parts: Vec<Part>) -> Message {
    Message {
        id: MessageId(SystemClock.new_id()),
        at: SystemClock.now(),
        role,
        agent: AgentName::new("developer").unwrap(),
        task: None,
        parent: None,
        mode: ExecutionMode::default(),
        memory: Object::new(),
        parts,
        metadata: Object::new(),
    }
}

fn opening() -> Vec<Message> {
    let image = ImagePart {
        url: "data:image/png;base64,iVBORw0KGgo=".to_owned(),
        alt_text: None,
        dimensions: None,
        format: None,
    };
    vec![message(Role::User, vec![Part::Text(TextPart::new("Look around.")), Part::Image(image)])]
}

/// A tool whose results are long. Writes its results down, as an engine would.
struct Look(Arc<Mutex<Vec<Message>>>);

#[async_trait]
impl ToolBox for Look {
    fn specs(&self) -> Vec<ToolSpec> {
        vec![ToolSpec {
            name: ToolName::builtin("look"),
            description: "Looks.".to_owned(),
            input_schema: json!({"type": "object", "properties": {"at": {"type": "string"}}}),
            output_schema: None,
            risk: Risk::Write,
            timeout_seconds: 5,
            fallbacks: Vec::new(),
            retry_on: Vec::new(),
        }]
    }

    async fn call(&self, _: &ToolCx, call: &ToolCall) -> ToolResult {
        let result = ToolResult { output: "x".repeat(RESULT), error: None, ..ToolResult::interrupted(call) };
        let mut said = self.0.lock();
        match said.last_mut() {
            Some(last) if last.role == Role::Tool => last.parts.push(Part::ToolResult(result.clone())),
            _ => said.push(message(Role::Tool, vec![Part::ToolResult(result.clone())])),
        }
        result
    }
}

/// The conversation, against a fake; and again from the middle, as a resumed run has it.
async fn converse(asked: ModelCase, rules: impl Rules) -> (Talked, Fake) {
    let fake = Fake::start(rules).await;
    let talked = asked.run(&fake.url, opening()).await;
    assert_eq!(talked.end.as_deref().ok(), Some("Half anThe end."), "{talked:?}\n{:?}", fake.refusals());
    assert_eq!(talked.calls(), EXCHANGES + 1, "two of them in one turn");
    let overflows = fake.refusals().iter().filter(|refusal| fake.is_overflow(refusal)).count();
    assert_eq!(overflows, 1, "what does not fit is remembered: {:?}", fake.refusals());

    let middle = talked.messages.iter().take(3).cloned().collect();
    fake.begin_at(1);
    let resumed = asked.run(&fake.url, middle).await;
    assert_eq!(resumed.end.as_deref().ok(), Some("Half anThe end."), "{resumed:?}\n{:?}", fake.refusals());
    (talked, fake)
}
