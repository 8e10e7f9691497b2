//! An agent is reminded at the beginning of a turn: what it remembers that fits its first word becomes a part of that word, so a
//! turn that is resumed or replayed has the same.

use amelia_agents::agent::AgentStop;
use amelia_agents::conversation;
use amelia_agents::moment::moment;
use amelia_core::memory::RECALL;
use amelia_core::message::{MemoryPart, Message, Part, TextPart};
use amelia_core::tag::{UNTRUSTED, tagged};
use amelia_graph::node::NodeCx;
use serde_json::Value;

use super::seat::Turn;

impl Turn<'_> {
    /// The opening with what the agent is reminded of. Only the first word of a turn reminds.
    pub(super) async fn reminded(
        &self,
        talk: &NodeCx,
        opening: Message,
        number: u32,
    ) -> Result<(Message, Option<MemoryPart>), AgentStop> {
        let recall = self.parts.recalls.get(&self.rules.full(self.agent));
        let Some(recall) = recall.filter(|_| number == 1) else { return Ok((opening, None)) };
        if let Some(said) = conversation::was_said(talk.past().await?, talk, &opening) {
            return Ok((opening, memory_part(said)));
        }
        let moment = moment(talk, &opening.agent, RECALL);
        let found = recall.recall(&moment, &opening.text()).await;
        let with = match &found {
            Some(part) => with_reminder(opening, part),
            None => opening,
        };
        Ok((with, found))
    }
}

fn memory_part(said: &Message) -> Option<MemoryPart> {
    said.parts.iter().find_map(|part| match part {
        Part::Memory(part) => Some(part.clone()),
        _ => None,
    })
}

/// What templates see of a reminder.
pub(super) fn items(part: &MemoryPart) -> Vec<Value> {
    let items = part.content.as_ref().and_then(|content| content.get("items"));
    items.and_then(Value::as_array).cloned().unwrap_or_default()
}

/// The reminder as text for the model, and as data for everyone else.
fn with_reminder(opening: Message, part: &MemoryPart) -> Message {
    let text = |item: &Value, key: &str| item.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let shown = |item: &Value| {
        let source = [text(item, "id"), text(item, "key"), text(item, "scope"), text(item, "by")];
        let source: Vec<&str> = source.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        tagged(UNTRUSTED, &text(item, "text"), &source.join(", "))
    };
    let shown: Vec<String> = items(part).iter().map(shown).collect();
    let reminder = format!("What is in memory about this, and may be outdated:\n{}", shown.join("\n"));
    let more = [Part::Text(TextPart::new(reminder)), Part::Memory(part.clone())];
    let parts = opening.parts.into_iter().chain(more).collect();
    Message { parts, ..opening }
}
