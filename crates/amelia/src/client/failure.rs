//! What a server refuses, as a command says it: the same words, and an exit code for scripts.

use std::collections::BTreeMap;

use amelia_core::id::{RunId, RunNumber};
use amelia_core::problem::Problem;
use amelia_host::keys::missing_in;
use amelia_wire::error::{Code, ErrorBody};

use crate::cli_error::{CliError, Exit};

/// No answer came.
pub(super) fn unreachable(base: &str, error: &reqwest::Error) -> CliError {
    let why = if error.is_connect() { "nothing answers" } else { "the connection broke" };
    let message = format!("the server at {base} is not reachable: {why}");
    CliError::new(Exit::Unreachable, message).with_hint("`amelia server` starts one")
}

/// A server has the keys of the shell that started it: what it lacks may be in this one, and then only a restart helps.
pub(super) fn lacks_key_of_shell(refused: CliError, is_set: impl Fn(&str) -> bool) -> CliError {
    let message = refused.to_string();
    let Some(name) = missing_in(&message).filter(|name| is_set(name)) else { return refused };
    let problem = Problem::new(format!(
        "the server was started without the variable `{name}`, which is set in this shell"
    ));
    let hint = "run `amelia server restart` and try again: it gets the keys of this shell, and runs continue";
    CliError::new(refused.exit, problem.with_hint(hint))
}

/// It answered, and the answer is no. Runs that were `seen` are called what people call them.
pub(super) fn refusal(status: u16, body: &[u8], seen: &BTreeMap<RunId, RunNumber>) -> CliError {
    let Ok(ErrorBody { error, .. }) = serde_json::from_slice::<ErrorBody>(body) else {
        let message = format!("the server returned {status} and is not an Amelia server");
        return CliError::new(Exit::Failed, message).with_hint("check --server");
    };
    let exit = match error.code {
        Code::NotFound => Exit::NotFound,
        Code::Conflict | Code::WrongState => Exit::Conflict,
        Code::Malformed | Code::Invalid | Code::Guardrail | Code::TooLarge | Code::UnsupportedMediaType => {
            Exit::Usage
        }
        Code::Unauthorized
        | Code::Forbidden
        | Code::MethodNotAllowed
        | Code::TooManyRequests
        | Code::Internal
        | Code::Unavailable => Exit::Failed,
    };
    let hint = match (error.code, error.hint) {
        (Code::Unauthorized, _) => Some("the token belongs to another home: set AMELIA_TOKEN".to_owned()),
        (_, hint) => hint,
    };
    let named = |text: String| {
        let known = seen.iter().filter(|(_, number)| !number.is_unknown());
        known.fold(text, |text, (run, number)| with_number(&text, &run.to_string(), &number.to_string()))
    };
    CliError::new(exit, Problem { message: named(error.message), hint: hint.map(named) })
}

/// The text with the number of a run instead of its id, but not in a path: directories are named by the id.
fn with_number(text: &str, id: &str, number: &str) -> String {
    let mut parts = text.split(id);
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        whole.push_str(if whole.ends_with('/') { id } else { number });
        whole.push_str(part);
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_run_stays_in_paths() {
        let told = with_number("run ID is in /home/worktrees/ID and on ID", "ID", "r4");
        assert_eq!(told, "run r4 is in /home/worktrees/ID and on r4");
        assert_eq!(with_number("ID", "ID", "r4"), "r4");
    }
    use crate::cli_error::problem_of;

    #[test]
    fn words_and_exit_codes_are_the_servers() {
        let body =
            br#"{"error":{"code":"WRONG_STATE","message":"it has ended","hint":"fork it"},"request_id":"r"}"#;
        let refused = refusal(409, body, &BTreeMap::new());
        let exit = refused.exit;
        assert_eq!(
            (problem_of(&refused.into()), exit),
            (Problem::new("it has ended").with_hint("fork it"), Exit::Conflict)
        );
        assert!(refusal(502, b"<html>", &BTreeMap::new()).to_string().contains("not an Amelia server"));
    }

    #[test]
    fn a_key_that_only_this_shell_has_needs_another_server() {
        let refused = || CliError::new(Exit::Usage, amelia_host::keys::missing("A_KEY", "openai"));
        let told = lacks_key_of_shell(refused(), |name| name == "A_KEY");
        let Problem { message, hint } = problem_of(&told.into());
        assert_eq!(
            message,
            "the server was started without the variable `A_KEY`, which is set in this shell"
        );
        assert!(hint.unwrap().contains("amelia server restart"));
        assert_eq!(lacks_key_of_shell(refused(), |_| false).to_string(), refused().to_string());
    }

    #[test]
    fn a_run_that_was_seen_is_called_by_its_number() {
        let [run, other, uncounted] = std::array::from_fn(|n| RunId(uuid::Uuid::from_u128(n as u128 + 1)));
        let seen = BTreeMap::from([(run, RunNumber(12)), (uncounted, RunNumber::default())]);
        let body = format!(
            r#"{{"error":{{"code":"CONFLICT","message":"{run} {other} {uncounted}","hint":"cancel {run}"}},"request_id":"r"}}"#
        );
        let expected = Problem::new(format!("r12 {other} {uncounted}")).with_hint("cancel r12");
        assert_eq!(problem_of(&refusal(409, body.as_bytes(), &seen).into()), expected);
    }
}
