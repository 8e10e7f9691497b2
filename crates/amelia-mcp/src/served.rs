//! The other side of the protocol: one message of a client in, at most one answer out, over any transport. What there is
//! to call and to read is behind [`McpProvider`].
//!
//! Written by hand: the messages are few, and the server side of `rmcp` would bring its own transports and handlers.

mod message;
mod progress;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use amelia_core::object::Object;
use async_trait::async_trait;
use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use self::message::{ClientMessage, ClientRequest, RpcFailure, failed, succeeded};

pub use progress::ProgressReporter;

/// Versions that begin with a handshake, oldest first.
const WITH_HANDSHAKE: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
/// Every request says its version, and there is no handshake.
const STATELESS: &str = "2026-07-28";
/// Messages that may come at once.
const LARGEST_BATCH: usize = 100;
const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// What a server offers.
#[async_trait]
pub trait McpProvider: Send + Sync {
    /// How a model is to use the server.
    fn instructions(&self) -> &str;

    /// Every tool as the protocol describes it: `name`, `description`, `inputSchema`, `annotations`.
    fn tools(&self) -> Vec<Value>;

    /// Calls a tool; `None` if there is none of this name. May be dropped at any time.
    async fn call(&self, tool: &str, args: Object, progress: &ProgressReporter) -> Option<CallAnswer>;

    /// What can be read now: `uri`, `name`, `mimeType`.
    async fn resources(&self) -> Result<Vec<Value>, String>;

    /// How the addresses of all that can be read are made.
    fn resource_templates(&self) -> Vec<Value>;

    /// Reads one; `None` if there is nothing at this address.
    async fn read(&self, uri: &str) -> Result<Option<ResourceText>, String>;
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct CallAnswer {
    /// For a model.
    pub text: String,
    /// The same for a program: an object.
    pub structured: Option<Value>,
    pub is_error: bool,
}

/// What is at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceText {
    pub mime_type: &'static str,
    pub text: String,
}

/// Whether a client has to introduce itself before it asks for anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handshake {
    /// On a connection that one client has for itself.
    Required,
    /// Where every message may come from another client.
    Optional,
}

/// The server, for one connection or for all clients of an address.
pub struct McpResponder {
    provider: Arc<dyn McpProvider>,
    handshake: Handshake,
    is_open: AtomicBool,
}

impl McpResponder {
    pub fn new(provider: Arc<dyn McpProvider>, handshake: Handshake) -> Self {
        Self { provider, handshake, is_open: AtomicBool::new(false) }
    }

    /// Answers a message, or a list of them; `None` when there is nothing to say. Progress goes to `notifications`.
    pub async fn answer(&self, message: Value, notifications: &mpsc::Sender<Value>) -> Option<Value> {
        match message {
            Value::Array(all) if all.len() > LARGEST_BATCH => {
                let text = format!("a batch may have at most {LARGEST_BATCH} messages");
                Some(failed(&Value::Null, &RpcFailure::invalid_request(text)))
            }
            Value::Array(all) if !all.is_empty() => {
                let answers = join_all(all.into_iter().map(|one| self.answer_one(one, notifications))).await;
                let answers: Vec<Value> = answers.into_iter().flatten().collect();
                (!answers.is_empty()).then_some(Value::Array(answers))
            }
            one => self.answer_one(one, notifications).await,
        }
    }

    async fn answer_one(&self, message: Value, notifications: &mpsc::Sender<Value>) -> Option<Value> {
        let request = match message::read(message) {
            ClientMessage::Request(request) => request,
            ClientMessage::Told => return None,
            ClientMessage::Unreadable { id, failure } => return Some(failed(&id, &failure)),
        };
        Some(match self.respond(&request, notifications).await {
            Ok(result) => succeeded(&request.id, &result),
            Err(failure) => failed(&request.id, &failure),
        })
    }

    async fn respond(
        &self,
        request: &ClientRequest,
        notifications: &mpsc::Sender<Value>,
    ) -> Result<Value, RpcFailure> {
        let stated = request.meta(PROTOCOL_VERSION);
        if let Some(version) = stated.filter(|version| !is_supported(version)) {
            return Err(unsupported(version));
        }
        let is_stateless = stated.is_some_and(|version| version == STATELESS);
        match request.method.as_str() {
            "initialize" => return Ok(self.initialize(request)),
            "ping" => return Ok(json!({})),
            "server/discover" => return Ok(stateless(self.discovered(), true)),
            _ if stated.is_some() || self.handshake == Handshake::Optional => {}
            _ if !self.is_open.load(Ordering::Relaxed) => {
                return Err(RpcFailure::invalid_request(format!(
                    "`{}` came before `initialize`: send that first",
                    request.method
                )));
            }
            _ => {}
        }
        let result = match request.method.as_str() {
            "tools/list" => json!({"tools": self.provider.tools()}),
            "tools/call" => return Ok(complete(self.call(request, notifications).await?, is_stateless)),
            "resources/list" => {
                let resources = self.provider.resources().await.map_err(RpcFailure::internal)?;
                json!({"resources": resources})
            }
            "resources/templates/list" => json!({"resourceTemplates": self.provider.resource_templates()}),
            "resources/read" => self.read(request, is_stateless).await?,
            other => return Err(RpcFailure::no_method(other)),
        };
        Ok(stateless(result, is_stateless))
    }

