//! Everything that we say to an agent, and the shapes of what it says. What we do not need is not read. Pure.

use std::path::Path;

use amelia_core::message::Part;
use serde::Deserialize;
use serde_json::{Value, json};

use super::given_tools::GivenTools;
use crate::media;
use crate::program::EncodedInput;

/// The one version that we speak.
pub(super) const VERSION: u64 = 1;

/// A request; `id` is how its answer is known.
pub(super) fn request(id: u64, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

/// The answer to a request of theirs.
pub(super) fn answer(id: &Value, result: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
}

/// The answer to a request that is not met.
pub(super) fn refusal(id: &Value, code: i64, message: &str) -> String {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}).to_string()
}

/// The first thing that is said: who we are, and what may be left to us.
pub(super) fn initialize(given: &GivenTools) -> Value {
    json!({
        "protocolVersion": VERSION,
        "clientCapabilities": {
            "fs": {"readTextFile": false, "writeTextFile": given.writes},
            "terminal": given.runs,
        },
        "clientInfo": {"name": "amelia", "title": "Amelia", "version": env!("CARGO_PKG_VERSION")},
    })
}

/// A new conversation.
pub(super) fn new(directory: &Path) -> Value {
    json!({"cwd": directory, "mcpServers": []})
}

/// One that the agent still has.
pub(super) fn again(directory: &Path, session: &str) -> Value {
    json!({"sessionId": session, "cwd": directory, "mcpServers": []})
}

pub(super) fn prompt(session: &str, said: EncodedInput) -> Value {
    let text = (!said.text.is_empty()).then(|| json!({"type": "text", "text": said.text}));
    let prompt: Value = text.into_iter().chain(said.blocks).collect();
    json!({"sessionId": session, "prompt": prompt})
}

/// What it can do.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Hello {
    pub(super) protocol_version: u64,
    pub(super) agent_capabilities: Abilities,
    pub(super) auth_methods: Vec<AuthMethod>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Abilities {
    pub(super) load_session: bool,
    pub(super) prompt_capabilities: PromptAbilities,
    session_capabilities: Value,
}

/// What may be in a prompt beside text and links.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub(super) struct PromptAbilities {
    image: bool,
    audio: bool,
}

impl PromptAbilities {
    /// An image or a sound as the agent takes it.
    pub(super) fn block(self, part: &Part) -> Option<Value> {
        let (kind, url, is_taken) = match part {
            Part::Image(image) => ("image", &image.url, self.image),
            Part::Audio(audio) => ("audio", &audio.url, self.audio),
            _ => return None,
        };
        match media::data_url(url) {
            Some((mime, data)) => is_taken.then(|| json!({"type": kind, "data": data, "mimeType": mime})),
            // Every agent takes links.
            None => Some(json!({"type": "resource_link", "name": kind, "uri": url})),
        }
    }
}

impl Abilities {
    /// How a conversation is resumed, best first: quietly, or with all of it said again.
    pub(super) fn again(&self) -> Option<&'static str> {
        match self.session_capabilities.get("resume") {
            Some(Value::Object(_)) => Some("session/resume"),
            _ if self.load_session => Some("session/load"),
            _ => None,
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct AuthMethod {
    pub(super) name: String,
    pub(super) description: Option<String>,
}

/// A conversation, and what can be chosen about it.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Opened {
    pub(super) session_id: Option<String>,
    config_options: Vec<ConfigOption>,
    models: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ConfigOption {
    id: String,
    category: Option<String>,
    current_value: Value,
    options: Vec<Choice>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Choice {
    value: String,
    name: String,
}

/// What can be done about the model that is wanted.
#[derive(Debug, PartialEq)]
pub(super) enum Selection {
    /// It is chosen so.
    Ask(&'static str, Value),
    /// It has it already.
    Nothing,
    NotOffered,
}

impl Opened {
    /// How a model is chosen.
    pub(super) fn select(&self, session: &str, model: &str) -> Selection {
        let is_model = |option: &&ConfigOption| option.category.as_deref() == Some("model");
        if let Some(option) = self.config_options.iter().find(is_model) {
            let wanted = option.options.iter().find(|choice| choice.value == model || choice.name == model);
            return match wanted {
                _ if option.current_value == model => Selection::Nothing,
                None => Selection::NotOffered,
                Some(choice) if option.current_value == choice.value.as_str() => Selection::Nothing,
                Some(choice) => {
                    let params = json!({"sessionId": session, "configId": option.id, "value": choice.value});
                    Selection::Ask("session/set_config_option", params)
                }
            };
        }
        let offered = self.models.get("availableModels").and_then(Value::as_array).into_iter().flatten();
        match offered.filter_map(|offer| offer.get("modelId")?.as_str()).find(|id| *id == model) {
            _ if self.models.get("currentModelId").and_then(Value::as_str) == Some(model) => {
                Selection::Nothing
            }
            Some(id) => Selection::Ask("session/set_model", json!({"sessionId": session, "modelId": id})),
            None => Selection::NotOffered,
        }
    }
}

/// How a turn ended.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Turned {
    pub(super) stop_reason: String,
    pub(super) usage: Option<Tokens>,
}

/// What a turn took. Without what was read from a cache, which we count as input.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Tokens {
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
    pub(super) cached_read_tokens: u64,
    pub(super) cached_write_tokens: u64,
}
