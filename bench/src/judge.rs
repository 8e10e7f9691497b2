//! From the runs of a batch to one verdict per comparison. Pure: figures in, words out.

#[cfg(test)]
mod tests;

use serde_json::Value;

use crate::plan::{Comparison, Figure, FigureTarget};

/// One run of one program.
#[derive(Debug, Clone)]
pub(crate) struct ProgramRun {
    pub(crate) program: &'static str,
    pub(crate) rep: u32,
    pub(crate) outcome: RunOutcome,
    /// Cores that other processes kept busy meanwhile; unknown where there is no `/proc`.
    pub(crate) others_cpu: Option<f64>,
}

#[derive(Debug, Clone)]
pub(crate) enum RunOutcome {
    Printed(Value),
    /// Why there are no figures, in one line.
    Failed(String),
}

/// The best figure of one side, or why there is none.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Measured {
    Best { value: f64, others_cpu: Option<f64> },
    Nothing(String),
}

#[derive(Debug, PartialEq)]
pub(crate) struct RowVerdict {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) ours: Measured,
    /// `None`: ours is judged alone.
    pub(crate) peer: Option<Measured>,
    pub(crate) target: FigureTarget,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Judgement {
    Ok,
    Short,
    /// The peer has no figure.
    Skipped(String),
}

pub(crate) fn verdict(comparison: &Comparison, runs: &[ProgramRun]) -> RowVerdict {
    let Comparison { name, unit, ours, peer, target } = comparison;
    let peer = peer.as_ref().map(|figure| best(figure, *target, runs));
    RowVerdict { name, unit, ours: best(ours, *target, runs), peer, target: *target }
}

impl RowVerdict {
    /// Ours over the peer's, when both have a figure.
    pub(crate) fn ratio(&self) -> Option<f64> {
        let peer = self.peer.as_ref()?.value().filter(|peer| *peer > 0.0)?;
        Some(self.ours.value()? / peer)
    }

    /// A failure of ours is SHORT, never SKIPPED: it must not read as an excuse.
    pub(crate) fn judgement(&self) -> Judgement {
        let Some(ours) = self.ours.value() else { return Judgement::Short };
        let judged = match (&self.peer, self.target) {
            (None, _) | (Some(_), FigureTarget::Under(_)) => Some(ours),
            (Some(Measured::Nothing(reason)), _) => return Judgement::Skipped(reason.clone()),
            (Some(Measured::Best { .. }), _) => self.ratio(),
        };
        if judged.is_some_and(|value| self.target.is_met_by(value)) {
            Judgement::Ok
        } else {
            Judgement::Short
        }
    }
}

impl Measured {
    pub(crate) fn value(&self) -> Option<f64> {
        match self {
            Self::Best { value, .. } => Some(*value),
            Self::Nothing(_) => None,
        }
    }
}

fn best(figure: &Figure, target: FigureTarget, runs: &[ProgramRun]) -> Measured {
    let mut found = Measured::Nothing("never ran".to_owned());
    for run in runs.iter().filter(|run| figure.programs.contains(&run.program)) {
        found = match (found, read(figure, &run.outcome)) {
            (Measured::Best { value, others_cpu }, Ok(new)) if target.better(value, new) == value => {
                Measured::Best { value, others_cpu }
            }
            (_, Ok(value)) => Measured::Best { value, others_cpu: run.others_cpu },
            (Measured::Nothing(_), Err(reason)) => Measured::Nothing(reason),
            (found @ Measured::Best { .. }, Err(_)) => found,
        };
    }
    found
}

fn read(figure: &Figure, outcome: &RunOutcome) -> Result<f64, String> {
    let printed = match outcome {
        RunOutcome::Printed(printed) => printed,
        RunOutcome::Failed(reason) => return Err(reason.clone()),
    };
    let mut sum = 0.0;
    for field in figure.fields {
        sum +=
            printed.pointer(field).and_then(Value::as_f64).ok_or_else(|| format!("no number at {field}"))?;
    }
    Ok(sum)
}
