//! A run as files below `tasks/ID` in the home: `task.json`, `trace.json` and `checkpoint_NNN.json` of document 004, and its artifacts. They follow
//! the log while a run moves, and are removed with it. The database has the truth: nothing reads the files back, and no
//! commit waits for them.

mod task_directory;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use amelia_core::id::{RunId, Seq};
use amelia_core::run::RunStatus;
use amelia_core::view::RunRow;
use amelia_orchestrator::bus::ChangedRuns;
use amelia_orchestrator::run_retention::{PolicySource, days_kept};
use amelia_orchestrator::runs::Runs;
use amelia_orchestrator::service::RunService;
use amelia_wire::agentx::guardrails::GuardrailReport;
use amelia_wire::maf::checkpoint::checkpoint;
use amelia_wire::maf::task::Task;
use amelia_wire::maf::trace::trace_log;
use anyhow::Result;
use tokio_util::sync::CancellationToken;

pub use self::task_directory::TaskDirectory;
use self::task_directory::remove_others;
use crate::artifacts::tree::{ArtifactRecord, ArtifactTree};
use crate::artifacts::{ArtifactContents, FoldedLog};
use crate::home::Home;
use crate::home_file::write_copy;
use crate::team_input::has_artifacts;

/// How long changes gather before they are written.
const PERIOD: Duration = Duration::from_millis(500);
/// After a run was written, the writer rests for this many times as long as that took: runs move meanwhile.
const REST_FACTOR: u32 = 19;
/// While a run moves, its trace is written again when its log has grown by one part in so many.
const TRACE_GROWTH: u64 = 4;
/// The longest that the end of a server waits for the last files.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(5);
/// Events read at once.
const PAGE: usize = 1000;

/// What has been written of a run.
#[derive(Default)]
struct WrittenFiles {
    task: Option<Task>,
    checkpoint: u32,
    traced: Seq,
    artifacts: FoldedLog,
}

/// Keeps the files of a home up to date.
pub struct TaskFiles {
    home: Home,
    /// Off: only removes the files of runs that are removed.
    is_on: bool,
    runs: Runs,
    service: Arc<dyn RunService>,
    policy: PolicySource,
    changes: ChangedRuns,
    /// Changed, and not written yet.
    pending: BTreeSet<RunId>,
    written: BTreeMap<RunId, WrittenFiles>,
    /// The end of all logs when the changes before the last ones were taken; set once the past was caught up with.
    cursor: Option<u64>,
}

impl TaskFiles {
    /// Follows these runs from now on.
    #[must_use]
    pub fn new(
        home: &Home,
        is_on: bool,
        runs: &Runs,
        service: &Arc<dyn RunService>,
        policy: &PolicySource,
    ) -> Self {
        Self {
            home: home.clone(),
            is_on,
            changes: runs.changes(),
            runs: runs.clone(),
            service: Arc::clone(service),
            policy: Arc::clone(policy),
            pending: BTreeSet::new(),
            written: BTreeMap::new(),
            cursor: None,
        }
    }

    /// Writes what has changed since the last server, and then follows for as long as it is polled. It may be dropped at any
    /// time; [`Self::flush`] writes what is left.
    pub async fn keep(&mut self) {
        if let Err(error) = self.catch_up().await {
            tracing::warn!("task files of earlier changes are not written: {error:#}");
        }
        self.follow().await;
    }

    /// Follows until `stop`, and writes what is left then.
    pub(crate) async fn follow_until(mut self, stop: CancellationToken) {
        tokio::select! {
            () = self.follow() => {}
            () = stop.cancelled() => {}
        }
        self.flush().await;
    }

    /// Writes what has changed, without rests.
    pub async fn flush(&mut self) {
        self.pending.extend(self.changes.take());
        let left = async {
            while let Some(run) = self.pending.pop_first() {
                self.write_or_warn(run).await;
            }
        };
        if tokio::time::timeout(FLUSH_TIMEOUT, left).await.is_err() {
            tracing::warn!("task files are incomplete; the next server writes them");
        }
    }

    async fn follow(&mut self) {
        loop {
            if self.pending.is_empty() {
                self.changes.some().await;
                tokio::time::sleep(PERIOD).await;
            }
            let end = self.runs.store().end().await.ok();
            self.pending.extend(self.changes.take());
            while let Some(run) = self.pending.first().copied() {
                let begun = Instant::now();
                self.write_or_warn(run).await;
                // Only now: this may be dropped while it writes.
                self.pending.remove(&run);
                tokio::time::sleep(begun.elapsed() * REST_FACTOR).await;
            }
            self.note(end);
        }
    }

    async fn write_or_warn(&mut self, run: RunId) {
        if let Err(error) = self.write(run).await {
            tracing::warn!(%run, "task files cannot be written: {error:#}");
        }
    }

