//! How a run moves: a node finishes or a command comes, the position changes, everything is committed at once,
//! and only then new nodes are put to work.

use std::sync::Arc;

use amelia_core::checkpoint::{Checkpoint, SavedState, Visit, VisitQuestion};
use amelia_core::event::human::Intervention;
use amelia_core::event::run::{RunFailure, Steering};
use amelia_core::event::system::SystemError;
use amelia_core::event::{Draft, EventKind, HumanEvent, NodeEvent, RunEvent, SystemEvent};
use amelia_core::human::{HumanAction, HumanKind, HumanReply, HumanRequest};
use amelia_core::human_tool::after_advice;
use amelia_core::id::{NodeId, Seq, Step};
use amelia_core::problem::Problem;
use amelia_core::stop_rule::STOP;
use amelia_core::store::Commit;
use serde_json::json;

use super::{Engine, EngineError, Stop};
use crate::control::ControlCommand;
use crate::node::{EarlyQuestions, NodeCx, Outcome};
use crate::position::{self, AnswerVerdict, NotWaiting, RestState};
use crate::state::{State, StateConditions};
use crate::visits::FinishedVisit;

impl<S: State> Engine<'_, S> {
    /// A node came to its end: apply what it changed, follow its edge, continue.
    pub(super) async fn finish(
        &mut self,
        finished: FinishedVisit<S::Update>,
    ) -> Result<Option<Stop>, EngineError> {
        let FinishedVisit { node, step, started, noted: mut drafts, outcome } = finished;
        self.at_work.remove(&node);
        let updates = match outcome {
            Ok(Outcome::Done(updates)) => {
                if let Some(visit) = self.position.entered.remove(&node) {
                    drafts.extend(self.unanswered(&visit));
                }
                drafts.push(self.left(&node, step, started));
                updates
            }
            Ok(Outcome::Wait(requests)) => {
                self.tried = self.tried.max(step);
                let new = match self.position.entered.get_mut(&node) {
                    Some(visit) => visit.ask(requests),
                    None => requests,
                };
                drafts.extend(new.into_iter().map(|request| self.requested(step, request)));
                Vec::new()
            }
            Err(error) => {
                self.fail(&error.code, error.problem, Some(node));
                return self.go_on(drafts).await;
            }
        };
        let is_done = !self.position.entered.contains_key(&node);
        // Only this engine holds the state unless siblings are at work: no copy for a lone branch.
        let saved = self.apply(updates)?;
        if is_done {
            self.arrive_after(Some(&node));
        }
        self.advance(drafts, saved).await
    }

    /// Sub-agents ask while others of their visit are at work: people see it at once.
    pub(super) async fn show(&mut self, asked: EarlyQuestions) -> Result<Option<Stop>, EngineError> {
        let EarlyQuestions { node, step, requests, shown } = asked;
        let is_at_work = self.at_work.contains(&node);
        let visit = self.position.entered.get_mut(&node).filter(|visit| is_at_work && visit.step == step);
        let new = visit.map(|visit| visit.ask_early(requests)).unwrap_or_default();
        let drafts = new.into_iter().map(|request| self.requested(step, request)).collect();
        let stop = self.go_on(drafts).await?;
        // The visit may have ended by itself.
        shown.send(()).ok();
        Ok(stop)
    }

    /// A visit that has ended needs no answer to what was asked early in it.
    fn unanswered(&self, visit: &Visit) -> Vec<Draft> {
        let open = visit.early.iter().filter(|question| question.is_waiting());
        let closed = open.filter_map(VisitQuestion::request).map(|request| {
            let reply = HumanReply::go_on(request.id, self.shared.clock.now());
            let reply = HumanReply { action: HumanAction::TimedOut, ..reply };
            self.shared.draft(EventKind::Human(HumanEvent::Replied(reply)))
        });
        closed.collect()
    }

    /// Applies updates and says what is to be saved for them.
    fn apply(&mut self, updates: Vec<S::Update>) -> Result<SavedState, EngineError> {
        let raw = serde_json::value::to_raw_value(&updates)
            .map_err(|error| EngineError::Unwritable(error.to_string()))?;
        let state = Arc::make_mut(&mut self.state);
        updates.into_iter().for_each(|update| state.apply(update));
        self.snapshots.save(state, raw).map_err(|error| EngineError::Unwritable(error.to_string()))
    }

    pub(super) fn arrive_after(&mut self, from: Option<&NodeId>) {
        match self.graph.next(from, &self.state) {
            Ok(targets) => {
                for target in &targets {
                    position::arrive(&mut self.position, &self.graph.joins, from, target);
                }
            }
            Err(error) => {
                self.position.unrouted.extend(from.cloned());
                self.fail(error.error.code, error.to_string(), from.cloned());
            }
        }
    }

    /// Follows the routes that a failed run could not: its own first one, and those of nodes it had left.
    pub(super) fn route_again(&mut self) {
        let position = &self.position;
        if position.steps == Step::default() && position.ready.is_empty() && position.held.is_none() {
            self.arrive_after(None);
        }
        for node in std::mem::take(&mut self.position.unrouted) {
            self.arrive_after(Some(&node));
        }
    }

    pub(super) async fn obey(&mut self, command: ControlCommand) -> Result<Option<Stop>, EngineError> {
        match command {
            ControlCommand::Reply(reply, answer) => match self.answer(reply) {
                Ok(drafts) => {
                    let words = advice_in(&drafts);
                    let stop = self.go_on(drafts).await?;
                    words.into_iter().for_each(|words| self.shared.words.say(words));
                    // The sender may have gone; the answer is in the log all the same.
                    answer.send(Ok(())).ok();
                    Ok(stop)
                }
                Err(error) => {
                    answer.send(Err(error)).ok();
                    Ok(None)
                }
            },
            ControlCommand::Say(words, answer) => {
                let said = EventKind::Human(HumanEvent::Intervened(words.clone()));
                let stop = self.go_on(vec![self.shared.draft(said)]).await?;
                self.shared.words.say(words);
                answer.send(()).ok();
                Ok(stop)
            }
            ControlCommand::Steer(steering, answer) => {
                let draft = self.shared.draft(EventKind::Run(RunEvent::Steered(steering.clone())));
                match steering {
                    Steering::Breakpoints(nodes) => self.breakpoints = nodes,
                    Steering::Step => self.position.allowance = Some(0),
                    Steering::Continue => self.position.allowance = None,
                    Steering::Stops(rules) => self.shared.stops.replace(rules),
                    Steering::RemoveRule { agent, rule } => {
                        self.shared.granted.lock().retain(|grant| !grant.is(&agent, &rule));
                    }
                }
                let stop = self.go_on(vec![draft]).await?;
                answer.send(()).ok();
                Ok(stop)
            }
            ControlCommand::Note(facts, answer) => {
                let drafts = facts.into_iter().map(|fact| self.shared.draft(fact)).collect();
                let stop = self.go_on(drafts).await?;
                answer.send(()).ok();
                Ok(stop)
            }
            ControlCommand::Pause(answer) => {
                let drafts = self.hold();
                let stop = self.go_on(drafts).await?;
                answer.send(()).ok();
                Ok(stop)
            }
            ControlCommand::Halt(answer) => {
                // As if the process had died here: what they recorded stays, and they continue from it.
                let mut drafts = self.visits.stop();
                self.at_work.clear();
                self.tried = self.position.steps;
                drafts.extend(self.hold());
                let stop = self.go_on(drafts).await?;
                answer.send(()).ok();
                Ok(stop)
            }
        }
    }

    /// Holds the whole run with a question, unless one holds it already.
    fn hold(&mut self) -> Vec<Draft> {
        if self.position.held.is_some() {
            return Vec::new();
        }
        let request = self.shared.ask(HumanKind::Pause, "paused by you".to_owned());
        self.position.held = Some(request.clone());
        vec![self.shared.draft(EventKind::Human(HumanEvent::Requested(request)))]
    }

    pub(super) fn answer(&mut self, reply: HumanReply) -> Result<Vec<Draft>, NotWaiting> {
        if let Some(request) = self.shared.take_advice(reply.request) {
            return Ok(self.advised(request, reply));
        }
        let verdict = position::answer(&mut self.position, &reply, self.graph.limit())?;
        self.is_stopped |= verdict == AnswerVerdict::Stop;
        let granted = reply.granted().cloned();
        let mut drafts = vec![self.shared.draft(EventKind::Human(HumanEvent::Replied(reply)))];
        if let Some(grant) = granted {
            self.shared.granted.lock().push(grant.clone());
            drafts.push(self.shared.draft(EventKind::Run(RunEvent::PermissionGranted(grant))));
        }
        Ok(drafts)
    }

    /// The answer to a question that nothing waits for, and what follows from it.
    fn advised(&self, request: HumanRequest, reply: HumanReply) -> Vec<Draft> {
        let then = after_advice(request, &reply, self.shared.clock.new_id());
        if let HumanEvent::Requested(again) = &then {
            self.shared.await_advice(again.clone());
        }
        [HumanEvent::Replied(reply), then].map(|event| self.shared.draft(EventKind::Human(event))).into()
    }

    /// Moves without a change of state.
    pub(super) async fn go_on(&mut self, drafts: Vec<Draft>) -> Result<Option<Stop>, EngineError> {
        let saved = self.apply(Vec::new())?;
        self.advance(drafts, saved).await
    }

    /// The one place where a run moves: enter what is ready, see whether it rests, commit all of it, and
    /// only then put nodes to work.
    async fn advance(
        &mut self,
        mut drafts: Vec<Draft>,
        state: SavedState,
    ) -> Result<Option<Stop>, EngineError> {
        if self.is_stopped {
            return self.cancelled_with(drafts).await.map(Some);
        }
        let has_entered = self.failure.is_none() && self.enter(&mut drafts);
        let stop = if has_entered { None } else { self.rest(&mut drafts) };
        if drafts.is_empty() {
            // A visit may have asked only what is answered already.
            self.work();
            return Ok(None);
        }
        self.commit(drafts, state).await?;
        if stop.is_none() {
            self.work();
        }
        Ok(stop)
    }

    fn enter(&mut self, drafts: &mut Vec<Draft>) -> bool {
        let shared = Arc::clone(&self.shared);
        let since = shared.journal.end();
        shared.stops.notice(drafts);
        drafts.extend(self.stop_for_events());
        let already_noticed = drafts.len();
        let (state, breakpoints) = (&self.state, &self.breakpoints);
        let stop_before = |node: &NodeId| {
            if breakpoints.contains(node) {
                return Some((HumanKind::Breakpoint, format!("breakpoint before `{node}`: continue?")));
            }
            let (rule, verdict) = shared.stops.before_node(node.as_str(), |text| state.decide(text))?;
            Some((rule.asks(), format!("{}, before `{node}`: continue?", rule.prompt(&verdict))))
        };
        let ask = |kind, prompt| match kind {
            // Like a stop of the engine, a "no" ends the run.
            HumanKind::Approval => {
                HumanRequest { context: json!({ STOP: { "gate": true } }), ..shared.ask(kind, prompt) }
            }
            _ => shared.ask(kind, prompt),
        };
        let entering = position::enter(&mut self.position, stop_before, since, ask);
        let has_entered = !entering.entered.is_empty();
        for (node, step) in entering.entered {
            drafts.push(shared.draft(EventKind::Node(NodeEvent::Entered { node, step })));
        }
        for request in entering.requests {
            drafts.push(shared.draft(EventKind::Human(HumanEvent::Requested(request))));
        }
        shared.stops.notice(drafts.get(already_noticed..).unwrap_or_default());
        has_entered
    }

    /// Holds the run before its next node, if something has happened that a rule waits for.
    fn stop_for_events(&mut self) -> Option<Draft> {
        let next = position::next_to_enter(&self.position)?;
        let (rule, verdict) = self.shared.stops.after_event(|text| self.state.decide(text))?;
        let prompt = format!("{}, before `{next}`: continue?", rule.prompt(&verdict));
        let request = self.shared.ask(HumanKind::Breakpoint, prompt);
        self.position.held = Some(request.clone());
        Some(self.shared.draft(EventKind::Human(HumanEvent::Requested(request))))
    }

    /// Says why the run stops here, if it does.
    fn rest(&mut self, drafts: &mut Vec<Draft>) -> Option<Stop> {
        if !self.visits.is_empty() {
            return None;
        }
        if let (None, Some(held)) = (&self.failure, &self.position.held) {
            let reason = held.kind;
            drafts.push(self.shared.draft(EventKind::Run(RunEvent::Paused { reason })));
            return Some(Stop::Waiting(reason));
        }
        if self.failure.is_none() {
            match position::rest(&self.position, &self.graph.joins) {
                RestState::Busy => return None,
                RestState::Waiting(reason) => {
                    drafts.push(self.shared.draft(EventKind::Run(RunEvent::Paused { reason })));
                    return Some(Stop::Waiting(reason));
                }
                RestState::Over => {
                    self.position.ended = true;
                    let completed = RunEvent::Completed { summary: self.state.summary() };
                    drafts.push(self.shared.draft(EventKind::Run(completed)));
                    return Some(Stop::Completed);
                }
                RestState::Starved { join, missing } => {
                    let missing: Vec<&str> = missing.iter().map(NodeId::as_str).collect();
                    let message = format!(
                        "the join at `{join}` will never be complete: {} did not arrive",
                        missing.join(", ")
                    );
                    self.fail("join_starved", message, Some(join));
                }
            }
        }
        let failure = self.failure.clone()?;
        if let Some(error) = SystemError::of(&failure, self.shared.clock.new_id()) {
            drafts.push(self.shared.draft(EventKind::System(SystemEvent::Failed(error))));
        }
        let event = RunEvent::Failed { failure: failure.clone() };
        drafts.push(self.shared.draft(EventKind::Run(event)));
        Some(Stop::Failed(failure))
    }

    async fn commit(&mut self, drafts: Vec<Draft>, state: SavedState) -> Result<Seq, EngineError> {
        let checkpoint = Checkpoint {
            graph: self.graph.name.clone(),
            version: self.graph.version,
            at: self.shared.clock.now(),
            position: self.position.clone(),
            state,
        };
        let commit = Commit { drafts, checkpoint: Some(checkpoint), ..Commit::default() };
        let journal = Arc::clone(&self.shared.journal);
        Ok(self.visits.meanwhile(journal.commit(commit)).await?)
    }

    /// Puts every node to work that was entered, has no open question, and is not at work already. Not in a run
    /// that has failed, whose nodes are tried again only on request; and while the run is held, an answer
    /// waits with it.
    fn work(&mut self) {
        if self.failure.is_some() {
            return;
        }
        for (node, visit) in &mut self.position.entered {
            if visit.is_waiting() || (self.position.held.is_some() && !visit.answers().is_empty()) {
                continue;
            }
            let Some(place) = self.graph.nodes.get(node).filter(|_| !self.at_work.contains(node)) else {
                continue;
            };
            let answered = visit.begin_try();
            let cx = NodeCx {
                run: self.run,
                node: node.clone(),
                step: visit.step,
                since: visit.since,
                is_first_try: visit.step > self.tried,
                answered,
                shared: Arc::clone(&self.shared),
                session: None,
                past: Arc::default(),
                effects: Arc::default(),
                notes: Arc::default(),
                state: Arc::clone(&self.state) as Arc<dyn StateConditions>,
                task: None,
            };
            self.at_work.insert(node.clone());
            self.visits.start(Arc::clone(&place.node), cx, Arc::clone(&self.state));
        }
    }

    pub(super) async fn cancelled(&mut self) -> Result<Stop, EngineError> {
        self.cancelled_with(Vec::new()).await
    }

    /// Dropping the visits stops them; what they had recorded stays.
    pub(super) async fn cancelled_with(&mut self, mut drafts: Vec<Draft>) -> Result<Stop, EngineError> {
        drafts.extend(self.visits.stop());
        self.position.ended = true;
        drafts.push(self.shared.draft(EventKind::Run(RunEvent::Cancelled { by: None })));
        let state = self.apply(Vec::new())?;
        self.commit(drafts, state).await?;
        Ok(Stop::Cancelled)
    }

    /// The first failure counts. Siblings at work may finish; nothing new is entered.
    fn fail(&mut self, code: &str, problem: impl Into<Problem>, node: Option<NodeId>) {
        self.failure.get_or_insert(RunFailure { node, ..RunFailure::new(code, problem) });
    }

    fn left(&self, node: &NodeId, step: Step, started: jiff::Timestamp) -> Draft {
        let now = self.shared.clock.now();
        let duration_ms = u64::try_from(now.duration_since(started).as_millis()).unwrap_or(0);
        let kind = EventKind::Node(NodeEvent::Left { node: node.clone(), step, duration_ms });
        Draft { at: now, ..self.shared.draft(kind) }
    }

    fn requested(&self, step: Step, request: HumanRequest) -> Draft {
        let kind = EventKind::Human(HumanEvent::Requested(request));
        Draft { step: Some(step), ..self.shared.draft(kind) }
    }
}

/// The notice to agents that have asked without waiting.
fn advice_in(drafts: &[Draft]) -> Vec<Intervention> {
    let words = |draft: &Draft| match &draft.kind {
        EventKind::Human(HumanEvent::Intervened(words)) => Some(words.clone()),
        _ => None,
    };
    drafts.iter().filter_map(words).collect()
}
