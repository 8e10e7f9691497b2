//! How runs and verdicts are written: JSON lines, a table for people, and the BENCH lines that scripts read.

#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use crate::judge::{Judgement, Measured, ProgramRun, RowVerdict, RunOutcome};

/// One run as a JSON line.
pub(crate) fn run_record(run: &ProgramRun) -> Value {
    let mut record =
        json!({"program": run.program, "rep": run.rep, "others_cpu": run.others_cpu.map(two_digits)});
    let (key, value) = match &run.outcome {
        RunOutcome::Printed(printed) => ("printed", printed.clone()),
        RunOutcome::Failed(reason) => ("failed", json!(reason)),
    };
    if let Some(fields) = record.as_object_mut() {
        fields.insert(key.to_owned(), value);
    }
    record
}

pub(crate) fn verdict_record(verdict: &RowVerdict) -> Value {
    json!({
        "comparison": verdict.name,
        "unit": verdict.unit,
        "ours": verdict.ours.value(),
        "peer": verdict.peer.as_ref().and_then(Measured::value),
        "ratio": verdict.ratio(),
        "target": verdict.target.to_string(),
        "judgement": judgement_words(&verdict.judgement()),
    })
}

/// `BENCH <name> ours=<x> peer=<y> ratio=<r> target=<t> ok|SHORT|SKIPPED: <reason>`; the format is a promise.
pub(crate) fn bench_line(verdict: &RowVerdict) -> String {
    let [ours, peer, ratio] = shown(verdict);
    let judgement = judgement_words(&verdict.judgement());
    format!(
        "BENCH {} ours={ours} peer={peer} ratio={ratio} target={} {judgement}",
        verdict.name, verdict.target
    )
}

/// Aligned columns. `noise` is `others_cpu` of the best runs: ours, then the peer's.
pub(crate) fn table(verdicts: &[RowVerdict]) -> String {
    let head = ["comparison", "unit", "ours", "peer", "ratio", "target", "", "noise"].map(str::to_owned);
    let mut rows = vec![head];
    for verdict in verdicts {
        let [ours, peer, ratio] = shown(verdict);
        let judgement = match verdict.judgement() {
            Judgement::Ok => "ok",
            Judgement::Short => "SHORT",
            Judgement::Skipped(_) => "SKIPPED",
        };
        let noise = format!("{} {}", noise(Some(&verdict.ours)), noise(verdict.peer.as_ref()));
        let (name, unit) = (verdict.name.to_owned(), verdict.unit.to_owned());
        rows.push([name, unit, ours, peer, ratio, verdict.target.to_string(), judgement.to_owned(), noise]);
    }
    let mut widths = [0_usize; 8];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for row in &rows {
        let cells: Vec<String> =
            row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// Four significant digits, whole numbers whole, never an exponent.
pub(crate) fn figure(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let mut decimals = 0_usize;
    let mut scaled = value.abs();
    while scaled < 1000.0 && decimals < 7 {
        scaled *= 10.0;
        decimals += 1;
    }
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Ours, the peer's and the ratio as they stand in the BENCH line.
fn shown(verdict: &RowVerdict) -> [String; 3] {
    let ours = verdict.ours.value().map_or_else(|| "failed".to_owned(), figure);
    let peer = match &verdict.peer {
        None => "-".to_owned(),
        Some(measured) => measured.value().map_or_else(|| "absent".to_owned(), figure),
    };
    [ours, peer, verdict.ratio().map_or_else(|| "-".to_owned(), figure)]
}

fn judgement_words(judgement: &Judgement) -> String {
    match judgement {
        Judgement::Ok => "ok".to_owned(),
        Judgement::Short => "SHORT".to_owned(),
        Judgement::Skipped(reason) => format!("SKIPPED: {reason}"),
    }
}

fn noise(measured: Option<&Measured>) -> String {
    match measured {
        Some(Measured::Best { others_cpu: Some(cores), .. }) => format!("{cores:.2}"),
        Some(Measured::Best { others_cpu: None, .. } | Measured::Nothing(_)) | None => "-".to_owned(),
    }
}

fn two_digits(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
