//! Guardrail policies.

use clap::{Args, Subcommand};

use super::{DefinitionArgs, ValidateArgs};

#[derive(Subcommand)]
#[command(after_help = "\
Shared policies are files: .amelia/guardrails/NAME.yaml in a repository, or
guardrails/NAME.yaml in Amelia's home. Teams and their agents refer to them by
name.

Examples:
  amelia guardrail list
  amelia guardrail validate
  amelia guardrail test no-secrets
  amelia guardrail test no-secrets r12 --json")]
pub(crate) enum GuardrailCommand {
    /// List the policies in this repository, in Amelia's home and from the API
    List,
    /// Print a policy as JSON
    Show(DefinitionArgs),
    /// Check policy files
    Validate(ValidateArgs),
    /// Show what a policy would have found in past runs
    Test(GuardrailTestArgs),
}

#[derive(Args)]
pub(crate) struct GuardrailTestArgs {
    /// Name of the policy, or its file
    pub(crate) policy: String,
    /// Runs to check [default: the newest ones]
    pub(crate) runs: Vec<String>,
    /// Number of newest runs to check
    #[arg(long, default_value_t = 20, value_name = "COUNT", conflicts_with = "runs")]
    pub(crate) last: usize,
}
