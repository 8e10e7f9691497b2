//! What a team file may say and this version does not do yet. Such a team is refused when a run is created: nothing of a file
//! is ignored.

mod patterns;

use std::collections::BTreeSet;

use amelia_core::config::problem::{ConfigProblem, ProblemReport};
use amelia_core::config::team::execution::ExecutionConfig;
use amelia_core::config::team::llm::{LlmConfig, PROGRAMS};
use amelia_core::config::team::member::Member;
use amelia_core::config::team::memory::MemoryConfig;
use amelia_core::config::team::pattern::PatternKind;
use amelia_core::config::team::tool::ToolSource;
use amelia_core::config::team::{FrozenTeam, TeamConfig};
use amelia_core::event::team::HandoffKind;
use amelia_core::message::ExecutionMode;

use super::plan::{is_plan_tool, plan_agents};
use super::rules::whole_pattern;
use patterns::{check_nested, check_node_name, check_patterns};

/// Everything in a team, and in the teams inside it, that does not run yet.
#[must_use]
pub fn unsupported(frozen: &FrozenTeam) -> Vec<ConfigProblem> {
    let mut problems = unsupported_in(&frozen.team);
    for (index, member) in frozen.team.agents.iter().enumerate() {
        let mut names: Vec<&String> = member.team.iter().collect();
        // Those that teams inside it name are checked with them, each once.
        let mut seen = BTreeSet::new();
        while let Some(name) = names.pop() {
            let Some(team) = frozen.teams.get(name).filter(|_| seen.insert(name)) else { continue };
            let found = unsupported_in(team).into_iter().chain(unsupported_inside(team));
            let at = |found: ConfigProblem| ConfigProblem {
                path: format!("agents[{index}].team"),
                message: format!("`{name}`: {found}"),
            };
            problems.extend(found.map(at));
            names.extend(team.agents.iter().filter_map(|member| member.team.as_ref()));
        }
    }
    problems
}

/// What a team inside another one cannot have: it would hold for the whole run.
fn unsupported_inside(team: &TeamConfig) -> Vec<ConfigProblem> {
    let mut report = ProblemReport::default();
    if !team.budget.is_unlimited() {
        report.refuse("budget", "is not supported in a nested team yet: set it in the outer team");
    }
    if team.execution_config.timeout.is_some() {
        let message = "is not supported in a nested team yet: set it in the outer team";
        report.refuse("execution_config.timeout", message);
    }
    let ExecutionConfig { mode, breakpoints, human_intervention_points: points, .. } = &team.execution_config;
    let of_run = [
        ("mode", *mode != ExecutionMode::Autonomous),
        ("breakpoints", !breakpoints.is_empty()),
        ("human_intervention_points", !points.is_empty()),
    ];
    let message = "applies to the whole run: set it in the outer team";
    for (field, _) in of_run.into_iter().filter(|(_, is_given)| *is_given) {
        report.refuse(format_args!("execution_config.{field}"), message);
    }
    if has_own_interval(&team.memory_config) {
        report.refuse(
            "memory_config.consolidation_interval",
            "applies to the whole run: set it in the outer team",
        );
    }
    for field in plan_fields(team) {
        report.refuse(field, "only the outer team can have a plan");
    }
    report.into_problems()
}

fn unsupported_in(team: &TeamConfig) -> Vec<ConfigProblem> {
    let mut report = ProblemReport::default();
    check_patterns(team, &mut report);
    check_agents(team, &mut report);
    check_tools(team, &mut report);
    for (index, rule) in team.handoff_rules.iter().enumerate() {
        let names = [&rule.from_agent, &rule.to_agent];
        let is_nested = |member: &Member| member.team.is_some() && names.contains(&&member.name);
        if rule.handoff_type != HandoffKind::Sequential && team.agents.iter().any(is_nested) {
            let message = "a nested team can only hand off, or be handed off to, with `sequential` yet";
            report.refuse(format_args!("handoff_rules[{index}].handoff_type"), message);
        }
    }
    check_plan(team, &mut report);
    check_memory("memory_config", &team.memory_config, &mut report);
    check_llm("default_llm", &team.default_llm, &mut report);
    report.into_problems()
}

/// Where the file says that the team works by a plan.
fn plan_fields(team: &TeamConfig) -> Vec<String> {
    let of_team = (!team.plan.is_empty()).then(|| "plan".to_owned());
    let listed = team.agents.iter().enumerate().flat_map(|(index, member)| {
        let tools = member.tools.iter().enumerate().filter(|(_, tool)| is_plan_tool(tool));
        tools.map(move |(place, _)| format!("agents[{index}].tools[{place}]"))
    });
    of_team.into_iter().chain(listed).collect()
}

