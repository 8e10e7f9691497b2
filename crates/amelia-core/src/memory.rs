//! What agents remember beyond their conversations: entries with versions, in spaces that runs share. Pure, with the ports to
//! where entries are stored and searched.

pub mod summary;

use std::fmt;
use std::path::Path;

use async_trait::async_trait;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::id::RunId;
use crate::message::{MemoryKind, MemoryPart};
use crate::problem::Problem;
use crate::store::StoreError;

use self::summary::{ConsolidationState, NewSummary};

/// The most bytes of one entry.
pub const MAX_MEMORY_BYTES: usize = 64 * 1024;
/// The most characters of a key.
pub const MAX_MEMORY_KEY: usize = 200;
/// The longest that an entry can be kept for: a hundred years.
const MAX_TTL_SECONDS: i64 = 100 * 366 * 86_400;

/// Who can read an entry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryScope {
    /// The agents of one run.
    #[default]
    Run,
    /// Every run of one team.
    Team,
    /// Every run in one repository.
    Repository,
    /// Every run.
    Global,
}

impl MemoryScope {
    pub const ALL: [Self; 4] = [Self::Run, Self::Team, Self::Repository, Self::Global];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Team => "team",
            Self::Repository => "repository",
            Self::Global => "global",
        }
    }

    /// The scope with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }
}

impl fmt::Display for MemoryScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Entries that are read together: those of one run, one team, one repository, or all runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MemorySpace {
    pub scope: MemoryScope,
    /// Whose entries they are; empty for all.
    pub owner: String,
}

impl MemorySpace {
    #[must_use]
    pub fn of_run(run: RunId) -> Self {
        Self { scope: MemoryScope::Run, owner: run.to_string() }
    }

    /// Teams of two repositories may have the same name; a team of the home has no repository.
    #[must_use]
    pub fn of_team(name: &str, repository: Option<&Path>) -> Self {
        let owner = match repository {
            Some(repository) => format!("{name} in {}", repository.display()),
            None => name.to_owned(),
        };
        Self { scope: MemoryScope::Team, owner }
    }

    #[must_use]
    pub fn of_repository(repository: &Path) -> Self {
        Self { scope: MemoryScope::Repository, owner: repository.display().to_string() }
    }

    #[must_use]
    pub fn of_all() -> Self {
        Self { scope: MemoryScope::Global, owner: String::new() }
    }
}

/// One entry in one version.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryEntry {
    /// The same for all versions.
    pub number: u64,
    /// From 1.
    pub version: u32,
    pub space: MemorySpace,
    pub kind: MemoryKind,
    pub key: Option<String>,
    pub text: String,
    /// Who wrote it: an agent, or a person.
    pub by: String,
    /// In which run.
    pub run: Option<RunId>,
    pub at: Timestamp,
    pub expires_at: Option<Timestamp>,
    pub consolidation: ConsolidationState,
}

impl MemoryEntry {
    /// As people and models name it.
    #[must_use]
    pub fn id(&self) -> String {
        memory_id(self.number)
    }

    #[must_use]
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }
}

/// `m12`
#[must_use]
pub fn memory_id(number: u64) -> String {
    format!("m{number}")
}

/// The number in `m12`.
#[must_use]
pub fn memory_number(id: &str) -> Option<u64> {
    let digits = id.strip_prefix(['m', 'M'])?;
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|number| is_plain && *number > 0)
}

/// An entry that is to be written. One with the key of an earlier entry in its space is a new version of that.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMemory {
    pub space: MemorySpace,
    pub kind: MemoryKind,
    pub key: Option<String>,
    pub text: String,
    pub by: String,
    pub run: Option<RunId>,
    pub at: Timestamp,
    pub expires_at: Option<Timestamp>,
}

impl NewMemory {
    /// Refuses what cannot be stored.
    pub fn check(&self) -> Result<(), Problem> {
        if self.text.trim().is_empty() {
            return Err(Problem::new("`value` must not be empty"));
        }
        if self.text.len() > MAX_MEMORY_BYTES {
            let message = format!(
                "`value` has {} bytes; an entry can have {} KB",
                self.text.len(),
                MAX_MEMORY_BYTES / 1024
            );
            return Err(Problem::new(message).with_hint("store a summary, or keep the text as an artifact"));
        }
        let is_bad = |key: &String| {
            key.trim().is_empty() || key.chars().count() > MAX_MEMORY_KEY || key.contains(char::is_control)
        };
        match &self.key {
            Some(key) if is_bad(key) => {
                Err(Problem::new(format!("`key` must have 1 to {MAX_MEMORY_KEY} characters, in one line")))
            }
            _ => Ok(()),
        }
    }
}

