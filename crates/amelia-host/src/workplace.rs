//! Where a run works, for real: a git worktree (or the user's checkout), and tools on it.

mod attached_files;
mod claims;
mod file_stamp;
mod made_commits;
pub(crate) mod own_edits;
mod parts;
mod plan_file;
pub(crate) mod survey;
pub(crate) mod watch;
pub(crate) mod worktree_snapshots;

use std::fmt;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use amelia_core::check::{CheckCommand, CheckResult};
use amelia_core::config::profile::Profile;
use amelia_core::id::{CallId, RunId};
use amelia_core::message::Object;
use amelia_core::problem::{Hinted, Problem};
use amelia_core::run::RunLocation;
use amelia_core::survey::Survey;
use amelia_core::text::capped;
use amelia_core::tool::{CallOptions, ToolBox, ToolCall, ToolCx, ToolName, WorkArea};
use amelia_core::workplace::{
    CommitBlocker, CommitOutcome, ConflictedMerge, ContentHashes, MergeOutcome, PushedBranch, Rights,
    UncommittedWork, Workplace, WorkplaceError, WorktreeContents, WorktreeDiff,
};
use amelia_git::commits::NewCommit;
use amelia_git::repository::InPlace;
use amelia_git::trailers::Trailers;
use amelia_git::{GitError, NewWorktree, Repository, Worktree, Worktrees};
use amelia_process::Environment;
use amelia_tools::{Root, Tools, Toolset};
use async_trait::async_trait;
use serde_json::json;

use self::attached_files::AttachedFiles;
pub(crate) use self::made_commits::LostCommit;
use self::own_edits::OwnEdits;
use self::watch::WatchedTools;
use self::worktree_snapshots::WorktreeSnapshots;

/// Bytes of a check's output that are kept.
const OUTPUT: usize = 20_000;
/// Bytes of a conflict that are shown.
const LARGEST_CONFLICT: u64 = 20_000;
/// How long the setup of a worktree may take.
const SETUP: Duration = Duration::from_secs(1800);
/// No plan or other text that we read is larger.
const LARGEST_TEXT: u64 = 4 * 1024 * 1024;

/// A worktree with everything that is needed to work in it.
pub(crate) struct GitWorkplace {
    run: RunId,
    repository: Repository,
    /// Where worktrees are made.
    worktrees: Option<Worktrees>,
    worktree: Worktree,
    environment: Arc<Environment>,
    root: Arc<Root>,
    copy_files: Vec<String>,
    setup: Vec<String>,
    trailers: Trailers,
    /// What is the user's own in their checkout; nothing in a worktree, or where it is what the work is about.
    own: Option<Arc<OwnEdits>>,
    /// Files of the issue.
    attached: Option<AttachedFiles>,
}

impl GitWorkplace {
    /// Makes the run's worktree, or finds it. One that was there and is gone (`is_known`, or remembered) is not made anew:
    /// the agents would continue as if their work were still in it.
    pub(crate) async fn open(
        place: &RunLocation,
        worktrees_dir: &Path,
        run: RunId,
        repository: Repository,
        environment: Environment,
        profile: &Profile,
        is_known: bool,
    ) -> Result<Result<Self, LostWorktree>, WorkplaceError> {
        let (worktrees, worktree) = if place.in_place {
            let checkout = repository.in_place(InPlace::AsItIs).await.map_err(broken)?;
            (None, Worktree { base_commit: place.base_commit.clone(), ..checkout })
        } else {
            let worktrees = Worktrees::new(repository.clone(), worktrees_dir).map_err(broken)?;
            let new = NewWorktree {
                run: &run.to_string(),
                key: &place.key,
                base: Some(&place.base_commit),
                branch: place.branch.as_deref(),
                start: place.start.as_deref(),
                tree: place.tree.as_deref(),
            };
            if (is_known || worktrees.was_made(&run.to_string()))
                && worktrees.find(&run.to_string()).await.map_err(broken)?.is_none()
            {
                return Ok(Err(LostWorktree(run)));
            }
            let worktree = worktrees.create(new).await.map_err(broken)?;
            worktrees.remember(&worktree).map_err(broken)?;
            (Some(worktrees), worktree)
        };
        let root = Root::open(&worktree.path)
            .map_err(|error| WorkplaceError(format!("{}: {error}", worktree.path.display()).into()))?;
        Ok(Ok(Self {
            run,
            repository,
            worktrees,
            worktree,
            environment: Arc::new(environment),
            root: Arc::new(root),
            copy_files: profile.copy_files.clone(),
            setup: profile.worktree_setup.clone(),
            trailers: trailers(profile),
            own: None,
            attached: None,
        }))
    }

