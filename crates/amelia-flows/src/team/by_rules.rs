//! Who continues where agents hand over to each other: the agent itself says so, or the rules of the team. Pure.

use amelia_core::event::team::HandoffKind;
use amelia_core::object::Object;
use amelia_graph::graph::RouteError;

use super::after::{AfterTurn, LentTurn};
use super::rules::{Rule, TeamRules};
use crate::chat::{TurnEnd, TurnOutcome};
use crate::condition::{Variables, Verdict};

pub(super) const BAD_CONDITION: &str = "bad_condition";

pub(super) fn by_rules(
    rules: &TeamRules,
    state: &dyn Variables,
    turn: &TurnEnd,
) -> Result<AfterTurn, RouteError> {
    let from = turn.agent.as_str();
    if let TurnOutcome::HandedOff { to, reason, context } = &turn.outcome {
        let move_ = Move { to, reason: reason.clone(), task: reason, context };
        return moved(rules, state, from, rules.kind_of(from, to), &move_);
    }
    let (none, task) = (Object::new(), turn.text.as_str());
    for rule in rules.from(from).iter().filter(|rule| !has_just_worked(rule, turn)) {
        let Some((text, _)) = &rule.condition else { continue };
        if fires(rule, state)? {
            let move_ = Move { to: &rule.to, reason: format!("rule: {text}"), task, context: &none };
            return moved(rules, state, from, rule.kind, &move_);
        }
    }
    let plain = rules.plain_rules(from).into_iter().filter(|rule| !has_just_worked(rule, turn));
    match plain.collect::<Vec<_>>().as_slice() {
        [] => Ok(AfterTurn::Done),
        [only] => {
            let move_ = Move { to: &only.to, reason: "rule".to_owned(), task, context: &none };
            moved(rules, state, from, only.kind, &move_)
        }
        _ if turn.was_asked => Ok(AfterTurn::Done),
        _ => Ok(AfterTurn::Ask),
    }
}

/// Who is next, and with which prompt.
struct Move<'a> {
    to: &'a str,
    reason: String,
    /// For those who work for the agent.
    task: &'a str,
    context: &'a Object,
}

/// In the turn in which the others have just worked for an agent, only the agent itself lets them work again: the rules would do
/// so for ever.
fn has_just_worked(rule: &Rule, turn: &TurnEnd) -> bool {
    turn.is_back && rule.kind != HandoffKind::Sequential
}

fn moved(
    rules: &TeamRules,
    state: &dyn Variables,
    from: &str,
    kind: HandoffKind,
    move_: &Move<'_>,
) -> Result<AfterTurn, RouteError> {
    let (to, context) = (move_.to.to_owned(), move_.context.clone());
    let lent = |to: Vec<String>| {
        AfterTurn::Lend(LentTurn { to, task: move_.task.to_owned(), context: context.clone(), kind })
    };
    Ok(match kind {
        HandoffKind::Sequential => {
            let (node, reason) = (to.clone(), move_.reason.clone());
            AfterTurn::HandOff { to, node, reason, context, kind }
        }
        HandoffKind::Hierarchical => lent(vec![to]),
        HandoffKind::Parallel => lent(all_parallel(rules, state, from, &to)?),
    })
}

/// The agents of all parallel rules of an agent that apply, and the one that it is about.
fn all_parallel(
    rules: &TeamRules,
    state: &dyn Variables,
    from: &str,
    about: &str,
) -> Result<Vec<String>, RouteError> {
    let mut all: Vec<String> = Vec::new();
    for rule in rules.from(from).iter().filter(|rule| rule.kind == HandoffKind::Parallel) {
        let applies = rule.to == about || rule.condition.is_none() || fires(rule, state)?;
        if applies && !all.contains(&rule.to) {
            all.push(rule.to.clone());
        }
    }
    Ok(all)
}

/// Whether the condition of a rule is true.
fn fires(rule: &Rule, state: &dyn Variables) -> Result<bool, RouteError> {
    let Some((text, condition)) = &rule.condition else { return Ok(false) };
    let bad = |reason: String| RouteError {
        code: BAD_CONDITION,
        message: format!("cannot be chosen, because `{text}` cannot be evaluated: {reason}"),
    };
    match condition.evaluate(state).map_err(bad)? {
        Verdict::Bool(is_true) => Ok(is_true),
        Verdict::Label(label) => Err(bad(format!("needs true or false, but is `{label}`"))),
    }
}

#[cfg(test)]
#[path = "by_rules_tests.rs"]
mod tests;
