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
    #[value(alias = "warn")]
    Warning,
    Info,
    Debug,
}

#[derive(Args)]
#[command(after_help = "\
Options override environment variables (AMELIA_PORT, AMELIA_MAX_CONCURRENT, …),
which override config/server.yaml in Amelia's home. `amelia config server show`
shows where each value comes from. See docs/http.md for the HTTP API.

Examples:
  amelia server
  amelia server --port 9000 --set max_concurrent=10
  amelia server start
  amelia server status
  amelia server stop
  amelia server restart")]
pub(crate) struct ServerArgs {
    /// Address to listen on [default: 127.0.0.1]
    #[arg(long)]
    pub(crate) host: Option<String>,
    /// Port to listen on; 0 picks a free port [default: 8420]
    #[arg(long)]
    pub(crate) port: Option<u16>,
    /// Override a server setting, without saving it
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Format of the log on standard error
    #[arg(long, value_enum, default_value_t)]
    pub(crate) log_format: LogFormat,
    /// Lowest level to log [default: info; warning with --quiet]
    #[arg(long, value_enum)]
    pub(crate) log_level: Option<LogLevel>,
    /// Same as --log-level debug
    #[arg(long, short, conflicts_with = "log_level")]
    pub(crate) verbose: bool,
    /// In the background: started by a command that needs it
    #[arg(long, hide = true)]
    pub(crate) detached: bool,
    /// Serve the dashboard from this directory, not from the program
    #[arg(long, hide = true, value_name = "DIR")]
    pub(crate) dashboard: Option<std::path::PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Option<ServerCommand>,
}

#[derive(Args)]
#[command(after_help = "\
Starts a server in the background if none is running. The link signs the browser
in: keep it secret. If no browser can be opened, the command prints the link.

Examples:
  amelia dashboard
  amelia dashboard --print")]
pub(crate) struct DashboardArgs {
    /// Print the link instead of opening a browser
    #[arg(long)]
    pub(crate) print: bool,
}

#[derive(Subcommand)]
#[command(after_help = "\
The token gives full access to the server: keep it secret. Amelia stores it in
the file `token` in Amelia's home, which only your user can read.

Examples:
  curl -H \"Authorization: Bearer $(amelia token show)\" \\
    http://127.0.0.1:8420/api/workflows
  amelia token rotate")]
pub(crate) enum TokenCommand {
    /// Print the token, and create it if there is none
    Show,
    /// Replace the token and sign out all browsers and programs
    ///
    /// The server rejects the old token immediately.
    Rotate,
}

#[derive(Subcommand)]
pub(crate) enum ServerCommand {
    /// Show the address, process, uptime and version of the server
    ///
    /// Exits with 0 if the server is running, and with 3 otherwise.
    Status,
    /// Start the server in the background, if none is running
    Start,
    /// Stop the server; runs continue when it starts again
    Stop,
    /// Restart the server in the background, with this shell's keys
    ///
    /// Runs continue. Options that the server was started with are not kept: set
    /// them with `amelia config server set`.
    Restart,
}

impl ServerArgs {
    pub(crate) fn level(&self, global: &Global) -> LevelFilter {
        match (self.log_level, self.verbose, global.quiet) {
            (Some(LogLevel::Error), _, _) => LevelFilter::ERROR,
            (Some(LogLevel::Warning), _, _) | (None, false, true) => LevelFilter::WARN,
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
  amelia config server set rate_limits \\
    '{workflows: {requests: 100, per_seconds: 60}}'")]
pub(crate) enum ServerSettings {
    /// Show all settings and where each comes from
    Show,
    /// Change a setting in config/server.yaml for the next server start
    Set {
        /// Setting, as `amelia config server show` lists it
        key: String,
        /// New value, as YAML
        value: String,
    },
}
