//! What becomes a summary: when it is asked for, and by the settings of teams.

use std::sync::Arc;

use amelia_core::clock::SystemClock;
use amelia_core::event::{EventKind, RunEvent};
use amelia_core::id::RunId;
use amelia_core::memory::summary::ConsolidationState;
use amelia_core::memory::{Memories, NewMemory};
use amelia_core::message::MemoryKind;
use amelia_core::run::RunStatus;
use amelia_core::store::Store;
use amelia_orchestrator::memory_schedule::ConsolidationSchedule;
use amelia_orchestrator::orchestrator::Orchestrator;
use amelia_orchestrator::runs::Runs;
use amelia_orchestrator::service::RunService;
use amelia_store::sqlite::{SqliteOptions, SqliteStore};
use serde_json::{Value, json};

use super::*;
use crate::assemble::ModelAccess;
use crate::database::runs_on;
use crate::home::Home;
use crate::limits::SpendLimits;
use crate::mcp_servers::McpServers;
use crate::memory::SharedMemory;
use crate::run_assembler::RunAssembler;

struct Place {
    _directory: tempfile::TempDir,
    home: Home,
    store: Arc<SqliteStore>,
    runs: Runs,
    memory: SharedMemory,
    service: Arc<LocalRunService>,
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap()
}

fn team(memory: &Value) -> Value {
    let llm = json!({"provider": "openai-compatible", "base_url": "http://127.0.0.1:1/v1", "model": "m"});
    let agent = json!({"name": "scout", "role": "finds", "prompt_template": "Find."});
    json!({
        "compiler": 1, "prompt": "About rivers", "started_at": "2026-01-01T00:00:00Z", "memory": {},
        "team_config": {"name": "scouts", "description": "They scout.", "default_llm": llm, "agents": [agent],
                        "memory_config": memory},
    })
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::at(directory.path());
        let file = directory.path().join("a.db");
        let store = Arc::new(SqliteStore::open(&file, SqliteOptions::default()).unwrap());
        let memory = SharedMemory::of(&home, Arc::clone(&store) as Arc<dyn Memories>);
        let service = LocalRunService::on(&home, &store, &Arc::new(McpServers::of(&home)));
        let service = Arc::new(service.with_memory(memory.clone()));
        let runs = runs_on(Arc::clone(&store) as Arc<dyn Store>);
        Self { _directory: directory, home, store, runs, memory, service }
    }

    /// What moves the runs.
    fn orchestrator(&self) -> Orchestrator {
        let mcp = Arc::new(McpServers::of(&self.home));
        let assembler = RunAssembler::new(&self.home, ModelAccess::default(), SpendLimits::default(), &mcp);
        let assembler = assembler.with_memory(self.memory.clone());
        Orchestrator::new(self.runs.clone(), Arc::new(assembler), 1)
    }

    async fn run(&self, memory: Value) -> RunId {
        self.run_of(team(&memory)).await
    }

    async fn run_of(&self, input: Value) -> RunId {
        let graph = GraphName::new(amelia_flows::team::NAME).unwrap();
        let spec = RunSpec { input, ..RunSpec::new(graph, "About rivers") };
        self.runs.create(spec).await.unwrap()
    }

    async fn row(&self, run: RunId) -> RunRow {
        self.store.run(run).await.unwrap().unwrap()
    }

    async fn cancel(&self, run: RunId) {
        let at_rest = self.runs.at_rest(run).await.unwrap().unwrap();
        self.runs.record(&at_rest, vec![EventKind::Run(RunEvent::Cancelled { by: None })]).await.unwrap();
    }

    /// At the moment 0.
    async fn remember(&self, space: &MemorySpace, run: Option<RunId>, keys: &[&str]) {
        for key in keys {
            let new = NewMemory {
                space: space.clone(),
                kind: MemoryKind::LongTerm,
                key: Some((*key).to_owned()),
                text: format!("About {key}."),
                by: "scout".to_owned(),
                run,
                at: at(0),
                expires_at: None,
            };
            self.store.remember(new).await.unwrap();
        }
    }

    async fn due(&self, seconds: i64) -> Vec<PlannedConsolidation> {
        self.service.due_now(at(seconds)).await.unwrap()
    }

    async fn asked(&self, asked: ConsolidationRequest<'_>) -> Vec<PlannedConsolidation> {
        self.service.asked_consolidations(asked, at(1)).await.unwrap()
    }
}

