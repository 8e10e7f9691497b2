//! Our tools, offered on the program's own pipe: the smallest server of the Model Context Protocol that it accepts. Pure.

use amelia_core::tool::{ResultImage, ToolResult, ToolSpec};
use serde_json::{Value, json};

/// Our name as a server; a tool is called `mcp__amelia__NAME` by the program.
pub(super) const SERVER: &str = "amelia";

/// The newest version that we know; an older one that the program asks for is as good.
const VERSION: &str = "2025-11-25";

/// What a message asks for.
#[derive(Debug, PartialEq)]
pub(super) enum McpAction {
    /// It is answered with this.
    Answer(Value),
    /// A tool is called; the answer goes to this id.
    Call { id: Value, name: String, args: Value, call: Option<String> },
}

/// The name of one of our tools, if it is one.
pub(super) fn own_name(tool: &str) -> Option<&str> {
    tool.strip_prefix("mcp__")?.strip_prefix(SERVER)?.strip_prefix("__")
}

pub(super) fn read(message: &Value, tools: &[ToolSpec]) -> McpAction {
    let id = message.get("id").cloned().unwrap_or_default();
    let params = message.get("params").unwrap_or(&Value::Null);
    let result = match message.get("method").and_then(Value::as_str).unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": params.get("protocolVersion").and_then(Value::as_str).unwrap_or(VERSION),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": SERVER, "version": env!("CARGO_PKG_VERSION")},
        }),
        "tools/list" => json!({"tools": tools.iter().map(listed).collect::<Vec<_>>()}),
        "tools/call" => {
            let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
            return McpAction::Call {
                id,
                name: text(params.get("name")).unwrap_or_default(),
                args: params.get("arguments").cloned().unwrap_or_default(),
                call: text(params.pointer("/_meta/claudecode~1toolUseId")),
            };
        }
        "ping" => json!({}),
        name if name.starts_with("notifications/") => json!({}),
        name => {
            let error = json!({"code": -32601, "message": format!("there is no method {name}")});
            return McpAction::Answer(json!({"jsonrpc": "2.0", "id": id, "error": error}));
        }
    };
    McpAction::Answer(json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

fn listed(spec: &ToolSpec) -> Value {
    json!({"name": spec.name.for_models(), "description": spec.description, "inputSchema": spec.input_schema})
}

/// The answer to a call.
pub(super) fn returned(id: &Value, result: &ToolResult) -> Value {
    let text = match &result.error {
        Some(error) if result.output.is_empty() => error.clone(),
        Some(error) => format!("{}\n{error}", result.output),
        None => result.output.clone(),
    };
    let text = json!({"type": "text", "text": text});
    let image = |image: &ResultImage| json!({"type": "image", "data": image.placeholder(), "mimeType": image.media_type});
    let content: Value = std::iter::once(text).chain(result.images.iter().map(image)).collect();
    json!({"jsonrpc": "2.0", "id": id, "result": {"content": content, "isError": !result.is_success()}})
}
