//! A place of work whose answers are kept.

use std::path::Path;
use std::sync::Arc;

use amelia_core::check::{CheckCommand, CheckResult};
use amelia_core::recording::{Channel, FrameSource};
use amelia_core::redact::Redactor;
use amelia_core::survey::Survey;
use amelia_core::tool::{ToolBox, ToolCx};
use amelia_core::workplace::{
    CommitOutcome, ConflictedMerge, ContentHashes, MergeOutcome, PushedBranch, Rights, UncommittedWork,
    Workplace, WorkplaceError, WorktreeContents, WorktreeDiff,
};
use async_trait::async_trait;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use super::keep;
use super::tree::RecordedTree;
use crate::workplace::GitWorkplace;

/// What a place is, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Where {
    pub path: std::path::PathBuf,
    pub base: String,
    pub branch: Option<String>,
}

impl Where {
    fn of(place: &dyn Workplace) -> Self {
        let branch = place.branch().map(str::to_owned);
        Self { path: place.path().to_owned(), base: place.base().to_owned(), branch }
    }
}

/// A question about one part: parts are asked about beside each other, and their answers must not mix.
pub(super) fn of(method: &str, key: &str) -> String {
    format!("{method} {key}")
}

/// A place, and where its answers go.
pub struct TapedPlace {
    inner: Arc<dyn Workplace>,
    channel: Channel,
    redactor: Arc<Redactor>,
    /// Its base does not change: asked, and kept, once.
    survey: OnceCell<Survey>,
}

impl TapedPlace {
    /// The place of a run.
    pub(crate) fn new(inner: GitWorkplace, channel: Channel, redactor: Arc<Redactor>) -> Self {
        let inner: Arc<dyn Workplace> = Arc::new(inner);
        keep(&channel, FrameSource::Place, "open", Value::Null, &Where::of(&*inner));
        Self { inner, channel, redactor, survey: OnceCell::new() }
    }

    fn part_of(&self, key: &str, inner: Arc<dyn Workplace>) -> Self {
        let channel = Channel::new(Arc::clone(&self.channel.tape), format!("{}/{key}", self.channel.name));
        Self { inner, channel, redactor: Arc::clone(&self.redactor), survey: OnceCell::new() }
    }

    fn keep<T: Serialize + DeserializeOwned + Clone>(&self, method: &str, args: Value, answer: &T) {
        let answer = self.redactor.clean(answer.clone());
        keep(&self.channel, FrameSource::Place, method, self.redactor.clean(args), &answer);
    }

    /// What the work has come to. A place that cannot say it any more has lost nothing but that.
    async fn keep_tree(&self) {
        // Before it may be written in base64, where a secret would not be seen any more.
        let clean = |tree: WorktreeContents| WorktreeContents {
            patch: self.redactor.bytes(&tree.patch).into_owned(),
            ..tree
        };
        let tree = self.inner.tree().await.map(|tree| tree.map(clean).map(RecordedTree::from));
        self.keep("tree", Value::Null, &tree);
    }
}

#[async_trait]
impl Workplace for TapedPlace {
    fn path(&self) -> &Path {
        self.inner.path()
    }

    fn base(&self) -> &str {
        self.inner.base()
    }

    fn branch(&self) -> Option<&str> {
        self.inner.branch()
    }

    fn tools(&self, rights: Rights) -> Result<Arc<dyn ToolBox>, WorkplaceError> {
        // What they return is in the log.
        self.inner.tools(rights)
    }

    async fn prepare(&self) -> Result<(), WorkplaceError> {
        let answer = self.inner.prepare().await;
        self.keep("prepare", Value::Null, &answer);
        answer
    }

    async fn survey(&self) -> Result<Survey, WorkplaceError> {
        let asked = || async {
            // What agents read is what is kept: without secrets.
            let answer = self.redactor.clean(self.inner.survey().await);
            self.keep("survey", Value::Null, &answer);
            answer
        };
        self.survey.get_or_try_init(asked).await.cloned()
    }

