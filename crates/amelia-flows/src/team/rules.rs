//! The rules of a team: who begins, who may hand over to whom, what ends the run. Read from the file once. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use amelia_core::config::problem::ConfigProblem;
use amelia_core::config::team::TeamConfig;
use amelia_core::config::team::pattern::{CollaborationPattern, PatternKind};
use amelia_core::event::team::HandoffKind;
use amelia_core::id::AgentName;

use super::criterion::Criterion;
use super::gates::Gates;
use super::plan;
use super::shape::Shape;
use crate::chat::{Chat, ChatUpdate, TeamRun, TeamUpdate};
use crate::condition::Condition;

/// Steps of a team that has no limit of its own.
const DEFAULT_MAX_STEPS: u32 = 100;

/// What holds in a team.
pub(super) struct TeamRules {
    pub(super) team: TeamConfig,
    /// What the names of its nodes begin with: `press/` for a team in the place of `press`.
    pub(super) path: String,
    pub(super) shape: Shape,
    /// The node that begins.
    pub(super) entry: String,
    rules: BTreeMap<String, Vec<Rule>>,
    /// To whom an agent with rules may hand over.
    allowed: BTreeMap<String, BTreeSet<String>>,
    pub(super) success: Vec<Criterion>,
    pub(super) failure: Vec<Criterion>,
    pub(super) max_steps: u64,
    pub(super) gates: Gates,
    /// The team works by a plan. Only the outermost one does.
    pub(super) has_plan: bool,
}

/// Who continues after an agent.
pub(super) struct Rule {
    pub(super) to: String,
    /// As it is written, and as it is evaluated. A rule without one is plain.
    pub(super) condition: Option<(String, Condition)>,
    pub(super) kind: HandoffKind,
}

impl TeamRules {
    /// The rules, or everything in them that cannot be used.
    pub(super) fn read(team: &TeamConfig) -> Result<Self, Vec<ConfigProblem>> {
        Self::read_at(team, "")
    }

