//! Hunks put into a text: at their line, or nearest to it, or where their context is. Pure.

use amelia_core::text::capped;

use super::{Hunk, PatchLine};
use crate::line_ends;

/// Hunks that do not fit, explained: a model reads no more, and each costs a look at the whole file.
const EXPLAINED: usize = 10;
/// Lines of a hunk that are looked for when the whole does not fit.
const COMPARED: usize = 100;

/// The text with all hunks in it; or, for each that does not fit, which one and why.
pub(crate) fn apply(text: &str, hunks: &[Hunk]) -> Result<String, Vec<String>> {
    let mut file = Lines::of(text);
    let (mut problems, mut cursor, mut shift) = (Vec::new(), 0, 0_isize);
    for (index, hunk) in hunks.iter().enumerate() {
        let old = hunk.old();
        match file.place(hunk, &old, cursor, shift) {
            Ok(at) => {
                cursor = file.put(hunk, at);
                if let Some(line) = hunk.line {
                    let found = isize::try_from(at).unwrap_or(0) + 1 - isize::try_from(line).unwrap_or(0);
                    shift = found + hunk.growth();
                }
            }
            Err(reason) => problems.push(format!("hunk {}{}: {reason}", index + 1, hunk.name())),
        }
        if problems.len() == EXPLAINED && index + 1 < hunks.len() {
            problems.push(format!("the {} hunks after it were not tried", hunks.len() - index - 1));
            break;
        }
    }
    if problems.is_empty() { Ok(file.text()) } else { Err(problems) }
}

impl Hunk {
    fn old(&self) -> Vec<&str> {
        let lines = self.lines.iter().filter_map(|line| match line {
            PatchLine::Keep(text) | PatchLine::Remove(text) => Some(text.as_str()),
            PatchLine::Insert(_) => None,
        });
        lines.collect()
    }

    fn growth(&self) -> isize {
        let growth = |line: &PatchLine| match line {
            PatchLine::Keep(_) => 0,
            PatchLine::Remove(_) => -1,
            PatchLine::Insert(_) => 1,
        };
        self.lines.iter().map(growth).sum()
    }

    fn name(&self) -> String {
        if self.header.is_empty() { String::new() } else { format!(" (`{}`)", capped(&self.header, 120)) }
    }
}

struct Lines {
    /// Without line ends, but with the carriage returns before them.
    lines: Vec<String>,
    ends_open: bool,
    has_returns: bool,
}

impl Lines {
    fn of(text: &str) -> Self {
        let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
        let ends_open = lines.last().is_some_and(|line| !line.is_empty());
        if !ends_open {
            lines.pop();
        }
        let has_returns = line_ends::has_returns(text);
        // As if it had its line end: it may not be the last one for long.
        if let Some(last) = lines.last_mut().filter(|_| has_returns && ends_open) {
            last.push('\r');
        }
        Self { lines, ends_open, has_returns }
    }

    fn text(mut self) -> String {
        if let Some(last) = self.lines.last_mut().filter(|_| self.has_returns && self.ends_open) {
            last.pop();
        }
        let mut text = self.lines.join("\n");
        if !self.ends_open && !self.lines.is_empty() {
            text.push('\n');
        }
        text
    }

    /// The index where the hunk's old lines are.
    fn place(&self, hunk: &Hunk, old: &[&str], cursor: usize, shift: isize) -> Result<usize, String> {
        let from = self.after(hunk, cursor)?;
        if old.is_empty() {
            let line = hunk.line.map(|line| line.saturating_sub(1).saturating_add_signed(shift));
            let default = if hunk.after.is_some() { from } else { self.lines.len() };
            return Ok(line.unwrap_or(default).min(self.lines.len()));
        }
        let matches: Vec<usize> = [same as fn(&str, &str) -> bool, same_but_for_the_end]
            .into_iter()
            .map(|same| self.matches(old, from, same))
            .find(|found| !found.is_empty())
            .unwrap_or_default();
        let wanted = hunk.line.map(|line| line.saturating_sub(1).saturating_add_signed(shift));
        let chosen = match wanted {
            _ if hunk.is_at_end => matches.iter().rfind(|at| **at + old.len() == self.lines.len()),
            Some(wanted) => matches.iter().min_by_key(|at| at.abs_diff(wanted)),
            None => matches.first(),
        };
        chosen.copied().ok_or_else(|| self.why_not(old, from, wanted))
    }

    fn after(&self, hunk: &Hunk, cursor: usize) -> Result<usize, String> {
        let Some(anchor) = &hunk.after else { return Ok(cursor) };
        let is_anchor = |line: &&String| line.trim() == anchor.trim();
        let found = self.lines.iter().skip(cursor).position(|line| is_anchor(&line));
        found.map(|at| cursor + at + 1).ok_or_else(|| {
            format!("the line `{}` of its header is not in the file after line {cursor}", capped(anchor, 200))
        })
    }

