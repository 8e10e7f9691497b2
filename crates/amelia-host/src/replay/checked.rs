//! A store that takes only what the recorded run has written. Anything else is a difference; what is written after the
//! end of a life never arrives, as when the process had died.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Weak};
use std::time::Duration;

use amelia_core::event::run::Steering;
use amelia_core::event::{AgentEvent, Draft, Event, EventKind, HumanEvent, NodeEvent, RunEvent};
use amelia_core::human::{HumanKind, HumanReply};
use amelia_core::id::{RequestId, RunId, Seq, Step};
use amelia_core::recording::{Difference, Playback, first_difference};
use amelia_core::store::{Commit, CommitReceipt, Store, StoreError, StoreFuture, StoreLayer};
use amelia_store::memory::MemoryStore;
use async_trait::async_trait;
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::facts::{comparable, is_later, place_of, vocabulary};
use super::stage::PlayedClock;

/// In time that passes only when no task has anything to do: all others have continued as far as they can.
const MOMENT: Duration = Duration::from_millis(1);
/// Likewise, and also what was only noted has been written: who waits for their turn any longer waits in vain.
const IDLE: Duration = Duration::from_millis(100);

/// Something that the run received in the middle of its life, and that is due now.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Due {
    Reply(HumanReply),
    /// Let it finish what it does.
    Pause,
    /// At once.
    Halt,
    Cancel,
    Steer(Steering),
}

/// What is still to come in this life.
#[derive(Default)]
struct Expected {
    /// In the order of the log; `None` has come.
    facts: VecDeque<Option<Event>>,
    /// By what they say.
    by_text: HashMap<String, VecDeque<usize>>,
    /// How many have left the front.
    gone: usize,
    left: usize,
    /// The last one that was due and sent.
    told: Option<Seq>,
    /// Where the run was cancelled or paused at once: everybody at work was dropped there.
    stop: Option<Seq>,
    /// What was written and does not fit.
    strange: Vec<Draft>,
    /// The question of now, by the recorded one.
    requests: HashMap<RequestId, RequestId>,
}

pub(super) struct ReplayStore {
    inner: MemoryStore,
    playback: Arc<Playback>,
    clock: Arc<PlayedClock>,
    expected: Mutex<Expected>,
    changed: Notify,
    /// Who said what kind of fact in the recording.
    vocabulary: BTreeSet<String>,
    me: Weak<Self>,
}

impl ReplayStore {
    pub(super) fn new(playback: Arc<Playback>, clock: Arc<PlayedClock>, events: &[Event]) -> Arc<Self> {
        let (inner, expected) = (MemoryStore::new(), Mutex::default());
        let vocabulary: BTreeSet<String> = events.iter().map(|event| vocabulary(&event.draft)).collect();
        let changed = Notify::new();
        Arc::new_cyclic(|me| Self { inner, playback, clock, expected, changed, vocabulary, me: me.clone() })
    }

    /// A kind of fact that the recorded version did not write.
    fn is_unknown_then(&self, draft: &Draft) -> bool {
        is_later(draft) && !self.vocabulary.contains(&vocabulary(draft))
    }

    /// Writes what others had written.
    pub(super) fn give(&self, run: RunId, commit: Commit) -> Result<(), StoreError> {
        self.inner.append(run, commit).map(|_| ())
    }

    /// What the next life must write, and where it was stopped, if it was.
    pub(super) fn expect(&self, facts: &[Event], stop: Option<Seq>) {
        let mut expected = self.expected.lock();
        let requests = std::mem::take(&mut expected.requests);
        let mut by_text: HashMap<String, VecDeque<usize>> = HashMap::new();
        for (place, event) in facts.iter().enumerate() {
            by_text.entry(comparable(&event.draft)).or_default().push_back(place);
        }
        let left = facts.len();
        let facts = facts.iter().cloned().map(Some).collect();
        *expected = Expected { facts, by_text, left, stop, requests, ..Expected::default() };
        drop(expected);
        self.changed.notify_waiters();
    }

