//! What a team file may say and this version does not do yet. Such a team is refused when a run is created: nothing of a file
//! is ignored.

use amelia_core::config::problem::{ConfigProblem, ProblemReport};
use amelia_core::config::team::TeamConfig;
use amelia_core::config::team::llm::LlmConfig;
use amelia_core::config::team::memory::MemoryConfig;
use amelia_core::config::team::pattern::PatternKind;
use amelia_core::config::team::tool::ToolSource;
use amelia_core::event::team::HandoffKind;
use amelia_core::message::ExecutionMode;

use super::rules::whole_pattern;

/// Everything in a team that does not run yet.
#[must_use]
pub fn unsupported(team: &TeamConfig) -> Vec<ConfigProblem> {
    let mut report = ProblemReport::default();
    check_patterns(team, &mut report);
    check_agents(team, &mut report);
    check_tools(team, &mut report);
    check_execution(team, &mut report);
    for (index, rule) in team.handoff_rules.iter().enumerate() {
        let kind = match rule.handoff_type {
            HandoffKind::Sequential => continue,
            HandoffKind::Parallel => "parallel",
            HandoffKind::Hierarchical => "hierarchical",
        };
        let message = format!("`{kind}` is not supported yet: use `sequential`");
        report.refuse(format_args!("handoff_rules[{index}].handoff_type"), message);
    }
    if !team.guardrail_policies.is_empty() {
        report.refuse("guardrail_policies", "guardrails are not supported yet: remove them");
    }
    if !team.plan.is_empty() {
        report.refuse("plan", "a plan in a team file is not supported yet: describe the tasks in the prompt");
    }
    check_memory("memory_config", &team.memory_config, &mut report);
    check_llm("default_llm", &team.default_llm, &mut report);
    report.into_problems()
}

fn check_patterns(team: &TeamConfig, report: &mut ProblemReport) {
    let whole = whole_pattern(team).map(|pattern| &pattern.name);
    for (index, pattern) in team.collaboration_patterns.iter().enumerate() {
        let at = format!("collaboration_patterns[{index}]");
        let kind = match pattern.kind {
            PatternKind::Sequential => "sequential",
            PatternKind::Parallel => "parallel",
            PatternKind::Hierarchical => "hierarchical",
            PatternKind::Consensus => "consensus",
            PatternKind::Custom => "custom",
        };
        if pattern.kind != PatternKind::Sequential {
            let message = format!(
                "the pattern `{}` is `{kind}`, which does not run yet: use `sequential`, or handoff_rules alone",
                pattern.name
            );
            report.refuse(format_args!("{at}.type"), message);
        } else if whole != Some(&pattern.name) {
            let message = format!(
                "the pattern `{}` must have all agents of the team, and be its only pattern: patterns that agents start \
                 do not run yet",
                pattern.name
            );
            report.refuse(&at, message);
        } else if pattern.coordination_agent.is_some() {
            let message = "a coordinator of a `sequential` pattern is not supported yet: use handoff_rules";
            report.refuse(format_args!("{at}.coordination_agent"), message);
        }
    }
}

fn check_agents(team: &TeamConfig, report: &mut ProblemReport) {
    for (index, member) in team.agents.iter().enumerate() {
        let at = format!("agents[{index}]");
        if member.name.contains(['.', '/']) {
            report.refuse(format_args!("{at}.name"), "must not contain `.` or `/`");
        }
        if member.team.is_some() {
            report.refuse(format_args!("{at}.team"), "a team inside a team does not run yet");
        }
        if !member.guardrail_policies.is_empty() {
            report.refuse(format_args!("{at}.guardrail_policies"), "guardrails are not supported yet");
        }
        if !member.collaboration_patterns.is_empty() {
            let message = "patterns that agents start do not run yet";
            report.refuse(format_args!("{at}.collaboration_patterns"), message);
        }
        if let Some(memory) = &member.memory_config {
            check_memory(&format!("{at}.memory_config"), memory, report);
        }
        if let Some(llm) = &member.llm_config {
            check_llm(&format!("{at}.llm_config"), llm, report);
        }
    }
}

