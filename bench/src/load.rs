//! Clients that load a server, ours or a peer's: the same program for both, and as little work per answer as possible,
//! because they share the machine with what they measure.

pub(crate) mod model;
pub(crate) mod receive;
pub(crate) mod requests;
pub(crate) mod socket;

use anyhow::{Context, Result};

/// CPU seconds that a process has used.
pub(crate) fn cpu_seconds(process: u32) -> Result<f64> {
    let file = format!("/proc/{process}/stat");
    let text = std::fs::read_to_string(&file).with_context(|| format!("while reading {file}"))?;
    // Counted after the command's name, which may itself hold spaces and brackets.
    let fields = text.rsplit_once(") ").map(|(_, fields)| fields).unwrap_or_default();
    let mut ticks = fields.split(' ').skip(11).map_while(|field| field.parse::<f64>().ok());
    let both = ticks.next().zip(ticks.next()).context("no times of the process")?;
    Ok((both.0 + both.1) / 100.0)
}

/// The value below which this share of all lies; 0 when there is none.
pub(crate) fn percentile(sorted: &[f64], share: f64) -> f64 {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place"
    )]
    let place = (share * sorted.len() as f64) as usize;
    sorted.get(place.min(sorted.len().saturating_sub(1))).copied().unwrap_or(0.0)
}
