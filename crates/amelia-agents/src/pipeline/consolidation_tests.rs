//! Summaries by a model and without one; a visit that is repeated asks and writes nothing twice.

use std::sync::Mutex;

use amelia_core::config::agent::DriverType;
use amelia_core::event::AgentEvent;
use amelia_core::memory::summary::{MemorySource, NewSummary};
use amelia_core::memory::{
    MemoryChange, MemoryEntry, MemoryFilter, MemorySpace, MemoryTotals, NewMemory, WrittenMemory,
};
use amelia_core::message::{MemoryKind, Role};
use amelia_core::store::StoreError;
use jiff::Timestamp;

use super::*;
use crate::testing::{Log, ScriptedDriver, ScriptedTurn, member, visit};

/// Keeps the summaries that it gets; refuses them when it is told to.
#[derive(Default)]
struct Written {
    summaries: Mutex<Vec<NewSummary>>,
    is_full: Mutex<bool>,
}

#[async_trait]
impl Memories for Written {
    async fn remember(&self, _: NewMemory) -> Result<WrittenMemory, StoreError> {
        Err(StoreError::Closed)
    }

    async fn memory(&self, _: u64) -> Result<Vec<MemoryEntry>, StoreError> {
        Err(StoreError::Closed)
    }

    async fn memories(&self, _: MemoryFilter, _: Timestamp) -> Result<Vec<MemoryEntry>, StoreError> {
        Err(StoreError::Closed)
    }

    async fn memories_numbered(&self, _: Vec<u64>) -> Result<Vec<MemoryEntry>, StoreError> {
        Err(StoreError::Closed)
    }

    async fn memory_totals(
        &self,
        _: Vec<MemorySpace>,
        _: MemoryKind,
        _: Timestamp,
    ) -> Result<MemoryTotals, StoreError> {
        Err(StoreError::Closed)
    }

    async fn memory_changes(&self, _: u64, _: usize) -> Result<Vec<MemoryChange>, StoreError> {
        Err(StoreError::Closed)
    }

    async fn consolidate(&self, new: NewSummary) -> Result<WrittenMemory, StoreError> {
        if *self.is_full.lock().unwrap() {
            return Err(StoreError::Closed);
        }
        let NewMemory { space, kind, key, text, by, run, at, expires_at } = new.entry.clone();
        let consolidation = amelia_core::memory::summary::ConsolidationState::Summary(new.method);
        let (number, version) = (1, 1);
        let entry =
            MemoryEntry { number, version, space, kind, key, text, by, run, at, expires_at, consolidation };
        self.summaries.lock().unwrap().push(new);
        Ok(WrittenMemory { entry, is_known: false })
    }

    async fn memory_sources(&self, _: u64) -> Result<Vec<MemoryEntry>, StoreError> {
        Err(StoreError::Closed)
    }

    async fn open_topics(&self, _: Timestamp) -> Result<Vec<(MemorySpace, String)>, StoreError> {
        Err(StoreError::Closed)
    }

    async fn forget_memory(&self, _: u64) -> Result<bool, StoreError> {
        Err(StoreError::Closed)
    }

    async fn copy_memories(&self, _: MemorySpace, _: MemorySpace, _: Timestamp) -> Result<u64, StoreError> {
        Err(StoreError::Closed)
    }
}

fn rivers() -> MemoryTopic {
    let source = |number: u64, name: &str| MemorySource {
        number,
        version: 1,
        key: format!("rivers/{name}"),
        text: format!("The {name} is long. It is wet."),
        by: "scout".to_owned(),
        run: None,
        at: Timestamp::UNIX_EPOCH,
    };
    let sources = vec![source(1, "Rhine"), source(2, "Elbe"), source(3, "Main")];
    MemoryTopic { space: MemorySpace::of_all(), topic: "rivers".to_owned(), previous: None, sources }
}

fn parts(agent: Option<Agent>, memories: &Arc<Written>) -> ConsolidationParts {
    let memories = Some(Arc::clone(memories) as Arc<dyn Memories>);
    ConsolidationParts { topics: vec![rivers()], agent, memories }
}

