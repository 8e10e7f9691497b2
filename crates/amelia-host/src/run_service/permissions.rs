//! A rule that a person grants for always: it is added to the agent of the profile that the run was created with.

use amelia_core::config::agent::Asks;
use amelia_core::config::profile::Profile;
use amelia_core::config::role::DEVELOPER;
use amelia_core::permission::PermissionGrant;
use amelia_core::problem::Problem;
use amelia_core::view::RunRow;
use amelia_orchestrator::service::ServiceError;
use amelia_orchestrator::settings::Profiles;
use anyhow::Result;

use crate::upstream::driver_config;

/// Refused when the profile has gone, or no longer asks: the rule would do nothing.
pub(super) async fn allow_always(profiles: &Profiles, row: &RunRow, grant: &PermissionGrant) -> Result<()> {
    let Some(name) = row.run.spec.profile.as_deref() else {
        return Err(refused(format!("run {} was started without a profile", row.run.number)));
    };
    match profiles.change(name, |profile| add(profile, grant)).await? {
        true => Ok(()),
        false => Err(refused(format!("the profile `{name}` of run {} was deleted", row.run.number))),
    }
}

fn add(profile: &mut Profile, grant: &PermissionGrant) -> Result<()> {
    let own = Some(grant.agent.as_str()).filter(|role| profile.agents.contains_key(*role));
    let role = own.unwrap_or(DEVELOPER);
    let Some(agent) = profile.agents.get_mut(role) else {
        return Err(refused(format!("the profile `{}` has no agent `{role}` any more", profile.name)));
    };
    if driver_config(agent)?.permissions().asks == Asks::Never {
        return Err(refused(format!("the {role} of the profile `{}` no longer asks", profile.name)));
    }
    agent.allow(&grant.rule);
    Ok(())
}

fn refused(problem: String) -> anyhow::Error {
    ServiceError::conflict(Problem::new(problem).with_hint("allow it for this run instead")).into()
}

#[cfg(test)]
mod tests {
    use amelia_core::config::agent::{AgentConfig, DriverType};
    use amelia_core::id::AgentName;
    use amelia_core::permission::GrantDuration;
    use serde_json::json;

    use super::*;

    fn profile(permissions: &str) -> Profile {
        let mut profile = Profile::new("work", "/w");
        let mut developer = AgentConfig::new(DriverType::Claude, "opus");
        developer.options.insert("permissions".to_owned(), json!(permissions));
        profile.agents = [(DEVELOPER.to_owned(), developer)].into();
        profile
    }

    fn grant(agent: &str) -> PermissionGrant {
        let agent = AgentName::new(agent).unwrap();
        PermissionGrant { agent, rule: "Bash(make)".to_owned(), lasts: GrantDuration::Always }
    }

    #[test]
    fn a_rule_goes_to_the_agent_or_to_the_one_whose_configuration_it_uses() {
        for agent in [DEVELOPER, "architect"] {
            let mut shared = profile("commands");
            add(&mut shared, &grant(agent)).unwrap();
            add(&mut shared, &grant(agent)).unwrap();
            assert_eq!(shared.agents[DEVELOPER].options["allow"], json!(["Bash(make)"]), "{agent}");
        }
        let mut own = profile("commands");
        own.agents.insert("architect".to_owned(), own.agents[DEVELOPER].clone());
        add(&mut own, &grant("architect")).unwrap();
        assert!(!own.agents[DEVELOPER].options.contains_key("allow"), "it has its own");
        assert_eq!(own.agents["architect"].options["allow"], json!(["Bash(make)"]));
    }

    #[test]
    fn a_profile_that_asks_nothing_takes_no_rule() {
        let refused = add(&mut profile("never"), &grant(DEVELOPER)).unwrap_err();
        assert_eq!(refused.to_string(), "the developer of the profile `work` no longer asks");
        let mut empty = profile("commands");
        empty.agents.clear();
        assert!(add(&mut empty, &grant(DEVELOPER)).unwrap_err().to_string().contains("no agent `developer`"));
    }
}
