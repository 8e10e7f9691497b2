//! The tools with which agents of a team ask a person. Who has them: an agent that lists them; and in the modes in which a person
//! is there, `hitl` and `step`, every agent. A team that works by itself does not stop for a person unless its file says so.

use std::sync::Arc;

use amelia_agents::human_tool::{DEFAULT_TIMEOUT, HumanTool};
use amelia_agents::own_tool::OwnTool;
use amelia_core::config::team::tool::{EscalationRule, ToolConfig, ToolSource};
use amelia_core::config::team::{FrozenTeam, HITL_TOOLS};
use amelia_core::human::WaitMode;
use amelia_core::human_tool::HumanToolKind;
use amelia_core::id::AgentName;
use amelia_core::message::ExecutionMode;
use amelia_core::redact::Redactor;
use amelia_flows::team::PlacedMember;
use serde_json::Value;

/// Those of one agent.
pub(crate) fn human_tools(
    team: &FrozenTeam,
    placed: &PlacedMember<'_>,
    agent: &AgentName,
    redactor: &Arc<Redactor>,
) -> Vec<Arc<dyn OwnTool>> {
    let with_person = team.team.execution_config.mode != ExecutionMode::Autonomous;
    let of_mode = HITL_TOOLS.iter().filter(|_| with_person).map(|name| (*name).to_owned());
    let mut names: Vec<String> = placed.member.tools.clone();
    names.extend(of_mode.filter(|name| !placed.member.tools.contains(name)));
    let tool = |name: &String| {
        let config = placed.team.tools.iter().find(|tool| tool.name == *name);
        let asks = config.map_or(HITL_TOOLS.contains(&name.as_str()), is_human);
        asks.then(|| Arc::new(human_tool(name, config, agent, redactor)) as Arc<dyn OwnTool>)
    };
    names.iter().filter_map(tool).collect()
}

/// Whether a tool of this name asks a person and does nothing else.
pub(crate) fn is_human_tool(placed: &PlacedMember<'_>, name: &str) -> bool {
    HITL_TOOLS.contains(&name) || placed.team.tools.iter().any(|tool| tool.name == name && is_human(tool))
}

fn is_human(tool: &ToolConfig) -> bool {
    matches!(tool.source, ToolSource::Hitl { .. })
}

fn human_tool(
    name: &str,
    config: Option<&ToolConfig>,
    agent: &AgentName,
    redactor: &Arc<Redactor>,
) -> HumanTool {
    let word = |key: &str| config.and_then(|tool| tool.config.get(key)).and_then(Value::as_str);
    let kind = match name {
        "request_feedback" => HumanToolKind::Feedback,
        "escalate_to_human" => HumanToolKind::Escalation,
        _ => word("kind").and_then(HumanToolKind::named).unwrap_or(HumanToolKind::Approval),
    };
    let mode = match word("mode") {
        Some("asynchronous") => WaitMode::Asynchronous,
        Some("advisory") => WaitMode::Advisory,
        _ => WaitMode::Synchronous,
    };
    let policy = match config.map(|tool| &tool.source) {
        Some(ToolSource::Hitl { escalation_policy: Some(policy) }) => EscalationRule::parse(policy),
        _ => None,
    };
    HumanTool {
        agent: agent.clone(),
        name: name.to_owned(),
        kind,
        mode,
        prompt: word("prompt").map(str::to_owned),
        timeout: config.and_then(|tool| tool.timeout).unwrap_or(DEFAULT_TIMEOUT),
        on_timeout: policy.unwrap_or(EscalationRule::Reject),
        redactor: Arc::clone(redactor),
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::config::team::TeamConfig;
    use amelia_flows::team::members;
    use serde_json::json;

    use super::*;

    fn names_of(mode: &str, tools: &Value) -> Vec<String> {
        let document = json!({
            "name": "press", "execution_config": {"mode": mode},
            "agents": [{"name": "writer", "tools": tools}],
            "tools": [{"name": "ask_legal", "source": {"hitl": {"escalation_policy": "escalate:60"}}, "timeout": 5,
                       "config": {"kind": "feedback", "mode": "advisory"}}],
        });
        let team: TeamConfig = serde_json::from_value(document).unwrap();
        let team = FrozenTeam { team, ..FrozenTeam::default() };
        let placed = members(&team).remove(0);
        let agent = AgentName::new("writer").unwrap();
        let tools = human_tools(&team, &placed, &agent, &Arc::default());
        tools.iter().map(|tool| tool.spec().name.to_string()).collect()
    }

    #[test]
    fn an_agent_has_those_that_it_lists_and_all_where_a_person_is_there() {
        assert_eq!(names_of("autonomous", &json!([])), Vec::<String>::new());
        assert_eq!(names_of("autonomous", &json!(["request_approval", "shell"])), ["request_approval"]);
        assert_eq!(names_of("autonomous", &json!(["ask_legal"])), ["ask_legal"]);
        let all = ["request_feedback", "request_approval", "escalate_to_human"];
        assert_eq!(names_of("hitl", &json!(["request_feedback"])), all);
    }

    #[test]
    fn a_tool_is_as_the_team_sets_it_up() {
        let config = json!({
            "name": "ask_legal", "source": {"hitl": {"escalation_policy": "escalate:60"}}, "timeout": 5,
            "config": {"kind": "feedback", "mode": "advisory", "prompt": "Legal"},
        });
        let config: ToolConfig = serde_json::from_value(config).unwrap();
        let agent = AgentName::new("writer").unwrap();
        let tool = human_tool("ask_legal", Some(&config), &agent, &Arc::default());
        assert_eq!((tool.kind, tool.mode, tool.timeout), (HumanToolKind::Feedback, WaitMode::Advisory, 5));
        assert_eq!(tool.on_timeout, EscalationRule::Escalate(Some(60)));
        let plain = human_tool("escalate_to_human", None, &agent, &Arc::default());
        assert_eq!((plain.kind, plain.mode), (HumanToolKind::Escalation, WaitMode::Synchronous));
        assert_eq!((plain.timeout, plain.on_timeout), (DEFAULT_TIMEOUT, EscalationRule::Reject));
    }
}
