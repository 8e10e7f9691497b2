//! A team: members, their tools, and how they work together. Everything in one document; references that
//! lead out of it (built-in tools, nested teams, template files) are checked when it is loaded.

pub mod execution;
pub mod guardrail;
pub mod llm;
pub mod member;
pub mod memory;
pub mod pattern;
pub mod plan;
pub mod tool;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::problem::{KnownNames, ProblemReport, Validate};
use crate::budget::Budget;
use crate::event::team::HandoffKind;
use crate::object::Object;
use execution::{ExecutionConfig, InterventionPoint, breakpoint_parts};
use guardrail::GuardrailPolicy;
use llm::{LlmConfig, PROGRAMS};
use member::Member;
use memory::MemoryConfig;
use pattern::CollaborationPattern;
use plan::TaskTemplate;
use tool::{ToolConfig, ToolSource};

/// Agents of one team.
const MAX_AGENTS: usize = 200;

/// Tools that the members of every team have where they apply, without listing them.
pub const TEAM_TOOLS: [&str; 21] = [
    "handoff",
    "finish",
    "delegate",
    "sync",
    "report",
    "propose_decision",
    "vote_on_proposal",
    "finalize_consensus",
    "submit_verdict",
    "plan_add_task",
    "plan_update_task",
    "plan_read",
    "plan_assign_task",
    "plan_estimate_duration",
    "plan_set_dependencies",
    "create_artifact",
    "read_artifact",
    "list_artifacts",
    "store_memory",
    "retrieve_memory",
    "search_memory",
];

/// Tools that ask a person.
pub const HITL_TOOLS: [&str; 3] = ["request_approval", "request_feedback", "escalate_to_human"];

/// Whether a name belongs to the tools of every team, so that no other tool can have it.
#[must_use]
pub fn is_reserved(name: &str) -> bool {
    TEAM_TOOLS.contains(&name) || HITL_TOOLS.contains(&name) || name.starts_with("plan_")
}

/// A team with the teams inside it, as a run keeps it: every template is its text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FrozenTeam {
    pub team: TeamConfig,
    /// By the names that members give.
    #[serde(default)]
    pub teams: BTreeMap<String, TeamConfig>,
    /// Shared guardrail policies that its agents name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub policies: BTreeMap<String, GuardrailPolicy>,
}

/// A team and everything it needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TeamConfig {
    pub name: String,
    pub description: String,
    pub version: String,
    pub default_llm: LlmConfig,
    pub agents: Vec<Member>,
    pub tools: Vec<ToolConfig>,
    pub handoff_rules: Vec<HandoffRule>,
    pub collaboration_patterns: Vec<CollaborationPattern>,
    pub guardrail_policies: Vec<GuardrailPolicy>,
    pub memory_config: MemoryConfig,
    pub execution_config: ExecutionConfig,
    pub deployment_config: Object,
    /// Tasks that every run of the team begins with.
    pub plan: Vec<TaskTemplate>,
    pub budget: Budget,
    /// What an import could not express, by framework, so that an export loses nothing.
    pub metadata: Object,
}

impl Default for TeamConfig {
    fn default() -> Self {
        Self {
            name: String::new(),
            description: String::new(),
            version: "1.0.0".to_owned(),
            default_llm: LlmConfig::default(),
            agents: Vec::new(),
            tools: Vec::new(),
            handoff_rules: Vec::new(),
            collaboration_patterns: Vec::new(),
            guardrail_policies: Vec::new(),
            memory_config: MemoryConfig::default(),
            execution_config: ExecutionConfig::default(),
            deployment_config: Object::new(),
            plan: Vec::new(),
            budget: Budget::default(),
            metadata: Object::new(),
        }
    }
}

/// Who may hand over to whom.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct HandoffRule {
    pub from_agent: String,
    pub to_agent: String,
    /// An expression over the state; a rule whose condition is true fires without the model.
    #[serde(default)]
    pub condition: Option<String>,
    #[serde(default)]
    pub handoff_type: HandoffKind,
}

