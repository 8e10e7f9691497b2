//! Parts of the table.

use super::{BenchProgram, Comparison, Figure, FigureTarget, Side};

/// Four agents that take tasks in turn.
pub(super) const CREWAI: BenchProgram = BenchProgram {
    name: "crewai",
    side: Side::Peer { venv: "crewai", script: "crewai_turns.py" },
    args: &["--agents", "4", "--tasks", "50", "--reps", "2"],
};

pub(super) const fn ours(
    name: &'static str,
    case: &'static str,
    args: &'static [&'static str],
) -> BenchProgram {
    BenchProgram { name, side: Side::Ours { case }, args }
}

pub(super) const fn figure(programs: &'static [&'static str], fields: &'static [&'static str]) -> Figure {
    Figure { programs, fields }
}

/// Ours alone, of a batch whose program is called `ours`.
pub(super) const fn alone(
    name: &'static str,
    unit: &'static str,
    fields: &'static [&'static str],
    target: FigureTarget,
) -> Comparison {
    Comparison { name, unit, ours: figure(&["ours"], fields), peer: None, target }
}
