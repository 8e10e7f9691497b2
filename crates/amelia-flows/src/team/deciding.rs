//! What follows a turn. Pure: the state alone decides, so a resumed or replayed run goes the same way.

use amelia_core::config::team::execution::StopOn;
use amelia_core::event::team::HandoffKind;
use amelia_core::object::Object;
use amelia_graph::graph::RouteError;

use super::rules::TeamRules;
use crate::chat::{Chat, ChatRole, TurnEnd, TurnOutcome};
use crate::condition::Verdict;

/// How often an agent is told that a success criterion does not hold before a person decides.
const MAX_TOLD: u32 = 3;
/// The code of a run that a failure criterion has ended.
const FAILURE_CRITERION: &str = "failure_criterion";
const BAD_CONDITION: &str = "bad_condition";

/// Where a team continues.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    Agent(String),
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
    /// These success criteria do not hold, however often the agents were told.
    Unmet(Vec<String>),
}

/// What the rules of the team say about the end of a turn.
#[derive(Debug, PartialEq)]
pub(super) enum AfterTurn {
    HandOff {
        to: String,
        reason: String,
        context: Object,
        kind: HandoffKind,
    },
    /// Several may continue, and the agent has not said who.
    Ask,
    Done,
}

/// Where the team continues: the rules of the team, within its limits.
pub(super) fn decide(rules: &TeamRules, state: &Chat) -> Result<Next, RouteError> {
    let run = &state.team;
    let Some(turn) = &run.turn else { return Ok(Next::Agent(rules.entry.clone())) };
    if run.is_accepted {
        return Ok(Next::End);
    }
    let agent = match after_turn(rules, state, turn)? {
        AfterTurn::HandOff { to, .. } => to,
        AfterTurn::Ask => turn.agent.clone(),
        AfterTurn::Done => match &run.unmet {
            None if rules.success.is_empty() => return Ok(Next::End),
            None => return Ok(Next::Check),
            Some(unmet) if unmet.is_empty() => return Ok(Next::End),
            Some(unmet) if run.told > MAX_TOLD => return Ok(Next::Person(Concern::Unmet(unmet.clone()))),
            Some(_) => turn.agent.clone(),
        },
    };
    if let Some((one, other)) = run.ping_pong() {
        return Ok(Next::Person(Concern::PingPong(one.to_owned(), other.to_owned())));
    }
    if steps_left(rules, state) == 0 {
        return Ok(Next::Person(Concern::Steps));
    }
    Ok(Next::Agent(agent))
}

/// Steps that agents may still take.
pub(super) fn steps_left(rules: &TeamRules, state: &Chat) -> u64 {
    let allowed = rules.max_steps.saturating_add(state.team.granted_steps);
    allowed.saturating_sub(state.used.steps)
}

/// The first that holds, in the order of the specification.
pub(super) fn after_turn(rules: &TeamRules, state: &Chat, turn: &TurnEnd) -> Result<AfterTurn, RouteError> {
    if let Some(criterion) = failed(rules, state, turn)? {
        let message = format!("ends the run: the failure criterion `{criterion}` holds");
        return Err(RouteError { code: FAILURE_CRITERION, message });
    }
    if turn.outcome == TurnOutcome::Finished || is_stopped(rules, state, turn) {
        return Ok(AfterTurn::Done);
    }
    if let TurnOutcome::HandedOff { to, reason, context } = &turn.outcome {
        let (to, reason, context) = (to.clone(), reason.clone(), context.clone());
        return Ok(AfterTurn::HandOff { to, reason, context, kind: HandoffKind::Sequential });
    }
    let by_rule = |to: &str, reason: String| AfterTurn::HandOff {
        to: to.to_owned(),
        reason,
        context: Object::new(),
        kind: HandoffKind::Sequential,
    };
    for rule in rules.from(&turn.agent) {
        let Some((text, condition)) = &rule.condition else { continue };
        let bad = |reason: String| RouteError {
            code: BAD_CONDITION,
            message: format!("cannot be decided by `{text}`: {reason}"),
        };
        match condition.evaluate(state).map_err(bad)? {
            Verdict::Bool(true) => return Ok(by_rule(&rule.to, format!("rule: {text}"))),
            Verdict::Bool(false) => {}
            Verdict::Label(label) => return Err(bad(format!("needs true or false, but is `{label}`"))),
        }
    }
    Ok(match rules.plain_targets(&turn.agent).as_slice() {
        [] => AfterTurn::Done,
        [only] => by_rule(only, "rule".to_owned()),
        _ if turn.was_asked => AfterTurn::Done,
        _ => AfterTurn::Ask,
    })
}

/// The failure criterion that holds after a turn.
fn failed<'a>(rules: &'a TeamRules, state: &Chat, turn: &'a TurnEnd) -> Result<Option<&'a str>, RouteError> {
    let words = words_of(turn);
    for criterion in &rules.failure {
        let holds = criterion.holds(state, &words).transpose().map_err(|reason| RouteError {
            code: BAD_CONDITION,
            message: format!("cannot be decided by `{}`: {reason}", criterion.text),
        })?;
        if holds == Some(true) {
            return Ok(Some(&criterion.text));
        }
    }
    Ok(turn.failed.as_deref())
}

/// Whether `stop_on` holds.
fn is_stopped(rules: &TeamRules, state: &Chat, turn: &TurnEnd) -> bool {
    rules.team.execution_config.stop_on.iter().any(|stop| match stop {
        StopOn::TextMention(text) => words_of(turn).iter().any(|said| said.contains(text.as_str())),
        StopOn::MaxMessages(count) => state.used.turns >= u64::from(*count),
    })
}

/// Success criteria that the state alone says do not hold.
pub(super) fn unmet(rules: &TeamRules, state: &Chat) -> Result<Vec<String>, String> {
    let said = state.messages.iter().filter(|message| message.role == ChatRole::Assistant);
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
        TurnOutcome::Said | TurnOutcome::Finished => None,
    };
    [turn.text.as_str()].into_iter().chain(reason).collect()
}

#[cfg(test)]
#[path = "deciding_tests.rs"]
pub(super) mod tests;
