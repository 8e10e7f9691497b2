//! Tools that know what became of files: after a call that may write, the worktree is compared with what it was before,
//! and what it holds is kept for forks.
//!
//! Compares names and times, never content. In a large repository that takes its time, so it is not done more often than
//! a fifth of the time allows; what was left out is found the next time, at the latest at the end of a conversation. What
//! a conversation leaves that stops in the middle is kept then.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use amelia_agents::agent::{END, REST};
use amelia_core::event::{EventKind, SystemEvent};
use amelia_core::message::{Message, Object};
use amelia_core::stop_rule::named_files;
use amelia_core::tool::{
    Risk, ToolBox, ToolCall, ToolCx, ToolName, ToolPermission, ToolResult, ToolSpec, WorkArea,
};
use amelia_git::status::DirtyFile;
use amelia_git::{Repository, Worktree};
use async_trait::async_trait;
use serde_json::json;
use tokio::sync::Mutex;

use super::claims::FileClaims;
use super::file_stamp::{Files, Stamp, event};
use super::worktree_snapshots::WorktreeSnapshots;

/// Files that are named one by one; of more it is only said how many.
const MAX_NAMED: usize = 500;
/// A look that takes no longer may be taken every time.
const SHORT_LOOK: Duration = Duration::from_millis(50);
/// A longer one is followed by a pause of so many times its length.
const PAUSE_FACTOR: u32 = 4;
/// Under this name, in a warning, how many files are not named.
pub(crate) const MORE_FILES: &str = "more_files";

/// Tools that write, and what they write to.
pub(super) struct WatchedTools {
    inner: Arc<dyn ToolBox>,
    repository: Repository,
    worktree: Worktree,
    /// Nothing in the user's own checkout.
    keeper: Option<WorktreeSnapshots>,
    seen: Mutex<Option<LastLook>>,
    /// Tools that write files which they name.
    writers: BTreeSet<ToolName>,
    claims: FileClaims,
}

/// The worktree as it was looked at last.
struct LastLook {
    /// Files that differed from the last commit then.
    files: Arc<Files>,
    at: Instant,
    took: Duration,
}

impl WatchedTools {
    pub(super) fn new(
        inner: Arc<dyn ToolBox>,
        repository: &Repository,
        worktree: &Worktree,
        keeper: Option<WorktreeSnapshots>,
    ) -> Self {
        let (repository, worktree) = (repository.clone(), worktree.clone());
        let writers = inner.specs().into_iter().filter(|spec| spec.risk == Risk::Write);
        let writers = writers.map(|spec| spec.name).collect();
        let (seen, claims) = (Mutex::new(None), FileClaims::default());
        Self { inner, repository, worktree, keeper, seen, writers, claims }
    }

    fn may_write(&self, call: &ToolCall) -> bool {
        let specs = self.inner.specs();
        specs.iter().find(|spec| spec.name == call.tool).is_none_or(|spec| spec.risk != Risk::Read)
    }

    /// What differs from what was seen before. A worktree that cannot be looked at has no news.
    async fn look(&self, seen: &mut Option<LastLook>) -> Vec<EventKind> {
        let started = Instant::now();
        let (told, mut claimed) = (self.claims.take_told(), self.claims.files());
        let has_told = !told.is_empty();
        let dirty = match self.repository.dirty_files(&self.worktree).await {
            Ok(dirty) => dirty,
            Err(error) => {
                tracing::warn!("changed files cannot be listed: {error}");
                return Vec::new();
            }
        };
        let before = seen.as_ref().map(|seen| with_told(&seen.files, told));
        let root = self.worktree.path.clone();
        claimed.extend(self.claims.files());
        // There can be many files, on a slow disk.
        let compared = tokio::task::spawn_blocking(move || {
            let mut now = stamps(&root, &dirty, before.as_deref());
            leave_out(&claimed, before.as_deref(), &mut now);
            let events = before.map(|before| changes(&before, &now, &dirty)).unwrap_or_default();
            (now, events, dirty)
        });
        let (now, events, dirty) = match compared.await {
            Ok(compared) => compared,
            Err(error) => {
                tracing::warn!("changed files cannot be read: {error}");
                return Vec::new();
            }
        };
        if let Some(keeper) = self.keeper.as_ref().filter(|_| has_told || !events.is_empty()) {
            keeper.keep(&dirty).await;
        }
        *seen = Some(LastLook { files: Arc::new(now), at: Instant::now(), took: started.elapsed() });
        capped(events)
    }
}

