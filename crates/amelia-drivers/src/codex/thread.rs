//! How a conversation is opened, resumed and continued: what is said, in the program's own words. Pure.

use amelia_core::driver::AgentRequest;
use amelia_core::tool::{ToolSpec, WorkArea};
use serde_json::{Value, json};

use super::{CodexSettings, launch, outgoing};
use crate::program::UserInput;

/// Everything that a conversation is opened with.
pub(super) struct Terms<'a> {
    pub(super) settings: &'a CodexSettings,
    pub(super) request: &'a AgentRequest,
    pub(super) work_area: &'a WorkArea,
    pub(super) extras: &'a [ToolSpec],
}

impl Terms<'_> {
    /// A new conversation.
    pub(super) fn start(&self) -> Value {
        let mut params = self.common();
        if !self.extras.is_empty() {
            insert(&mut params, "dynamicTools", outgoing::tools(self.extras));
        }
        params
    }

    /// One that the program still has, with the tools that it had then.
    pub(super) fn resume(&self, thread: &str) -> Value {
        let mut params = self.common();
        insert(&mut params, "threadId", json!(thread));
        insert(&mut params, "excludeTurns", json!(true));
        params
    }

    fn common(&self) -> Value {
        let mut params = json!({
            "cwd": self.work_area.path,
            "model": self.request.model,
            "approvalPolicy": launch::policy(self.work_area, self.settings),
            "sandbox": launch::sandbox(self.work_area, self.settings),
            "developerInstructions": launch::instructions(self.request),
        });
        if self.settings.is_proxied {
            // A conversation remembers whom it was with; the proxy may have another address by now.
            insert(&mut params, "modelProvider", json!("amelia"));
        }
        params
    }

    /// The next turn.
    pub(super) fn turn(&self, thread: &str, input: &UserInput) -> Value {
        let mut params = json!({"threadId": thread, "input": outgoing::input(input)});
        if let Some(effort) = &self.request.options.reasoning {
            insert(&mut params, "effort", json!(effort));
        }
        if let Some(shape) = &self.request.answer {
            insert(&mut params, "outputSchema", shape.schema.clone());
        }
        params
    }
}

fn insert(params: &mut Value, name: &str, value: Value) {
    if let Some(fields) = params.as_object_mut() {
        fields.insert(name.to_owned(), value);
    }
}
