//! How a step ends that no agent does: with its outcome, what agents read about it, and the move that follows.

use amelia_core::event::EventKind;
use amelia_core::event::team::TeamEvent;
use amelia_graph::node::NodeCx;

use super::after::AfterTurn;
use super::deciding::{after_turn, is_move};
use super::ended::EndedTurn;
use super::rules::TeamRules;
use crate::chat::{Chat, ChatMessage, ChatRole, ChatUpdate, TeamUpdate, TurnEnd, TurnOutcome, Used};

/// A step without an agent.
pub(super) struct StepEnd<'a> {
    pub(super) rules: &'a TeamRules,
    pub(super) cx: &'a NodeCx,
    pub(super) state: &'a Chat,
    pub(super) step: &'a str,
}

impl StepEnd<'_> {
    /// What an outcome changes, and what is said about it.
    pub(super) fn updates(&self, outcome: &str, role: ChatRole, text: String) -> Vec<ChatUpdate> {
        let node = Some(self.rules.full(self.step));
        let said = ChatMessage { role, agent: None, node, text, at: self.cx.now() };
        let used = Used { at: Some(self.cx.now()), ..Used::default() };
        let end = ended(self.rules, self.state, self.step, outcome);
        self.note_handoff(&end, &said, used);
        vec![ChatUpdate::Said(said), ChatUpdate::Used(used), self.rules.update(TeamUpdate::TurnEnded(end))]
    }

    /// A move that a person approves first is written when they have.
    fn note_handoff(&self, end: &TurnEnd, said: &ChatMessage, used: Used) {
        let agent = self.state.current_agent.as_deref().unwrap_or_default();
        let after = EndedTurn { before: self.state, agent, said: Some(said), used, plan: None };
        let after = after_turn(self.rules, &after, end);
        let Ok(AfterTurn::HandOff { to, reason, context, kind, .. }) = after else { return };
        if self.rules.gates.handoff || !is_move(self.rules, end, &to) {
            return;
        }
        let names = self.rules.agent_names([end.agent.as_str(), to.as_str()]);
        let [from, to] = names.as_slice() else { return };
        let event = TeamEvent::HandedOff { from: from.clone(), to: to.clone(), reason, context, kind };
        self.cx.note(vec![self.cx.draft(from, EventKind::Team(event))]);
    }
}

/// The end of a step as one of the agent that had the last turn. Before any turn, there is only the step.
fn ended(rules: &TeamRules, state: &Chat, step: &str, outcome: &str) -> TurnEnd {
    let last = rules.run(state).turn.as_ref();
    let (agent, back_to) = last.map_or((step, step), |last| (last.agent.as_str(), last.agent_node()));
    let outcome = TurnOutcome::Reported { outcome: outcome.to_owned() };
    let (node, back_to) = (Some(step.to_owned()), Some(back_to.to_owned()));
    TurnEnd { node, back_to, ..TurnEnd::new(agent, String::new(), outcome) }
}

#[cfg(test)]
mod tests {
    use amelia_core::object::Object;
    use amelia_graph::state::State as _;
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::team::deciding::tests::team;
    use crate::team::deciding::{Next, decide};

    /// A team whose writer is checked before the editor continues. Each success criterion needs another look.
    fn rules(success: &[&str], points: &[&str]) -> TeamRules {
        let mut team = team(&json!([]));
        let workflow = json!({"workflow": [
            {"step": "write", "agent": "writer", "next_on_success": "check"},
            {"step": "check", "check": "make test", "next_on_pass": "ask", "next_on_fail": "write"},
            {"step": "ask", "ask": "Is it good?", "next_on_approve": "edit"},
            {"step": "edit", "agent": "editor"},
        ]});
        let agents = ["writer", "critic", "editor"];
        let pattern = json!({"name": "own", "kind": "custom", "agents": agents, "config": workflow});
        team.collaboration_patterns = vec![serde_json::from_value(pattern).unwrap()];
        let execution =
            json!({"mode": "hitl", "success_criteria": success, "human_intervention_points": points});
        team.execution_config = serde_json::from_value(execution).unwrap();
        TeamRules::read(&team).unwrap()
    }

    fn begun() -> Chat {
        Chat::begin("Write", Object::new(), Timestamp::UNIX_EPOCH)
    }

    fn with(mut state: Chat, end: TurnEnd) -> Chat {
        state.apply(ChatUpdate::Team(TeamUpdate::TurnEnded(end)));
        state
    }

    fn written() -> Chat {
        let outcome = TurnOutcome::Reported { outcome: "success".to_owned() };
        let node = Some("write".to_owned());
        with(begun(), TurnEnd { node, ..TurnEnd::new("writer", "A text.".to_owned(), outcome) })
    }

    fn stepped(rules: &TeamRules, state: Chat, step: &str, outcome: &str) -> Chat {
        let end = ended(rules, &state, step, outcome);
        with(state, end)
    }

    fn next(rules: &TeamRules, state: &Chat) -> String {
        match decide(rules, state).unwrap() {
            Next::Node(node) => node,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn the_agent_before_continues_or_hands_off_and_keeps_its_result() {
        let (rules, state) = (rules(&[], &["handoff"]), written());
        assert_eq!(next(&rules, &state), "check", "a command is no handoff");
        let failed = stepped(&rules, state.clone(), "check", "fail");
        assert_eq!(next(&rules, &failed), "write", "and neither is what comes back from it");
        let state = stepped(&rules, state, "check", "pass");
        assert_eq!(next(&rules, &state), "ask");
        let state = stepped(&rules, state, "ask", "approve");
        assert_eq!(next(&rules, &state), "Person(Handoff(\"editor\"))");
        assert_eq!(state.team.turn.as_ref().map(|turn| turn.agent.as_str()), Some("writer"));
        assert_eq!(state.team.result.as_deref(), Some("A text."));
    }

    #[test]
    fn what_is_missing_at_the_end_is_told_to_the_agent_of_the_last_turn() {
        let rules = rules(&["text_mention:DONE"], &[]);
        let state = stepped(&rules, written(), "check", "pass");
        let mut state = stepped(&rules, state, "ask", "reject");
        assert_eq!(next(&rules, &state), "Check");
        state.apply(ChatUpdate::Team(TeamUpdate::Judged { unmet: vec!["text_mention:DONE".to_owned()] }));
        assert_eq!(next(&rules, &state), "write");
    }

    #[test]
    fn a_step_before_any_turn_ends_as_itself() {
        let rules = rules(&[], &["handoff"]);
        let end = ended(&rules, &begun(), "ask", "approve");
        assert_eq!((end.agent.as_str(), end.node(), end.agent_node()), ("ask", "ask", "ask"));
        assert_eq!(next(&rules, &with(begun(), end)), "edit", "no agent hands off");
    }
}
