//! The other side: what it says, what is said to it, and its answers to what we ask.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::Refusal;
use crate::rpc::{RpcOutput, failed, succeeded};

/// One message of an editor.
pub(super) enum EditorMessage {
    Asked {
        id: Value,
        method: String,
        params: Value,
    },
    Told {
        method: String,
        params: Value,
    },
    /// To what we asked under this number; nothing when it could not.
    Answered {
        id: u64,
        outcome: Option<Value>,
    },
    Unreadable,
}

pub(super) fn read(message: Value) -> EditorMessage {
    let Value::Object(mut fields) = message else { return EditorMessage::Unreadable };
    let params = fields.remove("params").unwrap_or_default();
    match (fields.remove("method"), fields.remove("id")) {
        (Some(Value::String(method)), None) => EditorMessage::Told { method, params },
        (Some(Value::String(method)), Some(id)) => EditorMessage::Asked { id, method, params },
        (None, Some(id)) if fields.contains_key("result") || fields.contains_key("error") => {
            match id.as_u64() {
                Some(id) => EditorMessage::Answered { id, outcome: fields.remove("result") },
                None => EditorMessage::Unreadable,
            }
        }
        _ => EditorMessage::Unreadable,
    }
}

/// What is said to an editor.
pub(super) struct Editor {
    output: RpcOutput,
    asked: AtomicU64,
    awaited: Mutex<BTreeMap<u64, oneshot::Sender<Option<Value>>>>,
}

impl Editor {
    pub(super) fn new(output: RpcOutput) -> Self {
        Self { output, asked: AtomicU64::new(0), awaited: Mutex::default() }
    }

    pub(super) async fn send(&self, message: Value) {
        self.output.send(message).await;
    }

    pub(super) async fn answer(&self, id: &Value, result: &Value) {
        self.send(succeeded(id, result)).await;
    }

    pub(super) async fn refuse(&self, id: &Value, refusal: &Refusal) {
        self.send(failed(id, refusal.code, &refusal.message)).await;
    }

    /// Says what has happened in a session.
    pub(super) async fn update(&self, session: &str, update: Value) {
        let params = json!({"sessionId": session, "update": update});
        self.send(json!({"jsonrpc": "2.0", "method": "session/update", "params": params})).await;
    }

    /// Asks something, and waits for the answer; `None` when it was refused. May be dropped at any time.
    pub(super) async fn ask(&self, method: &str, params: &Value) -> Option<Value> {
        let id = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        let (answer, answered) = oneshot::channel();
        self.awaited.lock().insert(id, answer);
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        answered.await.ok().flatten()
    }

    /// Passes an answer on. One that came too late is for no one.
    pub(super) fn answered(&self, id: u64, outcome: Option<Value>) {
        if let Some(waiting) = self.awaited.lock().remove(&id) {
            waiting.send(outcome).ok();
        }
    }
}