/// When an entry that is kept for some seconds ends.
pub fn expiry(now: Timestamp, ttl_seconds: Option<i64>) -> Result<Option<Timestamp>, Problem> {
    let Some(seconds) = ttl_seconds else { return Ok(None) };
    let message = format!("`ttl_seconds` must be between 1 and {MAX_TTL_SECONDS}");
    if !(1..=MAX_TTL_SECONDS).contains(&seconds) {
        return Err(Problem::new(message));
    }
    now.checked_add(jiff::SignedDuration::from_secs(seconds)).map(Some).map_err(|_| Problem::new(message))
}

/// What became of a write.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenMemory {
    pub entry: MemoryEntry,
    /// Nothing was written: the newest version has this text already.
    pub is_known: bool,
}

/// Which entries. An empty list means all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryFilter {
    pub spaces: Vec<MemorySpace>,
    pub scope: Option<MemoryScope>,
    pub kinds: Vec<MemoryKind>,
    pub key: Option<String>,
    /// Only entries with this key, or with a key that continues it after a `/`.
    pub topic: Option<String>,
    /// Only entries before this one, for the next page.
    pub before: Option<u64>,
    /// 0 is no limit.
    pub limit: usize,
}

/// A change of an entry: its newest version, or none when it was forgotten.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryChange {
    /// Later changes have larger numbers.
    pub change: u64,
    pub number: u64,
    pub entry: Option<MemoryEntry>,
}

/// How many entries there are, and their bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MemoryTotals {
    pub items: u64,
    pub bytes: u64,
}

/// The port to where entries are stored.
#[async_trait]
pub trait Memories: Send + Sync {
    /// Writes an entry, or a new version of the one with its key. The same text again writes nothing.
    async fn remember(&self, new: NewMemory) -> Result<WrittenMemory, StoreError>;

    /// Every version of an entry, oldest first; empty if it is not there.
    async fn memory(&self, number: u64) -> Result<Vec<MemoryEntry>, StoreError>;

    /// Entries in their newest version, newest first, without those that have expired at `now`.
    async fn memories(&self, filter: MemoryFilter, now: Timestamp) -> Result<Vec<MemoryEntry>, StoreError>;

    /// The newest versions of these entries, in their order, as far as they are there.
    async fn memories_numbered(&self, numbers: Vec<u64>) -> Result<Vec<MemoryEntry>, StoreError>;

    /// How much of a kind is in these spaces at `now`.
    async fn memory_totals(
        &self,
        spaces: Vec<MemorySpace>,
        kind: MemoryKind,
        now: Timestamp,
    ) -> Result<MemoryTotals, StoreError>;

    /// What has changed after `change`, in order, at most `limit`.
    async fn memory_changes(&self, change: u64, limit: usize) -> Result<Vec<MemoryChange>, StoreError>;

    /// Writes a summary, and says of its sources that are still in these versions that they are part of it. Once more, it
    /// changes nothing.
    async fn consolidate(&self, new: NewSummary) -> Result<WrittenMemory, StoreError>;

    /// The entries in a summary, in the versions that became part of it, oldest first.
    async fn memory_sources(&self, summary: u64) -> Result<Vec<MemoryEntry>, StoreError>;

    /// The topics of which there are enough entries at `now` that never were in a summary.
    async fn open_topics(&self, now: Timestamp) -> Result<Vec<(MemorySpace, String)>, StoreError>;

    /// Removes the text of every version of an entry; says whether there was one. The sources of a summary are found again.
    async fn forget_memory(&self, number: u64) -> Result<bool, StoreError>;

    /// Gives the space `to` the entries that `from` had at `until`, in the version of that time.
    async fn copy_memories(
        &self,
        from: MemorySpace,
        to: MemorySpace,
        until: Timestamp,
    ) -> Result<u64, StoreError>;
}

