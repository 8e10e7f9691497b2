//! Where a fork works: in a worktree and on a branch of its own, with the commits and the files of its moment.

use amelia_core::checkpoint::LoadedCheckpoint;
use amelia_core::event::run::Steering;
use amelia_core::event::{Event, EventKind, HumanEvent, RunEvent};
use amelia_core::id::{RunId, Seq};
use amelia_core::problem::Problem;
use amelia_core::run::{RunLocation, RunStatus};
use amelia_core::store::Store;
use amelia_core::view::RunRow;
use amelia_git::{NewWorktree, Snapshot, Worktrees};
use amelia_graph::editing::StateEdit;
use amelia_graph::travel;
use amelia_orchestrator::service::{DefinitionSource, ServiceError};
use anyhow::Result;

use super::{LocalRunService, conflict};
use crate::artifacts;
use crate::error::service_error;
use crate::home::Home;
use crate::keys::{Keys, named_in};
use crate::pipelines::{self, AnyPipeline, ForkProgress};
use crate::place::{refused, repository, worktrees};
use crate::result_files::ResultFiles;
use crate::run_parts::current_input;
use crate::workplace::worktree_snapshots::WorktreeSnapshots;

/// Events that are read at once.
const PAGE: usize = 1_000;

impl LocalRunService {
    /// A new run from a checkpoint of another.
    pub(super) async fn forked(
        &self,
        row: &RunRow,
        checkpoint: u32,
        set: &[String],
        definition: DefinitionSource,
    ) -> Result<RunId, ServiceError> {
        let edits = set.iter().map(|text| StateEdit::parse(text)).collect::<Result<Vec<_>, _>>();
        let edits = edits.map_err(ServiceError::Invalid)?;
        let pipeline = pipelines::of(row).map_err(conflict)?;
        let forked = async {
            let loaded = travel::read(&*self.store, row.run.id, checkpoint).await?;
            let row = &with_team_of(&*self.store, row, &loaded).await?;
            let definition = match definition {
                DefinitionSource::Run => None,
                DefinitionSource::File => Some(self.redefined(row, &loaded.position).await?),
            };
            let keys = Keys::gather(&self.home, &named_in(&current_input(row)))?;
            let clean = |edit: StateEdit| StateEdit { value: keys.redactor().clean(edit.value), ..edit };
            let edits: Vec<StateEdit> = edits.into_iter().map(clean).collect();
            let input = definition.as_ref().map_or_else(|| current_input(row), |new| new.input.clone());
            let needs_worktree = pipeline.needs_worktree(input)?;
            let place = match needs_worktree {
                true => place(&self.home, &*self.store, row, &*pipeline, &loaded).await?,
                false => row.run.spec.place.clone().map(|place| RunLocation { branch: None, ..place }),
            };
            let forked =
                pipeline.fork(&*self.store, row, checkpoint, &edits, definition, place.clone()).await?;
            ResultFiles::of(&self.home, forked).take_over(&ResultFiles::of(&self.home, row.run.id))?;
            artifacts::forked::copy(&self.home, &*self.store, row, loaded.seq, forked).await?;
            self.copy_memory(row.run.id, forked, loaded.at).await?;
            if let Some(place) = place.as_ref().filter(|_| needs_worktree) {
                make(&self.home, forked, place).await?;
            }
            anyhow::Ok(forked)
        };
        forked.await.map_err(service_error)
    }
}

