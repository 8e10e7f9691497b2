//! Runs as a table: a line each, as wide as the terminal.

use std::borrow::Cow;
use std::path::Path;

use amelia_core::human::HumanRequest;
use amelia_core::quota::ExhaustedQuota;
use amelia_core::run::RunStatus;
use amelia_core::view::RunRow;
use amelia_flows::team::node_label;
use amelia_wire::rest::delivery::UndoneWay;
use amelia_wire::rest::why::Worker;
use anstyle::Style;
use jiff::Timestamp;
use unicode_width::UnicodeWidthStr as _;

use crate::ui;

/// Columns between two columns.
const GAP: usize = 2;
/// More of a repository's name is not needed to tell it from others.
const WIDEST_REPOSITORY: usize = 20;
/// A title is not cut below this.
const SHORTEST_TITLE: usize = 20;

/// A run of a list.
pub(super) struct SeenRun {
    pub(super) row: RunRow,
    pub(super) worker: Worker,
    /// It was merged, and that was undone.
    pub(super) undone: Option<UndoneWay>,
    /// A person has merged it with git.
    pub(super) is_merged_by_hand: bool,
}

/// One line of the table.
struct Line {
    run: String,
    repository: String,
    status: String,
    style: Style,
    title: String,
    age: String,
}

/// The runs below a line of headings, at most `width` columns wide. The repository is named if a run is of another one
/// than `here`.
pub(super) fn table<'a>(
    rows: impl Iterator<Item = &'a SeenRun>,
    now: Timestamp,
    width: Option<usize>,
    here: Option<&Path>,
) -> String {
    let rows: Vec<&SeenRun> = rows.collect();
    let names_repository =
        rows.iter().filter_map(|seen| repository(&seen.row)).any(|repository| Some(repository) != here);
    let lines: Vec<Line> = rows.iter().map(|seen| line(seen, now)).collect();
    let widest = |heading: &str, column: fn(&Line) -> &str| {
        lines.iter().map(|line| column(line).width()).chain([heading.len()]).max().unwrap_or_default()
    };
    let (run, status) = (widest("RUN", |line| &line.run), widest("STATUS", |line| &line.status));
    let (title, age) = (widest("TITLE", |line| &line.title), widest("CREATED", |line| &line.age));
    let place = match names_repository {
        true => widest("REPOSITORY", |line| &line.repository) + GAP,
        false => 0,
    };
    let others = run + status + place + age + 3 * GAP;
    let title = width
        .map_or(title, |width| width.saturating_sub(others).clamp(SHORTEST_TITLE, title.max(SHORTEST_TITLE)));
    let shown = |[a, b, c, d, e]: [&str; 5], style: Style| {
        let status = ui::painted(style, b) + &" ".repeat(status - b.width());
        let place = if names_repository { padded(c, place) } else { String::new() };
        let cut = padded(&ui::cut(d, title), title);
        format!("{a:<run$}  {status}  {place}{cut}  {e}").trim_end().to_owned()
    };
    let heading = ui::dim(shown(["RUN", "STATUS", "REPOSITORY", "TITLE", "CREATED"], Style::new()));
    let body = lines
        .iter()
        .map(|line| shown([&line.run, &line.status, &line.repository, &line.title, &line.age], line.style));
    [heading].into_iter().chain(body).collect::<Vec<_>>().join("\n")
}

fn padded(text: &str, width: usize) -> String {
    text.to_owned() + &" ".repeat(width.saturating_sub(text.width()))
}

/// `None` for a run outside of any repository.
fn repository(row: &RunRow) -> Option<&Path> {
    let place = row.run.spec.place.as_ref()?;
    (!place.is_workspace()).then_some(place.repository.as_path())
}

fn line(SeenRun { row, worker, undone, is_merged_by_hand }: &SeenRun, now: Timestamp) -> Line {
    let RunRow { run, view } = row;
    let (word, style) = match is_merged_by_hand {
        true => ("merged".to_owned(), ui::style_of(RunStatus::Completed)),
        false => state_of(row, worker, *undone),
    };
    let nodes: Vec<Cow<'_, str>> = view.active_nodes().map(|node| node_label(node.as_str())).collect();
    let resets_at = ExhaustedQuota::waited_for(view).map(|(_, used_up)| used_up.resets_at);
    let status = match (view.status, resets_at) {
        (RunStatus::Waiting(_), Some(at)) => format!("resumes {}", ui::left(at, now)),
        (RunStatus::Running, _) if word == "retrying" => word,
        (RunStatus::Running, _) if word == "running" && !nodes.is_empty() => {
            format!("running: {}", nodes.join(", "))
        }
        _ => word,
    };
    let (title, age) = (ui::one_line(&run.spec.title), ui::ago(run.created_at, now));
    let repository = repository(row).and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let repository = ui::cut(&ui::one_line(&repository), WIDEST_REPOSITORY);
    Line { run: run.number.to_string(), repository, status: ui::cut(&status, 28), style, title, age }
}

/// Where a run stands, in its colour.
pub(super) fn state(row: &RunRow, worker: &Worker, undone: Option<UndoneWay>) -> String {
    let (word, style) = state_of(row, worker, undone);
    ui::painted(style, word)
}

