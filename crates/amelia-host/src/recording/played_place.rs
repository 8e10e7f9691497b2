//! A place of work from a recording: no git, no files. It says that it is where the recorded one was.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use amelia_core::check::CheckCommand;
use amelia_core::check::CheckResult;
use amelia_core::clock::Clock;
use amelia_core::recording::{Channel, FrameSource, Playback};
use amelia_core::survey::Survey;
use amelia_core::tool::{ToolBox, ToolCx, WorkArea};
use amelia_core::workplace::{
    CommitOutcome, ConflictedMerge, ContentHashes, MergeOutcome, PushedBranch, Rights, UncommittedWork,
    Workplace, WorkplaceError, WorktreeDiff,
};
use amelia_process::Environment;
use amelia_tools::{Root, Tools, Toolset};
use async_trait::async_trait;
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use super::place::{Where, of};
use super::tools::{PlayedTools, Results};
use super::tree::RecordedTree;
use super::{name, play};

/// What all parts of a played place have in common.
pub struct PlayedWorld {
    pub playback: Arc<Playback>,
    pub results: Arc<Results>,
    pub clock: Arc<dyn Clock>,
    /// A directory for tools that are never run.
    pub nowhere: PathBuf,
    /// The last tree that the run came to, as far as it was played.
    pub tree: Mutex<Option<RecordedTree>>,
}

pub struct PlayedPlace {
    stage: Arc<PlayedWorld>,
    channel: Channel,
    at: Where,
    survey: OnceCell<Survey>,
}

impl PlayedPlace {
    /// The place of a run.
    pub async fn open(stage: Arc<PlayedWorld>, channel: Channel) -> Self {
        let at = play(&stage.playback, &channel, FrameSource::Place, "open", &Value::Null).await;
        Self { stage, channel, at, survey: OnceCell::new() }
    }

    fn part_of(&self, key: &str, at: Where) -> Arc<dyn Workplace> {
        let channel = Channel::new(Arc::clone(&self.channel.tape), format!("{}/{key}", self.channel.name));
        Arc::new(Self { stage: Arc::clone(&self.stage), channel, at, survey: OnceCell::new() })
    }

    async fn play<T: DeserializeOwned>(&self, method: &str, args: Value) -> T {
        play(&self.stage.playback, &self.channel, FrameSource::Place, method, &args).await
    }

    async fn play_tree(&self) {
        let tree: Result<Option<RecordedTree>, WorkplaceError> = self.play("tree", Value::Null).await;
        if let Ok(Some(tree)) = tree {
            *self.stage.tree.lock() = Some(tree);
        }
    }
}

#[async_trait]
impl Workplace for PlayedPlace {
    fn path(&self) -> &Path {
        &self.at.path
    }

    fn base(&self) -> &str {
        &self.at.base
    }

    fn branch(&self) -> Option<&str> {
        self.at.branch.as_deref()
    }

    fn tools(&self, rights: Rights) -> Result<Arc<dyn ToolBox>, WorkplaceError> {
        let root =
            Root::open(&self.stage.nowhere).map_err(|error| WorkplaceError(error.to_string().into()))?;
        let environment = Arc::new(Environment::new([], &[], "replay"));
        let toolset = Toolset { root: Arc::new(root), environment, base: Some(self.at.base.clone()) };
        let tools = match rights {
            Rights::Read => toolset.read_only(),
            Rights::Work => toolset.full(),
        };
        let tools = Tools::new(tools).map_err(|error| WorkplaceError(error.to_string().into()))?;
        let work_area = WorkArea::new(self.at.path.clone(), rights);
        Ok(Arc::new(PlayedTools {
            specs: tools.specs(),
            work_area,
            results: Arc::clone(&self.stage.results),
        }))
    }

    async fn prepare(&self) -> Result<(), WorkplaceError> {
        self.play("prepare", Value::Null).await
    }

    async fn survey(&self) -> Result<Survey, WorkplaceError> {
        self.survey.get_or_try_init(|| self.play("survey", Value::Null)).await.cloned()
    }

    async fn read(&self, path: &str) -> Result<Option<String>, WorkplaceError> {
        self.play("read", json!(path)).await
    }

    async fn missing_files(&self, paths: &[String]) -> Result<Vec<String>, WorkplaceError> {
        const METHOD: &str = "missing_files";
        // Older versions did not ask.
        let is_recorded = self.stage.playback.has(FrameSource::Place, &name(&self.channel, METHOD), |_| true);
        if is_recorded { self.play(METHOD, json!(paths)).await } else { Ok(Vec::new()) }
    }

    async fn write(&self, path: &str, text: &str) -> Result<(), WorkplaceError> {
        self.play("write", json!([path, text])).await
    }

    async fn keep_plan_uncommitted(&self, path: &str, _: &str) -> Result<(), WorkplaceError> {
        self.play("keep_plan_uncommitted", json!(path)).await
    }

    async fn changes(&self, without: &[String], limit: usize) -> Result<WorktreeDiff, WorkplaceError> {
        self.play("changes", json!([without, limit])).await
    }

    async fn contents(&self) -> Result<ContentHashes, WorkplaceError> {
        self.play("contents", Value::Null).await
    }

    async fn check(&self, _: &ToolCx, check: &CheckCommand) -> CheckResult {
        self.play("check", json!(check)).await
    }

    async fn commit(&self, message: &str, marker: &str) -> Result<CommitOutcome, WorkplaceError> {
        let answer: Result<CommitOutcome, WorkplaceError> =
            self.play("commit", json!([message, marker])).await;
        if matches!(answer, Ok(CommitOutcome::Made { .. })) {
            self.play_tree().await;
        }
        answer
    }

    async fn branch_off(&self, key: &str) -> Result<Arc<dyn Workplace>, WorkplaceError> {
        let at: Result<Where, WorkplaceError> = self.play(&of("branch_off", key), json!(key)).await;
        at.map(|at| self.part_of(key, at))
    }

    async fn part(&self, key: &str) -> Result<Option<Arc<dyn Workplace>>, WorkplaceError> {
        let at: Result<Option<Where>, WorkplaceError> = self.play(&of("part", key), json!(key)).await;
        at.map(|at| at.map(|at| self.part_of(key, at)))
    }

    async fn merge(
        &self,
        part: &dyn Workplace,
        message: &str,
        marker: &str,
    ) -> Result<MergeOutcome, WorkplaceError> {
        let args = json!([part.branch(), message, marker]);
        let answer: Result<MergeOutcome, WorkplaceError> = self.play("merge", args).await;
        if matches!(answer, Ok(MergeOutcome::Made { .. })) {
            self.play_tree().await;
        }
        answer
    }

    async fn start_conflicted_merge(&self, other: &dyn Workplace) -> Result<ConflictedMerge, WorkplaceError> {
        self.play("tear", json!(other.branch())).await
    }

    async fn close(&self, key: &str, unsaved: UncommittedWork) -> Result<(), WorkplaceError> {
        self.play(&of("close", key), json!([key, unsaved == UncommittedWork::Discard])).await
    }

    async fn push(&self) -> Result<PushedBranch, WorkplaceError> {
        self.play("push", Value::Null).await
    }

    async fn finish(&self) -> Result<(), WorkplaceError> {
        self.play_tree().await;
        Ok(())
    }
}
