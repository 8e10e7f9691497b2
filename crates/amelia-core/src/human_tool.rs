//! Tools with which an agent asks a person: what a call asks, and what its result says. Pure. Who waits for the answer is
//! no matter of this file.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::event::human::{HumanEvent, Intervention, InterventionKind};
use crate::human::{AnsweredRequest, HumanAction, HumanKind, HumanReply, HumanRequest, OnTimeout};
use crate::id::RequestId;
use crate::object::Object;
use crate::text::capped;

/// In the context of a question: which kind of tool has asked it. Beside it are the arguments of the call.
pub const HUMAN_TOOL: &str = "hitl";
/// In the context of a question: the call that has asked it.
pub const CALL: &str = "call";
/// In the context of a question that is asked anew: the one that had no answer.
pub const ESCALATED_FROM: &str = "escalated_from";
/// In the context of a question that is asked anew without an answer in time: for how many seconds.
pub const ESCALATE_SECONDS: &str = "escalate_seconds";
/// In the details of a message to an agent: the question that it answers.
pub const REQUEST: &str = "request";

/// The arguments that these tools have, without the timeout.
const ARGS: [&str; 6] = ["action", "context", "artifact", "questions", "issue", "urgency"];

/// Characters of an argument that are part of the question itself. All of it is in the context.
const SHOWN: usize = 2_000;

/// What a tool asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HumanToolKind {
    Approval,
    Feedback,
    Escalation,
}

impl HumanToolKind {
    /// Its name in files, and in the context of a question.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Approval => "approval",
            Self::Feedback => "feedback",
            Self::Escalation => "escalation",
        }
    }

    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Approval, Self::Feedback, Self::Escalation].into_iter().find(|kind| kind.name() == name)
    }

    /// What its questions are.
    #[must_use]
    pub fn asks(self) -> HumanKind {
        match self {
            Self::Approval => HumanKind::Approval,
            Self::Feedback => HumanKind::Question,
            Self::Escalation => HumanKind::Escalation,
        }
    }
}

/// What the arguments of a call ask.
#[derive(Debug, Clone, PartialEq)]
pub struct HumanToolCall {
    pub prompt: String,
    /// Seconds until silence is the answer; 0 for never. `None` when the call does not say.
    pub timeout: Option<u64>,
    /// The arguments, without the timeout.
    pub args: Object,
}

impl HumanToolCall {
    /// Reads the arguments of a call; or says what is wrong, for the model.
    pub fn read(kind: HumanToolKind, args: &Object) -> Result<Self, String> {
        let text = |name: &str| {
            args.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
        };
        let needed =
            |name: &str| text(name).ok_or_else(|| format!("`{name}` is missing: call again with it"));
        let prompt = match kind {
            HumanToolKind::Approval => needed("action")?.to_owned(),
            HumanToolKind::Feedback => {
                let artifact = needed("artifact")?;
                let questions = questions(args.get("questions"));
                if questions.is_empty() {
                    return Err("`questions` is missing: call again with a list of questions".to_owned());
                }
                format!("about {}: {}", capped(artifact, SHOWN), questions.join(" "))
            }
            HumanToolKind::Escalation => {
                let urgency = text("urgency").unwrap_or("normal");
                if !["low", "normal", "high"].contains(&urgency) {
                    return Err(format!("`urgency` must be low, normal or high, but is `{urgency}`"));
                }
                match urgency {
                    "normal" => needed("issue")?.to_owned(),
                    urgency => format!("{} (urgency: {urgency})", needed("issue")?),
                }
            }
        };
        let timeout = match args.get("timeout") {
            None | Some(Value::Null) => None,
            Some(given) => Some(seconds(given).ok_or_else(|| {
                format!("`timeout` must be a number of seconds (0 for no timeout), but is {given}")
            })?),
        };
        // A name that means something else in the context of a question is not taken over.
        let mut args = args.clone();
        args.retain(|name, _| ARGS.contains(&name.as_str()));
        Ok(Self { prompt: capped(&prompt, SHOWN), timeout, args })
    }
}

/// A deadline is at most a hundred years away.
fn seconds(given: &Value) -> Option<u64> {
    const MOST: u64 = 100 * 365 * 24 * 3600;
    let whole = || given.as_f64().filter(|number| number.fract() == 0.0 && *number >= 0.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be whole and not negative"
    )]
    let seconds = given.as_u64().or_else(|| whole().map(|number| number as u64));
    seconds.filter(|seconds| *seconds <= MOST)
}