    /// Everything has come that was to come in this life.
    pub(super) async fn complete(&self) {
        loop {
            let changed = self.changed.notified();
            if self.expected.lock().left == 0 {
                return;
            }
            changed.await;
        }
    }

    /// The first fact that has not come.
    pub(super) fn missing(&self) -> Option<Difference> {
        let expected = self.expected.lock();
        let first = expected.facts.iter().flatten().next()?;
        Some(difference(first, expected.strange.first()))
    }

    /// Nothing moves any more.
    pub(super) fn stuck(&self) -> Difference {
        self.missing().unwrap_or_else(|| Difference {
            place: "after the end of the recording".to_owned(),
            recorded: "nothing more".to_owned(),
            now: self
                .expected
                .lock()
                .strange
                .first()
                .map(shown)
                .unwrap_or_else(|| "the run continues".to_owned()),
        })
    }

    /// The question that is asked now in the place of a recorded one.
    pub(super) fn request_now(&self, recorded: RequestId) -> RequestId {
        self.expected.lock().requests.get(&recorded).copied().unwrap_or(recorded)
    }

    /// What the run receives next, once everything before it has come.
    pub(super) async fn due(&self) -> Due {
        loop {
            let changed = self.changed.notified();
            let due = self.expected.lock().due(false);
            if let Some(due) = due {
                self.changed.notify_waiters();
                return due;
            }
            tokio::select! {
                () = changed => {}
                () = tokio::time::sleep(IDLE / 2), if self.expected.lock().is_due_after_notes() => {
                    let due = self.expected.lock().due(true);
                    if let Some(due) = due {
                        self.changed.notify_waiters();
                        return due;
                    }
                }
            }
        }
    }

    /// Takes these facts, if they are some of those that are to come. Returns up to where the log must be written before
    /// their writer continues, and the last of them.
    fn take(&self, drafts: &[Draft]) -> Option<(Seq, Event)> {
        let mut expected = self.expected.lock();
        let mut last: Option<Event> = None;
        for draft in drafts {
            let Some(event) = expected.take(draft) else {
                if expected.left > 0 {
                    self.tell(&expected, draft);
                }
                expected.strange.push(draft.clone());
                return None;
            };
            last = last.filter(|last| last.seq > event.seq).or(Some(event));
        }
        let last = last?;
        self.clock.set(last.draft.at);
        Some((expected.turn_after(&last), last))
    }

    /// Until everything has come that came before `seq` then, or nothing else can: so agents that work beside each other
    /// take their turns as they did.
    pub(super) async fn in_turn(self: Arc<Self>, seq: Seq) {
        let mut has_waited = false;
        loop {
            let changed = self.changed.notified();
            let is_next =
                self.expected.lock().facts.front().and_then(Option::as_ref).is_none_or(|next| next.seq > seq);
            if is_next {
                break;
            }
            has_waited = true;
            tokio::select! {
                () = changed => {}
                () = tokio::time::sleep(IDLE) => return,
            }
        }
        if has_waited {
            // Who came in their turn continues first.
            tokio::time::sleep(MOMENT).await;
        }
    }

    /// Until the run has to stop, if that comes next, or if it is all that comes for the visit that wrote `last`: it
    /// was dropped where it stood.
    async fn stopped(self: Arc<Self>, last: Event, by_visit: bool) {
        loop {
            let changed = self.changed.notified();
            if !self.expected.lock().is_before_stop(&last, by_visit) {
                return;
            }
            changed.await;
        }
    }

    /// The same fact with other words is a difference at once; anything else may yet be one.
    fn tell(&self, expected: &Expected, draft: &Draft) {
        let place = place_of(draft);
        let mut facts = expected.facts.iter().flatten();
        if let Some(event) = facts.find(|event| place_of(&event.draft) == place) {
            self.playback.differ(difference(event, Some(draft)));
        }
    }
}

