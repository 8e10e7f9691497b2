//! What follows a turn. Pure: the state alone decides, so a resumed or replayed run goes the same way.

use amelia_core::config::team::execution::StopOn;
use amelia_core::event::team::HandoffKind;
use amelia_core::object::Object;
use amelia_core::plan::Plan;
use amelia_graph::graph::RouteError;

use super::PLAN;
use super::after::{AfterTurn, helpers_of};
use super::by_rules::{BAD_CONDITION, by_rules};
use super::consensus::{ConsensusPlan, Stage};
use super::plan::started;
use super::rules::TeamRules;
use super::shape::Shape;
use crate::chat::{Chat, ChatRole, TeamRun, TurnEnd, TurnOutcome};
use crate::condition::Variables;
use crate::hearing::is_at;

/// How often an agent gets the message that a success criterion does not hold before a person decides.
const MAX_TOLD: u32 = 3;
/// How often an agent is asked again to end its turn as it must before a person decides.
const MAX_ASKED_AGAIN: u32 = 2;
/// The code of a run that a failure criterion has ended.
pub(super) const FAILURE_CRITERION: &str = "failure_criterion";

/// Where a team continues.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// This node, by its name in the team.
    Node(String),
    /// The success criteria are looked at.
    Check,
    Person(Concern),
    End,
}

/// Why a person is asked.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Concern {
    /// All steps are used.
    Steps,
    PingPong(String, String),
    /// These success criteria do not hold, however often the agents were reminded.
    Unmet(Vec<String>),
    /// The turn of an agent does not end as it must, however often it was asked.
    Unended {
        agent: String,
        what: &'static str,
    },
    /// A vote has not decided.
    Tie,
    /// These tasks of the plan have failed.
    FailedTasks(Vec<String>),
    /// The team wants the move to this agent to be approved.
    Handoff(String),
    /// The team wants its end to be approved.
    End,
}

/// Where the team continues: the rules of the team, within its limits.
pub(super) fn decide(rules: &TeamRules, state: &Chat) -> Result<Next, RouteError> {
    let run = rules.run(state);
    if run.is_accepted {
        return Ok(Next::End);
    }
    if !run.failed_tasks.is_empty() && run.approval.is_none() {
        run.turn.as_ref().map_or(Ok(()), |turn| check_failure(rules, state, turn))?;
        return Ok(Next::Person(Concern::FailedTasks(run.failed_tasks.clone())));
    }
    if plan_is_next(rules, run, state, &run.plan, run.turn.as_ref()) {
        run.turn.as_ref().map_or(Ok(()), |turn| check_failure(rules, state, turn))?;
        let has_steps = steps_left(rules, state) > 0;
        return Ok(if has_steps { Next::Node(PLAN.to_owned()) } else { Next::Person(Concern::Steps) });
    }
    let Some(turn) = &run.turn else {
        return Ok(Next::Node(run.next_agent.as_ref().unwrap_or(&rules.entry).clone()));
    };
    if let Shape::Consensus(plan) = &rules.shape
        && let Some(next) = next_of_vote(plan, rules, state)
    {
        check_failure(rules, state, turn)?;
        let has_steps = steps_left(rules, state) > 0 || !matches!(next, Next::Node(_));
        return Ok(if has_steps { next } else { Next::Person(Concern::Steps) });
    }
    if run.has_returned && run.next_agent.is_none() {
        let has_steps = steps_left(rules, state) > 0;
        let back = || Next::Node(turn.node().to_owned());
        return Ok(if has_steps { back() } else { Next::Person(Concern::Steps) });
    }
    let is_open = run.approval.is_none();
    let node = match next_after(rules, state, turn)? {
        // Whom a person has chosen, nothing else has to approve.
        AfterTurn::HandOff { to, .. }
            if rules.gates.handoff && is_open && run.next_agent.is_none() && is_move(rules, turn, &to) =>
        {
            return Ok(Next::Person(Concern::Handoff(to)));
        }
        AfterTurn::HandOff { node, .. } | AfterTurn::Step(node) => node,
        AfterTurn::Lend(lent) if rules.gates.handoff && is_open => {
            return Ok(Next::Person(Concern::Handoff(lent.to.join(", "))));
        }
        AfterTurn::Lend(_) => helpers_of(turn.node()),
        AfterTurn::Ask => turn.agent_node().to_owned(),
        AfterTurn::Again(what) if run.asked_again > MAX_ASKED_AGAIN => {
            return Ok(Next::Person(Concern::Unended { agent: turn.agent.clone(), what }));
        }
        AfterTurn::Again(_) => turn.node().to_owned(),
        AfterTurn::Done => match &run.unmet {
            None if !rules.has_check() => return Ok(end(rules, is_open)),
            None => return Ok(Next::Check),
            Some(unmet) if unmet.is_empty() => return Ok(end(rules, is_open)),
            Some(unmet) if run.told > MAX_TOLD => return Ok(Next::Person(Concern::Unmet(unmet.clone()))),
            Some(_) => turn.agent_node().to_owned(),
        },
    };
    if let Some((one, other)) = run.ping_pong() {
        return Ok(Next::Person(Concern::PingPong(one.to_owned(), other.to_owned())));
    }
    if steps_left(rules, state) == 0 {
        return Ok(Next::Person(Concern::Steps));
    }
    Ok(Next::Node(node))
}

