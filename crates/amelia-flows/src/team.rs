//! A team becomes a graph: a node for every agent, one that looks at the success criteria, and one that asks a person. What
//! follows a turn is decided by a pure function of the state. The names of helper nodes are stored with runs, so they never
//! change.

pub mod check;
mod criterion;
mod deciding;
mod hand_ins;
mod judge_node;
mod person_node;
mod prompt;
mod rules;
mod supported;
mod turn_node;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use amelia_agents::tool_step::ToolCaller;
use amelia_core::config::problem::ConfigProblem;
use amelia_core::config::team::TeamConfig;
use amelia_core::workplace::Workplace;
use amelia_graph::graph::{END, Graph, RouteError};
use amelia_graph::node::NodeError;

use crate::chat::Chat;
use crate::workflow::FlowAgent;
use deciding::Next;
use rules::TeamRules;

pub use supported::unsupported;

/// The name of the graph of every run of a team.
pub const NAME: &str = "team";

/// The node that looks at the success criteria.
const CHECK: &str = "team.check";
/// The node that asks a person how to continue.
const PERSON: &str = "team.person";
/// Visits of nodes before a person is asked, whatever the agents do. The limit of people is `max_steps`.
const MAX_VISITS: u32 = 100_000;

/// What the nodes of a team work with.
pub struct TeamParts {
    pub agents: BTreeMap<String, FlowAgent>,
    /// For criteria that look at files.
    pub tools: ToolCaller,
    /// Where commands of criteria run. A team that uses no files has none.
    pub place: Option<Arc<dyn Workplace>>,
    pub title: String,
    pub prompt: String,
}

/// The graph of a team, with what its nodes work with; without, it can only be drawn.
pub fn compile(team: &TeamConfig, parts: Option<&Arc<TeamParts>>) -> Result<Graph<Chat>, Vec<ConfigProblem>> {
    let problems = unsupported(team);
    if !problems.is_empty() {
        return Err(problems);
    }
    let rules = Arc::new(TeamRules::read(team)?);
    let mut graph = Graph::builder(NAME).entry(&rules.entry).limit(MAX_VISITS);
    for member in &team.agents {
        let node = turn_node::TurnNode {
            name: member.name.clone(),
            rules: Arc::clone(&rules),
            parts: parts.cloned(),
        };
        let targets = targets_of(&rules, &member.name);
        graph = graph.node(&member.name, node).kind("agent").try_route(route(&rules), targets);
    }
    let everyone = || team.agents.iter().map(|member| (member.name.clone(), None));
    let helpers = |own: &str| -> Vec<(String, Option<String>)> {
        let has_check = !rules.success.is_empty();
        let all = [(END, true), (PERSON, true), (CHECK, has_check)].into_iter();
        all.filter(|(name, is_there)| *is_there && *name != own)
            .map(|(name, _)| (name.to_owned(), None))
            .collect()
    };
    if !rules.success.is_empty() {
        let node = judge_node::JudgeNode { rules: Arc::clone(&rules), parts: parts.cloned() };
        let targets = everyone().chain(helpers(CHECK));
        graph = graph.node(CHECK, node).kind("condition").try_route(route(&rules), targets);
    }
    let node = person_node::PersonNode { rules: Arc::clone(&rules) };
    let targets = everyone().chain(helpers(PERSON));
    graph = graph.node(PERSON, node).kind("human").try_route(route(&rules), targets);
    graph.build().map_err(|error| {
        let problem = |message: String| ConfigProblem { path: String::new(), message };
        error.problems.iter().map(|found| problem(found.to_string())).collect()
    })
}

/// Every value of the state that a condition of the team looks at.
#[must_use]
pub fn names(team: &TeamConfig) -> BTreeSet<String> {
    TeamRules::read(team).map(|rules| rules.keys()).unwrap_or_default()
}

/// Whether a criterion of the team looks at files.
#[must_use]
pub fn needs_files(team: &TeamConfig) -> bool {
    let needs =
        |rules: TeamRules| rules.success.iter().chain(&rules.failure).any(criterion::Criterion::needs_files);
    TeamRules::read(team).is_ok_and(needs)
}

/// Where an agent's turn may lead, with when it does.
fn targets_of(rules: &TeamRules, agent: &str) -> Vec<(String, Option<String>)> {
    let label = |text: &str| Some(text.to_owned());
    let ruled = rules.from(agent).iter().map(|rule| {
        let condition = rule.condition.as_ref().map(|(text, _)| text.clone());
        (rule.to.clone(), condition.or_else(|| label("next")))
    });
    let mut targets: Vec<(String, Option<String>)> = ruled.collect();
    for other in rules.allowed(agent) {
        if !targets.iter().any(|(target, _)| target == other) {
            targets.push((other.to_owned(), label("handoff")));
        }
    }
    if rules.plain_targets(agent).len() > 1 {
        targets.push((agent.to_owned(), label("asked who continues")));
    }
    if !rules.success.is_empty() {
        targets.push((CHECK.to_owned(), label("done")));
    }
    targets.push((PERSON.to_owned(), label("limit")));
    targets.push((END.to_owned(), label("done")));
    targets
}

/// Where to next. The same for all nodes: it depends on the state alone.
fn route(
    rules: &Arc<TeamRules>,
) -> impl Fn(&Chat) -> Result<std::borrow::Cow<'static, str>, RouteError> + Send + Sync + 'static {
    let rules = Arc::clone(rules);
    move |state| {
        Ok(match deciding::decide(&rules, state)? {
            Next::Agent(name) => name.into(),
            Next::Check => CHECK.into(),
            Next::Person(_) => PERSON.into(),
            Next::End => END.into(),
        })
    }
}

/// What the nodes of a graph work with; a graph that was made to be drawn has nothing.
fn parts_of(parts: Option<&Arc<TeamParts>>) -> Result<&Arc<TeamParts>, NodeError> {
    parts.ok_or_else(|| NodeError::new("drawing", "this graph was made to be drawn, not to be followed"))
}
