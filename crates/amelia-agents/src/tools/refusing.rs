//! Calls that are not made, and why.

use amelia_core::redact::REDACTED;
use amelia_core::tool::{ToolCall, ToolResult};

/// Whether a call has the mark of a secret in its arguments: then it is not the call that was meant.
pub(super) fn has_gap(call: &ToolCall) -> bool {
    serde_json::Value::Object(call.args.clone()).to_string().contains(REDACTED)
}

pub(super) fn gap_message() -> String {
    format!(
        "the arguments contain `{REDACTED}`, which Amelia writes in the place of a secret, in what you \
         read and in its log. If it stands for a secret here, do it without the secret itself, or ask the \
         person. If this very text is meant, write it so that the call does not contain it: in `shell`, \
         `printf '[%s]' redacted`"
    )
}

pub(super) fn refused(call: &ToolCall, message: &str) -> ToolResult {
    ToolResult { error: Some(format!("not run: {message}")), ..ToolResult::interrupted(call) }
}