/// Whether another agent continues: after a step without an agent, the one that had the last turn may continue itself.
pub(super) fn is_move(rules: &TeamRules, turn: &TurnEnd, to: &str) -> bool {
    turn.back_to.is_none() || (turn.agent != to && rules.has_agent(&turn.agent))
}

/// Whether tasks of the plan are worked on next: where a turn, if there was one, ended with words alone, and no person has said what
/// comes next.
pub(super) fn plan_is_next(
    rules: &TeamRules,
    run: &TeamRun,
    state: &dyn Variables,
    plan: &Plan,
    turn: Option<&TurnEnd>,
) -> bool {
    let is_open = |turn: &TurnEnd| turn.outcome == TurnOutcome::Said && !is_stopped(rules, state, turn);
    rules.has_plan
        && run.next_agent.is_none()
        && run.approval.is_none()
        && turn.is_none_or(is_open)
        && !started(plan, &rules.team, &rules.entry).is_empty()
}

fn end(rules: &TeamRules, is_open: bool) -> Next {
    if rules.gates.end && is_open { Next::Person(Concern::End) } else { Next::End }
}

/// What follows a turn: what a person says, where they have said something, and else the rules.
pub(super) fn next_after(rules: &TeamRules, state: &Chat, turn: &TurnEnd) -> Result<AfterTurn, RouteError> {
    let run = rules.run(state);
    if run.approval == Some(false) {
        return Ok(AfterTurn::Ask);
    }
    match run.next_agent.as_ref() {
        None => after_turn(rules, state, turn),
        Some(next) => {
            check_failure(rules, state, turn)?;
            Ok(overridden(next))
        }
    }
}

/// The move to an agent that a person has chosen.
pub(super) fn overridden(next: &str) -> AfterTurn {
    AfterTurn::HandOff {
        to: next.to_owned(),
        node: next.to_owned(),
        reason: "a person has chosen who continues".to_owned(),
        context: Object::new(),
        kind: HandoffKind::Sequential,
    }
}

/// Where a vote continues; nothing when it is over.
fn next_of_vote(plan: &ConsensusPlan, rules: &TeamRules, state: &Chat) -> Option<Next> {
    match plan.stage(&rules.run(state).consensus) {
        Stage::Propose | Stage::Finalize { .. } => Some(Next::Node(plan.proposer.clone())),
        Stage::Vote => Some(Next::Node(plan.vote_node())),
        Stage::AskPerson => Some(Next::Person(Concern::Tie)),
        Stage::Over => None,
    }
}

