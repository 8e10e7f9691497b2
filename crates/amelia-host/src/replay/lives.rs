//! A log, cut into the lives of its run: each begins when a worker starts it and ends at rest, or where the process
//! died. Pure.

use amelia_core::event::run::Steering;
use amelia_core::event::{Event, EventKind, HumanEvent, RunEvent};
use amelia_core::human::HumanKind;
use amelia_core::id::Seq;

/// One life.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Life {
    /// The log before, and at its end.
    pub(super) from: Seq,
    pub(super) until: Seq,
    /// What commands wrote while no engine moved the run: its creation, answers, other limits.
    pub(super) given: Vec<Event>,
    /// Everything that its engine wrote.
    pub(super) facts: Vec<Event>,
    /// It did not come to rest.
    pub(super) is_cut: bool,
}

impl Life {
    /// Where it was cancelled or paused at once: everybody at work was dropped.
    pub(super) fn stop(&self) -> Option<Seq> {
        let (last, before) = (self.facts.last()?, self.facts.iter().nth_back(1));
        match of_run(last)? {
            RunEvent::Cancelled { .. } => Some(last.seq),
            RunEvent::Paused { reason: HumanKind::Pause } => before
                .filter(|event| match &event.draft.kind {
                    EventKind::Human(HumanEvent::Requested(request)) => request.kind == HumanKind::Pause,
                    _ => false,
                })
                .map(|event| event.seq),
            _ => None,
        }
    }

    /// It was ended from outside, in the middle of its work: cancelled, paused at once, or out of time.
    pub(super) fn is_interrupted(&self) -> bool {
        self.facts.last().and_then(of_run).is_some_and(|end| {
            let (pause, time) = (HumanKind::Pause, HumanKind::Budget);
            match end {
                RunEvent::Cancelled { .. } => true,
                RunEvent::Paused { reason } => *reason == pause || *reason == time,
                _ => false,
            }
        })
    }
}