    /// The same, with the user's own edits in their checkout left to them. `dir` is where they are noted.
    pub(crate) async fn sparing_own_edits(self, dir: &Path) -> Result<Self, WorkplaceError> {
        if self.worktrees.is_some() {
            return Ok(self);
        }
        let own = OwnEdits::open(dir, self.run, &self.repository, &self.worktree).await?;
        Ok(Self { own: Some(Arc::new(own)), ..self })
    }

    /// Files that are the user's own, and stay so.
    async fn own(&self) -> Result<Vec<String>, WorkplaceError> {
        match &self.own {
            Some(own) => own.untouched(&self.repository, &self.worktree).await,
            None => Ok(Vec::new()),
        }
    }

    /// Refuses when what is done here could not be committed.
    pub(crate) async fn check_identity(&self) -> Result<(), WorkplaceError> {
        self.repository.check_identity(&self.worktree).await.map_err(broken)
    }

    /// Keeps what is in a worktree; the user's own checkout is theirs.
    pub(crate) fn keeper(&self) -> Option<WorktreeSnapshots> {
        self.worktrees.is_some().then(|| WorktreeSnapshots::new(&self.repository, &self.worktree))
    }

    async fn keep(&self) {
        if let Some(keeper) = self.keeper() {
            keeper.look_and_keep().await;
        }
    }

    /// A file of the workplace; `None` when there is none.
    fn text_of(&self, path: &str) -> Result<Option<String>, WorkplaceError> {
        let refused = |error: &dyn std::fmt::Display| WorkplaceError(format!("{path}: {error}").into());
        if !self.root.exists(path).map_err(|error| refused(&error))? {
            return Ok(None);
        }
        let file = self.root.file(path).map_err(|error| refused(&error))?;
        let mut bytes = Vec::new();
        file.take(LARGEST_TEXT).read_to_end(&mut bytes).map_err(|error| refused(&error))?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Writes a file, and the directories above it; says where it is.
    fn put(&self, path: &str, text: &str) -> Result<String, WorkplaceError> {
        match self.root.write(path, text.as_bytes()) {
            Ok(written) => Ok(written.path.to_string()),
            Err(error) => Err(WorkplaceError(format!("{path}: {error}").into())),
        }
    }

    fn toolset(&self) -> Toolset {
        Toolset {
            root: Arc::clone(&self.root),
            environment: Arc::clone(&self.environment),
            base: Some(self.worktree.base_commit.clone()),
        }
    }
}

/// The worktree of a run was removed, and the run still needs it.
#[derive(Debug)]
pub(crate) struct LostWorktree(RunId);

impl std::error::Error for LostWorktree {}

impl fmt::Display for LostWorktree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the worktree of run {} is gone, and uncommitted changes with it", self.0)
    }
}

impl Hinted for LostWorktree {
    fn hint(&self) -> Option<String> {
        let run = self.0;
        Some(format!(
            "`amelia worktree restore {run}` creates it again from the commits of its branch; or cancel the run"
        ))
    }
}

/// What the profile wants at the end of commit messages.
pub(crate) fn trailers(profile: &Profile) -> Trailers {
    Trailers { sign_off: profile.sign_off, co_author: profile.co_author.clone() }
}

fn broken(error: GitError) -> WorkplaceError {
    // It was one when the run began.
    let error = match error {
        GitError::NotARepository { path } => GitError::Broken { path },
        other => other,
    };
    WorkplaceError(error.into())
}

#[async_trait]
impl Workplace for GitWorkplace {
    fn path(&self) -> &Path {
        &self.worktree.path
    }

    fn base(&self) -> &str {
        &self.worktree.base_commit
    }

    fn branch(&self) -> Option<&str> {
        self.worktree.branch.as_deref()
    }