fn check_plan(team: &TeamConfig, report: &mut ProblemReport) {
    let is_by_handoffs = whole_pattern(team).is_none_or(|whole| whole.kind == PatternKind::Sequential);
    let problem = match (is_by_handoffs, plan_agents(team).is_empty()) {
        (false, _) => {
            "a plan is supported only in teams that work by handoffs or with a `sequential` pattern yet"
        }
        (true, true) => "nested teams cannot work on the tasks of a plan yet: add an agent",
        (true, false) => "",
    };
    for field in plan_fields(team).into_iter().filter(|_| !problem.is_empty()) {
        report.refuse(field, problem);
    }
    for (index, template) in team.plan.iter().enumerate() {
        let is_nested =
            |member: &Member| member.team.is_some() && Some(&member.name) == template.agent.as_ref();
        if team.agents.iter().any(is_nested) {
            let message = "a nested team cannot work on a task of a plan yet: name an agent";
            report.refuse(format_args!("plan[{index}].agent"), message);
        }
    }
}

fn check_agents(team: &TeamConfig, report: &mut ProblemReport) {
    for (index, member) in team.agents.iter().enumerate() {
        let at = format!("agents[{index}]");
        check_node_name(format_args!("{at}.name"), &member.name, report);
        if member.team.is_some() {
            report.within(&at, |report| check_nested(team, member, report));
        }
        if !member.collaboration_patterns.is_empty() {
            let message = "patterns that agents start are not supported yet";
            report.refuse(format_args!("{at}.collaboration_patterns"), message);
        }
        if let Some(memory) = &member.memory_config {
            check_memory(&format!("{at}.memory_config"), memory, report);
            if has_own_interval(memory) {
                let message = "applies to the whole team: set it in the `memory_config` of the team";
                report.refuse(format_args!("{at}.memory_config.consolidation_interval"), message);
            }
        }
        if let Some(llm) = &member.llm_config {
            check_llm(&format!("{at}.llm_config"), llm, report);
        }
    }
}

fn check_tools(team: &TeamConfig, report: &mut ProblemReport) {
    for (index, tool) in team.tools.iter().enumerate() {
        let message = match &tool.source {
            // It says only what is there in any case.
            ToolSource::Builtin if tool.config.is_empty() && tool.timeout.is_none() => continue,
            ToolSource::Builtin => {
                "settings of built-in tools are not supported yet: remove `config` and `timeout`"
            }
            // Its server has its own.
            ToolSource::Mcp { .. } if tool.timeout.is_some() => {
                "`timeout` is not supported for tools of MCP servers: set it for the tool with `amelia mcp`"
            }
            ToolSource::Hitl { .. } | ToolSource::Custom { .. } | ToolSource::Mcp { .. } => continue,
        };
        report.refuse(format_args!("tools[{index}]"), message);
    }
}

fn check_memory(at: &str, memory: &MemoryConfig, report: &mut ProblemReport) {
    if !memory.vector_db_config.is_empty() {
        report.refuse(format_args!("{at}.vector_db_config"), "is not supported yet: remove it");
    }
}

fn has_own_interval(memory: &MemoryConfig) -> bool {
    memory.consolidation_interval != MemoryConfig::default().consolidation_interval
}