fn check_tools(team: &TeamConfig, report: &mut ProblemReport) {
    for (index, tool) in team.tools.iter().enumerate() {
        let kind = match &tool.source {
            // It says only what is there in any case.
            ToolSource::Builtin if tool.config.is_empty() && tool.timeout.is_none() => continue,
            ToolSource::Builtin => "builtin with settings",
            ToolSource::Custom { .. } => "custom",
            ToolSource::Mcp { .. } => "mcp",
            ToolSource::Hitl { .. } => "hitl",
        };
        let message = format!(
            "tools of type `{kind}` are not supported yet: name built-in tools and `server:tool` in `tools` of the agents"
        );
        report.refuse(format_args!("tools[{index}]"), message);
    }
}

fn check_execution(team: &TeamConfig, report: &mut ProblemReport) {
    let config = &team.execution_config;
    report.within("execution_config", |report| {
        match config.mode {
            ExecutionMode::Autonomous => {}
            ExecutionMode::Step | ExecutionMode::Hitl => report.refuse(
                "mode",
                "only `autonomous` is supported in a team file: use `amelia breakpoint` to stop in a run",
            ),
        }
        if !config.breakpoints.is_empty() {
            report.refuse("breakpoints", "are not supported in a team file yet: use `amelia breakpoint`");
        }
        if !config.human_intervention_points.is_empty() {
            report.refuse("human_intervention_points", "are not supported yet: use `amelia breakpoint`");
        }
    });
}

fn check_memory(at: &str, memory: &MemoryConfig, report: &mut ProblemReport) {
    if *memory != MemoryConfig::default() {
        report.refuse(at, "memory is not supported yet: remove its settings");
    }
}

fn check_llm(at: &str, llm: &LlmConfig, report: &mut ProblemReport) {
    if llm.provider == "acp" {
        report.refuse(format_args!("{at}.provider"), "`acp` is not supported in a team yet");
    }
    if llm.timeout != LlmConfig::default().timeout {
        report.refuse(format_args!("{at}.timeout"), "is not supported yet: remove it");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::team::deciding::tests::team;

    #[test]
    fn what_does_not_run_is_refused_by_its_name() {
        assert_eq!(unsupported(&team(&json!([]))), []);
        let refused = |change: &dyn Fn(&mut TeamConfig)| -> String {
            let mut team = team(&json!([]));
            change(&mut team);
            unsupported(&team).iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        };
        let pattern = |kind: &str, agents: &[&str]| -> TeamConfig {
            let mut team = team(&json!([]));
            let pattern = json!({"name": "vote", "kind": kind, "agents": agents});
            team.collaboration_patterns = vec![serde_json::from_value(pattern).unwrap()];
            team
        };
        for kind in ["parallel", "hierarchical", "consensus", "custom"] {
            let found = refused(&|team| *team = pattern(kind, &["writer", "critic", "editor"]));
            assert!(
                found.contains("`vote`") && found.contains(&format!("`{kind}`, which does not run yet")),
                "{found}"
            );
        }
        assert_eq!(refused(&|team| *team = pattern("sequential", &["writer", "critic", "editor"])), "");
        assert!(refused(&|team| *team = pattern("sequential", &["writer"])).contains("must have all agents"));
        let found = refused(&|team| {
            team.handoff_rules = vec![
                serde_json::from_value(
                    json!({"from_agent": "writer", "to_agent": "critic", "handoff_type": "parallel"}),
                )
                .unwrap(),
            ];
        });
        assert!(found.contains("handoff_rules[0].handoff_type"), "{found}");
        assert!(
            refused(&|team| team.execution_config.mode = ExecutionMode::Step)
                .contains("execution_config.mode")
        );
        assert!(refused(&|team| team.agents[0].team = Some("other".to_owned())).contains("agents[0].team"));
        assert!(refused(&|team| team.memory_config.short_term_limit = 5).contains("memory_config"));
    }
}
