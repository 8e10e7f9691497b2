//! The tools for memory, as they are offered to models, and their arguments.

use amelia_core::memory::MemoryScope;
use amelia_core::message::MemoryKind;
use amelia_core::tool::{Risk, ToolSpec};
use serde::Deserialize;
use serde_json::{Value, json};

use super::MemberMemory;
use crate::tool_schema::{arguments, text_field};

pub(super) const STORE: &str = "store_memory";
pub(super) const RETRIEVE: &str = "retrieve_memory";
pub(super) const SEARCH: &str = "search_memory";

/// The most entries that a search returns.
pub(super) const MAX_FOUND: usize = 20;
const DEFAULT_FOUND: usize = 5;

/// Those that an agent has.
pub(super) fn specs(member: &MemberMemory) -> Vec<ToolSpec> {
    let names =
        |scopes: &[MemoryScope]| -> Vec<Value> { scopes.iter().map(|scope| json!(scope.name())).collect() };
    let readable: Vec<MemoryScope> = member.spaces.iter().map(|space| space.scope).collect();
    let kinds: Vec<&str> = kinds(member).into_iter().map(kind_name).collect();
    let store = arguments(
        &["value"],
        json!({
            "key": text_field("a short name, such as style/indent; the same key again replaces the value"),
            "value": text_field("what to remember, complete in itself"),
            "scope": {"type": "string", "enum": names(&member.shares), "description": "who can read it; default: this run"},
            "ttl_seconds": {"type": "integer", "minimum": 1, "description": "how long to keep it; default: for as long as its scope exists"},
            "type": {"type": "string", "enum": kinds, "description": "semantic: found by what it says; its key is optional"},
        }),
    );
    let retrieve = arguments(
        &["key"],
        json!({
            "key": text_field("the key under which it was stored"),
            "scope": {"type": "string", "enum": names(&readable), "description": "default: the nearest scope that has the key"},
        }),
    );
    let search = arguments(
        &["query"],
        json!({
            "query": text_field("words that the entry contains"),
            "limit": {"type": "integer", "minimum": 1, "maximum": MAX_FOUND},
            "scopes": {"type": "array", "items": {"type": "string", "enum": names(&readable)}},
            "types": {"type": "array", "items": {"type": "string", "enum": kinds}},
        }),
    );
    let mut all = vec![ToolSpec::builtin(
        STORE,
        "Remember a fact that will be useful later, for yourself and for the others in the team. Never store keys or passwords.",
        Risk::Write,
        store,
    )];
    if member.has_long_term {
        let words = "Read what was stored under a key.";
        all.push(ToolSpec::builtin(RETRIEVE, words, Risk::Read, retrieve));
    }
    if member.is_searched {
        let words = "Search what was stored, by words.";
        all.push(ToolSpec::builtin(SEARCH, words, Risk::Read, search));
    }
    all
}

/// What an agent can store.
fn kinds(member: &MemberMemory) -> Vec<MemoryKind> {
    let long_term = member.has_long_term.then_some(MemoryKind::LongTerm);
    long_term.into_iter().chain(member.is_searched.then_some(MemoryKind::Semantic)).collect()
}

pub(super) fn kind_name(kind: MemoryKind) -> &'static str {
    match kind {
        MemoryKind::ShortTerm => "short_term",
        MemoryKind::LongTerm => "long_term",
        MemoryKind::Semantic => "semantic",
        MemoryKind::Episodic => "episodic",
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoreArgs {
    pub(super) key: Option<String>,
    pub(super) value: String,
    #[serde(default)]
    pub(super) scope: MemoryScope,
    pub(super) ttl_seconds: Option<i64>,
    #[serde(rename = "type")]
    pub(super) kind: Option<MemoryKind>,
}

impl StoreArgs {
    /// What it becomes, if the agent may store it.
    pub(super) fn kind(&self, member: &MemberMemory) -> Result<MemoryKind, String> {
        let known = kinds(member);
        let kind = self.kind.or_else(|| known.first().copied()).unwrap_or(MemoryKind::LongTerm);
        if !known.contains(&kind) {
            return Err(format!("`{}` entries are turned off in this team", kind_name(kind)));
        }
        if kind == MemoryKind::LongTerm && self.key.is_none() {
            return Err("`key` is missing: only a `semantic` entry can have none".to_owned());
        }
        Ok(kind)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RetrieveArgs {
    pub(super) key: String,
    pub(super) scope: Option<MemoryScope>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchArgs {
    pub(super) query: String,
    #[serde(default = "default_found")]
    pub(super) limit: usize,
    #[serde(default)]
    pub(super) scopes: Vec<MemoryScope>,
    #[serde(default)]
    pub(super) types: Vec<MemoryKind>,
}

fn default_found() -> usize {
    DEFAULT_FOUND
}
