//! Parts of the table.

use super::{BenchProgram, Figure, Side};

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
