//! What a run is started with that summarises what agents remember: the entries as they were then, and the model of the team.
//! Keys are not in it, only the names of the variables that hold them.

use amelia_agents::pipeline::consolidation::MAX_TOPICS;
use amelia_core::config::agent::AgentConfig;
use amelia_core::config::retry::RetryConfig;
use amelia_core::memory::MemorySpace;
use amelia_core::memory::summary::MemoryTopic;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::upstream::with_fallbacks;

/// The most bytes of entries of a run.
const MAX_INPUT_BYTES: usize = 1024 * 1024;

/// The input of such a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ConsolidationInput {
    pub(crate) topics: Vec<MemoryTopic>,
    /// The model that summarises. Without one, the first sentences of the entries are the summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) agent: Option<AgentConfig>,
    #[serde(default)]
    pub(crate) retry: RetryConfig,
}

impl ConsolidationInput {
    pub(crate) fn agents(&self) -> Vec<AgentConfig> {
        with_fallbacks(self.agent.iter())
    }

    /// The same entries in the same versions have the same key.
    pub(crate) fn key(&self) -> String {
        let mut digest = Sha256::new();
        for MemoryTopic { space: MemorySpace { scope, owner }, topic, sources, .. } in &self.topics {
            digest.update(format!("{scope}\n{owner}\n{topic}\n"));
            for source in sources {
                digest.update(format!("{}.{}\n", source.number, source.version));
            }
        }
        let digits: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        format!("consolidation {digits}")
    }

    /// What a list of runs shows.
    pub(crate) fn title(&self) -> String {
        let names: Vec<&str> = self.topics.iter().map(|topic| topic.topic.as_str()).collect();
        format!("Summarise memory: {}", names.join(", "))
    }
}

/// As many topics as a run takes, at least one. The others follow with the next one.
pub(crate) fn taken(topics: Vec<MemoryTopic>) -> Vec<MemoryTopic> {
    let mut bytes = 0_usize;
    let fits = |(place, topic): &(usize, MemoryTopic)| {
        let texts = topic.sources.iter().map(|source| source.text.len());
        bytes = bytes.saturating_add(texts.sum());
        *place == 0 || bytes <= MAX_INPUT_BYTES
    };
    let all = topics.into_iter().take(MAX_TOPICS).enumerate();
    all.take_while(fits).map(|(_, topic)| topic).collect()
}

#[cfg(test)]
mod tests {
    use amelia_core::memory::summary::MemorySource;
    use jiff::Timestamp;

    use super::*;

    fn topic(name: &str, number: u64, text: &str) -> MemoryTopic {
        let source = MemorySource {
            number,
            version: 1,
            key: name.to_owned(),
            text: text.to_owned(),
            by: "scout".to_owned(),
            run: None,
            at: Timestamp::UNIX_EPOCH,
        };
        MemoryTopic {
            space: MemorySpace::of_all(),
            topic: name.to_owned(),
            previous: None,
            sources: vec![source],
        }
    }

    #[test]
    fn the_key_follows_from_the_entries_and_their_versions() {
        let key = |topics| ConsolidationInput { topics, agent: None, retry: RetryConfig::default() }.key();
        let one = key(vec![topic("a", 1, "x")]);
        assert_eq!(key(vec![topic("a", 1, "another text of the same version")]), one);
        assert_ne!(key(vec![topic("a", 2, "x")]), one);
        assert_ne!(key(vec![topic("b", 1, "x")]), one);
        let mut newer = topic("a", 1, "x");
        newer.sources[0].version = 2;
        assert_ne!(key(vec![newer]), one);
    }

    #[test]
    fn a_run_takes_only_so_much_and_at_least_one_topic() {
        let large = "x".repeat(MAX_INPUT_BYTES);
        let count = |topics| taken(topics).len();
        assert_eq!(count(vec![topic("a", 1, &large), topic("b", 2, "x")]), 1);
        assert_eq!(count(vec![topic("a", 1, "x"), topic("b", 2, &large)]), 1);
        assert_eq!(count((0..99).map(|number| topic("a", number, "x")).collect()), MAX_TOPICS);
    }
}
