//! A server with the proxy in it, a pass, and what comes out on the other side.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use amelia_core::budget::{Account, Budget, BudgetScope, Spend};
use amelia_core::clock::SystemClock;
use amelia_core::config::secret::Secret;
use amelia_core::id::{AgentName, RunId};
use amelia_core::recording::{Channel, Frame, Tape};
use amelia_core::redact::Redactor;
use amelia_drivers::model::{Prices, Timeouts, WireFormat, local_client};
use amelia_drivers::program::{GatewayToken, MeterReport, ModelGateway};
use amelia_proxy::frame::{self, ExchangeFrame};
use amelia_proxy::{Access, TokenRegistry, Upstream};
use amelia_scripted::{Script, ScriptedServer, serve};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

pub(crate) const KEY: &str = "sk-the-real-key-0123456789";
pub(crate) const MODEL: &str = "scripted";

/// Everything that was kept.
#[derive(Default)]
pub(crate) struct FrameList(pub(crate) Mutex<Vec<Frame>>);

impl Tape for FrameList {
    fn add(&self, frame: Frame) {
        self.0.lock().unwrap().push(frame);
    }
}

/// What a test may want to be different.
pub(crate) struct Setup {
    pub(crate) base_url: String,
    pub(crate) budget: Budget,
    pub(crate) timeouts: Timeouts,
    /// How long a caller may stop reading.
    pub(crate) patience: Duration,
    pub(crate) prices: &'static str,
}

impl Setup {
    pub(crate) fn new(base_url: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            budget: Budget::default(),
            timeouts: Timeouts::default(),
            patience: Duration::from_secs(300),
            prices: r#"{"scripted": {"input": 1000, "output": 2000, "cache_read": 100, "cache_write": 1}}"#,
        }
    }
}

pub(crate) struct World {
    pub(crate) address: SocketAddr,
    pub(crate) budget_scope: BudgetScope,
    pub(crate) kept: Arc<FrameList>,
    pub(crate) gate: Arc<dyn ModelGateway>,
    pub(crate) pass: GatewayToken,
    pub(crate) client: reqwest::Client,
    server: JoinHandle<()>,
}

impl Drop for World {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// A scripted model.
pub(crate) async fn scripted(script: &str) -> ScriptedServer {
    let script = Script::parse(script).unwrap_or_else(|error| panic!("{error}"));
    serve(script, ([127, 0, 0, 1], 0).into()).await.unwrap()
}

impl World {
    pub(crate) async fn on(server: &ScriptedServer) -> Self {
        Self::with(Setup::new(format!("{}/v1", server.url()))).await
    }

    pub(crate) async fn with(setup: Setup) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let token_registry = TokenRegistry::patient(setup.timeouts);
        token_registry.listening_on(address);
        let budget_scope = BudgetScope::new(Account::new(setup.budget, Spend::default()));
        let gate = token_registry.gate(Access {
            run: RunId(uuid::Uuid::now_v7()),
            agent: AgentName::new("developer").unwrap(),
            upstream: Upstream {
                provider: "scripted".to_owned(),
                base_url: setup.base_url,
                wire: WireFormat::Chat,
                key: Some(Secret::new(KEY)),
                is_token: false,
            },
            budget_scope: budget_scope.clone(),
            prices: Arc::new(Prices::shipped().unwrap().with_own(setup.prices).unwrap()),
            breaker: Arc::default(),
            redactor: Arc::new(Redactor::new([Secret::new(KEY)])),
            clock: Arc::new(SystemClock),
        });
        let kept = Arc::new(FrameList::default());
        let pass = gate.open(&Channel::new(Arc::clone(&kept) as Arc<dyn Tape>, "developer")).unwrap();
        let router = amelia_proxy::router(&token_registry);
        let server = tokio::spawn(amelia_server::connections::answer(
            listener,
            router,
            amelia_server::connections::ConnectionLimits {
                write_timeout: setup.patience,
                ..Default::default()
            },
            std::future::pending(),
        ));
        // It installs what every client needs.
        drop(local_client(Timeouts::default()).unwrap());
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { address, budget_scope, kept, gate, pass, client, server }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.pass.url)
    }

    pub(crate) fn token(&self) -> String {
        self.pass.token.reveal().to_owned()
    }

    /// Asks with the token in the usual header.
    pub(crate) async fn post(&self, path: &str, body: &serde_json::Value) -> reqwest::Response {
        let request = self.client.post(self.url(path)).bearer_auth(self.pass.token.reveal());
        request.json(body).send().await.unwrap()
    }

    /// What the holder of the pass is told next.
    pub(crate) async fn told(&mut self) -> MeterReport {
        self.pass.metered.recv().await.unwrap()
    }

    /// The exchanges that were kept, in their order.
    pub(crate) fn exchanges(&self) -> Vec<ExchangeFrame> {
        let mut before = Vec::new();
        let frames = self.kept.0.lock().unwrap();
        let read = frames.iter().map(|kept| {
            let exchange = frame::read(&kept.body, &before).unwrap();
            before.clone_from(&exchange.request);
            exchange
        });
        read.collect()
    }

    pub(crate) fn spent(&self) -> Spend {
        self.budget_scope.run().lock().spent()
    }
}

/// The three formats: path, and a body that asks `text`.
pub(crate) fn calls(text: &str) -> [(WireFormat, &'static str, serde_json::Value); 3] {
    let messages = serde_json::json!([{"role": "user", "content": text}]);
    [
        (WireFormat::Chat, "/v1/chat/completions", serde_json::json!({"model": MODEL, "messages": messages})),
        (WireFormat::Responses, "/v1/responses", serde_json::json!({"model": MODEL, "input": text})),
        (
            WireFormat::Messages,
            "/anthropic/v1/messages",
            serde_json::json!({"model": MODEL, "max_tokens": 50, "messages": messages}),
        ),
    ]
}
