//! What a person does to a run without being asked: a word to an agent, another next agent, another plan or team.

use amelia_core::config::problem::{ConfigProblem, ProblemReport};
use amelia_core::event::human::InterventionKind;
use amelia_core::object::Object;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::agentx::team::TeamConfig;
use crate::agentx::team::parts::{AgentConfig, ExecutionConfig, GuardrailPolicy, HandoffRule};
use crate::read::{Refused, shape};
use crate::status::Status;

/// `POST …/intervene`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct Intervene {
    /// `instruction`, `agent_override`, `plan_update` or `team_modification`. All but `instruction` need a run that is not
    /// running.
    #[schema(value_type = String)]
    pub intervention_type: InterventionKind,
    /// `instruction`: `message`, and `agent` if it is for one agent only. `agent_override`: `next_agent`. `plan_update`:
    /// `plan`, the whole plan, or `tasks`, changes of tasks by their `task_id`. `team_modification`: any of `add_agents`,
    /// `remove_agents`, `replace_agents`, `handoff_rules`, `guardrail_policies`, `execution_config`.
    #[serde(default)]
    #[schema(value_type = Object)]
    #[cfg_attr(test, ts(type = "Record<string, unknown>"))]
    pub details: Object,
    /// Who intervenes, for the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
}

/// An intervention that is in the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct InterventionAccepted {
    pub intervention_id: String,
    /// Id of the run.
    pub id: Uuid,
    pub status: Status,
    /// What you should know about its effect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// `details` of an `instruction`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstructionDetails {
    pub message: String,
    /// The agent that it is for. Default: the one that takes the next step.
    #[serde(default)]
    pub agent: Option<String>,
}

/// `details` of an `agent_override`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OverrideDetails {
    pub next_agent: String,
}

/// `details` of a `team_modification`. What is absent stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TeamModification {
    pub add_agents: Vec<AgentConfig>,
    /// Names.
    pub remove_agents: Vec<String>,
    /// In the place of the agents with their names.
    pub replace_agents: Vec<AgentConfig>,
    pub handoff_rules: Option<Vec<HandoffRule>>,
    pub guardrail_policies: Option<Vec<GuardrailPolicy>>,
    pub execution_config: Option<ExecutionConfig>,
}

/// Reads the details of an intervention; problems have their place in the request.
pub fn details<T: serde::de::DeserializeOwned>(details: &Object) -> Result<T, Refused> {
    shape(Value::Object(details.clone())).map_err(|refused| refused.of_field("details"))
}

impl InstructionDetails {
    /// Reads the details of an instruction.
    pub fn read(given: &Object) -> Result<Self, Refused> {
        let instruction: Self = details(given)?;
        match instruction.message.trim().is_empty() {
            true => {
                let (path, message) = ("details.message".to_owned(), "must not be empty".to_owned());
                Err(Refused(vec![ConfigProblem { path, message }]))
            }
            false => Ok(instruction),
        }
    }
}

impl TeamModification {
    /// The team with these changes, each in a few words; or what does not fit it.
    pub fn apply(self, team: &mut TeamConfig) -> Result<Vec<String>, Refused> {
        let (mut report, mut changes) = (ProblemReport::default(), Vec::new());
        let missing = |name: &str| format!("the team has no agent `{name}`");
        for (index, name) in self.remove_agents.iter().enumerate() {
            let before = team.agents.len();
            team.agents.retain(|agent| agent.name != *name);
            match team.agents.len() == before {
                true => report.refuse(format_args!("remove_agents[{index}]"), missing(name)),
                false => changes.push(format!("agent `{name}` removed")),
            }
        }
        for (index, agent) in self.replace_agents.into_iter().enumerate() {
            let name = agent.name.clone();
            match team.agents.iter_mut().find(|old| old.name == name) {
                None => report.refuse(format_args!("replace_agents[{index}].name"), missing(&name)),
                Some(old) => {
                    *old = agent;
                    changes.push(format!("agent `{name}` replaced"));
                }
            }
        }
        for (index, agent) in self.add_agents.into_iter().enumerate() {
            let name = agent.name.clone();
            match team.agents.iter().any(|old| old.name == name) {
                true => {
                    let message = format!("the team has an agent `{name}`: use replace_agents");
                    report.refuse(format_args!("add_agents[{index}].name"), message);
                }
                false => {
                    team.agents.push(agent);
                    changes.push(format!("agent `{name}` added"));
                }
            }
        }
        let changed = |what: &str| format!("{what} changed");
        if let Some(rules) = self.handoff_rules {
            team.handoff_rules = rules;
            changes.push(changed("handoff rules"));
        }
        if let Some(policies) = self.guardrail_policies {
            team.guardrail_policies = policies;
            changes.push(changed("guardrail policies"));
        }
        if let Some(config) = self.execution_config {
            team.execution_config = config;
            changes.push(changed("execution config"));
        }
        let mut problems = report.into_problems();
        if changes.is_empty() && problems.is_empty() {
            problems.push(ConfigProblem { path: String::new(), message: "changes nothing".to_owned() });
        }
        if problems.is_empty() { Ok(changes) } else { Err(Refused(problems).of_field("details")) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn team() -> TeamConfig {
        let agent = |name: &str| json!({"name": name, "role": "works", "prompt_template": "Work."});
        let document = json!({"name": "press", "agents": [agent("writer"), agent("critic")]});
        serde_json::from_value(document).unwrap()
    }

    fn modified(given: Value) -> Result<(TeamConfig, Vec<String>), String> {
        let mut team = team();
        let given = serde_json::from_value(given).unwrap();
        let changes = details::<TeamModification>(&given).and_then(|changes| changes.apply(&mut team));
        changes.map(|changes| (team, changes)).map_err(|refused| refused.to_string())
    }

    #[test]
    fn agents_come_and_go_and_what_does_not_fit_is_told_with_its_place() {
        let editor = json!({"name": "editor", "role": "edits", "prompt_template": "Edit."});
        let (team, changes) = modified(json!({
            "remove_agents": ["critic"], "add_agents": [editor], "handoff_rules": [],
        }))
        .unwrap();
        assert_eq!(changes, ["agent `critic` removed", "agent `editor` added", "handoff rules changed"]);
        let names: Vec<&str> = team.agents.iter().map(|agent| agent.name.as_str()).collect();
        assert_eq!(names, ["writer", "editor"]);
        let replaced = json!({"name": "writer", "role": "writes", "prompt_template": "Write."});
        let (team, _) = modified(json!({"replace_agents": [replaced]})).unwrap();
        assert_eq!(team.agents[0].prompt_template, "Write.");
        for (given, expected) in [
            (json!({}), "details: changes nothing"),
            (json!({"remove_agents": ["ghost"]}), "details.remove_agents[0]: the team has no agent `ghost`"),
            (json!({"replace_agents": [editor]}), "details.replace_agents[0].name: the team has no agent"),
            (json!({"add_agents": [replaced]}), "details.add_agents[0].name: the team has an agent `writer`"),
            (json!({"remove": []}), "details.remove: unknown field"),
        ] {
            let refused = modified(given).unwrap_err();
            assert!(refused.starts_with(expected), "{refused}");
        }
    }

    #[test]
    fn an_instruction_has_words() {
        let read = |given: Value| InstructionDetails::read(given.as_object().unwrap());
        assert_eq!(read(json!({"message": "Shorter", "agent": "writer"})).unwrap().agent.unwrap(), "writer");
        let empty = read(json!({"message": " "})).unwrap_err().to_string();
        assert_eq!(empty, "details.message: must not be empty");
        assert!(read(json!({})).unwrap_err().to_string().contains("message"));
    }
}
