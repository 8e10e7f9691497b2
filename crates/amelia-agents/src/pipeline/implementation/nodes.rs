//! The work, one file per node.

pub mod approve;
pub mod check;
mod clarify;
pub mod commit;
mod commit_type;
pub mod develop;
pub mod divide;
pub mod evaluate;
pub mod finish;
pub mod hearing;
pub mod in_task;
pub mod lane;
pub mod merge;
mod outgoing;
pub mod plan;
pub mod review;
pub mod start;
pub(crate) mod steps;
pub mod tidy;
pub mod validate;

use amelia_core::event::task::TaskRef;
use amelia_core::event::{EventKind, TaskEvent};
use amelia_core::id::AgentName;
use amelia_core::plan::markdown::section;
use amelia_core::workplace::WorktreeDiff;
use amelia_graph::node::{NodeCx, NodeError};

use super::deps::{Deps, broken};
use super::state::{Implementation, Update};
use crate::conversation::{last_output, rebuild};
use crate::remark::{PersonRemark, known_ids, once, remarks, remarks_to_all};

/// Bytes of a diff that fit a prompt.
pub(super) const DIFF: usize = 200_000;

/// The current task, as events name it.
fn task_ref(state: &Implementation) -> Result<TaskRef, NodeError> {
    let tasks = state.tasks();
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    let task = tasks
        .get(state.task)
        .ok_or_else(|| NodeError::new("no_task", "the plan has no task left to work on"))?;
    Ok(TaskRef {
        id: task.id.clone(),
        title: task.title.clone(),
        index: number(state.task),
        total: number(tasks.len()),
    })
}

/// The current task, unless it is only there because changes are reviewed without a plan.
fn planned_task(state: &Implementation) -> Option<TaskRef> {
    state.issue.as_ref().and_then(|_| task_ref(state).ok())
}

/// What the plan says of the current task; nothing when changes are reviewed without a plan.
fn task_text(state: &Implementation) -> Option<&str> {
    state.issue.as_ref()?;
    section(&state.draft.as_ref()?.markdown, &state.current()?.id)
}

/// What the person has said about the plan before they approved it: in the Architect's conversation, and when they sent
/// it back.
async fn told_about_plan(
    cx: &NodeCx,
    deps: &Deps,
    state: &Implementation,
) -> Result<Vec<PersonRemark>, NodeError> {
    let thread = cx.thread(plan::THREAD);
    let mut told = remarks(&rebuild(thread.past().await?, &deps.roles.architect.name));
    told.extend(state.plan_remarks.iter().cloned());
    Ok(told)
}

/// What the person has said about the work since: in earlier tasks and to other agents, in the Developer's conversation,
/// when they let the current task continue, and in this visit.
async fn told_about_work(
    cx: &NodeCx,
    deps: &Deps,
    state: &Implementation,
) -> Result<Vec<PersonRemark>, NodeError> {
    let mut told = state.told.clone();
    if let Ok(task) = task_ref(state) {
        let thread = task_thread(cx, state, &task);
        told.extend(remarks(&rebuild(thread.past().await?, &deps.roles.developer.name)));
    }
    told.extend(state.progress.told.iter().cloned());
    told.extend(remarks_to_all(cx.recorded().await?));
    Ok(told)
}

/// All of it for those who judge the work: about the plan, when they approved it, and since.
async fn told(cx: &NodeCx, deps: &Deps, state: &Implementation) -> Result<Vec<PersonRemark>, NodeError> {
    let note = state.note.as_deref().and_then(|note| PersonRemark::new("", note));
    let plan = told_about_plan(cx, deps, state).await?;
    let work = told_about_work(cx, deps, state).await?;
    Ok(once(plan.into_iter().chain(note).chain(work)))
}

/// The same for the Developer, whose task comes with what was said when the plan was approved.
async fn told_to_developer(
    cx: &NodeCx,
    deps: &Deps,
    state: &Implementation,
) -> Result<Vec<PersonRemark>, NodeError> {
    let plan = told_about_plan(cx, deps, state).await?;
    Ok(once(plan.into_iter().chain(told_about_work(cx, deps, state).await?)))
}

