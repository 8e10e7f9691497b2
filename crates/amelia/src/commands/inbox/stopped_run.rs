//! Runs that stopped and ask nothing: they have failed, or were interrupted. What the inbox says about them.

use amelia_core::event::run::DAMAGED;
use amelia_core::problem::{LABEL, Problem};
use amelia_core::run::RunStatus;
use amelia_core::view::RunRow;
use amelia_host::home::Home;
use amelia_wire::rest::run::StoredRun;
use amelia_wire::rest::why::{UNKNOWN_MODEL, Worker, may_need_other_agents, why};
use anyhow::Result;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::heading;
use crate::after_failure::with_agents;
use crate::client::Client;
use crate::reach;
use crate::ui;

/// A run that does not continue by itself.
pub(super) struct StoppedRun {
    row: RunRow,
    worker: Worker,
}

/// All of them.
pub(super) async fn stopped_runs(client: &Client, home: &Home) -> Result<Vec<StoppedRun>> {
    let rows = client.stored("status=failed,running&limit=100").await?;
    let is_elsewhere = reach::is_elsewhere(client, home);
    let is_stopped = |(row, worker): &(RunRow, Worker)| match row.view.status {
        RunStatus::Failed => true,
        RunStatus::Running => !is_elsewhere && *worker == Worker::None,
        _ => false,
    };
    let stopped = rows.into_iter().map(StoredRun::split).filter(is_stopped);
    Ok(stopped.map(|(row, worker)| StoppedRun { row, worker }).collect())
}

impl StoppedRun {
    /// Since when it has stood still, as far as its log knows.
    pub(super) fn since(&self) -> Timestamp {
        self.row.view.updated_at.unwrap_or(self.row.run.created_at)
    }

    fn has_failed(&self) -> bool {
        self.row.view.status == RunStatus::Failed
    }

    /// The kind of its object in JSON, and the word for people.
    fn kind(&self) -> &'static str {
        if self.has_failed() { "failed" } else { "interrupted" }
    }

    fn problem(&self) -> Problem {
        match self.has_failed() {
            true => Problem::parse(&why(&self.row, &self.worker).map(|why| why.message).unwrap_or_default()),
            false => Problem::new("no server is running it; `resume` continues it where it stopped"),
        }
    }

    /// The fields of a question; what only a question has is `null`.
    pub(super) fn item(&self) -> Value {
        let RunRow { run, view } = &self.row;
        let context = view.failure.as_ref().filter(|_| self.has_failed());
        json!({
            "request_id": null,
            "workflow_id": run.id.0,
            "short_id": run.number.to_string(),
            "title": run.spec.title,
            "kind": self.kind(),
            "agent": null,
            "prompt": self.problem().to_text(),
            "context": context.map(|failure| json!({"error_code": failure.code})),
            "can_accept": false,
            "about_checks": false,
            "can_allow_always": false,
            "requested_at": self.since(),
            "deadline": null,
            "on_timeout": null,
            "mode": null,
            "estimate": null,
            "changed_nothing": null,
        })
    }

    /// Why it stopped, and the commands that continue or end it.
    pub(super) fn lines(&self, me: &str) -> String {
        let RunRow { run, .. } = &self.row;
        let number = run.number;
        let way = match self.has_failed() {
            true => resume_way(&self.row, me),
            false => format!("{me} resume {number}"),
        };
        let Problem { message, hint } = self.problem();
        let hint = hint.map(|hint| format!("\n  {LABEL} {}", ui::one_line(&hint))).unwrap_or_default();
        format!(
            "{}\n  {}{hint}\n  {}",
            heading(&number.to_string(), &run.spec.title, &ui::painted(ui::BAD, self.kind()), self.since()),
            ui::one_line(&message),
            ui::dim(format!("{way}; {me} why {number}; {me} cancel {number}"))
        )
    }
}

/// The command that continues a failed run, if that alone may help.
fn resume_way(row: &RunRow, me: &str) -> String {
    match row.view.failure.as_ref().map(|failure| failure.code.as_str()) {
        Some(UNKNOWN_MODEL) if may_need_other_agents(row) => with_agents(row, me),
        // At the last intact checkpoint.
        Some(DAMAGED) => format!("{me} fork {}", row.run.number),
        Some(_) | None => format!("{me} resume {}", row.run.number),
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::event::run::RunFailure;
    use amelia_core::id::{GraphName, RunId, RunNumber};
    use amelia_core::run::{Run, RunSpec};
    use amelia_core::view::RunView;

    use super::*;

    fn stopped(view: RunView) -> StoppedRun {
        let run = Run {
            id: RunId(uuid::Uuid::nil()),
            number: RunNumber(4),
            spec: RunSpec::new(GraphName::new("g").unwrap(), "It adds"),
            created_at: Timestamp::UNIX_EPOCH,
        };
        StoppedRun { row: RunRow { run, view }, worker: Worker::None }
    }

    fn failed() -> StoppedRun {
        let failure = RunFailure::new("setup", Problem::new("no key").with_hint("set it"));
        stopped(RunView { status: RunStatus::Failed, failure: Some(failure), ..RunView::default() })
    }

    #[test]
    fn a_run_that_stopped_says_why_and_what_continues_it() {
        let shown = |run: &StoppedRun| anstream::adapter::strip_str(&run.lines("amelia")).to_string();
        let interrupted = shown(&stopped(RunView { status: RunStatus::Running, ..RunView::default() }));
        assert!(interrupted.starts_with("r4 It adds  interrupted "), "{interrupted}");
        assert!(interrupted.contains("\n  amelia resume r4; "), "{interrupted}");
        assert!(interrupted.contains("`resume` continues it where it stopped"), "{interrupted}");
        let failed = shown(&failed());
        assert!(failed.contains("\n  no key\n  hint: set it\n  amelia resume r4; "), "{failed}");
    }

    #[test]
    fn the_object_of_a_run_that_stopped_says_why() {
        let item = failed().item();
        assert_eq!((&item["kind"], &item["short_id"]), (&json!("failed"), &json!("r4")));
        assert_eq!(item["context"], json!({"error_code": "setup"}));
        assert_eq!(Problem::parse(item["prompt"].as_str().unwrap()).hint.as_deref(), Some("set it"));
        let item = stopped(RunView { status: RunStatus::Running, ..RunView::default() }).item();
        assert_eq!((&item["kind"], &item["context"]), (&json!("interrupted"), &Value::Null));
    }
}
