//! What a driver gets besides the conversation: where its exchanges are recorded, where it counts its usage, and the context of
//! its tools.

use std::sync::Arc;

use amelia_core::driver::{DeltaKind, UsageMeter};
use amelia_core::event::{AgentEvent, EventKind};
use amelia_core::recording::Channel;
use amelia_core::tool::ToolCx;
use amelia_graph::node::NodeCx;
use parking_lot::Mutex;

use super::Agent;
use crate::live::Delta;

impl Agent {
    /// All that is said from outside in one visit, in one conversation.
    pub(super) fn channel(&self, cx: &NodeCx) -> Channel {
        let session = cx.session().map(|session| session.to_string()).unwrap_or_default();
        Channel::new(Arc::clone(&self.tape), format!("{}/{session}/{}", cx.step(), self.name))
    }

    /// The use of a dropped call is written with the next facts, at the latest with the end of the visit.
    pub(super) fn meter(&self, cx: &NodeCx) -> UsageMeter {
        let (cx, name) = (cx.clone(), self.name.clone());
        UsageMeter::new(move |usage| {
            cx.note(vec![cx.draft(&name, EventKind::Agent(AgentEvent::Used(usage)))]);
        })
    }

    /// Tools show their output to the same people, and stop with the run.
    pub(super) fn tool_cx(&self, cx: &NodeCx) -> ToolCx {
        let (live, agent) = (Arc::clone(&self.live), self.name.clone());
        let (run, session) = (cx.run(), cx.session());
        let (redactor, log_end) = (Arc::clone(&self.redactor), cx.log_end());
        // A secret may come in two pieces. What is held back at the end of a command stands in its result.
        let held = Mutex::new(String::new());
        ToolCx {
            cancel: cx.cancel().child_token(),
            progress: Arc::new(move |text: &str| {
                let text = redactor.flow(&mut held.lock(), text);
                if !text.is_empty() {
                    let (agent, kind) = (agent.clone(), DeltaKind::Tool);
                    live(Delta { run, session, agent, kind, text, after: log_end });
                }
            }),
            ..ToolCx::default()
        }
    }
}
