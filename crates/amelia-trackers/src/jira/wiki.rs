//! Wiki text of Jira Server and Data Center as Markdown. Pure, and never fails: what is not understood stays as it is.

mod inline;

use amelia_core::text::capped;

use inline::inline;

/// Bytes that are read. More is not shown anyway, and a long line of half-open marks takes its time.
const LONGEST: usize = 130_000;

/// The text as Markdown.
#[must_use]
pub(crate) fn to_markdown(wiki: &str) -> String {
    let mut reader = Reader::default();
    for line in capped(wiki, LONGEST).lines() {
        // What follows the end of a block is a line of its own.
        let mut rest = Some(line.trim_end());
        while let Some(line) = rest {
            rest = reader.line(line);
        }
    }
    reader.close_code();
    reader.out.join("\n").trim_matches('\n').to_owned()
}

#[derive(Default)]
struct Reader {
    out: Vec<String>,
    /// The name of the open block whose text is as it is, and what is in it so far.
    code: Option<(&'static str, Vec<String>, String)>,
    is_quote: bool,
    in_table: bool,
}

impl Reader {
    /// Takes a line, or its beginning; returns what is left of it.
    fn line<'l>(&mut self, line: &'l str) -> Option<&'l str> {
        if self.code.is_some() {
            return self.code_line(line);
        }
        let trimmed = line.trim_start();
        for name in ["code", "noformat"] {
            if let Some((before, params, rest)) = opened(trimmed, name) {
                if !before.trim().is_empty() {
                    self.plain(before);
                }
                self.code = Some((name, Vec::new(), language(params)));
                return (!rest.is_empty()).then_some(rest);
            }
        }
        // The same word opens and closes these.
        for name in ["quote", "panel"] {
            if let Some((before, params, rest)) = opened(trimmed, name) {
                if !before.trim().is_empty() {
                    self.plain(before);
                }
                self.is_quote = !self.is_quote;
                if let Some(title) = param(params, "title") {
                    self.push(&format!("**{title}**"));
                }
                return (!rest.is_empty()).then_some(rest);
            }
        }
        self.plain(line);
        None
    }

    fn code_line<'l>(&mut self, line: &'l str) -> Option<&'l str> {
        let (name, lines, _) = self.code.as_mut()?;
        let Some((last, rest)) = line.split_once(&format!("{{{name}}}")) else {
            lines.push(line.to_owned());
            return None;
        };
        if !last.is_empty() {
            lines.push(last.to_owned());
        }
        self.close_code();
        let rest = rest.trim();
        (!rest.is_empty()).then_some(rest)
    }

    fn close_code(&mut self) {
        let Some((_, lines, language)) = self.code.take() else { return };
        let run = |line: &String| line.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat((lines.iter().map(run).max().unwrap_or(0) + 1).max(3));
        self.push(&format!("{fence}{language}"));
        for line in lines {
            self.push(&line);
        }
        self.push(&fence);
    }

    fn plain(&mut self, line: &str) {
        let trimmed = line.trim_start();
        if trimmed.starts_with('|') {
            self.table_row(trimmed);
            return;
        }
        self.in_table = false;
        if let Some((level, text)) = heading(trimmed) {
            self.push(&format!("{} {}", "#".repeat(level), inline(text)));
        } else if let Some(text) = trimmed.strip_prefix("bq. ") {
            self.push(&format!("> {}", inline(text)));
        } else if trimmed.len() >= 4 && trimmed.bytes().all(|byte| byte == b'-') {
            self.push("---");
        } else if let Some((marks, text)) = bullet(trimmed) {
            let indent = "   ".repeat(marks.len() - 1);
            let sign = if marks.ends_with('#') { "1." } else { "-" };
            self.push(&format!("{indent}{sign} {}", inline(text)));
        } else {
            self.push(&inline(line));
        }
    }

    fn table_row(&mut self, row: &str) {
        let is_header = row.starts_with("||");
        let separator = if is_header { "||" } else { "|" };
        let row = row.trim_start_matches('|').trim_end_matches('|');
        let cells: Vec<String> = split_cells(row, separator).iter().map(|cell| inline(cell.trim())).collect();
        if !self.in_table && !is_header {
            self.push(&format!("|{}", "  |".repeat(cells.len())));
            self.push(&format!("|{}", " --- |".repeat(cells.len())));
        }
        self.push(&format!("| {} |", cells.join(" | ")));
        if !self.in_table && is_header {
            self.push(&format!("|{}", " --- |".repeat(cells.len())));
        }
        self.in_table = true;
    }

    fn push(&mut self, line: &str) {
        if self.is_quote {
            self.out.push(format!("> {line}").trim_end().to_owned());
        } else {
            self.out.push(line.to_owned());
        }
    }
}

/// Cells, with the bars of links left alone.
fn split_cells<'r>(row: &'r str, separator: &str) -> Vec<&'r str> {
    let mut cells = Vec::new();
    let (mut start, mut depth, mut skip) = (0, 0_usize, 0);
    for (at, c) in row.char_indices() {
        if at < skip {
            continue;
        }
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            '|' if depth == 0 && row.get(at..).is_some_and(|rest| rest.starts_with(separator)) => {
                cells.push(row.get(start..at).unwrap_or_default());
                start = at + separator.len();
                skip = start;
            }
            _ => {}
        }
    }
    cells.push(row.get(start..).unwrap_or_default());
    cells
}

/// `{name}` or `{name:params}` in a line: what is before it, its parameters, what follows.
fn opened<'l>(line: &'l str, name: &str) -> Option<(&'l str, &'l str, &'l str)> {
    let (before, rest) = line.split_once(&format!("{{{name}"))?;
    let (params, rest) = rest.split_once('}')?;
    match params.strip_prefix(':') {
        Some(params) => Some((before, params, rest)),
        None if params.is_empty() => Some((before, "", rest)),
        None => None,
    }
}

/// `{code:java}`, `{code:title=x|language=java}`.
fn language(params: &str) -> String {
    let plain = params.split('|').find(|part| !part.contains('='));
    let language = param(params, "language").or(plain).unwrap_or_default();
    language.chars().filter(|c| c.is_ascii_alphanumeric() || "+#-_".contains(*c)).take(40).collect()
}

fn param<'p>(params: &'p str, name: &str) -> Option<&'p str> {
    params.split('|').find_map(|part| part.strip_prefix(name)?.strip_prefix('='))
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let (level, text) = line.strip_prefix('h')?.split_once('.')?;
    let level = level.parse().ok().filter(|level| (1..=6).contains(level) && line.len() > 3)?;
    Some((level, text.trim()))
}

/// `* a`, `** b`, `# c`, `*# d`, `- e`.
fn bullet(line: &str) -> Option<(&str, &str)> {
    let (marks, text) = line.split_once(' ')?;
    let is_list = !marks.is_empty() && marks.len() <= 10 && marks.bytes().all(|byte| b"*#-".contains(&byte));
    // Two dashes are a dash.
    (is_list && (!marks.contains('-') || marks.len() == 1)).then(|| (marks, text.trim()))
}

#[cfg(test)]
mod tests;
