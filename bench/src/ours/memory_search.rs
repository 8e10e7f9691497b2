//! Searches over what agents remember, by readers that search at the same time: from the question to the entries.

use std::sync::Arc;
use std::time::{Duration, Instant};

use amelia_core::memory::{
    Memories as _, MemoryIndex as _, MemoryQuery, MemoryScope, MemorySpace, NewMemory,
};
use amelia_core::message::MemoryKind;
use amelia_store::memory_index::SqliteMemoryIndex;
use amelia_store::sqlite::{SqliteOptions, SqliteStore};
use anyhow::{Context as _, Result};
use futures_util::future::try_join_all;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::CaseArgs;

/// Who searches at once.
const READERS: usize = 8;
/// Entries that are stored together.
const GROUP: usize = 500;
const WORDS: [&str; 24] = [
    "server", "parser", "retry", "budget", "worktree", "commit", "review", "plan", "agent", "socket",
    "cache", "token", "schema", "index", "branch", "merge", "stream", "policy", "memory", "replay", "engine",
    "driver", "profile", "release",
];

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(measured(args))
}

async fn measured(args: &CaseArgs) -> Result<Value> {
    let store = SqliteStore::open(&args.dir.join("memory.db"), SqliteOptions::default())?;
    let store = Arc::new(store);
    let begun = Instant::now();
    for first in (0..args.n).step_by(GROUP) {
        let last = (first + GROUP).min(args.n);
        try_join_all((first..last).map(|number| store.remember(entry(number)))).await?;
    }
    let stored = begun.elapsed();
    let index = Arc::new(SqliteMemoryIndex::at(&args.dir.join("index.db")));
    let begun = Instant::now();
    index.search(&*store, question(0)).await?;
    let indexed = begun.elapsed();
    let readers = (0..READERS).map(|reader| {
        let (store, index, rounds) = (Arc::clone(&store), Arc::clone(&index), args.rounds.max(50));
        tokio::spawn(async move {
            let mut took = Vec::new();
            for round in 0..rounds {
                let begun = Instant::now();
                let found = index.search(&*store, question(reader * rounds + round)).await?;
                store.memories_numbered(found).await?;
                took.push(begun.elapsed());
            }
            anyhow::Ok(took)
        })
    });
    let mut took: Vec<Duration> = Vec::new();
    for reader in try_join_all(readers).await? {
        took.extend(reader?);
    }
    took.sort();
    let at = |share: usize| took.get((took.len() * share / 100).min(took.len().saturating_sub(1)));
    let ms = |time: Option<&Duration>| time.map(|time| time.as_secs_f64() * 1000.0).context("no search");
    Ok(json!({
        "entries": args.n, "store_s": stored.as_secs_f64(), "index_s": indexed.as_secs_f64(),
        "p50_ms": ms(at(50))?, "p99_ms": ms(at(99))?,
    }))
}

/// An entry of about forty words, some of which many others have.
fn entry(number: usize) -> NewMemory {
    let words: Vec<&str> = (0..40).filter_map(|place| word(number * 7 + place * place)).collect();
    NewMemory {
        space: MemorySpace { scope: MemoryScope::Repository, owner: "bench".to_owned() },
        kind: MemoryKind::LongTerm,
        key: Some(format!("entry/{number}")),
        text: format!("Number {number} is about module{} and {}.", number % 5000, words.join(" ")),
        by: "bench".to_owned(),
        run: None,
        at: Timestamp::UNIX_EPOCH,
        expires_at: None,
    }
}

fn question(number: usize) -> MemoryQuery {
    let words: Vec<&str> = (0..4).filter_map(|place| word(number * 5 + place)).collect();
    MemoryQuery {
        text: format!("What do we know about module{} and {}?", number * 13 % 5000, words.join(" ")),
        spaces: Some(vec![MemorySpace { scope: MemoryScope::Repository, owner: "bench".to_owned() }]),
        scopes: Vec::new(),
        kinds: Vec::new(),
        limit: 20,
        with_sources: false,
    }
}

fn word(number: usize) -> Option<&'static str> {
    WORDS.get(number % WORDS.len()).copied()
}
