//! The tool `consult_oracle`, as an agent sees it. Who answers: `oracle.rs`.

use amelia_core::tool::{Risk, ToolSpec};
use serde_json::json;

/// The tool's name.
pub const NAME: &str = "consult_oracle";

/// What is offered to the model.
#[must_use]
pub fn spec() -> ToolSpec {
    let schema = json!({
        "type": "object",
        "properties": {
            "problem": {"type": "string", "minLength": 1, "description": "The question, with all that is needed to answer it"},
            "files": {
                "type": "array", "items": {"type": "string"}, "maxItems": 50,
                "description": "Paths that matter"
            }
        },
        "required": ["problem"],
        "additionalProperties": false
    });
    let description = "Ask a senior engineer who can read this repository one hard question: a design decision, \
                       or a bug that you cannot find. It costs time and money. Say what you have tried, and quote the \
                       code that matters: your changes may not be visible to them.";
    let spec = ToolSpec::builtin(NAME, description, Risk::Read, schema);
    ToolSpec { timeout_seconds: u64::MAX, ..spec }
}
