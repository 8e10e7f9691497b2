//! Rules for calls that need no approval.

use clap::{Args, Subcommand};

#[derive(Subcommand)]
#[command(after_help = "\
A rule is a tool (Edit), a command (Bash(git status)), or a command prefix
(Bash(cargo test*)). A prefix never matches a command line that runs several
commands.

Examples:
  amelia permission list
  amelia permission add work developer 'Bash(cargo test*)'
  amelia permission remove work developer 'Bash(cargo test*)'
  amelia permission remove work developer 2
  amelia permission remove r12 developer 'Bash(git status)'
  amelia approve r12 --for-run     Allow the command that r12 asks about")]
pub(crate) enum PermissionCommand {
    /// List the rules in profiles and unfinished runs
    List,
    /// Add a rule to an agent of a profile, for later runs
    Add(RuleArgs),
    /// Remove a rule from an agent of a profile or a run
    ///
    /// Removing a rule from a profile affects only later runs. Removing it from a run takes effect immediately.
    Remove(RemovedRuleArgs),
}

#[derive(Args)]
pub(crate) struct RuleArgs {
    /// Profile name
    pub(crate) profile: String,
    /// Agent of the profile, such as developer
    pub(crate) agent: String,
    /// Rule, such as 'Bash(cargo test*)'
    pub(crate) rule: String,
}

#[derive(Args)]
pub(crate) struct RemovedRuleArgs {
    /// Profile name, or the id (`r12`), issue or branch of a run
    #[arg(value_name = "PROFILE|RUN")]
    pub(crate) place: String,
    /// Agent of the profile or run, such as developer
    pub(crate) agent: String,
    /// Rule, or its number, as `amelia permission list` shows them
    #[arg(value_name = "RULE|NUMBER")]
    pub(crate) rule: String,
}