    async fn read(&self, path: &str) -> Result<Option<String>, WorkplaceError> {
        let answer = self.inner.read(path).await;
        self.keep("read", json!(path), &answer);
        answer
    }

    async fn missing_files(&self, paths: &[String]) -> Result<Vec<String>, WorkplaceError> {
        let answer = self.inner.missing_files(paths).await;
        self.keep("missing_files", json!(paths), &answer);
        answer
    }

    async fn write(&self, path: &str, text: &str) -> Result<(), WorkplaceError> {
        let answer = self.inner.write(path, text).await;
        self.keep("write", json!([path, text]), &answer);
        answer
    }

    async fn keep_plan_uncommitted(&self, path: &str, text: &str) -> Result<(), WorkplaceError> {
        let answer = self.inner.keep_plan_uncommitted(path, text).await;
        self.keep("keep_plan_uncommitted", json!(path), &answer);
        answer
    }

    async fn changes(&self, without: &[String], limit: usize) -> Result<WorktreeDiff, WorkplaceError> {
        let answer = self.inner.changes(without, limit).await;
        self.keep("changes", json!([without, limit]), &answer);
        answer
    }

    async fn contents(&self) -> Result<ContentHashes, WorkplaceError> {
        let answer = self.inner.contents().await;
        self.keep("contents", Value::Null, &answer);
        answer
    }

    async fn check(&self, cx: &ToolCx, check: &CheckCommand) -> CheckResult {
        let answer = self.inner.check(cx, check).await;
        self.keep("check", json!(check), &answer);
        answer
    }

    async fn commit(&self, message: &str, marker: &str) -> Result<CommitOutcome, WorkplaceError> {
        let answer = self.inner.commit(message, marker).await;
        self.keep("commit", json!([message, marker]), &answer);
        if matches!(answer, Ok(CommitOutcome::Made { .. })) {
            self.keep_tree().await;
        }
        answer
    }

    async fn branch_off(&self, key: &str) -> Result<Arc<dyn Workplace>, WorkplaceError> {
        let part = self.inner.branch_off(key).await;
        let answer = part.as_ref().map(|part| Where::of(&**part)).map_err(Clone::clone);
        self.keep(&of("branch_off", key), json!(key), &answer);
        Ok(Arc::new(self.part_of(key, part?)))
    }

    async fn part(&self, key: &str) -> Result<Option<Arc<dyn Workplace>>, WorkplaceError> {
        let part = self.inner.part(key).await;
        let answer =
            part.as_ref().map(|part| part.as_ref().map(|part| Where::of(&**part))).map_err(Clone::clone);
        self.keep(&of("part", key), json!(key), &answer);
        Ok(part?.map(|part| Arc::new(self.part_of(key, part)) as Arc<dyn Workplace>))
    }

    async fn merge(
        &self,
        part: &dyn Workplace,
        message: &str,
        marker: &str,
    ) -> Result<MergeOutcome, WorkplaceError> {
        let answer = self.inner.merge(part, message, marker).await;
        self.keep("merge", json!([part.branch(), message, marker]), &answer);
        if matches!(answer, Ok(MergeOutcome::Made { .. })) {
            self.keep_tree().await;
        }
        answer
    }

    async fn start_conflicted_merge(&self, other: &dyn Workplace) -> Result<ConflictedMerge, WorkplaceError> {
        let answer = self.inner.start_conflicted_merge(other).await;
        self.keep("tear", json!(other.branch()), &answer);
        answer
    }

    async fn close(&self, key: &str, unsaved: UncommittedWork) -> Result<(), WorkplaceError> {
        let answer = self.inner.close(key, unsaved).await;
        self.keep(&of("close", key), json!([key, unsaved == UncommittedWork::Discard]), &answer);
        answer
    }

    /// Nothing of the run depends on it.
    async fn rest(&self) {
        self.inner.rest().await;
    }

    async fn push(&self) -> Result<PushedBranch, WorkplaceError> {
        let answer = self.inner.push().await;
        self.keep("push", Value::Null, &answer);
        answer
    }

    async fn finish(&self) -> Result<(), WorkplaceError> {
        self.keep_tree().await;
        Ok(())
    }
}