    /// A commit becomes visible to readers a moment before its run counts as changed, so what is noted is one round old.
    fn note(&mut self, end: Option<u64>) {
        let (Some(before), Some(end)) = (self.cursor, end) else { return };
        if let Err(error) = write_copy(&self.note_path(), &before.to_string()) {
            tracing::warn!("{} cannot be written: {error:#}", self.note_path().display());
        }
        self.cursor = Some(end);
    }

    fn note_path(&self) -> PathBuf {
        self.home.path().join("tasks").join(".cursor")
    }

    /// Finds the runs that have changed since the files were written, and removes the files of runs that are gone.
    async fn catch_up(&mut self) -> Result<()> {
        let store = Arc::clone(self.runs.store());
        let end = store.end().await?;
        let noted = std::fs::read_to_string(self.note_path()).ok().and_then(|text| text.trim().parse().ok());
        let mut cursor: u64 = noted.unwrap_or(end);
        loop {
            let events = store.feed(cursor, PAGE).await?;
            let Some((last, _)) = events.last() else { break };
            cursor = *last;
            self.pending.extend(events.iter().map(|(_, event)| event.run));
        }
        let known: BTreeSet<RunId> = store.statuses().await?.into_iter().map(|(run, _)| run).collect();
        let tasks = self.home.path().join("tasks");
        tokio::task::spawn_blocking(move || remove_others(&tasks, &known)).await??;
        if noted.is_none() && self.is_on {
            write_copy(&self.note_path(), &end.to_string())?;
        }
        self.cursor = Some(end);
        Ok(())
    }

    async fn write(&mut self, run: RunId) -> Result<()> {
        let directory = TaskDirectory::of(&self.home, run);
        let Some(row) = self.runs.store().run(run).await? else {
            self.written.remove(&run);
            return tokio::task::spawn_blocking(move || directory.remove()).await?;
        };
        if !self.is_on {
            return Ok(());
        }
        let mut written = self.written.remove(&run).unwrap_or_default();
        let done = self.write_row(&directory, &row, &mut written).await;
        if !row.view.status.is_final() {
            self.written.insert(run, written);
        }
        done
    }

    async fn write_row(
        &self,
        directory: &TaskDirectory,
        row: &RunRow,
        written: &mut WrittenFiles,
    ) -> Result<()> {
        self.write_task(directory, row, written).await?;
        self.write_trace(directory, row, written).await?;
        self.write_checkpoint(directory, row, written).await?;
        self.write_artifacts(directory, row, written).await
    }

    async fn write_task(
        &self,
        directory: &TaskDirectory,
        row: &RunRow,
        written: &mut WrittenFiles,
    ) -> Result<()> {
        let policy = (self.policy)().unwrap_or_default();
        let task = Task::new(row, days_kept(policy.as_ref(), row));
        if written.task.as_ref() == Some(&task) {
            return Ok(());
        }
        let (directory, copy) = (directory.clone(), task.clone());
        tokio::task::spawn_blocking(move || directory.write_task(&copy)).await??;
        written.task = Some(task);
        Ok(())
    }

    /// The artifacts that the log tells of and that are no files yet.
    async fn write_artifacts(
        &self,
        directory: &TaskDirectory,
        row: &RunRow,
        written: &mut WrittenFiles,
    ) -> Result<()> {
        if !has_artifacts(row) {
            return Ok(());
        }
        let run = row.run.id;
        let before = written.artifacts.seq;
        written.artifacts.catch_up(&**self.runs.store(), run).await?;
        let index = &written.artifacts.index;
        if before == written.artifacts.seq || index.with_deleted().next().is_none() {
            return Ok(());
        }
        let all = index.with_deleted();
        let records: Vec<_> = all.filter_map(|(path, stored)| ArtifactRecord::new(path, stored)).collect();
        let (directory, contents) = (directory.clone(), ArtifactContents::of(&self.home, run));
        let write = move || {
            let tree = ArtifactTree::open(directory.path())?;
            tree.write(&records, |_, version| Ok(contents.read(&version.checksum)?))
        };
        tokio::task::spawn_blocking(write).await??;
        Ok(())
    }

    /// The checkpoint at which a run rests. Each has the whole state: writing every one would cost the square of the run's
    /// length. `amelia task export` writes them all.
    async fn write_checkpoint(
        &self,
        directory: &TaskDirectory,
        row: &RunRow,
        written: &mut WrittenFiles,
    ) -> Result<()> {
        let is_at_rest = !matches!(row.view.status, RunStatus::Pending | RunStatus::Running);
        if !is_at_rest {
            return Ok(());
        }
        let run = row.run.id;
        let newest = self.runs.store().checkpoints(run).await?.pop();
        let Some(info) = newest.filter(|info| info.number > written.checkpoint) else { return Ok(()) };
        let state = self.service.state(row, Some(info.number)).await?;
        let plan = self.service.plan(row).await?.and_then(|plan| plan.document);
        let (directory, number) = (directory.clone(), info.number);
        let write = move || {
            plan.map_or(Ok(()), |plan| directory.write_plan(&plan))?;
            directory.write_checkpoint(&checkpoint(run, &info, state))
        };
        tokio::task::spawn_blocking(write).await??;
        written.checkpoint = number;
        Ok(())
    }

