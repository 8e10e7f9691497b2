//! `amelia models`, and `amelia doctor`, which tries them.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Subcommand)]
#[command(after_help = "\
The table decides how a model is spoken to, how much of a conversation it is shown, and what its calls cost.
A model that is not in it is spoken to as the newest ones of its provider are, and has no price.

Examples:
  amelia models show claude-sonnet-5-5
  amelia models list --json > models.json
  amelia models update --file models.json")]
pub(crate) enum ModelsCommand {
    /// Every model in the table, with window and price
    List,
    /// One model: window, wire, reasoning, images, price
    Show { model: String },
    /// Put a table of your own on top of the shipped one, in the shape of `list --json`
    Update {
        #[arg(long)]
        file: PathBuf,
    },
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia doctor
  amelia doctor --model work    # what tools, thinking, images and usage of each model are like")]
pub(crate) struct DoctorArgs {
    /// Make one small call to each model of this profile, and say what works; costs as much as the calls
    #[arg(long, value_name = "PROFILE")]
    pub(crate) model: Option<String>,
}
