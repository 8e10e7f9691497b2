//! The scheduler: how a position changes. Pure; the engine asks, commits, then acts.
//!
//! Without a join, a node runs once per arrival. A join waits for one arrival of each of its sources.
//! One visit of a node at a time; further arrivals wait their turn.

use std::collections::{BTreeMap, BTreeSet};

use amelia_core::checkpoint::{Position, Visit, VisitQuestion};
use amelia_core::human::{AnsweredRequest, HumanKind, HumanReply, HumanRequest, WaitMode};
use amelia_core::id::{NodeId, RequestId, Seq, Step};
use amelia_core::stop_rule::STOP;

/// Sources that each join waits for.
pub(crate) type Joins = BTreeMap<NodeId, BTreeSet<NodeId>>;

/// Moves on from `from` (`None` is the start) to `to`.
pub(crate) fn arrive(position: &mut Position, joins: &Joins, from: Option<&NodeId>, to: &NodeId) {
    let Some((sources, from)) = joins.get(to).zip(from) else {
        *position.ready.entry(to.clone()).or_default() += 1;
        return;
    };
    let arrived = position.arrived.entry(to.clone()).or_default();
    *arrived.entry(from.clone()).or_default() += 1;
    if sources.iter().all(|source| arrived.contains_key(source)) {
        arrived.retain(|_, count| {
            *count -= 1;
            *count > 0
        });
        if arrived.is_empty() {
            position.arrived.remove(to);
        }
        *position.ready.entry(to.clone()).or_default() += 1;
    }
}

/// What [`enter`] led to.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Entering {
    pub(crate) entered: Vec<(NodeId, Step)>,
    pub(crate) requests: Vec<HumanRequest>,
}

/// Enters every node that is ready, as far as breakpoints, steps, the step limit and a hold allow.
/// `stop_before` is the question before a node, if there is one; `since` is where the log ends; `ask` makes a question.
pub(crate) fn enter(
    position: &mut Position,
    stop_before: impl Fn(&NodeId) -> Option<(HumanKind, String)>,
    since: Seq,
    mut ask: impl FnMut(HumanKind, String) -> HumanRequest,
) -> Entering {
    let mut entering = Entering::default();
    if is_held_by_visit(position) {
        return entering;
    }
    let ready: Vec<NodeId> = position.ready.keys().cloned().collect();
    for node in ready {
        if position.held.is_some() {
            break;
        }
        if position.entered.contains_key(&node) {
            continue;
        }
        match position.stopped.get(&node) {
            // A question stands until it is answered, also when the breakpoint is gone.
            Some(VisitQuestion::Waiting(_)) => continue,
            Some(VisitQuestion::Nothing) | None => {
                if let Some((kind, prompt)) = stop_before(&node) {
                    let request = ask(kind, prompt);
                    entering.requests.push(request.clone());
                    position.stopped.insert(node, VisitQuestion::Waiting(Box::new(request)));
                    continue;
                }
            }
            Some(VisitQuestion::Answered(_)) => {}
        }
        if position.allowance == Some(0) {
            // The visit at work finishes first.
            if position.entered.is_empty() {
                let request = ask(HumanKind::Step, format!("step by step, before `{node}`: continue?"));
                position.held = Some(request.clone());
                entering.requests.push(request);
            }
            break;
        }
        if position.steps >= position.limit {
            let prompt = format!("{} steps are used up before `{node}`: continue?", position.limit);
            let request = ask(HumanKind::StepLimit, prompt);
            position.held = Some(request.clone());
            entering.requests.push(request);
            break;
        }
        position.allowance = position.allowance.map(|left| left.saturating_sub(1));
        take_ready(position, &node);
        position.stopped.remove(&node);
        position.steps = position.steps.next();
        position.entered.insert(node.clone(), Visit::new(position.steps, since));
        entering.entered.push((node, position.steps));
    }
    entering
}

/// Whether a visit has asked something that the whole run waits for.
fn is_held_by_visit(position: &Position) -> bool {
    let asked = position.entered.values().flat_map(Visit::questions);
    let mut waiting = asked.filter(|question| question.is_waiting()).filter_map(VisitQuestion::request);
    waiting.any(|request| request.mode == Some(WaitMode::Synchronous))
}

/// The node that would be entered next, if nothing holds the run and a person was not asked about the node already.
pub(crate) fn next_to_enter(position: &Position) -> Option<&NodeId> {
    let is_next =
        |node: &&NodeId| !position.entered.contains_key(*node) && !position.stopped.contains_key(*node);
    position.ready.keys().find(is_next).filter(|_| position.held.is_none())
}

