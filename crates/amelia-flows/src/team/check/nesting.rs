//! Teams inside teams: how deep, and never inside themselves.

use std::collections::BTreeMap;

use amelia_core::config::problem::{ConfigProblem, ProblemReport};
use amelia_core::config::team::TeamConfig;

use crate::team::members::MAX_LEVELS;

/// The teams inside `team`, by name. `find` returns a team, or nothing when that is reported elsewhere. Problems are at the
/// members of `team`.
pub fn nested(
    team: &TeamConfig,
    find: &mut dyn FnMut(&str) -> Option<TeamConfig>,
) -> Result<BTreeMap<String, TeamConfig>, Vec<ConfigProblem>> {
    let (mut found, mut report) = (BTreeMap::new(), ProblemReport::default());
    for (index, member) in team.agents.iter().enumerate() {
        let Some(name) = &member.team else { continue };
        let mut path = vec![team.name.clone()];
        if let Err(message) = enter(name, &mut path, &mut found, find) {
            report.refuse(format_args!("agents[{index}].team"), message);
        }
    }
    let problems = report.into_problems();
    if problems.is_empty() { Ok(found) } else { Err(problems) }
}

/// Follows one way down. The limit of levels bounds the recursion.
fn enter(
    name: &str,
    path: &mut Vec<String>,
    found: &mut BTreeMap<String, TeamConfig>,
    find: &mut dyn FnMut(&str) -> Option<TeamConfig>,
) -> Result<(), String> {
    let is_inside_itself = path.iter().any(|outer| outer == name);
    path.push(name.to_owned());
    if is_inside_itself {
        return Err(format!("`{name}` is inside itself: {}", path.join(" → ")));
    }
    if path.len() > MAX_LEVELS {
        return Err(format!("more than {MAX_LEVELS} teams are inside each other: {}", path.join(" → ")));
    }
    if !found.contains_key(name) {
        let Some(team) = find(name) else { return Ok(()) };
        found.insert(name.to_owned(), team);
    }
    let inner: Vec<String> = found.get(name).into_iter().flat_map(teams_of).collect();
    for name in inner {
        let depth = path.len();
        enter(&name, path, found, find)?;
        path.truncate(depth);
    }
    Ok(())
}

fn teams_of(team: &TeamConfig) -> Vec<String> {
    team.agents.iter().filter_map(|member| member.team.clone()).collect()
}
