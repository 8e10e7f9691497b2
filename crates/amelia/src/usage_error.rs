//! What is wrong with the command line, or the help that it asks for: both end the program.

use amelia_core::problem::Problem;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use serde_json::json;

use crate::cli_error::{CliError, Exit};
use crate::ui;

/// Whether an option is given, before the command line is understood.
pub(crate) fn is_given(option: &str) -> bool {
    std::env::args_os().skip(1).take_while(|word| word != "--").any(|word| word == option)
}

/// Says what is wrong with the command line, or prints the help that it asks for; as JSON if it asks for that.
pub(crate) fn refuse(mut error: clap::Error) -> ! {
    for (option, value) in [("--home", "<DIR>"), ("--server", "<URL>")] {
        if !is_given(option) {
            leave_out(&mut error, &format!(" {option} {value}"));
        }
    }
    let error = &error;
    let hint = show_hint(error, std::env::args().skip(1));
    if !is_given("--json") && hint.is_none() {
        error.exit()
    }
    let text = error.render().to_string();
    match error.kind() {
        ErrorKind::DisplayVersion => {
            anstream::println!("{}", json!({"name": "amelia", "version": env!("CARGO_PKG_VERSION")}));
        }
        _ if !error.use_stderr() => anstream::println!("{}", json!({ "help": text })),
        _ => {
            // Usage and the way to the help come after an empty line.
            let message = text.split("\n\n").next().unwrap_or_default();
            let message = message.strip_prefix("error: ").unwrap_or(message);
            let problem = Problem::new(message).with_hint(hint.unwrap_or_else(|| "see --help".to_owned()));
            match is_given("--json") {
                true => ui::say_error_as_json(Exit::Usage.code(), &problem),
                false => ui::say_error(&CliError::new(Exit::Usage, problem).into()),
            }
        }
    }
    std::process::exit(error.exit_code());
}

/// An option whose value comes from the environment is shown in the usage as if it had to be given.
fn leave_out(error: &mut clap::Error, option: &str) {
    let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) else { return };
    let text = usage.to_string();
    if text.contains(option) {
        error.insert(ContextKind::Usage, ContextValue::StyledStr(text.replace(option, "").into()));
    }
}

/// What a person means who writes `amelia trace r12`, as most commands take a run.
fn show_hint(error: &clap::Error, words: impl Iterator<Item = String>) -> Option<String> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    let is_run = word.strip_prefix('r').is_some_and(|number| number.parse::<u32>().is_ok());
    let command = words.take_while(|other| other != word).last().filter(|_| is_run)?;
    match command.as_str() {
        "trace" => Some(format!("amelia trace show {word}")),
        "pr" => Some(format!("amelia pr show {word}, or amelia pr open {word} if it has no pull request")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn the_usage_does_not_name_options_that_the_environment_gives() {
        let mut error =
            Cli::command().try_get_matches_from(["amelia", "answer", "--home", "/h"]).err().unwrap();
        assert!(error.to_string().contains("--home <DIR>"), "{error}");
        leave_out(&mut error, " --home <DIR>");
        let shown = error.to_string();
        assert!(shown.contains("Usage: amelia answer") && !shown.contains("--home"), "{shown}");
    }

    #[test]
    fn a_run_in_the_place_of_a_subcommand_is_shown() {
        let hint = |words: &[&str]| {
            let all = ["amelia"].iter().chain(words).copied();
            let error = Cli::command().try_get_matches_from(all).unwrap_err();
            show_hint(&error, words.iter().map(|word| (*word).to_owned()))
        };
        assert_eq!(hint(&["trace", "r1"]).as_deref(), Some("amelia trace show r1"));
        assert_eq!(
            hint(&["--quiet", "pr", "r12"]).as_deref(),
            Some("amelia pr show r12, or amelia pr open r12 if it has no pull request")
        );
        assert_eq!(hint(&["trace", "lsit"]), None);
        assert_eq!(hint(&["config", "r1"]), None);
    }
}
