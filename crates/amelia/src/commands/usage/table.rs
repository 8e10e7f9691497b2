//! What was spent, as a table, for spreadsheets, and for programs. Pure.

use amelia_core::message::Object;
use amelia_wire::rest::usage::{RunUsage, Spent, Usage, csv_text};
use serde_json::{Value, json};

use crate::cli::UsageBy;
use crate::ui;

/// More of a title is not needed to recognize it.
const TITLE: usize = 40;

/// Columns between two columns.
const GAP: usize = 2;
/// A name is not cut below this.
const SHORTEST_NAME: usize = 12;

/// One line of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    /// The id of a run, the name of an agent or model, or a day.
    name: String,
    /// Of a run: what people call it, and its title.
    run: Option<(String, String)>,
    spent: Spent,
}

/// In the order in which people look for them: days and runs by age, the rest by name.
pub(super) fn rows(usage: &Usage, by: UsageBy) -> Vec<Row> {
    let named = |(name, spent): (&String, &Spent)| Row { name: name.clone(), run: None, spent: *spent };
    match by {
        UsageBy::Run => {
            let mut runs: Vec<_> = usage.runs.iter().collect();
            runs.sort_by_key(|run| run.created_at);
            let row = |run: &&RunUsage| Row {
                name: run.id.to_string(),
                run: Some((run.short_id.clone(), run.title.clone())),
                spent: run.usage,
            };
            runs.iter().map(row).collect()
        }
        UsageBy::Agent => usage.agents.iter().map(named).collect(),
        UsageBy::Model => usage.models.iter().map(named).collect(),
        UsageBy::Day => usage.days.iter().map(named).collect(),
    }
}

