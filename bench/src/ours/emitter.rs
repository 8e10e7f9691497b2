//! The server of the fan-out: one run that waits to be started and then writes its events.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use amelia_agents::live::Live;
use amelia_core::check::CheckCommand;
use amelia_core::clock::SystemClock;
use amelia_core::config::secret::Secret;
use amelia_core::config::server::Durability as Synced;
use amelia_core::config::server::{AuthMode, ServerConfig};
use amelia_core::definition::DefinitionKind;
use amelia_core::delivery::{OpenedPullRequest, UndoneMerge};
use amelia_core::event::run::RunFailure;
use amelia_core::event::{EventKind, SystemEvent};
use amelia_core::id::{AgentName, GraphName, RunId};
use amelia_core::message::Object;
use amelia_core::permission::PermissionGrant;
use amelia_core::recording::Tape;
use amelia_core::run::RunSpec;
use amelia_core::tracker::{Issue, PullRequestState};
use amelia_core::view::RunRow;
use amelia_graph::engine::{EngineError, Stop};
use amelia_graph::graph::{END, Graph};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use amelia_graph::state::State;
use amelia_orchestrator::orchestrator::{Assembler, Orchestrator, RunnableGraph, StartMode};
use amelia_orchestrator::prompts::PromptBook;
use amelia_orchestrator::runs::{Move, Runs};
use amelia_orchestrator::service::{
    CleanupMode, DefinitionSource, DiffDetail, DiffRange, Leftover, MergeOptions, MergeReport, MergedBranch,
    PlanVersion, PullRequestOptions, RunDiff, RunRequest, RunService, RunWorktree, ServiceError, ShownPlan,
    UnusedAttachments,
};
use amelia_orchestrator::settings::Profiles;
use amelia_orchestrator::stored_definitions::StoredDefinitions;
use amelia_server::{DefinitionReader, Machine, McpAccess, NotChanged};
use amelia_store::sqlite::{SqliteOptions, SqliteStore};
use amelia_wire::rest::config::{ServerChange, ServerValue};
use amelia_wire::rest::definition::{
    AgentDetail, AgentSummary, CheckedAgent, CheckedGraph, CheckedTeam, DefinitionPlace, DefinitionProblem,
    DefinitionQuery, DefinitionText, GraphDetail, GraphSummary, PolicyDetail, PolicySummary, TeamDetail,
    TeamSummary,
};
use amelia_wire::rest::doctor::{Checkup, CheckupQuery};
use amelia_wire::rest::issue::IssueQuery;
use amelia_wire::rest::mcp::{McpCall, McpCallResult, McpServerShown, McpToolList};
use amelia_wire::rest::repository::RepositoryLook;
use anyhow::{Result, anyhow};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::{BenchDurability, CaseArgs, own};

/// Of the text in an event, as in the peer's.
const PAD: usize = 300;

