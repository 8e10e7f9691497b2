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
    use super::*;

    #[test]
    fn text_of_a_run_cannot_make_links_in_slack() {
        assert_eq!(escaped("<!channel> a & b"), "&lt;!channel&gt; a &amp; b");
    }
}
