//! What the index finds, and that it follows the store.

use amelia_core::memory::NewMemory;
use amelia_core::memory::summary::{NewSummary, SummaryMethod, summary_key};
use jiff::Timestamp;

use super::*;
use crate::sqlite::{SqliteOptions, SqliteStore};

struct Place {
    directory: tempfile::TempDir,
    store: SqliteStore,
    index: SqliteMemoryIndex,
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&directory.path().join("amelia.db"), SqliteOptions::default()).unwrap();
        let index = SqliteMemoryIndex::at(&directory.path().join("index.db"));
        Self { directory, store, index }
    }

    async fn remember(&self, space: &MemorySpace, key: Option<&str>, text: &str) -> u64 {
        let new = NewMemory {
            space: space.clone(),
            kind: MemoryKind::LongTerm,
            key: key.map(str::to_owned),
            text: text.to_owned(),
            by: "writer".to_owned(),
            run: None,
            at: Timestamp::UNIX_EPOCH,
            expires_at: None,
        };
        self.store.remember(new).await.unwrap().entry.number
    }

    async fn find(&self, text: &str, spaces: &[MemorySpace]) -> Vec<u64> {
        self.index.search(&self.store, query(text, spaces)).await.unwrap()
    }
}

fn query(text: &str, spaces: &[MemorySpace]) -> MemoryQuery {
    MemoryQuery {
        text: text.to_owned(),
        spaces: Some(spaces.to_vec()),
        scopes: Vec::new(),
        kinds: Vec::new(),
        with_sources: false,
        limit: 5,
    }
}

fn team(name: &str) -> MemorySpace {
    MemorySpace { scope: MemoryScope::Team, owner: name.to_owned() }
}

#[tokio::test]
async fn the_entry_that_fits_best_comes_first_and_other_spaces_stay_closed() {
    let place = Place::new();
    let (ours, theirs) = (team("ours"), team("theirs"));
    let indent = place.remember(&ours, Some("style/indent"), "The project indents with four spaces.").await;
    let build = place.remember(&ours, None, "The build needs `make prepare` and four minutes.").await;
    let secret = place.remember(&theirs, None, "Theirs indents with tabs.").await;
    assert_eq!(place.find("How does it indent: with spaces?", std::slice::from_ref(&ours)).await, [indent]);
    assert_eq!(place.find("four", std::slice::from_ref(&ours)).await.len(), 2);
    assert_eq!(place.find("prepare build", std::slice::from_ref(&ours)).await, [build]);
    assert_eq!(place.find("indents", std::slice::from_ref(&theirs)).await, [secret]);
    assert!(place.find("indents tabs", &[team("nobodies")]).await.is_empty());
    assert!(place.find("style", std::slice::from_ref(&ours)).await.contains(&indent), "keys are searched");
    for question in ["", "\"", "body : x OR (", "NEAR(", "*", "s1", "klong"] {
        let found = place.find(question, std::slice::from_ref(&ours)).await;
        assert!(found.is_empty(), "{question}: {found:?}");
    }
}

#[tokio::test]
async fn it_follows_new_versions_and_what_is_forgotten() {
    let place = Place::new();
    let ours = team("ours");
    let number = place.remember(&ours, Some("port"), "The server listens on 8080.").await;
    assert_eq!(place.find("8080", std::slice::from_ref(&ours)).await, [number]);
    assert_eq!(place.remember(&ours, Some("port"), "The server listens on 9090.").await, number);
    assert!(place.find("8080", std::slice::from_ref(&ours)).await.is_empty());
    assert_eq!(place.find("9090", std::slice::from_ref(&ours)).await, [number]);
    assert!(place.store.forget_memory(number).await.unwrap());
    assert!(place.find("9090", std::slice::from_ref(&ours)).await.is_empty());
    assert_ne!(place.remember(&ours, None, "Something new.").await, number, "a number is given out once");
}

#[tokio::test]
async fn a_file_that_is_missing_or_damaged_is_made_anew() {
    let place = Place::new();
    let ours = team("ours");
    let number = place.remember(&ours, None, "Rivers are long.").await;
    assert_eq!(place.find("rivers", std::slice::from_ref(&ours)).await, [number]);
    let file = place.directory.path().join("index.db");
    for content in [None, Some(b"this is no database, but long enough to look like one".as_slice())] {
        remove(&file);
        if let Some(content) = content {
            std::fs::write(&file, content).unwrap();
        }
        let again = SqliteMemoryIndex::at(&file);
        let query = MemoryQuery {
            text: "rivers".to_owned(),
            spaces: None,
            scopes: Vec::new(),
            kinds: Vec::new(),
            with_sources: false,
            limit: 5,
        };
        assert_eq!(again.search(&place.store, query).await.unwrap(), [number]);
    }
}

#[tokio::test]
async fn common_terms_are_left_out_where_there_are_many_entries() {
    let place = Place::new();
    let ours = team("ours");
    for number in 0..1100 {
        place.remember(&ours, None, &format!("entry number{number} about the usual things")).await;
    }
    let rare = place.remember(&ours, None, "about glaciers").await;
    assert_eq!(place.find("about glaciers", std::slice::from_ref(&ours)).await, [rare]);
    assert_eq!(place.find("usual", std::slice::from_ref(&ours)).await.len(), 5, "there is nothing else");
}

#[tokio::test]
async fn a_summary_is_found_in_the_place_of_its_sources_until_it_is_forgotten() {
    let place = Place::new();
    let ours = [team("ours")];
    let mut sources = Vec::new();
    for key in ["rivers/rhine", "rivers/elbe", "rivers/main"] {
        sources.push((place.remember(&ours[0], Some(key), "A long river.").await, 1));
    }
    assert_eq!(place.find("river", &ours).await.len(), 3);
    let entry = NewMemory {
        space: ours[0].clone(),
        kind: MemoryKind::LongTerm,
        key: Some(summary_key("rivers")),
        text: "Three long rivers, one river each.".to_owned(),
        by: "memory".to_owned(),
        run: None,
        at: Timestamp::UNIX_EPOCH,
        expires_at: None,
    };
    let new = NewSummary { entry, method: SummaryMethod::Model, sources };
    let summary = place.store.consolidate(new).await.unwrap().entry.number;
    assert_eq!(place.find("river", &ours).await, [summary]);
    assert!(place.find("xpart", &ours).await.is_empty());
    let all = MemoryQuery { with_sources: true, ..query("river", &ours) };
    assert_eq!(place.index.search(&place.store, all).await.unwrap().len(), 4);
    place.store.forget_memory(summary).await.unwrap();
    assert_eq!(place.find("river", &ours).await.len(), 3);
}
