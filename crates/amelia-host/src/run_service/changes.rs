//! What a run has changed: as its worktree stands, or as its commits say, which outlive the worktree.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use amelia_agents::pipeline::implementation::state::{Implementation, TaskCommit};
use amelia_core::event::{EventKind, TaskEvent};
use amelia_core::id::Seq;
use amelia_core::problem::Problem;
use amelia_core::run::{RunLocation, RunStatus};
use amelia_core::store::{CheckpointAt, Store};
use amelia_core::view::RunRow;
use amelia_core::workplace::FileChange;
use amelia_git::{GitError, Repository, Worktree};
use amelia_orchestrator::service::ServiceError;
use amelia_orchestrator::service::{DiffDetail, DiffRange, RunDiff, RunWorktree};
use anyhow::Result;

use crate::home::Home;
use crate::pipelines;
use crate::place;
use crate::workplace::own_edits;

/// Facts that are read from a log at once.
const PAGE: usize = 1000;

pub(super) async fn changes(
    home: &Home,
    store: &dyn Store,
    row: &RunRow,
    extent: &DiffRange,
    detail: DiffDetail,
) -> Result<RunDiff> {
    let place = place::of(row)?;
    if place::was_unchanged(home, row.run.id) {
        return Ok(nothing_in(&place.repository));
    }
    let worktree = place::look_for(place, home, row.run.id).await?;
    let steps = match (extent, &worktree) {
        // What is in the user's own checkout besides is theirs.
        (DiffRange::Now, Some(_)) if place.in_place && is_implemented(row)? => {
            let last = last_commit(home, store, row).await?;
            last.map(|last| (place.base_commit.clone(), last)).into_iter().collect()
        }
        (DiffRange::Now, Some(worktree)) => match as_it_stands(home, row, worktree, detail).await {
            // It was removed in this moment.
            Err(_) if place::was_unchanged(home, row.run.id) => return Ok(nothing_in(&place.repository)),
            looked => return looked,
        },
        (DiffRange::Now, None) => {
            let mut steps = committed(place, &state(store, row).await?.unwrap_or_default());
            let repository = place::look(&place.repository).await?;
            let branch = place.branch.clone().or_else(|| place::kept_branch(home, row.run.id));
            let is_there = match &branch {
                Some(branch) => repository.branch_tip(branch).await.is_ok(),
                None => false,
            };
            // What one agent has changed is in no task. After a merge, the branch may be gone.
            match (steps.is_empty(), branch.filter(|_| is_there), &row.view.merged) {
                (true, Some(branch), _) => steps.push((place.base_commit.clone(), branch)),
                (true, None, Some(merged)) => steps.push((merged.before.clone(), merged.commit.clone())),
                (true, None, None) => steps.extend(noted_step(home, row, place, &repository).await),
                (false, ..) => {}
            }
            match (steps.is_empty(), row.view.status) {
                // Its worktree and its branch had nothing, so they were removed.
                (true, RunStatus::Completed) => return Ok(nothing_in(&place.repository)),
                (true, _) => return Err(place::missing(row.run.id)),
                (false, _) => steps,
            }
        }
        (DiffRange::At(seq), _) => {
            let made = made_until(store, row, *seq).await?;
            last_of(&made).map(|last| (place.base_commit.clone(), last)).into_iter().collect()
        }
        (DiffRange::Task(task), _) => of_task(store, row, task).await?,
    };
    let repository = place::look(&place.repository).await?;
    let mut changes = between(&repository, &steps, detail).await?;
    match worktree {
        Some(worktree) => (changes.branch, changes.worktree) = (worktree.branch, worktree.path),
        None => changes.branch = branch_still_there(home, store, row, &repository).await?,
    }
    Ok(changes)
}

/// To the last commit that was noted of a run whose branch is gone, too, if git still has it.
async fn noted_step(
    home: &Home,
    row: &RunRow,
    place: &RunLocation,
    repository: &Repository,
) -> Option<(String, String)> {
    let last = place::noted_commit(home, row.run.id).filter(|last| *last != place.base_commit)?;
    let last = repository.commit(&last).await.ok()?;
    Some((place.base_commit.clone(), last))
}

