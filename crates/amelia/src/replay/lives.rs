//! A log, cut into the lives of its run: each begins when somebody takes it up and ends at rest, or where the process
//! died. Pure.

use amelia_core::event::{Event, EventKind, HumanEvent, RunEvent};
use amelia_core::human::HumanReply;
use amelia_core::id::Seq;

/// One life.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Life {
    /// The log before, and at its end.
    pub(super) from: Seq,
    pub(super) until: Seq,
    /// What was written while nobody moved the run: its creation, other limits.
    pub(super) given: Vec<Event>,
    /// What it was told when it was taken up.
    pub(super) replies: Vec<HumanReply>,
    /// Everything that it wrote itself.
    pub(super) facts: Vec<Event>,
    /// It did not come to rest.
    pub(super) is_cut: bool,
}

/// The lives of a log.
pub(super) fn lives(events: &[Event]) -> Vec<Life> {
    let mut lives: Vec<Life> = Vec::new();
    let mut life = Life::default();
    let mut at_rest = true;
    let mut is_opening = false;
    for (place, event) in events.iter().enumerate() {
        // Answers and what they lead to are one beginning.
        let begins = !is_opening && begins(events.get(place..).unwrap_or_default());
        is_opening |= begins;
        is_opening &= matches!(event.draft.kind, EventKind::Human(HumanEvent::Replied(_)));
        if begins && !at_rest {
            // It was taken up again without having come to rest.
            life.is_cut = true;
            lives.push(next_after(&mut life));
            at_rest = true;
        }
        life.until = event.seq;
        if at_rest && !begins {
            life.given.push(event.clone());
            continue;
        }
        if at_rest {
            at_rest = false;
        }
        if let EventKind::Human(HumanEvent::Replied(reply)) = &event.draft.kind
            && is_before_resumption(events.get(place..).unwrap_or_default())
        {
            life.replies.push(reply.clone());
        }
        life.facts.push(event.clone());
        if rests(&event.draft.kind) {
            lives.push(next_after(&mut life));
            at_rest = true;
        }
    }
    if !life.facts.is_empty() || !life.given.is_empty() {
        life.is_cut = !life.facts.is_empty();
        lives.push(life);
    }
    lives
}

/// The life that has ended; the next one begins where it did.
fn next_after(life: &mut Life) -> Life {
    let next = Life { from: life.until, until: life.until, ..Life::default() };
    std::mem::replace(life, next)
}

/// Whether a life begins with the first of these: the start, or answers and what they lead to.
fn begins(events: &[Event]) -> bool {
    match events.first().map(|event| &event.draft.kind) {
        Some(EventKind::Run(RunEvent::Started)) => true,
        Some(EventKind::Run(RunEvent::Resumed { .. }) | EventKind::Human(HumanEvent::Replied(_))) => {
            is_before_resumption(events)
        }
        _ => false,
    }
}

/// Whether nothing but answers stands before the run goes on, or is cancelled.
fn is_before_resumption(events: &[Event]) -> bool {
    let mut kinds = events.iter().map(|event| &event.draft.kind);
    let next = kinds.find(|kind| !matches!(kind, EventKind::Human(HumanEvent::Replied(_))));
    matches!(next, Some(EventKind::Run(RunEvent::Resumed { .. } | RunEvent::Cancelled { .. })))
}

fn rests(kind: &EventKind) -> bool {
    matches!(
        kind,
        EventKind::Run(
            RunEvent::Paused { .. }
                | RunEvent::Failed { .. }
                | RunEvent::Completed { .. }
                | RunEvent::Cancelled { .. }
        )
    )
}
