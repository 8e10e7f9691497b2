//! The directory of one task. Knows names and bytes, and nothing of runs.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use amelia_core::id::RunId;
use amelia_wire::agentx::guardrails::GuardrailReport;
use amelia_wire::agentx::workspace::{GUARDRAILS, PLAN};
use amelia_wire::maf::checkpoint::Checkpoint;
use amelia_wire::maf::files;
use amelia_wire::maf::task::Task;
use amelia_wire::maf::trace::TraceLog;
use anyhow::{Context as _, Result};
use serde::Serialize;
use serde_json::Value;

use crate::home::Home;
use crate::home_file::write_copy;

/// Where the files of a run are.
#[derive(Debug, Clone)]
pub struct TaskDirectory {
    run: RunId,
    path: PathBuf,
}

impl TaskDirectory {
    /// In the home.
    #[must_use]
    pub fn of(home: &Home, run: RunId) -> Self {
        Self { run, path: home.path().join(files::task_dir(run)) }
    }

    /// Anywhere else.
    #[must_use]
    pub fn at(path: PathBuf, run: RunId) -> Self {
        Self { run, path }
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn write_task(&self, task: &Task) -> Result<()> {
        self.write(&files::task(self.run), task)
    }

    /// `None` is the trace of a run without events.
    pub fn write_trace(&self, trace: Option<&TraceLog>) -> Result<()> {
        self.write(&files::trace(self.run), &trace)
    }

    pub fn write_checkpoint(&self, checkpoint: &Checkpoint) -> Result<()> {
        self.write(&files::checkpoint(self.run, checkpoint.sequence), checkpoint)
    }

    pub fn write_guardrails(&self, report: &GuardrailReport) -> Result<()> {
        self.write_at(GUARDRAILS, report)
    }

    /// The plan of a run of a team.
    pub fn write_plan(&self, plan: &Value) -> Result<()> {
        self.write_at(PLAN, plan)
    }

    fn write_at(&self, path: &str, value: &impl Serialize) -> Result<()> {
        let file = self.path.join(path);
        if let Some(parent) = file.parent() {
            std::fs::create_dir_all(parent).with_context(|| format!("cannot create {}", parent.display()))?;
        }
        let text = serde_json::to_string_pretty(value)?;
        write_copy(&file, &text).with_context(|| format!("cannot write {}", file.display()))
    }

    fn write(&self, file: &Path, value: &impl Serialize) -> Result<()> {
        let file = self.path.join(file.file_name().unwrap_or_default());
        let text = serde_json::to_string_pretty(value)?;
        write_copy(&file, &text).with_context(|| format!("cannot write {}", file.display()))
    }

    /// Removes it with everything in it, if it is there.
    pub(super) fn remove(&self) -> Result<()> {
        match std::fs::remove_dir_all(&self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(error).with_context(|| format!("{} cannot be removed", self.path.display()))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

/// Removes the directories below `tasks` that are of runs, and of none of these.
pub(super) fn remove_others(tasks: &Path, known: &BTreeSet<RunId>) -> Result<()> {
    let Ok(entries) = std::fs::read_dir(tasks) else { return Ok(()) };
    for entry in entries.flatten() {
        let run = entry.file_name().to_str().and_then(|name| name.parse::<RunId>().ok());
        if let Some(run) = run.filter(|run| !known.contains(run)) {
            TaskDirectory::at(entry.path(), run).remove()?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_directories_of_runs_that_are_gone_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let (kept, gone) = (RunId(uuid::Uuid::from_u128(1)), RunId(uuid::Uuid::from_u128(2)));
        for name in [kept.to_string(), gone.to_string(), "mine".to_owned()] {
            std::fs::create_dir(dir.path().join(name)).unwrap();
        }
        remove_others(dir.path(), &BTreeSet::from([kept])).unwrap();
        assert!(dir.path().join(kept.to_string()).exists());
        assert!(!dir.path().join(gone.to_string()).exists());
        assert!(dir.path().join("mine").exists());
    }
}
