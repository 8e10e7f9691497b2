//! Names of the moments at which the files of a run are looked at, so that a recording can answer again.

use amelia_core::id::{AgentName, RunId, Step};
use amelia_graph::node::NodeCx;

/// The name of a moment in a conversation: a call, its beginning or its end.
#[must_use]
pub fn moment(cx: &NodeCx, agent: &AgentName, what: &str) -> String {
    moment_of(Some(cx.step()), cx.session(), agent, what)
}

/// The same, as an event of the log names it.
#[must_use]
pub fn moment_of(step: Option<Step>, session: Option<RunId>, agent: &AgentName, what: &str) -> String {
    let step = step.map(|step| step.to_string()).unwrap_or_default();
    let session = session.map(|session| session.to_string()).unwrap_or_default();
    format!("{step}/{session}/{agent}/{what}")
}
