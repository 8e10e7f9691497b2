//! What a notification says. Pure.

use amelia_core::event::{Event, EventKind, RunEvent};
use amelia_core::human::HumanKind;
use amelia_core::view::RunRow;
use amelia_wire::rest::flat_run::FlatRun;
use serde_json::{Value, json};

use super::config::{NoticeKind, WebhookFormat};

/// Something that people want to hear of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Notice {
    pub(super) kind: NoticeKind,
    /// The same when it is sent again.
    pub(super) delivery: String,
    at: String,
}

impl Notice {
    /// Nothing for events that no one waits for: a pause that a person made, a limit that ends by itself, and what
    /// happens to the runs of helpers.
    pub(super) fn of(event: &Event) -> Option<Self> {
        let EventKind::Run(run) = &event.draft.kind else { return None };
        let kind = match run {
            RunEvent::Paused { reason: HumanKind::Pause | HumanKind::Quota } => return None,
            RunEvent::Paused { .. } => NoticeKind::NeedsYou,
            RunEvent::Completed { .. } => NoticeKind::Completed,
            RunEvent::Failed { .. } => NoticeKind::Failed,
            _ => return None,
        };
        let is_root = event.draft.session.is_none();
        is_root.then(|| Self { kind, delivery: event.draft.id.0.to_string(), at: event.draft.at.to_string() })
    }
}

/// The body of the request.
pub(super) fn body(format: WebhookFormat, notice: &Notice, row: &RunRow, run: &FlatRun, url: &str) -> Value {
    let text = text(notice.kind, row, run);
    match format {
        WebhookFormat::Slack => json!({"text": format!("{}\n<{url}|Open in Amelia>", escaped(&text))}),
        WebhookFormat::Json => json!({
            "event": notice.kind.word(),
            "delivery": notice.delivery,
            "at": notice.at,
            "text": text,
            "url": url,
            "run": run,
        }),
    }
}

/// The result first: what a person wants to know without opening anything.
fn text(kind: NoticeKind, row: &RunRow, run: &FlatRun) -> String {
    let (id, title) = (&run.short_id, &run.title);
    match kind {
        NoticeKind::NeedsYou => {
            let asked =
                row.view.pending.last().map(|request| request.prompt.lines().next().unwrap_or_default());
            format!("{id} needs you: {title}\n{}", asked.unwrap_or_default())
        }
        NoticeKind::Failed => {
            let error = run.error.as_deref().and_then(|error| error.lines().next()).unwrap_or_default();
            format!("{id} failed: {title}\n{error}")
        }
        NoticeKind::Completed => {
            let mut lines = vec![format!("{id} is done: {title}")];
            lines.extend(run.summary.iter().map(|summary| summary.trim().to_owned()));
            let cost = run.cost_usd.map(|usd| format!("{usd:.2} USD"));
            let facts: Vec<String> = run.branch.clone().into_iter().chain(cost).collect();
            lines.extend((!facts.is_empty()).then(|| facts.join(", ")));
            lines.join("\n")
        }
    }
}

/// As Slack wants its three special characters.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use amelia_core::event::run::RunFailure;
    use amelia_core::id::{GraphName, RunId, RunNumber};
    use amelia_core::problem::Problem;
    use amelia_core::run::{Run, RunSpec, RunStatus};
    use amelia_core::view::RunView;
    use amelia_wire::rest::why::Worker;
    use jiff::Timestamp;

    use super::*;

    const URL: &str = "http://127.0.0.1:8420/ui/runs/1";

    /// The body that tells of a run in this state, and the run in it.
    fn sent(format: WebhookFormat, kind: NoticeKind, view: RunView) -> (Value, FlatRun) {
        let run = Run {
            id: RunId(uuid::Uuid::nil()),
            number: RunNumber(7),
            spec: RunSpec::new(GraphName::new("g").unwrap(), "Add <two> numbers"),
            created_at: Timestamp::UNIX_EPOCH,
        };
        let row = RunRow { run, view };
        let flat = FlatRun::new(&row, &Worker::None, None, Some("amelia/s-1".to_owned()));
        let notice = Notice { kind, delivery: "d1".to_owned(), at: "2026-01-01T00:00:00Z".to_owned() };
        (body(format, &notice, &row, &flat, URL), flat)
    }

    fn failed() -> RunView {
        let failure = RunFailure::new("setup", Problem::new("no key & no model").with_hint("set it"));
        RunView { status: RunStatus::Failed, failure: Some(failure), ..RunView::default() }
    }

    #[test]
    fn a_failed_run_is_told_with_its_error_and_as_an_object() {
        let (told, flat) = sent(WebhookFormat::Json, NoticeKind::Failed, failed());
        let expected = json!({
            "event": "failed",
            "delivery": "d1",
            "at": "2026-01-01T00:00:00Z",
            "text": "r7 failed: Add <two> numbers\nno key & no model",
            "url": URL,
            "run": flat,
        });
        assert_eq!(told, expected);
    }

    #[test]
    fn slack_is_told_the_same_in_its_own_marks_with_a_link() {
        let (told, _) = sent(WebhookFormat::Slack, NoticeKind::Failed, failed());
        let text =
            format!("r7 failed: Add &lt;two&gt; numbers\nno key &amp; no model\n<{URL}|Open in Amelia>");
        assert_eq!(told, json!({ "text": text }));
        let completed = RunView {
            status: RunStatus::Completed,
            summary: Some("It adds.\n".to_owned()),
            ..RunView::default()
        };
        let (told, _) = sent(WebhookFormat::Slack, NoticeKind::Completed, completed);
        let text = format!(
            "r7 is done: Add &lt;two&gt; numbers\nIt adds.\namelia/s-1, 0.00 USD\n<{URL}|Open in Amelia>"
        );
        assert_eq!(told, json!({ "text": text }));
    }

    #[test]
    fn text_of_a_run_cannot_make_links_in_slack() {
        assert_eq!(escaped("<!channel> a & b"), "&lt;!channel&gt; a &amp; b");
    }
}
