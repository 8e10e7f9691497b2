//! The server of the proxy: one run at work, whose agent has a pass.

use std::io::Read as _;
use std::sync::Arc;

use amelia_agents::live::Live;
use amelia_core::budget::{Account, Budget, BudgetScope, Spend};
use amelia_core::clock::SystemClock;
use amelia_core::config::secret::Secret;
use amelia_core::config::server::Durability as Synced;
use amelia_core::config::server::{AuthMode, ServerConfig};
use amelia_core::event::run::RunFailure;
use amelia_core::id::{AgentName, GraphName, RunId};
use amelia_core::recording::{Channel, Tape};
use amelia_core::redact::Redactor;
use amelia_core::run::RunSpec;
use amelia_core::view::RunRow;
use amelia_drivers::model::{Prices, WireFormat};
use amelia_graph::engine::{EngineError, Stop};
use amelia_graph::graph::{END, Graph};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use amelia_orchestrator::orchestrator::{Assembler, Orchestrator, RunnableGraph, StartMode};
use amelia_orchestrator::prompts::PromptBook;
use amelia_orchestrator::runs::{Move, Runs};
use amelia_orchestrator::settings::Profiles;
use amelia_orchestrator::stored_definitions::StoredDefinitions;
use amelia_proxy::{Access, TokenRegistry, Upstream};
use amelia_store::sqlite::{SqliteOptions, SqliteStore};
use anyhow::{Result, anyhow};
use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::emitter::{Closed, Nothing};
use super::{BenchDurability, CaseArgs, own};

/// Of the model that the upstream says it is.
const PRICES: &str = r#"{"fake": {"input": 1, "output": 2, "cache_read": 0.1, "cache_write": 1}}"#;

/// Serves until its input ends. `--n` is the port of the upstream.
pub(super) fn serve(args: &CaseArgs) -> Result<Value> {
    let (durability, upstream, dir) = (args.durability, args.n, args.dir.clone());
    own::block_on(async move {
        let durability = match durability {
            BenchDurability::D0 | BenchDurability::D1 => Synced::Relaxed,
            BenchDurability::D2 => Synced::Full,
        };
        let store = Arc::new(SqliteStore::open(
            &own::file(&dir),
            SqliteOptions { durability, ..SqliteOptions::default() },
        )?);
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let token_registry = TokenRegistry::default();
        token_registry.listening_on(address);
        let runs = Runs::new(Arc::clone(&store) as Arc<_>, Arc::new(SystemClock));
        let work = Works { token_registry: token_registry.clone(), upstream, tape: None };
        let all = Orchestrator::new(runs, Arc::new(work), 5);
        let state = amelia_server::ServerParts {
            orchestrator: all.clone(),
            service: Arc::new(Closed),
            profiles: Profiles::new(Arc::clone(&store) as Arc<_>, Arc::new(SystemClock)),
            prompts: PromptBook::new(Arc::clone(&store) as Arc<_>, Arc::new(SystemClock)),
            definitions: StoredDefinitions::new(Arc::clone(&store) as Arc<_>, Arc::new(SystemClock)),
            config: ServerConfig { auth: AuthMode::Token, ..ServerConfig::default() },
            token: Secret::new("unused-and-long-enough"),
            renew_token: Arc::new(|| Ok(Secret::new("unused-and-long-enough"))),
            home: dir.clone(),
            is_default_home: true,
            is_demo: false,
            machine: Arc::new(Closed),
            ui: amelia_server::Ui::default(),
            version: "bench".to_owned(),
            clock: Arc::new(SystemClock),
            retention_policy: Arc::new(|| Ok(None)),
            address,
            names: Vec::new(),
            mcp: None,
            beside: Some(amelia_proxy::router(&token_registry)),
        };
        all.start(RunSpec::new(GraphName::new("works")?, "benchmark"), StartMode::Soon).await?;
        let ended = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
        amelia_server::serve(listener, state, async move { drop(ended.await) }).await?;
        all.close().await;
        Ok(Value::Null)
    })
}

/// An agent whose program talks to a model all the time.
#[derive(Clone)]
struct Works {
    token_registry: TokenRegistry,
    upstream: usize,
    tape: Option<Arc<dyn Tape>>,
}

#[async_trait]
impl Node<Nothing> for Works {
    async fn run(&self, cx: &NodeCx, _: &Nothing) -> Result<Outcome<()>, NodeError> {
        let fail = |error: String| NodeError::new("setup", error);
        let secrets =
            ["sk-upstream-0123456789", "ghp_aaaaaaaaaaaaaaaaaaaa", "another-secret-0123"].map(Secret::new);
        let gate = self.token_registry.gate(Access {
            run: cx.run(),
            agent: AgentName::system(),
            upstream: Upstream {
                provider: "fake".to_owned(),
                base_url: format!("http://127.0.0.1:{}/v1", self.upstream),
                wire: WireFormat::Chat,
                key: Some(Secret::new("sk-upstream-0123456789")),
                is_token: false,
            },
            budget_scope: BudgetScope::new(Account::new(
                Budget { usd: Some(1e9), tokens: Some(u64::MAX / 4), ..Budget::default() },
                Spend::default(),
            )),
            prices: Arc::new(Prices::shipped().and_then(|all| all.with_own(PRICES)).map_err(fail)?),
            breaker: Arc::default(),
            redactor: Arc::new(Redactor::new(secrets)),
            clock: Arc::new(SystemClock),
        });
        let tape = self.tape.clone().ok_or_else(|| fail("no tape".to_owned()))?;
        let mut pass = gate.open(&Channel::new(tape, "agent")).map_err(|error| fail(error.to_string()))?;
        let port = pass.url.trim_end_matches("/proxy").rsplit(':').next().unwrap_or_default().to_owned();
        println!("{}", json!({"port": port, "token": pass.token.reveal()}));
        while pass.metered.recv().await.is_some() {}
        Ok(Outcome::Done(Vec::new()))
    }
}

struct Assembled(Graph<Nothing>);

#[async_trait]
impl Assembler for Works {
    async fn assemble(
        &self,
        _: &RunRow,
        _: Live,
        tape: Arc<dyn Tape>,
    ) -> Result<Box<dyn RunnableGraph>, RunFailure> {
        let node = Self { tape: Some(tape), ..self.clone() };
        let graph = Graph::builder("works").entry("only").node("only", node).edge(END).build();
        let graph = graph.map_err(|error| RunFailure {
            code: "setup".to_owned(),
            message: anyhow!(error).to_string(),
            node: None,
        })?;
        Ok(Box::new(Assembled(graph)))
    }
}

#[async_trait]
impl RunnableGraph for Assembled {
    async fn run(&self, runs: &Runs, run: RunId, how: Move) -> Result<Stop, EngineError> {
        runs.run(run, &self.0, Nothing, how).await
    }
}
