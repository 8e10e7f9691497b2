//! Commands that look at runs, and at moments of theirs.

use clap::{Args, ValueEnum};
use jiff::Timestamp;

#[derive(Args)]
pub(crate) struct StatusArgs {
    /// Run id (`r12`), issue or branch [default: list the newest runs]
    pub(crate) run: Option<String>,
    /// Show only runs that have not ended
    #[arg(long)]
    pub(crate) unfinished: bool,
    /// Show up to 500 runs
    #[arg(long)]
    pub(crate) all: bool,
    /// Show only runs of the current repository
    #[arg(long, conflicts_with = "run")]
    pub(crate) here: bool,
    /// Show archived runs instead
    #[arg(long, conflicts_with = "run")]
    pub(crate) archived: bool,
    /// Maximum number of runs
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=500))]
    pub(crate) limit: u32,
    /// Refresh until you press Ctrl-C
    #[arg(long)]
    pub(crate) watch: bool,
    /// With --json: print runs as they are stored, for tests
    #[arg(long, hide = true, requires = "json")]
    pub(crate) stored: bool,
}

#[derive(Args)]
pub(crate) struct WhyArgs {
    /// Run id (`r12`), issue or branch [default: newest unfinished run of this repository, or the newest run if it
    /// has failed or none is unfinished]
    pub(crate) run: Option<String>,
}

#[derive(Args)]
pub(crate) struct LogsArgs {
    /// Run id (`r12`), issue or branch [default: newest unfinished run of this repository, or the newest run if it
    /// has failed or none is unfinished]
    pub(crate) run: Option<String>,
    /// Show only events after this sequence number
    #[arg(long, value_name = "SEQ", default_value_t = 0)]
    pub(crate) since: u64,
    /// Show only events whose name starts with this, such as `node`
    #[arg(long = "type", value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Show only events of this level or above
    #[arg(long, value_parser = ["debug", "info", "warning", "error"])]
    pub(crate) level: Option<String>,
    /// Show only events of this agent, in upper or lower case
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// Follow new events until the run ends or needs your input
    #[arg(long, short)]
    pub(crate) follow: bool,
}

#[derive(Args)]
pub(crate) struct DiffArgs {
    /// Run id (`r12`), issue or branch [default: newest unfinished run of this repository, or the newest run if it
    /// has failed or none is unfinished]
    pub(crate) run: Option<String>,
    /// Show only file names and the number of changed lines
    #[arg(long)]
    pub(crate) stat: bool,
}

#[derive(Args)]
pub(crate) struct CheckpointsArgs {
    /// Run id (`r12`), issue or branch [default: newest unfinished run of this repository, or the newest run if it
    /// has failed or none is unfinished]
    pub(crate) run: Option<String>,
    /// Show the state at this checkpoint
    #[arg(long, value_name = "N")]
    pub(crate) at: Option<u32>,
}

#[derive(Args)]
#[command(after_help = "\
If the checkpoint waits for a person, the new run waits for the same.
Otherwise `amelia run` starts it. `amelia fork` prints the next command.

Examples:
  amelia fork r12
  amelia fork r12 --at 7 --set 'note=\"keep the old flag\"'
  amelia fork r12 --at 7 --definition-from-file")]
pub(crate) struct ForkArgs {
    /// Run id (`r12`), issue or branch
    pub(crate) run: String,
    /// Checkpoint to start from [default: the last one before the end]
    #[arg(long, value_name = "N")]
    pub(crate) at: Option<u32>,
    /// Set a state field; PATH is dotted (a.b), VALUE is JSON or text
    #[arg(long, value_name = "PATH=VALUE")]
    pub(crate) set: Vec<String>,
    /// Use the current file of the workflow or agent; it must still have the nodes that the checkpoint needs
    #[arg(long)]
    pub(crate) definition_from_file: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia usage    Usage by day; a run counts toward the day it was created
  amelia usage r12
  amelia usage --by model --since 2026-01-01
  amelia usage --by run --csv > usage.csv")]
pub(crate) struct UsageArgs {
    /// Run id (`r12`), issue or branch [default: all runs]
    pub(crate) run: Option<String>,
    /// What to group usage by [default: day, or agent with RUN]
    #[arg(long, value_enum)]
    pub(crate) by: Option<UsageBy>,
    /// Count only runs created since this date (UTC) or RFC 3339 time
    #[arg(long, value_name = "DATE", value_parser = moment, conflicts_with = "run")]
    pub(crate) since: Option<Timestamp>,
    /// Print CSV; unknown values are empty
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
}

impl UsageArgs {
    /// What is added up: the days of all runs, or the agents of one.
    pub(crate) fn grouped_by(&self) -> UsageBy {
        let default = if self.run.is_some() { UsageBy::Agent } else { UsageBy::Day };
        self.by.unwrap_or(default)
    }
}

/// What usage is added up by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum UsageBy {
    Run,
    Agent,
    Model,
    Day,
}

/// A day, which begins at midnight in UTC, or a moment.
fn moment(text: &str) -> Result<Timestamp, String> {
    let day = || format!("{text}T00:00:00Z").parse::<Timestamp>();
    let moment = text.parse::<Timestamp>().or_else(|_| day());
    moment.map_err(|_| "expected a day like 2026-01-31, or a time like 2026-01-31T12:00:00Z".to_owned())
}

#[derive(Args)]
pub(crate) struct CompareArgs {
    /// First run, by id (`r12`), issue or branch
    pub(crate) a: String,
    /// Second run
    pub(crate) b: String,
}
