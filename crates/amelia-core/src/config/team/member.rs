//! One agent of a team.

use serde::{Deserialize, Serialize};

use super::llm::LlmConfig;
use super::memory::MemoryConfig;
use crate::config::problem::{ProblemReport, Validate};
use crate::id::AgentName;

/// Tasks of one agent at the same time.
const MAX_PARALLEL_TASKS: u32 = 16;

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

/// Endings of files with templates.
const TEMPLATE_ENDINGS: [&str; 5] = [".md", ".txt", ".j2", ".jinja", ".jinja2"];

/// The file that a template names: one line without blanks and braces, with the ending of a template. Everything else is the
/// text of a template.
#[must_use]
pub fn template_file(template: &str) -> Option<&str> {
    let is_name = |text: &str| !text.contains(|c: char| c.is_whitespace() || c == '{' || c == '}');
    let is_template = |text: &str| TEMPLATE_ENDINGS.iter().any(|ending| text.ends_with(ending));
    Some(template.trim_end_matches(['\n', '\r'])).filter(|text| is_name(text) && is_template(text))
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
        if self.team.is_some() {
            self.check_unused(report);
        }
        if let Some(llm) = &self.llm_config {
            report.part("llm_config", llm);
        }
        report.unique("tools", "", self.tools.iter().map(String::as_str));
        if let Some(memory) = &self.memory_config {
            report.part("memory_config", memory);
        }
        report.range("max_parallel_tasks", &self.max_parallel_tasks, &(1..=MAX_PARALLEL_TASKS));
        report.unique("guardrail_policies", "", self.guardrail_policies.iter().map(String::as_str));
        report.unique("collaboration_patterns", "", self.collaboration_patterns.iter().map(String::as_str));
    }
}

impl Member {
    /// A team in the place of an agent has its own prompts, models and tools.
    fn check_unused(&self, report: &mut ProblemReport) {
        let given = [
            ("prompt_template", !self.prompt_template.is_empty()),
            ("llm_config", self.llm_config.is_some()),
            ("tools", !self.tools.is_empty()),
            ("memory_config", self.memory_config.is_some()),
        ];
        for (field, _) in given.into_iter().filter(|(_, is_given)| *is_given) {
            report.refuse(field, "cannot be combined with `team`: the agents of that team have their own");
        }
    }
}
