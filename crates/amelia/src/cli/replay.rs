//! Commands that keep runs and play them again.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Args)]
pub(crate) struct ReplayArgs {
    /// Run id, or a file written by `amelia record export`
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
    /// Export a run's recording for `amelia test` or another machine
    Export {
        /// Run id, such as `r12`
        run: String,
        /// File to write [default: standard output]
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

#[derive(Args)]
pub(crate) struct TestArgs {
    /// Recordings written by `amelia record export`
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}
