//! What a run asks, as an editor shows it: a few answers to choose from, or a message that the next prompt answers. Pure.

use amelia_core::human::HumanRequest;
use serde_json::{Value, json};

use super::updates::kind_of;
use crate::follow::{HumanChoice, has_problems};

/// An answer that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AnswerOption {
    id: &'static str,
    name: String,
    kind: &'static str,
    /// What a person would type for it; nothing for an answer that comes with the next prompt.
    words: Option<&'static str>,
}

impl AnswerOption {
    /// The person wants to say something else, or decide later.
    fn later(name: &str) -> Self {
        Self { id: "later", name: name.to_owned(), kind: "reject_once", words: None }
    }
}

/// The answers to a question; none if it needs words. `has_profile`: the run has one, which can keep a rule.
pub(super) fn options(choice: HumanChoice, request: &HumanRequest, has_profile: bool) -> Vec<AnswerOption> {
    let one =
        |id, name: &str, kind, words| AnswerOption { id, name: name.to_owned(), kind, words: Some(words) };
    match choice {
        HumanChoice::Plan if has_problems(request) => {
            vec![
                AnswerOption::later("Ask for changes"),
                one("cancel", "Cancel the run", "reject_always", "c"),
            ]
        }
        HumanChoice::Plan => vec![
            one("approve", "Approve", "allow_once", "y"),
            AnswerOption::later("Ask for changes"),
            one("cancel", "Cancel the run", "reject_always", "c"),
        ],
        HumanChoice::Approval { .. } => vec![
            one("approve", "Approve", "allow_once", "y"),
            one("reject", "Reject", "reject_once", "n"),
            AnswerOption::later("Reject with a message"),
        ],
        HumanChoice::Permission => {
            let mut all = vec![one("allow", "Allow once", "allow_once", "y")];
            if let Some(rule) = request.offered_rule() {
                all.push(one("run", &format!("Allow {rule} in this run"), "allow_always", "r"));
                if has_profile {
                    all.push(one("always", &format!("Always allow {rule}"), "allow_always", "a"));
                }
            }
            all.push(one("reject", "Refuse", "reject_once", "n"));
            all
        }
        HumanChoice::Rounds { can_accept } => {
            let mut all = vec![one("continue", "Try again", "allow_once", "y")];
            if can_accept {
                all.push(one("accept", "Accept the work as it is", "allow_once", "a"));
            }
            all.push(AnswerOption::later("Write to the agents"));
            all.push(one("cancel", "Cancel the run", "reject_always", "s"));
            all
        }
        HumanChoice::Visit => vec![
            one("continue", "Visit the node again", "allow_once", "y"),
            AnswerOption::later("Decide later"),
            one("cancel", "Cancel the run", "reject_always", "s"),
        ],
        HumanChoice::Interrupted => vec![
            one("repeat", "Run the tool again", "allow_once", "y"),
            one("accept", "It is done: continue", "allow_once", "a"),
            one("skip", "Continue without its result", "reject_once", "n"),
            one("cancel", "Cancel the run", "reject_always", "c"),
        ],
        HumanChoice::Setup => vec![
            one("continue", "Run the checks of the profile again", "allow_once", "y"),
            AnswerOption::later("Decide later"),
            one("cancel", "Cancel the run", "reject_always", "s"),
        ],
        HumanChoice::UnknownPrice => vec![
            one("continue", "Continue without a limit in USD", "allow_once", "y"),
            AnswerOption::later("Decide later"),
            one("cancel", "Cancel the run", "reject_always", "c"),
        ],
        HumanChoice::Step => vec![
            one("step", "Run the next step", "allow_once", "y"),
            one("continue", "Continue without stopping", "allow_always", "c"),
            AnswerOption::later("Decide later"),
        ],
        HumanChoice::Resume => {
            vec![one("resume", "Resume", "allow_once", "y"), AnswerOption::later("Decide later")]
        }
        HumanChoice::Question | HumanChoice::Limit => Vec::new(),
    }
}

/// What the person may write instead, in the next prompt.
pub(super) fn invitation(choice: HumanChoice) -> &'static str {
    match choice {
        HumanChoice::Plan => {
            "Describe what should change in the plan: your next message goes to the Architect."
        }
        HumanChoice::Approval { .. } => "Your next message rejects it, and the agents get your text.",
        HumanChoice::Permission => {
            "The run waits. Your next message refuses the call and tells the agent what to do instead."
        }
        HumanChoice::Question => "Your next message is the answer.",
        HumanChoice::Rounds { .. } => "Your next message goes to the agents, and they try again.",
        HumanChoice::Limit => {
            "Your next message is the new limit, such as `5 USD`, `200000 tokens`, `50 calls` or `600 s`."
        }
        HumanChoice::Interrupted => {
            "The run waits. Your next message continues it without the tool, unless it is `y`."
        }
        HumanChoice::Setup
        | HumanChoice::Visit
        | HumanChoice::UnknownPrice
        | HumanChoice::Step
        | HumanChoice::Resume => "The run waits. `/resume` continues it.",
    }
}

