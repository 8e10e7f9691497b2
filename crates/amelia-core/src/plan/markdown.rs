//! A plan as people read it: written from data, and read back. Lenient in reading: models write Markdown in many ways.
//! Pure.

mod writing;

use super::lines::{Line, LineKind, lines};
use super::{FileOp, FileOperation, Plan, PlanStep, PlanTask};

pub use writing::write;

/// Reads a plan. What is not there is empty: `super::check` says what is missing.
#[must_use]
pub fn read(text: &str) -> Plan {
    let lines = lines(text);
    let mut plan = Plan::default();
    let first_task = lines.iter().position(|line| heading(line).is_some()).unwrap_or(lines.len());
    let head = lines.get(..first_task).unwrap_or_default();
    plan.goal = field(head, "goal").unwrap_or_default();
    plan.architecture = field(head, "architecture").unwrap_or_default();
    let stack = field(head, "tech stack").or_else(|| field(head, "tech-stack")).unwrap_or_default();
    plan.tech_stack =
        stack.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect();
    plan.tasks = sections(&lines).into_iter().map(|(id, title, body)| read_task(id, title, body)).collect();
    plan
}

/// The text of one task, from its heading to the next one's.
#[must_use]
pub fn section<'a>(text: &'a str, id: &str) -> Option<&'a str> {
    let lines = lines(text);
    let starts: Vec<(&str, usize)> =
        lines.iter().filter_map(|line| heading(line).map(|(id, _)| (id, line.start))).collect();
    let place = starts.iter().position(|(found, _)| *found == id)?;
    let (_, start) = starts.get(place)?;
    let end = starts.get(place + 1).map_or(text.len(), |(_, end)| *end);
    text.get(*start..end).map(str::trim_end)
}

/// Headings that are meant for tasks and cannot be read as such. A task that is left out without a word is not missed
/// until someone looks for its result.
#[must_use]
pub fn unreadable(text: &str) -> Vec<&str> {
    let is_meant = |line: &Line<'_>| {
        let Some(rest) = after_task(line) else { return false };
        let word = rest.split([':', ' ', '\t']).next().unwrap_or_default();
        let is_short = rest.contains(':') && word.len() <= 3;
        word.starts_with(|c: char| c.is_ascii_digit()) || is_short
    };
    let all = lines(text);
    let bad = all.iter().filter(|line| is_meant(line) && heading(line).is_none());
    bad.map(|line| line.text.trim()).collect()
}

/// What follows `### Task `, outside of code.
fn after_task<'a>(line: &Line<'a>) -> Option<&'a str> {
    if line.kind != LineKind::Plain {
        return None;
    }
    let rest = line.text.strip_prefix("###")?.strip_prefix([' ', '\t'])?.trim_start();
    Some(rest.strip_prefix("Task ").or_else(|| rest.strip_prefix("task "))?.trim_start())
}

/// `### Task 2.1: Title`, outside of code. The number and the title.
fn heading<'a>(line: &Line<'a>) -> Option<(&'a str, &'a str)> {
    let (id, title) = after_task(line)?.split_once(':')?;
    let id = id.trim();
    is_number(id).then(|| (id, without_closing(title)))
}

/// `2` or `2.1`: what a task is called in Markdown.
pub(super) fn is_number(id: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part.len() <= 9 && part.bytes().all(|b| b.is_ascii_digit());
    let mut parts = id.split('.');
    parts.next().is_some_and(is_part) && parts.next().is_none_or(is_part) && parts.next().is_none()
}

/// A heading without the signs that may close it. `C#` has none.
fn without_closing(heading: &str) -> &str {
    let mut text = heading.trim();
    loop {
        let bare = text.trim_end_matches('#');
        let is_apart = bare.is_empty() || bare.ends_with(char::is_whitespace);
        if bare.len() == text.len() || !is_apart {
            return text;
        }
        text = bare.trim_end();
    }
}

type Section<'l, 'a> = (&'a str, &'a str, &'l [Line<'a>]);

