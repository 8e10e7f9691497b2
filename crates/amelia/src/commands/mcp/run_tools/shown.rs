//! A run as a model reads it, with the calls that move it on, and the same for a program.

use amelia_core::human::{HumanKind, HumanRequest};
use amelia_core::problem::Problem;
use amelia_core::run::RunStatus;
use amelia_core::view::RunRow;
use amelia_mcp::CallAnswer;
use amelia_wire::rest::flat_run::FlatRun;
use amelia_wire::rest::human::Pending;
use anyhow::Result;
use serde_json::{Value, json};

use crate::client::Client;
use crate::follow::{has_problems, open_question, plan};
use crate::outcome;

/// As much of a plan as is shown with its question.
const LONGEST_PLAN: usize = 20_000;

/// A call that did what it was asked.
pub(super) fn done(text: impl Into<String>, structured: Value) -> CallAnswer {
    CallAnswer { text: text.into(), structured: Some(structured), is_error: false }
}

/// A run, after `said` was done to it. Some clients show a model only what is meant for programs, so both say the same.
pub(super) async fn run(client: &Client, row: &RunRow, said: Option<&str>) -> Result<CallAnswer> {
    let flat = client.flat(row.run.id).await?;
    let mut lines: Vec<String> = said.map(str::to_owned).into_iter().collect();
    lines.push(headline(&flat));
    lines.extend(flat.reason.as_deref().filter(|_| !row.view.status.is_final()).map(reason));
    lines.extend(row.view.failure.iter().map(|failure| Problem::parse(&failure.message).to_text()));
    let outcome = client.outcome(row).await?;
    lines.extend(outcome.iter().flat_map(outcome::lines).map(|line| plain(&line)));
    let asked = open_question(row);
    let plan = match asked.is_some_and(HumanRequest::is_about_plan) {
        true => plan(client, row.run.id).await?.map(|plan| cut(&plan, LONGEST_PLAN)),
        false => None,
    };
    lines.extend(plan.iter().map(|plan| format!("\n{plan}\n")));
    let next = next(row, asked);
    lines.push(format!("Next: {next}"));
    let questions: Vec<Pending> = Pending::of(row).collect();
    let structured = json!({"done": said, "run": flat, "outcome": outcome, "plan": plan, "questions": questions,
        "next": next});
    Ok(done(lines.join("\n"), structured))
}

/// One line about a run.
pub(super) fn headline(run: &FlatRun) -> String {
    let waits = run.waiting_for.as_deref().filter(|_| run.status.as_str() != "running");
    let waits = waits.map(|what| format!(", waiting for: {what}")).unwrap_or_default();
    format!("{} ({}{waits}) {}", run.short_id, run.status.as_str(), run.title)
}

fn reason(reason: &str) -> String {
    format!("It says: {reason}")
}

/// The calls that move a run on.
fn next(row: &RunRow, asked: Option<&HumanRequest>) -> String {
    let run = row.run.number;
    match (row.view.status, asked) {
        (RunStatus::Pending, _) if row.view.queued_at.is_none() => format!("`resume` {run} starts it"),
        (RunStatus::Pending | RunStatus::Running, _) => {
            format!("it works by itself; `status` {run} with `wait: true` waits for it")
        }
        (RunStatus::Waiting(HumanKind::Approval), Some(request)) if request.asked_call().is_some() => {
            format!("ask the person; then `approve` {run} allows the call, or `reject` {run} refuses it")
        }
        (RunStatus::Waiting(HumanKind::Approval), Some(request)) if has_problems(request) => {
            format!("`reject` {run} with feedback: this plan cannot be approved")
        }
        (RunStatus::Waiting(HumanKind::Approval), _) => {
            format!("show it to the person; then `approve` {run}, or `reject` {run} with feedback")
        }
        (RunStatus::Waiting(HumanKind::Question), _) => format!("ask the person; then `answer` {run}"),
        (RunStatus::Waiting(HumanKind::Escalation), Some(request)) if request.is_about_interrupted_call() => {
            format!(
                "ask the person; then `answer` {run} with `yes` (run it again), `no`, or `accept` (it is done)"
            )
        }
        (RunStatus::Waiting(HumanKind::Rounds | HumanKind::Escalation), request) => {
            let accept = if request.is_some_and(HumanRequest::can_accept) { "`accept`, " } else { "" };
            format!(
                "ask the person; then `answer` {run} with `yes` (try again), {accept}`stop`, or words for the agent"
            )
        }
        (RunStatus::Waiting(HumanKind::Budget), _) => {
            format!(
                "ask the person; then `answer` {run} with a new limit, such as `5 USD`; or `cancel` {run}"
            )
        }
        (RunStatus::Waiting(_), _) => format!("`resume` {run}, or `cancel` {run}"),
        (RunStatus::Failed, _) => format!("remove the cause, then `resume` {run}"),
        (RunStatus::Completed, _) if row.view.merged.is_some() => {
            format!("nothing; `diff` {run} shows the changes")
        }
        (RunStatus::Completed, _) => {
            format!("`diff` {run} shows the changes; `merge` {run} merges them, if the person agrees")
        }
        (RunStatus::Cancelled, _) => format!("nothing; `diff` {run} shows what it had changed"),
    }
}

/// Text without the colours of a terminal.
pub(super) fn plain(line: &str) -> String {
    anstream::adapter::strip_str(line).to_string()
}

/// As much of a text as there is room for, and that there is more.
pub(super) fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}\n… ({} bytes in all)", text.get(..end).unwrap_or_default(), text.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_says_so() {
        assert_eq!(cut("übung", 5), "übung");
        assert_eq!(cut("übungen", 2), "üb\n… (8 bytes in all)");
    }
}
