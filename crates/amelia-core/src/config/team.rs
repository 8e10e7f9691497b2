//! A team: members, their tools, and how they work together. Everything in one document; references that
//! lead out of it (built-in tools, nested teams, template files) are checked by whoever loads it.

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

use super::problem::{KnownNames, ProblemReport, Validate, find_cycle};
use crate::budget::Budget;
use crate::event::team::HandoffKind;
use crate::object::Object;
use execution::ExecutionConfig;
use guardrail::GuardrailPolicy;
use llm::LlmConfig;
use member::Member;
use memory::MemoryConfig;
use pattern::CollaborationPattern;
use plan::TaskTemplate;
use tool::ToolConfig;

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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
        plan::check(&self.plan, &self.agent_names(), report);
    }
}

impl TeamConfig {
    /// Reports tools that are neither the team's own nor known.
    pub fn check_references(&self, known: &KnownNames<'_>, report: &mut ProblemReport) {
        let own = self.tools.iter().map(|tool| tool.name.as_str());
        let tools: BTreeSet<&str> = own.chain(known.tools.iter().copied()).collect();
        for (index, member) in self.agents.iter().enumerate() {
            for (place, tool) in member.tools.iter().enumerate() {
                report.known(format_args!("agents[{index}].tools[{place}]"), "tool", tool, &tools);
            }
        }
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
        let policies: BTreeSet<&str> =
            self.guardrail_policies.iter().map(|policy| policy.name.as_str()).collect();
        let patterns: BTreeSet<&str> =
            self.collaboration_patterns.iter().map(|pattern| pattern.name.as_str()).collect();
        for (index, member) in self.agents.iter().enumerate() {
            report.within(format_args!("agents[{index}]"), |report| {
                for (place, policy) in member.guardrail_policies.iter().enumerate() {
                    report.known(
                        format_args!("guardrail_policies[{place}]"),
                        "guardrail policy",
                        policy,
                        &policies,
                    );
                }
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
        let mut plain: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (index, rule) in self.handoff_rules.iter().enumerate() {
            report.within(format_args!("handoff_rules[{index}]"), |report| {
                report.known("from_agent", "agent", &rule.from_agent, &agents);
                report.known("to_agent", "agent", &rule.to_agent, &agents);
            });
            if rule.condition.is_none() {
                plain.entry(&rule.from_agent).or_default().push(&rule.to_agent);
            }
        }
        if self.execution_config.is_bounded() {
            return;
        }
        if let Some(cycle) = find_cycle(&plain) {
            report.refuse(
                "handoff_rules",
                format!(
                    "{} is a cycle that nothing ends: give a rule a condition, or set \
                     execution_config.max_steps or stop_on",
                    cycle.join(" → ")
                ),
            );
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
            });
        }
    }
}
