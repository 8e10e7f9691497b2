//! How often a node may be visited before a person decides. Pure but for the question's id.

use amelia_core::config::workflow::NodeDef;
use amelia_core::human::{HumanKind, HumanRequest};
use amelia_graph::node::NodeCx;

use crate::chat::{Chat, ChatUpdate};

/// Whether a node may be visited once more.
pub(super) enum VisitLimit {
    /// It may; what a person has allowed for that is kept.
    Within(Option<Box<ChatUpdate>>),
    Asks(Box<HumanRequest>),
}

/// `max_iterations` of a node: reached, a person decides.
pub(super) fn visit_limit(cx: &NodeCx, name: &str, def: &NodeDef, state: &Chat) -> VisitLimit {
    let Some(limit) = def.max_iterations else { return VisitLimit::Within(None) };
    let visits = state.visits.get(name).cloned().unwrap_or_default();
    if visits.count < limit.saturating_add(visits.granted) {
        return VisitLimit::Within(None);
    }
    let is_answered = cx.answered().is_some_and(|answered| answered.request.kind == HumanKind::Rounds);
    if is_answered {
        return VisitLimit::Within(Some(Box::new(ChatUpdate::Granted {
            node: name.to_owned(),
            visits: limit,
        })));
    }
    let prompt = format!("`{name}` was visited {} times, which is its limit: visit it again?", visits.count);
    VisitLimit::Asks(Box::new(cx.request(HumanKind::Rounds, prompt)))
}