impl Validate for TeamConfig {
    fn check(&self, report: &mut ProblemReport) {
        report.filled("name", &self.name);
        report.filled("version", &self.version);
        report.part("default_llm", &self.default_llm);
        if self.agents.is_empty() {
            report.refuse("agents", "must not be empty");
        }
        if self.agents.len() > MAX_AGENTS {
            report.refuse("agents", format!("has more than {MAX_AGENTS} entries"));
        }
        report.list("agents", &self.agents);
        report.list("tools", &self.tools);
        report.list("collaboration_patterns", &self.collaboration_patterns);
        report.list("guardrail_policies", &self.guardrail_policies);
        report.part("memory_config", &self.memory_config);
        report.part("execution_config", &self.execution_config);
        report.part("budget", &self.budget);
        self.check_names(report);
        self.check_members(report);
        self.check_handoffs(report);
        self.check_patterns(report);
        self.check_stops(report);
        plan::check(&self.plan, &self.agent_names(), report);
    }
}

impl TeamConfig {
    /// Reports tools, teams and policies that are neither the team's own nor known.
    pub fn check_references(&self, known: &KnownNames<'_>, report: &mut ProblemReport) {
        self.check_tools(known, report);
        self.check_stops_at_tools(known, report);
        let own = self.guardrail_policies.iter().map(|policy| policy.name.as_str());
        let policies: BTreeSet<&str> = own.chain(known.policies.iter().copied()).collect();
        for (index, member) in self.agents.iter().enumerate() {
            report.within(format_args!("agents[{index}]"), |report| {
                for (place, tool) in member.tools.iter().enumerate() {
                    self.check_tool(format_args!("tools[{place}]"), tool, known, report);
                }
                for (place, policy) in member.guardrail_policies.iter().enumerate() {
                    let field = format!("guardrail_policies[{place}]");
                    report.known(field, "guardrail policy", policy, &policies);
                }
                if let Some(team) = member.team.as_ref().filter(|team| !team.trim().is_empty()) {
                    report.known("team", "team", team, &known.teams);
                }
            });
        }
    }

    /// The team's own tools are what their names say.
    fn check_tools(&self, known: &KnownNames<'_>, report: &mut ProblemReport) {
        for (index, tool) in self.tools.iter().enumerate() {
            report.within(format_args!("tools[{index}]"), |report| match &tool.source {
                ToolSource::Builtin => {
                    let all = known.tools.iter().copied().chain(TEAM_TOOLS).collect();
                    report.known("name", "built-in tool", &tool.name, &all);
                }
                // The tools that ask a person can be set up.
                ToolSource::Hitl { .. } if HITL_TOOLS.contains(&tool.name.as_str()) => {}
                _ if is_reserved(&tool.name) || known.tools.contains(tool.name.as_str()) => {
                    report.refuse("name", format!("`{}` is the name of a built-in tool", tool.name));
                }
                ToolSource::Mcp { server_url: Some(_) } if known.servers.contains(tool.name.as_str()) => {
                    let message = format!("`{}` is the name of an MCP server that is configured", tool.name);
                    report.refuse("name", message);
                }
                ToolSource::Mcp { server_url: None } => {
                    if let Some(server) = tool.config.get("server").and_then(Value::as_str) {
                        report.known("config.server", "MCP server", server, &known.servers);
                    }
                }
                _ => {}
            });
        }
    }

    /// A tool by its name, or tools of an MCP server: `server:tool`, `server.tool`, `server:*`.
    fn check_tool(
        &self,
        field: impl std::fmt::Display,
        tool: &str,
        known: &KnownNames<'_>,
        report: &mut ProblemReport,
    ) {
        let of_team = |name: &str| self.tools.iter().find(|own| own.name == name);
        let of_server = |name: &str| {
            of_team(name).is_some_and(|own| matches!(own.source, ToolSource::Mcp { .. }))
                || known.servers.contains(name)
        };
        let with_dot = tool.split_once('.').filter(|(server, _)| of_server(server));
        match tool.split_once(':').or(with_dot) {
            Some((server, name)) if !name.is_empty() && of_server(server) => {
                if let Some(own) = of_team(server).filter(|own| !own.leaves(name)) {
                    let message =
                        format!("`{}` does not offer `{name}`: its config.tools leaves it out", own.name);
                    report.refuse(field, message);
                }
            }
            Some((_, name)) if !name.is_empty() => known.check_tool(field, tool, report),
            _ if of_team(tool).is_some() || TEAM_TOOLS.contains(&tool) || HITL_TOOLS.contains(&tool) => {}
            _ => known.check_tool(field, tool, report),
        }
    }

