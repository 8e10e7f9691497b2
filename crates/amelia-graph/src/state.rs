//! The state of a run, and how it is saved: updates with every step, a snapshot from time to time.

use amelia_core::checkpoint::{LoadedCheckpoint, SavedState};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// A typed value that changes only by updates.
pub trait State: Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// What a node may change.
    type Update: Serialize + DeserializeOwned + Send + 'static;

    /// Pure. Lists append, other fields replace; updates of forked branches are keyed by branch, never by
    /// index, because siblings are applied in the order in which they finish.
    fn apply(&mut self, update: Self::Update);

    /// What has come of a run that ends with this state, for people.
    fn summary(&self) -> Option<String> {
        None
    }

    /// Whether breakpoints of such runs can have this condition; `Err` says why not.
    fn check_condition(condition: &str) -> Result<(), String> {
        let _ = condition;
        Err("only breakpoints of workflows, teams and agents from files can have conditions".to_owned())
    }

    /// A value that conditions see, by its name; `metadata.KEY` is one that agents set. Null when there is none.
    fn value(&self, name: &str) -> Value {
        let _ = name;
        Value::Null
    }

    /// Whether a condition of a breakpoint is true; `Err` says why that cannot be decided.
    fn decide(&self, condition: &str) -> Result<bool, String> {
        Self::check_condition(condition).map(|()| false)
    }
}

/// A state of any type that conditions can be asked about.
pub(crate) trait StateConditions: Send + Sync {
    fn is_true(&self, condition: &str) -> Result<bool, String>;
    fn value_of(&self, name: &str) -> Value;
}

impl<S: State> StateConditions for S {
    fn is_true(&self, condition: &str) -> Result<bool, String> {
        self.decide(condition)
    }

    fn value_of(&self, name: &str) -> Value {
        self.value(name)
    }
}

/// A stored state cannot be read as the graph's state, or a state cannot be stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the {what} of checkpoint {number} does not match this graph's state: {detail}")]
pub struct StateError {
    /// Snapshot or update.
    pub what: &'static str,
    pub number: u32,
    pub detail: String,
}

/// Rebuilds a state: the snapshot, then every update after it.
pub fn rebuild<S: State>(loaded: &LoadedCheckpoint) -> Result<S, StateError> {
    let fail =
        |what, number, error: serde_json::Error| StateError { what, number, detail: error.to_string() };
    let first = loaded.number.saturating_sub(u32::try_from(loaded.updates.len()).unwrap_or(u32::MAX));
    let mut state: S =
        serde_json::from_str(&loaded.snapshot).map_err(|error| fail("snapshot", first, error))?;
    for (number, raw) in (first.saturating_add(1)..).zip(&loaded.updates) {
        let updates: Vec<S::Update> =
            serde_json::from_str(raw).map_err(|error| fail("update", number, error))?;
        updates.into_iter().for_each(|update| state.apply(update));
    }
    Ok(state)
}

/// Decides when a snapshot is due. Snapshots grow geometrically apart from each other, so all of them
/// together cost no more than a constant times the state itself, and loading never reads more than a
/// constant times the state either: 10 times the steps cost 10 times the bytes.
#[derive(Debug, Clone)]
pub(crate) struct SnapshotPolicy {
    snapshot: usize,
    since: usize,
}

/// Below this many bytes of updates a snapshot is never worth its row.
const SMALLEST: usize = 32 * 1024;
/// A snapshot is due when the updates since the last one are this many times its size.
const APART: usize = 2;
/// What one update costs to read beside its text.
const PER_UPDATE: usize = 64;

impl SnapshotPolicy {
    /// Nothing is saved yet: the first save is a snapshot.
    pub(crate) fn fresh() -> Self {
        Self { snapshot: 0, since: usize::MAX }
    }

    /// Continues after a state was loaded.
    pub(crate) fn after(loaded: &LoadedCheckpoint) -> Self {
        let since = loaded.updates.iter().map(|text| text.len() + PER_UPDATE).sum();
        Self { snapshot: loaded.snapshot.len(), since }
    }

    /// What to write for a state that has just changed by `updates` (a JSON array).
    pub(crate) fn save<S: State>(
        &mut self,
        state: &S,
        updates: Box<RawValue>,
    ) -> Result<SavedState, serde_json::Error> {
        if self.since >= SMALLEST.max(self.snapshot.saturating_mul(APART)) {
            let raw = to_raw_value(state)?;
            *self = Self { snapshot: raw.get().len(), since: 0 };
            return Ok(SavedState::Snapshot(raw));
        }
        self.since = self.since.saturating_add(updates.get().len() + PER_UPDATE);
        Ok(SavedState::Updates(updates))
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Clone, Serialize, Deserialize)]
    struct Log(Vec<String>);

    impl State for Log {
        type Update = String;

        fn apply(&mut self, update: String) {
            self.0.push(update);
        }
    }

    /// Bytes written for `steps` steps that each append a kilobyte.
    fn bytes_written(steps: usize) -> usize {
        let mut log = Log(Vec::new());
        let mut snapshots = SnapshotPolicy::fresh();
        let mut total = 0;
        for _ in 0..steps {
            let update = "x".repeat(1024);
            let raw = to_raw_value(&[&update]).unwrap();
            log.apply(update);
            total += snapshots.save(&log, raw).unwrap().text().len();
        }
        total
    }

    #[test]
    fn storage_is_linear_in_history() {
        let (small, large) = (bytes_written(200), bytes_written(2_000));
        assert!(large < small * 12, "200 steps: {small} bytes, 2000 steps: {large} bytes");
        assert!(large < 3 * 2_000 * 1024, "{large} bytes for 2 MB of history");
    }
}
