//! How things look on a terminal. Plain when piped; nothing but JSON with `--json`.

use std::io::{IsTerminal, Write};
use std::os::fd::AsFd;
use std::path::Path;

use amelia_core::artifact::ARTIFACTS_URI;
use amelia_core::budget::Spend;
use amelia_core::check::CheckResult;
use amelia_core::event::{EventKind, ReviewEvent, TaskEvent};
use amelia_core::problem::{LABEL, Problem};
use amelia_core::review::{Disposition, EvaluatedItem, ReviewComment};
use amelia_core::run::RunStatus;
use amelia_core::shell_word::{path_word, shell_word};
use amelia_wire::rest::travel::ChangedFile;
use anstyle::{AnsiColor, Style};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::cli::Global;
use crate::cli_error::{Exit, exit_of, problem_of};
use crate::wrap::{self, fitted};

/// Columns of a terminal that does not say how many it has.
const DEFAULT_WIDTH: usize = 80;
/// Lines of one that does not say it.
const DEFAULT_HEIGHT: usize = 24;
/// Columns that the rest of a line is indented by.
pub(crate) const HANG: usize = 2;

/// Prints a text for people, broken between words where the terminal ends.
macro_rules! say {
    ($($words:tt)*) => {
        $crate::ui::say_lines(&format!($($words)*))
    };
}
pub(crate) use say;

pub(crate) fn say_lines(text: &str) {
    say_hanging(text, HANG);
}

/// The same; what is broken off stands `hang` columns deeper than its line.
pub(crate) fn say_hanging(text: &str, hang: usize) {
    anstream::println!("{}", fitted(text, hang, columns()));
}

/// A command to paste, behind what it is for.
pub(crate) fn say_command(label: &str, text: &str) {
    anstream::println!("{}", labelled_command(label, text));
}

/// The same, to be shown among other lines.
pub(crate) fn labelled_command(label: &str, text: &str) -> String {
    format!("{} {}", dim(label), wrap::command(text, label.width() + 1, columns()))
}

pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
pub(crate) const BUSY: Style = AnsiColor::Cyan.on_default();
pub(crate) const WAITS: Style = AnsiColor::Yellow.on_default();

/// `text` in `style`.
pub(crate) fn painted(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

pub(crate) fn dim(text: impl std::fmt::Display) -> String {
    painted(DIM, text)
}

pub(crate) fn bold(text: impl std::fmt::Display) -> String {
    painted(BOLD, text)
}

/// How this program was called, with the server or the home it was given: the beginning of a command that can be pasted.
pub(crate) fn command(global: &Global) -> String {
    match (&global.server, &global.home) {
        (Some(server), _) => format!("{} --server {}", me(), shell_word(server)),
        // The environment says it for the next command, too.
        (None, Some(home)) if std::env::var_os("AMELIA_HOME").is_some_and(|set| set == **home) => me(),
        (None, Some(home)) => command_in(home),
        (None, None) => me(),
    }
}

/// The same, for a home.
pub(crate) fn command_in(home: &Path) -> String {
    format!("{} --home {}", me(), path_word(home))
}

fn me() -> String {
    path_word(Path::new(&std::env::args_os().next().unwrap_or_else(|| "amelia".into())))
}

/// An error and, on its own line, the way out. A run that waits, or that the person stopped, has not failed.
pub(crate) fn say_error(error: &anyhow::Error) {
    let problem = problem_of(error);
    match exit_of(error) {
        Exit::Waiting | Exit::Findings | Exit::Interrupted => say_note(&problem),
        Exit::Failed | Exit::Usage | Exit::Unreachable | Exit::NotFound | Exit::Conflict => {
            say_problem(&painted(BAD.bold(), "error:"), &problem);
        }
    }
}

/// What a person should know, and on its own line what to do about it.
pub(crate) fn say_note(problem: &Problem) {
    say_problem(&painted(WAITS.bold(), "note:"), problem);
}

fn say_problem(label: &str, Problem { message, hint }: &Problem) {
    let mut text = format!("{label} {}", clean(message));
    if let Some(hint) = hint {
        text += &format!("\n  {} {}", painted(WAITS, LABEL), clean(hint));
    }
    anstream::eprintln!("{}", fitted(&text, HANG, columns_of(std::io::stderr())));
}

/// The same for a program: one object.
pub(crate) fn say_error_as_json(code: &str, problem: &Problem) {
    let Problem { message, hint } = problem;
    anstream::eprintln!("{}", serde_json::json!({"code": code, "message": message, "hint": hint}));
}

/// A full disk behind standard output ends the program like any other failure: what was done is kept, and commands that
/// run are ended by their supervisor. The macros that print know no other way to say it than a panic.
pub(crate) fn stop_when_nothing_can_be_said() {
    let otherwise = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let told = info.payload_as_str().unwrap_or_default();
        let Some((_, reason)) =
            told.strip_prefix("failed printing to ").and_then(|told| told.split_once(": "))
        else {
            return otherwise(info);
        };
        let problem = Problem::new(format!("the output cannot be written: {reason}"))
            .with_hint("free some space, then `amelia status` shows what can be resumed");
        // Standard error may be on the same disk.
        writeln!(std::io::stderr(), "error: {}", problem.to_text()).ok();
        std::process::exit(1);
    }));
}

