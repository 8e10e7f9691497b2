//! Tools that know what became of files: after a call that may write, the worktree is compared with what it was before,
//! and what it holds is kept for forks.
//!
//! Compares names and times, never content. In a large repository that takes its time, so it is not done more often than
//! a fifth of the time allows; what was left out is found the next time, at the latest at the end of a conversation. What
//! a conversation leaves that stops in the middle is kept then.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use amelia_agents::agent::{END, REST};
use amelia_core::event::{ArtifactEvent, EventKind, SystemEvent};
use amelia_core::message::{Artifact, Message, Object};
use amelia_core::tool::{Risk, ToolBox, ToolCall, ToolCx, ToolPermission, ToolResult, ToolSpec, WorkArea};
use amelia_git::status::DirtyFile;
use amelia_git::{Repository, Worktree};
use async_trait::async_trait;
use serde_json::json;
use tokio::sync::Mutex;

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
    seen: Mutex<Option<Seen>>,
}

/// The worktree as it was looked at last.
struct Seen {
    /// Files that differed from the last commit then.
    files: Arc<Files>,
    at: Instant,
    took: Duration,
}

/// Files by their names; `None` is one that is gone.
type Files = BTreeMap<String, Option<Stamp>>;

/// By what a change of a file is noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: (i64, i64),
    size: u64,
    inode: u64,
    mode: u32,
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let found = path.symlink_metadata().ok()?;
        let modified = (found.mtime(), found.mtime_nsec());
        Some(Self { modified, size: found.len(), inode: found.ino(), mode: found.mode() })
    }
}

impl WatchedTools {
    pub(super) fn new(
        inner: Arc<dyn ToolBox>,
        repository: &Repository,
        worktree: &Worktree,
        keeper: Option<WorktreeSnapshots>,
    ) -> Self {
        let (repository, worktree) = (repository.clone(), worktree.clone());
        Self { inner, repository, worktree, keeper, seen: Mutex::new(None) }
    }

    /// What differs from what was seen before. A worktree that cannot be looked at has no news.
    async fn look(&self, seen: &mut Option<Seen>) -> Vec<EventKind> {
        let started = Instant::now();
        let dirty = match self.repository.dirty_files(&self.worktree).await {
            Ok(dirty) => dirty,
            Err(error) => {
                tracing::warn!("changed files cannot be listed: {error}");
                return Vec::new();
            }
        };
        let before = seen.as_ref().map(|seen| Arc::clone(&seen.files));
        let root = self.worktree.path.clone();
        // There can be many files, on a slow disk.
        let compared = tokio::task::spawn_blocking(move || {
            let now = stamps(&root, &dirty, before.as_deref());
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
        if let Some(keeper) = self.keeper.as_ref().filter(|_| !events.is_empty()) {
            keeper.keep(&dirty).await;
        }
        *seen = Some(Seen { files: Arc::new(now), at: Instant::now(), took: started.elapsed() });
        capped(events)
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

fn event(name: &str, existed: bool, stamp: Option<Stamp>) -> Option<ArtifactEvent> {
    let uri = name.to_owned();
    match (existed, stamp) {
        (false, None) => None,
        (true, None) => Some(ArtifactEvent::Deleted { uri }),
        (true, Some(Stamp { modified: (seconds, nanos), size, .. })) => {
            let changes = Object::from_iter([("size_bytes".to_owned(), json!(size))]);
            Some(ArtifactEvent::Modified { uri, version: format!("{seconds}.{nanos:09}"), changes })
        }
        (false, Some(stamp)) => Some(ArtifactEvent::Created(Artifact {
            mime_type: mime_type(name).to_owned(),
            uri,
            size_bytes: Some(stamp.size),
            description: None,
            version: None,
            checksum: None,
            metadata: Object::new(),
            created_by: None,
            tags: Vec::new(),
        })),
    }
}

/// By its name alone.
fn mime_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("gif") => "image/gif",
        Some("pdf") => "application/pdf",
        Some("json") => "application/json",
        Some("html") => "text/html",
        Some("md") => "text/markdown",
        Some("zip" | "gz" | "xz" | "zst" | "so" | "o" | "a" | "wasm" | "bin" | "exe") => {
            "application/octet-stream"
        }
        Some(_) | None => "text/plain",
    }
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
        // polled until that is done. What it finds is told with that call.
        let Ok(mut seen) = self.seen.try_lock() else { return Vec::new() };
        let is_end = moment.rsplit('/').next() == Some(END);
        let is_too_early = seen.as_ref().is_some_and(|seen| {
            seen.took > SHORT_LOOK && seen.at.elapsed() < seen.took.saturating_mul(PAUSE_FACTOR)
        });
        if is_too_early && !is_end {
            return Vec::new();
        }
        self.look(&mut seen).await
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
    use super::*;

    fn stamp(size: u64) -> Option<Stamp> {
        Some(Stamp { modified: (1, 2), size, inode: 3, mode: 4 })
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
