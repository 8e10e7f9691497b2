//! Everything that we say to `codex app-server`. Checked against the schema of the installed program by a test.

use amelia_core::message::Part;
use amelia_core::tool::{ResultImage, ToolResult, ToolSpec};
use serde_json::{Value, json};

use crate::program::UserInput;

/// A request; `id` is how its answer is known.
pub(super) fn request(id: u64, method: &str, params: &Value) -> String {
    json!({"id": id, "method": method, "params": params}).to_string()
}

/// The answer to a request of theirs.
pub(super) fn answer(id: &Value, result: &Value) -> String {
    json!({"id": id, "result": result}).to_string()
}

/// The answer to a request that we do not know.
pub(super) fn refusal(id: &Value, message: &str) -> String {
    json!({"id": id, "error": {"code": -32601, "message": message}}).to_string()
}

pub(super) fn initialized() -> String {
    json!({"method": "initialized"}).to_string()
}

/// The first thing that is said.
pub(super) fn initialize() -> Value {
    json!({
        "clientInfo": {"name": "amelia", "title": "Amelia", "version": env!("CARGO_PKG_VERSION")},
        "capabilities": {"experimentalApi": true},
    })
}

/// What a person says. It takes images and sound by their addresses, and data as an address.
pub(super) fn input(input: &UserInput) -> Value {
    let block = |part: &Part| match part {
        Part::Image(image) => Some(json!({"type": "image", "url": image.url})),
        Part::Audio(audio) => Some(json!({"type": "audio", "url": audio.url})),
        _ => None,
    };
    let encoded = input.clone().encoded(block);
    let text = (!encoded.text.is_empty()).then(|| json!({"type": "text", "text": encoded.text}));
    text.into_iter().chain(encoded.blocks).collect()
}

/// Tools of ours.
pub(super) fn tools(specs: &[ToolSpec]) -> Value {
    let tool = |spec: &ToolSpec| {
        json!({
            "type": "function",
            "name": spec.name.for_models(),
            "description": spec.description,
            "inputSchema": spec.input_schema,
        })
    };
    specs.iter().map(tool).collect()
}

/// What a tool of ours has to say.
pub(super) fn returned(result: &ToolResult) -> Value {
    let text = match &result.error {
        None => result.output.clone(),
        Some(error) if result.output.is_empty() => error.clone(),
        Some(error) => format!("{error}\n{}", result.output),
    };
    let text = json!({"type": "inputText", "text": text});
    let image = |image: &ResultImage| json!({"type": "inputImage", "imageUrl": image.url()});
    let items: Value = std::iter::once(text).chain(result.images.iter().map(image)).collect();
    json!({"success": result.is_success(), "contentItems": items})
}
