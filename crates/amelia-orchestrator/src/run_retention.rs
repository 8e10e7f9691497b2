//! The end of whole runs: one that ended long enough ago is removed with its log, checkpoints and recording. Off until the
//! home has a policy, or a run says itself how long it is kept. No branch is removed, and no work that is in no commit.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use amelia_core::clock::Clock;
use amelia_core::config::retention::RetentionPolicy;
use amelia_core::store::{RunPages, StoreError};
use amelia_core::view::RunRow;
use jiff::{SignedDuration, Timestamp};

use crate::retention::is_in;
use crate::runs::Runs;
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
            let meant = rows.into_iter().filter(|row| is_in(row, repository));
            due.extend(meant.filter_map(|row| Some((is_due(policy.as_ref(), &row, now)?, row))));
        }
        let mut old = Vec::new();
        for (days, row) in due {
            let left = self.service.tidy(std::slice::from_ref(&row), how).await?;
            let kept_because = left.iter().find_map(why_kept).map(str::to_owned);
            if kept_because.is_none() && how == CleanupMode::Remove && !self.remove(&row).await? {
                continue;
            }
            old.push(OldRun { row, days, kept_because });
        }
        Ok(old)
    }

    /// Whether it is gone now. It may have been resumed in this moment.
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
