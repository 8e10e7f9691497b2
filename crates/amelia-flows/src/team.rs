//! A team becomes a graph: a node for every agent, one that looks at the success criteria, and one that asks a person. What
//! follows a turn is decided by a pure function of the state. The names of helper nodes are stored with runs, so they never
//! change.

mod after;
mod ask_step_node;
mod by_rules;
mod chair_node;
pub mod check;
mod check_step_node;
mod consensus;
mod consensus_nodes;
mod coordinator_node;
mod criterion;
mod custom;
mod deciding;
mod ended;
mod gates;
mod hand_ins;
mod helpers_node;
mod hierarchy;
mod judge;
mod judge_node;
mod level;
mod member_node;
mod members;
mod merge_node;
mod nested_nodes;
mod node_label;
mod overriding;
mod parallel;
mod parallel_nodes;
mod parallel_rules;
mod person_node;
mod plan;
mod plan_node;
pub mod policies;
mod prompt;
mod reminding;
mod rules;
mod seat;
mod shape;
mod step_end;
mod step_node;
mod supported;
mod turn;
mod turn_node;
mod vote_node;
mod vote_tools;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use amelia_agents::tool_step::ToolCaller;
use amelia_core::config::problem::ConfigProblem;
use amelia_core::config::team::FrozenTeam;
use amelia_core::memory::Recall;
use amelia_core::workplace::Workplace;
use amelia_graph::graph::{END, Graph};
use amelia_graph::node::NodeError;

use crate::chat::Chat;
use crate::workflow::FlowAgent;
use level::Level;
use rules::TeamRules;
use shape::Shape;

pub use gates::{TeamStops, stops};
pub use judge::{JUDGE, JUDGE_PROMPT, judge_model};
pub use members::{PlacedMember, members, team_levels};
pub use node_label::node_label;
pub use overriding::{Overridden, OverrideRefused, overridden};
pub use plan::{has_plan, plan_agents};
pub use plan_node::shown_plan;
pub use supported::unsupported;

/// The name of the graph of every run of a team.
pub const NAME: &str = "team";

/// The node that looks at the success criteria.
const CHECK: &str = "team.check";
/// The node that asks a person how to continue.
const PERSON: &str = "team.person";
/// The node that works on the tasks of the plan.
pub const PLAN: &str = "team.plan";
/// Visits of nodes before a person is asked, for any work of the agents. The limit of people is `max_steps`.
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
    /// What reminds agents before their turns, by their names. Agents without memory have none.
    pub recalls: BTreeMap<String, Arc<dyn Recall>>,
}

/// The graph of a team, with what its nodes work with; without, it can only be drawn.
pub fn compile(team: &FrozenTeam, parts: Option<&Arc<TeamParts>>) -> Result<Graph<Chat>, Vec<ConfigProblem>> {
    let problems = unsupported(team);
    if !problems.is_empty() {
        return Err(problems);
    }
    let level = Level::read(team, &team.team, parts, "", END)?;
    let begins_with_plan = !team.team.plan.is_empty();
    let entry = if begins_with_plan { PLAN } else { &level.rules.entry };
    let graph = Graph::builder(NAME).entry(entry).limit(MAX_VISITS);
    level.add(graph).build().map_err(|error| {
        let problem = |message: String| ConfigProblem { path: String::new(), message };
        error.problems.iter().map(|found| problem(found.to_string())).collect()
    })
}

/// Every value of the state that a condition of the team looks at.
#[must_use]
pub fn names(team: &FrozenTeam) -> BTreeSet<String> {
    teams_in(team).flat_map(|rules| rules.keys()).collect()
}

/// Whether a criterion of the team looks at files, or one of its steps is a command.
#[must_use]
pub fn needs_files(team: &FrozenTeam) -> bool {
    let by_criteria =
        |rules: &TeamRules| rules.success.iter().chain(&rules.failure).any(criterion::Criterion::needs_files);
    let by_steps = |rules: &TeamRules| matches!(&rules.shape, Shape::Custom(steps) if steps.needs_files());
    teams_in(team).any(|rules| by_criteria(&rules) || by_steps(&rules))
}

/// The rules of a team and of the teams inside it.
fn teams_in(team: &FrozenTeam) -> impl Iterator<Item = TeamRules> {
    let all = [&team.team].into_iter().chain(team.teams.values());
    all.filter_map(|team| TeamRules::read(team).ok())
}

/// What the nodes of a graph work with; a graph that was made to be drawn has nothing.
fn parts_of(parts: Option<&Arc<TeamParts>>) -> Result<&Arc<TeamParts>, NodeError> {
    parts.ok_or_else(|| NodeError::new("drawing", "this graph can be drawn, but not run"))
}
