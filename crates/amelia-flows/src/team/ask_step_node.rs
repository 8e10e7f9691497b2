//! A step of a team's own that a person does: they approve or reject, and agents read what they said.

use std::sync::Arc;

use amelia_core::human::{AnsweredRequest, HumanKind, HumanRequest};
use amelia_core::text::capped;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;
use serde_json::json;

use super::rules::TeamRules;
use super::seat::Turn;
use super::step_end::StepEnd;
use super::{TeamParts, parts_of, prompt};
use crate::chat::{Chat, ChatRole, ChatUpdate};

/// Characters of what an agent said that are shown with the question.
const SHOWN: usize = 4_000;

pub(super) struct AskStepNode {
    /// By its name in the team.
    pub(super) step: String,
    /// A template.
    pub(super) question: String,
    pub(super) rules: Arc<TeamRules>,
    pub(super) parts: Option<Arc<TeamParts>>,
}

#[async_trait]
impl Node<Chat> for AskStepNode {
    async fn run(&self, cx: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        let parts = parts_of(self.parts.as_ref())?;
        let Some(answered) = cx.answered() else {
            let turn = Turn { rules: &self.rules, parts, agent: &self.step, cx, state };
            return Ok(Outcome::ask(self.request(&turn)?));
        };
        let outcome = if answered.is_approval() { "approve" } else { "reject" };
        let end = StepEnd { rules: &self.rules, cx, state, step: &self.step };
        Ok(Outcome::Done(end.updates(outcome, ChatRole::User, report(&self.step, answered))))
    }
}

impl AskStepNode {
    /// The question, with what the agent of the last turn said.
    fn request(&self, turn: &Turn<'_>) -> Result<HumanRequest, NodeError> {
        let question = prompt::question(turn, &self.question)?;
        let said = self.rules.run(turn.state).result.as_deref().map(|text| capped(text, SHOWN));
        let prompt = [Some(question), said].into_iter().flatten().collect::<Vec<_>>().join("\n\n");
        let context = json!({"asks": "step", "step": self.rules.full(&self.step)});
        Ok(HumanRequest { context, ..turn.cx.request(HumanKind::Approval, prompt) })
    }
}

/// What agents read about it.
fn report(step: &str, answered: &AnsweredRequest) -> String {
    let verdict = if answered.is_approval() { "approved" } else { "rejected" };
    let words = answered.reply.message.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let words = words.map_or_else(|| ".".to_owned(), |text| format!(" and said:\n{text}"));
    format!("At the step `{step}`, a person has {verdict} this{words}")
}
