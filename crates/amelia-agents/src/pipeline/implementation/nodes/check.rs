//! The orchestrator itself runs the checks of the profile, and looks whether a conflict was fixed. It believes no agent's
//! word about them.

use std::sync::Arc;

use amelia_core::check::{CheckCommand, CheckResult};
use amelia_core::event::{EventKind, SystemEvent, TaskEvent};
use amelia_core::human::asks::{FAILING_CHECKS, MISSING_PROGRAM};
use amelia_core::human::{HumanKind, HumanRequest};
use amelia_core::message::Object;
use amelia_core::workplace::ConflictedMerge;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;
use serde_json::json;

use super::{note, note_task, taken_as_it_is, task_ref};
use crate::pipeline::implementation::deps::{Deps, broken};
use crate::pipeline::implementation::nodes::evaluate::{Decision, decision};
use crate::pipeline::implementation::state::{Implementation, Update};
use crate::pipeline::limits;

/// Marks the question that is asked when tasks do not fit together, however often it is tried.
const CONFLICT: &str = "merge_conflict";

pub struct CheckNode(pub Arc<Deps>);

#[async_trait]
impl Node<Implementation> for CheckNode {
    async fn run(&self, cx: &NodeCx, state: &Implementation) -> Result<Outcome<Update>, NodeError> {
        if [FAILING_CHECKS, CONFLICT, MISSING_PROGRAM].iter().all(|asked| decision(cx, asked).is_none()) {
            limits::check_answer(cx)?;
        }
        let Self(deps) = self;
        let task = task_ref(state)?;
        if deps.profile.checks.is_empty() && state.task == 0 && state.progress.round == 0 {
            let message = "no checks are configured: only the review says whether it works".to_owned();
            note(cx, EventKind::System(SystemEvent::Warned { message, details: Object::new() }));
        }
        let mut checks: Vec<CheckResult> = Vec::new();
        for check in state.progress.conflict.as_ref().and_then(marks).iter().chain(&deps.profile.checks) {
            let tool_cx = Deps::tool_cx(cx);
            match deps.within_time(cx, deps.place.check(&tool_cx, check)).await {
                Ok(result) => checks.push(deps.roles.developer.redactor.clean(result)),
                Err(out_of_time) => return limits::stopped(cx, out_of_time),
            }
        }
        if let Some(question) = about_setup(cx, &checks)? {
            return Ok(Outcome::ask(question));
        }
        let has_failed = checks.iter().any(|check| !check.passed);
        let is_last_try = state.progress.failed_checks + 1 >= deps.profile.max_review_rounds;
        let mut updates = vec![Update::Checked(checks.clone())];
        if has_failed && is_last_try {
            match after_last_try(cx, state, &checks)? {
                Ok(more) => updates.extend(more),
                Err(question) => {
                    // What the question counts is in the log.
                    note_task(cx, TaskEvent::Checked { task, checks });
                    return Ok(Outcome::ask(question));
                }
            }
        }
        if !checks.is_empty() {
            note_task(cx, TaskEvent::Checked { task, checks });
        }
        updates.push(Update::Seen(deps.place.contents().await.map_err(broken)?));
        Ok(Outcome::Done(updates))
    }
}

/// The question about a check whose program is not on this machine, until it is or the person stops the run: rounds of
/// review would not install it.
fn about_setup(cx: &NodeCx, checks: &[CheckResult]) -> Result<Option<HumanRequest>, NodeError> {
    let missing = checks.iter().find_map(|check| Some((check, check.missing_program()?)));
    let Some((check, program)) = missing else { return Ok(None) };
    if let Some(Decision::Stop) = decision(cx, MISSING_PROGRAM) {
        let message = format!("a person stopped the run: `{program}` is not installed");
        return Err(NodeError::new("checks_failed", message));
    }
    let prompt = format!(
        "the check `{}` cannot run: `{program}` is not installed on this machine. Install it or change the checks of the profile, \
         and continue; or stop?",
        check.name
    );
    let context = json!({"asks": MISSING_PROGRAM, "command": check.command, "output": check.tail()});
    Ok(Some(HumanRequest { context, ..cx.request(HumanKind::Rounds, prompt) }))
}

