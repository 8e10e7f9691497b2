//! The server that commands of this home would talk to. None is started.

use amelia_host::doctor::check::{CheckState, DoctorCheck};
use amelia_host::home::Home;
use amelia_host::presence::{Presence, token};
use amelia_wire::rest::doctor::{Checkup, Finding, FindingState};
use amelia_wire::rest::health::Health;
use anyhow::Result;

use crate::cli::Global;
use crate::client::Client;
use crate::reach;

/// The checks that look for keys, and at the agents that need them.
const KEYS: &str = "keys";
const AGENTS: &str = "agents";

pub(super) async fn check(home: &Home, global: &Global) -> DoctorCheck {
    let client = match (&global.server, Presence::of(home)) {
        (Some(url), _) => Client::new(url, amelia_core::config::secret::Secret::new("")),
        (None, Some(found)) => token(home).and_then(|token| Client::new(&found.url, token)),
        (None, None) => {
            return DoctorCheck::ok("server", "none is running; commands start one when they need it");
        }
    };
    match client {
        Ok(client) => judge(&client.base(), client.get::<Health>("/health").await),
        Err(error) => DoctorCheck::refused("server", &error),
    }
}

/// A server has the keys of the environment that it was started in: says so if the one that runs lacks what is here.
pub(super) async fn compare_keys(checks: &mut [DoctorCheck], home: &Home, global: &Global) {
    let Ok(Some(client)) = reach::running(home, global) else { return };
    let changed = client.changed_keys();
    if let Some(ours) = checks.iter_mut().find(|check| check.name == KEYS)
        && let Some(judged) = outdated(ours, &changed)
    {
        *ours = judged;
    }
    // A server that does not answer was reported as such.
    let Ok(Checkup { checks: theirs }) = client.get::<Checkup>("/doctor").await else { return };
    for ours in checks.iter_mut().filter(|check| [KEYS, AGENTS].contains(&check.name)) {
        if let Some(judged) =
            theirs.iter().find(|check| check.name == ours.name).and_then(|theirs| lacks(ours, theirs))
        {
            *ours = judged;
        }
    }
}

/// Keys that the check names and that have changed since the server was started.
fn outdated(ours: &DoctorCheck, changed: &[String]) -> Option<DoctorCheck> {
    let is_named = |name: &&String| {
        ours.message.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name.as_str())
    };
    let names: Vec<&str> = changed.iter().filter(is_named).map(String::as_str).collect();
    (!names.is_empty()).then(|| {
        let message = format!("the server still uses the old value of {}", names.join(", "));
        DoctorCheck::warning(KEYS, message, "run `amelia server restart`; runs continue")
    })
}

/// What is wrong with the keys of a server, or with the agents that need them, though they are here.
fn lacks(ours: &DoctorCheck, theirs: &Finding) -> Option<DoctorCheck> {
    let is_worse =
        ours.state == CheckState::Ok && matches!(theirs.state, FindingState::Warning | FindingState::Error);
    is_worse.then(|| {
        let message = format!("{}, but not in the running server ({})", ours.message, theirs.message);
        DoctorCheck::warning(
            ours.name,
            message,
            "run `amelia server restart`: it gets the keys of this shell, and runs continue",
        )
    })
}

fn judge(url: &str, health: Result<Health>) -> DoctorCheck {
    let ours = env!("CARGO_PKG_VERSION");
    match health {
        Err(error) => DoctorCheck::refused("server", &error),
        Ok(Health { version, process_id, .. }) if version != ours => {
            let message = format!(
                "{url} has version {version} (process {process_id}), and this program has version {ours}"
            );
            DoctorCheck::warning(
                "server",
                message,
                "run `amelia server stop` and try again; runs continue with the next server",
            )
        }
        Ok(Health { version, process_id, active_workflows, .. }) => {
            let runs = if active_workflows == 1 { "run" } else { "runs" };
            let at_work = format!("{active_workflows} {runs} in progress");
            DoctorCheck::ok("server", format!("{url}, version {version}, process {process_id}, {at_work}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use amelia_wire::rest::health::HealthStatus;

    use super::*;

    #[test]
    fn a_server_without_the_keys_of_this_shell_is_a_warning() {
        let ours = DoctorCheck::ok(KEYS, "A_KEY in the environment");
        let theirs = |state| Finding {
            name: KEYS.to_owned(),
            state,
            message: "used by a profile and not set: A_KEY".to_owned(),
            hint: None,
        };
        let judged = lacks(&ours, &theirs(FindingState::Warning)).unwrap();
        assert_eq!(judged.state, CheckState::Warning);
        let message =
            "A_KEY in the environment, but not in the running server (used by a profile and not set: A_KEY)";
        assert_eq!(judged.message, message);
        let agents = DoctorCheck::ok(AGENTS, "the agents can be called");
        let missing = Finding { name: AGENTS.to_owned(), ..theirs(FindingState::Error) };
        assert_eq!(lacks(&agents, &missing).map(|judged| judged.name), Some(AGENTS));
        assert_eq!(lacks(&ours, &theirs(FindingState::Ok)), None);
    }

    #[test]
    fn a_key_that_has_changed_since_the_server_was_started_is_a_warning() {
        let ours = DoctorCheck::ok(KEYS, "A_KEY, B_KEY in the environment");
        let judged = outdated(&ours, &["B_KEY".to_owned(), "OTHER_TOKEN".to_owned()]).unwrap();
        assert_eq!(judged.message, "the server still uses the old value of B_KEY");
        assert_eq!(judged.hint.as_deref(), Some("run `amelia server restart`; runs continue"));
        assert_eq!(outdated(&ours, &["KEY".to_owned()]), None, "no profile and no provider uses it");
    }

    #[test]
    fn a_server_of_another_version_is_a_warning_and_one_that_is_silent_an_error() {
        let health = |version: &str| Health {
            status: HealthStatus::Ok,
            version: version.to_owned(),
            process_id: 7,
            uptime_seconds: 1,
            active_workflows: 2,
            queued_workflows: 0,
        };
        let ours = env!("CARGO_PKG_VERSION");
        let expected = format!("http://x, version {ours}, process 7, 2 runs in progress");
        assert_eq!(judge("http://x", Ok(health(ours))), DoctorCheck::ok("server", expected));
        assert_eq!(judge("http://x", Ok(health("9.9.9"))).state, CheckState::Warning);
        assert_eq!(judge("http://x", Err(anyhow::anyhow!("silence"))).state, CheckState::Error);
    }
}