    fn matches(&self, old: &[&str], from: usize, same: fn(&str, &str) -> bool) -> Vec<usize> {
        let mut found = Vec::new();
        let shorter = borders(old, same);
        let mut fitting = 0;
        for (at, line) in self.lines.iter().enumerate().skip(from) {
            fitting = longer(fitting, line, old, &shorter, same);
            if fitting == old.len() {
                found.push(at + 1 - fitting);
            }
        }
        found
    }

    /// The place where most lines fit, and the first that does not.
    fn why_not(&self, old: &[&str], from: usize, wanted: Option<usize>) -> String {
        let fitting = |at: usize| {
            let pairs = self.lines.iter().skip(at).zip(old).take(COMPARED);
            pairs.filter(|(line, old)| same_but_for_the_end(line, old)).count()
        };
        let best = (from..self.lines.len()).max_by_key(|at| {
            (fitting(*at), std::cmp::Reverse(wanted.map_or(*at, |wanted| at.abs_diff(wanted))))
        });
        let Some(at) = best.filter(|at| fitting(*at) > 0) else {
            let first = capped(old.first().unwrap_or(&""), 200);
            let place = if from > 0 { format!(" after line {from}") } else { String::new() };
            return format!(
                "none of its lines are in the file{place}; the first is `{first}`: read the file again"
            );
        };
        let lines = self.lines.iter().map(Some).skip(at).chain(std::iter::repeat(None));
        let wrong = old
            .iter()
            .zip(lines)
            .enumerate()
            .find(|(_, (old, line))| !line.is_some_and(|line| same_but_for_the_end(line, old)));
        let Some((index, (old, line))) = wrong else {
            return format!("it fits at line {}, but not at the end of the file", at + 1);
        };
        let number = at + index + 1;
        let found = match line {
            Some(line) => {
                format!("line {number} of the file is `{}`", capped(line.trim_end_matches('\r'), 200))
            }
            None => format!("the file ends before line {number}"),
        };
        format!("it expects `{}`, but {found}", capped(old, 200))
    }

    /// Replaces the old lines by the new ones; kept lines stay as the file has them. Says where the hunk ends.
    fn put(&mut self, hunk: &Hunk, at: usize) -> usize {
        let count = hunk.old().len();
        let end = (at + count).min(self.lines.len());
        let touches_end = end == self.lines.len();
        let mut old: std::vec::IntoIter<String> =
            self.lines.get(at..end).map(<[String]>::to_vec).unwrap_or_default().into_iter();
        let mut new = Vec::new();
        for line in &hunk.lines {
            match line {
                PatchLine::Keep(text) => new.push(old.next().unwrap_or_else(|| text.clone())),
                PatchLine::Remove(_) => drop(old.next()),
                PatchLine::Insert(text) if self.has_returns && !text.ends_with('\r') => {
                    new.push(format!("{text}\r"));
                }
                PatchLine::Insert(text) => new.push(text.clone()),
            }
        }
        let after = at + new.len();
        if touches_end {
            let ends_with_old = matches!(hunk.lines.last(), Some(PatchLine::Keep(_)));
            self.ends_open = hunk.ends_open || (self.ends_open && ends_with_old);
        }
        self.lines.splice(at..end, new);
        after
    }
}

/// For each beginning of a text, the length of the longest shorter one that it also ends with (Knuth, Morris and
/// Pratt): so a file of many equal lines is still read once.
fn borders(old: &[&str], same: fn(&str, &str) -> bool) -> Vec<usize> {
    let mut borders = vec![0; old.len().min(1)];
    let mut fitting = 0;
    for line in old.iter().skip(1) {
        fitting = longer(fitting, line, old, &borders, same);
        borders.push(fitting);
    }
    borders
}

/// How many of the first lines of `old` fit, up to and with this line, when before it so many did.
fn longer(
    mut fitting: usize,
    line: &str,
    old: &[&str],
    borders: &[usize],
    same: fn(&str, &str) -> bool,
) -> usize {
    loop {
        if old.get(fitting).is_some_and(|next| same(line, next)) {
            return fitting + 1;
        }
        match fitting.checked_sub(1).and_then(|last| borders.get(last)) {
            Some(shorter) => fitting = *shorter,
            None => return 0,
        }
    }
}

fn same(line: &str, old: &str) -> bool {
    line.strip_suffix('\r').unwrap_or(line) == old.strip_suffix('\r').unwrap_or(old)
}

fn same_but_for_the_end(line: &str, old: &str) -> bool {
    line.trim_end() == old.trim_end()
}
