//! Commands that look at runs, and at moments of theirs.

use clap::{Args, ValueEnum};
use jiff::Timestamp;

#[derive(Args)]
pub(crate) struct StatusArgs {
    /// Everything about this run; the beginning of its id is enough when only one fits
    pub(crate) run: Option<String>,
    /// Only runs that have not ended
    #[arg(long)]
    pub(crate) unfinished: bool,
    /// As many as there are, up to 500
    #[arg(long)]
    pub(crate) all: bool,
    /// At most this many
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=500))]
    pub(crate) limit: u32,
    /// Look again and again, until Ctrl-C
    #[arg(long)]
    pub(crate) watch: bool,
}

#[derive(Args)]
pub(crate) struct WhyArgs {
    /// The run; the beginning of its id is enough when only one fits
    pub(crate) run: String,
}

#[derive(Args)]
pub(crate) struct LogsArgs {
    /// The run; the beginning of its id is enough when only one fits
    pub(crate) run: String,
    /// Only events after this sequence number
    #[arg(long, default_value_t = 0)]
    pub(crate) since: u64,
    /// Only events whose name starts with this: `node`, `human.requested`
    #[arg(long = "type", value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// At least this important: debug, info, warning, error
    #[arg(long, value_parser = ["debug", "info", "warning", "error"])]
    pub(crate) level: Option<String>,
    /// Only what this agent did
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// Go on with what happens, until the run comes to rest
    #[arg(long, short)]
    pub(crate) follow: bool,
}

#[derive(Args)]
pub(crate) struct DiffArgs {
    /// The run; the beginning of its id is enough when only one fits
    pub(crate) run: String,
    /// Only which files, and how much
    #[arg(long)]
    pub(crate) stat: bool,
}

#[derive(Args)]
pub(crate) struct CheckpointsArgs {
    /// The run; the beginning of its id is enough when only one fits
    pub(crate) run: String,
    /// Show the state at this checkpoint
    #[arg(long, value_name = "N")]
    pub(crate) at: Option<u32>,
}

#[derive(Args)]
#[command(after_help = "\
Example:
  amelia fork 0197 --at 7 --set 'notes.plan=[\"another plan\"]'")]
pub(crate) struct ForkArgs {
    /// The run; the beginning of its id is enough when only one fits
    pub(crate) run: String,
    /// The checkpoint to start from
    #[arg(long, value_name = "N")]
    pub(crate) at: u32,
    /// Change a field of the state: a dotted path and a JSON value
    #[arg(long, value_name = "PATH=VALUE")]
    pub(crate) set: Vec<String>,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia usage                              by the day on which a run was created
  amelia usage --by model --since 2026-01-01
  amelia usage --by run --csv > usage.csv")]
pub(crate) struct UsageArgs {
    /// What is added up
    #[arg(long, value_enum, default_value_t)]
    pub(crate) by: UsageBy,
    /// Only runs created on this day or later: 2026-01-31, or a moment in RFC 3339 (UTC)
    #[arg(long, value_name = "DATE", value_parser = moment)]
    pub(crate) since: Option<Timestamp>,
    /// For spreadsheets; what nobody knows is empty
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
}

/// What usage is added up by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum UsageBy {
    Run,
    Agent,
    Model,
    #[default]
    Day,
}

/// A day, which begins at midnight in UTC, or a moment.
fn moment(text: &str) -> Result<Timestamp, String> {
    let day = || format!("{text}T00:00:00Z").parse::<Timestamp>();
    let moment = text.parse::<Timestamp>().or_else(|_| day());
    moment.map_err(|_| "expected a day like 2026-01-31, or a moment like 2026-01-31T12:00:00Z".to_owned())
}

#[derive(Args)]
pub(crate) struct CompareArgs {
    /// A run; the beginning of its id is enough when only one fits
    pub(crate) a: String,
    /// The other one
    pub(crate) b: String,
}
