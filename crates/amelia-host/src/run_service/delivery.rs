//! The change of a completed run goes into a branch of the user, or into a pull request.

use std::path::Path;

use amelia_agents::pipeline::implementation::state::{TaskCommit, pull_request, summary};
use amelia_core::config::profile::Profile;
use amelia_core::delivery::{MergeMethod, MergedChange, OpenedPullRequest};
use amelia_core::problem::Problem;
use amelia_core::run::{RunLocation, RunStatus};
use amelia_core::shell_word::path_word;
use amelia_core::store::Store;
use amelia_core::tracker::{PullRequest, PullRequestState, Tracker as _, TrackerAction};
use amelia_core::view::RunRow;
use amelia_core::workplace::{CommitBlocker, CommitOutcome, UncommittedWork};
use amelia_git::commits::NewCommit;
use amelia_git::merge_into::{BranchMerge, BranchMergeOutcome};
use amelia_git::repository::InPlace;
use amelia_git::trailers::with_trailers;
use amelia_git::{GitError, Repository, Worktree};
use amelia_orchestrator::service::{
    DiffDetail, DiffRange, MergeOptions, MergeReport, PullRequestOptions, RunDiff, ServiceError,
};
use anyhow::Result;

use super::merge_undo::{brings_back, undo_command};
use super::unseen_commits::{about_unseen, counted};
use super::{LocalRunService, changes, unavailable};
use crate::home::Home;
use crate::pipelines;
use crate::place::{self, refused};
use crate::tracking;
use crate::workplace::trailers;

/// Where a repository may keep the template of its pull requests.
const TEMPLATES: [&str; 4] = [
    ".github/pull_request_template.md",
    ".github/PULL_REQUEST_TEMPLATE.md",
    "pull_request_template.md",
    "docs/pull_request_template.md",
];

impl LocalRunService {
    /// The profile by which the change of a run is delivered: its own as it is now, else the active one, else the
    /// defaults, because GitHub needs no more than the remote of the repository.
    pub(super) async fn delivery_profile(&self, row: &RunRow) -> Result<Profile, ServiceError> {
        let found = match row.run.spec.profile.as_deref() {
            Some(name) => self.profiles.find(Some(name)).await.map_err(unavailable)?,
            None => None,
        };
        match found {
            Some(profile) => Ok(profile),
            None => Ok(self.profiles.find(None).await.map_err(unavailable)?.unwrap_or_default()),
        }
    }
}

/// The branch of a run, with all of its work committed.
struct RunBranch<'a> {
    place: &'a RunLocation,
    repository: Repository,
    name: String,
    tip: String,
    worktree: Option<Worktree>,
    /// Where it was before what a single agent had left was committed now.
    before_rest: Option<String>,
}

pub(super) async fn merge(
    home: &Home,
    store: &dyn Store,
    row: &RunRow,
    profile: &Profile,
    options: &MergeOptions,
) -> Result<MergeReport> {
    let branch = branch_of(home, store, row, profile).await?;
    match merge_branch(home, store, row, profile, options, &branch).await {
        Ok(report) => Ok(report),
        // A person asked for a merge. Without one, they get no commit, either.
        Err(error) => match take_back_rest(&branch).await? {
            Some(worktree) => Err(still_uncommitted(row, &branch.name, worktree, error)),
            None => Err(error),
        },
    }
}

