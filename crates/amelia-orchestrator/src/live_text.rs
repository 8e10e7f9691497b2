//! What agents are saying. It is shown at once and never stored; until it is in the log as a whole, it is kept here for
//! readers that come in the middle.

use std::collections::HashMap;
use std::sync::Arc;

use amelia_agents::live::Delta;
use amelia_core::event::{Event, EventKind, RunEvent};
use amelia_core::id::RunId;
use parking_lot::Mutex;
use tokio::sync::broadcast::Receiver;

use crate::channels::Channels;

/// Pieces that may wait for a slow reader of all runs.
const QUEUE: usize = 4096;
/// Bytes that are kept of what one agent is saying. Longer ones lose their beginning.
const KEPT: usize = 256 * 1024;

#[derive(Clone)]
pub(crate) struct LiveText {
    live: Channels<Arc<Delta>>,
    unfinished: Arc<Mutex<HashMap<RunId, Vec<Delta>>>>,
}

impl Default for LiveText {
    fn default() -> Self {
        Self { live: Channels::new(QUEUE), unfinished: Arc::default() }
    }
}

impl LiveText {
    /// Shows a piece to all readers, and keeps it.
    pub(crate) fn say(&self, delta: Delta) {
        // Held while it is sent: a new reader gets it once.
        let mut unfinished = self.unfinished.lock();
        keep(unfinished.entry(delta.run).or_default(), &delta);
        self.live.send(delta.run, Arc::new(delta));
    }

    /// An agent whose words are in the log has said them; a run at rest says nothing.
    pub(crate) fn is_written(&self, event: &Event) {
        let mut unfinished = self.unfinished.lock();
        let Some(pieces) = unfinished.get_mut(&event.run) else { return };
        match &event.draft.kind {
            EventKind::Agent(_) => pieces
                .retain(|piece| (&piece.agent, piece.session) != (&event.draft.agent, event.draft.session)),
            EventKind::Run(
                RunEvent::Paused { .. }
                | RunEvent::Completed { .. }
                | RunEvent::Failed { .. }
                | RunEvent::Cancelled { .. },
            ) if event.draft.session.is_none() => pieces.clear(),
            _ => {}
        }
        if pieces.is_empty() {
            unfinished.remove(&event.run);
        }
    }

    pub(crate) fn all(&self) -> Receiver<Arc<Delta>> {
        self.live.all()
    }

    /// What the agents of a run have said of what they are saying, and what they say from now on.
    pub(crate) fn of(&self, run: RunId) -> (Vec<Arc<Delta>>, Receiver<Arc<Delta>>) {
        let unfinished = self.unfinished.lock();
        let pieces = unfinished.get(&run).into_iter().flatten().cloned().map(Arc::new).collect();
        (pieces, self.live.of(run))
    }
}

