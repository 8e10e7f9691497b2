//! What a run of a team is started with: the team as it was then, with the texts of its templates, so that later changes of the
//! files do not affect it. Keys are not in it, only the names of the variables that hold them.

use std::collections::{BTreeMap, BTreeSet};

use amelia_core::config::agent::{AgentConfig, DriverType};
use amelia_core::config::mcp::McpServer;
use amelia_core::config::problem::ProblemReport;
use amelia_core::config::retry::RetryConfig;
use amelia_core::config::team::FrozenTeam;
use amelia_core::config::team::guardrail::GuardrailPolicy;
use amelia_core::config::team::llm::LlmConfig;
use amelia_core::config::team::memory::MemoryConfig;
use amelia_core::config::team::tool::ToolConfig;
use amelia_core::guardrail::Violation;
use amelia_core::id::RunId;
use amelia_core::memory::MemorySpace;
use amelia_core::message::ExecutionMode;
use amelia_core::object::Object;
use amelia_core::tool::ToolSpec;
use amelia_core::view::RunRow;
use amelia_flows::team::{JUDGE, PlacedMember, judge_model, members, team_levels};
use amelia_orchestrator::service::ServiceError;
use amelia_wire::agentx::team::TeamConfig as TeamDocument;
use amelia_wire::agentx::team::parts::GuardrailPolicy as PolicyDocument;
use amelia_wire::read::Incoming as _;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::memory::{MemberMemory, TeamMemory};
use crate::team_programs::TeamProgram;

/// How a team becomes a graph. A run whose number this program does not have is not resumed.
pub(crate) const COMPILER: u32 = 1;

/// The input of a run of a team. Its document has the words of document 002, which are also shown to people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TeamInput {
    pub(crate) compiler: u32,
    pub(crate) prompt: String,
    /// Values that the state begins with.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub(crate) inputs: Object,
    pub(crate) team_config: TeamDocument,
    /// The teams inside it, by the names that members give.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) teams: BTreeMap<String, TeamDocument>,
    /// The shared guardrail policies that its agents name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) policies: Vec<PolicyDocument>,
    /// What guardrails found in the request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) violations: Vec<Violation>,
    pub(crate) started_at: Timestamp,
    /// Whether a person is there.
    #[serde(default)]
    pub(crate) execution_mode: ExecutionMode,
    /// How often agents without a `retry_policy` try again.
    #[serde(default)]
    pub(crate) retry: RetryConfig,
    /// The tools of MCP servers that it was offered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) mcp_tools: Vec<ToolSpec>,
    /// The programs among the tools of its teams, as they were then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) programs: Vec<TeamProgram>,
    /// None of its tools uses files, so it has no worktree.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) has_no_files: bool,
    /// Its agents have the tools for artifacts. Those of older runs have not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) has_artifacts: bool,
    /// With whom its agents share what they remember. Those of older runs have no memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) memory: Option<TeamMemory>,
    /// Conversations of its agents are kept within their short-term limit. Those of older runs are not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) has_short_term: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) copy_files: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) setup: Vec<String>,
}

impl TeamInput {
    /// The team in our words, with those inside it.
    pub(crate) fn team(&self) -> Result<FrozenTeam, ServiceError> {
        let mut report = ProblemReport::default();
        let team = self.team_config.clone().into_core(&mut report);
        let inner = self.teams.iter();
        let teams = inner.map(|(name, team)| (name.clone(), team.clone().into_core(&mut report))).collect();
        let policies = self.policies.iter().cloned().map(GuardrailPolicy::from);
        let policies = policies.map(|policy| (policy.name.clone(), policy)).collect();
        match report.into_problems().as_slice() {
            [] => Ok(FrozenTeam { team, teams, policies }),
            [first, ..] => {
                Err(ServiceError::invalid(format!("the team of this run cannot be read: {first}")))
            }
        }
    }
}

/// Whether the agents of a run have the tools for artifacts.
pub(crate) fn has_artifacts(row: &RunRow) -> bool {
    row.run.spec.input.get("has_artifacts") == Some(&Value::Bool(true))
}