fn take_ready(position: &mut Position, node: &NodeId) {
    if let Some(count) = position.ready.get_mut(node) {
        *count -= 1;
        if *count == 0 {
            position.ready.remove(node);
        }
    }
}

/// What an answer means for the run as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerVerdict {
    GoOn,
    /// A person said no to a stop of the engine's own.
    Stop,
}

/// Nothing waits for this answer: it was answered before, or never asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("request {0} is not waiting for an answer: it was answered already, or does not exist")]
pub struct NotWaiting(pub RequestId);

/// How far a run goes after a stop of the engine: as far as it can, or one step. What is under way is a step, too.
fn allow(position: &mut Position, reply: &HumanReply) {
    let mut visits = position.entered.values();
    let goes_on = visits.any(|visit| !visit.is_waiting());
    position.allowance = reply.is_one_step().then(|| u32::from(!goes_on));
}

/// Takes an answer. `raise` is how many more steps "continue" allows at the step limit.
pub(crate) fn answer(
    position: &mut Position,
    reply: &HumanReply,
    raise: Step,
) -> Result<AnswerVerdict, NotWaiting> {
    if let Some(held) = position.held.take_if(|held| held.id == reply.request) {
        allow(position, reply);
        if held.kind == HumanKind::StepLimit {
            position.limit = Step(position.limit.0.saturating_add(raise.0));
        }
        return Ok(verdict(AnsweredRequest { request: held, reply: reply.clone() }.is_approval()));
    }
    let visits = position.entered.values_mut().flat_map(Visit::questions_mut).map(|asking| (asking, true));
    let stops = position.stopped.values_mut().map(|asking| (asking, false));
    let found = visits.chain(stops).find_map(|(asking, is_node)| {
        let VisitQuestion::Waiting(request) = asking else { return None };
        let request = Some(request).filter(|request| request.id == reply.request)?;
        let answered = AnsweredRequest { request: (**request).clone(), reply: reply.clone() };
        let approved = answered.is_approval();
        // A stop that a node makes in the name of the engine can be refused like one of the engine.
        let is_stop = answered.request.context.get(STOP).is_some();
        let is_node = is_node && !is_stop && answered.request.kind != HumanKind::Breakpoint;
        *asking = VisitQuestion::Answered(Box::new(answered));
        Some((is_node, approved))
    });
    let (is_node, approved) = found.ok_or(NotWaiting(reply.request))?;
    if !is_node {
        allow(position, reply);
    }
    Ok(verdict(is_node || approved))
}

fn verdict(go_on: bool) -> AnswerVerdict {
    if go_on { AnswerVerdict::GoOn } else { AnswerVerdict::Stop }
}

/// What a run does next, when none of its nodes is at work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RestState {
    /// Some node can run.
    Busy,
    Waiting(HumanKind),
    /// A join waits for sources that will never come.
    Starved {
        join: NodeId,
        missing: Vec<NodeId>,
    },
    Over,
}

/// Looks at a position from which everything that can be entered has been entered.
pub(crate) fn rest(position: &Position, joins: &Joins) -> RestState {
    if position.entered.values().any(|visit| !visit.is_waiting()) {
        return RestState::Busy;
    }
    if let Some(kind) = requests(position).map(|request| request.kind).min() {
        return RestState::Waiting(kind);
    }
    if let Some((join, arrived)) = position.arrived.first_key_value() {
        let sources = joins.get(join).into_iter().flatten();
        let missing = sources.filter(|source| !arrived.contains_key(*source)).cloned().collect();
        return RestState::Starved { join: join.clone(), missing };
    }
    RestState::Over
}

/// Every question without an answer.
pub fn requests(position: &Position) -> impl Iterator<Item = &HumanRequest> {
    let asked = position.entered.values().flat_map(Visit::questions).chain(position.stopped.values());
    let waiting = asked.filter_map(|asking| match asking {
        VisitQuestion::Waiting(request) => Some(request.as_ref()),
        VisitQuestion::Nothing | VisitQuestion::Answered(_) => None,
    });
    position.held.iter().chain(waiting)
}

/// The answer to give when a person lets everything continue.
#[must_use]
pub fn approval(request: &HumanRequest, at: jiff::Timestamp) -> HumanReply {
    HumanReply::go_on(request.id, at)
}

#[cfg(test)]
#[path = "position_tests.rs"]
mod tests;
