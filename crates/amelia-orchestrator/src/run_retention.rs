//! The end of whole runs: one that ended long enough ago is removed with its log, checkpoints and recording. Off until the
//! home has a policy, or a run says itself how long it is kept. No branch is removed, and no work that is in no commit.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use amelia_core::clock::Clock;
use amelia_core::config::retention::RetentionPolicy;
use amelia_core::id::RunId;
use amelia_core::store::{RunPages, StoreError};
use amelia_core::view::RunRow;
use jiff::{SignedDuration, Timestamp};

use crate::retention::is_in;
use crate::runs::{AtRest, Runs};
use crate::service::{CleanupMode, Leftover, LeftoverResult, RunService, ServiceError};

/// How often is looked.
const PERIOD: Duration = Duration::from_secs(3600);

/// Days to keep a run after its end; `None` when it is never removed.
#[must_use]
pub fn days_kept(policy: Option<&RetentionPolicy>, row: &RunRow) -> Option<u32> {
    let (own, label) = (row.run.spec.retention_days, row.run.spec.label.as_deref());
    match policy {
        Some(policy) => policy.days(own, label, row.view.status),
        None => own.filter(|_| row.view.status.is_final()),
    }
}

fn is_due(policy: Option<&RetentionPolicy>, row: &RunRow, now: Timestamp) -> Option<u32> {
    let (days, ended_at) = (days_kept(policy, row)?, row.view.ended_at?);
    (now.duration_since(ended_at) > SignedDuration::from_hours(i64::from(days) * 24)).then_some(days)
}

/// A run that has been kept long enough.
#[derive(Debug, Clone, PartialEq)]
pub struct OldRun {
    pub row: RunRow,
    pub days: u32,
    /// What it had on the disk, and what became of that.
    pub left: Vec<Leftover>,
    /// Why it stays all the same: there is work in its worktree that is in no commit.
    pub kept_because: Option<String>,
}

/// Reads the policy as it is now; `None` when there is none.
pub type PolicySource = Arc<dyn Fn() -> Result<Option<RetentionPolicy>, ServiceError> + Send + Sync>;

/// Removes runs that have been kept long enough.
pub struct RunSweeper {
    pub runs: Runs,
    pub service: Arc<dyn RunService>,
    pub policy: PolicySource,
    pub clock: Arc<dyn Clock>,
}

impl RunSweeper {
    /// Looks at once, and then every hour, until it is dropped.
    pub async fn keep(self) {
        loop {
            match self.sweep(CleanupMode::Remove, None).await {
                Ok(old) => {
                    let removed = old.iter().filter(|one| one.kept_because.is_none()).count();
                    if removed > 0 {
                        tracing::info!(removed, "old runs were removed");
                    }
                }
                Err(error) => tracing::error!("old runs cannot be removed: {error}"),
            }
            tokio::time::sleep(PERIOD).await;
        }
    }

    /// Every run, of all or of one repository, that has been kept long enough, and is removed now if `how` says so.
    pub async fn sweep(
        &self,
        how: CleanupMode,
        repository: Option<&Path>,
    ) -> Result<Vec<OldRun>, ServiceError> {
        let policy = (self.policy)()?;
        let now = self.clock.now();
        let mut due = Vec::new();
        let mut pages = RunPages::new(&**self.runs.store());
        while let Some(rows) = pages.next().await.map_err(unavailable)? {
            let meant = rows.iter().filter(|row| is_in(row, repository));
            due.extend(meant.filter(|row| is_due(policy.as_ref(), row, now).is_some()).map(|row| row.run.id));
        }
        let mut old = Vec::new();
        for run in due {
            // Held until it is removed: a failed run that is resumed meanwhile must not lose its worktree.
            let Some(at_rest) = self.at_rest(run).await? else { continue };
            let Some(days) = is_due(policy.as_ref(), &at_rest.row, now) else { continue };
            old.extend(self.sweep_one(&at_rest.row, days, how).await?);
        }
        Ok(old)
    }

    /// `None` when a worker moves the run, or when it is gone.
    async fn at_rest(&self, run: RunId) -> Result<Option<AtRest>, ServiceError> {
        match self.runs.at_rest(run).await {
            Err(StoreError::NotFound(_)) => Ok(None),
            found => found.map_err(unavailable),
        }
    }

    async fn sweep_one(
        &self,
        row: &RunRow,
        days: u32,
        how: CleanupMode,
    ) -> Result<Option<OldRun>, ServiceError> {
        let left = self.service.tidy(std::slice::from_ref(row), how).await?;
        let kept_because = left.iter().find_map(why_kept).map(str::to_owned);
        if kept_because.is_none() && how == CleanupMode::Remove && !self.remove(row).await? {
            return Ok(None);
        }
        Ok(Some(OldRun { row: row.clone(), days, left, kept_because }))
    }

    /// Whether it is gone now. Another process may have resumed it in this moment.
    async fn remove(&self, row: &RunRow) -> Result<bool, ServiceError> {
        match self.runs.remove(row.run.id).await {
            Ok(()) => {
                if let Err(error) = self.service.removed(row).await {
                    tracing::warn!(run = %row.run.id, "files of a removed run are left: {error}");
                }
                Ok(true)
            }
            Err(StoreError::NotFound(_) | StoreError::NotEnded(_)) => Ok(false),
            Err(error) => Err(unavailable(error)),
        }
    }
}

fn unavailable(error: StoreError) -> ServiceError {
    ServiceError::Unavailable(error.into())
}

fn why_kept(left: &Leftover) -> Option<&str> {
    match &left.fate {
        LeftoverResult::Kept { why } => Some(why),
        LeftoverResult::Removed { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::clock::SystemClock;
    use amelia_core::id::{GraphName, RunNumber};
    use amelia_core::run::{Run, RunSpec, RunStatus};
    use amelia_core::view::RunView;

    use super::*;

    #[test]
    fn the_days_count_from_the_end_of_a_run_and_must_have_passed() {
        let end = Timestamp::UNIX_EPOCH;
        let row = |status, ended_at| {
            let spec = RunSpec::new(GraphName::new("toy").unwrap(), "toy");
            let id = RunId(SystemClock.new_id());
            let run = Run { id, number: RunNumber(1), spec, created_at: end };
            RunRow { run, view: RunView { status, ended_at, ..RunView::default() } }
        };
        let policy = RetentionPolicy::default();
        let week = SignedDuration::from_hours(7 * 24);
        let second = SignedDuration::from_secs(1);
        for (status, ended_at, passed, due) in [
            (RunStatus::Completed, Some(end), week, None),
            (RunStatus::Completed, Some(end), week + second, Some(7)),
            (RunStatus::Failed, Some(end), week + second, None),
            (RunStatus::Failed, Some(end), week * 2 + second, Some(14)),
            (RunStatus::Completed, Some(end + second), week + second, None),
            (RunStatus::Running, None, week * 100, None),
            (RunStatus::Completed, Some(end), -week, None),
        ] {
            let row = row(status, ended_at);
            assert_eq!(is_due(Some(&policy), &row, end + passed), due, "{status:?} after {passed}");
        }
        let old = row(RunStatus::Completed, Some(end));
        assert_eq!(is_due(None, &old, end + week * 100), None, "without a policy, runs are kept");
    }
}
