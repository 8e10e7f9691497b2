//! Keys: which are set, and where. Never what they are.

use amelia_drivers::model::Provider;
use anyhow::Result;

use super::check::DoctorCheck;
use crate::home::Home;
use crate::keys::Keys;

pub(super) fn check(home: &Home) -> DoctorCheck {
    let names: Vec<&str> = Provider::ALL.into_iter().filter_map(Provider::key_env).collect();
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let environment: Vec<&str> = names.into_iter().filter(is_set).collect();
    judge(&environment, Keys::in_file(home).as_deref())
}

/// `file` are the names in the home's file, or why it is not used.
fn judge(environment: &[&str], file: Result<&[String], &anyhow::Error>) -> DoctorCheck {
    let file = match file {
        Ok(file) => file,
        Err(error) => return DoctorCheck::refused("keys", error),
    };
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
            let names: Vec<&str> = Provider::ALL.into_iter().filter_map(Provider::key_env).collect();
            let hint = format!(
                "set one of {} here or in config/keys.env of the home; a local model needs no key",
                names.join(", ")
            );
            DoctorCheck::warning("keys", "no key of a known provider is set", hint)
        }
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::problem::Problem;

    use super::super::check::CheckState;
    use super::*;

    #[test]
    fn keys_are_named_with_their_place_and_their_absence_is_no_error() {
        let file = ["MY_KEY".to_owned()];
        let both = judge(&["OPENAI_API_KEY"], Ok(&file));
        let message = "OPENAI_API_KEY in the environment; MY_KEY in config/keys.env of the home";
        assert_eq!(both, DoctorCheck::ok("keys", message));
        assert_eq!(judge(&[], Ok(&[])).state, CheckState::Warning);
    }

    #[test]
    fn a_file_that_others_can_read_is_an_error_whatever_the_environment_holds() {
        let error = anyhow::Error::from(
            Problem::new("keys.env can be read by others").with_hint("chmod 600 keys.env"),
        );
        let expected = DoctorCheck::error("keys", "keys.env can be read by others", "chmod 600 keys.env");
        assert_eq!(judge(&["OPENAI_API_KEY"], Err(&error)), expected);
    }
}
