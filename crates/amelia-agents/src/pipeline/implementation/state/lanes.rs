//! Tasks that are worked on at the same time, each in a lane of its own: what a lane knows, and how the parts of a plan
//! come together. Pure.

use std::collections::{BTreeMap, BTreeSet};

use amelia_core::plan::batch::batch;
use amelia_core::workplace::ConflictedMerge;
use serde::{Deserialize, Serialize};

use super::{Implementation, TaskCommit, TaskProgress, Update};

/// All that only matters where tasks are worked on at the same time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Lanes {
    /// By number, from 1, in the order of the plan.
    pub open: BTreeMap<u32, Lane>,
    /// Tasks that are done though one before them is not, by their place in the plan.
    pub ahead: BTreeSet<usize>,
    /// Tasks whose work beside others was given up: they are done again alone.
    pub alone: BTreeSet<usize>,
    /// Parts that are not needed any more.
    pub closing: Vec<EndedPart>,
}

/// One task beside others.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Lane {
    /// Place of its task in the plan.
    pub task: usize,
    pub id: String,
    pub progress: TaskProgress,
    /// How often it did not fit to what the others did. Each time it continues in a part of its own.
    pub conflicts: u32,
    /// What was done, once it is reviewed and committed.
    pub done: Option<TaskCommit>,
}

/// What changes among them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaneChange {
    /// These tasks are worked on at the same time, by their place in the plan.
    Divided(Vec<usize>),
    /// The nodes of one lane have changed something.
    In { lane: u32, update: Box<Update> },
    /// What was done in it is part of the whole.
    Merged { lane: u32, commit: TaskCommit },
    /// What was done in it does not fit to what the others did.
    Conflicted { lane: u32 },
    /// This is what does not fit; it is to be made fit.
    Torn {
        lane: u32,
        #[serde(rename = "torn")]
        conflict: ConflictedMerge,
    },
    /// No part is left that is not needed.
    Tidied,
}

/// A part to be ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedPart {
    pub key: String,
    /// A person has given it up: what is in no commit goes too.
    pub is_given_up: bool,
}

impl Lane {
    /// The name of the part that it works in.
    #[must_use]
    pub fn part(&self) -> String {
        self.part_after(self.conflicts)
    }

    /// The name of the part that it worked in before it continued in this one.
    #[must_use]
    pub fn part_before(&self) -> Option<String> {
        Some(self.part_after(self.conflicts.checked_sub(1)?))
    }

    fn part_after(&self, conflicts: u32) -> String {
        match conflicts {
            0 => format!("task-{}", self.id),
            again => format!("task-{}-again-{again}", self.id),
        }
    }

    /// Its part is still to be made: it has just met a conflict.
    #[must_use]
    pub fn is_conflicted(&self) -> bool {
        self.done.is_none() && self.conflicts > 0 && self.progress.conflict.is_none()
    }

    fn parts(&self, is_given_up: bool) -> impl Iterator<Item = EndedPart> + '_ {
        (0..=self.conflicts).map(move |again| EndedPart { key: self.part_after(again), is_given_up })
    }
}

impl Lanes {
    pub(super) fn is_unused(&self) -> bool {
        *self == Self::default()
    }
}

impl Implementation {
    /// Places of the tasks to do next.
    #[must_use]
    pub fn batch(&self, most: usize) -> Vec<usize> {
        let done = |place: usize| place < self.task || self.lanes.ahead.contains(&place);
        batch(&self.tasks(), done, &self.lanes.alone, most)
    }

    /// What the nodes of a lane see: its task is the current one.
    #[must_use]
    pub fn seen_from(&self, lane: &Lane) -> Self {
        let (lanes, progress) = (Lanes::default(), lane.progress.clone());
        let is_last_parallel = self.is_last_parallel(lane);
        Self { task: lane.task, progress, lanes, is_last_parallel, ..self.clone() }
    }

    /// The lanes finish the plan, and this one is the last of them: none of them would be the last task otherwise.
    fn is_last_parallel(&self, lane: &Lane) -> bool {
        let open = &self.lanes.open;
        let is_last_lane = open.last_key_value().is_some_and(|(_, last)| last.task == lane.task);
        is_last_lane && open.len() > 1 && self.commits.len() + open.len() >= self.tasks().len()
    }

    pub(super) fn changed(&mut self, change: LaneChange) {
        match change {
            LaneChange::Divided(places) => self.divided(places),
            LaneChange::In { lane, update } => self.in_lane(lane, *update),
            LaneChange::Merged { lane, commit } => self.merged(lane, commit),
            LaneChange::Conflicted { lane } => self.conflicted(lane),
            LaneChange::Torn { lane, conflict } => self.conflict(lane, conflict),
            LaneChange::Tidied => self.lanes.closing.clear(),
        }
    }

    fn divided(&mut self, places: Vec<usize>) {
        let id = |place: usize| self.tasks().get(place).map(|task| task.id.clone()).unwrap_or_default();
        let lane = |place| Lane { task: place, id: id(place), ..Lane::default() };
        self.lanes.open = (1..).zip(places.into_iter().map(lane)).collect();
    }

    /// Applies to one lane what its nodes have changed.
    fn in_lane(&mut self, number: u32, update: Update) {
        let Some(mut lane) = self.lanes.open.remove(&number) else { return };
        match update {
            Update::Committed(done) => lane.done = Some(done),
            Update::GivenUp => {
                self.lanes.alone.insert(lane.task);
                self.lanes.closing.extend(lane.parts(true));
                self.keep_told(lane.progress.told);
                return;
            }
            other => {
                std::mem::swap(&mut self.progress, &mut lane.progress);
                super::State::apply(self, other);
                std::mem::swap(&mut self.progress, &mut lane.progress);
            }
        }
        self.lanes.open.insert(number, lane);
    }

    fn merged(&mut self, number: u32, commit: TaskCommit) {
        let Some(lane) = self.lanes.open.remove(&number) else { return };
        self.lanes.closing.extend(lane.parts(false));
        self.lanes.ahead.insert(lane.task);
        self.catch_up();
        self.finished(commit, lane.progress);
    }

    /// A task is done again where the work of the others is: its own part, opened anew from there.
    fn conflicted(&mut self, number: u32) {
        if let Some(lane) = self.lanes.open.get_mut(&number) {
            lane.conflicts = lane.conflicts.saturating_add(1);
            lane.progress = lane.progress.again();
            lane.done = None;
        }
    }

    fn conflict(&mut self, number: u32, conflict: ConflictedMerge) {
        if let Some(lane) = self.lanes.open.get_mut(&number) {
            lane.progress.conflict = Some(conflict);
        }
    }

    /// Passes over the tasks that were done ahead.
    pub(super) fn catch_up(&mut self) {
        while self.lanes.ahead.remove(&self.task) {
            self.task = self.task.saturating_add(1);
        }
    }
}