async fn merge_branch(
    home: &Home,
    store: &dyn Store,
    row: &RunRow,
    profile: &Profile,
    options: &MergeOptions,
    branch: &RunBranch<'_>,
) -> Result<MergeReport> {
    let repository = &branch.repository;
    let into = target(branch, options.into.as_deref()).await?;
    let already = || {
        let hint = "`amelia cleanup --merged-branches` deletes branches that were merged";
        let message =
            format!("`{into}` already has the changes of `{}`: there is nothing to merge", branch.name);
        conflict(message, Some(hint.to_owned()))
    };
    if has_change(repository, row, &branch.tip, &into).await {
        let merged = row.view.merged.as_ref().filter(|_| options.delete_branch);
        return deleted_later(home, branch, merged.ok_or_else(already)?).await;
    }
    let trailers = refused(repository.trailer_lines(&trailers(profile)).await)?;
    let message = with_trailers(&message(store, row, &branch.name, options.method).await?, &trailers);
    let merge = BranchMerge { branch: &branch.name, into: &into, method: options.method, message: &message };
    let mut notes = notes_about_target(branch, &into).await;
    let (before, commit, checkout) = match refused(repository.merge_into(merge).await)? {
        BranchMergeOutcome::Merged { before, commit, checkout, same } => {
            notes.extend(about_same(&same));
            (before, commit, checkout)
        }
        BranchMergeOutcome::Nothing => return Err(already()),
        BranchMergeOutcome::Conflicts { files } => return Err(conflicts(&branch.name, &into, &files)),
    };
    notes.extend(accepted(store, row).await?);
    notes.extend(left_behind(branch).await);
    let mut undo = undo_command(repository.root(), checkout.as_deref(), &into, &before, &commit);
    let mut branch_deleted = false;
    if options.delete_branch {
        match delete(home, branch).await {
            Ok(()) => {
                branch_deleted = true;
                undo += &format!(" && {}", brings_back(repository.root(), &branch.name, &branch.tip));
            }
            Err(error) => notes.push(format!("The branch `{}` is kept: {error}", branch.name)),
        }
    }
    let head = Some(branch.tip.clone());
    let (method, branch) = (options.method, branch.name.clone());
    let change =
        MergedChange { method, branch, into, before, commit, head, branch_deleted, undo: Some(undo.clone()) };
    Ok(MergeReport { change, undo, notes })
}

/// What a person had changed in the same way is committed now.
fn about_same(files: &[String]) -> Option<String> {
    let first = files.first()?;
    let more = if files.len() > 1 { format!(" and {} more", files.len() - 1) } else { String::new() };
    Some(format!("your uncommitted changes in `{first}`{more} were the same; the merge has them"))
}

/// What the target has that the run has not seen, and what it has of the run: a merge may have been undone in part.
async fn notes_about_target(branch: &RunBranch<'_>, into: &str) -> Vec<String> {
    let RunBranch { repository, place, name, tip, .. } = branch;
    let new = refused(repository.commits_unknown_to(tip, into).await).unwrap_or(0);
    let of_run = async |since: &str| refused(repository.commits_since(since, name).await).unwrap_or(0);
    let held = of_run(&place.base_commit).await.saturating_sub(of_run(&format!("refs/heads/{into}")).await);
    let all = refused(repository.commits_since(tip, into).await).unwrap_or(new);
    let new = about_unseen(into, new, all);
    let held = (held > 0).then(|| format!("`{into}` already had {} of this run", counted(held)));
    held.into_iter().chain(new).collect()
}

/// The branch of a run that was merged before goes; the merge stays as it is.
async fn deleted_later(home: &Home, branch: &RunBranch<'_>, merged: &MergedChange) -> Result<MergeReport> {
    delete(home, branch).await?;
    let undo = brings_back(branch.repository.root(), &branch.name, &branch.tip);
    let change = MergedChange { branch_deleted: true, ..merged.clone() };
    Ok(MergeReport {
        change,
        undo,
        notes: vec!["it was merged before: only the branch was deleted".to_owned()],
    })
}

/// What a person has changed in the worktree and not committed is not in the merge.
async fn left_behind(branch: &RunBranch<'_>) -> Option<String> {
    let worktree = branch.worktree.as_ref()?;
    let files = branch.repository.dirty_files(worktree).await.ok()?;
    let first = files.first()?;
    let more = match files.len() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let path = worktree.path.display();
    Some(format!("not committed, and so not merged: `{}`{more} in {path}", first.path))
}