fn sections<'l, 'a>(lines: &'l [Line<'a>]) -> Vec<Section<'l, 'a>> {
    let places: Vec<usize> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| heading(line).is_some())
        .map(|(place, _)| place)
        .collect();
    let ends = places.iter().skip(1).copied().chain([lines.len()]);
    places
        .iter()
        .zip(ends)
        .filter_map(|(start, end)| {
            let (id, title) = heading(lines.get(*start)?)?;
            Some((id, title, lines.get(start + 1..end)?))
        })
        .collect()
}

fn read_task(id: &str, title: &str, body: &[Line<'_>]) -> PlanTask {
    let mut task = PlanTask { id: id.to_owned(), title: title.to_owned(), ..PlanTask::default() };
    let mut place = Place::Outside;
    let mut code: Option<Vec<&str>> = None;
    for line in body {
        match line.kind {
            LineKind::Fence => match code.take() {
                None => code = Some(Vec::new()),
                Some(code) => {
                    if let Some(step) = task.steps.last_mut() {
                        read_code(&code, step, &mut place);
                    }
                }
            },
            LineKind::Code => code.iter_mut().for_each(|code| code.push(line.text)),
            LineKind::Plain => read_line(line.text.trim(), &mut task, &mut place),
        }
    }
    task
}

fn read_code(code: &[&str], step: &mut PlanStep, place: &mut Place) {
    let code = code.join("\n");
    match place {
        Place::Command => {
            step.command = Some(code);
            *place = Place::Step;
        }
        Place::Step => {
            step.code.get_or_insert_with(|| code.trim_end_matches('\n').to_owned());
        }
        Place::Outside | Place::Files | Place::Acceptance => {}
    }
}

/// What a line belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Outside,
    Files,
    Acceptance,
    Step,
    /// In a step, after `Run:` with nothing behind it: the command is in the fence that follows.
    Command,
}

