//! One agent of a team.

use serde::{Deserialize, Serialize};

use super::llm::LlmConfig;
use super::memory::MemoryConfig;
use crate::config::problem::{ProblemReport, Validate};
use crate::id::AgentName;

/// A member: an agent, or a whole team in an agent's place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Member {
    pub name: String,
    pub role: String,
    /// A template file beside the team's, or the text itself.
    pub prompt_template: String,
    /// The team's default when absent.
    pub llm_config: Option<LlmConfig>,
    pub tools: Vec<String>,
    pub memory_config: Option<MemoryConfig>,
    pub guardrail_policies: Vec<String>,
    pub collaboration_patterns: Vec<String>,
    pub max_parallel_tasks: u32,
    /// Name of a team that takes this member's turns.
    pub team: Option<String>,
}

impl Default for Member {
    fn default() -> Self {
        Self {
            name: String::new(),
            role: String::new(),
            prompt_template: String::new(),
            llm_config: None,
            tools: Vec::new(),
            memory_config: None,
            guardrail_policies: Vec::new(),
            collaboration_patterns: Vec::new(),
            max_parallel_tasks: 1,
            team: None,
        }
    }
}

impl Validate for Member {
    fn check(&self, report: &mut ProblemReport) {
        if let Err(bad) = AgentName::new(&self.name) {
            report.refuse("name", format!("expected {}", bad.expected));
        }
        report.filled("role", &self.role);
        match &self.team {
            Some(team) => report.filled("team", team),
            None => report.filled("prompt_template", &self.prompt_template),
        }
        if let Some(llm) = &self.llm_config {
            report.part("llm_config", llm);
        }
        report.unique("tools", "", self.tools.iter().map(String::as_str));
        if let Some(memory) = &self.memory_config {
            report.part("memory_config", memory);
        }
        report.at_least("max_parallel_tasks", &self.max_parallel_tasks, &1);
    }
}