/// What the editor is asked.
pub(super) fn ask(session: &str, request: &HumanRequest, options: &[AnswerOption], details: &str) -> Value {
    let offered: Vec<Value> =
        options.iter().map(|one| json!({"optionId": one.id, "name": one.name, "kind": one.kind})).collect();
    let (kind, input) = match request.asked_call() {
        Some((tool, args)) => (kind_of(tool), json!(args)),
        None => ("other", Value::Null),
    };
    let mut call =
        json!({"toolCallId": call_id(request), "title": request.prompt, "kind": kind, "status": "pending"});
    if let Value::Object(fields) = &mut call {
        if !details.is_empty() {
            let content = json!([{"type": "content", "content": {"type": "text", "text": details}}]);
            fields.insert("content".to_owned(), content);
        }
        if !input.is_null() {
            fields.insert("rawInput".to_owned(), input);
        }
    }
    json!({"sessionId": session, "toolCall": call, "options": offered})
}

/// That the question is answered.
pub(super) fn answered(request: &HumanRequest, is_yes: bool) -> Value {
    let status = if is_yes { "completed" } else { "failed" };
    let id = call_id(request);
    json!({"sessionUpdate": "tool_call_update", "toolCallId": id, "title": request.prompt, "status": status})
}

/// The answer that was chosen; nothing if the editor was closed, or the turn was cancelled.
pub(super) fn chosen<'a>(outcome: &Value, options: &'a [AnswerOption]) -> Option<&'a AnswerOption> {
    let id = outcome.get("outcome")?.get("optionId")?.as_str()?;
    options.iter().find(|option| option.id == id)
}

impl AnswerOption {
    pub(super) fn words(&self) -> Option<&'static str> {
        self.words
    }

    pub(super) fn is_yes(&self) -> bool {
        self.kind.starts_with("allow")
    }
}

fn call_id(request: &HumanRequest) -> String {
    format!("question-{}", request.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(kind: &str, context: &Value) -> HumanRequest {
        serde_json::from_value(json!({
            "id": uuid::Uuid::nil(), "kind": kind, "by": "developer", "at": "2026-01-01T00:00:00Z",
            "prompt": "may I?", "context": context,
        }))
        .unwrap()
    }

    #[test]
    fn every_answer_means_what_a_person_would_type() {
        let call = json!({"permission": {"tool": "Bash", "args": {"command": "cargo test"}, "call": "c"}});
        for request in [
            request("approval", &json!({"plan_path": "p"})),
            request("approval", &json!({"plan_path": "p", "problems": ["no task"]})),
            request("approval", &call),
            request("rounds", &json!({"asks": "failing_checks"})),
            request("rounds", &json!({"asks": "visit_limit"})),
            request("escalation", &json!({"asks": "interrupted_call"})),
            request("step", &json!({})),
            request("breakpoint", &json!({})),
        ] {
            let choice = HumanChoice::of(&request).unwrap();
            let all = options(choice, &request, true);
            assert!(!all.is_empty(), "{choice:?}");
            for option in &all {
                if let Some(words) = option.words {
                    assert!(choice.decide(words, &request).is_ok(), "{choice:?} {words}");
                }
            }
        }
        let invalid = request("approval", &json!({"plan_path": "p", "problems": ["no task"]}));
        assert!(options(HumanChoice::Plan, &invalid, true).iter().all(|option| !option.is_yes()));
    }

    #[test]
    fn only_what_was_offered_can_be_chosen() {
        let request = request("approval", &json!({"plan_path": "p"}));
        let all = options(HumanChoice::Plan, &request, true);
        let outcome = |id: &str| json!({"outcome": {"outcome": "selected", "optionId": id}});
        assert_eq!(chosen(&outcome("approve"), &all).unwrap().words(), Some("y"));
        assert_eq!(chosen(&outcome("fly"), &all), None);
        assert_eq!(chosen(&json!({"outcome": {"outcome": "cancelled"}}), &all), None);
        let asked = ask("s", &request, &all, "the plan");
        assert_eq!(asked["toolCall"]["content"][0]["content"]["text"], "the plan");
        assert_eq!(asked["options"].as_array().unwrap().len(), 3);
    }
}