/// What was seen, with what calls have told of their files since.
fn with_told(seen: &Arc<Files>, told: Files) -> Arc<Files> {
    if told.is_empty() {
        return Arc::clone(seen);
    }
    let mut files = Files::clone(seen);
    files.extend(told);
    Arc::new(files)
}

/// Files of calls in progress stay as they were: their calls tell what becomes of them.
fn leave_out(claimed: &BTreeSet<String>, before: Option<&Files>, now: &mut Files) {
    for name in claimed {
        match before.and_then(|before| before.get(name)) {
            Some(stamp) => drop(now.insert(name.clone(), *stamp)),
            None => drop(now.remove(name)),
        }
    }
}

/// The files that differ from the last commit, and those that did before.
fn stamps(root: &Path, dirty: &[DirtyFile], before: Option<&Files>) -> Files {
    let names = dirty.iter().map(|file| &file.path).chain(before.into_iter().flat_map(BTreeMap::keys));
    names.map(|name| (name.clone(), Stamp::of(&root.join(name)))).collect()
}

/// What happened between two looks. A file that nothing is known of was as the last commit has it.
fn changes(before: &Files, now: &Files, dirty: &[DirtyFile]) -> Vec<EventKind> {
    let is_new = |name: &str| dirty.iter().any(|file| file.path == name && file.is_new);
    let change = |(name, stamp): (&String, &Option<Stamp>)| {
        let existed = match before.get(name) {
            Some(then) if then == stamp => return None,
            Some(then) => then.is_some(),
            None => !is_new(name),
        };
        event(name, existed, *stamp).map(EventKind::Artifact)
    };
    now.iter().filter_map(change).collect()
}

/// Not more than people can read.
fn capped(mut events: Vec<EventKind>) -> Vec<EventKind> {
    let more = events.len().saturating_sub(MAX_NAMED);
    if more > 0 {
        events.truncate(MAX_NAMED);
        let details = Object::from_iter([(MORE_FILES.to_owned(), json!(more))]);
        let message = format!("{more} more files were changed");
        events.push(EventKind::System(SystemEvent::Warned { message, details }));
    }
    events
}

#[async_trait]
impl ToolBox for WatchedTools {
    fn specs(&self) -> Vec<ToolSpec> {
        self.inner.specs()
    }

    async fn call(&self, cx: &ToolCx, call: &ToolCall) -> ToolResult {
        let root = self.worktree.path.to_string_lossy();
        let named = match self.writers.contains(&call.tool) {
            true => named_files(&call.args, &root),
            false => Vec::new(),
        };
        if !named.is_empty() {
            let claim = self.claims.begin(call.id.as_str(), &self.worktree.path, &named);
            let result = self.inner.call(cx, call).await;
            claim.returned();
            return result;
        }
        // Without an earlier look, what a command changes looks like what was there before: a run that continues
        // after a stop may begin with this call.
        if let Ok(mut seen) = self.seen.try_lock()
            && seen.is_none()
            && self.may_write(call)
        {
            self.look(&mut seen).await;
        }
        self.inner.call(cx, call).await
    }

    fn work_area(&self) -> Option<WorkArea> {
        self.inner.work_area()
    }

