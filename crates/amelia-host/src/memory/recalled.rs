//! What an agent is reminded of before a turn: what it remembers that fits the words with which the turn begins.

use std::sync::Arc;

use amelia_core::memory::{FoundMemory, MemoryQuery, Recall};
use amelia_core::message::{MemoryOperation, MemoryPart, MemoryReference};
use amelia_core::object::Object;
use amelia_core::text::capped;
use async_trait::async_trait;
use serde_json::json;

use super::tool_specs::kind_name;
use super::{MemberMemory, SharedMemory};
use crate::recording::tools::Results;

/// The most entries of which an agent is reminded.
const MAX_RECALLED: usize = 5;
/// Characters of the question that are kept with what was found.
const MAX_QUERY: usize = 200;
/// A token has about so many characters.
const CHARACTERS: u64 = 4;

pub(super) struct LiveRecall {
    pub(super) memory: SharedMemory,
    pub(super) member: MemberMemory,
}

#[async_trait]
impl Recall for LiveRecall {
    async fn recall(&self, _: &str, query: &str) -> Option<MemoryPart> {
        let asked = MemoryQuery {
            text: query.to_owned(),
            spaces: Some(self.member.spaces.clone()),
            scopes: Vec::new(),
            kinds: Vec::new(),
            with_sources: false,
            limit: MAX_RECALLED,
        };
        match self.memory.find(asked).await {
            Ok(found) => part(found, query, self.member.recall_tokens.saturating_mul(CHARACTERS)),
            Err(error) => {
                // A turn can do without; the tool says what is wrong.
                tracing::warn!("memory could not be searched: {error}");
                None
            }
        }
    }
}

/// What was recalled then, by the message in the log.
pub(super) struct PlayedRecall(pub(super) Arc<Results>);

#[async_trait]
impl Recall for PlayedRecall {
    async fn recall(&self, moment: &str, _: &str) -> Option<MemoryPart> {
        self.0.recalled(moment)
    }
}

/// The entries that fit into `room` characters, best first.
fn part(found: Vec<FoundMemory>, query: &str, room: u64) -> Option<MemoryPart> {
    let mut left = usize::try_from(room).unwrap_or(usize::MAX);
    let (mut references, mut items) = (Vec::new(), Vec::new());
    for FoundMemory { entry, relevance } in found {
        let length = entry.text.chars().count();
        if length > left {
            continue;
        }
        left -= length;
        references.push(MemoryReference {
            memory: entry.id(),
            kind: entry.kind,
            relevance: Some(relevance),
            query: Some(capped(query, MAX_QUERY)),
        });
        items.push(json!({
            "key": entry.key, "text": entry.text, "type": kind_name(entry.kind), "scope": entry.space.scope,
            "score": relevance, "by": entry.by, "id": entry.id(),
        }));
    }
    let content = Object::from_iter([("items".to_owned(), json!(items))]);
    let operation = MemoryOperation::Retrieve;
    (!references.is_empty()).then_some(MemoryPart { operation, references, content: Some(content) })
}

#[cfg(test)]
mod tests {
    use amelia_core::memory::summary::ConsolidationState;
    use amelia_core::memory::{MemoryEntry, MemorySpace};
    use amelia_core::message::MemoryKind;
    use jiff::Timestamp;

    use super::*;

    #[test]
    fn what_does_not_fit_is_left_out_and_the_rest_is_not() {
        let found = |number: u64, text: &str| FoundMemory {
            entry: MemoryEntry {
                number,
                version: 1,
                space: MemorySpace::of_all(),
                kind: MemoryKind::Semantic,
                key: None,
                text: text.to_owned(),
                by: "writer".to_owned(),
                run: None,
                at: Timestamp::UNIX_EPOCH,
                expires_at: None,
                consolidation: ConsolidationState::Open,
            },
            relevance: 0.5,
        };
        let all = || vec![found(1, "12345"), found(2, &"x".repeat(20)), found(3, "678")];
        let ids = |room: u64| -> Vec<String> {
            let part = part(all(), "q", room);
            part.map(|part| part.references.into_iter().map(|one| one.memory).collect()).unwrap_or_default()
        };
        assert_eq!(ids(8), ["m1", "m3"]);
        assert_eq!(ids(100), ["m1", "m2", "m3"]);
        assert!(ids(2).is_empty());
    }
}
