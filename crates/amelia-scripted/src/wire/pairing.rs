//! Every tool call has its result before the model's next turn, and every result has its call.
//!
//! Real APIs insist on it; a client that compacts a conversation wrongly must find out here.

use crate::conversation::{ScriptedApi, ScriptedRequest, Speaker};

use super::BadRequest;

pub(super) fn check(asked: &ScriptedRequest) -> Result<(), BadRequest> {
    let mut open: Vec<&str> = Vec::new();
    let mut before = Speaker::User;
    for said in &asked.said {
        if said.by == Speaker::Assistant && before != Speaker::Assistant {
            all_answered(asked.wire, &open)?;
        }
        before = said.by;
        open.extend(said.calls.iter().map(String::as_str));
        for result in &said.results {
            let Some(at) = open.iter().position(|call| call == result) else {
                return Err(no_call(asked.wire, result));
            };
            open.remove(at);
        }
    }
    all_answered(asked.wire, &open)
}

fn all_answered(wire: ScriptedApi, open: &[&str]) -> Result<(), BadRequest> {
    if open.is_empty() {
        return Ok(());
    }
    let ids = open.join(", ");
    Err(BadRequest(match wire {
        ScriptedApi::Chat => format!(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each \
             'tool_call_id'. The following tool_call_ids did not have response messages: {ids}"
        ),
        ScriptedApi::Responses => format!("No tool output found for function call {ids}."),
        ScriptedApi::Messages => {
            format!("`tool_use` ids were found without `tool_result` blocks immediately after: {ids}")
        }
    }))
}

fn no_call(wire: ScriptedApi, id: &str) -> BadRequest {
    BadRequest(match wire {
        ScriptedApi::Chat => format!(
            "Invalid parameter: messages with role 'tool' must be a response to a preceding message with \
             'tool_calls': {id}"
        ),
        ScriptedApi::Responses => format!("No tool call found for function call output with call_id {id}."),
        ScriptedApi::Messages => format!("unexpected `tool_use_id` found in `tool_result` blocks: {id}"),
    })
}