/// Serves until its input ends.
pub(super) fn serve(args: &CaseArgs) -> Result<Value> {
    let (durability, events, dir) = (args.durability, args.n, args.dir.clone());
    own::block_on(async move {
        let durability = match durability {
            BenchDurability::D0 | BenchDurability::D1 => Synced::Relaxed,
            BenchDurability::D2 => Synced::Full,
        };
        let store = Arc::new(SqliteStore::open(
            &own::file(&dir),
            SqliteOptions { durability, ..SqliteOptions::default() },
        )?);
        let runs = Runs::new(Arc::clone(&store) as Arc<_>, Arc::new(SystemClock));
        let all = Orchestrator::new(runs, Arc::new(Emits(events)), 5);
        let run = all.start(RunSpec::new(GraphName::new("emits")?, "benchmark"), StartMode::Told).await?;
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let state = amelia_server::ServerParts {
            orchestrator: all.clone(),
            service: Arc::new(Closed),
            profiles: Profiles::new(Arc::clone(&store) as Arc<_>, Arc::new(SystemClock)),
            prompts: PromptBook::new(Arc::clone(&store) as Arc<_>, Arc::new(SystemClock)),
            definitions: StoredDefinitions::new(Arc::clone(&store) as Arc<_>, Arc::new(SystemClock)),
            config: ServerConfig { auth: AuthMode::None, ..ServerConfig::default() },
            token: Secret::new("unused"),
            renew_token: Arc::new(|| Ok(Secret::new("unused"))),
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
            beside: None,
        };
        println!("{}", json!({"address": address.to_string(), "run": run.to_string()}));
        let ended = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
        amelia_server::serve(listener, state, async move { drop(ended.await) }).await?;
        all.close().await;
        Ok(Value::Null)
    })
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Nothing;

impl State for Nothing {
    type Update = ();

    fn apply(&mut self, (): ()) {}
}

/// Writes so many events.
struct Emits(usize);

#[async_trait]
impl Node<Nothing> for Emits {
    async fn run(&self, cx: &NodeCx, _: &Nothing) -> Result<Outcome<()>, NodeError> {
        let text = "x".repeat(PAD);
        for _ in 0..self.0 {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let stamp = u64::try_from(now.as_nanos()).unwrap_or_default();
            let details = Object::from_iter([
                ("ts".to_owned(), json!(stamp)),
                ("tool".to_owned(), json!("shell")),
                ("out".to_owned(), json!(text)),
            ]);
            let warned = SystemEvent::Warned { message: "Running tool".to_owned(), details };
            cx.record(vec![cx.draft(&AgentName::system(), EventKind::System(warned))]).await?;
        }
        Ok(Outcome::Done(Vec::new()))
    }
}

struct Assembled(Graph<Nothing>);

#[async_trait]
impl Assembler for Emits {
    async fn assemble(
        &self,
        _: &RunRow,
        _: Live,
        _: Arc<dyn Tape>,
    ) -> Result<Box<dyn RunnableGraph>, RunFailure> {
        let graph = Graph::builder("emits").entry("only").node("only", Emits(self.0)).edge(END).build();
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

/// Nothing is requested here.
pub(super) struct Closed;

fn closed<T>() -> Result<T, ServiceError> {
    Err(ServiceError::unavailable("this is a benchmark"))
}

#[async_trait]
impl DefinitionReader for Closed {
    async fn agents(&self, _: &DefinitionQuery) -> Result<Vec<AgentSummary>, ServiceError> {
        closed()
    }

    async fn agent(&self, _: &str, _: &DefinitionQuery) -> Result<AgentDetail, ServiceError> {
        closed()
    }

    async fn check_agent(&self, _: &str, _: DefinitionText) -> Result<CheckedAgent, ServiceError> {
        closed()
    }

    async fn graphs(&self, _: &DefinitionQuery) -> Result<Vec<GraphSummary>, ServiceError> {
        closed()
    }

    async fn defined_graph(&self, _: &str, _: &DefinitionQuery) -> Result<GraphDetail, ServiceError> {
        closed()
    }

    async fn check_graph(&self, _: &str, _: DefinitionText) -> Result<CheckedGraph, ServiceError> {
        closed()
    }

    async fn teams(&self, _: &DefinitionQuery) -> Result<Vec<TeamSummary>, ServiceError> {
        closed()
    }

    async fn team(&self, _: &str, _: &DefinitionQuery) -> Result<TeamDetail, ServiceError> {
        closed()
    }

    async fn check_team(&self, _: DefinitionText) -> Result<CheckedTeam, ServiceError> {
        closed()
    }

    async fn policies(&self, _: &DefinitionQuery) -> Result<Vec<PolicySummary>, ServiceError> {
        closed()
    }

    async fn policy(&self, _: &str, _: &DefinitionQuery) -> Result<PolicyDetail, ServiceError> {
        closed()
    }

    async fn place_of(&self, _: DefinitionKind, _: &str) -> Result<Option<DefinitionPlace>, ServiceError> {
        closed()
    }

    async fn check_sent(
        &self,
        _: DefinitionKind,
        _: &str,
        _: String,
    ) -> Result<Vec<DefinitionProblem>, ServiceError> {
        closed()
    }
}

#[async_trait]
impl McpAccess for Closed {
    async fn mcp_servers(&self) -> Result<Vec<McpServerShown>, ServiceError> {
        closed()
    }

    async fn mcp_tools(&self, _: &str) -> Result<McpToolList, ServiceError> {
        closed()
    }

    async fn call_mcp_tool(&self, _: McpCall) -> Result<McpCallResult, ServiceError> {
        closed()
    }
}

#[async_trait]
impl Machine for Closed {
    fn name(&self) -> String {
        String::new()
    }

    async fn look(&self, _: &str) -> RepositoryLook {
        RepositoryLook::default()
    }

    async fn issues(&self, _: &IssueQuery) -> Result<Vec<Issue>, ServiceError> {
        closed()
    }

    async fn checkup(&self, _: &CheckupQuery) -> Checkup {
        Checkup { checks: Vec::new() }
    }

    async fn values(&self) -> Result<Vec<ServerValue>, ServiceError> {
        closed()
    }

    async fn change(&self, _: ServerChange) -> Result<(), NotChanged> {
        Err(NotChanged::Broken("this is a benchmark".into()))
    }
}

#[async_trait]
impl RunService for Closed {
    async fn prepare(&self, _: RunRequest) -> Result<RunSpec, ServiceError> {
        closed()
    }

    async fn changes(&self, _: &RunRow, _: &DiffRange, _: DiffDetail) -> Result<RunDiff, ServiceError> {
        closed()
    }

    async fn allow_always(&self, _: &RunRow, _: &PermissionGrant) -> Result<(), ServiceError> {
        Err(ServiceError::conflict("there are no profiles here"))
    }

    async fn profile_checks(&self, _: &RunRow) -> Result<Vec<CheckCommand>, ServiceError> {
        closed()
    }

    async fn profile_agents(&self, _: &RunRow) -> Result<Object, ServiceError> {
        closed()
    }

    async fn merged_branches(&self, _: &[RunRow], _: CleanupMode) -> Result<Vec<MergedBranch>, ServiceError> {
        closed()
    }

    async fn tidy_attachments(&self, _: CleanupMode) -> Result<UnusedAttachments, ServiceError> {
        closed()
    }

    fn whereabouts(&self, _: &RunRow) -> RunWorktree {
        RunWorktree::default()
    }

    async fn system_prompt(&self, _: &RunRow) -> Option<String> {
        None
    }

    async fn plan(&self, _: &RunRow) -> Result<Option<ShownPlan>, ServiceError> {
        closed()
    }

    async fn plans(&self, _: &RunRow) -> Result<Vec<PlanVersion>, ServiceError> {
        closed()
    }

    async fn file(&self, _: &RunRow, _: &str) -> Result<Vec<u8>, ServiceError> {
        closed()
    }

    async fn state(&self, _: &RunRow, _: Option<u32>) -> Result<Value, ServiceError> {
        closed()
    }

    async fn graph(&self, _: &RunRow) -> Result<Value, ServiceError> {
        closed()
    }

    async fn tidy(&self, _: &[RunRow], _: CleanupMode) -> Result<Vec<Leftover>, ServiceError> {
        closed()
    }

    async fn merge(&self, _: &RunRow, _: &MergeOptions) -> Result<MergeReport, ServiceError> {
        closed()
    }

    async fn undone_merges(&self, _: &[&RunRow]) -> BTreeMap<RunId, UndoneMerge> {
        BTreeMap::new()
    }

    async fn open_pull_request(
        &self,
        _: &RunRow,
        _: &PullRequestOptions,
    ) -> Result<OpenedPullRequest, ServiceError> {
        closed()
    }

    async fn pull_request(&self, _: &RunRow) -> Result<PullRequestState, ServiceError> {
        closed()
    }

    async fn fork(
        &self,
        _: &RunRow,
        _: u32,
        _: &[String],
        _: DefinitionSource,
    ) -> Result<RunId, ServiceError> {
        closed()
    }
}
