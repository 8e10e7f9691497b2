//! What was checked, how often, and what was wrong.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::Result;
use serde_json::json;

use crate::cli::Global;
use crate::ui;

/// A promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Check {
    Shown,
    Gaps,
    Fold,
    Repeats,
    Writes,
    Effects,
    Ends,
    Integrity,
}

impl Check {
    const ALL: [Self; 8] = [
        Self::Shown,
        Self::Gaps,
        Self::Fold,
        Self::Repeats,
        Self::Writes,
        Self::Effects,
        Self::Ends,
        Self::Integrity,
    ];

    fn promise(self) -> &'static str {
        match self {
            Self::Shown => "no event that was shown is lost",
            Self::Gaps => "the log has no gap",
            Self::Fold => "status is the fold of the log",
            Self::Repeats => "no finished node runs again",
            Self::Writes => "no tool writes twice",
            Self::Effects => "outside effects happen once",
            Self::Ends => "every run ends as expected",
            Self::Integrity => "the database is intact",
        }
    }
}

#[derive(Debug)]
pub(super) struct Report {
    seed: u64,
    started: Instant,
    pub(super) enumerated_kills: u32,
    pub(super) random_kills: u32,
    checked: BTreeMap<Check, u64>,
    pub(super) violations: Vec<(Check, String)>,
}

impl Report {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            seed,
            started: Instant::now(),
            enumerated_kills: 0,
            random_kills: 0,
            checked: BTreeMap::new(),
            violations: Vec::new(),
        }
    }

    pub(super) fn checked(&mut self, check: Check) {
        *self.checked.entry(check).or_default() += 1;
    }

    pub(super) fn violation(&mut self, check: Check, what: String) {
        self.violations.push((check, what));
    }

    pub(super) fn print(&self, global: &Global) -> Result<()> {
        if global.json {
            anstream::println!("{}", serde_json::to_string(&self.document())?);
            return Ok(());
        }
        for check in Check::ALL {
            let count = self.count(check);
            let wrong = self.wrong(check).count();
            let verdict = match wrong {
                0 => ui::painted(ui::GOOD, "held"),
                wrong => ui::painted(ui::BAD, format!("{wrong} violations")),
            };
            anstream::println!("{:<36} {count:>9} checks   {verdict}", check.promise());
        }
        for (check, what) in &self.violations {
            anstream::println!("{} {}: {}", ui::painted(ui::BAD, "✗"), check.promise(), ui::clean(what));
        }
        anstream::println!(
            "{} kills at chosen moments, {} at random ones (seed {}), {:.1} s: {}",
            self.enumerated_kills,
            self.random_kills,
            self.seed,
            self.started.elapsed().as_secs_f64(),
            ui::bold(format!("{} violations", self.violations.len())),
        );
        Ok(())
    }

    fn document(&self) -> serde_json::Value {
        let checks: Vec<_> = Check::ALL
            .into_iter()
            .map(|check| {
                let violations: Vec<&str> = self.wrong(check).collect();
                json!({"promise": check.promise(), "checks": self.count(check), "violations": violations})
            })
            .collect();
        json!({
            "seed": self.seed,
            "seconds": self.started.elapsed().as_secs_f64(),
            "enumerated_kills": self.enumerated_kills,
            "random_kills": self.random_kills,
            "checks": checks,
            "violations": self.violations.len(),
        })
    }

    fn count(&self, check: Check) -> u64 {
        self.checked.get(&check).copied().unwrap_or(0)
    }

    fn wrong(&self, check: Check) -> impl Iterator<Item = &str> {
        self.violations.iter().filter(move |(wrong, _)| *wrong == check).map(|(_, what)| what.as_str())
    }
}
