//! A coordinator that gives tasks to the others, and answers with the result. Pure.

use amelia_core::config::team::pattern::CollaborationPattern;
use amelia_core::config::team::pattern::settings::HierarchySettings;

use super::after::AfterTurn;
use crate::chat::TurnEnd;

/// Who leads, and whom.
pub(super) struct HierarchyPlan {
    pub(super) coordinator: String,
    /// Those who get tasks.
    pub(super) members: Vec<String>,
    pub(super) settings: HierarchySettings,
}

impl HierarchyPlan {
    pub(super) fn new(pattern: &CollaborationPattern, settings: HierarchySettings) -> Self {
        let coordinator = pattern.coordination_agent.clone().unwrap_or_default();
        let members = pattern.agents.iter().filter(|agent| **agent != coordinator).cloned().collect();
        Self { coordinator, members, settings }
    }

    /// What follows the answer of the coordinator.
    pub(super) fn after(&self, turn: &TurnEnd) -> AfterTurn {
        match self.settings.must_delegate && turn.delegations == 0 {
            true => AfterTurn::Again("delegating a task"),
            false => AfterTurn::Done,
        }
    }

    /// To whom a member may delegate in turn.
    pub(super) fn others(&self, member: &str) -> Vec<String> {
        self.members.iter().filter(|other| *other != member).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::chat::TurnOutcome;

    #[test]
    fn an_answer_without_a_delegation_is_asked_again_where_one_must_delegate() {
        let after = |must_delegate: bool, delegations| {
            let pattern = json!({
                "name": "led", "kind": "hierarchical", "agents": ["lead", "coder", "tester"],
                "coordination_agent": "lead", "config": {"must_delegate": must_delegate},
            });
            let pattern: CollaborationPattern = serde_json::from_value(pattern).unwrap();
            let plan = HierarchyPlan::new(&pattern, pattern.settings().unwrap());
            assert_eq!(plan.members, ["coder", "tester"]);
            assert_eq!(plan.others("coder"), ["tester"]);
            let end = TurnEnd::new("lead", "Done.".to_owned(), TurnOutcome::Said);
            plan.after(&TurnEnd { delegations, ..end })
        };
        assert_eq!(after(true, 0), AfterTurn::Again("delegating a task"));
        assert_eq!((after(true, 1), after(false, 0)), (AfterTurn::Done, AfterTurn::Done));
    }
}