    /// The tools of MCP servers that an agent lists, each as `server:tool`, also with globs.
    #[must_use]
    pub fn server_tools(&self, member: &Member) -> Vec<String> {
        let own = |name: &str| self.tools.iter().find(|own| own.name == name && own.server_name().is_some());
        let mut found = Vec::new();
        for tool in &member.tools {
            let parts = tool.split_once([':', '.']);
            match (own(tool), parts, parts.and_then(|(server, _)| own(server))) {
                (Some(own), ..) => found.extend(own.server_tools(None)),
                (None, Some((_, name)), Some(own)) => found.extend(own.server_tools(Some(name))),
                (None, Some(_), None) => found.push(tool.clone()),
                (None, None, _) => {}
            }
        }
        found
    }

    fn agent_names(&self) -> BTreeSet<&str> {
        self.agents.iter().map(|member| member.name.as_str()).collect()
    }

    fn check_names(&self, report: &mut ProblemReport) {
        report.unique("agents", "name", self.agents.iter().map(|member| member.name.as_str()));
        report.unique("tools", "name", self.tools.iter().map(|tool| tool.name.as_str()));
        let patterns = self.collaboration_patterns.iter().map(|pattern| pattern.name.as_str());
        report.unique("collaboration_patterns", "name", patterns);
        let policies = self.guardrail_policies.iter().map(|policy| policy.name.as_str());
        report.unique("guardrail_policies", "name", policies);
    }

    fn check_members(&self, report: &mut ProblemReport) {
        let patterns: BTreeSet<&str> =
            self.collaboration_patterns.iter().map(|pattern| pattern.name.as_str()).collect();
        for (index, member) in self.agents.iter().enumerate() {
            report.within(format_args!("agents[{index}]"), |report| {
                for (place, pattern) in member.collaboration_patterns.iter().enumerate() {
                    report.known(
                        format_args!("collaboration_patterns[{place}]"),
                        "collaboration pattern",
                        pattern,
                        &patterns,
                    );
                }
            });
        }
    }

    fn check_handoffs(&self, report: &mut ProblemReport) {
        let agents = self.agent_names();
        let mut seen: BTreeMap<&HandoffRule, usize> = BTreeMap::new();
        for (index, rule) in self.handoff_rules.iter().enumerate() {
            report.within(format_args!("handoff_rules[{index}]"), |report| {
                report.known("from_agent", "agent", &rule.from_agent, &agents);
                report.known("to_agent", "agent", &rule.to_agent, &agents);
                if rule.from_agent == rule.to_agent {
                    report.refuse("to_agent", format!("`{}` cannot hand off to itself", rule.to_agent));
                }
                if rule.condition.as_ref().is_some_and(|condition| condition.trim().is_empty()) {
                    report.refuse("condition", "must not be empty");
                }
                match seen.get(rule) {
                    Some(first) => report.refuse("", format!("is the same as handoff_rules[{first}]")),
                    None => drop(seen.insert(rule, index)),
                }
            });
        }
    }

