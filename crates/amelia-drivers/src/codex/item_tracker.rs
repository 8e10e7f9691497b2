//! What the program has in hand: items that have begun and not ended. Pure.

use std::collections::BTreeMap;

use amelia_core::driver::AgentMessage;
use amelia_core::tool::ToolCall;

use super::item::{Item, ItemTranslator};

/// Items under way, by their id.
#[derive(Debug, Clone, Default)]
pub(super) struct ItemTracker {
    busy: BTreeMap<String, (Item, ToolCall)>,
}

impl ItemTracker {
    /// An item that has not ended.
    pub(super) fn item(&self, id: &str) -> Option<&Item> {
        self.busy.get(id).map(|(item, _)| item)
    }

    /// It takes something up. Said once, however often it says so.
    pub(super) fn begun(
        &mut self,
        translator: &ItemTranslator<'_>,
        id: &str,
        item: &Item,
    ) -> Vec<AgentMessage> {
        let Some(call) = translator.call(item) else { return Vec::new() };
        match self.busy.insert(id.to_owned(), (item.clone(), call.clone())) {
            None => vec![AgentMessage::ToolCall(call)],
            Some(_) => Vec::new(),
        }
    }

    /// It has done something, perhaps without having said that it begins.
    pub(super) fn done(
        &mut self,
        translator: &ItemTranslator<'_>,
        id: &str,
        item: &Item,
    ) -> Vec<AgentMessage> {
        let notice = |text: String| vec![AgentMessage::Notice { text }];
        match item {
            Item::AgentMessage { text } if text.trim().is_empty() => return Vec::new(),
            Item::AgentMessage { text } => return vec![translator.factory.said(text.as_str())],
            Item::Reasoning { summary, content, text } => {
                let thoughts = [summary.join("\n\n"), content.join("\n\n"), text.clone()];
                let thought = thoughts.into_iter().find(|thought| !thought.trim().is_empty());
                return thought.map(|text| AgentMessage::Thinking { text }).into_iter().collect();
            }
            Item::ContextCompaction {} => {
                return notice("codex has shortened the conversation to fit its model".to_owned());
            }
            Item::Error { message } => return notice(format!("codex: {message}")),
            _ => {}
        }
        let Some(call) = translator.call(item) else { return Vec::new() };
        let begun = self.busy.remove(id).map(|(_, call)| call);
        let result = translator.result(item, begun.as_ref().unwrap_or(&call));
        let announced = begun.is_none().then_some(AgentMessage::ToolCall(call));
        announced.into_iter().chain([AgentMessage::ToolResult(result)]).collect()
    }
}
