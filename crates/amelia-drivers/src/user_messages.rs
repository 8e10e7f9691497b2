//! What reaches our own agent loop between its turns: the words of a person, and other tools of MCP servers. Live, and kept;
//! or from a recording, at the same place in the conversation.

use std::sync::Arc;

use amelia_core::message::Message;
use amelia_core::recording::{Channel, FrameSource, Playback};
use amelia_core::redact::Redactor;
use amelia_core::tool::{ToolBox, ToolSpec};
use async_trait::async_trait;
use futures_util::FutureExt;
use serde::{Deserialize, Serialize};

/// Listens.
#[async_trait]
pub trait UserMessageSource: Send + Sync {
    /// What a person has said and no agent has read yet, if there is something now.
    fn heard(&self, tools: &dyn ToolBox, channel: &Channel) -> Option<Message>;

    /// The tools of the next turn, if they are others than the last one had.
    async fn changed_tools(
        &self,
        tools: &dyn ToolBox,
        last: &[ToolSpec],
        channel: &Channel,
    ) -> Option<Vec<ToolSpec>>;
}

/// Tools of servers in a recording.
#[derive(Serialize, Deserialize)]
struct KeptTools {
    /// Not `tools`: the requests to models have such a field.
    mcp_tools: Vec<ToolSpec>,
}

/// Words in a recording, among the exchanges with the model.
#[derive(Serialize, Deserialize)]
struct UserMessageFrame {
    heard: Message,
}

/// Hears people, and keeps what they say.
pub struct LiveUserMessages(pub Arc<Redactor>);

#[async_trait]
impl UserMessageSource for LiveUserMessages {
    fn heard(&self, tools: &dyn ToolBox, channel: &Channel) -> Option<Message> {
        let heard = tools.heard().now_or_never()?;
        let kept = UserMessageFrame { heard: self.0.clean(heard) };
        // A message always has a text.
        if let Ok(body) = serde_json::to_vec(&kept) {
            channel.add(FrameSource::Model, body);
        }
        Some(kept.heard)
    }

    async fn changed_tools(
        &self,
        tools: &dyn ToolBox,
        last: &[ToolSpec],
        channel: &Channel,
    ) -> Option<Vec<ToolSpec>> {
        let fresh = tools.refresh(None).await.filter(|fresh| fresh != last)?;
        let of_servers = fresh.iter().filter(|spec| spec.name.server.is_some()).cloned().collect();
        if let Ok(body) = serde_json::to_vec(&self.0.clean(KeptTools { mcp_tools: of_servers })) {
            channel.add(FrameSource::Model, body);
        }
        Some(fresh)
    }
}

/// Hears what was heard.
pub struct PlayedUserMessages(pub Arc<Playback>);

#[async_trait]
impl UserMessageSource for PlayedUserMessages {
    fn heard(&self, _: &dyn ToolBox, channel: &Channel) -> Option<Message> {
        let read = |body: &[u8]| serde_json::from_slice::<UserMessageFrame>(body).ok();
        let piece = self.0.next_if(FrameSource::Model, &channel.name, |body| read(body).is_some())?;
        read(&piece.body).map(|kept| kept.heard)
    }

    async fn changed_tools(
        &self,
        tools: &dyn ToolBox,
        _: &[ToolSpec],
        channel: &Channel,
    ) -> Option<Vec<ToolSpec>> {
        let read = |body: &[u8]| serde_json::from_slice::<KeptTools>(body).ok();
        let piece = self.0.next_if(FrameSource::Model, &channel.name, |body| read(body).is_some())?;
        tools.refresh(Some(&read(&piece.body)?.mcp_tools)).await
    }
}