    fn tools(&self, rights: Rights) -> Result<Arc<dyn ToolBox>, WorkplaceError> {
        let tools = match rights {
            Rights::Read => self.toolset().read_only(),
            Rights::Work => {
                self.own.as_ref().map_or(Ok(()), |own| own.begin())?;
                self.toolset().full()
            }
        };
        let tools = Tools::new(tools).map_err(|error| WorkplaceError(error.to_string().into()))?;
        let tools: Arc<dyn ToolBox> = Arc::new(tools.on(WorkArea::new(self.path().to_owned(), rights)));
        Ok(match rights {
            Rights::Read => tools,
            Rights::Work => {
                Arc::new(WatchedTools::new(tools, &self.repository, &self.worktree, self.keeper()))
            }
        })
    }

    async fn prepare(&self) -> Result<(), WorkplaceError> {
        self.put_attachments().await?;
        // The user's own checkout is as they made it.
        if self.worktrees.is_none() || self.worktree.is_prepared() {
            return Ok(());
        }
        self.repository.copy_files(&self.worktree, &self.copy_files).await.map_err(broken)?;
        for command in &self.setup {
            self.repository.setup(&self.worktree, command, SETUP).await.map_err(broken)?;
        }
        self.worktree.set_prepared().map_err(broken)
    }

    async fn survey(&self) -> Result<Survey, WorkplaceError> {
        survey::survey(&self.repository, &self.worktree.base_commit).await.map_err(broken)
    }

    async fn read(&self, path: &str) -> Result<Option<String>, WorkplaceError> {
        self.text_of(path)
    }

    async fn missing_files(&self, paths: &[String]) -> Result<Vec<String>, WorkplaceError> {
        // A path that cannot be looked at is for the agent that needs it.
        let is_missing = |path: &&String| matches!(self.root.exists(path.as_str()), Ok(false));
        Ok(paths.iter().filter(is_missing).cloned().collect())
    }

    async fn write(&self, path: &str, text: &str) -> Result<(), WorkplaceError> {
        let written = self.put(path, text)?;
        self.keep().await;
        self.own.as_ref().map_or(Ok(()), |own| own.written(&written))
    }

    async fn keep_plan_uncommitted(&self, path: &str, text: &str) -> Result<(), WorkplaceError> {
        self.keep_plan(path, text).await
    }

    async fn changes(&self, without: &[String], limit: usize) -> Result<WorktreeDiff, WorkplaceError> {
        let limit = u64::try_from(limit).unwrap_or(u64::MAX);
        let own = self.own().await?;
        let without = &[without, own.as_slice()].concat();
        let diff = self.repository.diff_without(&self.worktree, without, limit).await.map_err(broken)?;
        let files = self.repository.diff_stat(&self.worktree).await.map_err(broken)?;
        let files = files.into_iter().map(|file| file.path).filter(|path| !without.contains(path)).collect();
        Ok(WorktreeDiff { text: diff.text, is_cut: diff.is_cut, files })
    }

    async fn contents(&self) -> Result<ContentHashes, WorkplaceError> {
        let on = self.repository.head(&self.worktree).await.map_err(broken)?;
        let files = self.repository.contents(&self.worktree).await.map_err(broken)?;
        Ok(ContentHashes { on, files })
    }

    async fn check(&self, cx: &ToolCx, check: &CheckCommand) -> CheckResult {
        let started = Instant::now();
        let result = |passed, exit_code, timed_out, output: &str| CheckResult {
            name: check.name.clone(),
            command: check.command.clone(),
            passed,
            exit_code,
            timed_out,
            interrupted: false,
            output: capped(output, OUTPUT),
            duration_ms: started.elapsed().as_millis().try_into().unwrap_or(u64::MAX),
        };
        let (tools, id) = match (self.tools(Rights::Work), CallId::new("check")) {
            (Ok(tools), Ok(id)) => (tools, id),
            (Err(error), _) => return result(false, None, false, &Problem::from(error).to_text()),
            (_, Err(error)) => return result(false, None, false, &error.to_string()),
        };
        let timeout = check.timeout.clamp(1, 3600);
        let args = Object::from_iter([
            ("command".to_owned(), json!(check.command)),
            ("timeout_seconds".to_owned(), json!(timeout)),
        ]);
        let call = ToolCall {
            id,
            tool: ToolName::builtin("shell"),
            args,
            at: None,
            options: CallOptions::default(),
        };
        let done = tools.call(cx, &call).await;
        self.keep().await;
        let took_all = done.duration_ms.is_some_and(|took| took >= timeout.saturating_mul(1000));
        let timed_out = done.exit_code.is_none() && took_all;
        let mut output = done.output;
        if let Some(error) = done.error.as_deref().filter(|_| done.exit_code.is_none()) {
            output.push_str(&format!("\n[{error}]"));
        }
        result(done.exit_code == Some(0), done.exit_code, timed_out, &output)
    }

