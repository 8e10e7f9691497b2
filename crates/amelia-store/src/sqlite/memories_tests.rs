//! Entries with their versions.

use amelia_core::memory::{
    Memories, MemoryFilter, MemoryScope, MemorySpace, MemoryTotals, NewMemory, WrittenMemory,
};
use amelia_core::message::MemoryKind;
use jiff::{SignedDuration, Timestamp};

use crate::sqlite::{SqliteOptions, SqliteStore};

fn store(directory: &tempfile::TempDir) -> SqliteStore {
    SqliteStore::open(&directory.path().join("amelia.db"), SqliteOptions::default()).unwrap()
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap()
}

fn space(owner: &str) -> MemorySpace {
    MemorySpace { scope: MemoryScope::Run, owner: owner.to_owned() }
}

fn new(owner: &str, key: Option<&str>, text: &str, seconds: i64) -> NewMemory {
    NewMemory {
        space: space(owner),
        kind: MemoryKind::LongTerm,
        key: key.map(str::to_owned),
        text: text.to_owned(),
        by: "writer".to_owned(),
        run: None,
        at: at(seconds),
        expires_at: None,
    }
}

async fn texts(store: &SqliteStore, filter: MemoryFilter, now: i64) -> Vec<String> {
    store.memories(filter, at(now)).await.unwrap().into_iter().map(|entry| entry.text).collect()
}

fn of(owner: &str) -> MemoryFilter {
    MemoryFilter { spaces: vec![space(owner)], ..MemoryFilter::default() }
}

#[tokio::test]
async fn a_key_written_again_is_a_new_version_and_the_same_text_is_none() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(&directory);
    let WrittenMemory { entry: first, is_known } =
        store.remember(new("a", Some("port"), "8080", 1)).await.unwrap();
    assert!(!is_known && first.version == 1);
    assert!(store.remember(new("a", Some("port"), "8080", 2)).await.unwrap().is_known);
    let second = store.remember(new("a", Some("port"), "9090", 3)).await.unwrap().entry;
    assert_eq!((second.number, second.version), (first.number, 2));
    let other = store.remember(new("b", Some("port"), "7070", 4)).await.unwrap().entry;
    assert_ne!(other.number, first.number, "another space");
    let versions: Vec<String> =
        store.memory(first.number).await.unwrap().into_iter().map(|entry| entry.text).collect();
    assert_eq!(versions, ["8080", "9090"]);
    assert_eq!(texts(&store, of("a"), 9).await, ["9090"]);
    // Without a key, the text is what makes it the same.
    let loose = store.remember(new("a", None, "rivers", 5)).await.unwrap().entry;
    assert_eq!(store.remember(new("a", None, "rivers", 6)).await.unwrap().entry.number, loose.number);
    let keyed = MemoryFilter { key: Some("port".to_owned()), ..MemoryFilter::default() };
    assert_eq!(texts(&store, keyed, 9).await, ["7070", "9090"]);
    let page = MemoryFilter { before: Some(loose.number), limit: 1, ..MemoryFilter::default() };
    assert_eq!(texts(&store, page, 9).await, ["7070"]);
    let totals = store.memory_totals(vec![space("a")], MemoryKind::LongTerm, at(9)).await.unwrap();
    assert_eq!(totals, MemoryTotals { items: 2, bytes: 10 });
    assert_eq!(store.memory_totals(Vec::new(), MemoryKind::LongTerm, at(9)).await.unwrap().items, 0);
    let numbers = vec![loose.number, 999, first.number];
    let found = store.memories_numbered(numbers).await.unwrap();
    assert_eq!(found.iter().map(|entry| entry.text.as_str()).collect::<Vec<_>>(), ["rivers", "9090"]);
}

#[tokio::test]
async fn an_entry_that_has_expired_is_not_there_any_more() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(&directory);
    let short = NewMemory { expires_at: Some(at(10)), ..new("a", Some("k"), "short", 1) };
    let number = store.remember(short).await.unwrap().entry.number;
    assert_eq!(texts(&store, of("a"), 9).await, ["short"]);
    assert!(texts(&store, of("a"), 10).await.is_empty());
    // The next write removes it.
    let next = store.remember(new("a", Some("k"), "next", 11)).await.unwrap().entry;
    assert!(next.number > number && store.memory(number).await.unwrap().is_empty());
    let changes = store.memory_changes(0, 10).await.unwrap();
    let gone = changes.iter().find(|change| change.number == number).unwrap();
    assert!(gone.entry.is_none());
    assert!(!store.forget_memory(number).await.unwrap(), "it is gone");
}

#[tokio::test]
async fn a_copy_has_what_was_there_at_its_time() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(&directory);
    for (text, seconds) in [("one", 1), ("two", 5), ("three", 9)] {
        store.remember(new("a", Some("k"), text, seconds)).await.unwrap();
    }
    store.remember(new("a", Some("late"), "later", 8)).await.unwrap();
    assert_eq!(store.copy_memories(space("a"), space("b"), at(6)).await.unwrap(), 1);
    assert_eq!(texts(&store, of("b"), 10).await, ["two"]);
    let later = Timestamp::UNIX_EPOCH + SignedDuration::from_secs(100);
    assert_eq!(store.copy_memories(space("a"), space("c"), later).await.unwrap(), 2);
}
