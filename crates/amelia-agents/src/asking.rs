//! `ask_human`: an agent asks a person in the middle of its work. The run comes to rest; the answer is the call's result.

use amelia_core::ask_human::{ASK_HUMAN, asked};
use amelia_core::human::{AnsweredRequest, HumanKind, HumanRequest};
use amelia_core::human_tool::{CALL, is_of_tool, result_text};
use amelia_core::id::AgentName;
use amelia_core::tool::{Risk, ToolCall, ToolResult, ToolSpec};
use amelia_graph::node::NodeCx;
use serde_json::{Value, json};

use crate::prompt::fence;

/// The tool's name.
pub const NAME: &str = ASK_HUMAN;

/// What is offered to the model.
#[must_use]
pub fn spec() -> ToolSpec {
    let schema = json!({
        "type": "object",
        "properties": {
            "question": {"type": "string", "minLength": 1, "description": "One clear question"},
            "options": {
                "type": "array", "items": {"type": "string"}, "maxItems": 10,
                "description": "Answers to choose from, when there are only a few"
            }
        },
        "required": ["question"],
        "additionalProperties": false
    });
    let description = "Ask the person you work for a question, and wait for the answer. Only when you cannot find it \
                       out yourself and a wrong guess would be costly.";
    // External: it does not run at the same time as other calls.
    let spec = ToolSpec::builtin(NAME, description, Risk::External, schema);
    ToolSpec { timeout_seconds: u64::MAX, ..spec }
}

/// Whether a person answered an agent, rather than let it continue past a limit.
pub(crate) fn is_question(answered: &AnsweredRequest) -> bool {
    answered.request.kind == HumanKind::Question || is_of_tool(&answered.request)
}

/// The answer that `call` was given.
pub(crate) fn answer(cx: &NodeCx, call: &ToolCall) -> Option<ToolResult> {
    let answered = cx.answered().filter(|answered| is_about(answered, call))?;
    Some(ToolResult { output: reply(answered), error: None, ..ToolResult::interrupted(call) })
}

/// Whether an answer is the result of this very call.
pub(crate) fn is_about(answered: &AnsweredRequest, call: &ToolCall) -> bool {
    answered.request.context.get(CALL).and_then(Value::as_str) == Some(call.id.as_str())
}

/// The answer to an agent whose call is gone: a program that keeps its conversation itself was ended when it asked.
pub(crate) fn words(answered: &AnsweredRequest) -> Option<String> {
    // Its own words would otherwise read as those of the person.
    let question = fence::untrusted(&answered.request.prompt, "your question");
    is_question(answered).then(|| {
        format!("You asked:\n\n{question}\n\nThe answer is: {}\nContinue with this answer.", reply(answered))
    })
}

/// What the person answered in words; to a question of the agent, also a mere yes or no.
pub(crate) fn person_words(answered: &AnsweredRequest) -> Option<String> {
    if is_question(answered) {
        return Some(reply(answered));
    }
    own_words(answered).map(str::to_owned)
}

fn own_words(answered: &AnsweredRequest) -> Option<&str> {
    answered.reply.message.as_deref().map(str::trim).filter(|words| !words.is_empty())
}

fn reply(answered: &AnsweredRequest) -> String {
    if is_of_tool(&answered.request) {
        return result_text(answered);
    }
    match (answered.is_approval(), own_words(answered)) {
        (_, Some(words)) => words.to_owned(),
        (true, None) => "Yes.".to_owned(),
        (false, None) => "No. The person gave no other answer: decide yourself, or do without.".to_owned(),
    }
}

/// The question that `call` asks.
pub(crate) fn question(cx: &NodeCx, agent: &AgentName, call: &ToolCall) -> Result<HumanRequest, String> {
    let text = asked(call);
    if text.is_empty() {
        return Err("`question` is missing: call again with {\"question\": \"…\"}".to_owned());
    }
    let request = cx.request(HumanKind::Question, text);
    let options = call.args.get("options").cloned().unwrap_or_default();
    let context = json!({ CALL: call.id, "options": options });
    Ok(HumanRequest { by: agent.clone(), context, ..request })
}

#[cfg(test)]
#[path = "asking_tests.rs"]
mod tests;