    async fn write_trace(
        &self,
        directory: &TaskDirectory,
        row: &RunRow,
        written: &mut WrittenFiles,
    ) -> Result<()> {
        let end = row.view.seq;
        if end == written.traced || !is_trace_due(row.view.status, written.traced, end) {
            return Ok(());
        }
        let (store, run) = (self.runs.store(), row.run.id);
        let (mut events, mut after) = (Vec::new(), Seq::START);
        loop {
            let page = store.shown_events(run, after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after = last.seq;
            events.extend(page);
        }
        let directory = directory.clone();
        let write = move || -> Result<()> {
            let report = GuardrailReport::of(&events);
            if !report.violations.is_empty() {
                directory.write_guardrails(&report)?;
            }
            directory.write_trace(trace_log(&events).as_ref())
        };
        tokio::task::spawn_blocking(write).await??;
        written.traced = end;
        Ok(())
    }
}

/// Writing a trace costs as much as the log is long. When it has to have grown by a part of that first, all writings
/// together cost a constant times the log.
fn is_trace_due(status: RunStatus, traced: Seq, end: Seq) -> bool {
    match status {
        RunStatus::Pending | RunStatus::Running => end.0 >= traced.0 + (traced.0 / TRACE_GROWTH).max(1),
        RunStatus::Waiting(_) | RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled => true,
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::event::{EventKind, RunEvent};
    use amelia_core::id::GraphName;
    use amelia_core::run::RunSpec;
    use amelia_core::store::Store;
    use amelia_store::sqlite::{SqliteOptions, SqliteStore};

    use super::*;
    use crate::database::runs_on;
    use crate::mcp_servers::McpServers;
    use crate::retention;
    use crate::run_service::LocalRunService;

    #[tokio::test]
    async fn task_files_follow_a_run_and_are_removed_with_it() {
        let directory = tempfile::tempdir().unwrap();
        let home = Home::at(directory.path());
        let store =
            Arc::new(SqliteStore::open(&directory.path().join("a.db"), SqliteOptions::default()).unwrap());
        let mcp = Arc::new(McpServers::of(&home));
        let service: Arc<dyn RunService> = Arc::new(LocalRunService::on(&home, &store, &mcp));
        let runs = runs_on(Arc::clone(&store) as Arc<dyn Store>);
        for (is_on, expected) in [(true, true), (false, false)] {
            let mut files = TaskFiles::new(&home, is_on, &runs, &service, &retention::source(&home));
            let run = runs.create(RunSpec::new(GraphName::new("workflow").unwrap(), "rivers")).await.unwrap();
            let file = |name: &str| {
                let text = std::fs::read_to_string(TaskDirectory::of(&home, run).path().join(name)).ok();
                text.map(|text| serde_json::from_str::<serde_json::Value>(&text).unwrap())
            };
            files.flush().await;
            assert_eq!(file("task.json").map(|task| task["status"] == "pending"), expected.then_some(true));
            let ended = EventKind::Run(RunEvent::Cancelled { by: None });
            let at_rest = runs.at_rest(run).await.unwrap().unwrap();
            runs.record(&at_rest, vec![ended]).await.unwrap();
            drop(at_rest);
            files.flush().await;
            assert_eq!(file("task.json").map(|task| task["status"] == "cancelled"), expected.then_some(true));
            let steps = file("trace.json").map(|trace| trace["steps"].as_array().unwrap().len());
            assert_eq!(steps, expected.then_some(2));
            std::fs::create_dir_all(TaskDirectory::of(&home, run).path().join("results")).unwrap();
            runs.remove(run).await.unwrap();
            files.flush().await;
            assert!(!TaskDirectory::of(&home, run).path().exists());
        }
    }

    #[test]
    fn a_trace_is_written_again_when_its_log_has_grown_by_a_part_and_at_every_rest() {
        let mut written = Vec::new();
        let mut traced = Seq::START;
        for end in (1..=1000).map(Seq) {
            if is_trace_due(RunStatus::Running, traced, end) {
                traced = end;
                written.push(end.0);
            }
        }
        assert!(written.starts_with(&[1, 2, 3, 4, 5, 6, 7, 8, 10]), "{written:?}");
        assert!(written.iter().sum::<u64>() < 6 * 1000, "all writings cost a constant times the log");
        assert!(is_trace_due(RunStatus::Completed, Seq(999), Seq(1000)));
    }
}