    /// The rules of a team whose nodes have names with this beginning.
    pub(super) fn read_at(team: &TeamConfig, path: &str) -> Result<Self, Vec<ConfigProblem>> {
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
                    "an agent cannot hand off to itself".to_owned(),
                );
            }
            allowed.entry(rule.from_agent.clone()).or_default().insert(rule.to_agent.clone());
            rules.entry(rule.from_agent.clone()).or_default().push(Rule {
                to: rule.to_agent.clone(),
                condition,
                kind: rule.handoff_type,
            });
        }
        let whole = whole_pattern(team);
        let in_turn = whole.filter(|pattern| pattern.kind == PatternKind::Sequential);
        let selector = in_turn.and_then(|pattern| pattern.coordination_agent.as_ref());
        if let Some(pattern) = in_turn.filter(|_| team.handoff_rules.is_empty()) {
            let plain = |to: &String| Rule { to: to.clone(), condition: None, kind: HandoffKind::Sequential };
            match selector {
                // One after the other, in the order of the pattern.
                None => {
                    for (agent, next) in pattern.agents.iter().zip(pattern.agents.iter().skip(1)) {
                        rules.insert(agent.clone(), vec![plain(next)]);
                    }
                }
                // The coordinator says who is next, after each turn.
                Some(selector) => {
                    let others = || pattern.agents.iter().filter(|agent| *agent != selector);
                    for agent in others() {
                        rules.insert(agent.clone(), vec![plain(selector)]);
                        allowed.insert(agent.clone(), BTreeSet::from([selector.clone()]));
                    }
                    rules.insert(selector.clone(), others().map(plain).collect());
                    allowed.insert(selector.clone(), others().cloned().collect());
                }
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
        let shape = whole.map_or(Ok(Shape::Handoffs), Shape::read);
        let shape = shape
            .map_err(|message| refuse("collaboration_patterns[0].config".to_owned(), message))
            .unwrap_or(Shape::Handoffs);
        let first = selector.or_else(|| in_turn.and_then(|pattern| pattern.agents.first()));
        let first = first.or_else(|| team.agents.first().map(|member| &member.name));
        let entry = shape.entry().or(first.map(String::as_str)).map(str::to_owned);
        let max_steps = u64::from(config.max_steps.unwrap_or(DEFAULT_MAX_STEPS));
        let Some(entry) = entry else {
            refuse("agents".to_owned(), "must not be empty".to_owned());
            return Err(problems);
        };
        if !problems.is_empty() {
            return Err(problems);
        }
        // What a person approves is said by the outermost team.
        let gates = if path.is_empty() { Gates::of(team) } else { Gates::default() };
        let has_plan = path.is_empty() && plan::has_plan(team);
        let (team, path) = (team.clone(), path.to_owned());
        Ok(Self { team, path, shape, entry, rules, allowed, success, failure, max_steps, gates, has_plan })
    }

    /// A name of this team, as it is in the run.
    pub(super) fn full(&self, name: &str) -> String {
        format!("{}{name}", self.path)
    }

    /// Whether the team has this agent.
    pub(super) fn has_agent(&self, name: &str) -> bool {
        self.team.agents.iter().any(|member| member.name == name)
    }

    /// Names of agents, as they are in events.
    pub(super) fn agent_names<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Vec<AgentName> {
        names.into_iter().filter_map(|name| AgentName::new(self.full(name)).ok()).collect()
    }

    /// How far the team is.
    pub(super) fn run<'a>(&self, state: &'a Chat) -> &'a TeamRun {
        static NEW: LazyLock<TeamRun> = LazyLock::new(TeamRun::default);
        match self.path.as_str() {
            "" => &state.team,
            path => state.teams.get(path).unwrap_or(&NEW),
        }
    }

    /// A change of how far the team is.
    pub(super) fn update(&self, update: TeamUpdate) -> ChatUpdate {
        match self.path.as_str() {
            "" => ChatUpdate::Team(update),
            path => ChatUpdate::InnerTeam { path: path.to_owned(), update },
        }
    }

    /// The rules from an agent, in the order of the file.
    pub(super) fn from(&self, agent: &str) -> &[Rule] {
        self.rules.get(agent).map_or(&[], Vec::as_slice)
    }

    /// The agents of plain rules, each once. Those of parallel rules begin together, so the first stands for all.
    pub(super) fn plain_targets(&self, agent: &str) -> Vec<&str> {
        self.plain_rules(agent).into_iter().map(|rule| rule.to.as_str()).collect()
    }

    /// The plain rules among which an agent chooses.
    pub(super) fn plain_rules(&self, agent: &str) -> Vec<&Rule> {
        let mut rules: Vec<&Rule> = Vec::new();
        for rule in self.from(agent).iter().filter(|rule| rule.condition.is_none()) {
            let is_parallel = |other: &&Rule| other.kind == HandoffKind::Parallel;
            let is_there =
                rules.iter().any(|other| other.to == rule.to || (is_parallel(&rule) && is_parallel(other)));
            if !is_there {
                rules.push(rule);
            }
        }
        rules
    }

    /// How a handoff from one agent to another happens.
    pub(super) fn kind_of(&self, from: &str, to: &str) -> HandoffKind {
        let rule = self.from(from).iter().find(|rule| rule.to == to);
        rule.map_or(HandoffKind::Sequential, |rule| rule.kind)
    }

    /// Those who can work for an agent.
    pub(super) fn lent_to(&self, agent: &str) -> Vec<&str> {
        let is_lent = |to: &&str| self.kind_of(agent, to) != HandoffKind::Sequential;
        self.allowed(agent).into_iter().filter(is_lent).collect()
    }

    /// To whom an agent may hand over, in the order of the team. Without a rule of its own that is everyone else.
    pub(super) fn allowed(&self, agent: &str) -> Vec<&str> {
        let is_allowed = |other: &&str| match self.allowed.get(agent) {
            Some(targets) => targets.contains(*other),
            None => *other != agent,
        };
        self.team.agents.iter().map(|member| member.name.as_str()).filter(is_allowed).collect()
    }

    /// Whether the criteria are looked at when the team says that it is done.
    pub(super) fn has_check(&self) -> bool {
        !self.success.is_empty() || self.failure.iter().any(Criterion::is_sentence)
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
    let members: BTreeSet<&str> = pattern.members().collect();
    let is_whole = team.agents.iter().all(|member| members.contains(member.name.as_str()));
    is_whole.then_some(pattern)
}
