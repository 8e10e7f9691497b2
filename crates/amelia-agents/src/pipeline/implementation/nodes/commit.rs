//! One commit per finished task, the last one included, with the repository's own hooks. What is refused goes back to the
//! Developer, if it is about the work, then to a person. A task that changed nothing has no commit, and says so.

use std::sync::Arc;

use amelia_core::event::task::TaskRef;
use amelia_core::event::{EventKind, SystemEvent, TaskEvent};
use amelia_core::human::asks::{CHANGED_AFTER_REVIEW, COMMIT_HOOK};
use amelia_core::human::{HumanKind, HumanRequest};
use amelia_core::message::Object;
use amelia_core::text::capped;
use amelia_core::workplace::{CommitBlocker, CommitOutcome, OwnCommit};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;
use serde_json::json;

use super::commit_type::subject;
use super::{note, note_task, task_ref};
use crate::pipeline::implementation::deps::{Deps, broken};
use crate::pipeline::implementation::state::{Implementation, TaskCommit, Update};

/// Files that are named in a message.
const NAMED: usize = 5;

/// How often a commit may be refused before a person is asked: as often as the Developer can do something about it.
const fn allowed(by: CommitBlocker) -> u32 {
    match by {
        CommitBlocker::Hook => 2,
        CommitBlocker::InnerRepository | CommitBlocker::Submodule => 1,
        CommitBlocker::Signature | CommitBlocker::LostCommit => 0,
    }
}

/// The commit that ends a task.
pub struct CommitNode {
    deps: Arc<Deps>,
    is_end: bool,
}

impl CommitNode {
    /// The task is done with it.
    #[must_use]
    pub fn whole(deps: Arc<Deps>) -> Self {
        Self { deps, is_end: true }
    }

    /// The task is done when its part is merged.
    #[must_use]
    pub fn part(deps: Arc<Deps>) -> Self {
        Self { deps, is_end: false }
    }
}

#[async_trait]
impl Node<Implementation> for CommitNode {
    async fn run(&self, cx: &NodeCx, state: &Implementation) -> Result<Outcome<Update>, NodeError> {
        let Self { deps, is_end } = self;
        if cx.answered().is_some_and(|answered| !answered.is_approval()) {
            return Err(NodeError::new("commit_refused", "a person stopped the run: the commit is rejected"));
        }
        let late = self.changed_after_review(state).await?;
        if !late.is_empty() && cx.answered().is_none() {
            if state.progress.late > 0 {
                return Ok(Outcome::ask(question(cx, &late)));
            }
            let message =
                format!("{} changed after the review: it is checked and reviewed again", listed(&late));
            note(cx, EventKind::System(SystemEvent::Warned { message, details: Object::new() }));
            return Ok(Outcome::Done(vec![Update::Late]));
        }
        let task = task_ref(state)?;
        let message = message(state);
        let marker = format!("{} task {}", cx.run(), task.id);
        let mut done = TaskCommit::new(&task, None).after(&state.progress);
        match deps.place.commit(&message, &marker).await.map_err(broken)? {
            CommitOutcome::Made { commit, own, unpublished } => {
                note_commits(cx, deps, &task, &own);
                let mut own: Vec<String> = own.into_iter().map(|made| made.commit).collect();
                if own.last() == Some(&commit) {
                    own.pop();
                } else {
                    note_task(
                        cx,
                        TaskEvent::Committed { task: task.clone(), commit: commit.clone(), message },
                    );
                }
                warn_unpublished(cx, state, &unpublished);
                done = TaskCommit { commit: Some(commit), own, unpublished, ..done };
            }
            CommitOutcome::Nothing => {
                let message = format!("task {} changed nothing: there is no commit for it", task.id);
                note(cx, EventKind::System(SystemEvent::Warned { message, details: Object::new() }));
            }
            CommitOutcome::Refused { output, by } if state.progress.refusals < allowed(by) => {
                let output = deps.roles.developer.redactor.text(&capped(output.trim(), SHOWN)).into_owned();
                return Ok(Outcome::Done(vec![Update::Refused { output, by }]));
            }
            CommitOutcome::Refused { output, by } => return Ok(Outcome::ask(refused(cx, deps, &output, by))),
        }
        if *is_end {
            note_task(cx, TaskEvent::Completed(task));
        }
        Ok(Outcome::Done(vec![Update::Committed(done)]))
    }
}

