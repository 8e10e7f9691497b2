//! Consolidation: entries about one topic become one summary, which takes their place in searches. Pure.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{MAX_MEMORY_BYTES, MemoryEntry, MemorySpace, NewMemory, memory_id};
use crate::id::RunId;
use crate::message::MemoryKind;
use crate::tag::{UNTRUSTED, tagged};
use crate::text::{capped, first_line};

/// The keys of summaries begin with it; the topic follows.
pub const SUMMARY_PREFIX: &str = "consolidated/";
/// The fewest entries that become a summary.
pub const MIN_SUMMARISED: usize = 3;
/// The most entries that become a summary at once, and their bytes. The others follow with the next one.
const MAX_SUMMARISED: usize = 100;
const MAX_SUMMARISED_BYTES: usize = 4 * MAX_MEMORY_BYTES;
/// The most bytes of a topic: it is a part of a key.
const MAX_TOPIC_BYTES: usize = 150;
/// The most characters that are taken of an entry without a model.
const MAX_SENTENCE: usize = 300;

/// How a summary was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SummaryMethod {
    /// By the model of a team.
    Model,
    /// From the first sentences of the entries, without a model.
    Extractive,
}

impl SummaryMethod {
    pub const ALL: [Self; 2] = [Self::Model, Self::Extractive];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Extractive => "extractive",
        }
    }

    /// The method with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }
}

/// What consolidation has to do with an entry in its newest version.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ConsolidationState {
    /// It is in no summary.
    #[default]
    Open,
    /// It was in a summary that was forgotten. It becomes part of another one only when a person asks for that.
    Restored,
    /// It is in the summary with this number. Searches leave it out unless they ask for it.
    PartOf(u64),
    /// It is a summary itself.
    Summary(SummaryMethod),
}

impl ConsolidationState {
    /// The summary that has taken the place of the entry.
    #[must_use]
    pub fn summary(self) -> Option<u64> {
        match self {
            Self::PartOf(summary) => Some(summary),
            Self::Open | Self::Restored | Self::Summary(_) => None,
        }
    }

    /// How the summary was written that the entry is.
    #[must_use]
    pub fn method(self) -> Option<SummaryMethod> {
        match self {
            Self::Summary(method) => Some(method),
            Self::Open | Self::Restored | Self::PartOf(_) => None,
        }
    }
}

/// Who wants summaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConsolidationTrigger {
    /// A person, now.
    Asked,
    /// The settings of teams.
    Schedule,
}

/// An entry that becomes part of a summary, as it was when that was decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemorySource {
    pub number: u64,
    pub version: u32,
    pub key: String,
    pub text: String,
    pub by: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    pub at: Timestamp,
}

/// Entries about one topic that become one summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryTopic {
    pub space: MemorySpace,
    pub topic: String,
    /// The summary of earlier entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
    /// Oldest first.
    pub sources: Vec<MemorySource>,
}

/// A summary that is to be written: a new version of the one of its topic, if there is one.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSummary {
    pub entry: NewMemory,
    pub method: SummaryMethod,
    /// The entries in it, by number and version.
    pub sources: Vec<(u64, u32)>,
}

/// The topic of an entry: its key up to the first `/`.
#[must_use]
pub fn topic_of(key: &str) -> Option<&str> {
    let topic = key.split('/').next().filter(|_| !key.starts_with(SUMMARY_PREFIX))?;
    (!topic.is_empty() && topic.len() <= MAX_TOPIC_BYTES).then_some(topic)
}

/// The key of the summary of a topic.
#[must_use]
pub fn summary_key(topic: &str) -> String {
    format!("{SUMMARY_PREFIX}{topic}")
}

/// The topics of which there is enough for a summary, in the order of their spaces and names. `wanted` is the only topic: the
/// entries with this key, or with a key that continues it after a `/`.
#[must_use]
pub fn topics_of(
    entries: Vec<MemoryEntry>,
    wanted: Option<&str>,
    trigger: ConsolidationTrigger,
) -> Vec<MemoryTopic> {
    let mut found: BTreeMap<(MemorySpace, String), Vec<MemorySource>> = BTreeMap::new();
    for entry in entries.into_iter().filter(|entry| can_be_summarised(entry, trigger)) {
        let MemoryEntry { number, version, space, key: Some(key), text, by, run, at, .. } = entry else {
            continue;
        };
        let Some(topic) = topic_in(&key, wanted).map(str::to_owned) else { continue };
        let source = MemorySource { number, version, key, text, by, run, at };
        found.entry((space, topic)).or_default().push(source);
    }
    let enough = found.into_iter().filter(|(_, sources)| sources.len() >= MIN_SUMMARISED);
    let topic =
        |((space, topic), sources)| MemoryTopic { space, topic, previous: None, sources: at_once(sources) };
    enough.map(topic).collect()
}