/// What a person decided about checks that fail for the last time; or the question to them.
fn after_last_try(
    cx: &NodeCx,
    state: &Implementation,
    checks: &[CheckResult],
) -> Result<Result<Vec<Update>, HumanRequest>, NodeError> {
    let failed: Vec<&str> =
        checks.iter().filter(|check| !check.passed).map(|check| check.name.as_str()).collect();
    let unmerged = state.progress.conflict.as_ref().filter(|_| failed.contains(&MARKS));
    let (decided, code) = match unmerged {
        Some(_) => (decision(cx, CONFLICT), "merge_conflict"),
        None => (decision(cx, FAILING_CHECKS), "checks_failed"),
    };
    Ok(match (decided, unmerged) {
        (None, Some(merge)) => Err(conflict(cx, state, merge)),
        (None, None) => Err(question(cx, state, checks, &failed)),
        (Some(Decision::Stop), _) => {
            let message = format!("a person stopped the run: {} fail", failed.join(", "));
            return Err(NodeError::new(code, message));
        }
        (Some(Decision::More(guidance)), _) => Ok(vec![Update::GivenMore { guidance }]),
        (Some(Decision::Accept), None) => {
            Ok(taken_as_it_is(cx).into_iter().chain([Update::Accepted]).collect())
        }
        (Some(Decision::Accept), Some(_)) => {
            // What is dropped is not to be left as it is: only what the person wrote is passed on.
            let has_words = cx.answered().is_some_and(|answered| answered.reply.message.is_some());
            let said = taken_as_it_is(cx).filter(|_| has_words);
            Ok(said.into_iter().chain([Update::GivenUp]).collect())
        }
    })
}

/// The name of the check for what a merge marks.
const MARKS: &str = "conflicts";

/// Fails as long as one of the files has the marks of a merge in it.
fn marks(conflict: &ConflictedMerge) -> Option<CheckCommand> {
    if conflict.files.is_empty() {
        return None;
    }
    // Always in quotes: a replay compares the command with the one that was recorded.
    let quoted: Vec<String> =
        conflict.files.iter().map(|file| format!("'{}'", file.replace('\'', "'\\''"))).collect();
    let command = format!("! grep -nE '^(<<<<<<<|>>>>>>>)( |$)' -- {}", quoted.join(" "));
    Some(CheckCommand { name: MARKS.to_owned(), command, timeout: CheckCommand::DEFAULT_TIMEOUT })
}

/// Who accepts the work should know that a review of it follows.
fn question(cx: &NodeCx, state: &Implementation, checks: &[CheckResult], failed: &[&str]) -> HumanRequest {
    let times = state.progress.failed_checks + 1;
    let names: Vec<String> = failed.iter().map(|name| format!("`{name}`")).collect();
    let (checks_word, times_word) = (
        if failed.len() == 1 { "check" } else { "checks" },
        if times == 1 { "time" } else { "times in a row" },
    );
    let prompt = format!(
        "the {checks_word} {} failed {times} {times_word}: continue, accept it as it is and have it \
         reviewed, or stop?",
        names.join(", ")
    );
    let shown = checks.iter().find_map(|check| Some((&check.command, check.tail()?)));
    let (command, output) = shown.unzip();
    let context = json!({"asks": FAILING_CHECKS, "failed": failed, "command": command, "output": output});
    HumanRequest { context, ..cx.request(HumanKind::Rounds, prompt) }
}

fn conflict(cx: &NodeCx, state: &Implementation, conflict: &ConflictedMerge) -> HumanRequest {
    let prompt = format!(
        "its changes conflict with a parallel task ({}), after {} tries: try again, drop them and do the task \
         again on its own (accept), or stop?",
        conflict.files.join(", "),
        state.progress.failed_checks + 1
    );
    let context = json!({"asks": CONFLICT, "files": conflict.files, "conflict": conflict.text});
    HumanRequest { context, ..cx.request(HumanKind::Rounds, prompt) }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
