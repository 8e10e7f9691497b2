//! What agents remember: the entries in the store, the index over them, and what a run may read and write of them.

mod memory_tools;
mod recalled;
mod tool_specs;

use std::path::PathBuf;
use std::sync::Arc;

use amelia_core::clock::{Clock, SystemClock};
use amelia_core::config::team::memory::MemoryConfig;
use amelia_core::id::RunId;
use amelia_core::memory::{
    FoundMemory, Memories, MemoryIndex, MemoryQuery, MemoryScope, MemorySpace, NewMemory, Recall,
    WrittenMemory, relevance,
};
use amelia_core::redact::Redactor;
use amelia_core::store::StoreError;
use amelia_core::tool::ToolBox;
use amelia_store::memory_index::SqliteMemoryIndex;
use serde::{Deserialize, Serialize};

use crate::home::Home;
use crate::recording::tools::Results;
use crate::run_tools::{MadeEvents, RunTools};
use memory_tools::LiveMemory;
use recalled::{LiveRecall, PlayedRecall};

/// Where the index is in a home. It is made from the store, so it is in no backup.
pub(crate) const INDEX: &str = "index.db";

/// The entries of a home, and their index.
#[derive(Clone)]
pub(crate) struct SharedMemory {
    pub(crate) memories: Arc<dyn Memories>,
    index: Arc<dyn MemoryIndex>,
}

impl SharedMemory {
    pub(crate) fn of(home: &Home, memories: Arc<dyn Memories>) -> Self {
        Self { memories, index: Arc::new(SqliteMemoryIndex::at(&home.path().join(INDEX))) }
    }

    pub(crate) async fn remember(&self, new: NewMemory) -> Result<WrittenMemory, StoreError> {
        self.memories.remember(new).await
    }

    /// The entries that fit a question, best first.
    pub(crate) async fn find(&self, query: MemoryQuery) -> Result<Vec<FoundMemory>, StoreError> {
        let limit = query.limit;
        // Some that are found may have expired.
        let wide = MemoryQuery { limit: limit.saturating_mul(2).saturating_add(10), ..query };
        let numbers = self.index.search(&*self.memories, wide).await?;
        let now = SystemClock.now();
        let entries = self.memories.memories_numbered(numbers).await?;
        let there = entries.into_iter().filter(|entry| !entry.is_expired(now)).take(limit);
        let found = |(place, entry)| FoundMemory { entry, relevance: relevance(place) };
        Ok(there.enumerate().map(found).collect())
    }
}

/// With whom the agents of a team share what they remember. Fixed when a run is requested.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TeamMemory {
    /// The top of the user's checkout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) repository: Option<PathBuf>,
    /// The file of the team is in that repository. Teams of the same name elsewhere are others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_of_repository: bool,
}

/// What one agent of a team may read and write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MemberMemory {
    /// What its entries can be found in, nearest first.
    pub(crate) spaces: Vec<MemorySpace>,
    /// Where it may write.
    pub(crate) shares: Vec<MemoryScope>,
    pub(crate) has_long_term: bool,
    pub(crate) is_searched: bool,
    /// Tokens of what it is reminded of before a turn.
    pub(crate) recall_tokens: u64,
}

impl MemberMemory {
    /// `None` when the agent has no memory.
    pub(crate) fn of(config: &MemoryConfig, shared: &TeamMemory, team: &str, run: RunId) -> Option<Self> {
        let MemoryConfig { long_term_enabled, semantic_search_enabled, short_term_limit, .. } = *config;
        if !long_term_enabled && !semantic_search_enabled {
            return None;
        }
        let repository = shared.repository.as_deref();
        let of_team = MemorySpace::of_team(team, repository.filter(|_| shared.is_of_repository));
        let of_repository = repository.map(MemorySpace::of_repository);
        let all = [MemorySpace::of_run(run), of_team].into_iter().chain(of_repository);
        let may_write = |scope: &MemoryScope| *scope == MemoryScope::Run || config.share.contains(scope);
        Some(Self {
            spaces: all.chain([MemorySpace::of_all()]).collect(),
            shares: MemoryScope::ALL.into_iter().filter(may_write).collect(),
            has_long_term: long_term_enabled,
            is_searched: semantic_search_enabled,
            recall_tokens: short_term_limit / 10,
        })
    }

    pub(crate) fn space(&self, scope: MemoryScope) -> Option<&MemorySpace> {
        self.spaces.iter().find(|space| space.scope == scope)
    }
}

/// The memory of a run, for its agents.
pub(crate) enum RunMemory {
    Live { memory: SharedMemory, redactor: Arc<Redactor>, run: RunId },
    Played(Arc<Results>),
}

impl RunMemory {
    /// The tools of an agent, with those for memory.
    pub(crate) fn before(&self, inner: Arc<dyn ToolBox>, agent: &str, member: &MemberMemory) -> RunTools {
        let specs = tool_specs::specs(member);
        match self {
            Self::Live { memory, redactor, run } => {
                let live = LiveMemory {
                    memory: memory.clone(),
                    member: member.clone(),
                    redactor: Arc::clone(redactor),
                    run: *run,
                    agent: agent.to_owned(),
                    made: MadeEvents::default(),
                };
                RunTools::live(inner, specs, Box::new(live))
            }
            Self::Played(results) => RunTools::played(inner, specs, results),
        }
    }

    /// What reminds an agent before its turns; nothing where memory is not searched.
    pub(crate) fn recall(&self, member: &MemberMemory) -> Option<Arc<dyn Recall>> {
        if !member.is_searched {
            return None;
        }
        Some(match self {
            Self::Live { memory, .. } => {
                Arc::new(LiveRecall { memory: memory.clone(), member: member.clone() }) as Arc<dyn Recall>
            }
            Self::Played(results) => Arc::new(PlayedRecall(Arc::clone(results))),
        })
    }
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
