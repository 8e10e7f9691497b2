//! Markdown, line by line, knowing what is inside a code fence: a heading there is no heading. Pure.

/// A line of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// Where it starts, in bytes.
    pub(super) start: usize,
    pub(super) text: &'a str,
    pub(super) kind: LineKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    Plain,
    /// The line that opens or closes a fence.
    Fence,
    /// Between those.
    Code,
}

/// All lines of `text`. A fence that is never closed reaches to the end, as Markdown says. A carriage return is part of
/// code, unless the fence was opened by a line that ends with one as well: then all lines do.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut found = Vec::new();
    let mut open: Option<(Mark, bool)> = None;
    let mut start = 0;
    for raw in text.split_inclusive('\n') {
        let line = raw.trim_end_matches(['\n', '\r']);
        let mark = Mark::of(line);
        let kind = match (open, mark) {
            (None, Some(mark)) => {
                open = Some((mark, raw.ends_with("\r\n")));
                LineKind::Fence
            }
            (Some((opened, _)), Some(mark)) if opened.is_closed_by(mark) => {
                open = None;
                LineKind::Fence
            }
            (Some(_), _) => LineKind::Code,
            (None, None) => LineKind::Plain,
        };
        let text = match open {
            Some((_, false)) if kind == LineKind::Code => raw.strip_suffix('\n').unwrap_or(raw),
            Some(_) | None => line,
        };
        found.push(Line { start, text, kind });
        start += raw.len();
    }
    found
}

/// The marks that begin or end a fence: three or more backticks or tildes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    sign: char,
    length: usize,
    /// Something follows the marks: only an opening one may have that.
    has_info: bool,
}

impl Mark {
    fn of(line: &str) -> Option<Self> {
        let bare = line.trim_start_matches(' ');
        if line.len() - bare.len() > 3 {
            return None;
        }
        let sign = bare.chars().next().filter(|sign| ['`', '~'].contains(sign))?;
        let rest = bare.trim_start_matches(sign);
        let length = bare.len() - rest.len();
        // Backticks in what follows make it inline code.
        let is_inline = sign == '`' && rest.contains('`');
        (length >= 3 && !is_inline).then(|| Self { sign, length, has_info: !rest.trim().is_empty() })
    }

    fn is_closed_by(self, other: Self) -> bool {
        self.sign == other.sign && other.length >= self.length && !other.has_info
    }
}
