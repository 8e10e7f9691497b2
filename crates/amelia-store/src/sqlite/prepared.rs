//! A commit with everything that can be done before the writer is free: its texts, its checksums, and the view after it.

use amelia_core::checkpoint::Checkpoint;
use amelia_core::event::Event;
use amelia_core::id::{RunId, Seq};
use amelia_core::store::{Commit, StoreError};

use super::ahead::{Ahead, Folded};
use super::{checkpoints, events, frames};
use crate::fold;

pub(super) struct Prepared {
    pub(super) run: RunId,
    pub(super) after: Seq,
    pub(super) end: Seq,
    pub(super) events: Vec<Event>,
    pub(super) bodies: Vec<events::Body>,
    pub(super) checkpoint: Option<(Checkpoint, checkpoints::Body)>,
    pub(super) frames: Option<frames::Body>,
    pub(super) claims: Vec<String>,
    /// Nothing when the view before it is not known here.
    pub(super) folded: Option<Folded>,
}

impl Prepared {
    pub(super) fn new(ahead: &Ahead, run: RunId, after: Seq, commit: Commit) -> Result<Self, StoreError> {
        fold::check_shape(after, &commit)?;
        let Commit { drafts, checkpoint, frames, claims } = commit;
        let events = fold::numbered(run, after, drafts);
        let bodies = events.iter().map(events::Body::of).collect::<Result<_, _>>()?;
        let end = after.plus(events.len());
        let body =
            checkpoint.as_ref().map(|checkpoint| checkpoints::Body::of(end, checkpoint)).transpose()?;
        let frames = frames::Body::of(&frames);
        let folded = ahead.fold(run, after, &events)?;
        Ok(Self { run, after, end, events, bodies, checkpoint: checkpoint.zip(body), frames, claims, folded })
    }
}