fn read_line(text: &str, task: &mut PlanTask, place: &mut Place) {
    if let Some((label, rest)) = label(text) {
        *place = Place::Outside;
        match label.to_lowercase().as_str() {
            "files" => *place = Place::Files,
            "done when" | "acceptance" | "acceptance criteria" => *place = Place::Acceptance,
            "depends on" | "dependencies" => task.dependencies = ids(rest),
            "commit" | "commit message" => {
                let message = unquoted(rest);
                task.commit_message = (!message.is_empty()).then(|| message.to_owned());
            }
            label if is_step(label) => {
                *place = Place::Step;
                task.steps.push(PlanStep { description: rest.to_owned(), ..PlanStep::default() });
            }
            _ => {}
        }
        return;
    }
    let bullet = text.strip_prefix("- ").or_else(|| text.strip_prefix("* ")).map(str::trim);
    match (bullet, *place) {
        (Some(item), Place::Files) => task.files.extend(file(item)),
        (Some(item), Place::Acceptance) => task.acceptance.push(item.to_owned()),
        (Some(item), Place::Outside | Place::Step | Place::Command) => {
            let item = ["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| item.strip_prefix(mark));
            if let Some(item) = item {
                *place = Place::Step;
                task.steps.push(PlanStep { description: item.to_owned(), ..PlanStep::default() });
            }
        }
        (None, Place::Step | Place::Command) if !text.is_empty() => {
            *place = Place::Step;
            task.steps.last_mut().into_iter().for_each(|step| read_of_step(text, step, place));
        }
        (None, _) => {}
    }
}

fn read_of_step(text: &str, step: &mut PlanStep, place: &mut Place) {
    if let Some(written) = text.strip_prefix("Run:") {
        step.command = Some(command(written.trim()).to_owned());
        if written.trim().is_empty() {
            *place = Place::Command;
        }
    } else if let Some(expected) = text.strip_prefix("Expected:") {
        step.expected_output = Some(expected.trim().to_owned());
    }
}

/// A command on one line: without backticks as it is, and between them as Markdown says, because those inside belong to
/// it. Where they do not fit together, it is not known which ones do.
fn command(text: &str) -> &str {
    let marks = text.len() - text.trim_start_matches('`').len();
    let closing = text.len() - text.trim_end_matches('`').len();
    if marks == 0 {
        return text;
    }
    let inner = text.get(marks..text.len().saturating_sub(closing)).unwrap_or_default();
    let is_closed_before = inner.split(|c| c != '`').any(|row| row.len() == marks);
    if marks != closing || inner.is_empty() || is_closed_before {
        return unquoted(text);
    }
    let padded = inner.strip_prefix(' ').and_then(|inner| inner.strip_suffix(' '));
    padded.filter(|bare| !bare.trim().is_empty()).unwrap_or(inner)
}

/// Without the backticks around it, however many and wherever spaces are between them.
fn unquoted(text: &str) -> &str {
    text.trim_matches(|c: char| c == '`' || c.is_whitespace())
}

fn is_step(label: &str) -> bool {
    label.strip_prefix("step ").is_some_and(|number| number.trim().bytes().all(|byte| byte.is_ascii_digit()))
}

/// `**Label:** rest` or `**Label: rest**`.
fn label(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix("**")?;
    let (bold, rest) = inner.split_once("**")?;
    match bold.split_once(':') {
        Some((label, more)) if more.trim().is_empty() => Some((label.trim(), rest.trim())),
        Some((label, more)) => Some((label.trim(), more.trim())),
        None => rest.trim_start().strip_prefix(':').map(|rest| (bold.trim(), rest.trim())),
    }
}

/// The text of a field before the first task: its line, and the plain lines that follow without a gap.
fn field(head: &[Line<'_>], name: &str) -> Option<String> {
    let mut lines = head.iter().skip_while(|line| {
        line.kind != LineKind::Plain
            || label(line.text.trim()).is_none_or(|(label, _)| !label.eq_ignore_ascii_case(name))
    });
    let first = label(lines.next()?.text.trim())?.1.to_owned();
    let more = lines
        .take_while(|line| {
            let text = line.text.trim();
            line.kind == LineKind::Plain
                && !text.is_empty()
                && !text.starts_with('#')
                && label(text).is_none()
        })
        .map(|line| line.text.trim());
    let parts: Vec<&str> =
        std::iter::once(first.as_str()).chain(more).filter(|part| !part.is_empty()).collect();
    Some(parts.join(" "))
}

/// `Task 1, Task 2.1`, `1, 2`, `none`.
fn ids(text: &str) -> Vec<String> {
    let words = text.split([',', ' ', ';']).map(|word| word.trim_matches(['`', '.', '*', '(', ')']));
    words.filter(|word| word.starts_with(|c: char| c.is_ascii_digit())).map(str::to_owned).collect()
}

/// ``Create: `src/a.rs:10-20` ``.
fn file(item: &str) -> Option<FileOp> {
    let (name, rest) = item.split_once(':')?;
    let operation = match name.trim().trim_matches('*').to_lowercase().as_str() {
        "create" | "new" | "add" => FileOperation::Create,
        "modify" | "change" | "edit" | "update" | "delete" | "remove" => FileOperation::Modify,
        "test" | "tests" => FileOperation::Test,
        _ => return None,
    };
    let rest = rest.trim().trim_start_matches("**").trim();
    let quoted = rest.split_once('`').and_then(|(_, rest)| rest.split_once('`')).map(|(path, _)| path);
    let bare = || rest.split_whitespace().next().unwrap_or_default().split('`').find(|part| !part.is_empty());
    let path = quoted.or_else(bare).unwrap_or_default().trim();
    let (path, line_range) = match path.rsplit_once(':') {
        Some((path, range)) if range.starts_with(|c: char| c.is_ascii_digit()) => {
            (path, Some(range.to_owned()))
        }
        _ => (path, None),
    };
    (!path.is_empty()).then(|| FileOp { operation, path: path.to_owned(), line_range })
}
