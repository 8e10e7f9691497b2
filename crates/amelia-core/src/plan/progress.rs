//! How the status of a task changes, and what that means for the tasks behind it. Pure.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Plan, PlanTask, TaskStatus};

/// In the metadata of a task that is skipped: the task that failed or was cancelled, and that it depends on.
const SKIPPED_BECAUSE: &str = "skipped_because";

impl TaskStatus {
    pub const ALL: [Self; 6] =
        [Self::Pending, Self::InProgress, Self::Completed, Self::Failed, Self::Skipped, Self::Cancelled];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Cancelled => "cancelled",
        }
    }

    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }

    /// Whether an agent may set this next. A task that has ended can only be opened again.
    #[must_use]
    pub fn may_become(self, next: Self) -> bool {
        match self {
            Self::Pending | Self::InProgress => true,
            Self::Completed | Self::Failed | Self::Skipped | Self::Cancelled => {
                next == self || next == Self::Pending
            }
        }
    }

    /// What depends on such a task cannot be done.
    #[must_use]
    pub fn blocks(self) -> bool {
        match self {
            Self::Failed | Self::Cancelled => true,
            Self::Pending | Self::InProgress | Self::Completed | Self::Skipped => false,
        }
    }
}

impl Plan {
    #[must_use]
    pub fn task(&self, id: &str) -> Option<&PlanTask> {
        self.tasks.iter().find(|task| task.id == id)
    }

    /// The dependencies of a task that are not settled.
    #[must_use]
    pub fn open_dependencies(&self, task: &PlanTask) -> Vec<&PlanTask> {
        let open = |other: &&PlanTask| task.dependencies.contains(&other.id) && !other.status.is_settled();
        self.tasks.iter().filter(open).collect()
    }

    /// Gives a task another status. Pending tasks behind one that fails or is cancelled are skipped, and pending again when it
    /// is opened again.
    pub fn set_status(&mut self, id: &str, status: TaskStatus) {
        let Some(task) = self.tasks.iter_mut().find(|task| task.id == id) else { return };
        task.status = status;
        task.metadata.remove(SKIPPED_BECAUSE);
        if status == TaskStatus::Pending {
            self.reopen_behind(id);
        }
        self.skip_blocked();
    }

    fn reopen_behind(&mut self, id: &str) {
        for task in &mut self.tasks {
            let is_behind = task.metadata.get(SKIPPED_BECAUSE).and_then(Value::as_str) == Some(id);
            if is_behind && task.status == TaskStatus::Skipped {
                task.status = TaskStatus::Pending;
                task.metadata.remove(SKIPPED_BECAUSE);
            }
        }
    }

    fn skip_blocked(&mut self) {
        let blocking: Vec<String> =
            self.tasks.iter().filter(|task| task.status.blocks()).map(|task| task.id.clone()).collect();
        for id in blocking {
            let mut lost = BTreeSet::from([id.clone()]);
            let mut before = 0;
            while before != lost.len() {
                before = lost.len();
                for task in &mut self.tasks {
                    let is_behind = task.dependencies.iter().any(|dependency| lost.contains(dependency));
                    if is_behind && task.status == TaskStatus::Pending {
                        task.status = TaskStatus::Skipped;
                        task.metadata.insert(SKIPPED_BECAUSE.to_owned(), Value::String(id.clone()));
                        lost.insert(task.id.clone());
                    }
                }
            }
        }
    }
}
