//! Keys: which are set, and where. Never what they are.

use std::collections::{BTreeMap, BTreeSet};

use amelia_core::config::profile::Profile;
use amelia_drivers::model::Provider;
use anyhow::Result;

use super::check::DoctorCheck;
use crate::home::Home;
use crate::keys::Keys;
use crate::upstream::{ResolvedUpstream, with_fallbacks};

/// A key counts as missing when a profile that can be read uses it.
pub(super) fn check(home: &Home, profiles: &BTreeMap<String, Profile>) -> DoctorCheck {
    let (known, needed) = (known(), needed(profiles));
    let also = needed.iter().map(String::as_str).filter(|name| !known.contains(name));
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let environment: Vec<&str> = known.iter().copied().chain(also).filter(is_set).collect();
    judge(&environment, Keys::in_file(home).as_deref(), &needed)
}

fn known() -> Vec<&'static str> {
    Provider::ALL.into_iter().flat_map(Provider::key_envs).collect()
}

/// The keys that agents of these profiles are called with.
fn needed(profiles: &BTreeMap<String, Profile>) -> BTreeSet<String> {
    let agents = profiles.values().flat_map(|profile| with_fallbacks(profile.agents.values()));
    // An agent that is wrong is reported as such.
    let upstreams = agents.filter_map(|agent| ResolvedUpstream::needed(&agent).ok().flatten());
    upstreams.filter(ResolvedUpstream::needs_key).filter_map(|upstream| upstream.key_env).collect()
}

/// `file` are the names in the home's file, or why it is not used.
fn judge(
    environment: &[&str],
    file: Result<&[String], &anyhow::Error>,
    needed: &BTreeSet<String>,
) -> DoctorCheck {
    let file = match file {
        Ok(file) => file,
        Err(error) => return DoctorCheck::refused("keys", error),
    };
    let is_missing = |name: &&str| !environment.contains(name) && !file.iter().any(|kept| kept == name);
    let missing: Vec<&str> = needed.iter().map(String::as_str).filter(is_missing).collect();
    if !missing.is_empty() {
        let message = format!("used by a profile and not set: {}", missing.join(", "));
        return DoctorCheck::warning(
            "keys",
            message,
            "set it in the environment or in config/keys.env of the home",
        );
    }
    let mut places = Vec::new();
    if !environment.is_empty() {
        places.push(format!("{} in the environment", environment.join(", ")));
    }
    if !file.is_empty() {
        places.push(format!("{} in config/keys.env of the home", file.join(", ")));
    }
    match places.is_empty() {
        false => DoctorCheck::ok("keys", places.join("; ")),
        true => {
            let hint = format!(
                "set one of {} here or in config/keys.env of the home; a local model needs no key",
                known().join(", ")
            );
            let message = "no key of a known provider is set, and no profile uses one";
            DoctorCheck { hint: Some(hint), ..DoctorCheck::optional("keys", message) }
        }
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::config::agent::{AgentConfig, DriverType};
    use amelia_core::problem::Problem;
    use serde_json::{Value, json};

    use super::super::check::CheckState;
    use super::*;

    #[test]
    fn keys_are_named_with_their_place() {
        let file = ["MY_KEY".to_owned()];
        let both = judge(&["OPENAI_API_KEY"], Ok(&file), &BTreeSet::new());
        let message = "OPENAI_API_KEY in the environment; MY_KEY in config/keys.env of the home";
        assert_eq!(both, DoctorCheck::ok("keys", message));
    }

    #[test]
    fn a_key_is_missing_when_a_profile_uses_it() {
        let agent = |options: Value| AgentConfig {
            options: options.as_object().cloned().unwrap(),
            ..AgentConfig::new(DriverType::Api, "m")
        };
        let profile = |options: Value| Profile {
            agents: [("developer".to_owned(), agent(options))].into(),
            ..Profile::new("p", "/r")
        };
        let needed = |options| needed(&[("p".to_owned(), profile(options))].into());
        let local = needed(json!({"provider": "openai-compatible", "base_url": "http://127.0.0.1:1/v1"}));
        assert_eq!(judge(&[], Ok(&[]), &local).state, CheckState::Optional);
        let named = needed(json!({"provider": "openai", "api_key_env": "MY_KEY"}));
        let missing = judge(&["OPENAI_API_KEY"], Ok(&[]), &named);
        assert_eq!(missing.state, CheckState::Warning);
        assert_eq!(missing.message, "used by a profile and not set: MY_KEY");
        assert_eq!(judge(&[], Ok(&["MY_KEY".to_owned()]), &named).state, CheckState::Ok);
    }

    #[test]
    fn a_file_that_others_can_read_is_an_error_whatever_the_environment_holds() {
        let error = anyhow::Error::from(
            Problem::new("keys.env can be read by others").with_hint("chmod 600 keys.env"),
        );
        let expected = DoctorCheck::error("keys", "keys.env can be read by others", "chmod 600 keys.env");
        assert_eq!(judge(&["OPENAI_API_KEY"], Err(&error), &BTreeSet::new()), expected);
    }
}