fn check_llm(at: &str, llm: &LlmConfig, report: &mut ProblemReport) {
    let is_program = PROGRAMS.contains(&llm.provider.as_str());
    if is_program && llm.timeout != LlmConfig::default().timeout {
        let message = "has no effect on a program, which calls its model itself: remove it";
        report.refuse(format_args!("{at}.timeout"), message);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::team::deciding::tests::team;

    #[test]
    fn what_does_not_run_is_refused_by_its_name() {
        assert_eq!(unsupported_in(&team(&json!([]))), []);
        let refused = |change: &dyn Fn(&mut TeamConfig)| -> String {
            let mut team = team(&json!([]));
            change(&mut team);
            unsupported_in(&team).iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        };
        let pattern = |kind: &str, agents: &[&str]| -> TeamConfig {
            let mut team = team(&json!([]));
            let pattern = json!({"name": "vote", "kind": kind, "agents": agents});
            team.collaboration_patterns = vec![serde_json::from_value(pattern).unwrap()];
            team
        };
        for kind in ["sequential", "parallel", "consensus"] {
            let found = refused(&|team| *team = pattern(kind, &["writer", "critic", "editor"]));
            assert_eq!(found, "", "{kind}");
        }
        assert!(
            refused(&|team| *team = pattern("sequential", &["writer"])).contains("must contain all agents")
        );
        let steps = |step: &str, rules: &Value| {
            let mut team = team(rules);
            let config = json!({"workflow": [{"step": step, "agent": "writer"}]});
            let agents = ["writer", "critic", "editor"];
            let pattern = json!({"name": "own", "kind": "custom", "agents": agents, "config": config});
            team.collaboration_patterns = vec![serde_json::from_value(pattern).unwrap()];
            team
        };
        assert_eq!(refused(&|team| *team = steps("build it", &json!([]))), "");
        assert!(
            refused(&|team| *team = steps("a.b", &json!([]))).contains("workflow[0].step: must not contain")
        );
        let rule = json!([{"from_agent": "writer", "to_agent": "critic"}]);
        assert!(refused(&|team| *team = steps("build", &rule)).contains("handoff_rules: have no effect"));
        let found = refused(&|team| {
            team.handoff_rules = vec![
                serde_json::from_value(
                    json!({"from_agent": "writer", "to_agent": "critic", "handoff_type": "parallel"}),
                )
                .unwrap(),
            ];
        });
        assert_eq!(found, "");
        let found = refused(&|team| {
            team.agents[1].team = Some("other".to_owned());
            let rule = json!({"from_agent": "writer", "to_agent": "critic", "handoff_type": "parallel"});
            team.handoff_rules = vec![serde_json::from_value(rule).unwrap()];
        });
        assert!(found.contains("handoff_rules[0].handoff_type"), "{found}");
        assert_eq!(refused(&|team| team.execution_config.mode = ExecutionMode::Step), "");
        let plan = || serde_json::from_value(json!([{"description": "Look", "agent": "critic"}])).unwrap();
        assert_eq!(refused(&|team| team.plan = plan()), "");
        let found = refused(&|team| {
            *team = pattern("consensus", &["writer", "critic", "editor"]);
            team.plan = plan();
            team.agents[2].tools = vec!["read_file".to_owned(), "plan_read".to_owned()];
        });
        let expected =
            "a plan is supported only in teams that work by handoffs or with a `sequential` pattern yet";
        assert_eq!(found, format!("plan: {expected}\nagents[2].tools[1]: {expected}"));
        let found = refused(&|team| {
            team.agents[1].team = Some("other".to_owned());
            team.plan = plan();
        });
        assert!(found.starts_with("plan[0].agent: a nested team cannot work on a task"), "{found}");
        assert_eq!(refused(&|team| team.agents[0].team = Some("other".to_owned())), "");
        let nested = refused(&|team| {
            *team = pattern("parallel", &["writer", "critic", "editor"]);
            team.agents[0].team = Some("other".to_owned());
        });
        assert!(
            nested.contains("agents[0].team: a team inside a `parallel` pattern is not supported yet"),
            "{nested}"
        );
        assert_eq!(refused(&|team| team.default_llm.timeout = 5), "");
        let found = refused(&|team| {
            team.default_llm.timeout = 5;
            team.default_llm.provider = "claude".to_owned();
        });
        assert!(found.contains("default_llm.timeout: has no effect on a program"), "{found}");
        let config = || serde_json::from_value(json!({"provider": "local"})).unwrap();
        let found = refused(&|team| team.memory_config.vector_db_config = config());
        assert!(found.contains("memory_config.vector_db_config: is not supported yet"), "{found}");
        let own = || serde_json::from_value(json!({"consolidation_interval": 60})).unwrap();
        let found = refused(&|team| team.agents[0].memory_config = Some(own()));
        assert!(found.starts_with("agents[0].memory_config.consolidation_interval: applies to"), "{found}");
        assert_eq!(refused(&|team| team.memory_config = own()), "");
        assert_eq!(refused(&|team| team.memory_config.short_term_limit = 5), "");
        assert_eq!(refused(&|team| team.memory_config.semantic_search_enabled = false), "");
    }
    #[test]
    fn what_a_team_inside_another_one_cannot_have_is_told_at_its_member() {
        let mut outer = team(&json!([]));
        outer.agents[1].team = Some("inner".to_owned());
        let mut inner = team(&json!([]));
        let problems = |inner: &TeamConfig| -> Vec<String> {
            let teams = [("inner".to_owned(), inner.clone())].into();
            let frozen = FrozenTeam { team: outer.clone(), teams, ..FrozenTeam::default() };
            unsupported(&frozen).iter().map(ToString::to_string).collect()
        };
        assert_eq!(problems(&inner), Vec::<String>::new());
        inner.execution_config.timeout = Some(5);
        inner.execution_config.mode = ExecutionMode::Step;
        inner.agents[0].tools = vec!["plan_add_task".to_owned()];
        inner.memory_config.consolidation_interval = 60;
        let found = problems(&inner);
        assert_eq!(found.len(), 4, "{found:?}");
        assert!(found.iter().all(|problem| problem.starts_with("agents[1].team: `inner`: ")), "{found:?}");
    }
}
