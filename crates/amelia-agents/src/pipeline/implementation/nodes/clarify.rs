//! Findings that are not clear, put to a person where the profile says so. Asks and reads the answer; the Evaluator decides
//! again with it.

use amelia_core::config::profile::ClarifyWith;
use amelia_core::human::{HumanKind, HumanRequest};
use amelia_core::review::{Disposition, Evaluation};
use amelia_graph::node::NodeCx;
use serde_json::{Value, json};

use crate::pipeline::implementation::deps::Deps;
use crate::pipeline::implementation::state::{Implementation, TaskProgress, Update};
use crate::remark::PersonRemark;

/// Marks the question.
const ASKS: &str = "clarify";

/// What a person has said about unclear findings, when that is what they were asked.
pub(super) fn clarified(cx: &NodeCx) -> Option<Update> {
    let answered = cx.answered()?;
    if answered.request.context.get("asks").and_then(Value::as_str) != Some(ASKS) {
        return None;
    }
    let words = answered.reply.message.as_deref().map(str::trim).filter(|words| !words.is_empty());
    let words = words.unwrap_or(match answered.is_approval() {
        true => "The unclear findings are right: take them as they stand.",
        false => "The unclear findings are not worth an answer: decide without one.",
    });
    Some(Update::Clarified { asked: answered.request.prompt.clone(), words: words.to_owned() })
}

/// What a person has said about unclear findings of this evaluation, with what they were asked where that is known.
pub(super) fn answer(progress: &TaskProgress) -> Option<PersonRemark> {
    let words = progress.clarification.as_deref()?;
    progress.clarified.clone().or_else(|| PersonRemark::new("", words))
}

/// The question to a person, unless everything is clear or the Reviewer is asked instead. A review that repairs nothing
/// only lists what it found.
pub(super) fn question(
    cx: &NodeCx,
    deps: &Deps,
    state: &Implementation,
    evaluation: &Evaluation,
) -> Option<HumanRequest> {
    let is_acted_on = state.issue.is_some() || state.wanted.fix;
    let unclear: Vec<_> = evaluation.with(Disposition::Clarify).collect();
    if deps.profile.clarify_with != ClarifyWith::Person || !is_acted_on || unclear.is_empty() {
        return None;
    }
    let lines: Vec<String> =
        unclear.iter().map(|item| format!("- {}: {}", item.title, item.reason)).collect();
    let prompt = format!("what do these findings of the review mean?\n{}", lines.join("\n"));
    let context = json!({"asks": ASKS, "items": unclear});
    Some(HumanRequest { context, ..cx.request(HumanKind::Question, prompt) })
}