const RIVERS: [&str; 3] = ["rivers/elbe", "rivers/main", "rivers/rhine"];

fn topics(planned: &[PlannedConsolidation]) -> Vec<(Vec<&str>, SummaryMethod)> {
    planned.iter().map(|one| (one.topics.iter().map(String::as_str).collect(), one.method)).collect()
}

#[tokio::test]
async fn a_topic_is_due_after_the_interval_of_its_team_and_not_while_a_run_summarises_it() {
    let place = Place::new();
    let run = place.run(json!({"consolidation_interval": 600})).await;
    let space = MemorySpace::of_run(run);
    place.remember(&space, Some(run), &RIVERS[..2]).await;
    assert!(place.due(9_999).await.is_empty(), "two entries are not enough");
    place.remember(&space, Some(run), &RIVERS[2..]).await;
    assert!(place.due(599).await.is_empty());
    let due = place.due(600).await;
    assert_eq!(topics(&due), [(vec!["rivers"], SummaryMethod::Model)]);
    assert_eq!(place.due(601).await, due, "the same entries have the same key");
    place.runs.create(due[0].spec.clone()).await.unwrap();
    assert!(place.due(602).await.is_empty());
    assert!(place.asked(ConsolidationRequest::default()).await.is_empty());
}

#[tokio::test]
async fn nothing_is_due_without_an_interval_or_a_reader_or_a_team() {
    let place = Place::new();
    let never = place.run(json!({"consolidation_interval": 0})).await;
    place.remember(&MemorySpace::of_run(never), Some(never), &RIVERS).await;
    place.remember(&MemorySpace::of_all(), None, &RIVERS).await;
    let ended = place.run(json!({})).await;
    place.remember(&MemorySpace::of_run(ended), Some(ended), &RIVERS).await;
    let shared = MemorySpace::of_team("scouts", None);
    place.remember(&shared, Some(ended), &["lakes/a", "lakes/b", "lakes/c"]).await;
    assert_eq!(topics(&place.due(3600).await), [(vec!["rivers", "lakes"], SummaryMethod::Model)]);
    place.cancel(ended).await;
    assert_eq!(topics(&place.due(3600).await), [(vec!["lakes"], SummaryMethod::Model)]);
}

#[tokio::test]
async fn a_later_summary_continues_the_earlier_one_and_waits_for_its_interval() {
    let place = Place::new();
    let run = place.run(json!({"consolidation_interval": 600})).await;
    let space = MemorySpace::of_run(run);
    place.remember(&space, Some(run), &RIVERS).await;
    let input: ConsolidationInput =
        serde_json::from_value(place.due(600).await[0].spec.input.clone()).unwrap();
    let new = input.topics[0].summary("Three rivers.", SummaryMethod::Model, SUMMARISER, run, at(700));
    let summary = place.store.consolidate(new).await.unwrap().entry;
    assert_eq!(summary.consolidation, ConsolidationState::Summary(SummaryMethod::Model));
    assert!(place.due(9_999).await.is_empty());
    place.remember(&space, Some(run), &["rivers/a", "rivers/b", "rivers/c"]).await;
    assert!(place.due(1299).await.is_empty());
    let due = place.due(1300).await;
    let input: ConsolidationInput = serde_json::from_value(due[0].spec.input.clone()).unwrap();
    assert_eq!(input.topics[0].previous.as_deref(), Some("Three rivers."));
    assert_eq!(input.topics[0].sources.len(), 3, "the new ones");
}

