//! `ask_human`, the tool by which an agent asks the person: what its calls and results say. Pure. What it does is no
//! matter of this file.

use crate::message::{Message, Part};
use crate::tool_call::{ToolCall, ToolName, ToolResult};

/// The tool's name.
pub const ASK_HUMAN: &str = "ask_human";

/// A question of an agent with what the person answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnsweredQuestion {
    /// The agent's words.
    pub question: String,
    /// The person's words.
    pub answer: String,
}

/// Whether a result is what a person said.
#[must_use]
pub fn is_answer(result: &ToolResult) -> bool {
    is_ask_human(&result.tool) && result.is_success()
}

/// The questions in a conversation that were answered, in the order of the answers.
pub fn answered_questions<'m>(messages: impl IntoIterator<Item = &'m Message>) -> Vec<AnsweredQuestion> {
    let parts: Vec<&Part> = messages.into_iter().flat_map(|message| &message.parts).collect();
    let question = |result: &ToolResult| {
        let mut calls = parts.iter().filter_map(|part| match part {
            Part::ToolCall(call) if call.id == result.call => Some(asked(call)),
            _ => None,
        });
        calls.next().unwrap_or_default()
    };
    let answered = |part: &&Part| match part {
        Part::ToolResult(result) if is_answer(result) => {
            Some(AnsweredQuestion { question: question(result), answer: result.output.clone() })
        }
        _ => None,
    };
    parts.iter().filter_map(answered).collect()
}

/// What a call asks.
#[must_use]
pub fn asked(call: &ToolCall) -> String {
    call.args.get("question").and_then(|text| text.as_str()).map(str::trim).unwrap_or_default().to_owned()
}

fn is_ask_human(tool: &ToolName) -> bool {
    tool.server.is_none() && tool.name == ASK_HUMAN
}