    async fn file_events(&self, moment: &str) -> Vec<EventKind> {
        if moment.rsplit('/').next() == Some(REST) {
            if let Some(keeper) = &self.keeper {
                keeper.look_and_keep().await;
            }
            return Vec::new();
        }
        // Never waits: a call that is looking may belong to the very driver whose message is being taken now, and is not
        // polled until that is done. What it finds is reported with that call.
        let mut events = self.claims.settle(moment, &self.worktree.path);
        let Ok(mut seen) = self.seen.try_lock() else { return events };
        let is_end = moment.rsplit('/').next() == Some(END);
        let is_too_early = seen.as_ref().is_some_and(|seen| {
            seen.took > SHORT_LOOK && seen.at.elapsed() < seen.took.saturating_mul(PAUSE_FACTOR)
        });
        if is_too_early && !is_end {
            return events;
        }
        events.extend(self.look(&mut seen).await);
        events
    }

    fn extras(&self) -> Vec<ToolSpec> {
        self.inner.extras()
    }

    async fn permit(&self, call: &ToolCall, risk: Risk) -> ToolPermission {
        self.inner.permit(call, risk).await
    }

    async fn heard(&self) -> Message {
        self.inner.heard().await
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::event::ArtifactEvent;

    use super::*;

    fn stamp(size: u64) -> Option<Stamp> {
        Some(Stamp::sample(size))
    }

    fn dirty(names: &[(&str, bool)]) -> Vec<DirtyFile> {
        let file = |(name, is_new): &(&str, bool)| DirtyFile { path: (*name).to_owned(), is_new: *is_new };
        names.iter().map(file).collect()
    }

    fn files(all: &[(&str, Option<Stamp>)]) -> Files {
        all.iter().map(|(name, stamp)| ((*name).to_owned(), *stamp)).collect()
    }

    #[test]
    fn files_come_change_and_go_against_the_last_look_not_the_last_commit() {
        let before = files(&[("made", stamp(1)), ("same", stamp(1)), ("edited", stamp(1)), ("back", None)]);
        let now = files(&[
            ("made", None),
            ("same", stamp(1)),
            ("edited", stamp(2)),
            ("back", stamp(1)),
            ("new", stamp(5)),
            ("clean", stamp(7)),
            ("gone", None),
        ]);
        let dirty = dirty(&[("edited", false), ("new", true), ("clean", false), ("gone", false)]);
        let said: Vec<String> = changes(&before, &now, &dirty).iter().map(EventKind::summary).collect();
        assert_eq!(
            said,
            [
                "back created",
                "clean modified",
                "edited modified",
                "gone deleted",
                "made deleted",
                "new created",
            ]
        );
    }

    struct NoTools;

    #[async_trait]
    impl ToolBox for NoTools {
        fn specs(&self) -> Vec<ToolSpec> {
            Vec::new()
        }

        async fn call(&self, _: &ToolCx, call: &ToolCall) -> ToolResult {
            ToolResult::interrupted(call)
        }
    }

    /// `write` writes a file that it names, `shell` one that it does not.
    struct Writing(std::path::PathBuf);

    #[async_trait]
    impl ToolBox for Writing {
        fn specs(&self) -> Vec<ToolSpec> {
            let spec = |name: &str, risk| ToolSpec::builtin(name, "", risk, json!({"type": "object"}));
            vec![spec("write", Risk::Write), spec("shell", Risk::Execute)]
        }

        async fn call(&self, _: &ToolCx, call: &ToolCall) -> ToolResult {
            let name = call.args.get("path").or(call.args.get("command")).unwrap().as_str().unwrap();
            std::fs::write(self.0.join(name), name).unwrap();
            ToolResult::interrupted(call)
        }
    }

    fn call(id: &str, tool: &str, key: &str, file: &str) -> ToolCall {
        let args = Object::from_iter([(key.to_owned(), json!(file))]);
        let (id, tool) = (amelia_core::id::CallId::repaired(id), ToolName::repaired(tool));
        ToolCall { id, tool, args, at: None, options: amelia_core::tool::CallOptions::default() }
    }

    fn said(events: &[EventKind]) -> Vec<String> {
        events.iter().map(EventKind::summary).collect()
    }

    #[tokio::test]
    async fn a_file_belongs_to_the_call_that_made_it_also_when_nothing_was_looked_at_before() {
        let dir = sample();
        let repository = crate::place::repository(dir.path()).await.unwrap();
        let worktree = repository.in_place(amelia_git::repository::InPlace::AsItIs).await.unwrap();
        let watched =
            || WatchedTools::new(Arc::new(Writing(dir.path().to_owned())), &repository, &worktree, None);
        // As after a stop: the run has been put together anew, and begins with a call.
        for (tool, key) in [("write", "path"), ("shell", "command")] {
            let (tools, file) = (watched(), format!("by-{tool}"));
            tools.call(&ToolCx::default(), &call("c1", tool, key, &file)).await;
            assert_eq!(said(&tools.file_events("1//a/c1").await), [format!("{file} created")]);
            assert_eq!(said(&tools.file_events("1//a/end").await), [""; 0], "it is told once");
        }
        let tools = watched();
        tools.file_events("1//a/begin").await;
        tools.call(&ToolCx::default(), &call("c2", "write", "path", "of-a")).await;
        tools.call(&ToolCx::default(), &call("c3", "write", "path", "of-b")).await;
        assert_eq!(said(&tools.file_events("2//b/c3").await), ["of-b created"]);
        assert_eq!(said(&tools.file_events("1//a/c2").await), ["of-a created"]);
        assert_eq!(said(&tools.file_events("2//b/end").await), [""; 0]);
    }

    fn git(dir: &Path, arguments: &str) -> String {
        let git =
            std::process::Command::new("git").args(arguments.split(' ')).current_dir(dir).output().unwrap();
        assert!(git.status.success());
        String::from_utf8(git.stdout).unwrap()
    }

    fn sample() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        git(dir.path(), "init -q");
        git(dir.path(), "-c user.name=S -c user.email=s@s commit -q --allow-empty -m first");
        dir
    }