/// A question to the index.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryQuery {
    pub text: String,
    /// Where is searched; `None` is everywhere.
    pub spaces: Option<Vec<MemorySpace>>,
    /// Only these; empty is all. So are `kinds`.
    pub scopes: Vec<MemoryScope>,
    pub kinds: Vec<MemoryKind>,
    /// Also entries that are part of a summary.
    pub with_sources: bool,
    pub limit: usize,
}

/// An entry that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundMemory {
    pub entry: MemoryEntry,
    /// From 0 to 1: 1 is the best place in every list that was searched.
    pub relevance: f64,
}

/// The port to where entries are searched.
#[async_trait]
pub trait MemoryIndex: Send + Sync {
    /// The best entries for a question, best first: their numbers. What was stored before is found.
    async fn search(&self, memories: &dyn Memories, query: MemoryQuery) -> Result<Vec<u64>, StoreError>;
}

/// The end of the name of a moment at which an agent is reminded.
pub const RECALL: &str = "recall";

/// What an agent is reminded of before a turn. The port is asked once for a turn, and what it says is written into the log with
/// the message that the turn begins with.
#[async_trait]
pub trait Recall: Send + Sync {
    /// `moment` names the turn, so that a recording can answer again. `None` when nothing was found.
    async fn recall(&self, moment: &str, query: &str) -> Option<MemoryPart>;
}

/// The constant of reciprocal rank fusion: how little the first places of a list differ.
const RANK_CONSTANT: f64 = 60.0;

/// The relevance of the entry in a place, from 0, of the only list that was searched.
#[must_use]
pub fn relevance(place: usize) -> f64 {
    let place = f64::from(u32::try_from(place).unwrap_or(u32::MAX));
    (RANK_CONSTANT + 1.0) / (RANK_CONSTANT + 1.0 + place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(key: Option<&str>, text: &str) -> NewMemory {
        NewMemory {
            space: MemorySpace::of_all(),
            kind: MemoryKind::LongTerm,
            key: key.map(str::to_owned),
            text: text.to_owned(),
            by: "writer".to_owned(),
            run: None,
            at: Timestamp::UNIX_EPOCH,
            expires_at: None,
        }
    }

    #[test]
    fn what_cannot_be_stored_is_refused_with_the_reason() {
        assert_eq!(new(Some("style/indent"), "four spaces").check(), Ok(()));
        assert_eq!(new(None, "x").check(), Ok(()));
        let refused = |new: NewMemory| new.check().unwrap_err().message;
        assert!(refused(new(Some("k"), " \n")).contains("must not be empty"));
        assert!(refused(new(Some(""), "x")).contains("`key` must have 1 to 200"));
        assert!(refused(new(Some("a\nb"), "x")).contains("in one line"));
        assert!(refused(new(Some("k"), &"x".repeat(MAX_MEMORY_BYTES + 1))).contains("can have 64 KB"));
    }

    #[test]
    fn an_entry_ends_some_seconds_from_now_or_never() {
        let now = Timestamp::UNIX_EPOCH;
        assert_eq!(expiry(now, None), Ok(None));
        assert_eq!(expiry(now, Some(60)).unwrap().unwrap().as_second(), 60);
        for seconds in [0, -1, i64::MAX] {
            assert!(expiry(now, Some(seconds)).unwrap_err().message.contains("ttl_seconds"), "{seconds}");
        }
    }

    #[test]
    fn ids_are_short_and_nothing_else_is_one() {
        assert_eq!(memory_number(&memory_id(12)), Some(12));
        for other in ["12", "m", "m0", "m-1", "m+1", "r1", "m1x"] {
            assert_eq!(memory_number(other), None, "{other}");
        }
    }

    #[test]
    fn teams_of_the_same_name_in_two_repositories_share_nothing() {
        let (a, b) = (Path::new("/a"), Path::new("/b"));
        assert_ne!(MemorySpace::of_team("press", Some(a)), MemorySpace::of_team("press", Some(b)));
        assert_ne!(MemorySpace::of_team("press", Some(a)), MemorySpace::of_team("press", None));
    }

    #[test]
    fn the_first_place_has_the_relevance_one_and_each_later_place_less() {
        assert!((relevance(0) - 1.0).abs() < f64::EPSILON);
        assert!(relevance(1) < relevance(0) && relevance(1000) > 0.0);
    }
}
