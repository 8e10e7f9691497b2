//! How often a node may be visited before a person decides.

use amelia_core::config::workflow::NodeDef;
use amelia_core::event::{Event, EventKind};
use amelia_core::human::{HumanKind, HumanRequest, asks};
use amelia_graph::node::{NodeCx, NodeError};
use serde_json::json;

use crate::chat::{Chat, ChatUpdate};

/// Whether a node may be visited once more.
pub(super) enum VisitLimit {
    /// It may; what a person has allowed for that is kept.
    Within(Option<Box<ChatUpdate>>),
    Asks(Box<HumanRequest>),
}

/// `max_iterations` of a node: reached, a person decides.
pub(super) async fn visit_limit(
    cx: &NodeCx,
    name: &str,
    def: &NodeDef,
    state: &Chat,
) -> Result<VisitLimit, NodeError> {
    let Some(limit) = def.max_iterations else { return Ok(VisitLimit::Within(None)) };
    let visits = state.visits.get(name).cloned().unwrap_or_default();
    if visits.count < limit.saturating_add(visits.granted) {
        return Ok(VisitLimit::Within(None));
    }
    let is_answered = cx.answered().is_some_and(|answered| answered.request.kind == HumanKind::Rounds);
    if is_answered || has_begun(&cx.recorded().await?) {
        let granted = ChatUpdate::Granted { node: name.to_owned(), visits: limit };
        return Ok(VisitLimit::Within(Some(Box::new(granted))));
    }
    let times = if visits.count == 1 { "once".to_owned() } else { format!("{} times", visits.count) };
    let prompt = format!("`{name}` was visited {times}, which is its limit: visit it again?");
    let context = json!({"asks": asks::VISIT_LIMIT});
    let request = HumanRequest { context, ..cx.request(HumanKind::Rounds, prompt) };
    Ok(VisitLimit::Asks(Box::new(request)))
}

/// Whether the work of a visit has begun, which is only after a person has allowed it: what it is answered after that is about
/// something else.
fn has_begun(events: &[Event]) -> bool {
    events.iter().any(|event| matches!(event.draft.kind, EventKind::Agent(_)))
}
