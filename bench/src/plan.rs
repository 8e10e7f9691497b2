//! What is compared with what, and how much better ours must be: the table of targets as data.
//!
//! A batch is a set of programs that run in turns, so that a slow minute of the machine hits both sides.
//! One figure of a peer may serve several comparisons. Nothing here runs anything.

mod agent;
mod parts;
mod serving;
mod table;
mod teams;
#[cfg(test)]
mod tests;
mod workflows;

pub(crate) use table::BATCHES;

pub(crate) struct Batch {
    pub(crate) programs: &'static [BenchProgram],
    pub(crate) comparisons: &'static [Comparison],
}

/// One command line; its last line of output that is a JSON object holds the figures.
pub(crate) struct BenchProgram {
    /// Unique within its batch.
    pub(crate) name: &'static str,
    pub(crate) side: Side,
    pub(crate) args: &'static [&'static str],
}

pub(crate) enum Side {
    /// `amelia-bench ours CASE`.
    Ours {
        case: &'static str,
    },
    Peer {
        venv: &'static str,
        script: &'static str,
    },
}

pub(crate) struct Comparison {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) ours: Figure,
    pub(crate) peer: Option<Figure>,
    pub(crate) target: FigureTarget,
}

/// Where a figure is found: the best over all runs of these programs of the sum of these fields.
pub(crate) struct Figure {
    pub(crate) programs: &'static [&'static str],
    /// JSON pointers.
    pub(crate) fields: &'static [&'static str],
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum FigureTarget {
    /// Ours over the peer's, or ours alone; more is better.
    AtLeast(f64),
    /// Ours over the peer's is at most one over this; less is better.
    AtMostOneOver(f64),
    /// Ours over the peer's; less is better.
    AtMost(f64),
    /// Ours alone, for any figure of the peer, which is shown beside it; less is better.
    Under(f64),
}

impl FigureTarget {
    pub(crate) fn is_met_by(self, value: f64) -> bool {
        match self {
            Self::AtLeast(least) => value >= least,
            Self::AtMostOneOver(divisor) => value <= 1.0 / divisor,
            Self::AtMost(most) => value <= most,
            Self::Under(limit) => value < limit,
        }
    }

    /// The better of two figures of the same kind.
    pub(crate) fn better(self, a: f64, b: f64) -> f64 {
        match self {
            Self::AtLeast(_) => a.max(b),
            Self::AtMostOneOver(_) | Self::AtMost(_) | Self::Under(_) => a.min(b),
        }
    }
}

impl std::fmt::Display for FigureTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::AtLeast(least) => write!(f, ">={least}"),
            Self::AtMostOneOver(divisor) => write!(f, "<=1/{divisor}"),
            Self::AtMost(most) => write!(f, "<={most}"),
            Self::Under(limit) => write!(f, "<{limit}"),
        }
    }
}

impl std::fmt::Display for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ours { case } => write!(f, "ours {case}"),
            Self::Peer { venv, script } => write!(f, "{venv} {script}"),
        }
    }
}

impl Comparison {
    pub(crate) fn uses(&self, program: &str) -> bool {
        self.ours.programs.contains(&program)
            || self.peer.as_ref().is_some_and(|figure| figure.programs.contains(&program))
    }
}