    async fn commit(&self, message: &str, marker: &str) -> Result<CommitOutcome, WorkplaceError> {
        if let Err(LostCommit(problem)) = self.check_commits().await? {
            let output = problem.to_text();
            return Ok(CommitOutcome::Refused { output, by: CommitBlocker::LostCommit });
        }
        let own = self.own().await?;
        let trailers = &self.repository.trailer_lines(&self.trailers).await.map_err(broken)?;
        let commit = NewCommit { message, marker, trailers };
        let done = self.repository.commit_without(&self.worktree, commit, &own).await;
        let done = done.map_err(broken)?;
        Ok(match done {
            CommitOutcome::Made { commit, .. } => self.made(Some(commit)).await?,
            CommitOutcome::Nothing => self.made(None).await?,
            refused @ CommitOutcome::Refused { .. } => refused,
        })
    }

    async fn branch_off(&self, key: &str) -> Result<Arc<dyn Workplace>, WorkplaceError> {
        let head = self.repository.head(&self.worktree).await.map_err(broken)?;
        let (name, branch) = (self.part_name(key), self.part_branch(key));
        let new = NewWorktree {
            run: &name,
            key: &branch,
            base: Some(&head),
            branch: None,
            start: None,
            tree: None,
        };
        let worktrees = self.divisible()?;
        let worktree = worktrees.create(new).await.map_err(broken)?;
        worktrees.remember(&worktree).map_err(broken)?;
        Ok(Arc::new(self.at(worktree)?))
    }

    async fn part(&self, key: &str) -> Result<Option<Arc<dyn Workplace>>, WorkplaceError> {
        let found = self.divisible()?.find(&self.part_name(key)).await.map_err(broken)?;
        match found {
            Some(worktree) => {
                let part = self.at(worktree)?;
                // One that was made anew has nothing but what git keeps.
                part.prepare().await?;
                Ok(Some(Arc::new(part)))
            }
            None => Ok(None),
        }
    }

    async fn merge(
        &self,
        part: &dyn Workplace,
        message: &str,
        marker: &str,
    ) -> Result<MergeOutcome, WorkplaceError> {
        let branch = parts::branch_of(part)?;
        self.check_commits().await?.map_err(WorkplaceError::from)?;
        self.like(part)?.check_commits().await?.map_err(WorkplaceError::from)?;
        let trailers = &self.repository.trailer_lines(&self.trailers).await.map_err(broken)?;
        let commit = NewCommit { message, marker, trailers };
        let merged = self.repository.merge(&self.worktree, branch, commit).await.map_err(broken)?;
        if let MergeOutcome::Made { commit } = &merged {
            self.note_commit(commit)?;
        }
        Ok(merged)
    }

    async fn start_conflicted_merge(&self, other: &dyn Workplace) -> Result<ConflictedMerge, WorkplaceError> {
        let branch = parts::branch_of(other)?;
        self.repository.open_merge(&self.worktree, branch, LARGEST_CONFLICT).await.map_err(broken)
    }

    async fn close(&self, key: &str, unsaved: UncommittedWork) -> Result<(), WorkplaceError> {
        self.divisible()?.close(&self.part_name(key), &self.worktree, unsaved).await.map_err(broken)
    }

    async fn tree(&self) -> Result<Option<WorktreeContents>, WorkplaceError> {
        self.repository.tree(&self.worktree).await.map(Some).map_err(broken)
    }

    async fn rest(&self) {
        self.keep().await;
        if let Some(own) = &self.own
            && let Err(error) = own.rest(&self.repository, &self.worktree).await
        {
            tracing::warn!("the state of the checkout was not saved: {error}");
        }
    }

    async fn push(&self) -> Result<PushedBranch, WorkplaceError> {
        self.check_commits().await?.map_err(WorkplaceError::from)?;
        self.repository.push(&self.worktree).await.map_err(broken)
    }
}
