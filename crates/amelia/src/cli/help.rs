//! The list of commands in `amelia --help`, by what they are for. Words come from the commands themselves.

use clap::{Command, CommandFactory as _, FromArgMatches as _};

use super::Cli;

/// Every command that is shown, once.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Work", &["do", "start", "plan", "run", "review"]),
    ("Look", &["dashboard", "status", "why", "logs", "diff", "compare", "usage"]),
    (
        "Answer and steer",
        &[
            "inbox",
            "approve",
            "reject",
            "answer",
            "say",
            "pause",
            "resume",
            "step",
            "continue",
            "breakpoint",
            "cancel",
        ],
    ),
    ("Go back", &["checkpoints", "fork", "replay", "record"]),
    (
        "Set up and keep in order",
        &["init", "doctor", "config", "prompt", "models", "worktree", "cleanup", "server", "token"],
    ),
    ("Try and prove", &["demo", "test", "selftest", "model", "completions"]),
];

/// What was asked for on the command line; ends the program when that is help, or nonsense.
pub(crate) fn parse() -> Cli {
    let matches = grouped(Cli::command()).get_matches();
    Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// clap knows one heading for all commands, so the list is made here.
fn grouped(command: Command) -> Command {
    let header = *command.get_styles().get_header();
    let name = *command.get_styles().get_literal();
    let mut template = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (group, names) in GROUPS {
        template.push_str(&format!("\n{header}{group}:{header:#}\n"));
        for command in names.iter().filter_map(|name| command.find_subcommand(name)) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let called = format!("{:<11}", command.get_name());
            template.push_str(&format!("  {name}{called}{name:#}  {about}{}\n", aliases(command)));
        }
    }
    template.push_str(&format!("\n{header}Options:{header:#}\n{{options}}{{after-help}}"));
    command.help_template(template)
}

fn aliases(command: &Command) -> String {
    let names: Vec<&str> = command.get_visible_aliases().collect();
    if names.is_empty() { String::new() } else { format!(" [alias: {}]", names.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let command = Cli::command();
        let mut shown: Vec<&str> = command
            .get_subcommands()
            .filter(|command| !command.is_hide_set())
            .map(Command::get_name)
            .collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        shown.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, shown);
    }

    #[test]
    fn the_short_help_has_one_line_for_each_command_and_fits_a_screen() {
        let help = grouped(Cli::command()).term_width(100).render_help().to_string();
        assert!(help.lines().count() <= 66, "{} lines:\n{help}", help.lines().count());
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
        assert!(help.contains("\n  status       Every run"), "{help}");
        assert!(help.contains("Options:\n") && !help.contains("Examples:"), "{help}");
        let long = grouped(Cli::command()).render_long_help().to_string();
        assert!(long.contains("Examples:\n  amelia do "), "{long}");
    }
}
