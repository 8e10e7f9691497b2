//! How our own agent loop hears what a person says between its turns: live, and kept; or from a recording, at the same
//! place in the conversation.

use std::sync::Arc;

use amelia_core::message::Message;
use amelia_core::recording::{Channel, FrameSource, Playback};
use amelia_core::redact::Redactor;
use amelia_core::tool::ToolBox;
use futures_util::FutureExt;
use serde::{Deserialize, Serialize};

/// Listens.
pub trait UserMessageSource: Send + Sync {
    /// What a person has said and nobody has heard yet, if there is something now.
    fn heard(&self, tools: &dyn ToolBox, channel: &Channel) -> Option<Message>;
}

/// Words in a recording, among the exchanges with the model.
#[derive(Serialize, Deserialize)]
struct Kept {
    heard: Message,
}

/// Hears people, and keeps what they say.
pub struct LiveUserMessages(pub Arc<Redactor>);

impl UserMessageSource for LiveUserMessages {
    fn heard(&self, tools: &dyn ToolBox, channel: &Channel) -> Option<Message> {
        let heard = tools.heard().now_or_never()?;
        let kept = Kept { heard: self.0.clean(heard) };
        // A message always has a text.
        if let Ok(body) = serde_json::to_vec(&kept) {
            channel.add(FrameSource::Model, body);
        }
        Some(kept.heard)
    }
}

/// Hears what was heard.
pub struct PlayedUserMessages(pub Arc<Playback>);

impl UserMessageSource for PlayedUserMessages {
    fn heard(&self, _: &dyn ToolBox, channel: &Channel) -> Option<Message> {
        let read = |body: &[u8]| serde_json::from_slice::<Kept>(body).ok();
        let piece = self.0.next_if(FrameSource::Model, &channel.name, |body| read(body).is_some())?;
        read(&piece.body).map(|kept| kept.heard)
    }
}