    /// Something other than the agents' own judgement ends a run.
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        let execution = &self.execution_config;
        execution.max_steps.is_some()
            || execution.timeout.is_some()
            || !execution.stop_on.is_empty()
            || !self.budget.is_unlimited()
    }

    /// Breakpoints and intervention points at agents that there are. Those of a team inside have a `/`.
    fn check_stops(&self, report: &mut ProblemReport) {
        let agents = self.agent_names();
        let patterns = self.collaboration_patterns.iter().map(|pattern| pattern.name.as_str());
        let nodes: BTreeSet<&str> = agents.iter().copied().chain(patterns).chain(self.step_names()).collect();
        let check_node = |field: String, node: &str, report: &mut ProblemReport| {
            // Nodes that Amelia adds have a dot.
            if !node.contains(['.', '/']) {
                report.known(field, "node", node, &nodes);
            }
        };
        let execution = &self.execution_config;
        report.within("execution_config", |report| {
            for (index, text) in execution.breakpoints.iter().enumerate() {
                let field = format!("breakpoints[{index}]");
                match breakpoint_parts(text).0 {
                    "handoff" | "error" | "" => {}
                    place => match place.strip_prefix("agent:") {
                        Some(agent) if !agent.contains('/') => report.known(field, "agent", agent, &agents),
                        None if !place.contains([':', '/']) => report.known(field, "agent", place, &nodes),
                        _ => {
                            if let Some(node) = place.strip_prefix("node:") {
                                check_node(field, node.trim(), report);
                            }
                        }
                    },
                }
            }
            for (index, text) in execution.human_intervention_points.iter().enumerate() {
                let field = format!("human_intervention_points[{index}]");
                match InterventionPoint::parse(text) {
                    Ok(InterventionPoint::Agent(agent)) if !agent.contains('/') => {
                        report.known(field, "agent", &agent, &agents);
                    }
                    Ok(InterventionPoint::Node(node)) => check_node(field, &node, report),
                    _ => {}
                }
            }
        });
    }

    /// The steps of custom patterns, which are nodes.
    fn step_names(&self) -> impl Iterator<Item = &str> {
        let steps = self.collaboration_patterns.iter().filter_map(|pattern| pattern.config.get("workflow"));
        let steps = steps.filter_map(Value::as_array).flatten();
        steps.filter_map(|step| step.get("step").and_then(Value::as_str))
    }

    /// Tools at which the run stops. A glob may match none, and programs and teams inside have tools of their own.
    fn check_stops_at_tools(&self, known: &KnownNames<'_>, report: &mut ProblemReport) {
        let is_program = |llm: &LlmConfig| PROGRAMS.contains(&llm.provider.as_str());
        let has_others = |member: &Member| {
            member.team.is_some() || is_program(member.llm_config.as_ref().unwrap_or(&self.default_llm))
        };
        if known.tools.is_empty() || self.agents.iter().any(has_others) {
            return;
        }
        let own = self.tools.iter().map(|tool| tool.name.as_str());
        let listed = self.agents.iter().flat_map(|member| member.tools.iter().map(String::as_str));
        let tools: BTreeSet<&str> = own.chain(listed).chain(known.tools.iter().copied()).collect();
        let execution = &self.execution_config;
        for (field, texts) in [
            ("breakpoints", &execution.breakpoints),
            ("human_intervention_points", &execution.human_intervention_points),
        ] {
            for (index, text) in texts.iter().enumerate() {
                let tool = breakpoint_parts(text).0.strip_prefix("tool:").map(str::trim);
                let named =
                    tool.filter(|tool| !tool.is_empty() && !tool.contains(['*', '?', '[', '{', ':', '.']));
                if let Some(tool) = named.filter(|tool| !is_reserved(tool)) {
                    report.known(format_args!("execution_config.{field}[{index}]"), "tool", tool, &tools);
                }
            }
        }
    }

    fn check_patterns(&self, report: &mut ProblemReport) {
        let agents = self.agent_names();
        for (index, pattern) in self.collaboration_patterns.iter().enumerate() {
            report.within(format_args!("collaboration_patterns[{index}]"), |report| {
                for (place, agent) in pattern.agents.iter().enumerate() {
                    report.known(format_args!("agents[{place}]"), "agent", agent, &agents);
                }
                if let Some(coordinator) = &pattern.coordination_agent {
                    report.known("coordination_agent", "agent", coordinator, &agents);
                }
                // A handoff names an agent or a pattern.
                if agents.contains(pattern.name.as_str()) {
                    report.refuse("name", format!("`{}` is already the name of an agent", pattern.name));
                }
            });
        }
    }
}

#[cfg(test)]
#[path = "team_tests.rs"]
mod tests;
