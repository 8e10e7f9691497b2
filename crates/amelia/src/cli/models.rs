//! `amelia models`, and `amelia doctor`, which tries them.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Subcommand)]
#[command(after_help = "\
The model table determines how Amelia calls a model, how much of a conversation
it sends, and how it calculates cost. If a model is not in the table, Amelia
treats it like its provider's newest models and reports its cost as unknown.

Examples:
  amelia models show claude-sonnet-5-5
  amelia models list --json > models.json
  amelia models update --file models.json")]
pub(crate) enum ModelsCommand {
    /// List models with their context windows and prices
    List,
    /// Show a model's context window, API, price and capabilities
    Show {
        /// Model name, with or without its provider
        model: String,
    },
    /// Import your own models, replacing earlier imports
    Update {
        /// JSON file in the format of `amelia models list --json`
        #[arg(long)]
        file: PathBuf,
    },
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia doctor
  amelia doctor --model         Call each model of this repository's profile;
                                skip the other checks
  amelia doctor --model work    The same for the profile `work`")]
pub(crate) struct DoctorArgs {
    /// Test only the models of PROFILE, with one small paid call each
    ///
    /// Default: the repository's profile. Reports whether tools, thinking, images and usage work with each model.
    #[arg(long, value_name = "PROFILE", num_args = 0..=1, default_missing_value = "")]
    pub(crate) model: Option<String>,
}