/// The branch of a run whose worktree is gone.
pub(super) async fn branch_after_cleanup(
    home: &Home,
    store: &dyn Store,
    row: &RunRow,
    repository: &Repository,
) -> Result<Option<String>> {
    let place = place::of(row)?;
    if let Some(kept) = place::kept_branch(home, row.run.id) {
        return Ok(Some(kept));
    }
    match last_commit(home, store, row).await? {
        Some(last) => {
            let found = place::refused(repository.branch_at(&last).await)?;
            // After a fast-forward, the branch of the user ends there, too.
            Ok(found.filter(|name| Some(name) != place.base_branch.as_ref()))
        }
        None => Ok(place.branch.clone()),
    }
}

/// The same, unless it was deleted.
async fn branch_still_there(
    home: &Home,
    store: &dyn Store,
    row: &RunRow,
    repository: &Repository,
) -> Result<Option<String>> {
    let Some(name) = branch_after_cleanup(home, store, row, repository).await? else { return Ok(None) };
    match repository.branch_tip(&name).await {
        Err(GitError::NoBranch { .. }) => Ok(None),
        tip => place::refused(tip).map(|_| Some(name)),
    }
}

/// Where a run works, by what was noted of it.
pub(super) fn whereabouts(home: &Home, row: &RunRow) -> RunWorktree {
    match &row.run.spec.place {
        None => RunWorktree::default(),
        Some(place) if place.in_place => {
            RunWorktree { worktree: Some(place.repository.clone()), branch: place.branch.clone() }
        }
        Some(place) => {
            let noted = place::noted(home, row.run.id);
            let (worktree, branch) = noted.map(|noted| (noted.path, noted.branch)).unzip();
            let branch = branch.flatten().or_else(|| place::kept_branch(home, row.run.id));
            RunWorktree { worktree, branch: branch.or_else(|| place.branch.clone()) }
        }
    }
}

/// From issue to commits, to its end: nothing of it is left that is not committed.
fn is_implemented(row: &RunRow) -> Result<bool> {
    let is_over = matches!(row.view.status, RunStatus::Completed | RunStatus::Cancelled);
    Ok(is_over && pipelines::of(row)?.has_plan())
}

async fn as_it_stands(home: &Home, row: &RunRow, worktree: &Worktree, detail: DiffDetail) -> Result<RunDiff> {
    let place = place::of(row)?;
    let own = match place.in_place {
        true => {
            let repository = place::look(&place.repository).await?;
            own_edits::looked_at(&home.own_edits(), row.run.id, &repository, worktree).await?
        }
        false => Vec::new(),
    };
    let (diff, is_cut) = match detail {
        DiffDetail::Files => (String::new(), false),
        DiffDetail::Whole => {
            let diff = place::diff(place, worktree, &own).await?;
            (diff.text, diff.is_cut)
        }
    };
    let files = place::diff_stat(place, worktree).await?;
    let files: Vec<FileChange> = files.into_iter().filter(|change| !own.contains(&change.path)).collect();
    let uncommitted = uncommitted(place, worktree, &files).await?;
    let Worktree { branch, path: worktree, .. } = worktree.clone();
    Ok(RunDiff { diff, is_cut, files, uncommitted, branch, worktree, merged_into: None })
}

/// How many of these files the last commit does not have as they are.
async fn uncommitted(place: &RunLocation, worktree: &Worktree, files: &[FileChange]) -> Result<usize> {
    if files.is_empty() {
        return Ok(0);
    }
    let repository = place::look(&place.repository).await?;
    let dirty = place::refused(repository.dirty_files(worktree).await)?;
    let dirty: HashSet<String> = dirty.into_iter().map(|file| file.path).collect();
    Ok(files.iter().filter(|file| dirty.contains(&file.path)).count())
}

fn nothing_in(repository: &Path) -> RunDiff {
    RunDiff {
        diff: String::new(),
        is_cut: false,
        files: Vec::new(),
        uncommitted: 0,
        branch: None,
        worktree: repository.to_owned(),
        merged_into: None,
    }
}

