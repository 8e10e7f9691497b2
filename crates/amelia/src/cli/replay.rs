//! Commands that keep runs and play them again.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Args)]
pub(crate) struct ReplayArgs {
    /// The run, or a file that `amelia record export` wrote
    #[arg(value_name = "RUN_OR_FILE")]
    pub(crate) what: String,
}

#[derive(Args)]
pub(crate) struct RecordArgs {
    #[command(subcommand)]
    pub(crate) what: RecordCommand,
}

#[derive(Subcommand)]
pub(crate) enum RecordCommand {
    /// Write a run's recording into a file, for `amelia test` or another machine
    Export {
        /// The run; the beginning of its id is enough when only one fits
        run: String,
        /// Where to; without it, to the terminal
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

#[derive(Args)]
pub(crate) struct TestArgs {
    /// Recordings, as `amelia record export` writes them
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}