impl Expected {
    fn take(&mut self, draft: &Draft) -> Option<Event> {
        let place = self.by_text.get_mut(&comparable(draft))?.pop_front()?;
        let event = self.facts.get_mut(place.checked_sub(self.gone)?)?.take()?;
        self.left = self.left.saturating_sub(1);
        while let Some(None) = self.facts.front() {
            self.facts.pop_front();
            self.gone += 1;
        }
        if let (EventKind::Human(HumanEvent::Requested(then)), EventKind::Human(HumanEvent::Requested(now))) =
            (&event.draft.kind, &draft.kind)
        {
            self.requests.insert(then.id, now.id);
        }
        Some(event)
    }

    /// When the writer of this fact may continue: when everything has come that came before their next one. So who was
    /// slower than others then is slower now.
    fn turn_after(&self, last: &Event) -> Seq {
        let Some(step) = last.draft.step else { return last.seq };
        // The engine asks in the name of a visit, which may be at work: it must hear the answer.
        if matches!(last.draft.kind, EventKind::Human(_)) {
            return last.seq;
        }
        let mut later = self.facts.iter().flatten().filter(|event| event.seq > last.seq);
        let next = later.find(|event| is_of(event, step));
        next.map_or(last.seq, |next| Seq(next.seq.0.saturating_sub(1)))
    }

    /// The next fact of a visit, or the failure that it ends with.
    fn end_of(&self, step: Step) -> Option<Seq> {
        let is_failure = |event: &&Event| matches!(event.draft.kind, EventKind::Run(RunEvent::Failed { .. }));
        let next = self.facts.iter().flatten().find(|event| is_of(event, step));
        next.or_else(|| self.facts.iter().flatten().find(is_failure)).map(|event| event.seq)
    }

    /// Whether all that still comes of the visit that wrote `last` is its end.
    fn is_ending(&self, last: &Event) -> bool {
        let Some(step) = last.draft.step else { return false };
        let mut theirs = self.facts.iter().flatten().filter(|event| is_of(event, step));
        theirs.next().is_some_and(|event| matches!(event.draft.kind, EventKind::Node(NodeEvent::Left { .. })))
    }

    /// Whether the writer of `last` writes nothing more before the run has to stop.
    fn is_before_stop(&self, last: &Event, by_visit: bool) -> bool {
        let Some(stop) = self.stop else { return false };
        let mut left = self.facts.iter().flatten().filter(|event| event.seq < stop);
        let is_written = self.left == 0;
        match last.draft.step.filter(|_| by_visit) {
            // A visit that leaves notes behind was at work: it asks its model, and is dropped there.
            Some(step) => !is_written && left.all(|event| !is_of(event, step)),
            // The engine must hear it.
            None => self.told != Some(stop) && left.all(is_note),
        }
    }

    /// Words of people and facts from outside that come next.
    fn said(&mut self) -> Vec<Event> {
        let mut said = Vec::new();
        let is_given = |draft: &Draft| match &draft.kind {
            EventKind::Human(HumanEvent::Intervened(_)) => true,
            _ => draft.is_from_outside(),
        };
        while let Some(Some(next)) = self.facts.front()
            && is_given(&next.draft)
        {
            let draft = next.draft.clone();
            said.extend(self.take(&draft));
        }
        said
    }

    /// Whether the run has to stop after facts that may come only when it does.
    fn is_due_after_notes(&self) -> bool {
        let mut facts = self.facts.iter().flatten().skip_while(|event| is_note(event));
        let is_first_note = self.facts.front().and_then(Option::as_ref).is_some_and(is_note);
        is_first_note && facts.next().is_some_and(is_stop)
    }

    /// What comes next; with `after_notes`, behind facts that a stop brings along.
    fn due(&mut self, after_notes: bool) -> Option<Due> {
        let notes = match after_notes {
            true => self.facts.iter().take_while(|fact| fact.as_ref().is_none_or(is_note)).count(),
            false => 0,
        };
        let next = self.facts.get(notes)?.as_ref()?;
        if self.told == Some(next.seq) {
            return None;
        }
        let due = match &next.draft.kind {
            EventKind::Human(HumanEvent::Replied(reply)) => Due::Reply(reply.clone()),
            EventKind::Run(RunEvent::Cancelled { .. }) => Due::Cancel,
            EventKind::Run(RunEvent::Steered(steering)) => Due::Steer(steering.clone()),
            EventKind::Human(HumanEvent::Requested(request)) if request.kind == HumanKind::Pause => {
                let after = self.facts.get(notes + 1).and_then(Option::as_ref).map(|event| &event.draft.kind);
                match after {
                    Some(EventKind::Run(RunEvent::Paused { .. })) | None => Due::Halt,
                    Some(_) => Due::Pause,
                }
            }
            _ => return None,
        };
        self.told = Some(next.seq);
        Some(due)
    }
}