fn questions(given: Option<&Value>) -> Vec<String> {
    let texts: Vec<&str> = match given {
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    texts.into_iter().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

/// The moment so many seconds after another; `None` for 0.
#[must_use]
pub fn deadline(at: Timestamp, seconds: u64) -> Option<Timestamp> {
    let after = i64::try_from(seconds).ok().filter(|seconds| *seconds > 0)?;
    at.checked_add(SignedDuration::from_secs(after)).ok()
}

/// Whether a tool of a team has asked it.
#[must_use]
pub fn is_of_tool(request: &HumanRequest) -> bool {
    request.context.get(HUMAN_TOOL).is_some()
}

/// The question that is asked in the place of one that had no answer in time, where that is what silence means. Once.
#[must_use]
pub fn escalated(answered: &AnsweredRequest, id: RequestId, at: Timestamp) -> Option<HumanRequest> {
    let AnsweredRequest { request, reply } = answered;
    let is_due = reply.action == HumanAction::TimedOut && request.on_timeout == OnTimeout::Escalate;
    if !is_due || request.context.get(ESCALATED_FROM).is_some() {
        return None;
    }
    let mut context = request.context.as_object().cloned().unwrap_or_default();
    let given = context.remove(ESCALATE_SECONDS).and_then(|seconds| seconds.as_u64());
    let before = request.deadline.map(|deadline| deadline.duration_since(request.at).as_secs());
    let seconds = given.or_else(|| u64::try_from(before?).ok());
    context.insert(ESCALATED_FROM.to_owned(), json!(request.id));
    Some(HumanRequest {
        id,
        kind: HumanKind::Escalation,
        at,
        prompt: format!("no answer arrived in time to: {}", request.prompt),
        context: Value::Object(context),
        deadline: seconds.and_then(|seconds| deadline(at, seconds)),
        on_timeout: OnTimeout::Reject,
        ..request.clone()
    })
}

/// What the result of a call says. It is JSON, over several lines.
#[must_use]
pub fn result_text(answered: &AnsweredRequest) -> String {
    let AnsweredRequest { request, reply } = answered;
    let response = match reply.action {
        HumanAction::Approve if request.kind == HumanKind::Question => "answered",
        HumanAction::Approve => "approved",
        HumanAction::Reject => "rejected",
        HumanAction::Modify => "modified",
        HumanAction::TimedOut => "timeout",
    };
    let mut result = Object::new();
    result.insert("response".to_owned(), json!(response));
    result.insert("approved".to_owned(), json!(answered.is_approval()));
    let silence = || (reply.action == HumanAction::TimedOut).then(|| "no answer arrived in time".to_owned());
    if let Some(message) = reply.message.clone().filter(|words| !words.trim().is_empty()).or_else(silence) {
        result.insert("message".to_owned(), json!(message));
    }
    if let Some(updates) = reply.updates.as_ref().filter(|updates| !updates.is_null()) {
        result.insert("data".to_owned(), updates.clone());
    }
    serde_json::to_string_pretty(&result).unwrap_or_default()
}

/// What the result of a call says whose answer comes later.
#[must_use]
pub fn asked_text(request: &HumanRequest) -> String {
    let result = json!({"request_id": request.id, "status": "asked"});
    serde_json::to_string_pretty(&result).unwrap_or_default()
}

/// What follows from an answer to a question that nothing waits for: a message to the agent that has asked, or the question
/// anew. `id` is a new one.
#[must_use]
pub fn after_advice(request: HumanRequest, reply: &HumanReply, id: uuid::Uuid) -> HumanEvent {
    let answered = AnsweredRequest { request, reply: reply.clone() };
    if let Some(again) = escalated(&answered, RequestId(id), reply.at) {
        return HumanEvent::Requested(again);
    }
    let AnsweredRequest { request, .. } = &answered;
    let message = format!("You asked: {}\n\nThe answer:\n{}", request.prompt, result_text(&answered));
    let details = [("message", json!(message)), ("agent", json!(request.by)), (REQUEST, json!(request.id))];
    HumanEvent::Intervened(Intervention {
        id: id.to_string(),
        kind: InterventionKind::Instruction,
        details: details.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        by: reply.by.clone(),
    })
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::id::AgentName;

    fn read(kind: HumanToolKind, args: Value) -> Result<HumanToolCall, String> {
        HumanToolCall::read(kind, &serde_json::from_value(args).unwrap())
    }

    fn asked(context: Value) -> HumanRequest {
        let at = Timestamp::UNIX_EPOCH;
        HumanRequest {
            id: RequestId(Uuid::from_u128(1)),
            kind: HumanKind::Approval,
            by: AgentName::new("writer").unwrap(),
            at,
            prompt: "publish?".to_owned(),
            context,
            deadline: deadline(at, 60),
            on_timeout: OnTimeout::Escalate,
            session: None,
            mode: None,
        }
    }

    fn silent(request: &HumanRequest) -> AnsweredRequest {
        let at = request.deadline.unwrap();
        let reply = HumanReply { action: HumanAction::TimedOut, ..HumanReply::go_on(request.id, at) };
        AnsweredRequest { request: request.clone(), reply }
    }

    #[test]
    fn a_call_says_what_it_asks_and_what_is_wrong_with_it() {
        let call = read(HumanToolKind::Approval, json!({"action": "publish", "timeout": 60.0})).unwrap();
        assert_eq!((call.prompt.as_str(), call.timeout, call.args.len()), ("publish", Some(60), 1));
        let feedback = json!({"artifact": "draft.md", "questions": ["Is it good?", "Is it long?"]});
        let call = read(HumanToolKind::Feedback, feedback).unwrap();
        assert_eq!(call.prompt, "about draft.md: Is it good? Is it long?");
        let urgent = read(HumanToolKind::Escalation, json!({"issue": "stuck", "urgency": "high"})).unwrap();
        assert_eq!((urgent.prompt.as_str(), urgent.timeout), ("stuck (urgency: high)", None));
        for (kind, args, expected) in [
            (HumanToolKind::Approval, json!({}), "`action` is missing"),
            (
                HumanToolKind::Approval,
                json!({"action": "x", "timeout": -5}),
                "`timeout` must be a number of seconds",
            ),
            (HumanToolKind::Approval, json!({"action": "x", "timeout": 1e30}), "`timeout` must be a number"),
            (HumanToolKind::Feedback, json!({"artifact": "a", "questions": []}), "`questions` is missing"),
            (HumanToolKind::Escalation, json!({"issue": "x", "urgency": "now"}), "`urgency` must be"),
        ] {
            let refused = read(kind, args).unwrap_err();
            assert!(refused.contains(expected), "{refused}");
        }
    }

    #[test]
    fn silence_asks_anew_once() {
        let first = asked(json!({"hitl": "approval", "escalate_seconds": 30}));
        let (id, at) = (RequestId(Uuid::from_u128(2)), first.deadline.unwrap());
        let again = escalated(&silent(&first), id, at).unwrap();
        assert_eq!((again.kind, again.on_timeout), (HumanKind::Escalation, OnTimeout::Reject));
        assert_eq!(again.context, json!({"hitl": "approval", "escalated_from": first.id}));
        assert_eq!(again.deadline, deadline(at, 30));
        assert_eq!(escalated(&silent(&again), id, at), None);
        let as_long = escalated(&silent(&asked(json!({}))), id, at).unwrap();
        assert_eq!(as_long.deadline, deadline(at, 60), "as long as before");
    }

    #[test]
    fn an_answer_that_nothing_waits_for_becomes_a_message_to_who_asked() {
        let request = HumanRequest { on_timeout: OnTimeout::Reject, ..asked(json!({"hitl": "approval"})) };
        let reply = HumanReply {
            message: Some("Wait a day.".to_owned()),
            action: HumanAction::Reject,
            ..HumanReply::go_on(request.id, request.at)
        };
        let HumanEvent::Intervened(words) = after_advice(request.clone(), &reply, Uuid::from_u128(9)) else {
            panic!("a message")
        };
        assert_eq!(
            (&words.details["agent"], &words.details["request"]),
            (&json!("writer"), &json!(request.id))
        );
        let message = words.details["message"].as_str().unwrap();
        assert!(
            message.contains("publish?") && message.contains("\"message\": \"Wait a day.\""),
            "{message}"
        );
        assert!(message.contains("\"approved\": false"), "{message}");
    }
}
