//! `amelia --help` and `amelia help`: which commands are shown, in groups. The texts come from the commands themselves.

use clap::{Arg, ArgAction, Args, Command, CommandFactory as _, FromArgMatches as _};

use super::{Cli, GLOBAL_OPTIONS};

/// Commands for one purpose.
struct Group {
    title: &'static str,
    /// Shown in `amelia --help`, too.
    everyday: &'static [&'static str],
    /// Shown only by `amelia help --all`.
    others: &'static [&'static str],
}

/// Every visible command, once.
const GROUPS: [Group; 8] = [
    Group { title: "Get started", everyday: &["demo", "init"], others: &["doctor", "completions", "help"] },
    Group {
        title: "Run agents",
        everyday: &["start", "do", "review"],
        others: &["plan", "run", "workflow", "agent", "team", "guardrail", "acp"],
    },
    Group {
        title: "Follow runs and merge their changes",
        everyday: &["status", "inbox", "why", "logs", "diff", "dashboard", "merge", "pr"],
        others: &["trace", "compare", "usage", "artifact", "memory"],
    },
    Group {
        title: "Answer and control runs",
        everyday: &["approve", "reject", "resume", "cancel"],
        others: &["answer", "permission", "say", "pause", "step", "continue", "breakpoint", "state"],
    },
    Group {
        title: "Fork and replay runs",
        everyday: &[],
        others: &["checkpoints", "fork", "replay", "record", "test", "task"],
    },
    Group {
        title: "Configure",
        everyday: &[],
        others: &["config", "prompt", "models", "mcp", "trust", "schema"],
    },
    Group {
        title: "Operate",
        everyday: &[],
        others: &["server", "token", "worktree", "archive", "cleanup", "backup", "restore"],
    },
    Group { title: "Test Amelia", everyday: &[], others: &["selftest", "model"] },
];

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia help --all
  amelia help config profile")]
pub(crate) struct Help {
    /// Command to describe
    command: Vec<String>,
    /// List all commands
    #[arg(long, conflicts_with = "command")]
    all: bool,
}

/// Which commands the help of the program lists.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ListedCommands {
    Everyday,
    All,
}

/// What the command line asks for. Help that it asks for is an error, too: clap prints both.
pub(crate) fn parse() -> Result<Cli, clap::Error> {
    command().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches))
}

/// The command line, with its help.
pub(crate) fn command() -> Command {
    listing(ListedCommands::Everyday)
}

impl Help {
    /// The help that is asked for: `amelia help X` is `amelia X --help`.
    pub(crate) fn asked(&self) -> Result<clap::ArgMatches, clap::Error> {
        let words = ["amelia"].into_iter().chain(self.command.iter().map(String::as_str)).chain(["--help"]);
        let shown = if self.all { ListedCommands::All } else { ListedCommands::Everyday };
        listing(shown).try_get_matches_from(words)
    }
}

fn listing(shown: ListedCommands) -> Command {
    let help = Arg::new("help").short('h').long("help").action(ArgAction::Help);
    let help = help.help("Print help; -h prints a summary").help_heading(GLOBAL_OPTIONS).global(true);
    let command = Cli::command().disable_help_flag(true).arg(help);
    let template = template(&command, shown);
    command.help_template(template)
}

/// clap knows one heading for all commands, so the list is made here.
fn template(command: &Command, shown: ListedCommands) -> String {
    let header = *command.get_styles().get_header();
    let mut template = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for group in &GROUPS {
        let others = if shown == ListedCommands::All { group.others } else { &[] };
        let names = || group.everyday.iter().chain(others);
        if names().next().is_some() {
            template.push_str(&format!("\n{header}{}:{header:#}\n", group.title));
        }
        for command in names().filter_map(|name| command.find_subcommand(name)) {
            template.push_str(&line(command));
        }
    }
    if shown == ListedCommands::Everyday {
        template.push_str("\nRun `amelia help --all` to list all commands.\n");
    }
    template.push_str(&format!("\n{header}{GLOBAL_OPTIONS}:{header:#}\n{{options}}{{after-help}}"));
    template
}

fn line(command: &Command) -> String {
    let name = *command.get_styles().get_literal();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    format!("  {name}{:<11}{name:#}  {about}{}\n", command.get_name(), aliases(command))
}

fn aliases(command: &Command) -> String {
    let names: Vec<&str> = command.get_visible_aliases().collect();
    if names.is_empty() { String::new() } else { format!(" [alias: {}]", names.join(", ")) }
}

#[cfg(test)]
mod tests;