/// Whether a fact comes from a visit, its end included.
fn is_of(event: &Event, step: Step) -> bool {
    match &event.draft.kind {
        EventKind::Node(NodeEvent::Left { step: left, .. }) => *left == step,
        _ => event.draft.step == Some(step),
    }
}

/// What a visit leaves behind when it is stopped in the middle.
fn is_note(event: &Event) -> bool {
    matches!(event.draft.kind, EventKind::Agent(AgentEvent::Used(_)))
}

/// A cancellation or a pause.
fn is_stop(event: &Event) -> bool {
    match &event.draft.kind {
        EventKind::Run(RunEvent::Cancelled { .. }) => event.draft.session.is_none(),
        EventKind::Human(HumanEvent::Requested(request)) => request.kind == HumanKind::Pause,
        _ => false,
    }
}

fn difference(then: &Event, now: Option<&Draft>) -> Difference {
    let place = format!("fact {} ({})", then.seq, then.draft.kind.name());
    match now {
        None => {
            Difference { place, recorded: then.draft.kind.summary(), now: "it does not happen".to_owned() }
        }
        Some(now) if place_of(now) == place_of(&then.draft) => {
            let (at, recorded, now) = first_difference(&comparable(&then.draft), &comparable(now));
            Difference { place: format!("{place}{at}"), recorded, now }
        }
        Some(now) => Difference { place, recorded: then.draft.kind.summary(), now: shown(now) },
    }
}

fn shown(draft: &Draft) -> String {
    format!("{}: {}", draft.kind.name(), draft.kind.summary())
}

#[async_trait]
impl StoreLayer for ReplayStore {
    fn inner(&self) -> &dyn Store {
        &self.inner
    }

    /// A visit whose work was done in an earlier life has nothing more to write than its end: nothing else holds it back. One
    /// that did not end in this life does not end now.
    async fn turn_of(&self, step: Step) {
        let next = self.expected.lock().end_of(step);
        match (next, self.me.upgrade()) {
            (Some(next), Some(me)) => me.in_turn(Seq(next.0.saturating_sub(1))).await,
            _ => std::future::pending().await,
        }
    }

    fn commit(&self, run: RunId, after: Seq, mut commit: Commit) -> StoreFuture<CommitReceipt> {
        let _ = after;
        commit.drafts.retain(|draft| !self.is_unknown_then(draft));
        if commit.drafts.is_empty() {
            return Box::pin(std::future::ready(self.inner.append(run, commit)));
        }
        let by_visit = commit.checkpoint.is_none();
        let Some((turn, last)) = self.take(&commit.drafts) else { return Box::pin(std::future::pending()) };
        let committed = self.inner.append(run, commit);
        // Agents hear words from their own recordings; that they were said is only to be written down, like facts that
        // came from outside.
        for words in self.expected.lock().said() {
            let said = Commit { drafts: vec![words.draft], ..Commit::default() };
            if let Err(error) = self.inner.append(run, said) {
                return Box::pin(std::future::ready(Err(error)));
            }
        }
        self.changed.notify_waiters();
        let me = self.me.upgrade();
        Box::pin(async move {
            if let Some(me) = me {
                Arc::clone(&me).in_turn(turn).await;
                let is_ending = me.expected.lock().is_ending(&last);
                if is_ending && me.playback.arrived(turn).await {
                    // The agent that waited for it uses it first.
                    tokio::time::sleep(MOMENT).await;
                }
                me.stopped(last, by_visit).await;
            }
            committed
        })
    }
}