/// The lives of a log.
pub(super) fn lives(events: &[Event]) -> Vec<Life> {
    let mut lives: Vec<Life> = Vec::new();
    let mut life = Life::default();
    let mut at_rest = true;
    for (place, event) in events.iter().enumerate() {
        let rest = events.get(place..).unwrap_or_default();
        let begins = begins(event);
        if !at_rest && (begins || is_given(rest)) {
            // It was resumed without having come to rest.
            life.is_cut = true;
            lives.push(next_after(&mut life));
            at_rest = true;
        }
        life.until = event.seq;
        if at_rest && !begins {
            life.given.push(event.clone());
            continue;
        }
        at_rest = false;
        life.facts.push(event.clone());
        if rests(event) {
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

/// What happens to the run itself. A child has a life of its own, inside that of the run.
fn of_run(event: &Event) -> Option<&RunEvent> {
    match &event.draft.kind {
        EventKind::Run(run) if event.draft.session.is_none() => Some(run),
        _ => None,
    }
}

fn begins(event: &Event) -> bool {
    matches!(of_run(event), Some(RunEvent::Started | RunEvent::Resumed { .. }))
}

/// Whether commands wrote the first of these before an engine took the run up again.
fn is_given(events: &[Event]) -> bool {
    let next = events.iter().find(|event| !is_command(event));
    events.first().is_some_and(is_command) && next.is_some_and(begins)
}

/// What a command writes to a run at rest.
fn is_command(event: &Event) -> bool {
    match &event.draft.kind {
        EventKind::Human(human) => matches!(human, HumanEvent::Replied(_) | HumanEvent::Intervened(_)),
        _ if event.draft.is_from_outside() => true,
        _ => {
            matches!(
                of_run(event),
                Some(
                    RunEvent::Queued
                        | RunEvent::Limited { .. }
                        | RunEvent::ChecksReplaced { .. }
                        | RunEvent::AgentsReplaced { .. }
                        | RunEvent::DefinitionReplaced { .. }
                        | RunEvent::StateEdited { .. }
                        | RunEvent::TeamReplaced { .. }
                        | RunEvent::Archived { .. }
                        | RunEvent::PermissionGranted(_)
                        | RunEvent::Steered(
                            Steering::Breakpoints(_) | Steering::Stops(_) | Steering::RemoveRule { .. }
                        )
                )
            )
        }
    }
}

fn rests(event: &Event) -> bool {
    matches!(
        of_run(event),
        Some(
            RunEvent::Paused { .. }
                | RunEvent::Failed { .. }
                | RunEvent::Completed { .. }
                | RunEvent::Cancelled { .. }
        )
    )
}

#[cfg(test)]
mod tests {
    use amelia_core::clock::{Clock as _, SystemClock};
    use amelia_core::event::run::ResumeReason;
    use amelia_core::event::{Draft, SystemEvent};
    use amelia_core::id::{GraphName, RunId};
    use amelia_core::run::{Domain, RunSpec};
    use amelia_core::store::trace_of;

    use super::*;

    fn log(kinds: Vec<(RunEvent, bool)>) -> Vec<Event> {
        let run = RunId(SystemClock.new_id());
        let event = |(seq, (kind, is_child)): (u64, (RunEvent, bool))| {
            let draft = Draft::of_system(&SystemClock, Domain::default(), EventKind::Run(kind));
            let session = is_child.then(|| RunId(SystemClock.new_id()));
            Event { run, seq: Seq(seq), trace: trace_of(run), draft: Draft { session, ..draft } }
        };
        (1..).zip(kinds).map(event).collect()
    }

    fn created() -> RunEvent {
        let spec = RunSpec::new(GraphName::new("g").unwrap(), "a run");
        RunEvent::Created { spec: Box::new(spec) }
    }

    #[test]
    fn a_consultation_does_not_cut_the_life_of_its_run() {
        let completed = || RunEvent::Completed { summary: None };
        let events = log(vec![
            (created(), false),
            (RunEvent::Queued, false),
            (RunEvent::Started, false),
            (RunEvent::Started, true),
            (completed(), true),
            (completed(), false),
        ]);
        let lives = lives(&events);
        let shape: Vec<_> =
            lives.iter().map(|life| (life.given.len(), life.facts.len(), life.is_cut)).collect();
        assert_eq!(shape, [(2, 4, false)]);
        assert!(!lives[0].is_interrupted());
    }

    #[test]
    fn what_came_from_outside_belongs_to_the_life_that_it_came_in() {
        let mut events = log(vec![
            (created(), false),
            (RunEvent::Started, false),
            (RunEvent::Queued, false),
            (RunEvent::Paused { reason: HumanKind::Question }, false),
            (RunEvent::Queued, false),
            (RunEvent::Resumed { reason: ResumeReason::Replied }, false),
            (RunEvent::Completed { summary: None }, false),
        ]);
        for place in [2, 4] {
            let (message, details) = ("mcp:files is gone".to_owned(), Default::default());
            events[place].draft.kind = EventKind::System(SystemEvent::Warned { message, details });
        }
        let shape: Vec<_> = lives(&events).iter().map(|life| (life.given.len(), life.facts.len())).collect();
        assert_eq!(shape, [(1, 3), (1, 2)]);
    }

    #[test]
    fn what_commands_wrote_after_a_kill_belongs_to_the_next_life() {
        let events = log(vec![
            (created(), false),
            (RunEvent::Started, false),
            (RunEvent::Queued, false),
            (RunEvent::Resumed { reason: ResumeReason::Recovered }, false),
            (RunEvent::Cancelled { by: None }, false),
        ]);
        let lives = lives(&events);
        let shape: Vec<_> =
            lives.iter().map(|life| (life.given.len(), life.facts.len(), life.is_cut)).collect();
        assert_eq!(shape, [(1, 1, true), (1, 2, false)]);
        assert!(lives[1].is_interrupted());
    }
}