/// The configurations of all agents of a team, by name, and of those that judge its criteria.
pub(crate) fn configs(team: &FrozenTeam) -> BTreeMap<String, AgentConfig> {
    let members = members(team);
    let of_members = members.iter().map(|placed| (placed.name.clone(), config_of(llm_of(placed))));
    of_members.chain(judges(team).into_iter().map(|(name, llm)| (name, config_of(llm)))).collect()
}

/// The models that judge the criteria of a team, and of the teams inside it, by the names of their agents.
pub(crate) fn judges(team: &FrozenTeam) -> BTreeMap<String, &LlmConfig> {
    let all = team_levels(team).into_iter();
    all.filter_map(|(path, team)| Some((format!("{path}{JUDGE}"), judge_model(team)?))).collect()
}

/// The MCP servers at addresses that the teams give.
pub(crate) fn own_servers(team: &FrozenTeam) -> Vec<McpServer> {
    let all = [&team.team].into_iter().chain(team.teams.values());
    all.flat_map(|team| &team.tools).filter_map(ToolConfig::own_server).collect()
}

/// The programs of `acp` that a team starts, each with the variables that it gets.
pub(crate) fn own_programs(team: &FrozenTeam) -> BTreeSet<(Vec<String>, Vec<String>)> {
    let all = [&team.team].into_iter().chain(team.teams.values());
    let models = all.flat_map(|team| {
        [&team.default_llm]
            .into_iter()
            .chain(team.agents.iter().filter_map(|member| member.llm_config.as_ref()))
    });
    models.filter(|llm| llm.is_acp()).map(|llm| (llm.command.clone(), llm.env.clone())).collect()
}

/// What an agent may read and write of memory.
pub(crate) fn memory_of(input: &TeamInput, placed: &PlacedMember<'_>, run: RunId) -> Option<MemberMemory> {
    MemberMemory::of(memory_config_of(placed), input.memory.as_ref()?, &placed.team.name, run)
}

fn memory_config_of<'a>(placed: &PlacedMember<'a>) -> &'a MemoryConfig {
    placed.member.memory_config.as_ref().unwrap_or(&placed.team.memory_config)
}

/// Tokens above which the oldest part of a conversation of an agent becomes a summary.
pub(crate) fn short_term_limit_of(input: &TeamInput, placed: &PlacedMember<'_>) -> Option<u64> {
    input.has_short_term.then(|| memory_config_of(placed).short_term_limit)
}

/// Everything that the agents of a run can read.
pub(crate) fn spaces_of(input: &TeamInput, run: RunId) -> Vec<MemorySpace> {
    let Some(shared) = &input.memory else { return Vec::new() };
    let Ok(team) = input.team() else { return Vec::new() };
    let own = members(&team).into_iter().filter_map(|placed| memory_of(input, &placed, run));
    let all = MemberMemory::of(&team.team.memory_config, shared, &team.team.name, run).into_iter().chain(own);
    let all: BTreeSet<MemorySpace> = all.flat_map(|member| member.spaces).collect();
    all.into_iter().collect()
}

/// Where the agents of a run may store.
pub(crate) fn stored_spaces_of(input: &TeamInput, run: RunId) -> Vec<MemorySpace> {
    let Ok(team) = input.team() else { return Vec::new() };
    let members = members(&team);
    let own = members.iter().filter_map(|placed| memory_of(input, placed, run));
    let shared = |member: MemberMemory| {
        let MemberMemory { spaces, shares, .. } = member;
        spaces.into_iter().filter(move |space| shares.contains(&space.scope)).collect::<Vec<_>>()
    };
    let all: BTreeSet<MemorySpace> = own.flat_map(shared).collect();
    all.into_iter().collect()
}

/// The models that can summarise what a team remembers, best first: that of the team, then those of its agents. Programs are none
/// of them.
pub(crate) fn summary_models(team: &FrozenTeam) -> Vec<AgentConfig> {
    let of_members = members(team).into_iter().map(|placed| config_of(llm_of(&placed)));
    let all = [config_of(&team.team.default_llm)].into_iter().chain(of_members);
    all.filter(|config| !config.driver.is_program()).collect()
}

