//! What ends a team whose agents work at the same time before all are done. Pure.

use amelia_graph::graph::RouteError;
use amelia_graph::node::NodeError;

use super::deciding::{check_failure, is_stopped};
use super::parallel::ParallelPlan;
use super::rules::TeamRules;
use super::shape::Shape;
use crate::chat::{Chat, TurnEnd};

/// The plan of the pattern that is the whole team.
pub(super) fn plan_of(rules: &TeamRules) -> Result<&ParallelPlan, NodeError> {
    match &rules.shape {
        Shape::Parallel(plan) => Ok(plan),
        _ => Err(NodeError::new("shape", "the agents of this team do not work at the same time")),
    }
}

/// The words with which an agent has ended everything, when `stop_on` holds.
pub(super) fn stopped<'a>(rules: &TeamRules, plan: &'a ParallelPlan, state: &'a Chat) -> Option<&'a TurnEnd> {
    plan.ends(&rules.run(state).parallel).find(|end| is_stopped(rules, state, end))
}

/// Fails the route when a failure criterion holds after a part of an agent's work.
pub(super) fn check_part(rules: &TeamRules, state: &Chat, agent: &str) -> Result<(), RouteError> {
    let Some(end) = rules.run(state).parallel.ends.get(agent) else { return Ok(()) };
    check_failure(rules, state, end)
}

#[cfg(test)]
mod tests {
    use amelia_graph::state::State as _;
    use serde_json::{Value, json};

    use super::*;
    use crate::chat::{ChatUpdate, ParallelUpdate, TeamUpdate, TurnOutcome};
    use crate::team::deciding::FAILURE_CRITERION;
    use crate::team::deciding::tests::team;

    fn rules(config: &Value, execution: &Value) -> TeamRules {
        let mut team = team(&json!([]));
        let pattern = json!({
            "name": "both", "kind": "parallel", "agents": ["writer", "critic"], "coordination_agent": "editor",
            "config": config,
        });
        team.collaboration_patterns = vec![serde_json::from_value(pattern).unwrap()];
        team.execution_config = serde_json::from_value(execution.clone()).unwrap();
        TeamRules::read(&team).unwrap()
    }

    fn plan(rules: &TeamRules) -> &ParallelPlan {
        match &rules.shape {
            Shape::Parallel(plan) => plan,
            _ => panic!("not parallel"),
        }
    }

    fn ended(state: &mut Chat, agent: &str, text: &str, point: Option<usize>) {
        let end = TurnEnd::new(agent, text.to_owned(), TurnOutcome::Said);
        let update = ParallelUpdate::PartEnded { point, end: Box::new(end) };
        state.apply(ChatUpdate::Team(TeamUpdate::Parallel(update)));
    }

    #[test]
    fn answers_and_summaries_come_in_the_order_of_the_pattern_however_they_arrive() {
        let rules = rules(&json!({"sync_points": ["facts"]}), &json!({"mode": "autonomous"}));
        let (plan, mut state) = (plan(&rules), Chat::default());
        ended(&mut state, "critic", "second", Some(0));
        ended(&mut state, "writer", "first", Some(0));
        let run = &state.team.parallel;
        assert_eq!(run.arrived_with(0, "critic").unwrap(), ["critic"]);
        assert_eq!(run.arrived_with(0, "writer").unwrap(), ["critic", "writer"]);
        assert_eq!(run.arrived_with(1, "writer"), None);
        let told = plan.summaries(run, 0, "writer");
        assert!(told.contains("second") && !told.contains("first"), "{told}");
        ended(&mut state, "critic", "B", None);
        ended(&mut state, "writer", "A", None);
        assert_eq!(plan.result(&state.team.parallel), "## writer\n\nA\n\n## critic\n\nB");
        let answers = plan.answers(&state.team.parallel);
        assert!(answers.find('A').unwrap() < answers.find('B').unwrap(), "{answers}");
        state.apply(ChatUpdate::Team(TeamUpdate::Parallel(ParallelUpdate::Began)));
        assert_eq!(plan.result(&state.team.parallel), "");
    }

    #[test]
    fn the_words_of_any_agent_stop_or_fail_the_team() {
        let execution = json!({
            "mode": "autonomous", "stop_on": [{"text_mention": "ENOUGH"}], "failure_criteria": ["text_mention:I give up"],
        });
        let rules = rules(&json!({}), &execution);
        let (plan, mut state) = (plan(&rules), Chat::default());
        ended(&mut state, "writer", "More.", None);
        assert_eq!(stopped(&rules, plan, &state), None);
        assert_eq!(check_part(&rules, &state, "writer"), Ok(()));
        ended(&mut state, "critic", "ENOUGH, I give up.", None);
        assert_eq!(stopped(&rules, plan, &state).unwrap().agent, "critic");
        assert_eq!(check_part(&rules, &state, "critic").unwrap_err().code, FAILURE_CRITERION);
    }
}