/// Whether the branch was merged here as it is now, and that was not undone. Git cannot tell after a squash or a rebase.
async fn has_change(repository: &Repository, row: &RunRow, tip: &str, into: &str) -> bool {
    let Some(merged) = row.view.merged.as_ref().filter(|merged| merged.into == into) else { return false };
    let is_same = merged.head.as_deref() == Some(tip);
    // A commit that is gone was undone.
    is_same && repository.has_commit(into, &merged.commit).await.unwrap_or(false)
}

/// What a run has changed, and whether that was merged.
pub(super) async fn changes(
    home: &Home,
    store: &dyn Store,
    row: &RunRow,
    extent: &DiffRange,
    detail: DiffDetail,
) -> Result<RunDiff> {
    let found = changes::changes(home, store, row, extent, detail).await?;
    let merged_into = match extent {
        DiffRange::Now => merged_into(home, store, row, &found).await,
        DiffRange::At(_) | DiffRange::Task(_) => None,
    };
    Ok(RunDiff { merged_into, ..found })
}

/// The branch that has what a completed run has committed. A person may have merged it with git; that is looked for in the
/// branch that the run started from. What git cannot tell is not there.
async fn merged_into(home: &Home, store: &dyn Store, row: &RunRow, found: &RunDiff) -> Option<String> {
    let place = row.run.spec.place.as_ref().filter(|place| !place.in_place)?;
    if row.view.status != RunStatus::Completed || found.files.is_empty() || found.uncommitted > 0 {
        return None;
    }
    let into = row.view.merged.as_ref().map(|merged| &merged.into).or(place.base_branch.as_ref())?;
    let repository = place::look(&place.repository).await.ok()?;
    let tip = match &found.branch {
        Some(branch) => repository.branch_tip(branch).await.ok(),
        None => None,
    };
    let tip = match tip {
        Some(tip) => tip,
        // A branch that was merged may have been deleted.
        None => changes::last_commit(home, store, row).await.ok()??,
    };
    let is_there = tip != place.base_commit
        && (has_change(&repository, row, &tip, into).await
            || repository.has_commit(into, &tip).await.ok()?
            || repository.has_content_of(into, &tip).await.ok()?);
    is_there.then(|| into.clone())
}

pub(super) async fn open_pull_request(
    home: &Home,
    store: &dyn Store,
    row: &RunRow,
    profile: &Profile,
    options: &PullRequestOptions,
) -> Result<OpenedPullRequest> {
    let branch = branch_of(home, store, row, profile).await?;
    let base = options.base.clone().or_else(|| branch.place.base_branch.clone());
    let request = PullRequest {
        title: row.run.spec.title.clone(),
        body: body(store, row, branch.repository.root()).await?,
        head: branch.name.clone(),
        base,
        is_draft: options.is_draft,
    };
    let host = tracking::code_host(profile, &branch.place.repository, home).await?;
    let at = Worktree {
        path: branch.repository.root().to_owned(),
        branch: Some(branch.name.clone()),
        base_commit: branch.place.base_commit.clone(),
    };
    refused(branch.repository.push(&branch.worktree.unwrap_or(at)).await)?;
    // Found again by this after a crash between the request and its record.
    let marker = format!("run {}", row.run.id);
    let action = TrackerAction::PullRequest(request.clone());
    let receipt = match host.find(&action, &marker).await.map_err(tracking::told)? {
        Some(receipt) => receipt,
        None => host.send(&action, &marker).await.map_err(tracking::told)?,
    };
    Ok(OpenedPullRequest::of_receipt(&request, &receipt))
}

pub(super) async fn pull_request(home: &Home, row: &RunRow, profile: &Profile) -> Result<PullRequestState> {
    let Some(opened) = &row.view.pull_request else {
        let problem = Problem::new(format!("run {} has no pull request", row.run.number))
            .with_hint(format!("amelia pr open {}", row.run.number));
        return Err(ServiceError::not_found(problem).into());
    };
    let host = tracking::code_host(profile, &place::of(row)?.repository, home).await?;
    Ok(host.pull_request(opened.number).await.map_err(tracking::told)?)
}

