//! Artifacts of a run.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Subcommand)]
#[command(after_help = "\
Artifacts are files that the agents of a run keep as results. Every change
creates a new version, and earlier versions are kept.

Examples:
  amelia artifact list r12
  amelia artifact get r12 documents/report.md --output report.md
  amelia artifact diff r12 documents/report.md --from v1
  amelia artifact restore r12 documents/report.md v1")]
pub(crate) enum ArtifactCommand {
    /// List the artifacts of a run
    List(ArtifactListArgs),
    /// Print an artifact, or write it to a file
    #[command(visible_alias = "show")]
    Get(ArtifactGetArgs),
    /// List the versions of an artifact
    Versions(ArtifactArgs),
    /// Compare two versions of an artifact
    Diff(ArtifactDiffArgs),
    /// Create a new version with the content of an earlier one
    Restore(ArtifactRestoreArgs),
}

#[derive(Args)]
pub(crate) struct ArtifactListArgs {
    /// Run id (`r12`), issue or branch [default: newest unfinished run of this repository, or the newest run if it
    /// has failed or none is unfinished]
    pub(crate) run: Option<String>,
    /// Only artifacts with this tag
    #[arg(long)]
    pub(crate) tag: Option<String>,
    /// Only artifacts whose path begins with this
    #[arg(long, value_name = "PATH")]
    pub(crate) prefix: Option<String>,
}

#[derive(Args)]
pub(crate) struct ArtifactArgs {
    /// Run id (`r12`), issue or branch
    pub(crate) run: String,
    /// Path of the artifact, as `amelia artifact list` prints it
    pub(crate) path: String,
}

#[derive(Args)]
pub(crate) struct ArtifactGetArgs {
    #[command(flatten)]
    pub(crate) artifact: ArtifactArgs,
    /// Version, such as v1 [default: the newest]
    #[arg(long)]
    pub(crate) version: Option<String>,
    /// File to write to [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct ArtifactDiffArgs {
    #[command(flatten)]
    pub(crate) artifact: ArtifactArgs,
    /// Earlier version [default: the one before the later version]
    #[arg(long, value_name = "VERSION")]
    pub(crate) from: Option<String>,
    /// Later version [default: the newest]
    #[arg(long, value_name = "VERSION")]
    pub(crate) to: Option<String>,
}

#[derive(Args)]
pub(crate) struct ArtifactRestoreArgs {
    #[command(flatten)]
    pub(crate) artifact: ArtifactArgs,
    /// Version to restore, such as v1
    pub(crate) version: String,
}
