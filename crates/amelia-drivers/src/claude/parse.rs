//! The lines of the program, as far as they matter to us. Everything else in them, and every other line, is passed over.

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Line {
    System(System),
    Assistant(Spoken),
    User(Spoken),
    StreamEvent(Streamed),
    RateLimitEvent {
        rate_limit_info: RateLimit,
    },
    Result(Box<Finished>),
    ControlRequest {
        request_id: String,
        request: Request,
    },
    ControlCancelRequest {
        request_id: String,
    },
    ControlResponse {
        response: Response,
    },
    #[serde(other)]
    Other,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct System {
    pub(super) subtype: String,
    pub(super) session_id: Option<String>,
    pub(super) claude_code_version: Option<String>,
    pub(super) attempt: Option<u32>,
    pub(super) max_retries: Option<u32>,
    pub(super) error_status: Option<u16>,
    pub(super) retry_delay_ms: Option<f64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Spoken {
    pub(super) message: AssistantMessage,
    #[serde(default)]
    pub(super) parent_tool_use_id: Option<String>,
    #[serde(default)]
    pub(super) uuid: Option<String>,
    /// It repeats what we have said, as it takes it into the conversation.
    #[serde(default, rename = "isReplay")]
    pub(super) is_replay: bool,
}

/// The model of what the program says in the place of one, such as that it is not signed in. Its result says it again.
pub(super) const SYNTHETIC: &str = "<synthetic>";

#[derive(Debug, Deserialize)]
pub(super) struct AssistantMessage {
    /// [`SYNTHETIC`] when no model said it.
    #[serde(default)]
    pub(super) model: Option<String>,
    #[serde(default)]
    pub(super) content: Content,
}

/// Blocks, or something that we do not look into: a plain text.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Content {
    Blocks(Vec<Block>),
    Other(serde::de::IgnoredAny),
}

impl Default for Content {
    fn default() -> Self {
        Self::Blocks(Vec::new())
    }
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block {
    Text {
        text: String,
    },
    Thinking {
        thinking: String,
    },
    ToolUse {
        id: String,
        name: String,
        input: Value,
    },
    ToolResult {
        tool_use_id: String,
        #[serde(default)]
        content: Value,
        #[serde(default)]
        is_error: Option<bool>,
    },
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
pub(super) struct Streamed {
    pub(super) event: Value,
    #[serde(default)]
    pub(super) parent_tool_use_id: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct RateLimit {
    pub(super) status: String,
    pub(super) resets_at: Option<f64>,
    pub(super) rate_limit_type: Option<String>,
    pub(super) utilization: Option<f64>,
    /// The account continues with usage that is paid for.
    pub(super) is_using_overage: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Finished {
    pub(super) subtype: String,
    pub(super) is_error: bool,
    pub(super) api_error_status: Option<u16>,
    pub(super) result: Option<String>,
    pub(super) structured_output: Option<Value>,
    pub(super) session_id: Option<String>,
    pub(super) num_turns: Option<u32>,
    pub(super) errors: Vec<String>,
    pub(super) permission_denials: Vec<Denial>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Denial {
    #[serde(default)]
    pub(super) tool_name: String,
    #[serde(default)]
    pub(super) tool_use_id: String,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "subtype", rename_all = "snake_case")]
pub(super) enum Request {
    CanUseTool {
        tool_name: String,
        input: Value,
        #[serde(default)]
        tool_use_id: Option<String>,
        #[serde(default)]
        blocked_path: Option<String>,
    },
    McpMessage {
        message: Value,
    },
    HookCallback {},
    #[serde(other)]
    Other,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Response {
    pub(super) subtype: String,
    #[serde(default)]
    pub(super) request_id: String,
    pub(super) error: Option<String>,
}

/// The text of a tool's result, which is a text or blocks of text.
pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().map(|block| match block.get("text").and_then(Value::as_str) {
                Some(text) => text.to_owned(),
                None => format!("[{}]", block.get("type").and_then(Value::as_str).unwrap_or("something")),
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