fn one() -> ConsolidationProgress {
    ConsolidationProgress { topics: 1, done: Vec::new() }
}

fn done(method: SummaryMethod) -> Outcome<SummarisedTopic> {
    Outcome::Done(vec![SummarisedTopic { topic: "rivers".to_owned(), items: 3, method }])
}

/// Answers of the model in a log.
fn answers(log: &Log) -> usize {
    let is_answer = |kind: &EventKind| match kind {
        EventKind::Agent(AgentEvent::Said(message)) => message.role == Role::Assistant,
        _ => false,
    };
    log.events().iter().filter(|event| is_answer(&event.draft.kind)).count()
}

#[tokio::test]
async fn a_visit_that_is_repeated_after_a_failed_write_does_not_ask_the_model_again() {
    let (log, written) = (Arc::<Log>::default(), Arc::<Written>::default());
    let driver = ScriptedDriver::new([ScriptedTurn::Says("Three long rivers.")]);
    let parts = parts(Some(member(&driver, DriverType::Api)), &written);
    *written.is_full.lock().unwrap() = true;
    let failed = parts.run(&visit(&log).await, &one()).await.unwrap_err();
    assert_eq!(failed.code, "store");
    assert_eq!((answers(&log), written.summaries.lock().unwrap().len()), (1, 0));
    // The process comes back: its visit reads its conversation from the log.
    *written.is_full.lock().unwrap() = false;
    let text = match parts.summarised(&visit(&log).await, &rivers()).await {
        Ok((text, SummaryMethod::Model)) => text,
        other => panic!("{other:?}"),
    };
    assert_eq!((text.as_str(), answers(&log), driver.requests().len()), ("Three long rivers.", 1, 1));
}

#[tokio::test]
async fn the_model_reads_the_entries_as_data_and_its_answer_becomes_the_summary() {
    let (log, written) = (Arc::<Log>::default(), Arc::<Written>::default());
    let driver = ScriptedDriver::new([ScriptedTurn::Says("Three long rivers.")]);
    let parts = parts(Some(member(&driver, DriverType::Api)), &written);
    assert_eq!(parts.run(&visit(&log).await, &one()).await, Ok(done(SummaryMethod::Model)));
    let asked = driver.last_words().remove(0);
    assert!(asked.contains("<untrusted source=\"m2 rivers/Elbe, by scout"), "{asked}");
    let summaries = written.summaries.lock().unwrap();
    let NewSummary { entry, method, sources } = &summaries[0];
    assert_eq!((entry.text.as_str(), *method), ("Three long rivers.", SummaryMethod::Model));
    assert_eq!((entry.key.as_deref(), sources.len()), (Some("consolidated/rivers"), 3));
}

#[tokio::test]
async fn without_a_model_the_first_sentences_are_the_summary_and_a_replay_writes_nothing() {
    let written = Arc::<Written>::default();
    let parts = parts(None, &written);
    let outcome = parts.run(&visit(&Arc::default()).await, &one()).await;
    assert_eq!(outcome, Ok(done(SummaryMethod::Extractive)));
    assert_eq!(
        written.summaries.lock().unwrap()[0].entry.text,
        "- rivers/Rhine: The Rhine is long.\n- rivers/Elbe: The Elbe is long.\n- rivers/Main: The Main is long."
    );
    let replayed = ConsolidationParts { memories: None, ..parts };
    assert_eq!(replayed.run(&visit(&Arc::default()).await, &one()).await, outcome);
    assert_eq!(written.summaries.lock().unwrap().len(), 1);
}

#[test]
fn every_topic_has_a_visit() {
    let mut state = ConsolidationProgress { topics: 2, done: Vec::new() };
    for (topic, method, next) in
        [("a", SummaryMethod::Model, "summarise"), ("b", SummaryMethod::Extractive, END)]
    {
        state.apply(SummarisedTopic { topic: topic.to_owned(), items: 3, method });
        assert_eq!(after_summary(&state), next);
    }
    assert_eq!(state.summary().unwrap(), "a: 3 entries\nb: 3 entries, without a model");
    assert_eq!(drawing().unwrap().nodes, ["summarise"]);
}