/// The person took something as it is: later tasks must not undo it.
fn taken_as_it_is(cx: &NodeCx) -> Option<Update> {
    let answered = cx.answered()?;
    let (asked, words) = (answered.request.prompt.clone(), answered.reply.message.clone());
    Some(Update::TakenAsItIs { asked, words })
}

/// A conversation of this visit alone. It hears what the person answered to the visit, unless it has come to its end:
/// then the question was about something else.
async fn own_conversation(cx: &NodeCx, key: &str, agent: &AgentName) -> Result<NodeCx, NodeError> {
    let own = cx.child(key, cx.domain());
    let is_at_end = last_output(own.past().await?, own.step(), agent).is_some();
    Ok(if is_at_end { own } else { own.with_answer_to(cx) })
}

/// Everything that has changed, but for the plan; as much of it as fits.
async fn changes(deps: &Deps, state: &Implementation) -> Result<WorktreeDiff, NodeError> {
    let plan = [state.plan_path.clone()];
    let without = if state.plan_path.is_empty() { &[][..] } else { &plan[..] };
    deps.place.changes(without, DIFF).await.map_err(broken)
}

/// The design that the plan was to follow.
fn design_text(state: &Implementation) -> Option<&str> {
    state.wanted.design.as_ref().map(|design| design.content.as_str())
}

/// The patch that was given for a review, as much of it as fits.
fn given_patch(state: &Implementation) -> Option<WorktreeDiff> {
    let given = state.wanted.patch.as_ref()?;
    let text: String = given.chars().take(DIFF).collect();
    Some(WorktreeDiff { is_cut: text.len() < given.len(), text, files: Vec::new() })
}

/// The titles of all tasks but the current one.
fn other_tasks(state: &Implementation) -> Vec<&str> {
    let others = state.tasks().into_iter().enumerate().filter(|(place, _)| *place != state.task);
    others.map(|(_, task)| task.title.as_str()).collect()
}

/// The files that the current task is about, by the plan.
fn task_files(state: &Implementation) -> Vec<String> {
    state.current().into_iter().flat_map(|task| &task.files).map(|file| file.path.clone()).collect()
}

/// Goes into the log with the end of the visit.
fn note(cx: &NodeCx, kind: EventKind) {
    cx.note(vec![cx.draft(&AgentName::system(), kind)]);
}

fn note_task(cx: &NodeCx, event: TaskEvent) {
    note(cx, EventKind::Task(event));
}

/// What the person has said on their own and no Developer has heard or received; nothing when the log has no conversation
/// of a Developer, as that of a late fork.
async fn unfollowed(cx: &NodeCx, deps: &Deps, state: &Implementation) -> Result<Vec<String>, NodeError> {
    let own = |remark: &&PersonRemark| remark.asked.is_empty() && !remark.id.is_empty();
    if !state.told.iter().any(|remark| own(&remark)) {
        return Ok(Vec::new());
    }
    let mut said = Vec::new();
    for task in state.tasks() {
        for thread in [cx.thread(&first_thread(&task.id)), cx.thread(&second_thread(&task.id))] {
            said.extend(rebuild(thread.past().await?, &deps.roles.developer.name));
        }
    }
    let known = known_ids(&said);
    let unknown =
        state.told.iter().filter(own).filter(|remark| !said.is_empty() && !known.contains(&remark.id));
    Ok(unknown.map(|remark| remark.words.clone()).collect())
}

/// The conversation of the Developer on one task: its review comments come back into the same. A task that is done again
/// from the start begins a new one.
fn task_thread(cx: &NodeCx, state: &Implementation, task: &TaskRef) -> NodeCx {
    match state.lanes.alone.contains(&state.task) {
        true => cx.thread(&second_thread(&task.id)),
        false => cx.thread(&first_thread(&task.id)),
    }
}

fn first_thread(task: &str) -> String {
    format!("task {task}")
}

fn second_thread(task: &str) -> String {
    format!("task {task} again")
}

#[cfg(test)]
#[path = "nodes_tests.rs"]
mod tests;