/// What these steps from commit to commit have changed, one after the other.
async fn between(repository: &Repository, steps: &[(String, String)], detail: DiffDetail) -> Result<RunDiff> {
    let mut all = nothing_in(repository.root());
    for (from, to) in steps {
        if detail == DiffDetail::Whole {
            let room = place::LARGEST_DIFF.saturating_sub(all.diff.len() as u64);
            let diff = place::refused(repository.diff_between(from, to, room).await)?;
            all.diff.push_str(&diff.text);
            all.is_cut |= diff.is_cut;
        }
        let files = place::refused(repository.diff_stat_between(from, to).await)?;
        all.files.extend(files);
    }
    Ok(all)
}

/// The last commit of a run's tasks; of a run without tasks, the last one that was noted.
pub(super) async fn last_commit(home: &Home, store: &dyn Store, row: &RunRow) -> Result<Option<String>> {
    let of_tasks = last_of(&commits(store, row).await?);
    Ok(of_tasks.or_else(|| place::noted_commit(home, row.run.id)))
}

/// The finished tasks of a run, in the order of their commits.
async fn commits(store: &dyn Store, row: &RunRow) -> Result<Vec<TaskCommit>> {
    Ok(state(store, row).await?.map(|state| state.commits).unwrap_or_default())
}

pub(super) async fn state(store: &dyn Store, row: &RunRow) -> Result<Option<Implementation>> {
    let Some(loaded) = store.load(row.run.id, CheckpointAt::Latest).await? else { return Ok(None) };
    pipelines::of(row)?.implementation(&loaded)
}

/// What a run has committed: on its branch, and in tasks beside each other that are not merged yet.
fn committed(place: &RunLocation, state: &Implementation) -> Vec<(String, String)> {
    let whole = last_of(&state.commits).map(|last| (place.base_commit.clone(), last));
    let parts = state.lanes.open.values().filter_map(|lane| lane.done.clone());
    whole.into_iter().chain(parts.flat_map(each_of)).collect()
}

/// From the commit before to each of a task's.
fn each_of(made: TaskCommit) -> impl Iterator<Item = (String, String)> {
    made.own.into_iter().chain(made.commit).map(|commit| (format!("{commit}^"), commit))
}

fn last_of(commits: &[TaskCommit]) -> Option<String> {
    commits.iter().rev().find_map(|commit| commit.commit.clone())
}

/// The tasks that were finished when the log ended at `until`. What a fork brought along was finished before it began.
async fn made_until(store: &dyn Store, row: &RunRow, until: Seq) -> Result<Vec<TaskCommit>> {
    let made = commits(store, row).await?;
    let (mut committed, mut completed) = (HashMap::new(), HashMap::new());
    let mut after = Seq::START;
    loop {
        let page = store.events(row.run.id, after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        for event in page {
            match event.draft.kind {
                EventKind::Task(TaskEvent::Committed { commit, .. }) => {
                    committed.insert(commit, event.seq);
                }
                EventKind::Task(TaskEvent::Completed(task)) => {
                    completed.insert(task.id, event.seq);
                }
                _ => {}
            }
        }
    }
    // What was done beside other work is there once it is merged, and only then is its task completed.
    let since = |made: &TaskCommit| {
        let of_commit = made.commit.as_ref().and_then(|commit| committed.get(commit));
        of_commit.or_else(|| completed.get(&made.task)).copied().unwrap_or_default()
    };
    Ok(made.into_iter().filter(|made| since(made) <= until).collect())
}

/// From the commit before to each of a task's.
async fn of_task(store: &dyn Store, row: &RunRow, task: &str) -> Result<Vec<(String, String)>> {
    let state = state(store, row).await?.unwrap_or_default();
    if !state.tasks().iter().any(|known| known.id == task) {
        let known: Vec<&str> = state.tasks().iter().map(|known| known.id.as_str()).collect();
        let hint = if known.is_empty() {
            "the run has no plan yet".to_owned()
        } else {
            format!("its tasks are {}", known.join(", "))
        };
        let problem = Problem::new(format!("the plan of run {} has no task `{task}`", row.run.id));
        return Err(ServiceError::not_found(problem.with_hint(hint)).into());
    }
    let made = state.commits.into_iter().filter(|commit| commit.task == task);
    Ok(made.flat_map(each_of).collect())
}
