//! What was said in a session, for an editor that opens it again.

use amelia_core::event::{Event, EventKind, HumanEvent};
use amelia_core::id::RunId;
use amelia_core::view::RunRow;
use amelia_wire::rest::Page;
use anyhow::Result;
use serde_json::{Value, json};

use super::updates::{UpdateMaker, message};
use crate::client::Client;
use crate::follow::plan;

/// Events in a page.
const PAGE: u64 = 500;
/// As many of the last events of a run as an editor is shown.
const LAST: u64 = 2_000;

/// A run as it was shown: its task, what happened, and its plan.
pub(super) async fn updates(client: &Client, run: RunId) -> Result<Vec<Value>> {
    let row = client.row(run).await?;
    let mut maker = UpdateMaker::default();
    let mut updates = vec![user_message(&row.run.spec.title)];
    let mut after = row.view.seq.0.saturating_sub(LAST);
    if after > 0 {
        updates.push(message(&format!("{after} earlier events are not shown.\n\n")));
    }
    while after < row.view.seq.0 {
        let events = page(client, &row, after).await?;
        let Some(last) = events.last() else { break };
        after = last.seq.0;
        for event in &events {
            updates.extend(reply(event).map(|words| user_message(&words)));
            updates.extend(maker.event(event));
        }
    }
    if let Some(markdown) = plan(client, run).await? {
        let done = row.view.task.as_ref().map_or(0, |task| task.index);
        updates.extend(maker.plan(&markdown, done));
    }
    Ok(updates)
}

async fn page(client: &Client, row: &RunRow, after: u64) -> Result<Vec<Event>> {
    let path = format!("/workflows/{}/events?format=log&limit={PAGE}&after={after}", row.run.id);
    let page: Page<Event> = client.get(&path).await?;
    Ok(page.items)
}

/// What a person answered in words.
fn reply(event: &Event) -> Option<String> {
    match &event.draft.kind {
        EventKind::Human(HumanEvent::Replied(reply)) if !reply.is_automatic() => reply.message.clone(),
        _ => None,
    }
}

fn user_message(text: &str) -> Value {
    json!({"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": text}})
}