/// The branch of a completed run. The changes of a single agent are not committed yet, so that happens here.
async fn branch_of<'a>(
    home: &Home,
    store: &dyn Store,
    row: &'a RunRow,
    profile: &Profile,
) -> Result<RunBranch<'a>> {
    let place = place::of(row)?;
    let number = row.run.number;
    if row.view.status != RunStatus::Completed {
        let message = format!(
            "run {number} is {}: only a completed run can be merged or get a pull request",
            row.view.status
        );
        return Err(conflict(message, Some(format!("amelia why {number}"))));
    }
    if place.in_place {
        return Err(conflict(
            format!("run {number} has worked in your checkout: there is no branch to merge"),
            None,
        ));
    }
    if place::was_unchanged(home, row.run.id) {
        return Err(conflict(format!("run {number} changed nothing: there is no branch to merge"), None));
    }
    let repository = place::repository(&place.repository).await?;
    let worktree = place::look_for(place, home, row.run.id).await?;
    let mut before_rest = None;
    if let Some(worktree) = &worktree {
        let before = refused(repository.head_of(worktree).await)?;
        commit_rest(&repository, row, profile, worktree).await?;
        let is_new = refused(repository.head_of(worktree).await)? != before;
        before_rest = is_new.then_some(before);
    }
    let held = worktree.as_ref().and_then(|worktree| worktree.branch.clone());
    let name = match held {
        Some(name) => Some(name),
        None => changes::branch_after_cleanup(home, store, row, &repository).await?,
    };
    let Some(name) = name else {
        return Err(deleted_branch(row, format!("run {number} has no branch any more")));
    };
    let tip = match repository.branch_tip(&name).await {
        Err(error @ GitError::NoBranch { .. }) => return Err(deleted_branch(row, error.to_string())),
        tip => refused(tip)?,
    };
    if tip == place.base_commit {
        return Err(conflict(format!("run {number} changed nothing: `{name}` has no commits"), None));
    }
    Ok(RunBranch { place, repository, name, tip, worktree, before_rest })
}

/// Its commits are still there, as long as git keeps what no branch has.
fn deleted_branch(row: &RunRow, message: String) -> anyhow::Error {
    conflict(message, Some(format!("`amelia worktree restore {}` brings it back", row.run.number)))
}

/// Makes the changes that were committed for a merge uncommitted again; says in which worktree, if there were some.
async fn take_back_rest<'a>(branch: &'a RunBranch<'_>) -> Result<Option<&'a Worktree>> {
    let (Some(worktree), Some(before)) = (&branch.worktree, &branch.before_rest) else { return Ok(None) };
    refused(branch.repository.uncommit(worktree, &branch.tip, before).await)?;
    Ok(Some(worktree))
}

/// The same refusal, and where the changes are. Only a commit can be merged by hand.
fn still_uncommitted(row: &RunRow, branch: &str, worktree: &Worktree, error: anyhow::Error) -> anyhow::Error {
    let Some(ServiceError::Conflict(problem)) = error.downcast_ref::<ServiceError>() else { return error };
    let (run, path) = (row.run.number, worktree.path.display());
    let message =
        format!("{}; the changes of run {run} are still uncommitted in its worktree", problem.message);
    let commit = format!("git -C {} add -A && git -C {0} commit", path_word(&worktree.path));
    let by_hand = format!("before you merge by hand, commit the changes of the run to `{branch}`: {commit}");
    let hint = match &problem.hint {
        Some(hint) => format!("{hint}; {by_hand}"),
        None => format!("they are in {path}"),
    };
    conflict(message, Some(hint))
}

