//! What a server refuses, as a command says it: the same words, and an exit code for scripts.

use amelia_wire::error::{Code, ErrorBody};

use crate::cli_error::{CliError, Exit};

/// Nobody answers there.
pub(super) fn unreachable(base: &str, error: &reqwest::Error) -> CliError {
    let why = if error.is_connect() { "nothing answers" } else { "the answer broke off" };
    let message = format!("the server at {base} is not reachable: {why}\n  hint: `amelia server` starts one");
    CliError::new(Exit::Unreachable, message)
}

/// It answered, and the answer is no.
pub(super) fn refusal(status: u16, body: &[u8]) -> CliError {
    let Ok(ErrorBody { error, .. }) = serde_json::from_slice::<ErrorBody>(body) else {
        let message = format!("the server answered {status}, and not as Amelia does\n  hint: check --server");
        return CliError::new(Exit::Failed, message);
    };
    let exit = match error.code {
        Code::NotFound => Exit::NotFound,
        Code::Conflict | Code::WrongState => Exit::Conflict,
        Code::Malformed | Code::Invalid | Code::TooLarge | Code::UnsupportedMediaType => Exit::Usage,
        Code::Unauthorized
        | Code::Forbidden
        | Code::MethodNotAllowed
        | Code::TooManyRequests
        | Code::Internal
        | Code::Unavailable => Exit::Failed,
    };
    let hint = match (error.code, error.hint) {
        (Code::Unauthorized, _) => Some("the token is that of another home: set AMELIA_TOKEN".to_owned()),
        (_, hint) => hint,
    };
    let hint = hint.map(|hint| format!("\n  hint: {hint}")).unwrap_or_default();
    CliError::new(exit, format!("{}{hint}", error.message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_exit_codes_are_the_servers() {
        let body =
            br#"{"error":{"code":"WRONG_STATE","message":"it has ended","hint":"fork it"},"request_id":"r"}"#;
        let refused = refusal(409, body);
        assert_eq!(
            (refused.to_string().as_str(), refused.exit),
            ("it has ended\n  hint: fork it", Exit::Conflict)
        );
        assert!(refusal(502, b"<html>").to_string().contains("not as Amelia does"));
    }
}