/// Text from outside, without the power to steer the terminal.
pub(crate) fn clean(text: &str) -> String {
    let steers = |c: char| (c.is_control() && c != '\n' && c != '\t') || is_direction(c);
    text.chars().map(|c| if steers(c) { '\u{FFFD}' } else { c }).collect()
}

/// Turns the direction of the text after it, so that a person reads something else than what is there.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// The same, on one line.
pub(crate) fn one_line(text: &str) -> String {
    clean(text.trim_end()).replace('\n', " ⏎ ").replace('\t', " ")
}

/// As much of a text as fits, and a sign that there is more.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut room = width.saturating_sub(1);
    let fits = |c: &char| {
        let wide = c.width().unwrap_or(0);
        let is_room = wide <= room;
        room = room.saturating_sub(wide);
        is_room
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

/// What belongs below the line of an event, indented: the end of what failing checks printed, what a review found.
pub(crate) fn lines_below(kind: &EventKind, indent: usize) -> String {
    match kind {
        EventKind::Task(TaskEvent::Checked { checks, .. }) => {
            checks.iter().filter_map(CheckResult::tail).map(|tail| quoted_lines(&tail, indent)).collect()
        }
        EventKind::Review(ReviewEvent::Completed { review, .. }) => {
            review.comments.iter().map(|comment| quoted_lines(&found(comment), indent)).collect()
        }
        EventKind::Review(
            ReviewEvent::Evaluated { evaluation, .. } | ReviewEvent::RevisionRequested { evaluation, .. },
        ) => evaluation.items.iter().map(|item| quoted_lines(&decided(item), indent)).collect(),
        _ => String::new(),
    }
}

/// What the Evaluator decided about a finding, and why.
fn decided(item: &EvaluatedItem) -> String {
    let decision = match item.disposition {
        Disposition::Implement => "to implement",
        Disposition::Reject => "rejected",
        Disposition::Defer => "deferred",
        Disposition::Clarify => "to clarify",
    };
    match item.reason.trim() {
        "" => format!("{decision}: {}", item.title.trim()),
        reason => format!("{decision}: {} ({reason})", item.title.trim()),
    }
}

/// A comment of a review, with its place.
fn found(comment: &ReviewComment) -> String {
    let text = comment.text.trim();
    match (&comment.file, comment.line) {
        (Some(file), Some(line)) => format!("{file}:{line}: {text}"),
        (Some(file), None) => format!("{file}: {text}"),
        (None, _) => text.to_owned(),
    }
}

/// What a program printed, below the line that it belongs to.
pub(crate) fn quoted_lines(text: &str, indent: usize) -> String {
    let blanks = " ".repeat(indent);
    text.lines().map(|line| format!("\n{blanks}{}", dim(format!("| {}", one_line(line))))).collect()
}

/// What was spent. What no provider reported is unknown, not zero.
pub(crate) fn cost(spend: &Spend) -> String {
    let tokens = match spend.tokens {
        0 => "tokens unknown".to_owned(),
        tokens => format!("{tokens} tokens"),
    };
    let calls = match spend.calls {
        0 => return "no model calls".to_owned(),
        1 => "1 model call".to_owned(),
        calls => format!("{calls} model calls"),
    };
    let cost = match spend.unpriced_calls {
        0 => format!("{calls}, {tokens}, {:.4} USD", spend.usd),
        unknown if unknown >= spend.calls => format!("{calls}, {tokens}, cost unknown"),
        1 => format!("{calls}, {tokens}, {:.4} USD and 1 call of unknown cost", spend.usd),
        unknown => format!("{calls}, {tokens}, {:.4} USD and {unknown} calls of unknown cost", spend.usd),
    };
    match spend.estimated_calls {
        0 => cost,
        1 => format!("{cost} (1 call is estimated)"),
        calls => format!("{cost} ({calls} calls are estimated)"),
    }
}

/// Whether a person is there to see and to answer.
pub(crate) fn is_interactive() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Asks the person at the terminal; no without one.
pub(crate) fn confirm(question: &str) -> std::io::Result<bool> {
    if !is_interactive() {
        return Ok(false);
    }
    loop {
        anstream::print!("{} ", fitted(&painted(WAITS, format!("{question} [y/N] ›")), HANG, columns()));
        std::io::stdout().flush()?;
        let mut line = String::new();
        std::io::stdin().read_line(&mut line)?;
        if line.trim() != "?" {
            return Ok(matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes"));
        }
        say!("{}", dim("y: yes; n, or an empty line: no, and nothing changes"));
    }
}

/// `1 worktree`, `2 worktrees`.
pub(crate) fn counted(number: usize, thing: &str) -> String {
    match (number, thing.strip_suffix("cy")) {
        (1, _) => format!("1 {thing}"),
        (_, Some(stem)) => format!("{number} {stem}cies"),
        (_, None) => format!("{number} {thing}s"),
    }
}

/// A changed file, and how much.
pub(crate) fn change_line(change: &ChangedFile) -> String {
    // A name with a line end in it must not look like two.
    let path = one_line(&change.path);
    match (change.added, change.removed) {
        (Some(added), Some(removed)) => {
            format!("  {path} {} {}", painted(GOOD, format!("+{added}")), painted(BAD, format!("-{removed}")))
        }
        _ => format!("  {path} {}", dim("binary")),
    }
}

/// A status in its colour.
pub(crate) fn status(status: RunStatus) -> String {
    painted(style_of(status), status)
}

/// The colour of a status.
pub(crate) fn style_of(status: RunStatus) -> Style {
    match status {
        RunStatus::Pending => DIM,
        RunStatus::Running => BUSY,
        RunStatus::Waiting(_) => WAITS,
        RunStatus::Completed => GOOD,
        RunStatus::Failed | RunStatus::Cancelled => BAD,
    }
}

/// How many characters fit a line of the terminal.
pub(crate) fn width() -> usize {
    columns().unwrap_or(DEFAULT_WIDTH)
}

/// The same; nothing where standard output is no terminal, so that no line needs to be broken.
pub(crate) fn columns() -> Option<usize> {
    columns_of(std::io::stdout())
}

/// How many lines the terminal shows.
pub(crate) fn rows() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok().map(|size| usize::from(size.ws_row));
    size.filter(|rows| *rows > 0).unwrap_or(DEFAULT_HEIGHT)
}

fn columns_of(stream: impl AsFd + IsTerminal) -> Option<usize> {
    if !stream.is_terminal() {
        return None;
    }
    let size = rustix::termios::tcgetwinsize(stream).ok().map(|size| usize::from(size.ws_col));
    size.filter(|columns| *columns > 0).or(Some(DEFAULT_WIDTH))
}

/// Hours, minutes, seconds and milliseconds, in the time zone of this machine.
pub(crate) fn clock_time(at: Timestamp) -> String {
    clock_time_in(&TimeZone::system(), at)
}

/// Day and time, in the time zone of this machine.
pub(crate) fn day_time(at: Timestamp) -> String {
    day_time_in(&TimeZone::system(), at)
}

fn clock_time_in(zone: &TimeZone, at: Timestamp) -> String {
    at.to_zoned(zone.clone()).strftime("%H:%M:%S%.3f").to_string()
}

fn day_time_in(zone: &TimeZone, at: Timestamp) -> String {
    at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// A path as a shell takes it. On a terminal it is short: `~` stands for the user's directory.
pub(crate) fn path(path: &Path) -> String {
    short_path(path, columns().and_then(|_| std::env::home_dir()).as_deref())
}

fn short_path(path: &Path, home: Option<&Path>) -> String {
    let below = home.filter(|home| home.parent().is_some()).and_then(|home| path.strip_prefix(home).ok());
    match below {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => one_line(&format!("~/{}", rest.display())),
        None => one_line(&path.to_string_lossy()),
    }
}

/// How long ago it was.
pub(crate) fn ago(at: Timestamp, now: Timestamp) -> String {
    match now.duration_since(at).as_secs() {
        seconds @ ..120 => format!("{} s ago", seconds.max(0)),
        seconds @ 120..7200 => format!("{} min ago", seconds / 60),
        seconds @ 7200..172_800 => format!("{} h ago", seconds / 3600),
        seconds => format!("{} days ago", seconds / 86_400),
    }
}

/// How long it is until then.
pub(crate) fn left(at: Timestamp, now: Timestamp) -> String {
    match at.duration_since(now).as_secs() {
        ..=0 => "soon".to_owned(),
        seconds @ 1..120 => format!("in {seconds} s"),
        seconds @ 120..7200 => format!("in {} min", seconds / 60),
        seconds => format!("in {} h", seconds / 3600),
    }
}

/// What happened, with artifacts as `amelia artifact` names them.
pub(crate) fn summary(kind: &EventKind) -> String {
    match kind {
        EventKind::Artifact(_) => kind.summary().replacen(ARTIFACTS_URI, "", 1),
        _ => kind.summary(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_cannot_steer_a_terminal() {
        for (text, expected) in [
            ("a\x1b[2Jb", "a\u{FFFD}[2Jb"),
            ("a\u{9b}2Jb", "a\u{FFFD}2Jb"),
            ("a\r\x07\x7fb", "a\u{FFFD}\u{FFFD}\u{FFFD}b"),
            ("a\u{202e}b\u{2066}c", "a\u{FFFD}b\u{FFFD}c"),
            ("é\n\tß", "é\n\tß"),
        ] {
            assert_eq!(clean(text), expected, "{text:?}");
        }
        assert_eq!(one_line("a\n\tb\n"), "a ⏎  b");
    }

    #[test]
    fn times_are_those_of_the_machine() {
        let (zone, at) = (TimeZone::fixed(jiff::tz::offset(2)), "2026-03-01T22:30:05.25Z".parse().unwrap());
        assert_eq!(day_time_in(&zone, at), "2026-03-02 00:30:05");
        assert_eq!(clock_time_in(&zone, at), "00:30:05.250");
    }

    #[test]
    fn a_path_below_the_users_directory_is_short() {
        let short = |path: &str| short_path(Path::new(path), Some(Path::new("/home/ada")));
        assert_eq!(short("/home/ada/.amelia/w"), "~/.amelia/w");
        assert_eq!(short("/home/ada"), "~");
        assert_eq!(short("/home/adam/x"), "/home/adam/x");
        assert_eq!(short_path(Path::new("/x"), Some(Path::new("/"))), "/x");
        assert_eq!(short_path(Path::new("/x"), None), "/x");
    }

    #[test]
    fn cost_counts_calls_in_plain_english() {
        let spend =
            |calls, unpriced_calls| Spend { calls, unpriced_calls, tokens: 7, usd: 0.5, ..Spend::default() };
        for (spend, expected) in [
            (Spend::default(), "no model calls"),
            (spend(1, 0), "1 model call, 7 tokens, 0.5000 USD"),
            (spend(2, 0), "2 model calls, 7 tokens, 0.5000 USD"),
            (spend(1, 1), "1 model call, 7 tokens, cost unknown"),
            (spend(3, 1), "3 model calls, 7 tokens, 0.5000 USD and 1 call of unknown cost"),
            (spend(3, 2), "3 model calls, 7 tokens, 0.5000 USD and 2 calls of unknown cost"),
        ] {
            assert_eq!(cost(&spend), expected);
        }
    }

    #[test]
    fn an_artifact_has_the_path_that_commands_take() {
        let uri = "file://artifacts/documents/report.md".to_owned();
        let kind = EventKind::Artifact(amelia_core::event::ArtifactEvent::Deleted { uri });
        assert_eq!(summary(&kind), "documents/report.md deleted");
    }
}
