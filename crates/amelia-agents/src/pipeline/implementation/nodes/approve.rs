//! A person reads the plan: approves it, sends it back with feedback, or changes it.

use std::sync::Arc;

use amelia_core::human::{AnsweredRequest, HumanKind, HumanRequest};
use amelia_core::plan::check::check;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;
use serde_json::{Value, json};

use crate::pipeline::implementation::deps::Deps;
use crate::pipeline::implementation::state::{Implementation, PlanDraft, Update};

pub struct ApproveNode(pub Arc<Deps>);

#[async_trait]
impl Node<Implementation> for ApproveNode {
    async fn run(&self, cx: &NodeCx, state: &Implementation) -> Result<Outcome<Update>, NodeError> {
        let Some(answered) = cx.answered() else {
            return Ok(Outcome::ask(question(cx, state, &state.problems)));
        };
        let words = answered.reply.message.as_deref().map(str::trim).filter(|words| !words.is_empty());
        if !answered.is_approval() {
            let feedback =
                words.unwrap_or("The plan was rejected without a reason: find out what is wrong with it.");
            let (feedback, is_unexplained) = (feedback.to_owned(), words.is_none());
            return Ok(Outcome::Done(vec![Update::SentBack { feedback, is_unexplained }]));
        }
        let note = words.map(str::to_owned);
        let Some(markdown) = edited(answered) else {
            // A plan without a task is not approved by saying yes to it.
            let is_empty = state.draft.as_ref().is_none_or(|draft| draft.plan.tasks.is_empty());
            return Ok(match is_empty {
                true => Outcome::ask(question(cx, state, &state.problems)),
                false => Outcome::Done(vec![Update::Approved { note, is_edited: false }]),
            });
        };
        let (plan, mut verdict) = check(&markdown);
        verdict.extend(self.0.problems_here(&plan).await?);
        if !verdict.is_valid() {
            return Ok(Outcome::ask(question(cx, state, &verdict.issues)));
        }
        self.0.write_plan(&state.plan_path, &markdown).await?;
        let is_edited = state.draft.as_ref().is_none_or(|draft| draft.markdown != markdown);
        let draft = Update::Drafted(PlanDraft { markdown, plan });
        Ok(Outcome::Done(vec![draft, Update::Approved { note, is_edited }]))
    }
}

/// The plan as the person changed it.
fn edited(answered: &AnsweredRequest) -> Option<String> {
    let updates = answered.reply.updates.as_ref()?;
    updates.get("plan").and_then(Value::as_str).map(str::to_owned)
}

fn question(cx: &NodeCx, state: &Implementation, problems: &[String]) -> HumanRequest {
    let tasks = state.tasks().len();
    let prompt = match problems {
        [] if tasks == 1 => "approve the plan (1 task)?".to_owned(),
        [] => format!("approve the plan ({tasks} tasks)?"),
        problems => format!("the plan is not valid ({}): what now?", problems.join("; ")),
    };
    let goal = state.draft.as_ref().map(|draft| draft.plan.goal.clone());
    let context = json!({"plan_path": state.plan_path, "goal": goal, "tasks": tasks, "problems": problems});
    HumanRequest { context, ..cx.request(HumanKind::Approval, prompt) }
}

#[cfg(test)]
#[path = "approve_tests.rs"]
mod tests;