#[tokio::test]
async fn a_person_can_ask_for_a_run_a_scope_and_a_topic() {
    let place = Place::new();
    let run = place.run(json!({"share": ["team"]})).await;
    place.remember(&MemorySpace::of_run(run), Some(run), &RIVERS).await;
    place
        .remember(&MemorySpace::of_team("scouts", None), Some(run), &["lakes/a", "lakes/b", "lakes/c"])
        .await;
    place.remember(&MemorySpace::of_all(), None, &["tides/a", "tides/b", "tides/c"]).await;
    let row = place.row(run).await;
    let of_run = ConsolidationRequest { run: Some(&row), ..ConsolidationRequest::default() };
    assert_eq!(topics(&place.asked(of_run).await), [(vec!["rivers", "lakes"], SummaryMethod::Model)]);
    let all = place.asked(ConsolidationRequest::default()).await;
    let expected =
        [(vec!["rivers", "lakes"], SummaryMethod::Model), (vec!["tides"], SummaryMethod::Extractive)];
    assert_eq!(topics(&all), expected, "only people have written about tides");
    assert_eq!(all[0].spec.idempotency_key, None, "a person may ask again after a failure");
    let lakes = ConsolidationRequest { topic: Some("lakes"), ..of_run };
    assert_eq!(topics(&place.asked(lakes).await), [(vec!["lakes"], SummaryMethod::Model)]);
    let of_team = ConsolidationRequest { scope: Some(MemoryScope::Team), ..of_run };
    assert_eq!(topics(&place.asked(of_team).await), [(vec!["lakes"], SummaryMethod::Model)]);
    let off = place.run(json!({"long_term_enabled": false, "semantic_search_enabled": false})).await;
    let row = place.row(off).await;
    let refused = ConsolidationRequest { run: Some(&row), ..ConsolidationRequest::default() };
    let refused = place.service.asked_consolidations(refused, at(1)).await.unwrap_err();
    assert!(matches!(refused, ServiceError::Conflict(_)), "{refused}");
}

#[tokio::test]
async fn the_schedule_creates_what_is_due_once_and_the_run_writes_the_summary() {
    let place = Place::new();
    let mut input = team(&json!({"consolidation_interval": 1}));
    input["team_config"]["default_llm"] = json!({"provider": "openai", "api_key_env": "AMELIA_ABSENT_KEY"});
    let run = place.run_of(input).await;
    let space = MemorySpace::of_team("scouts", None);
    place.remember(&space, Some(run), &RIVERS).await;
    let orchestrator = place.orchestrator();
    let service: Arc<dyn RunService> = place.service.clone();
    let mut schedule = ConsolidationSchedule::new(&orchestrator, &service, Arc::new(SystemClock));
    let started = schedule.start_due().await.unwrap();
    assert_eq!(started.len(), 1);
    assert!(schedule.start_due().await.unwrap().is_empty(), "once");
    while !place.row(started[0]).await.view.status.is_final() {
        orchestrator.wait_for_rest(started[0]).await;
        tokio::task::yield_now().await;
    }
    let row = place.row(started[0]).await;
    assert_eq!(row.view.status, RunStatus::Completed, "{:?}", row.view.failure);
    let of_space = MemoryFilter { spaces: vec![space], ..MemoryFilter::default() };
    let all = place.store.memories(of_space, at(1)).await.unwrap();
    assert_eq!(all[0].consolidation, ConsolidationState::Summary(SummaryMethod::Extractive));
    assert!(all.iter().skip(1).all(|entry| entry.consolidation == ConsolidationState::PartOf(all[0].number)));
    let mut again = ConsolidationSchedule::new(&orchestrator, &service, Arc::new(SystemClock));
    assert!(again.start_due().await.unwrap().is_empty(), "after a restart, nothing is due");
    orchestrator.close().await;
}
