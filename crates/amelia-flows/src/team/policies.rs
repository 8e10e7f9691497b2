//! Which guardrail policies hold for whom in a team. Pure.

use std::collections::BTreeMap;

use amelia_core::config::team::guardrail::GuardrailPolicy;
use amelia_core::config::team::member::Member;
use amelia_core::config::team::{FrozenTeam, TeamConfig};

/// The policies of an agent, by its name in the run (`press/writer`): those that it names, else all of its team; and those of
/// the members whose teams it is in.
#[must_use]
pub fn policies_of<'a>(frozen: &'a FrozenTeam, agent: &str) -> Vec<&'a GuardrailPolicy> {
    let mut found: BTreeMap<&str, &GuardrailPolicy> = BTreeMap::new();
    let mut team = Some(&frozen.team);
    for name in agent.split('/') {
        let Some(current) = team else { break };
        let Some(member) = current.agents.iter().find(|member| member.name == name) else { break };
        for policy in of_member(frozen, current, member) {
            // That of the outer team, where two have the same name.
            found.entry(&policy.name).or_insert(policy);
        }
        team = member.team.as_ref().and_then(|inner| frozen.teams.get(inner));
    }
    found.into_values().collect()
}

/// The policies that hold for what people say to a team: all of its own, and those that its agents name.
#[must_use]
pub fn policies_of_input(frozen: &FrozenTeam) -> Vec<&GuardrailPolicy> {
    let mut found: BTreeMap<&str, &GuardrailPolicy> = BTreeMap::new();
    let own = frozen.team.guardrail_policies.iter();
    let of_members = frozen.team.agents.iter().flat_map(|member| of_member(frozen, &frozen.team, member));
    for policy in own.chain(of_members) {
        found.entry(&policy.name).or_insert(policy);
    }
    found.into_values().collect()
}

/// The names of policies that agents of these teams use and that are not their teams' own.
#[must_use]
pub fn shared_names(frozen: &FrozenTeam) -> Vec<&str> {
    let mut names = Vec::new();
    for team in [&frozen.team].into_iter().chain(frozen.teams.values()) {
        let is_own = |name: &str| team.guardrail_policies.iter().any(|policy| policy.name == name);
        let named = team.agents.iter().flat_map(|member| &member.guardrail_policies);
        names.extend(named.map(String::as_str).filter(|name| !is_own(name)));
    }
    names.sort_unstable();
    names.dedup();
    names
}

fn of_member<'a>(
    frozen: &'a FrozenTeam,
    team: &'a TeamConfig,
    member: &'a Member,
) -> Vec<&'a GuardrailPolicy> {
    if member.guardrail_policies.is_empty() {
        return team.guardrail_policies.iter().collect();
    }
    let own = |name: &String| team.guardrail_policies.iter().find(|policy| policy.name == *name);
    let named = member.guardrail_policies.iter();
    named.filter_map(|name| own(name).or_else(|| frozen.policies.get(name))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn an_agent_has_the_policies_that_it_names_or_all_of_its_team() {
        let policy =
            |name: &str| json!({"name": name, "kind": "content_filter", "rules": [{"secrets": true}]});
        let team = |policies: Value, agents: Value| -> TeamConfig {
            let team = json!({"name": "t", "guardrail_policies": policies, "agents": agents});
            serde_json::from_value(team).unwrap()
        };
        let outer = team(
            json!([policy("a"), policy("b")]),
            json!([
                {"name": "writer"},
                {"name": "critic", "guardrail_policies": ["b", "shared"]},
                {"name": "press", "team": "inner", "guardrail_policies": ["a"]},
            ]),
        );
        let inner = team(json!([policy("c")]), json!([{"name": "setter"}]));
        let shared: GuardrailPolicy = serde_json::from_value(policy("shared")).unwrap();
        let frozen = FrozenTeam {
            team: outer,
            teams: [("inner".to_owned(), inner)].into(),
            policies: [("shared".to_owned(), shared)].into(),
        };
        let names = |policies: Vec<&GuardrailPolicy>| {
            policies.iter().map(|policy| policy.name.clone()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names(policies_of(&frozen, "writer")), "a b");
        assert_eq!(names(policies_of(&frozen, "critic")), "b shared");
        assert_eq!(names(policies_of(&frozen, "press/setter")), "a c");
        assert_eq!(names(policies_of(&frozen, "ghost")), "");
        assert_eq!(names(policies_of_input(&frozen)), "a b shared");
        assert_eq!(shared_names(&frozen), ["shared"]);
    }
}
