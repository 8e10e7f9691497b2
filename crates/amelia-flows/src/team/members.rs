//! Everyone who works in a team, with those of the teams inside it. Pure.

use amelia_core::config::team::member::Member;
use amelia_core::config::team::{FrozenTeam, TeamConfig};

/// Teams inside each other, with the outermost one.
pub(super) const MAX_LEVELS: usize = 3;

/// An agent of a team, or of a team inside it.
pub struct PlacedMember<'a> {
    /// As the run knows it: with the names of the members whose teams it is in (`press/writer`).
    pub name: String,
    pub member: &'a Member,
    /// The team whose agent it is.
    pub team: &'a TeamConfig,
}

/// All agents of a team, without those whose place a team takes.
#[must_use]
pub fn members(frozen: &FrozenTeam) -> Vec<PlacedMember<'_>> {
    let mut found = Vec::new();
    collect(frozen, &frozen.team, "", MAX_LEVELS, &mut found);
    found
}

/// The number of levels that are left bounds the recursion.
fn collect<'a>(
    frozen: &'a FrozenTeam,
    team: &'a TeamConfig,
    path: &str,
    levels: usize,
    found: &mut Vec<PlacedMember<'a>>,
) {
    let Some(below) = levels.checked_sub(1) else { return };
    for member in &team.agents {
        let name = format!("{path}{}", member.name);
        match member.team.as_ref().map(|inner| frozen.teams.get(inner)) {
            None => found.push(PlacedMember { name, member, team }),
            Some(Some(inner)) => collect(frozen, inner, &format!("{name}/"), below, found),
            Some(None) => {}
        }
    }
}

/// A team and the teams inside it, with what the names of their agents begin with: `press/` for a team in the place of `press`.
#[must_use]
pub fn team_levels(frozen: &FrozenTeam) -> Vec<(String, &TeamConfig)> {
    let mut found = vec![(String::new(), &frozen.team)];
    let mut begin = 0;
    for _ in 1..MAX_LEVELS {
        let of_level: Vec<(String, &TeamConfig)> = found.iter().skip(begin).cloned().collect();
        begin = found.len();
        for (path, team) in of_level {
            let inner = team.agents.iter().filter_map(|member| {
                let team = frozen.teams.get(member.team.as_ref()?)?;
                Some((format!("{path}{}/", member.name), team))
            });
            found.extend(inner);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_agents_of_teams_inside_have_the_names_of_their_places() {
        let team = |agents: serde_json::Value| -> TeamConfig {
            serde_json::from_value(json!({"name": "t", "agents": agents})).unwrap()
        };
        let frozen = FrozenTeam {
            team: team(json!([{"name": "lead"}, {"name": "press", "team": "printers"}])),
            teams: [
                (
                    "printers".to_owned(),
                    team(json!([{"name": "setter"}, {"name": "shop", "team": "sellers"}])),
                ),
                (
                    "sellers".to_owned(),
                    team(json!([{"name": "clerk"}, {"name": "deep", "team": "printers"}])),
                ),
            ]
            .into(),
            ..FrozenTeam::default()
        };
        let names: Vec<String> = members(&frozen).into_iter().map(|placed| placed.name).collect();
        assert_eq!(names, ["lead", "press/setter", "press/shop/clerk"], "three levels, and no more");
        let paths: Vec<String> = team_levels(&frozen).into_iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["", "press/", "press/shop/"]);
    }
}
