//! Where a run of a team stops for a person from its beginning: its breakpoints, the step mode, and the points at which a person
//! approves what follows. Pure.

use std::collections::BTreeSet;

use amelia_core::config::problem::{ConfigProblem, ProblemReport};
use amelia_core::config::team::execution::{ExecutionConfig, InterventionPoint};
use amelia_core::config::team::{FrozenTeam, TeamConfig};
use amelia_core::id::NodeId;
use amelia_core::message::ExecutionMode;
use amelia_core::stop_rule::{StopPlace, StopRule};

use super::PLAN;
use super::members::members;

/// Moves of a team that a person approves. All other points are rules of the run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Gates {
    pub(super) handoff: bool,
    pub(super) end: bool,
}

impl Gates {
    pub(super) fn of(team: &TeamConfig) -> Self {
        let mut gates = Self::default();
        for point in points(&team.execution_config) {
            match point {
                InterventionPoint::Handoff => gates.handoff = true,
                InterventionPoint::End => gates.end = true,
                InterventionPoint::Node(_)
                | InterventionPoint::Agent(_)
                | InterventionPoint::Tool(_)
                | InterventionPoint::Plan
                | InterventionPoint::Error => {}
            }
        }
        gates
    }
}

/// The points that hold: those of a team that works by itself do not.
fn points(config: &ExecutionConfig) -> Vec<InterventionPoint> {
    let texts: &[String] = match config.mode {
        ExecutionMode::Autonomous => &[],
        ExecutionMode::Step | ExecutionMode::Hitl => config.human_intervention_points.as_slice(),
    };
    // What cannot be read was refused with the file.
    texts.iter().filter_map(|text| InterventionPoint::parse(text).ok()).collect()
}

/// Where a run stops from its beginning.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TeamStops {
    /// Nodes before which it always stops.
    pub nodes: BTreeSet<NodeId>,
    pub rules: BTreeSet<StopRule>,
}

/// Where a run of a team stops, whose graph has these nodes; or what there is not.
pub fn stops(team: &FrozenTeam, nodes: &[String]) -> Result<TeamStops, Vec<ConfigProblem>> {
    let config = &team.team.execution_config;
    let mut report = ProblemReport::default();
    let mut stops = TeamStops::default();
    let agents: BTreeSet<String> = members(team).into_iter().map(|placed| placed.name).collect();
    let all_agents: BTreeSet<&str> = agents.iter().map(String::as_str).collect();
    let all_nodes: BTreeSet<&str> = nodes.iter().map(String::as_str).collect();
    report.within("execution_config", |report| {
        for (index, text) in config.breakpoints.iter().enumerate() {
            let field = format!("breakpoints[{index}]");
            let Some(rule) = read_breakpoint(text, &field, report) else { continue };
            check_place(&rule.place, &field, &all_agents, &all_nodes, report);
            match (&rule.place, &rule.condition) {
                (StopPlace::Node(node), None) => stops.nodes.extend(NodeId::new(node.as_str()).ok()),
                _ => drop(stops.rules.insert(rule)),
            }
        }
        for (index, point) in points(config).into_iter().enumerate() {
            let Some(place) = place_of(point) else { continue };
            let field = format!("human_intervention_points[{index}]");
            check_place(&place, &field, &all_agents, &all_nodes, report);
            stops.rules.insert(StopRule { is_gate: true, ..StopRule::at(place) });
        }
    });
    if config.mode == ExecutionMode::Step {
        stops.rules.insert(StopRule::at(StopPlace::Step));
    }
    match report.into_problems() {
        problems if problems.is_empty() => Ok(stops),
        problems => Err(problems),
    }
}

/// A bare name is a node.
fn read_breakpoint(text: &str, field: &str, report: &mut ProblemReport) -> Option<StopRule> {
    let is_bare = !text.contains(':') && !["handoff", "error"].iter().any(|word| text.starts_with(word));
    let rule = if is_bare { StopRule::parse(&format!("node:{text}")) } else { StopRule::parse(text) };
    rule.map_err(|problem| report.refuse(field, problem.to_text())).ok()
}

fn place_of(point: InterventionPoint) -> Option<StopPlace> {
    match point {
        InterventionPoint::Node(node) => Some(StopPlace::Node(node)),
        InterventionPoint::Agent(agent) => Some(StopPlace::Agent(agent)),
        InterventionPoint::Tool(glob) => Some(StopPlace::Tool(glob)),
        InterventionPoint::Error => Some(StopPlace::Error),
        InterventionPoint::Plan => Some(StopPlace::Node(PLAN.to_owned())),
        InterventionPoint::Handoff | InterventionPoint::End => None,
    }
}

fn check_place(
    place: &StopPlace,
    field: &str,
    agents: &BTreeSet<&str>,
    nodes: &BTreeSet<&str>,
    report: &mut ProblemReport,
) {
    match place {
        StopPlace::Node(node) => report.known(field, "node", node, nodes),
        StopPlace::Agent(agent) => report.known(field, "agent", agent, agents),
        StopPlace::Turn
        | StopPlace::Step
        | StopPlace::Tool(_)
        | StopPlace::Path(_)
        | StopPlace::Error
        | StopPlace::Cost(_)
        | StopPlace::Event(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::team::deciding::tests::team;

    fn stops_of(config: &serde_json::Value) -> Result<Vec<String>, Vec<String>> {
        let mut team = team(&json!([]));
        team.execution_config = serde_json::from_value(config.clone()).unwrap();
        let nodes = ["writer", "critic", "editor", "team.person", "team.plan"].map(str::to_owned);
        let found = stops(&FrozenTeam { team, ..FrozenTeam::default() }, &nodes);
        let shown = |stops: TeamStops| {
            let nodes = stops.nodes.iter().map(ToString::to_string);
            nodes.chain(stops.rules.iter().map(ToString::to_string)).collect()
        };
        found.map(shown).map_err(|problems| problems.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn breakpoints_hold_in_every_mode_and_points_where_a_person_is_there() {
        let mut config = json!({
            "mode": "autonomous",
            "breakpoints": ["critic", "handoff", "node:editor if turns > 2", "tool:shell"],
            "human_intervention_points": ["before_writer", "agent:critic", "tool:write_*", "on_error", "end"],
        });
        let breakpoints = ["critic", "node:editor if turns > 2", "tool:shell", "event:team.handed_off"];
        assert_eq!(stops_of(&config).unwrap(), breakpoints);
        config["mode"] = json!("hitl");
        config["breakpoints"] = json!([]);
        let gates = ["approve node:writer", "approve agent:critic", "approve tool:write_*", "approve error"];
        assert_eq!(stops_of(&config).unwrap(), gates);
        config["human_intervention_points"] = json!(["plan"]);
        assert_eq!(stops_of(&config).unwrap(), ["approve node:team.plan"]);
        config["mode"] = json!("step");
        assert!(stops_of(&config).unwrap().contains(&"step".to_owned()));
    }

    #[test]
    fn what_the_graph_does_not_have_is_refused_with_its_place() {
        let config = json!({
            "mode": "hitl", "breakpoints": ["node:ghost"], "human_intervention_points": ["end", "agent:press/ghost"],
        });
        let refused = stops_of(&config).unwrap_err();
        assert_eq!(refused.len(), 2, "{refused:?}");
        assert!(refused[0].starts_with("execution_config.breakpoints[0]: "), "{refused:?}");
        assert!(refused[1].starts_with("execution_config.human_intervention_points[1]: "), "{refused:?}");
    }
}
