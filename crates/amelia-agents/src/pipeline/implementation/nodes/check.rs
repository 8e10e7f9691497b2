//! The orchestrator itself runs the checks of the profile. It believes nobody's word about them.

use std::sync::Arc;

use amelia_core::check::CheckResult;
use amelia_core::event::{EventKind, SystemEvent, TaskEvent};
use amelia_core::human::{HumanKind, HumanRequest};
use amelia_core::message::Object;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;
use serde_json::json;

use super::{note, note_task, task_ref};
use crate::pipeline::implementation::deps::Deps;
use crate::pipeline::implementation::nodes::evaluate::{Decision, decision};
use crate::pipeline::implementation::state::{Implementation, Update};

/// Marks the question that is asked when checks fail again and again.
const ASKS: &str = "failing_checks";

pub struct Check(pub Arc<Deps>);

#[async_trait]
impl Node<Implementation> for Check {
    async fn run(&self, cx: &NodeCx, state: &Implementation) -> Result<Outcome<Update>, NodeError> {
        let Self(deps) = self;
        let task = task_ref(state)?;
        if deps.profile.checks.is_empty() {
            if state.task == 0 && state.progress.round == 0 {
                let message = "no checks are configured: only the review says whether it works".to_owned();
                note(cx, EventKind::System(SystemEvent::Warned { message, details: Object::new() }));
            }
            return Ok(Outcome::Done(vec![Update::Checked(Vec::new())]));
        }
        let mut checks: Vec<CheckResult> = Vec::new();
        for check in &deps.profile.checks {
            let result = deps.place.check(&Deps::tool_cx(cx), check).await;
            checks.push(deps.crew.developer.redactor.clean(result));
        }
        let failed: Vec<&str> =
            checks.iter().filter(|check| !check.passed).map(|check| check.name.as_str()).collect();
        let is_last_try = state.progress.failed_checks + 1 >= deps.profile.max_review_rounds;
        if !failed.is_empty() && is_last_try {
            return match decision(cx, ASKS) {
                None => Ok(Outcome::Wait(question(cx, state, &failed))),
                Some(Decision::Stop) => {
                    Err(NodeError::new("checks_failed", "a person stopped it: the checks fail"))
                }
                Some(Decision::Accept) => {
                    note_task(cx, TaskEvent::Checked { task, checks: checks.clone() });
                    Ok(Outcome::Done(vec![Update::Checked(checks), Update::Accepted]))
                }
                Some(Decision::More(guidance)) => {
                    note_task(cx, TaskEvent::Checked { task, checks: checks.clone() });
                    Ok(Outcome::Done(vec![Update::Checked(checks), Update::GivenMore { guidance }]))
                }
            };
        }
        note_task(cx, TaskEvent::Checked { task, checks: checks.clone() });
        Ok(Outcome::Done(vec![Update::Checked(checks)]))
    }
}

fn question(cx: &NodeCx, state: &Implementation, failed: &[&str]) -> HumanRequest {
    let times = state.progress.failed_checks + 1;
    let prompt =
        format!("{} failed {times} times in a row: go on, accept it as it is, or stop?", failed.join(", "));
    let context = json!({"asks": ASKS, "failed": failed});
    HumanRequest { context, ..cx.request(HumanKind::Rounds, prompt) }
}