    fn initialize(&self, request: &ClientRequest) -> Value {
        self.is_open.store(true, Ordering::Relaxed);
        let asked = request.text("protocolVersion").unwrap_or_default();
        let [.., newest] = WITH_HANDSHAKE;
        let agreed = WITH_HANDSHAKE.into_iter().find(|version| *version == asked).unwrap_or(newest);
        json!({
            "protocolVersion": agreed,
            "capabilities": capabilities(),
            "serverInfo": server_info(),
            "instructions": self.provider.instructions(),
        })
    }

    fn discovered(&self) -> Value {
        let versions: Vec<&str> = WITH_HANDSHAKE.into_iter().chain([STATELESS]).collect();
        json!({
            "supportedVersions": versions,
            "capabilities": capabilities(),
            "instructions": self.provider.instructions(),
            "_meta": {"io.modelcontextprotocol/serverInfo": server_info()},
        })
    }

    async fn call(
        &self,
        request: &ClientRequest,
        notifications: &mpsc::Sender<Value>,
    ) -> Result<Value, RpcFailure> {
        let name = request.text("name").ok_or_else(|| RpcFailure::invalid_params("`name` is missing"))?;
        let args = match request.params.get("arguments") {
            None | Some(Value::Null) => Object::new(),
            Some(Value::Object(args)) => args.clone(),
            Some(_) => return Err(RpcFailure::invalid_params("`arguments` must be an object")),
        };
        let progress = ProgressReporter::new(request.progress_token(), notifications.clone());
        let answer = self.provider.call(name, args, &progress).await;
        let answer =
            answer.ok_or_else(|| RpcFailure::invalid_params(format!("there is no tool `{name}`")))?;
        let CallAnswer { text, structured, is_error } = answer;
        let mut result = json!({"content": [{"type": "text", "text": text}], "isError": is_error});
        if let (Some(structured), Value::Object(fields)) = (structured, &mut result) {
            fields.insert("structuredContent".to_owned(), structured);
        }
        Ok(result)
    }

    async fn read(&self, request: &ClientRequest, is_stateless: bool) -> Result<Value, RpcFailure> {
        let uri = request.text("uri").ok_or_else(|| RpcFailure::invalid_params("`uri` is missing"))?;
        match self.provider.read(uri).await.map_err(RpcFailure::internal)? {
            Some(ResourceText { mime_type, text }) => {
                Ok(json!({"contents": [{"uri": uri, "mimeType": mime_type, "text": text}]}))
            }
            None if is_stateless => Err(RpcFailure::invalid_params(format!("there is no resource `{uri}`"))),
            None => Err(RpcFailure::no_resource(uri)),
        }
    }
}

/// The request that a message takes back, as its id was written.
#[must_use]
pub fn cancelled_request(message: &Value) -> Option<&Value> {
    let is_cancelled = message.get("method")? == "notifications/cancelled";
    message.get("params")?.get("requestId").filter(|_| is_cancelled)
}

/// Whether a client may ask in this version.
#[must_use]
pub fn is_supported(version: &str) -> bool {
    version == STATELESS || WITH_HANDSHAKE.contains(&version)
}

fn unsupported(version: &str) -> RpcFailure {
    let supported: Vec<&str> = WITH_HANDSHAKE.into_iter().chain([STATELESS]).collect();
    RpcFailure::unsupported_version(version, &supported)
}

fn capabilities() -> Value {
    json!({"tools": {}, "resources": {}})
}

fn server_info() -> Value {
    json!({"name": "amelia", "title": "Amelia", "version": env!("CARGO_PKG_VERSION")})
}

/// What the version without a handshake wants in every result: that it is the whole of it.
fn complete(mut result: Value, is_stateless: bool) -> Value {
    if let (true, Value::Object(fields)) = (is_stateless, &mut result) {
        fields.insert("resultType".to_owned(), "complete".into());
    }
    result
}

/// The same for what could be kept: nothing here may be, runs change all the time.
fn stateless(result: Value, is_stateless: bool) -> Value {
    let mut result = complete(result, is_stateless);
    if let (true, Value::Object(fields)) = (is_stateless, &mut result) {
        fields.insert("ttlMs".to_owned(), 0.into());
        fields.insert("cacheScope".to_owned(), "private".into());
    }
    result
}

#[cfg(test)]
mod tests;
