//! Every store keeps the promises of a store.

use amelia_core::config::server::Durability;
use amelia_store::conformance;
use amelia_store::memory::MemoryStore;
use amelia_store::sqlite::{SqliteOptions, SqliteStore};

#[tokio::test]
async fn the_store_in_memory_conforms() {
    assert_eq!(conformance::run(&MemoryStore::new()).await, Vec::<String>::new());
}

#[tokio::test]
async fn sqlite_conforms() {
    let home = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&home.path().join("amelia.db"), SqliteOptions::default()).unwrap();
    assert_eq!(conformance::run(&store).await, Vec::<String>::new());
}

/// Where a caller writes itself.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_conforms_where_tasks_may_block() {
    let home = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&home.path().join("amelia.db"), SqliteOptions::default()).unwrap();
    assert_eq!(conformance::run(&store).await, Vec::<String>::new());
}

#[tokio::test]
async fn sqlite_with_relaxed_durability_conforms() {
    let home = tempfile::tempdir().unwrap();
    let options = SqliteOptions { durability: Durability::Relaxed, ..SqliteOptions::default() };
    let store = SqliteStore::open(&home.path().join("amelia.db"), options).unwrap();
    assert_eq!(conformance::run(&store).await, Vec::<String>::new());
}