/// How patient an agent is with its provider.
pub(crate) fn retry_of(placed: &PlacedMember<'_>, default: RetryConfig) -> RetryConfig {
    let policy = &llm_of(placed).retry_policy;
    match policy.is_empty() {
        true => default,
        // It was checked when the team was read.
        false => serde_json::from_value(Value::Object(policy.clone())).unwrap_or(default),
    }
}

fn llm_of<'a>(placed: &PlacedMember<'a>) -> &'a LlmConfig {
    placed.member.llm_config.as_ref().unwrap_or(&placed.team.default_llm)
}

/// A model of a team, as an agent of a profile.
fn config_of(llm: &LlmConfig) -> AgentConfig {
    let mut options = Object::new();
    let mut set = |name: &str, value: Value| drop(options.insert(name.to_owned(), value));
    if let Some(url) = &llm.base_url {
        set("base_url", json!(url));
    }
    if let Some(name) = &llm.api_key_env {
        set("api_key_env", json!(name));
    }
    let driver = match llm.provider.as_str() {
        "claude" => DriverType::Claude,
        "codex" => DriverType::Codex,
        _ if llm.is_acp() => {
            set("command", json!(llm.command));
            if !llm.env.is_empty() {
                set("env", json!(llm.env));
            }
            DriverType::Acp
        }
        provider => {
            set("provider", json!(provider));
            // Some models refuse any temperature, so the default is not sent.
            if llm.temperature != LlmConfig::default().temperature {
                set("temperature", json!(llm.temperature));
            }
            // Models that think say nothing for longer than the default of the format.
            if llm.timeout != LlmConfig::default().timeout {
                set("timeout", json!(llm.timeout));
            }
            if let Some(tokens) = llm.max_tokens {
                set("max_tokens", json!(tokens));
            }
            DriverType::Api
        }
    };
    let is_given = llm.model != LlmConfig::default().model;
    // The default of the format is a model of a provider.
    let model = if driver == DriverType::Acp && !is_given { "default" } else { llm.model.as_str() };
    AgentConfig { options, ..AgentConfig::new(driver, model) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_has_its_own_model_or_that_of_the_team() {
        let team = serde_json::from_value(json!({
            "name": "press",
            "default_llm": {"provider": "openai", "model": "gpt-5", "max_tokens": 100, "retry_policy": {"max_retries": 1}},
            "agents": [
                {"name": "writer", "role": "writes"},
                {"name": "critic", "role": "judges", "llm_config": {
                    "provider": "openai-compatible", "base_url": "http://127.0.0.1:1/v1", "model": "m", "temperature": 0.2,
                    "timeout": 90}},
                {"name": "coder", "role": "codes", "llm_config": {"provider": "claude", "model": "opus"}},
                {"name": "other", "role": "codes", "llm_config": {
                    "provider": "acp", "command": ["opencode", "acp"], "env": ["A"]}},
            ],
        }))
        .unwrap();
        let team = FrozenTeam { team, ..FrozenTeam::default() };
        let configs = configs(&team);
        for config in configs.values() {
            config.driver_config().unwrap();
        }
        assert_eq!(
            Value::Object(configs["writer"].options.clone()),
            json!({"provider": "openai", "max_tokens": 100})
        );
        assert_eq!(
            Value::Object(configs["critic"].options.clone()),
            json!({"provider": "openai-compatible", "base_url": "http://127.0.0.1:1/v1", "temperature": 0.2, "timeout": 90})
        );
        assert_eq!((configs["coder"].driver, configs["coder"].model.as_str()), (DriverType::Claude, "opus"));
        let other = &configs["other"];
        assert_eq!((other.driver, other.model.as_str()), (DriverType::Acp, "default"));
        assert_eq!(
            Value::Object(other.options.clone()),
            json!({"command": ["opencode", "acp"], "env": ["A"]})
        );
        let retries = |agent| {
            let placed = members(&team).into_iter().find(|placed| placed.name == agent).unwrap();
            retry_of(&placed, RetryConfig::default()).max_retries
        };
        assert_eq!((retries("writer"), retries("critic")), (1, RetryConfig::default().max_retries));
    }
}