/// Puts a piece behind those of the same conversation. Order matters only within what one agent says.
fn keep(pieces: &mut Vec<Delta>, new: &Delta) {
    let is_mine = |piece: &Delta| piece.agent == new.agent && piece.session == new.session;
    let last = pieces.iter_mut().rfind(|piece| is_mine(piece));
    match last {
        Some(last) if last.kind == new.kind => {
            last.text.push_str(&new.text);
            // Behind the last event that it came after, with all of it.
            last.after = new.after;
        }
        _ => pieces.push(new.clone()),
    }
    let mine = || pieces.iter().enumerate().filter(|(_, piece)| is_mine(piece));
    let length: usize = mine().map(|(_, piece)| piece.text.len()).sum();
    if length <= KEPT {
        return;
    }
    let Some((first, _)) = mine().next() else { return };
    if mine().count() > 1 {
        pieces.remove(first);
    } else if let Some(piece) = pieces.get_mut(first) {
        // A quarter at a time: what is long would be moved with every piece otherwise.
        let cut = piece.text.ceil_char_boundary(KEPT / 4);
        piece.text.drain(..cut);
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::clock::{Clock as _, SystemClock};
    use amelia_core::driver::{DeltaKind, Usage};
    use amelia_core::event::{AgentEvent, Draft};
    use amelia_core::id::{AgentName, Seq};
    use amelia_core::run::Domain;

    use super::*;

    fn delta(run: RunId, agent: &str, kind: DeltaKind, text: &str, after: u64) -> Delta {
        let (agent, text) = (AgentName::new(agent).unwrap(), text.to_owned());
        Delta { run, session: None, agent, kind, text, after: Seq(after) }
    }

    fn written(run: RunId, agent: &str, kind: EventKind) -> Event {
        let draft = Draft {
            agent: AgentName::new(agent).unwrap(),
            ..Draft::of_system(&SystemClock, Domain::Workflow, kind)
        };
        Event { run, seq: Seq(9), trace: amelia_core::store::trace_of(run), draft }
    }

    fn said(said: &LiveText, run: RunId) -> Vec<(String, String, u64)> {
        let pieces = said.of(run).0;
        pieces.iter().map(|piece| (piece.agent.to_string(), piece.text.clone(), piece.after.0)).collect()
    }

    #[test]
    fn a_reader_that_comes_in_the_middle_gets_the_whole_answer_and_nothing_twice() {
        let (all, run) = (LiveText::default(), RunId(SystemClock.new_id()));
        all.say(delta(run, "developer", DeltaKind::Thinking, "hm", 3));
        all.say(delta(run, "developer", DeltaKind::Text, "It ", 3));
        all.say(delta(run, "reviewer", DeltaKind::Text, "No", 3));
        all.say(delta(run, "developer", DeltaKind::Text, "adds", 4));
        let (_, mut live) = all.of(run);
        assert!(live.try_recv().is_err(), "it has it already");
        let piece = |agent: &str, text: &str, after| (agent.to_owned(), text.to_owned(), after);
        let expected =
            [piece("developer", "hm", 3), piece("developer", "It adds", 4), piece("reviewer", "No", 3)];
        assert_eq!(said(&all, run), expected);
        all.say(delta(run, "developer", DeltaKind::Text, " now", 4));
        assert_eq!(live.try_recv().unwrap().text, " now");
        let finished = AgentEvent::Finished {
            text: "It adds now".to_owned(),
            is_error: false,
            session: None,
            tokens: None,
            duration_ms: None,
            memories_stored: None,
        };
        all.is_written(&written(run, "developer", EventKind::Agent(finished)));
        assert_eq!(said(&all, run), [piece("reviewer", "No", 3)]);
        all.is_written(&written(run, "system", EventKind::Run(RunEvent::Cancelled { by: None })));
        assert!(all.unfinished.lock().is_empty(), "nothing is left behind");
    }

    #[test]
    fn two_conversations_of_one_agent_are_kept_apart() {
        let (all, run) = (LiveText::default(), RunId(SystemClock.new_id()));
        let sessions = [(); 2].map(|()| Some(RunId(SystemClock.new_id())));
        let piece = |number: usize, text: &str| Delta {
            session: sessions[number],
            ..delta(run, "developer", DeltaKind::Text, text, 3)
        };
        for (number, text) in [(0, "One "), (1, "Two "), (0, "task"), (1, "tasks")] {
            all.say(piece(number, text));
        }
        let texts = || said(&all, run).into_iter().map(|(_, text, _)| text).collect::<Vec<_>>();
        assert_eq!(texts(), ["One task", "Two tasks"]);
        let mut event = written(run, "developer", EventKind::Agent(AgentEvent::Used(Usage::default())));
        event.draft.session = sessions[0];
        all.is_written(&event);
        assert_eq!(texts(), ["Two tasks"], "the other one is still speaking");
    }

    #[test]
    fn what_is_too_long_loses_its_beginning() {
        let (all, run) = (LiveText::default(), RunId(SystemClock.new_id()));
        for _ in 0..20 {
            all.say(delta(run, "developer", DeltaKind::Tool, &"é".repeat(20_000), 3));
        }
        let length = said(&all, run)[0].1.len();
        assert!(length <= KEPT && length > KEPT / 2, "{length}");
    }
}
