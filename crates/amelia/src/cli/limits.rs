//! How much a run may use, the same for every command that starts work.

use amelia_wire::amelia::config::budget::Budget;
use clap::Args;

use super::{money, seconds};

/// The flags, for hints.
pub(crate) const FLAGS: &str = "--budget USD, --max-tokens N, --max-calls N or --max-time TIME";

#[derive(Args, Clone, Default)]
pub(crate) struct LimitArgs {
    /// Stop and ask when the run reaches this cost, in USD
    #[arg(long, value_name = "USD", value_parser = money, allow_negative_numbers = true)]
    pub(crate) budget: Option<f64>,
    /// Stop and ask when the run reaches this many tokens
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_tokens: Option<u64>,
    /// Stop and ask after this many model calls
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_calls: Option<u64>,
    /// Stop and ask after this much active time, such as 90s, 20m or 2h
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub(crate) max_time: Option<u64>,
}

impl LimitArgs {
    /// What was said; nothing when there was nothing said.
    pub(crate) fn budget(&self) -> Option<Budget> {
        let said = Budget {
            usd: self.budget,
            tokens: self.max_tokens,
            calls: self.max_calls,
            wall_seconds: self.max_time,
        };
        (said != Budget::default()).then_some(said)
    }
}

/// How long a run is kept, the same for every command that starts one.
#[derive(Args, Clone, Default)]
pub(crate) struct KeepArgs {
    /// Label of the run, for the retention policy
    #[arg(long, value_name = "LABEL")]
    pub(crate) label: Option<String>,
    /// Remove the run this many days after it ends
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) retention_days: Option<u32>,
}
