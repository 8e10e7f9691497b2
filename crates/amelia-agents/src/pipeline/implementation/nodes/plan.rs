//! The Architect reads the repository and writes the plan. Sent back, it continues the same conversation.

use std::sync::Arc;

use amelia_core::attachment::images;
use amelia_core::event::Event;
use amelia_core::plan::check::check;
use amelia_core::plan::{Plan as PlanData, markdown};
use amelia_core::workplace::Rights;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;
use serde_json::json;

use crate::pipeline::implementation::deps::{Deps, broken};
use crate::pipeline::implementation::state::{Implementation, PlanDraft, Update};
use crate::pipeline::limits;
use crate::role::architect::{PlanIn, write_plan};
use crate::roles::{self, Brief};

/// The conversation of the Architect.
pub(super) const THREAD: &str = "plan";

pub struct PlanNode(pub Arc<Deps>);

#[async_trait]
impl Node<Implementation> for PlanNode {
    async fn run(&self, cx: &NodeCx, state: &Implementation) -> Result<Outcome<Update>, NodeError> {
        limits::check_answer(cx)?;
        let Self(deps) = self;
        let tools = deps.place.tools(Rights::Read).map_err(broken)?;
        let architect = &deps.roles.architect;
        let system = deps.system(architect, Rights::Read, ("architect.system", json!({})), &[]).await?;
        let thread = cx.thread(THREAD);
        let past = thread.past().await?;
        let images = if past.is_empty() { images(&state.wanted.attachments) } else { Vec::new() };
        let brief = Brief { system, word: self.word(state, past), images };
        let asked = architect.ask_for::<PlanIn>(&thread, tools, brief, &write_plan()).await;
        let draft = match asked {
            Err(how) => return limits::stopped(cx, how),
            Ok(roles::RoleOutcome::HandedIn(plan)) => drafted(&plan.into(), state),
            // A model that writes its plan as text has written a plan.
            Ok(roles::RoleOutcome::Talked(text)) => PlanDraft { plan: check(&text).0, markdown: text },
        };
        deps.write_plan(&state.plan_path, &draft.markdown).await?;
        Ok(Outcome::Done(vec![Update::Drafted(draft)]))
    }
}

impl PlanNode {
    /// What there is to say, after what was said in the conversation before.
    fn word(&self, state: &Implementation, past: &[Event]) -> String {
        let Self(deps) = self;
        let start = |plan: Option<&str>| {
            let design = state.wanted.design.as_ref().map(|design| &design.content);
            let checks = &deps.profile.checks;
            let values = json!({"issue": state.issue, "design": design, "plan": plan, "checks": checks});
            deps.prompts.render("architect.start", values)
        };
        let Some(draft) = &state.draft else { return start(None) };
        let revise = |plan: Option<&str>| {
            let values = json!({"plan": plan, "problems": state.problems, "feedback": state.feedback});
            deps.prompts.render("architect.revise", values)
        };
        // A person gave the plan, or a fork begins here: this Architect has seen neither the plan nor the issue.
        if past.is_empty() {
            return format!("{}\n\n{}", start(Some(&draft.markdown)), revise(None));
        }
        // A program is ended by what it hands in, before it has an answer: it drops the call from its conversation.
        revise(deps.roles.architect.driver_type.is_program().then_some(&draft.markdown))
    }
}

fn drafted(plan: &PlanData, state: &Implementation) -> PlanDraft {
    let title = state.issue.as_ref().map(|issue| issue.title.as_str()).unwrap_or("Plan");
    let markdown = markdown::write(plan, title);
    // What people read and edit is what counts.
    PlanDraft { plan: markdown::read(&markdown), markdown }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
