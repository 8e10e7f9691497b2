//! Summaries take the place of their sources, and give it back.

use amelia_core::memory::summary::{ConsolidationState, NewSummary, SummaryMethod, summary_key};
use amelia_core::memory::{Memories, MemoryEntry, MemoryFilter, MemoryScope, MemorySpace, NewMemory};
use amelia_core::message::MemoryKind;
use jiff::Timestamp;

use crate::sqlite::{SqliteOptions, SqliteStore};

struct Place {
    _directory: tempfile::TempDir,
    store: SqliteStore,
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap()
}

fn space(owner: &str) -> MemorySpace {
    MemorySpace { scope: MemoryScope::Run, owner: owner.to_owned() }
}

fn new(key: &str, text: &str, seconds: i64) -> NewMemory {
    NewMemory {
        space: space("a"),
        kind: MemoryKind::LongTerm,
        key: Some(key.to_owned()),
        text: text.to_owned(),
        by: "scout".to_owned(),
        run: None,
        at: at(seconds),
        expires_at: None,
    }
}

fn summary(text: &str, sources: &[(u64, u32)], seconds: i64) -> NewSummary {
    let entry = new(&summary_key("rivers"), text, seconds);
    NewSummary { entry, method: SummaryMethod::Model, sources: sources.to_vec() }
}

impl Place {
    /// With three entries about rivers: 1, 2 and 3.
    async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&directory.path().join("amelia.db"), SqliteOptions::default()).unwrap();
        let place = Self { _directory: directory, store };
        for (key, seconds) in [("rivers/rhine", 1), ("rivers/elbe", 2), ("rivers", 3)] {
            place.store.remember(new(key, "long", seconds)).await.unwrap();
        }
        place
    }

    async fn entry(&self, number: u64) -> MemoryEntry {
        self.store.memory(number).await.unwrap().pop().unwrap()
    }

    async fn states(&self, owner: &str) -> Vec<ConsolidationState> {
        let filter = MemoryFilter { spaces: vec![space(owner)], ..MemoryFilter::default() };
        let mut all = self.store.memories(filter, at(100)).await.unwrap();
        all.reverse();
        all.into_iter().map(|entry| entry.consolidation).collect()
    }

    async fn open(&self) -> Vec<String> {
        let open = self.store.open_topics(at(100)).await.unwrap();
        open.into_iter().map(|(space, topic)| format!("{} {topic}", space.owner)).collect()
    }
}

const ALL: [(u64, u32); 3] = [(1, 1), (2, 1), (3, 1)];
const MODEL: ConsolidationState = ConsolidationState::Summary(SummaryMethod::Model);

#[tokio::test]
async fn entries_are_part_of_their_summary_until_it_is_forgotten() {
    let place = Place::new().await;
    assert_eq!(place.open().await, ["a rivers"]);
    let written = place.store.consolidate(summary("Rivers are long.", &ALL, 10)).await.unwrap();
    assert_eq!((written.entry.number, written.entry.consolidation), (4, MODEL));
    let part = ConsolidationState::PartOf(4);
    assert_eq!(place.states("a").await, [part, part, part, MODEL]);
    assert!(place.open().await.is_empty());
    // The visit that wrote it runs again.
    let again = place.store.consolidate(summary("Rivers are long.", &ALL, 11)).await.unwrap();
    assert_eq!((again.is_known, again.entry.version), (true, 1));
    let sources = place.store.memory_sources(4).await.unwrap();
    assert_eq!(sources.iter().map(|entry| entry.number).collect::<Vec<_>>(), [1, 2, 3]);
    let change = place.store.memory_changes(0, 100).await.unwrap().last().unwrap().change;
    assert!(place.store.forget_memory(4).await.unwrap());
    let restored = ConsolidationState::Restored;
    assert_eq!(place.states("a").await, [restored, restored, restored]);
    assert!(place.open().await.is_empty(), "what a person has restored stays so");
    let changed = place.store.memory_changes(change, 100).await.unwrap();
    let mut changed: Vec<u64> = changed.into_iter().map(|change| change.number).collect();
    changed.sort_unstable();
    assert_eq!(changed, [1, 2, 3, 4], "the index learns of them");
}

#[tokio::test]
async fn a_source_that_changes_is_open_again_and_a_corrected_summary_stays_one() {
    let place = Place::new().await;
    let sources = [(1, 1), (2, 1), (3, 1), (3, 7), (99, 1)];
    place.store.consolidate(summary("Rivers are long.", &sources, 10)).await.unwrap();
    place.store.remember(new("rivers/elbe", "longer", 11)).await.unwrap();
    assert_eq!(place.entry(2).await.consolidation, ConsolidationState::Open);
    let old = &place.store.memory(2).await.unwrap()[0];
    assert_eq!(old.consolidation, ConsolidationState::PartOf(4));
    let corrected = place.store.remember(new(&summary_key("rivers"), "Rivers are wet.", 12)).await.unwrap();
    assert_eq!((corrected.entry.version, corrected.entry.consolidation), (2, MODEL));
    assert_eq!(place.entry(1).await.consolidation, ConsolidationState::PartOf(4));
    place.store.consolidate(summary("Rivers are long and wet.", &[(2, 2)], 13)).await.unwrap();
    assert_eq!(place.entry(2).await.consolidation, ConsolidationState::PartOf(4));
    let by_topic = MemoryFilter { topic: Some("rivers".to_owned()), ..MemoryFilter::default() };
    assert_eq!(place.store.memories(by_topic, at(100)).await.unwrap().len(), 3);
    let none = MemoryFilter { topic: Some("river".to_owned()), ..MemoryFilter::default() };
    assert!(place.store.memories(none, at(100)).await.unwrap().is_empty());
    for number in 1..=3 {
        place.store.forget_memory(number).await.unwrap();
    }
    assert!(place.store.memory_sources(4).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_fork_has_the_summaries_of_its_time_only() {
    let place = Place::new().await;
    place.store.consolidate(summary("Rivers are long.", &ALL, 10)).await.unwrap();
    assert_eq!(place.store.copy_memories(space("a"), space("early"), at(9)).await.unwrap(), 3);
    let open = ConsolidationState::Open;
    assert_eq!(place.states("early").await, [open, open, open]);
    assert_eq!(place.store.copy_memories(space("a"), space("late"), at(10)).await.unwrap(), 4);
    let part = ConsolidationState::PartOf(11);
    assert_eq!(place.states("late").await, [part, part, part, MODEL]);
}

#[tokio::test]
async fn only_what_lasts_and_was_never_summarised_makes_an_open_topic() {
    let place = Place::new().await;
    for number in 1..=3 {
        let short = NewMemory { expires_at: Some(at(1000)), ..new(&format!("tides/{number}"), "low", 4) };
        place.store.remember(short).await.unwrap();
        place.store.remember(new(&summary_key(&number.to_string()), "x", 4)).await.unwrap();
        place.store.remember(new(&format!("lakes/{number}"), "deep", 101)).await.unwrap();
    }
    assert_eq!(place.open().await, ["a rivers"], "lakes come later");
}
