//! What a self-test of a whole server has found, for people and for programs.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use serde_json::{Map, Value, json};

use crate::cli::Global;
use crate::ui;

/// Violations that are shown; more of them say nothing new.
const MOST_SHOWN: usize = 20;

pub(super) struct Findings {
    started: Instant,
    /// What was done, by name, in the order in which it is shown.
    counts: Vec<(&'static str, u64)>,
    violations: Vec<String>,
}

impl Findings {
    pub(super) fn new() -> Self {
        Self { started: Instant::now(), counts: Vec::new(), violations: Vec::new() }
    }

    pub(super) fn count(&mut self, what: &'static str, number: u64) {
        match self.counts.iter_mut().find(|(name, _)| *name == what) {
            Some((_, count)) => *count += number,
            None => self.counts.push((what, number)),
        }
    }

    pub(super) fn violation(&mut self, what: String) {
        self.violations.push(what);
    }

    /// Says what was found, and whether it is as it should be.
    pub(super) fn conclude(&self, global: &Global) -> Result<ExitCode> {
        let seconds = self.started.elapsed().as_secs_f64();
        if global.json {
            let mut document: Map<String, Value> =
                self.counts.iter().map(|(name, count)| (name.replace(' ', "_"), json!(count))).collect();
            document.insert("seconds".to_owned(), json!(seconds));
            document.insert("violations".to_owned(), json!(self.violations));
            anstream::println!("{}", serde_json::to_string(&document)?);
        } else {
            for what in self.violations.iter().take(MOST_SHOWN) {
                anstream::println!("{} {}", ui::painted(ui::BAD, "✗"), ui::clean(what));
            }
            let counts: Vec<String> =
                self.counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
            let violations = ui::bold(format!("{} violations", self.violations.len()));
            anstream::println!("{}, {seconds:.1} s: {violations}", counts.join(", "));
        }
        Ok(if self.violations.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
