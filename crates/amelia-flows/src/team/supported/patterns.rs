//! What patterns, and teams in the places of agents, cannot do yet.

use amelia_core::config::problem::ProblemReport;
use amelia_core::config::team::TeamConfig;
use amelia_core::config::team::member::Member;
use amelia_core::config::team::pattern::settings::CustomSettings;
use amelia_core::config::team::pattern::{CollaborationPattern, PatternKind};
use amelia_core::id::NodeId;
use amelia_graph::graph::END;

use crate::team::rules::whole_pattern;

pub(super) fn check_patterns(team: &TeamConfig, report: &mut ProblemReport) {
    let whole = whole_pattern(team).map(|pattern| &pattern.name);
    for (index, pattern) in team.collaboration_patterns.iter().enumerate() {
        let at = format!("collaboration_patterns[{index}]");
        let kind = kind_name(pattern.kind);
        if whole != Some(&pattern.name) {
            let message = format!(
                "the pattern `{}` must contain all agents of the team, and be its only pattern: patterns that agents \
                 start are not supported yet",
                pattern.name
            );
            report.refuse(&at, message);
        } else {
            report.within(&at, |report| check_whole(team, pattern, report));
            if pattern.kind != PatternKind::Sequential && !team.handoff_rules.is_empty() {
                let message = format!(
                    "have no effect in a team that is one `{kind}` pattern: remove them, or the pattern"
                );
                report.refuse("handoff_rules", message);
            }
        }
    }
}

/// What does not fit in the pattern that is the whole team.
fn check_whole(team: &TeamConfig, pattern: &CollaborationPattern, report: &mut ProblemReport) {
    let coordinator = pattern.coordination_agent.is_some();
    match pattern.kind {
        PatternKind::Sequential if coordinator && !team.handoff_rules.is_empty() => {
            let message = "has no effect together with handoff_rules: remove one of them";
            report.refuse("coordination_agent", message);
        }
        PatternKind::Custom if coordinator => {
            let message = "a `custom` pattern has no coordinator: its steps say who continues";
            report.refuse("coordination_agent", message);
        }
        _ => {}
    }
    let steps = match pattern.kind {
        PatternKind::Custom => pattern.settings::<CustomSettings>().unwrap_or_default().workflow,
        _ => Vec::new(),
    };
    if pattern.kind != PatternKind::Sequential {
        check_node_name("name", &pattern.name, report);
    }
    if pattern.kind == PatternKind::Consensus && !team.execution_config.stop_on.is_empty() {
        let message = "a `consensus` pattern ends with its decision: remove execution_config.stop_on";
        report.refuse("type", message);
    }
    for (index, step) in steps.iter().enumerate() {
        check_node_name(format_args!("config.workflow[{index}].step"), &step.step, report);
    }
}

/// Names of nodes of other kinds have these characters.
pub(super) fn check_node_name(field: impl std::fmt::Display, name: &str, report: &mut ProblemReport) {
    if name.contains(['.', '/']) || name == END {
        report.refuse(field, format!("must not contain `.` or `/`, and must not be `{END}`"));
    } else if let Err(bad) = NodeId::new(name) {
        report.refuse(field, format!("expected {}", bad.expected));
    }
}

fn kind_name(kind: PatternKind) -> &'static str {
    match kind {
        PatternKind::Sequential => "sequential",
        PatternKind::Parallel => "parallel",
        PatternKind::Hierarchical => "hierarchical",
        PatternKind::Consensus => "consensus",
        PatternKind::Custom => "custom",
    }
}

/// Where a team can take the place of an agent.
pub(super) fn check_nested(team: &TeamConfig, member: &Member, report: &mut ProblemReport) {
    let kind =
        whole_pattern(team).map(|pattern| pattern.kind).filter(|kind| *kind != PatternKind::Sequential);
    if let Some(kind) = kind {
        let message = format!("a team inside a `{}` pattern is not supported yet", kind_name(kind));
        report.refuse("team", message);
    }
    let plain =
        team.handoff_rules.iter().filter(|rule| rule.from_agent == member.name && rule.condition.is_none());
    let selector = whole_pattern(team).and_then(|pattern| pattern.coordination_agent.as_ref());
    if plain.count() > 1 || selector == Some(&member.name) {
        let message = "a nested team cannot choose the next agent: give it at most one handoff rule without a condition";
        report.refuse("team", message);
    }
}
