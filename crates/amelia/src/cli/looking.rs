//! Commands that look at runs, and at moments of theirs.

use clap::Args;

#[derive(Args)]
pub(crate) struct Status {
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
pub(crate) struct Why {
    /// The run; the beginning of its id is enough when only one fits
    pub(crate) run: String,
}

#[derive(Args)]
pub(crate) struct Logs {
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
pub(crate) struct Diff {
    /// The run; the beginning of its id is enough when only one fits
    pub(crate) run: String,
    /// Only which files, and how much
    #[arg(long)]
    pub(crate) stat: bool,
}

#[derive(Args)]
pub(crate) struct Checkpoints {
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
pub(crate) struct Fork {
    /// The run; the beginning of its id is enough when only one fits
    pub(crate) run: String,
    /// The checkpoint to start from
    #[arg(long, value_name = "N")]
    pub(crate) at: u32,
    /// Change a field of the state: a dotted path and a JSON value
    #[arg(long, value_name = "PATH=VALUE")]
    pub(crate) set: Vec<String>,
}
