//! A person decides how a team continues: at its limit of steps, when two agents only send each other back and forth, and when
//! a success criterion does not come to hold.

use std::sync::Arc;

use amelia_core::human::{AnsweredRequest, HumanAction, HumanKind, HumanRequest};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;
use serde_json::{Value, json};

use super::PERSON;
use super::deciding::{Concern, Next, decide};
use super::rules::TeamRules;
use crate::chat::{Chat, ChatMessage, ChatRole, ChatUpdate, TeamUpdate};

pub(super) struct PersonNode {
    pub(super) rules: Arc<TeamRules>,
}

#[async_trait]
impl Node<Chat> for PersonNode {
    async fn run(&self, cx: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        let next = decide(&self.rules, state).map_err(|error| NodeError::new(error.code, error.message))?;
        let Next::Person(concern) = next else { return Ok(Outcome::Done(Vec::new())) };
        let Some(answered) = cx.answered() else {
            return Ok(Outcome::ask(question(cx, &self.rules, state, &concern)));
        };
        if !answered.is_approval() {
            return Err(NodeError::new("stopped", "a person stopped the team"));
        }
        if is_acceptance(answered) {
            return Ok(Outcome::Done(vec![ChatUpdate::Team(TeamUpdate::Accepted)]));
        }
        let more_steps = if concern == Concern::Steps { self.rules.max_steps } else { 0 };
        let continued = ChatUpdate::Team(TeamUpdate::Continued { more_steps });
        Ok(Outcome::Done(words(cx, answered).into_iter().chain([continued]).collect()))
    }
}

/// Whether the person takes the work as it is.
fn is_acceptance(answered: &AnsweredRequest) -> bool {
    let accepts = |updates: &Value| updates.get("accept") == Some(&json!(true));
    answered.reply.action == HumanAction::Modify && answered.reply.updates.as_ref().is_some_and(accepts)
}

fn question(cx: &NodeCx, rules: &TeamRules, state: &Chat, concern: &Concern) -> HumanRequest {
    let (kind, prompt, context) = match concern {
        Concern::Steps => (
            HumanKind::Rounds,
            format!(
                "the team has taken {} steps, which is its limit: allow {} more?",
                state.used.steps, rules.max_steps
            ),
            json!({"asks": "max_steps", "reason": "max_steps"}),
        ),
        Concern::PingPong(one, other) => (
            HumanKind::Escalation,
            format!(
                "`{one}` and `{other}` hand over to each other with the same words, and nothing changes: continue?"
            ),
            json!({"asks": "ping_pong", "reason": "ping_pong", "agents": [one, other]}),
        ),
        Concern::Unmet(unmet) => (
            HumanKind::Escalation,
            format!("the team says that it is done, but this does not hold: {}; continue?", unmet.join("; ")),
            json!({"asks": "success_criteria", "reason": "success_criteria", "unmet": unmet}),
        ),
    };
    HumanRequest { context, ..cx.request(kind, prompt) }
}

/// What the person said, for the agent that continues.
fn words(cx: &NodeCx, answered: &AnsweredRequest) -> Option<ChatUpdate> {
    let text = answered.reply.message.as_deref().map(str::trim).filter(|text| !text.is_empty())?;
    let (role, node, text) = (ChatRole::User, Some(PERSON.to_owned()), text.to_owned());
    Some(ChatUpdate::Said(ChatMessage { role, agent: None, node, text, at: cx.now() }))
}
