//! `amelia-bench compare`: runs the batches in turns and writes everything down.
//!
//! Progress goes to stderr; stdout gets the runs as JSON lines, then the table, then the BENCH lines, last.
//! Short figures are no error: the exit code says only whether the benchmark itself worked.

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::judge::{self, Measured, ProgramRun, RowVerdict, RunOutcome};
use crate::plan::{BATCHES, Batch, BenchProgram, Comparison};
use crate::{noise, program, report};

pub(crate) struct Choice {
    /// A prefix of comparison names; empty for all.
    pub(crate) only: String,
    pub(crate) reps: u32,
    pub(crate) wait_seconds: f64,
}

pub(crate) struct Places {
    pub(crate) results: PathBuf,
    pub(crate) peers: PathBuf,
}

pub(crate) fn run(choice: &Choice, places: &Places) -> Result<()> {
    let folder = places.results.parent().context("the results file has no directory")?;
    std::fs::create_dir_all(folder).with_context(|| format!("while creating {}", folder.display()))?;
    let results = File::create(&places.results);
    let mut results = results.with_context(|| format!("while creating {}", places.results.display()))?;
    let patience = Duration::try_from_secs_f64(choice.wait_seconds).context("--wait is not a time")?;
    let mut verdicts = Vec::new();
    for batch in BATCHES {
        let chosen = chosen(batch, &choice.only);
        let measure =
            |program: &BenchProgram, rep| measure(program, rep, &Setting { places, folder, patience });
        let runs = in_turns(batch, &chosen, choice.reps, measure)?;
        for run in &runs {
            let mut record = report::run_record(run);
            let names: Vec<&str> = chosen.iter().map(|comparison| comparison.name).collect();
            if let Some(fields) = record.as_object_mut() {
                fields.insert("comparisons".to_owned(), names.into());
            }
            keep(&mut results, &record)?;
        }
        for comparison in chosen {
            let verdict = judge::verdict(comparison, &runs);
            if let Measured::Nothing(reason) = &verdict.ours {
                eprintln!("bench: {}: ours has no figure: {reason}", verdict.name);
            }
            keep(&mut results, &report::verdict_record(&verdict))?;
            verdicts.push(verdict);
        }
    }
    if verdicts.is_empty() {
        bail!("no comparison begins with `{}`", choice.only);
    }
    conclude(&verdicts, &places.results);
    Ok(())
}

fn chosen(batch: &Batch, only: &str) -> Vec<&'static Comparison> {
    batch.comparisons.iter().filter(|comparison| comparison.name.starts_with(only)).collect()
}

/// Ours, peer, ours, peer: a slow minute hits both. Programs that no chosen comparison needs stay out.
fn in_turns(
    batch: &Batch,
    chosen: &[&Comparison],
    reps: u32,
    mut measure: impl FnMut(&BenchProgram, u32) -> Result<ProgramRun>,
) -> Result<Vec<ProgramRun>> {
    let mut runs = Vec::new();
    for rep in 1..=reps {
        for program in batch.programs {
            if chosen.iter().any(|comparison| comparison.uses(program.name)) {
                runs.push(measure(program, rep)?);
            }
        }
    }
    Ok(runs)
}

struct Setting<'a> {
    places: &'a Places,
    folder: &'a Path,
    patience: Duration,
}

fn measure(program: &BenchProgram, rep: u32, setting: &Setting<'_>) -> Result<ProgramRun> {
    // A fresh directory for each run: no run may profit from what another left behind.
    let data = setting.folder.join("data").join(format!("{}-{rep}-{}", program.name, std::process::id()));
    std::fs::create_dir_all(&data).with_context(|| format!("while creating {}", data.display()))?;
    noise::wait_for_quiet(setting.patience);
    eprintln!("bench: run {rep}: {} {}", program.side, program.args.join(" "));
    let meter = noise::NoiseMeter::start();
    let outcome = program::run(program, &setting.places.peers, &data);
    let others_cpu = meter.others_cpu();
    if let RunOutcome::Failed(reason) = &outcome {
        eprintln!("bench: run {rep}: {}: {reason}", program.side);
    }
    std::fs::remove_dir_all(&data).with_context(|| format!("while removing {}", data.display()))?;
    Ok(ProgramRun { program: program.name, rep, outcome, others_cpu })
}

fn keep(results: &mut File, record: &Value) -> Result<()> {
    println!("{record}");
    writeln!(results, "{record}").context("while writing the results")
}

fn conclude(verdicts: &[RowVerdict], results: &Path) {
    println!("\n{}", report::table(verdicts));
    eprintln!("bench: JSON lines in {}", results.display());
    for verdict in verdicts {
        println!("{}", report::bench_line(verdict));
    }
}