/// Aligned, with the sum at its end. Names are cut where a line would be wider than `columns`.
pub(super) fn table(rows: &[Row], total: &Spent, by: UsageBy, columns: Option<usize>) -> String {
    let mut cells = vec![[word(by).to_uppercase(), "CALLS".into(), "TOKENS".into(), "COST (USD)".into()]];
    cells.extend(rows.iter().map(|row| line(label(row), &row.spent)));
    cells.push(line("total".to_owned(), total));
    let width = |column: usize| {
        cells.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let (calls, tokens) = (width(1), width(2));
    let others = calls + tokens + width(3) + 3 * GAP;
    let room = columns.map_or(usize::MAX, |columns| columns.saturating_sub(others).max(SHORTEST_NAME));
    let first = width(0).min(room);
    let mut text = String::new();
    for [name, call, token, cost] in &cells {
        let name = ui::cut(name, first);
        text.push_str(&format!("{name:<first$}  {call:>calls$}  {token:>tokens$}  {cost}\n"));
    }
    match total.estimated_calls {
        0 => text,
        calls => {
            text + &format!("~ {calls} of {} calls reported no tokens: they are estimated\n", total.calls)
        }
    }
}

fn line(name: String, spent: &Spent) -> [String; 4] {
    let about = if spent.estimated_calls > 0 { "~" } else { "" };
    let tokens =
        spent.known_tokens().map_or_else(|| "unknown".to_owned(), |tokens| format!("{about}{tokens}"));
    [name, spent.calls.to_string(), tokens, cost(spent)]
}

fn cost(spent: &Spent) -> String {
    match (spent.known_cost(), spent.unpriced_calls) {
        (None, _) => "unknown".to_owned(),
        (Some(usd), 0) => format!("{usd:.4}"),
        (Some(usd), 1) => format!("{usd:.4} and 1 call of unknown cost"),
        (Some(usd), unknown) => format!("{usd:.4} and {unknown} calls of unknown cost"),
    }
}

fn label(row: &Row) -> String {
    match &row.run {
        Some((run, title)) => format!("{run} {}", ui::cut(&ui::one_line(title), TITLE)),
        None if row.name.is_empty() => "not named".to_owned(),
        None => ui::one_line(&row.name),
    }
}

/// A line per row, the sum left to the spreadsheet.
pub(super) fn csv(rows: &[Row], by: UsageBy) -> String {
    let title = if by == UsageBy::Run { ",title" } else { "" };
    let mut text = format!("{}{title},tokens,cost_usd,calls,unpriced_calls,estimated_calls\r\n", word(by));
    for Row { name, run, spent } in rows {
        let title = run.as_ref().map(|(_, title)| format!(",{}", csv_text(title))).unwrap_or_default();
        text.push_str(&format!("{}{title},{}\r\n", csv_text(name), spent.csv()));
    }
    text
}

/// For programs: unknown is `null`.
pub(super) fn document(rows: &[Row], total: &Spent, by: UsageBy) -> Value {
    let spent = |spent: &Spent| -> Object {
        [
            ("tokens".to_owned(), json!(spent.known_tokens())),
            ("cost_usd".to_owned(), json!(spent.known_cost())),
            ("calls".to_owned(), json!(spent.calls)),
            ("unpriced_calls".to_owned(), json!(spent.unpriced_calls)),
            ("estimated_calls".to_owned(), json!(spent.estimated_calls)),
        ]
        .into_iter()
        .collect()
    };
    let row = |row: &Row| {
        let mut fields = spent(&row.spent);
        fields.insert(word(by).to_owned(), json!(row.name));
        fields.extend(row.run.iter().map(|(_, title)| ("title".to_owned(), json!(title))));
        fields
    };
    json!({"by": word(by), "rows": rows.iter().map(row).collect::<Vec<_>>(), "total": spent(total)})
}

fn word(by: UsageBy) -> &'static str {
    match by {
        UsageBy::Run => "run",
        UsageBy::Agent => "agent",
        UsageBy::Model => "model",
        UsageBy::Day => "day",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage() -> Usage {
        let priced = Spent { tokens: 1200, cost_usd: 0.5, calls: 3, estimated_calls: 1, ..Spent::default() };
        let unknown = Spent { calls: 2, unpriced_calls: 2, ..Spent::default() };
        Usage {
            total: Spent { calls: 5, unpriced_calls: 2, ..priced },
            models: [("dear".to_owned(), priced), (String::new(), unknown)].into(),
            ..Usage::default()
        }
    }

    #[test]
    fn a_table_is_aligned_and_unknown_cost_is_never_nothing() {
        let usage = usage();
        let shown = table(&rows(&usage, UsageBy::Model), &usage.total, UsageBy::Model, None);
        let expected = "\
MODEL      CALLS   TOKENS  COST (USD)
not named      2  unknown  unknown
dear           3    ~1200  0.5000
total          5    ~1200  0.5000 and 2 calls of unknown cost
~ 1 of 5 calls reported no tokens: they are estimated
";
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_run_has_its_short_name_and_a_line_fits_the_terminal() {
        let run = RunUsage {
            id: uuid::Uuid::nil(),
            short_id: "r12".to_owned(),
            title: "A title that is much too long for a table ".repeat(3),
            created_at: jiff::Timestamp::UNIX_EPOCH,
            usage: Spent { calls: 3, unpriced_calls: 2, tokens: 1200, ..Spent::default() },
        };
        let usage = Usage { total: run.usage, runs: vec![run], ..Usage::default() };
        let shown = table(&rows(&usage, UsageBy::Run), &usage.total, UsageBy::Run, Some(70));
        assert!(shown.lines().all(|line| line.chars().count() <= 70), "{shown}");
        assert!(shown.contains("\nr12 A title"), "{shown}");
    }

    #[test]
    fn spreadsheets_and_programs_get_nothing_where_nothing_is_known() {
        let usage = usage();
        let rows = rows(&usage, UsageBy::Model);
        let expected = "model,tokens,cost_usd,calls,unpriced_calls,estimated_calls\r\n\"\",,,2,2,0\r\n\"dear\",1200,0.5,3,0,1\r\n";
        assert_eq!(csv(&rows, UsageBy::Model), expected);
        let document = document(&rows, &usage.total, UsageBy::Model);
        assert_eq!(document["rows"][0]["cost_usd"], Value::Null);
        assert_eq!(document["rows"][1]["model"], "dear");
        assert_eq!(document["total"]["cost_usd"], 0.5);
    }
}