/// What the Developer has committed itself is the task's, too.
fn note_commits(cx: &NodeCx, deps: &Deps, task: &TaskRef, own: &[OwnCommit]) {
    for OwnCommit { commit, subject } in own {
        let message = deps.roles.developer.redactor.text(subject).into_owned();
        note_task(cx, TaskEvent::Committed { task: task.clone(), commit: commit.clone(), message });
    }
}

/// The branch links to commits that go with the worktree, unless they are published. Said once of each.
fn warn_unpublished(cx: &NodeCx, state: &Implementation, unpublished: &[String]) {
    let is_new = |item: &&String| !state.commits.iter().any(|commit| commit.unpublished.contains(item));
    let new: Vec<&str> = unpublished.iter().filter(is_new).map(String::as_str).collect();
    if !new.is_empty() {
        let message = format!("submodules are at commits that only the worktree has: {}", new.join(", "));
        note(cx, EventKind::System(SystemEvent::Warned { message, details: Object::new() }));
    }
}

impl CommitNode {
    /// Files that have changed since the review. What a person took as it is needs no review.
    async fn changed_after_review(&self, state: &Implementation) -> Result<Vec<String>, NodeError> {
        match &state.progress.seen {
            Some(seen) if !state.progress.is_accepted => {
                Ok(self.deps.place.contents().await.map_err(broken)?.changed_since(seen))
            }
            _ => Ok(Vec::new()),
        }
    }
}

/// The first few names.
fn listed(files: &[String]) -> String {
    let names = files.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    match files.len().saturating_sub(NAMED) {
        0 => names,
        more => format!("{names} and {more} more files"),
    }
}

/// Files keep changing after reviews: a person knows why.
fn question(cx: &NodeCx, late: &[String]) -> HumanRequest {
    let prompt = format!("{} changed once more after the review: commit it as it is?", listed(late));
    let context = json!({"asks": CHANGED_AFTER_REVIEW, "files": late});
    HumanRequest { context, ..cx.request(HumanKind::Escalation, prompt) }
}

/// From the plan, or in the usual form.
fn message(state: &Implementation) -> String {
    let Some(task) = state.current() else { return String::new() };
    task.commit_message.clone().unwrap_or_else(|| subject(state, task))
}

/// What is shown of a hook's words.
const SHOWN: usize = 4000;

/// The work is kept as it is: the person fixes it, or what refuses it, and says so.
pub(super) fn refused(cx: &NodeCx, deps: &Deps, output: &str, by: CommitBlocker) -> HumanRequest {
    let output = deps.roles.developer.redactor.text(&capped(output.trim(), SHOWN)).into_owned();
    let why = match by {
        CommitBlocker::Hook => "a hook of the repository refused the commit",
        CommitBlocker::Signature => "the commit could not be signed",
        CommitBlocker::InnerRepository => {
            "there are git repositories inside the work, and a commit would hold only links to them"
        }
        CommitBlocker::Submodule => {
            "submodules have changes that are not committed inside them, and a commit would hold none of these"
        }
        CommitBlocker::LostCommit => {
            "an earlier commit of this run is missing, so nothing is committed on top"
        }
    };
    let prompt = format!("{why}; fix it, then try again?\n{output}");
    HumanRequest {
        context: json!({"asks": COMMIT_HOOK, "by": by, "output": output}),
        ..cx.request(HumanKind::Escalation, prompt)
    }
}

#[cfg(test)]
#[path = "commit_tests.rs"]
mod tests;