/// Commits what a single agent has left. In a run with a plan everything is committed: what differs there is a person's.
async fn commit_rest(
    repository: &Repository,
    row: &RunRow,
    profile: &Profile,
    worktree: &Worktree,
) -> Result<()> {
    if pipelines::of(row)?.has_plan() {
        return Ok(());
    }
    refused(repository.check_identity(worktree).await)?;
    let marker = format!("run {}", row.run.id);
    let trailers = &refused(repository.trailer_lines(&trailers(profile)).await)?;
    let commit = NewCommit { message: &row.run.spec.title, marker: &marker, trailers };
    match refused(repository.commit_without(worktree, commit, &[]).await)? {
        CommitOutcome::Made { .. } | CommitOutcome::Nothing => Ok(()),
        CommitOutcome::Refused { output, by } => {
            let why = match by {
                CommitBlocker::Hook => "a hook rejected them",
                CommitBlocker::Signature => "the commit could not be signed",
                CommitBlocker::InnerRepository => "they contain a git repository",
                CommitBlocker::Submodule => "a submodule has uncommitted changes",
                CommitBlocker::LostCommit => "an earlier commit is gone",
            };
            let run = row.run.number;
            let message = format!("the changes of run {run} are not committed, because {why}:\n{output}");
            Err(conflict(message, Some(format!("commit them yourself in {}", worktree.path.display()))))
        }
    }
}

async fn target(branch: &RunBranch<'_>, into: Option<&str>) -> Result<String> {
    if let Some(into) = into {
        return Ok(into.to_owned());
    }
    if let Some(base) = &branch.place.base_branch {
        return Ok(base.clone());
    }
    let checkout = refused(branch.repository.in_place(InPlace::AsItIs).await)?;
    checkout.branch.ok_or_else(|| {
        conflict(
            "the branch that the run started from is not known".to_owned(),
            Some("--into BRANCH".to_owned()),
        )
    })
}

/// The worktree goes with its branch, unless it has work that is in no commit.
async fn delete(home: &Home, branch: &RunBranch<'_>) -> Result<()> {
    if let Some(worktree) = &branch.worktree {
        let worktrees = place::worktrees(home, &branch.place.repository).await?;
        refused(worktrees.remove_with_empty_branch(worktree, UncommittedWork::Keep).await)?;
    }
    match refused(branch.repository.delete_branch(&branch.name, &branch.tip).await)? {
        true => Ok(()),
        false => Err(conflict("it is checked out, or has moved".to_owned(), None)),
    }
}

async fn message(store: &dyn Store, row: &RunRow, branch: &str, method: MergeMethod) -> Result<String> {
    let title = &row.run.spec.title;
    if method != MergeMethod::Squash {
        return Ok(format!("Merge branch '{branch}'\n\n{title}"));
    }
    let body = match changes::state(store, row).await? {
        Some(state) => summary::of_squash(&state),
        None => row.view.summary.as_deref().unwrap_or_default().trim().to_owned(),
    };
    Ok(if body.is_empty() { title.clone() } else { format!("{title}\n\n{body}") })
}

/// What a person accepted tasks with, and is in the branch now.
async fn accepted(store: &dyn Store, row: &RunRow) -> Result<Vec<String>> {
    let state = changes::state(store, row).await?;
    let tasks = state.into_iter().flat_map(|state| state.commits);
    let note =
        |task: TaskCommit| Some(format!("`{}` was accepted although {}", task.title, task.accepted_with()?));
    Ok(tasks.filter_map(note).collect())
}

async fn body(store: &dyn Store, row: &RunRow, root: &Path) -> Result<String> {
    let template = TEMPLATES.iter().find_map(|path| std::fs::read_to_string(root.join(path)).ok());
    let state = changes::state(store, row).await?;
    let sections = match &state {
        Some(state) => pull_request::sections(state),
        None => {
            pull_request::PullRequestSections::of_summary(row.view.summary.as_deref().unwrap_or_default())
        }
    };
    Ok(sections.body(template.as_deref()))
}

fn conflicts(branch: &str, into: &str, files: &[String]) -> anyhow::Error {
    let message =
        format!("`{branch}` conflicts with `{into}` in {}; `{into}` is unchanged", files.join(", "));
    let hint = format!("merge by hand (git merge {branch}), or start a new run from `{into}`");
    conflict(message, Some(hint))
}

fn conflict(message: String, hint: Option<String>) -> anyhow::Error {
    ServiceError::Conflict(Problem { message, hint }).into()
}
