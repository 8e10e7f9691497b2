//! What a team remembers.

use serde::{Deserialize, Serialize};

use crate::config::problem::{ProblemReport, Validate};
use crate::memory::MemoryScope;
use crate::object::Object;

/// Limits and parts of the memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MemoryConfig {
    /// Tokens.
    pub short_term_limit: u64,
    pub long_term_enabled: bool,
    pub semantic_search_enabled: bool,
    /// Seconds between two summaries of a topic; 0 is only when a person asks.
    pub consolidation_interval: u64,
    pub vector_db_config: Object,
    /// Scopes besides its own run in which agents may store.
    pub share: Vec<MemoryScope>,
}

impl Default for MemoryConfig {
    fn default() -> Self {
        Self {
            short_term_limit: 10_000,
            long_term_enabled: true,
            semantic_search_enabled: true,
            consolidation_interval: 3600,
            vector_db_config: Object::new(),
            share: Vec::new(),
        }
    }
}

impl Validate for MemoryConfig {
    fn check(&self, report: &mut ProblemReport) {
        report.positive("short_term_limit", &self.short_term_limit);
    }
}
