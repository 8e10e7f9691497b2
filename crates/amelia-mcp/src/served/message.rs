//! Messages of a client, and what is said to it. Pure.

use serde_json::{Value, json};

/// One message.
pub(super) enum ClientMessage {
    Request(ClientRequest),
    /// A notification, or an answer to a question that was never asked: nothing is said to it.
    Told,
    Unreadable {
        id: Value,
        failure: RpcFailure,
    },
}

/// It wants an answer under this id.
pub(super) struct ClientRequest {
    pub(super) id: Value,
    pub(super) method: String,
    pub(super) params: Value,
}

impl ClientRequest {
    /// A parameter that is text.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.params.get(name)?.as_str()
    }

    /// A text that says something about the request itself.
    pub(super) fn meta(&self, name: &str) -> Option<&str> {
        self.params.get("_meta")?.get(name)?.as_str()
    }

    /// What progress is reported under.
    pub(super) fn progress_token(&self) -> Option<Value> {
        let token = self.params.get("_meta")?.get("progressToken")?;
        (token.is_string() || token.is_number()).then(|| token.clone())
    }
}

/// Why a request was not met.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RpcFailure {
    code: i64,
    message: String,
    data: Option<Value>,
}

impl RpcFailure {
    fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    pub(super) fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(-32600, message)
    }

    pub(super) fn no_method(method: &str) -> Self {
        Self::new(-32601, format!("there is no method `{method}`"))
    }

    pub(super) fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(-32602, message)
    }

    pub(super) fn internal(message: impl Into<String>) -> Self {
        Self::new(-32603, message)
    }

    pub(super) fn no_resource(uri: &str) -> Self {
        Self { data: Some(json!({"uri": uri})), ..Self::new(-32002, format!("there is no resource `{uri}`")) }
    }

    pub(super) fn unsupported_version(version: &str, supported: &[&str]) -> Self {
        let data = json!({"requested": version, "supported": supported});
        let message = format!("protocol version `{version}` is not supported");
        Self { data: Some(data), ..Self::new(-32022, message) }
    }
}

pub(super) fn read(message: Value) -> ClientMessage {
    let unreadable =
        |id, text: &str| ClientMessage::Unreadable { id, failure: RpcFailure::invalid_request(text) };
    let Value::Object(mut fields) = message else {
        return unreadable(Value::Null, "a message must be a JSON object");
    };
    let id = fields.remove("id");
    match (fields.remove("method"), id) {
        (Some(Value::String(method)), Some(id)) if id.is_string() || id.is_number() => {
            let params = fields.remove("params").unwrap_or_default();
            ClientMessage::Request(ClientRequest { id, method, params })
        }
        (Some(Value::String(_)), Some(_)) => unreadable(Value::Null, "`id` must be a string or a number"),
        (Some(Value::String(_)), None) => ClientMessage::Told,
        (None, Some(_)) if fields.contains_key("result") || fields.contains_key("error") => {
            ClientMessage::Told
        }
        (_, id) => unreadable(id.unwrap_or_default(), "`method` is missing"),
    }
}

pub(super) fn succeeded(id: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

pub(super) fn failed(id: &Value, failure: &RpcFailure) -> Value {
    let RpcFailure { code, message, data } = failure;
    let mut error = json!({"code": code, "message": message});
    if let (Some(data), Value::Object(fields)) = (data, &mut error) {
        fields.insert("data".to_owned(), data.clone());
    }
    json!({"jsonrpc": "2.0", "id": id, "error": error})
}
