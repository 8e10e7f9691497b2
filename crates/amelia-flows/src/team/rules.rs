//! The rules of a team: who begins, who may hand over to whom, what ends the run. Read from the file once. Pure.

use std::collections::{BTreeMap, BTreeSet};

use amelia_core::config::problem::ConfigProblem;
use amelia_core::config::team::TeamConfig;
use amelia_core::config::team::pattern::{CollaborationPattern, PatternKind};

use super::criterion::Criterion;
use crate::condition::Condition;

/// Steps of a team that has no limit of its own.
const DEFAULT_MAX_STEPS: u32 = 100;

/// What holds in a team.
pub(super) struct TeamRules {
    pub(super) team: TeamConfig,
    /// The agent that begins.
    pub(super) entry: String,
    rules: BTreeMap<String, Vec<Rule>>,
    /// To whom an agent with rules may hand over.
    allowed: BTreeMap<String, BTreeSet<String>>,
    pub(super) success: Vec<Criterion>,
    pub(super) failure: Vec<Criterion>,
    pub(super) max_steps: u64,
}

/// Who continues after an agent.
pub(super) struct Rule {
    pub(super) to: String,
    /// As it is written, and as it is evaluated. A rule without one is plain.
    pub(super) condition: Option<(String, Condition)>,
}

impl TeamRules {
    /// The rules, or everything in them that cannot be used.
    pub(super) fn read(team: &TeamConfig) -> Result<Self, Vec<ConfigProblem>> {
        let mut problems = Vec::new();
        let mut refuse = |path: String, message: String| problems.push(ConfigProblem { path, message });
        let mut rules: BTreeMap<String, Vec<Rule>> = BTreeMap::new();
        let mut allowed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (index, rule) in team.handoff_rules.iter().enumerate() {
            let condition = match rule.condition.as_ref().map(|text| (text.clone(), Condition::parse(text))) {
                None => None,
                Some((text, Ok(condition))) => Some((text, condition)),
                Some((_, Err(error))) => {
                    refuse(format!("handoff_rules[{index}].condition"), error.to_string());
                    continue;
                }
            };
            if rule.from_agent == rule.to_agent {
                refuse(
                    format!("handoff_rules[{index}].to_agent"),
                    "an agent cannot hand over to itself".to_owned(),
                );
            }
            allowed.entry(rule.from_agent.clone()).or_default().insert(rule.to_agent.clone());
            rules
                .entry(rule.from_agent.clone())
                .or_default()
                .push(Rule { to: rule.to_agent.clone(), condition });
        }
        let whole = whole_pattern(team);
        if let Some(pattern) = whole.filter(|_| team.handoff_rules.is_empty()) {
            // One after the other, in the order of the pattern.
            for (agent, next) in pattern.agents.iter().zip(pattern.agents.iter().skip(1)) {
                rules.insert(agent.clone(), vec![Rule { to: next.clone(), condition: None }]);
            }
        }
        let config = &team.execution_config;
        let mut criteria = |field: &str, all: &[String]| -> Vec<Criterion> {
            let read = all.iter().enumerate().map(|(index, text)| {
                Criterion::parse(text)
                    .map_err(|message| refuse(format!("execution_config.{field}[{index}]"), message))
            });
            read.filter_map(Result::ok).collect()
        };
        let success = criteria("success_criteria", &config.success_criteria);
        let failure = criteria("failure_criteria", &config.failure_criteria);
        let first = whole.and_then(|pattern| pattern.agents.first());
        let entry = first.or_else(|| team.agents.first().map(|member| &member.name)).cloned();
        let max_steps = u64::from(config.max_steps.unwrap_or(DEFAULT_MAX_STEPS));
        match (entry, problems.is_empty()) {
            (Some(entry), true) => {
                Ok(Self { team: team.clone(), entry, rules, allowed, success, failure, max_steps })
            }
            (None, _) => {
                problems.push(ConfigProblem {
                    path: "agents".to_owned(),
                    message: "must not be empty".to_owned(),
                });
                Err(problems)
            }
            (Some(_), false) => Err(problems),
        }
    }

    /// The rules from an agent, in the order of the file.
    pub(super) fn from(&self, agent: &str) -> &[Rule] {
        self.rules.get(agent).map_or(&[], Vec::as_slice)
    }

    /// The agents of plain rules, each once.
    pub(super) fn plain_targets(&self, agent: &str) -> Vec<&str> {
        let mut targets: Vec<&str> = Vec::new();
        for rule in self.from(agent).iter().filter(|rule| rule.condition.is_none()) {
            if !targets.contains(&rule.to.as_str()) {
                targets.push(&rule.to);
            }
        }
        targets
    }

    /// To whom an agent may hand over, in the order of the team. Without a rule of its own that is everyone else.
    pub(super) fn allowed(&self, agent: &str) -> Vec<&str> {
        let is_allowed = |other: &&str| match self.allowed.get(agent) {
            Some(targets) => targets.contains(*other),
            None => *other != agent,
        };
        self.team.agents.iter().map(|member| member.name.as_str()).filter(is_allowed).collect()
    }

    /// Every value of the state that a condition looks at.
    pub(super) fn keys(&self) -> BTreeSet<String> {
        let of_rules = self.rules.values().flatten().filter_map(|rule| rule.condition.as_ref());
        let of_rules = of_rules.flat_map(|(_, condition)| condition.keys());
        let criteria = self.success.iter().chain(&self.failure).filter_map(Criterion::condition);
        of_rules.chain(criteria.flat_map(Condition::keys)).map(str::to_owned).collect()
    }
}

/// The pattern that is the whole team: the only one, with all of its agents.
pub(super) fn whole_pattern(team: &TeamConfig) -> Option<&CollaborationPattern> {
    let [pattern] = team.collaboration_patterns.as_slice() else { return None };
    let members: BTreeSet<&str> = pattern.agents.iter().map(String::as_str).collect();
    let is_whole = team.agents.iter().all(|member| members.contains(member.name.as_str()));
    (pattern.kind == PatternKind::Sequential && is_whole).then_some(pattern)
}
