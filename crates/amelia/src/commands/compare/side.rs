//! Two runs as two columns. What differs is marked. Pure.

use std::collections::BTreeSet;

use amelia_wire::rest::compare::{Compared, ComparedRun};
use amelia_wire::rest::travel::ChangedFile;
use amelia_wire::rest::usage::Spent;

use crate::ui;

/// A column is not wider than this; a title that is gets cut.
const WIDEST: usize = 40;
/// The mark, and the gaps between columns.
const BETWEEN: usize = 6;

/// `width` is that of the terminal, if it is shown on one.
pub(super) fn table(compared: &Compared, width: Option<usize>) -> String {
    let Compared { a, b, different } = compared;
    let mut rows: Vec<[String; 3]> = vec![row("", a, b, |run| run.run.short_id.clone())];
    rows.push(row("title", a, b, |run| short(&ui::one_line(&run.run.title))));
    rows.push(row("status", a, b, |run| run.run.status.as_str().to_owned()));
    rows.push(row("cost", a, b, |run| cost(&run.run.usage)));
    rows.push(row("tokens", a, b, |run| tokens(&run.run.usage)));
    rows.push(row("model calls", a, b, |run| run.run.usage.calls.to_string()));
    rows.push(row("time", a, b, |run| time(run.duration_ms)));
    rows.push(row("running time", a, b, |run| time(run.active_ms)));
    rows.push(row("tasks", a, b, tasks));
    rows.push(row("review rounds", a, b, |run| run.review_rounds.to_string()));
    rows.push(row("last checks", a, b, checks));
    rows.push(row("files changed", a, b, |run| {
        run.files.as_ref().map_or_else(gone, |f| f.len().to_string())
    }));
    let names: BTreeSet<&str> =
        [a, b].iter().flat_map(|run| run.files.iter().flatten()).map(|file| file.path.as_str()).collect();
    for name in names {
        rows.push([format!("  {}", ui::one_line(name)), change(a, name), change(b, name)]);
    }
    let plans = if different.iter().any(|name| name == "plan") { "different" } else { "the same" };
    if let Some(width) = width {
        fit(&mut rows, width);
    }
    format!("{}plans are {plans}\n", aligned(&rows))
}

fn row(name: &str, a: &ComparedRun, b: &ComparedRun, of: impl Fn(&ComparedRun) -> String) -> [String; 3] {
    [name.to_owned(), of(a), of(b)]
}

/// Cuts what would not fit into lines of this width. The end of a path tells more than its beginning.
fn fit(rows: &mut [[String; 3]], width: usize) {
    let names = width / 2;
    for [name, ..] in rows.iter_mut() {
        let path = name.trim_start();
        if name.len() > path.len() && name.chars().count() > names {
            let end: String = path.chars().skip(name.chars().count() - names + 1).collect();
            *name = format!("  …{end}");
        }
    }
    let first = rows.iter().map(|[name, ..]| name.chars().count()).max().unwrap_or(0);
    let each = width.saturating_sub(first + BETWEEN) / 2;
    for [_, a, b] in rows {
        (*a, *b) = (ui::cut(a, each), ui::cut(b, each));
    }
}

/// A `≠` before what is not the same on both sides.
fn aligned(rows: &[[String; 3]]) -> String {
    let wide = |text: &String| text.chars().count();
    let first = rows.iter().map(|[name, ..]| wide(name)).max().unwrap_or(0);
    let second = rows.iter().map(|[_, a, _]| wide(a)).max().unwrap_or(0);
    let mut text = String::new();
    for [name, a, b] in rows {
        let mark = if a == b || name.is_empty() { " " } else { "≠" };
        text.push_str(format!("{mark} {name:<first$}  {a:<second$}  {b}").trim_end());
        text.push('\n');
    }
    text
}

fn short(text: &str) -> String {
    match text.char_indices().nth(WIDEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}

fn cost(spent: &Spent) -> String {
    match (spent.known_cost(), spent.unpriced_calls) {
        (None, _) => "unknown".to_owned(),
        (Some(usd), 0) => format!("{usd:.4} USD"),
        (Some(usd), _) => format!("{usd:.4} USD and more"),
    }
}

fn tokens(spent: &Spent) -> String {
    let about = if spent.estimated_calls > 0 { "~" } else { "" };
    spent.known_tokens().map_or_else(|| "unknown".to_owned(), |tokens| format!("{about}{tokens}"))
}

fn time(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    match seconds {
        0..60 => format!("{seconds}.{} s", milliseconds % 1000 / 100),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

fn tasks(run: &ComparedRun) -> String {
    run.tasks.map_or_else(|| "no plan".to_owned(), |tasks| format!("{} of {} done", tasks.done, tasks.total))
}

fn checks(run: &ComparedRun) -> String {
    let Some(checks) = run.checks.as_array().filter(|checks| !checks.is_empty()) else {
        return "none".to_owned();
    };
    let passed =
        checks.iter().filter(|check| check.get("passed").is_some_and(|passed| passed == true)).count();
    format!("{passed} of {} passed", checks.len())
}

fn gone() -> String {
    "its worktree is gone".to_owned()
}

fn change(run: &ComparedRun, name: &str) -> String {
    let Some(files) = &run.files else { return "?".to_owned() };
    let lines = |file: &ChangedFile| match (file.added, file.removed) {
        (Some(added), Some(removed)) => format!("+{added} -{removed}"),
        _ => "binary".to_owned(),
    };
    files.iter().find(|file| file.path == name).map_or_else(|| "–".to_owned(), lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_as_people_say_them() {
        for (milliseconds, said) in [
            (0, "0.0 s"),
            (1_250, "1.2 s"),
            (59_999, "59.9 s"),
            (61_000, "1 min 1 s"),
            (7_380_000, "2 h 3 min"),
        ] {
            assert_eq!(time(milliseconds), said);
        }
    }

    #[test]
    fn what_differs_is_marked_and_columns_are_aligned() {
        let rows = [["", "a-id", "b-id"], ["status", "failed", "completed"], ["tasks", "é", "é"]];
        let rows = rows.map(|row| row.map(str::to_owned));
        let expected = "          a-id    b-id\n≠ status  failed  completed\n  tasks   é       é\n";
        assert_eq!(aligned(&rows), expected);
    }

    #[test]
    fn columns_fit_a_narrow_terminal() {
        let title = "Accept empty lines in the parser of files";
        let path = format!("  src/{}/parser.rs", "deep/".repeat(12).trim_end_matches('/'));
        let mut rows = [["title", title, title].map(str::to_owned), [path, "+1 -1".into(), "+20 -3".into()]];
        fit(&mut rows, 80);
        let text = aligned(&rows);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.contains("deep/parser.rs  ") && text.contains("  Accept empty lin…"), "{text}");
        let before = rows.clone();
        fit(&mut rows, 80);
        assert_eq!(rows, before);
    }

    #[test]
    fn a_long_title_is_cut_between_letters() {
        assert_eq!(short(&"é".repeat(41)), format!("{}…", "é".repeat(40)));
        assert_eq!(short("short"), "short");
    }
}
