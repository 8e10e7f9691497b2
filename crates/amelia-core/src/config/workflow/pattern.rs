//! Ready-made ways to work: who takes part in each, and what can be set. Data and its rules.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::config::problem::{ProblemReport, Validate};

/// A built-in pattern.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// One agent thinks, calls tools and looks at the results until it can answer.
    React,
    /// A critic judges an answer, and the answer is revised until the critic accepts it.
    Reflection,
    /// One agent reasons first, without tools, and then answers.
    Cot,
    /// Several agents argue, and a judge decides.
    Debate,
    /// One agent proposes ideas for each step, another scores them, and the best are developed.
    Tot,
}

impl Pattern {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::React => "react",
            Self::Reflection => "reflection",
            Self::Cot => "cot",
            Self::Debate => "debate",
            Self::Tot => "tot",
        }
    }

    /// The roles that need an agent.
    #[must_use]
    pub fn roles(self) -> &'static [&'static str] {
        match self {
            Self::React | Self::Cot => &["agent"],
            Self::Reflection => &["generator", "critic"],
            Self::Debate => &["judge"],
            Self::Tot => &["thinker", "evaluator"],
        }
    }

    /// Whether a role that need not be there has a place in it. The debaters have the names that their author likes.
    #[must_use]
    pub fn may_have(self, role: &str) -> bool {
        match self {
            Self::Reflection => role == "improver",
            Self::Debate => true,
            Self::React | Self::Cot | Self::Tot => false,
        }
    }
}

/// A pattern with its agents and settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternDef {
    pub pattern: Pattern,
    /// Agents by role.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<String, String>,
    #[serde(flatten)]
    pub settings: PatternSettings,
}

/// What can be set. Each pattern has some of it.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternSettings {
    /// For `reflection` (default 3) and `debate` (default 2): the maximum number of rounds, 1 to 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// For `tot`: number of ideas for each step, 2 to 8. Default: 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branches: Option<u32>,
    /// For `tot`: number of ideas to develop further, 1 to 4. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<u32>,
    /// For `tot`: number of steps, 1 to 10. Default: 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
}

impl PatternDef {
    /// A pattern as it is when nothing is set.
    #[must_use]
    pub fn new(pattern: Pattern, agents: BTreeMap<String, String>) -> Self {
        Self { pattern, agents, settings: PatternSettings::default() }
    }

    #[must_use]
    pub fn rounds(&self) -> u32 {
        self.settings.rounds.unwrap_or(if self.pattern == Pattern::Debate { 2 } else { 3 })
    }

    #[must_use]
    pub fn branches(&self) -> u32 {
        self.settings.branches.unwrap_or(3)
    }

    #[must_use]
    pub fn keep(&self) -> u32 {
        self.settings.keep.unwrap_or(1)
    }

    #[must_use]
    pub fn depth(&self) -> u32 {
        self.settings.depth.unwrap_or(3)
    }

    /// The agent that has a role.
    #[must_use]
    pub fn agent(&self, role: &str) -> &str {
        self.agents.get(role).map_or("", String::as_str)
    }

    /// Who argues in a debate: role and agent.
    pub fn debaters(&self) -> impl Iterator<Item = (&str, &str)> {
        let others = self.agents.iter().filter(|(role, _)| *role != "judge");
        others.map(|(role, agent)| (role.as_str(), agent.as_str()))
    }

    /// Reports roles without an agent, and those that the pattern does not have.
    pub fn check_roles(&self, report: &mut ProblemReport) {
        let (pattern, name) = (self.pattern, self.pattern.name());
        for role in pattern.roles().iter().filter(|role| !self.agents.contains_key(**role)) {
            report.refuse("agents", format!("`{name}` needs an agent `{role}`"));
        }
        let is_foreign = |role: &str| !pattern.roles().contains(&role) && !pattern.may_have(role);
        for role in self.agents.keys().filter(|role| is_foreign(role)) {
            report.refuse(format_args!("agents.{role}"), format!("`{name}` has no such role"));
        }
        if pattern == Pattern::Debate && self.debaters().count() < 2 {
            report.refuse("agents", "`debate` needs two agents besides `judge`");
        }
    }
}

impl Validate for PatternDef {
    /// Checks the settings.
    fn check(&self, report: &mut ProblemReport) {
        let PatternSettings { rounds, branches, keep, depth } = self.settings;
        let (is_tot, has_rounds) =
            (self.pattern == Pattern::Tot, matches!(self.pattern, Pattern::Reflection | Pattern::Debate));
        let settings = [
            ("rounds", rounds, has_rounds, 1..=20),
            ("branches", branches, is_tot, 2..=8),
            ("keep", keep, is_tot, 1..=4),
            ("depth", depth, is_tot, 1..=10),
        ];
        for (field, value, is_ours, range) in settings {
            match value {
                Some(value) if is_ours => report.range(field, &value, &range),
                Some(_) => report.refuse(field, format!("is not a setting of `{}`", self.pattern.name())),
                None => {}
            }
        }
        if is_tot && self.keep() > self.branches() {
            report.refuse("keep", "must not be larger than `branches`");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(pattern: Pattern, roles: &[&str], settings: PatternSettings) -> String {
        let agents = roles.iter().map(|role| ((*role).to_owned(), "writer".to_owned())).collect();
        let mut report = ProblemReport::default();
        let def = PatternDef { settings, ..PatternDef::new(pattern, agents) };
        def.check(&mut report);
        def.check_roles(&mut report);
        report.into_problems().iter().map(|problem| format!("{problem}\n")).collect()
    }

    #[test]
    fn every_role_has_an_agent_and_every_agent_a_role() {
        let plain = PatternSettings::default();
        assert_eq!(problems(Pattern::Reflection, &["generator", "critic", "improver"], plain), "");
        assert_eq!(problems(Pattern::Debate, &["for", "against", "judge"], plain), "");
        let refused = problems(Pattern::Reflection, &["generator", "judge"], plain);
        assert!(refused.contains("agents: `reflection` needs an agent `critic`"), "{refused}");
        assert!(refused.contains("agents.judge: `reflection` has no such role"), "{refused}");
        let alone = problems(Pattern::Debate, &["for", "judge"], plain);
        assert!(alone.contains("two agents besides `judge`"), "{alone}");
    }

    #[test]
    fn settings_belong_to_their_pattern_and_have_bounds() {
        let rounds = PatternSettings { rounds: Some(0), ..PatternSettings::default() };
        assert!(problems(Pattern::Debate, &["a", "b", "judge"], rounds).contains("rounds"));
        let foreign = problems(Pattern::React, &["agent"], rounds);
        assert!(foreign.contains("rounds: is not a setting of `react`"), "{foreign}");
        let keep = PatternSettings { branches: Some(2), keep: Some(3), ..PatternSettings::default() };
        let refused = problems(Pattern::Tot, &["thinker", "evaluator"], keep);
        assert!(refused.contains("keep: must not be larger than `branches`"), "{refused}");
    }
}
