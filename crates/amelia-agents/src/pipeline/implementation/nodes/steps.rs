//! Structured work: a task goes step by step. Steps with a command are run here and compared with what the plan expects;
//! the Developer is asked for the others, and to fix what did not come out as expected. One portion is one visit, so
//! that it is durable before the next one begins.

mod command;

use amelia_core::check::{CheckCommand, CheckResult};
use amelia_core::config::profile::WorkMode;
use amelia_core::human::{HumanKind, HumanRequest};
use amelia_core::plan::PlanStep;
use amelia_core::plan::steps::{NextWork, next};
use amelia_graph::node::{NodeCx, NodeError, Outcome};
use serde_json::json;

use super::evaluate::{Decision, decision};
use super::{taken_as_it_is, task_ref};
use crate::pipeline::implementation::deps::Deps;
use crate::pipeline::implementation::state::{Implementation, Update};
use crate::pipeline::limits;

/// Marks the question that is asked when a step does not come out as expected, however often it is fixed.
const ASKS: &str = "failing_step";

/// What comes next of the current task, as far as it goes step by step.
pub(crate) fn portion(state: &Implementation, mode: WorkMode) -> NextWork {
    let progress = &state.progress;
    let is_past = progress.round > 0 || !progress.checks.is_empty() || progress.conflict.is_some();
    match mode {
        WorkMode::Structured if !is_past => next(steps(state), &progress.steps),
        WorkMode::Structured | WorkMode::Agentic => NextWork::Nothing,
    }
}

fn steps(state: &Implementation) -> &[PlanStep] {
    state.current().map(|task| task.steps.as_slice()).unwrap_or_default()
}

/// What the Developer reads about their portion, and what is so when it is done. Nothing when it is not theirs.
pub(super) fn brief(deps: &Deps, state: &Implementation, portion: &NextWork) -> Option<(String, Update)> {
    let render = |name: &str, values| deps.prompts.render(name, values);
    match portion {
        NextWork::Do(places) => {
            let all = steps(state);
            let theirs: Vec<_> = places
                .clone()
                .filter_map(|place| Some(json!({"number": place + 1, "step": all.get(place)?})))
                .collect();
            let values = json!({"steps": theirs, "total": all.len()});
            Some((render("developer.steps", values), Update::Stepped { next: places.end }))
        }
        NextWork::Fix(failed) => {
            let guidance = &state.progress.guidance;
            let expected = expected(state, state.progress.steps.next);
            // What it printed was not what is expected; it did not fail otherwise.
            let end = match failed.exit_code {
                Some(0) => "ended with exit code 0".to_owned(),
                _ => failed.end(),
            };
            let output = command::printed(&failed.output, expected);
            let values = json!({"name": failed.name, "command": failed.command, "end": end, "expected": expected,
                                "output": output, "guidance": guidance});
            Some((render("developer.step", values), Update::StepMended))
        }
        NextWork::Finish { place, interrupted } => {
            let values = json!({"name": interrupted.name, "command": interrupted.command,
                                "expected": expected(state, *place)});
            Some((render("developer.interrupted", values), Update::Stepped { next: place + 1 }))
        }
        NextWork::Run { .. } | NextWork::Nothing => None,
    }
}

/// Runs the command of a step, once, and compares. What a person decided about it counts before anything runs.
pub(super) async fn run(
    deps: &Deps,
    cx: &NodeCx,
    state: &Implementation,
    (place, command): (usize, &str),
) -> Result<Outcome<Update>, NodeError> {
    let stepped = Update::Stepped { next: place + 1 };
    let more = match decision(cx, ASKS) {
        None => None,
        Some(Decision::Stop) => {
            let message =
                format!("a person stopped the run: step {} does not give the expected result", place + 1);
            return Err(NodeError::new("step_failed", message));
        }
        Some(Decision::Accept) => {
            return Ok(Outcome::Done(taken_as_it_is(cx).into_iter().chain([stepped]).collect()));
        }
        Some(Decision::More(guidance)) => Some(Update::GivenMore { guidance }),
    };
    let check = CheckCommand {
        name: format!("step {}", place + 1),
        command: command.to_owned(),
        timeout: CheckCommand::DEFAULT_TIMEOUT,
    };
    let task = task_ref(state)?;
    let done = command::run(deps, cx, task, &check, expected(state, place));
    let result = match deps.within_time(cx, done).await {
        Ok(result) => result?,
        Err(out_of_time) => return limits::stopped(cx, out_of_time),
    };
    if result.passed {
        return Ok(Outcome::Done(vec![stepped]));
    }
    let is_last_try = state.progress.steps.tries + 1 >= deps.profile.max_review_rounds;
    if is_last_try && more.is_none() && !result.interrupted {
        return Ok(Outcome::ask(question(cx, state, &result)));
    }
    Ok(Outcome::Done([Update::StepFailed(result)].into_iter().chain(more).collect()))
}

fn expected(state: &Implementation, place: usize) -> Option<&str> {
    steps(state).get(place).and_then(|step| step.expected_output.as_deref())
}

fn question(cx: &NodeCx, state: &Implementation, failed: &CheckResult) -> HumanRequest {
    let prompt = format!(
        "{} (`{}`) did not give the expected result {} times: continue, accept it as it is, or stop?",
        failed.name,
        failed.command,
        state.progress.steps.tries + 1
    );
    let context = json!({"asks": ASKS, "command": failed.command, "output": failed.output});
    HumanRequest { context, ..cx.request(HumanKind::Rounds, prompt) }
}
