//! The plan of a team: which of its tasks can be done next, by whom, and how it is shown. Pure.

pub(super) mod calls;
pub(super) mod tools;

use std::collections::BTreeMap;

use amelia_core::config::team::TeamConfig;
use amelia_core::config::team::member::Member;
use amelia_core::plan::{Plan, PlanTask, TaskStatus};

/// Whether a team works by a plan: its file has one, or one of its agents lists a tool for it.
pub fn has_plan(team: &TeamConfig) -> bool {
    !team.plan.is_empty()
        || team.agents.iter().any(|member| member.tools.iter().any(|tool| is_plan_tool(tool)))
}

pub(super) fn is_plan_tool(name: &str) -> bool {
    calls::TOOLS.iter().any(|tool| tool.name == name)
}

/// Who can work on a task: every agent whose place no team takes.
pub fn plan_agents(team: &TeamConfig) -> Vec<&Member> {
    team.agents.iter().filter(|member| member.team.is_none()).collect()
}

/// A task, and the agent that works on it now.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StartedTask {
    pub(super) task: PlanTask,
    pub(super) agent: String,
}

/// The tasks that are worked on at the same time now, in the order of the plan, those of the highest priority first. A task
/// without an agent is done by `entry`.
pub(super) fn started(plan: &Plan, team: &TeamConfig, entry: &str) -> Vec<StartedTask> {
    let agents = plan_agents(team);
    let named = |name: &str| agents.iter().copied().find(|member| member.name == name);
    let Some(default) = named(entry).or_else(|| agents.first().copied()) else { return Vec::new() };
    let mut ready = plan.ready();
    ready.sort_by_key(|task| task.priority.unwrap_or(i64::MAX));
    let mut taken: BTreeMap<&str, u32> = BTreeMap::new();
    let mut started = Vec::new();
    for task in ready {
        // An agent that has left the team does nothing any more.
        let member = task.agent.as_ref().and_then(|agent| named(agent.as_str())).unwrap_or(default);
        let count = taken.entry(&member.name).or_default();
        if *count < member.max_parallel_tasks {
            *count = count.saturating_add(1);
            started.push(StartedTask { task: task.clone(), agent: member.name.clone() });
        }
    }
    started
}

/// The plan while these tasks are worked on.
pub(super) fn with_started(plan: &Plan, started: &[StartedTask]) -> Plan {
    let mut plan = plan.clone();
    for one in started {
        plan.set_status(&one.task.id, TaskStatus::InProgress);
    }
    plan
}

/// What has changed, as the tasks that are new or others than before; and those that have failed since.
pub(super) fn changes(before: &Plan, after: &Plan) -> (Vec<PlanTask>, Vec<String>) {
    let changed = after.tasks.iter().filter(|task| before.task(&task.id) != Some(*task));
    let has_failed = |task: &&PlanTask| {
        let failed_before = before.task(&task.id).is_some_and(|old| old.status == TaskStatus::Failed);
        task.status == TaskStatus::Failed && !failed_before
    };
    let failed = after.tasks.iter().filter(has_failed).map(|task| task.id.clone()).collect();
    (changed.cloned().collect(), failed)
}

#[cfg(test)]
mod tests {
    use amelia_core::config::team::plan::first_plan;
    use serde_json::{Value, json};

    use super::*;
    use crate::team::deciding::tests::team;

    fn planning(plan: Value) -> TeamConfig {
        let mut team = team(&json!([]));
        team.plan = serde_json::from_value(plan).unwrap();
        team
    }

    fn named(team: &TeamConfig, plan: &Plan) -> Vec<String> {
        let started = started(plan, team, "writer");
        started.iter().map(|one| format!("{} {}", one.task.id, one.agent)).collect()
    }

    #[test]
    fn tasks_that_wait_for_nothing_start_together_one_for_each_agent_by_their_priority() {
        let mut team = planning(json!([
            {"description": "a", "agent": "critic"}, {"description": "b"}, {"description": "c", "agent": "critic"},
            {"description": "d", "agent": "editor", "dependencies": ["1"]},
        ]));
        let mut plan = first_plan(&team.plan, "g");
        assert_eq!(named(&team, &plan), ["1 critic", "2 writer"]);
        plan.tasks[2].priority = Some(1);
        assert_eq!(named(&team, &plan), ["3 critic", "2 writer"]);
        team.agents[1].max_parallel_tasks = 2;
        assert_eq!(named(&team, &plan), ["3 critic", "1 critic", "2 writer"]);
        plan.set_status("1", TaskStatus::Completed);
        assert_eq!(named(&team, &plan), ["3 critic", "2 writer", "4 editor"]);
        plan.set_status("3", TaskStatus::InProgress);
        assert_eq!(named(&team, &plan), ["2 writer", "4 editor"]);
    }

    #[test]
    fn a_task_of_an_agent_that_cannot_work_on_it_is_done_by_the_first_that_can() {
        let mut team = planning(json!([{"description": "a", "agent": "critic"}]));
        let plan = first_plan(&team.plan, "g");
        team.agents[1].team = Some("inner".to_owned());
        assert_eq!(named(&team, &plan), ["1 writer"]);
        team.agents[0].team = Some("inner".to_owned());
        assert_eq!(named(&team, &plan), ["1 editor"]);
    }

    #[test]
    fn a_team_plans_when_its_file_or_an_agent_says_so() {
        assert!(!has_plan(&team(&json!([]))));
        assert!(has_plan(&planning(json!([{"description": "a"}]))));
        let mut listed = team(&json!([]));
        listed.agents[2].tools = vec!["plan_add_task".to_owned()];
        assert!(has_plan(&listed));
    }

    #[test]
    fn changes_are_the_tasks_that_are_new_or_others_and_failures_count_once() {
        let team = planning(
            json!([{"description": "a"}, {"description": "b"}, {"description": "c", "dependencies": ["1"]}]),
        );
        let before = first_plan(&team.plan, "g");
        let mut after = before.clone();
        after.set_status("1", TaskStatus::Failed);
        let (changed, failed) = changes(&before, &after);
        let ids: Vec<&str> = changed.iter().map(|task| task.id.as_str()).collect();
        assert_eq!((ids, failed), (vec!["1", "3"], vec!["1".to_owned()]));
        assert_eq!(changes(&after, &after), (Vec::new(), Vec::new()));
    }
}