fn state_of(row: &RunRow, worker: &Worker, undone: Option<UndoneWay>) -> (String, Style) {
    match row.view.status {
        RunStatus::Running if matches!(worker, Worker::Stalled(_)) => ("stalled".to_owned(), ui::WAITS),
        RunStatus::Running if *worker == Worker::None => ("interrupted".to_owned(), ui::WAITS),
        RunStatus::Running if row.view.retry.is_some() => ("retrying".to_owned(), ui::WAITS),
        RunStatus::Failed if row.view.lacks_key() => ("waiting: key".to_owned(), ui::WAITS),
        RunStatus::Waiting(reason) => {
            let topic = row.view.asked().map_or_else(|| reason.to_string(), HumanRequest::topic);
            (format!("waiting: {topic}"), ui::style_of(row.view.status))
        }
        RunStatus::Completed if undone.is_some() => ("merge undone".to_owned(), ui::WAITS),
        RunStatus::Completed if row.view.merged.is_some() => {
            ("merged".to_owned(), ui::style_of(RunStatus::Completed))
        }
        status => (row.view.status_words(), ui::style_of(status)),
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::clock::{Clock as _, SystemClock};
    use amelia_core::human::HumanKind;
    use amelia_core::id::{GraphName, RunId, RunNumber};
    use amelia_core::run::{Run, RunSpec};
    use amelia_core::view::RunView;
    use anstream::adapter::strip_str;

    use super::*;

    fn row(number: u64, status: RunStatus, title: &str, age: i64) -> SeenRun {
        let spec = RunSpec::new(GraphName::new("implementation").unwrap(), title);
        let run = Run {
            id: RunId(SystemClock.new_id()),
            number: RunNumber(number),
            spec,
            created_at: Timestamp::from_second(1_000_000 - age).unwrap(),
        };
        let row = RunRow { run, view: RunView { status, ..RunView::default() } };
        SeenRun { row, worker: Worker::Moving, undone: None, is_merged_by_hand: false }
    }

    #[test]
    fn a_run_that_a_person_merged_is_called_merged() {
        let seen = SeenRun { is_merged_by_hand: true, ..row(1, RunStatus::Completed, "Fix the parser", 30) };
        let shown = strip_str(&table([&seen].into_iter(), seen.row.run.created_at, None, None)).to_string();
        assert!(shown.contains("r1   merged  Fix the parser"), "{shown}");
    }

    #[test]
    fn the_table_fits_the_terminal() {
        let rows = [
            row(12, RunStatus::Waiting(HumanKind::Approval), "Fix the parser", 30),
            row(3, RunStatus::Completed, &"日本 and a title that is much too long ".repeat(4), 7200),
        ];
        let now = Timestamp::from_second(1_000_000).unwrap();
        let shown = strip_str(&table(rows.iter(), now, Some(60), None)).to_string();
        assert_eq!(
            shown,
            "RUN  STATUS             TITLE                       CREATED\n\
             r12  waiting: approval  Fix the parser              30 s ago\n\
             r3   completed          日本 and a title that is …  2 h ago"
        );
        let [waiting, _] = &rows;
        let word = strip_str(&state(&waiting.row, &waiting.worker, None)).to_string();
        assert_eq!(word, "waiting: approval", "one run alone has the same word");
        let whole = strip_str(&table(rows.iter(), now, None, None)).to_string();
        assert!(whole.contains("much too long 日本"), "{whole}");
    }

    #[test]
    fn runs_of_other_repositories_name_them() {
        let at = |number, repository: &str| {
            let mut seen = row(number, RunStatus::Completed, "Fix the parser", 30);
            let place = serde_json::json!({"repository": repository, "key": "k", "base_commit": "c", "in_place": false});
            seen.row.run.spec.place = Some(serde_json::from_value(place).unwrap());
            seen
        };
        let now = Timestamp::from_second(1_000_000).unwrap();
        let shown = |rows: &[SeenRun], here: Option<&str>| {
            strip_str(&table(rows.iter(), now, None, here.map(Path::new))).to_string()
        };
        let several = shown(&[at(1, "/src/calc"), at(2, "/src/site")], Some("/src/calc"));
        assert_eq!(
            several,
            "RUN  STATUS     REPOSITORY  TITLE           CREATED\n\
             r1   completed  calc        Fix the parser  30 s ago\n\
             r2   completed  site        Fix the parser  30 s ago"
        );
        let one = [at(1, "/src/calc")];
        assert!(!shown(&one, Some("/src/calc")).contains("REPOSITORY"));
        let mut alone = at(3, "/home/workspaces/01a1f27e-2d85-7081-9a9a-0123456789ab");
        if let Some(place) = &mut alone.row.run.spec.place {
            place.in_place = true;
        }
        assert!(!shown(&[at(1, "/src/calc"), alone], Some("/src/calc")).contains("REPOSITORY"));
        for elsewhere in [None, Some("/src/site")] {
            assert!(shown(&one, elsewhere).contains(" calc "), "{elsewhere:?}");
        }
    }
}
