//! A person decides how a team continues: at its limit of steps, when two agents only send each other back and forth, and when
//! a success criterion does not come to hold.

use std::sync::Arc;

use amelia_core::event::{EventKind, TeamEvent};
use amelia_core::human::{AnsweredRequest, HumanAction, HumanKind, HumanRequest};
use amelia_core::text::capped;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;
use serde_json::{Value, json};

use super::PERSON;
use super::after::AfterTurn;
use super::deciding::{Concern, Next, decide, next_after};
use super::rules::TeamRules;
use crate::chat::{CastingVote, Chat, ChatMessage, ChatRole, ChatUpdate, ConsensusUpdate, TeamUpdate};

/// Characters of a proposal that are shown in a question.
const SHOWN: usize = 500;

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
        if concern == Concern::Tie {
            let decided = TeamUpdate::Consensus(ConsensusUpdate::Decided(casting_vote(answered)));
            let decided = self.rules.update(decided);
            return Ok(Outcome::Done(
                words(cx, &self.rules, answered).into_iter().chain([decided]).collect(),
            ));
        }
        if matches!(concern, Concern::Handoff(_) | Concern::End) {
            return Ok(Outcome::Done(self.approved(cx, state, answered, &concern)));
        }
        if !answered.is_approval() {
            return Err(NodeError::new("stopped", "a person stopped the team"));
        }
        if is_acceptance(answered) {
            return Ok(Outcome::Done(vec![self.rules.update(TeamUpdate::Accepted)]));
        }
        let more_steps = if concern == Concern::Steps { self.rules.max_steps } else { 0 };
        let continued = self.rules.update(TeamUpdate::Continued { more_steps });
        Ok(Outcome::Done(words(cx, &self.rules, answered).into_iter().chain([continued]).collect()))
    }
}

impl PersonNode {
    /// What follows when a person approves what comes next, or does not: then the agent that had the last turn learns it.
    fn approved(
        &self,
        cx: &NodeCx,
        state: &Chat,
        answered: &AnsweredRequest,
        concern: &Concern,
    ) -> Vec<ChatUpdate> {
        let is_approved = answered.is_approval();
        let approved = self.rules.update(TeamUpdate::Approved(is_approved));
        if is_approved {
            self.note_handoff(cx, state);
            return words(cx, &self.rules, answered).into_iter().chain([approved]).collect();
        }
        let what = match concern {
            Concern::Handoff(to) => format!("the handoff to `{to}`"),
            _ => "the end of the work".to_owned(),
        };
        let said = answered.reply.message.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let said = said.map(|text| format!(" and said: {text}")).unwrap_or_default();
        let text = format!("A person did not approve {what}{said}.\nContinue with the work.");
        let (role, node, at) = (ChatRole::User, Some(self.rules.full(PERSON)), cx.now());
        vec![ChatUpdate::Said(ChatMessage { role, agent: None, node, text, at }), approved]
    }

    /// The move is a fact only now.
    fn note_handoff(&self, cx: &NodeCx, state: &Chat) {
        let Some(turn) = &self.rules.run(state).turn else { return };
        let after = next_after(&self.rules, state, turn);
        let Ok(AfterTurn::HandOff { to, reason, context, kind, .. }) = after else { return };
        let names = self.rules.agent_names([turn.agent.as_str(), to.as_str()]);
        let [from, to] = names.as_slice() else { return };
        let event = TeamEvent::HandedOff { from: from.clone(), to: to.clone(), reason, context, kind };
        cx.note(vec![cx.draft(from, EventKind::Team(event))]);
    }
}

/// What a person decides about a tie. `{"decision": "undecided"}` leaves it open.
fn casting_vote(answered: &AnsweredRequest) -> CastingVote {
    let is_open = |updates: &Value| updates.get("decision") == Some(&json!("undecided"));
    match answered.reply.action {
        HumanAction::Modify if answered.reply.updates.as_ref().is_some_and(is_open) => CastingVote::Undecided,
        _ if answered.is_approval() => CastingVote::Approve,
        _ => CastingVote::Reject,
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
                "`{one}` and `{other}` keep handing off to each other with the same message, without changing a \
                 file: continue?"
            ),
            json!({"asks": "ping_pong", "reason": "ping_pong", "agents": [one, other]}),
        ),
        Concern::Unmet(unmet) => (
            HumanKind::Escalation,
            format!(
                "the team says that it is done, but these success criteria do not hold: {}; continue?",
                unmet.join("; ")
            ),
            json!({"asks": "success_criteria", "reason": "success_criteria", "unmet": unmet}),
        ),
        Concern::Tie => {
            let proposal = rules.run(state).consensus.proposals.last();
            let (id, decision) = proposal.map_or(("", ""), |last| (&last.id, &last.decision));
            (
                HumanKind::Approval,
                format!("the votes on `{}` are not decisive: accept it?", capped(decision, SHOWN)),
                json!({"asks": "tie", "reason": "tie", "proposal": id}),
            )
        }
        Concern::FailedTasks(failed) => {
            let task = |id: &String| {
                let title = rules.run(state).plan.task(id).map_or("", |task| &task.title);
                format!("`{id}` ({})", capped(title, SHOWN))
            };
            let tasks: Vec<String> = failed.iter().map(task).collect();
            (
                HumanKind::Escalation,
                format!(
                    "these tasks of the plan have failed: {}. Tasks that depend on them are skipped: continue?",
                    tasks.join(", ")
                ),
                json!({"asks": "failed_tasks", "reason": "failed_tasks", "tasks": failed}),
            )
        }
        Concern::Handoff(to) => {
            let from = rules.run(state).turn.as_ref().map_or("", |turn| turn.agent.as_str());
            (
                HumanKind::Approval,
                format!("`{from}` hands off to `{to}`: approve it?"),
                json!({"asks": "handoff", "reason": "handoff", "from": from, "to": to}),
            )
        }
        Concern::End => {
            let result = rules.run(state).result.as_deref().unwrap_or_default();
            (
                HumanKind::Approval,
                format!("the team is done: approve its result?\n\n{}", capped(result, SHOWN)),
                json!({"asks": "end", "reason": "end"}),
            )
        }
        Concern::Unended { agent, what } => (
            HumanKind::Escalation,
            format!("`{agent}` has ended its turn three times without {what}: ask it again?"),
            json!({"asks": "turn_end", "reason": "turn_end", "agents": [agent]}),
        ),
    };
    HumanRequest { context, ..cx.request(kind, prompt) }
}

/// What the person said, for the agent that continues.
fn words(cx: &NodeCx, rules: &TeamRules, answered: &AnsweredRequest) -> Option<ChatUpdate> {
    let text = answered.reply.message.as_deref().map(str::trim).filter(|text| !text.is_empty())?;
    let (role, node, text) = (ChatRole::User, Some(rules.full(PERSON)), text.to_owned());
    Some(ChatUpdate::Said(ChatMessage { role, agent: None, node, text, at: cx.now() }))
}
