//! Commands that keep runs and play them again.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Args)]
pub(crate) struct Replay {
    /// The run, or a file that `amelia record export` wrote
    #[arg(value_name = "RUN_OR_FILE")]
    pub(crate) what: String,
}

#[derive(Args)]
pub(crate) struct Record {
    #[command(subcommand)]
    pub(crate) what: RecordWhat,
}

#[derive(Subcommand)]
pub(crate) enum RecordWhat {
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
pub(crate) struct Test {
    /// Recordings, as `amelia record export` writes them
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}