/// Steps that agents may still take.
pub(super) fn steps_left(rules: &TeamRules, state: &Chat) -> u64 {
    let run = rules.run(state);
    let allowed = rules.max_steps.saturating_add(run.granted_steps);
    allowed.saturating_sub(state.used.steps.saturating_sub(run.steps_before))
}

/// The first that holds, in the order of the specification.
pub(super) fn after_turn(
    rules: &TeamRules,
    state: &dyn Variables,
    turn: &TurnEnd,
) -> Result<AfterTurn, RouteError> {
    check_failure(rules, state, turn)?;
    if turn.outcome == TurnOutcome::Finished || is_stopped(rules, state, turn) {
        return Ok(AfterTurn::Done);
    }
    match &rules.shape {
        Shape::Handoffs => by_rules(rules, state, turn),
        Shape::Custom(steps) => Ok(steps.after(turn)),
        Shape::Hierarchy(plan) => Ok(plan.after(turn)),
        Shape::Parallel(_) | Shape::Consensus(_) => Ok(AfterTurn::Done),
    }
}

/// Fails the route when a failure criterion holds after a turn.
pub(super) fn check_failure(
    rules: &TeamRules,
    state: &dyn Variables,
    turn: &TurnEnd,
) -> Result<(), RouteError> {
    let Some(criterion) = failed(rules, state, turn)? else { return Ok(()) };
    let message = format!("ends the run: the failure criterion `{criterion}` holds");
    Err(RouteError { code: FAILURE_CRITERION, message })
}

/// The failure criterion that holds after a turn.
fn failed<'a>(
    rules: &'a TeamRules,
    state: &dyn Variables,
    turn: &'a TurnEnd,
) -> Result<Option<&'a str>, RouteError> {
    let words = words_of(turn);
    for criterion in &rules.failure {
        let holds = criterion.holds(state, &words).transpose().map_err(|reason| RouteError {
            code: BAD_CONDITION,
            message: format!("cannot be chosen, because `{}` cannot be evaluated: {reason}", criterion.text),
        })?;
        if holds == Some(true) {
            return Ok(Some(&criterion.text));
        }
    }
    Ok(turn.failed.as_deref())
}

/// Whether `stop_on` holds.
pub(super) fn is_stopped(rules: &TeamRules, state: &dyn Variables, turn: &TurnEnd) -> bool {
    rules.team.execution_config.stop_on.iter().any(|stop| match stop {
        StopOn::TextMention(text) => words_of(turn).iter().any(|said| said.contains(text.as_str())),
        StopOn::MaxMessages(count) => state.variable("turns").as_u64() >= Some(u64::from(*count)),
    })
}

/// Success criteria that the state alone says do not hold.
pub(super) fn unmet(rules: &TeamRules, state: &Chat) -> Result<Vec<String>, String> {
    let said = state.messages.iter().filter(|message| is_at(message, &rules.path));
    let said = said.filter(|message| message.role == ChatRole::Assistant);
    let said: Vec<&str> = said.map(|message| message.text.as_str()).collect();
    let mut unmet = Vec::new();
    for criterion in &rules.success {
        match criterion.holds(state, &said) {
            Some(Ok(false)) => unmet.push(criterion.text.clone()),
            Some(Err(reason)) => return Err(format!("`{}`: {reason}", criterion.text)),
            Some(Ok(true)) | None => {}
        }
    }
    Ok(unmet)
}

/// What an agent said in its turn, to everyone and to the one that it has handed over to.
fn words_of(turn: &TurnEnd) -> Vec<&str> {
    let reason = match &turn.outcome {
        TurnOutcome::HandedOff { reason, .. } => Some(reason.as_str()),
        TurnOutcome::Said | TurnOutcome::Finished | TurnOutcome::Reported { .. } => None,
    };
    [turn.text.as_str()].into_iter().chain(reason).collect()
}

#[cfg(test)]
#[path = "deciding_tests.rs"]
pub(super) mod tests;

#[cfg(test)]
#[path = "deciding_plan_tests.rs"]
mod plan_tests;
