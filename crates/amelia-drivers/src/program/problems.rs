//! What can be wrong with any program that is an agent, and the way out.

use std::time::Duration;

use amelia_core::problem::Problem;

pub(crate) fn not_installed() -> Problem {
    Problem::new("it is not installed here, or not on the PATH")
        .with_hint("`amelia doctor` says how to install it")
}

pub(crate) fn was_silent(silence: Duration) -> Problem {
    Problem::new(format!("it printed nothing for {} s and was stopped", silence.as_secs()))
}
