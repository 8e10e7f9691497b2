//! Conversations that span visits, kept in memory from one visit to the next: each visit reads only what is new.

use std::collections::HashMap;
use std::sync::Arc;

use amelia_core::event::Event;
use amelia_core::id::{AgentName, RunId};
use amelia_core::message::Message;
use amelia_graph::node::NodeCx;
use parking_lot::Mutex;

use crate::conversation::{self, RebuiltConversation};
use crate::short_term::folded;

/// The threads of one agent, for as long as a process moves its run.
#[derive(Debug, Default)]
pub struct KeptThreads(Mutex<HashMap<RunId, RebuiltConversation>>);

impl KeptThreads {
    /// The conversation of `agent` in the session of `cx`, whose events are `past`.
    pub(crate) fn read(&self, cx: &NodeCx, past: &[Event], agent: &AgentName) -> Vec<Arc<Message>> {
        match cx.session().filter(|_| cx.is_thread()) {
            Some(session) => folded(self.0.lock().entry(session).or_default().read_on(past, agent)),
            None => conversation::rebuild(past, agent),
        }
    }
}