/// The run with the team that it had at a checkpoint, which a person may have changed since.
async fn with_team_of(store: &dyn Store, row: &RunRow, loaded: &LoadedCheckpoint) -> Result<RunRow> {
    let mut row = row.clone();
    if row.view.team.take().is_none() {
        return Ok(row);
    }
    let mut after = Seq::START;
    while after < loaded.seq {
        let page = store.events(row.run.id, after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        for event in page.into_iter().filter(|event| event.seq <= loaded.seq) {
            if let EventKind::Run(RunEvent::TeamReplaced { input, .. }) = event.draft.kind {
                row.view.team = Some(input);
            }
        }
    }
    Ok(row)
}

/// The place of a fork of `row` at a checkpoint.
async fn place(
    home: &Home,
    store: &dyn Store,
    row: &RunRow,
    pipeline: &dyn AnyPipeline,
    loaded: &LoadedCheckpoint,
) -> Result<Option<RunLocation>> {
    let Some(place) = row.run.spec.place.clone() else { return Ok(None) };
    let ForkProgress { last_commit, is_in_task, is_divided } = pipeline.progress(loaded)?;
    let run = row.run.id;
    if is_divided {
        let problem =
            Problem::new("several tasks were in progress at that checkpoint, each in a worktree of its own");
        let hint = "fork at a checkpoint before they started, or after they were merged";
        return Err(
            ServiceError::conflict(problem.with_hint(format!("{hint}: amelia checkpoints {run}"))).into()
        );
    }
    // The branch that a person chose is the first run's.
    let place = RunLocation { branch: None, ..place };
    if place.in_place {
        return Ok(Some(place));
    }
    let place = match last_commit {
        Some(last) if place.start.as_ref() != Some(&last) => {
            RunLocation { start: Some(last), tree: None, ..place }
        }
        _ => place,
    };
    let worktrees = worktrees(home, &place.repository).await?;
    match files(&worktrees, store, row, loaded, &place).await? {
        Files::Kept { head, tree } => {
            let start = Some(head).filter(|head| *head != place.base_commit);
            Ok(Some(RunLocation { start, tree: Some(tree), ..place }))
        }
        Files::Committed => Ok(Some(place)),
        Files::Lost(why) if is_in_task => {
            let problem =
                Problem::new(format!("{why}, and a task had uncommitted changes at that checkpoint"));
            let hint = format!("fork at a checkpoint where a task starts: amelia checkpoints {run}");
            Err(ServiceError::conflict(problem.with_hint(hint)).into())
        }
        Files::Lost(_) => Ok(Some(place)),
    }
}

/// What there is of the files of a moment.
enum Files {
    Kept {
        head: String,
        tree: String,
    },
    /// They are those of the last commit.
    Committed,
    /// They are not there any more, for this reason.
    Lost(&'static str),
}

async fn files(
    worktrees: &Worktrees,
    store: &dyn Store,
    row: &RunRow,
    loaded: &LoadedCheckpoint,
    place: &RunLocation,
) -> Result<Files> {
    let run = row.run.id.to_string();
    let found = refused(worktrees.find(&run).await)?;
    let next = store.events(row.run.id, loaded.seq, 1).await?;
    let next = next.first();
    let is_now = next.is_none() && row.view.status != RunStatus::Running;
    if let Some(worktree) = found.as_ref().filter(|_| is_now) {
        // As it stands, also when the process was killed before it could be kept.
        WorktreeSnapshots::new(&repository(&place.repository).await?, worktree).look_and_keep().await;
    }
    let all = refused(worktrees.snapshots(&run).await)?;
    let until = moment(loaded, next, is_now);
    let Some(Snapshot { head, tree, .. }) = all.into_iter().rfind(|snapshot| snapshot.at <= until) else {
        return Ok(match found {
            Some(_) if worktrees.was_restored(&run) => {
                Files::Lost("the worktree of the run was removed and restored since")
            }
            Some(_) => Files::Committed,
            None => Files::Lost("the worktree of the run was removed"),
        });
    };
    let last = place.start.as_deref().unwrap_or(&place.base_commit);
    // One from before the last commit is out of date: the commit has what it held.
    let is_new = refused(worktrees.is_ancestor(last, &head).await)?;
    Ok(match (is_new, tree) {
        (false, _) => Files::Committed,
        (true, Some(tree)) => Files::Kept { head, tree },
        (true, None) => Files::Lost("the changes were too large to be kept, or git refused them"),
    })
}

/// Until when a snapshot belongs to a checkpoint, in milliseconds: where the run came to rest, what was kept before it
/// was resumed.
fn moment(loaded: &LoadedCheckpoint, next: Option<&Event>, is_now: bool) -> i64 {
    match next {
        _ if is_now => i64::MAX,
        Some(event) if is_taken_up(event) => event.draft.at.as_millisecond(),
        Some(_) | None => loaded.at.as_millisecond(),
    }
}

fn is_taken_up(event: &Event) -> bool {
    matches!(
        &event.draft.kind,
        EventKind::Run(
            RunEvent::Queued
                | RunEvent::Resumed { .. }
                | RunEvent::Limited { .. }
                | RunEvent::ChecksReplaced { .. }
                | RunEvent::AgentsReplaced { .. }
                | RunEvent::DefinitionReplaced { .. }
                | RunEvent::StateEdited { .. }
                | RunEvent::TeamReplaced { .. }
                | RunEvent::PermissionGranted(_)
                | RunEvent::Steered(Steering::RemoveRule { .. })
        ) | EventKind::Human(HumanEvent::Replied(_) | HumanEvent::Intervened(_))
    )
}

/// Makes the worktree of a fork at once: nothing that it begins with can be removed in the meantime.
async fn make(home: &Home, fork: RunId, place: &RunLocation) -> Result<()> {
    if place.in_place {
        return Ok(());
    }
    let worktrees = worktrees(home, &place.repository).await?;
    let new = NewWorktree {
        run: &fork.to_string(),
        key: &place.key,
        base: Some(&place.base_commit),
        branch: None,
        start: place.start.as_deref(),
        tree: place.tree.as_deref(),
    };
    let made = refused(worktrees.create(new).await)?;
    refused(worktrees.remember(&made))
}
