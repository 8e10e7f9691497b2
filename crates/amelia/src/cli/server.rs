//! The server's part of the command line.

use clap::{Args, Subcommand, ValueEnum};
use tracing::level_filters::LevelFilter;

use super::Global;

/// How a line of the log looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    #[default]
    Text,
    /// One object per line.
    Json,
}

/// The least important that is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogLevel {
    Error,
    Warn,
    Info,
    Debug,
}

#[derive(Args)]
#[command(after_help = "\
Flags count above the environment (AMELIA_PORT, AMELIA_MAX_CONCURRENT, …), that above config/server.yaml in the home.
`amelia config server show` says where each value comes from.

Examples:
  amelia server
  amelia server --port 9000 --set max_concurrent=10 --set durability=relaxed")]
pub(crate) struct ServerArgs {
    /// Where it listens [default: 127.0.0.1]
    #[arg(long)]
    pub(crate) host: Option<String>,
    /// 0 takes any free port [default: 8420]
    #[arg(long)]
    pub(crate) port: Option<u16>,
    /// Any field of the server's configuration
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// How the log on standard error looks
    #[arg(long, value_enum, default_value_t)]
    pub(crate) log_format: LogFormat,
    /// The least important that is logged [default: info; warn with --quiet]
    #[arg(long, value_enum)]
    pub(crate) log_level: Option<LogLevel>,
    /// The same as --log-level debug
    #[arg(long, short, conflicts_with = "log_level")]
    pub(crate) verbose: bool,
    /// In the background: started by a command that needs it
    #[arg(long, hide = true)]
    pub(crate) detached: bool,
    /// Serve the dashboard from a built directory in the place of the one in this program
    #[arg(long, hide = true, value_name = "DIR")]
    pub(crate) dashboard: Option<std::path::PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Option<ServerCommand>,
}

#[derive(Args)]
#[command(after_help = "\
The link signs the browser in; whoever has it can do everything that you can. Where no browser can be opened, it is
printed.

Examples:
  amelia dashboard
  amelia dashboard --print")]
pub(crate) struct DashboardArgs {
    /// Only print the link
    #[arg(long)]
    pub(crate) print: bool,
}

#[derive(Subcommand)]
#[command(after_help = "\
Whoever has the token can do everything that you can. It is in the file `token` of the home, for you alone.

Examples:
  curl -H \"Authorization: Bearer $(amelia token show)\" http://127.0.0.1:8420/api/workflows
  amelia token rotate")]
pub(crate) enum TokenCommand {
    /// Print the token; one is made when there is none
    Show,
    /// Make a new one: the old one is refused at once, and browsers and programs that had it are signed out
    Rotate,
}

#[derive(Subcommand)]
pub(crate) enum ServerCommand {
    /// End the server of this home; its runs go on at the next start
    Stop,
}

impl ServerArgs {
    pub(crate) fn level(&self, global: &Global) -> LevelFilter {
        match (self.log_level, self.verbose, global.quiet) {
            (Some(LogLevel::Error), _, _) => LevelFilter::ERROR,
            (Some(LogLevel::Warn), _, _) | (None, false, true) => LevelFilter::WARN,
            (Some(LogLevel::Info), _, _) | (None, false, false) => LevelFilter::INFO,
            (Some(LogLevel::Debug), _, _) | (None, true, _) => LevelFilter::DEBUG,
        }
    }
}

#[derive(Subcommand)]
#[command(after_help = "\
Examples:
  amelia config server show
  amelia config server set max_concurrent 10
  amelia config server set rate_limits '{workflows: {requests: 100, per_seconds: 60}}'")]
pub(crate) enum ServerSettings {
    /// Every value, and where it comes from
    Show,
    /// Write a value into config/server.yaml of the home; it counts from the next start
    Set { key: String, value: String },
}