/// The topic of a key; `None` if another one is wanted.
fn topic_in<'k>(key: &'k str, wanted: Option<&'k str>) -> Option<&'k str> {
    let own = topic_of(key)?;
    let Some(wanted) = wanted else { return Some(own) };
    let rest = key.strip_prefix(wanted)?;
    let is_in = rest.is_empty() || rest.starts_with('/');
    (is_in && wanted.len() <= MAX_TOPIC_BYTES).then_some(wanted)
}

/// An entry that ends by itself is in no summary: its text would outlive it there.
fn can_be_summarised(entry: &MemoryEntry, trigger: ConsolidationTrigger) -> bool {
    let is_open = match entry.consolidation {
        ConsolidationState::Open => true,
        ConsolidationState::Restored => trigger == ConsolidationTrigger::Asked,
        ConsolidationState::PartOf(_) | ConsolidationState::Summary(_) => false,
    };
    is_open && entry.expires_at.is_none()
}

/// The oldest ones, as many as one summary takes.
fn at_once(mut sources: Vec<MemorySource>) -> Vec<MemorySource> {
    sources.sort_by_key(|source| (source.at, source.number));
    let mut bytes = 0_usize;
    let fits = |source: &MemorySource| {
        bytes = bytes.saturating_add(source.text.len());
        bytes <= MAX_SUMMARISED_BYTES
    };
    sources.into_iter().take(MAX_SUMMARISED).take_while(fits).collect()
}

impl MemoryTopic {
    /// The run that wrote the newest of the entries that were written in a run.
    #[must_use]
    pub fn writer(&self) -> Option<RunId> {
        self.sources.iter().rev().find_map(|source| source.run)
    }

    /// Whether a summary is due `interval` seconds after the last one, or after the first of its entries.
    #[must_use]
    pub fn is_due(&self, interval: u64, last: Option<Timestamp>, now: Timestamp) -> bool {
        let since = self.sources.iter().map(|source| source.at).min().max(last);
        let interval = SignedDuration::from_secs(i64::try_from(interval).unwrap_or(i64::MAX));
        since.is_some_and(|since| now.duration_since(since) >= interval)
    }

    /// What a model is asked.
    #[must_use]
    pub fn question(&self) -> String {
        let mut parts = vec![format!("# The topic\n{}", self.topic)];
        if let Some(previous) = &self.previous {
            let previous = tagged(UNTRUSTED, previous, "the summary of earlier entries");
            parts.push(format!("# The summary so far\n{previous}"));
        }
        let entry = |source: &MemorySource| {
            let day = source.at.strftime("%Y-%m-%d");
            let whose = format!("{} {}, by {}, {day}", memory_id(source.number), source.key, source.by);
            tagged(UNTRUSTED, &source.text, &whose)
        };
        let entries: Vec<String> = self.sources.iter().map(entry).collect();
        parts.push(format!("# The entries\n{}", entries.join("\n\n")));
        parts.join("\n\n")
    }

    /// The summary without a model: the first sentence of each entry.
    #[must_use]
    pub fn extract(&self) -> String {
        let line = |source: &MemorySource| format!("- {}: {}", source.key, first_sentence(&source.text));
        let lines = self.sources.iter().map(line);
        self.previous.iter().cloned().chain(lines).collect::<Vec<_>>().join("\n")
    }

    /// The summary as it is stored.
    #[must_use]
    pub fn summary(
        &self,
        text: &str,
        method: SummaryMethod,
        by: &str,
        run: RunId,
        at: Timestamp,
    ) -> NewSummary {
        let entry = NewMemory {
            space: self.space.clone(),
            kind: MemoryKind::LongTerm,
            key: Some(summary_key(&self.topic)),
            text: capped(text, MAX_MEMORY_BYTES - 100),
            by: by.to_owned(),
            run: Some(run),
            at,
            expires_at: None,
        };
        let sources = self.sources.iter().map(|source| (source.number, source.version)).collect();
        NewSummary { entry, method, sources }
    }
}

/// Up to the first full stop, question mark or exclamation mark at the end of a word, in the first line that says something.
fn first_sentence(text: &str) -> String {
    let line = first_line(text, MAX_SENTENCE);
    let mut characters = line.char_indices().peekable();
    while let Some((place, c)) = characters.next() {
        let ends_word = characters.peek().is_none_or(|(_, next)| next.is_whitespace());
        let is_end = matches!(c, '。' | '！' | '？') || (matches!(c, '.' | '!' | '?') && ends_word);
        if is_end {
            return line.get(..place + c.len_utf8()).unwrap_or(&line).to_owned();
        }
    }
    line
}

#[cfg(test)]
#[path = "summary_tests.rs"]
mod tests;
