//! A table, with everything in a cell on one line.

use serde_json::Value;

use super::{Writer, content, kind};

/// More columns than anybody reads, and padding is what costs.
const WIDEST: usize = 50;

impl Writer {
    pub(super) fn table(&mut self, node: &Value, depth: usize) -> String {
        let rows: Vec<(bool, Vec<String>)> =
            content(node).iter().map(|row| (is_header(row), self.row(row, depth + 1))).collect();
        let width = rows.iter().map(|(_, cells)| cells.len()).max().unwrap_or(0);
        let padded = width.min(WIDEST);
        let mut lines = Vec::new();
        // Markdown cannot do without a header.
        if !rows.first().is_some_and(|(is_header, _)| *is_header) {
            lines.push(line(&[], padded));
            lines.push(ruler(padded));
        }
        for (index, (is_header, cells)) in rows.iter().enumerate() {
            lines.push(line(cells, padded));
            if index == 0 && *is_header {
                lines.push(ruler(padded));
            }
        }
        if rows.is_empty() { String::new() } else { lines.join("\n") }
    }

    fn row(&mut self, row: &Value, depth: usize) -> Vec<String> {
        let mut cells = Vec::new();
        if content(row).is_empty() {
            cells.push(cell(&self.unknown(row, depth)));
        }
        for item in content(row) {
            cells.push(cell(&self.block(item, depth + 1)));
            let span = item.pointer("/attrs/colspan").and_then(Value::as_u64).unwrap_or(1);
            let more = usize::try_from(span).unwrap_or(1).clamp(1, WIDEST) - 1;
            cells.extend(std::iter::repeat_n(String::new(), more));
        }
        cells
    }
}

fn is_header(row: &Value) -> bool {
    let cells = content(row);
    !cells.is_empty() && cells.iter().all(|cell| kind(cell) == "tableHeader")
}

fn cell(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("<br>").replace('|', "\\|")
}

fn line(cells: &[String], width: usize) -> String {
    let mut out = "|".to_owned();
    for cell in cells.iter().map(String::as_str).chain(std::iter::repeat("")).take(width.max(cells.len())) {
        out.push(' ');
        out.push_str(cell);
        out.push_str(" |");
    }
    out
}

fn ruler(width: usize) -> String {
    format!("|{}", " --- |".repeat(width))
}
