//! JSON-RPC, one message a line, as programs speak it: with the field that says so, and without. Pure.

use serde::Deserialize;
use serde_json::Value;

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RpcMessage {
    /// It tells us something.
    Told {
        method: String,
        params: Value,
    },
    /// It wants an answer under this id.
    Asked {
        id: Value,
        method: String,
        params: Value,
    },
    /// It answers what we asked under this number.
    Answered {
        id: u64,
        result: Value,
    },
    Refused {
        id: u64,
        refusal: RpcError,
    },
}

#[derive(Deserialize)]
struct Envelope {
    id: Option<Value>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
    result: Option<Value>,
    error: Option<RpcError>,
}

/// Why something was not done.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct RpcError {
    #[serde(default)]
    pub(crate) code: i64,
    #[serde(default)]
    pub(crate) message: String,
    #[serde(default)]
    pub(crate) data: Value,
}

/// Reads a line; `None` when it is nothing that this protocol has.
pub(crate) fn read(line: &str) -> Option<RpcMessage> {
    let envelope: Envelope = serde_json::from_str(line).ok()?;
    let number = envelope.id.as_ref().and_then(Value::as_u64);
    match envelope {
        Envelope { id: Some(id), method: Some(method), params, .. } => {
            Some(RpcMessage::Asked { id, method, params })
        }
        Envelope { method: Some(method), params, .. } => Some(RpcMessage::Told { method, params }),
        Envelope { error: Some(refusal), .. } => Some(RpcMessage::Refused { id: number?, refusal }),
        Envelope { result: Some(result), .. } => Some(RpcMessage::Answered { id: number?, result }),
        Envelope { .. } => None,
    }
}

/// The text at a path of field names.
pub(crate) fn text<'v>(value: &'v Value, path: &[&str]) -> Option<&'v str> {
    path.iter().try_fold(value, |value, name| value.get(name))?.as_str()
}
