//! `amelia task`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum TaskCommand {
    /// Write a run's task, trace, checkpoints and artifacts to files
    Export(TaskExportArgs),
}

#[derive(Args)]
#[command(after_help = "\
Writes task.json, trace.json and one checkpoint_NNN.json for each checkpoint,
and the artifacts with all their versions below artifacts/.
The files contain what agents read, such as your code: keep them private.

Example:
  amelia task export r12 --to r12-files")]
pub(crate) struct TaskExportArgs {
    /// Run id (`r12`), issue or branch [default: newest unfinished run of this repository, or the newest run if it
    /// has failed or none is unfinished]
    pub(crate) run: Option<String>,
    /// Directory to write to [default: tasks/ID in Amelia's home]
    #[arg(long, value_name = "DIR")]
    pub(crate) to: Option<PathBuf>,
}
