//! What people see of an agent while it works: shown at once, never stored.

use std::sync::Arc;

use amelia_core::driver::DeltaKind;
use amelia_core::id::{AgentName, RunId, Seq};
use amelia_core::message::{Message, Role};
use amelia_core::redact::Redactor;
use amelia_graph::node::NodeCx;

/// A piece of text that a model or a tool has just produced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delta {
    pub run: RunId,
    /// The conversation, when it is not the run's own: the same agent may have several at a time.
    pub session: Option<RunId>,
    pub agent: AgentName,
    pub kind: DeltaKind,
    pub text: String,
    /// Where the log ended then: it is shown behind that event, and before the next.
    pub after: Seq,
}

/// Where such pieces go.
pub type Live = Arc<dyn Fn(Delta) + Send + Sync>;

/// No one looks.
#[must_use]
pub fn unseen() -> Live {
    Arc::new(|_| {})
}

/// The pieces of one conversation, without secrets, however they are cut.
pub(crate) struct Streaming<'a> {
    agent: &'a AgentName,
    redactor: &'a Redactor,
    live: &'a Live,
    cx: &'a NodeCx,
    session: Option<RunId>,
    kind: DeltaKind,
    held: String,
    /// Nothing of an answer is shown before it is checked as a whole.
    is_held_back: bool,
}

impl<'a> Streaming<'a> {
    pub(crate) fn new(
        agent: &'a AgentName,
        redactor: &'a Redactor,
        live: &'a Live,
        cx: &'a NodeCx,
        is_held_back: bool,
    ) -> Self {
        let (session, kind, held) = (cx.session(), DeltaKind::Text, String::new());
        Self { agent, redactor, live, cx, session, kind, held, is_held_back }
    }

    /// An answer was accepted: what was held back of it is shown.
    pub(crate) fn accepted(&mut self, answer: &Message) {
        let text = answer.text();
        if self.is_held_back && answer.role == Role::Assistant && !text.is_empty() {
            (self.session, self.kind) = (self.cx.session(), DeltaKind::Text);
            self.show(self.redactor.text(&text).into_owned());
        }
    }

    /// A piece of the conversation in `session`: that of a helper is another one.
    pub(crate) fn feed(&mut self, session: Option<RunId>, kind: DeltaKind, text: &str) {
        if self.is_held_back {
            return;
        }
        if (session, kind) != (self.session, self.kind) {
            self.end();
            (self.session, self.kind) = (session, kind);
        }
        let shown = self.redactor.flow(&mut self.held, text);
        self.show(shown);
    }

    /// Nothing more comes: what was held back is no secret.
    pub(crate) fn end(&mut self) {
        let rest = std::mem::take(&mut self.held);
        self.show(rest);
    }

    fn show(&self, text: String) {
        if !text.is_empty() {
            let (agent, session, kind) = (self.agent.clone(), self.session, self.kind);
            let (run, after) = (self.cx.run(), self.cx.log_end());
            (self.live)(Delta { run, session, agent, kind, text, after });
        }
    }
}
