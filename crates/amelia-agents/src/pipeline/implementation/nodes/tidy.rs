//! Ends the parts whose work is in the whole, or was given up. After the merges are durable, so that a part is there for
//! as long as anybody may ask for it.

use std::sync::Arc;

use amelia_core::event::{EventKind, SystemEvent};
use amelia_core::message::Object;
use amelia_core::problem::Problem;
use amelia_core::workplace::UncommittedWork;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;

use super::note;
use crate::pipeline::implementation::deps::Deps;
use crate::pipeline::implementation::state::lanes::LaneChange;
use crate::pipeline::implementation::state::{Implementation, Update};

pub struct CleanupNode(pub Arc<Deps>);

#[async_trait]
impl Node<Implementation> for CleanupNode {
    async fn run(&self, cx: &NodeCx, state: &Implementation) -> Result<Outcome<Update>, NodeError> {
        for part in &state.lanes.closing {
            let unsaved = if part.is_given_up { UncommittedWork::Discard } else { UncommittedWork::Keep };
            // What cannot go is in no one's way: it is kept, and said.
            if let Err(error) = self.0.place.close(&part.key, unsaved).await {
                let message =
                    Problem::from(error).about(format!("the worktree of {} is kept", part.key)).to_text();
                note(cx, EventKind::System(SystemEvent::Warned { message, details: Object::new() }));
            }
        }
        Ok(Outcome::Done(vec![Update::Lanes(LaneChange::Tidied)]))
    }
}