    #[tokio::test]
    async fn what_was_not_looked_at_is_kept_when_the_agent_stops_in_the_middle() {
        let dir = sample();
        let repository = crate::place::repository(dir.path()).await.unwrap();
        let worktree = repository.in_place(amelia_git::repository::InPlace::AsItIs).await.unwrap();
        let keeper = WorktreeSnapshots::new(&repository, &worktree);
        let tools = WatchedTools::new(Arc::new(NoTools), &repository, &worktree, Some(keeper));
        tools.file_events("1//a/begin").await;
        // A long look, so that the next one is not taken.
        tools.seen.lock().await.as_mut().unwrap().took = Duration::from_secs(60);
        std::fs::write(dir.path().join("new"), "").unwrap();
        let snapshots = || git(dir.path(), "for-each-ref refs/worktree/amelia");
        assert_eq!((tools.file_events("1//a/call").await, snapshots()), (Vec::new(), String::new()));
        assert_eq!(tools.file_events("1//a/rest").await, Vec::new());
        assert!(!snapshots().is_empty());
        assert_eq!(tools.file_events("1//a/end").await.len(), 1, "it is told at the end");
    }

    #[tokio::test]
    async fn a_look_that_is_not_polled_blocks_no_other() {
        let dir = sample();
        let repository = crate::place::repository(dir.path()).await.unwrap();
        let worktree = repository.in_place(amelia_git::repository::InPlace::AsItIs).await.unwrap();
        let tools = WatchedTools::new(Arc::new(NoTools), &repository, &worktree, None);
        let mut first = std::pin::pin!(tools.file_events("a call"));
        assert!(futures_util::poll!(&mut first).is_pending());
        assert_eq!(tools.file_events("another").await, Vec::new());
        assert_eq!(first.await, Vec::new());
    }

    #[test]
    fn more_files_than_can_be_read_are_counted() {
        let gone = |number: usize| EventKind::Artifact(ArtifactEvent::Deleted { uri: number.to_string() });
        let shown = capped((0..MAX_NAMED + 7).map(gone).collect());
        assert_eq!(shown.len(), MAX_NAMED + 1);
        assert_eq!(shown.last().map(EventKind::summary).as_deref(), Some("7 more files were changed"));
    }
}
