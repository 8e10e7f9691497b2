//! Facts as they are compared: without what is declared to differ. Pure.

use amelia_core::event::{
    AgentEvent, Draft, EventKind, NodeEvent, ReviewEvent, RunEvent, SystemEvent, TaskEvent,
};
use amelia_core::message::Role;
use amelia_core::recording::wording;
use serde_json::Value;

/// Fields that say when, how long, or which one; and what follows from an answer, which older versions did not write.
const DIFFERS: [&str; 9] = [
    "id",
    "at",
    "duration_ms",
    "deadline",
    "request",
    "answer_to",
    "person_asked",
    "person_said",
    "cost_usd",
];

/// A fact without what may differ, as text.
pub(super) fn comparable(draft: &Draft) -> String {
    let mut value = serde_json::to_value(draft).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        fields.remove("id");
        fields.remove("at");
        fields.remove("cause");
    }
    if let Some(kind) = value.get_mut("kind") {
        forget(kind);
        if is_worded_by_us(&draft.kind) {
            wording::strip(kind);
        }
        // Follows from the state; older versions did not write it.
        if let Some(completed) = kind.pointer_mut("/run/completed").and_then(Value::as_object_mut) {
            completed.remove("summary");
        }
        forget_notice(kind);
        // Follows from the conversation; older versions did not write it.
        if let Some(said) = kind.pointer_mut("/agent/said").and_then(Value::as_object_mut) {
            said.remove("task");
        }
    }
    value.to_string()
}

/// Names what a warning is about; older versions said it in words alone.
fn forget_notice(kind: &mut Value) {
    let Some(warned) = kind.pointer_mut("/system/warned").and_then(Value::as_object_mut) else { return };
    if let Some(details) = warned.get_mut("details").and_then(Value::as_object_mut) {
        details.remove("notice");
        if details.is_empty() {
            warned.remove("details");
        }
    }
}

/// What Amelia itself has put into words: what agents read and what people are asked and warned of.
fn is_worded_by_us(kind: &EventKind) -> bool {
    match kind {
        EventKind::Agent(AgentEvent::Said(message)) => message.role != Role::Assistant,
        EventKind::Agent(AgentEvent::Returned(_)) | EventKind::Human(_) | EventKind::System(_) => true,
        EventKind::Run(event) => matches!(event, RunEvent::Failed { .. }),
        _ => false,
    }
}

/// Names of calls are the vendor's and stay; names that are ours are new every time.
fn forget(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, value| {
                let is_new = match value {
                    Value::String(text) => name != "id" || uuid::Uuid::parse_str(text).is_ok(),
                    Value::Number(_) | Value::Null => true,
                    Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
                };
                !(DIFFERS.contains(&name.as_str()) && is_new)
            });
            fields.values_mut().for_each(forget);
        }
        Value::Array(items) => items.iter_mut().for_each(forget),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Whether a recording may be without this kind of fact because it is of a version that did not write it.
pub(super) fn is_later(draft: &Draft) -> bool {
    match &draft.kind {
        EventKind::Artifact(_)
        | EventKind::Agent(AgentEvent::Thought(_) | AgentEvent::Finished { .. })
        | EventKind::Task(TaskEvent::Failed { .. })
        | EventKind::Review(ReviewEvent::Evaluated { .. })
        | EventKind::System(SystemEvent::Failed(_) | SystemEvent::Checked { .. }) => true,
        EventKind::Agent(
            AgentEvent::Started { .. }
            | AgentEvent::Called(_)
            | AgentEvent::Returned(_)
            | AgentEvent::Said(_)
            | AgentEvent::Used(_),
        )
        | EventKind::Task(
            TaskEvent::Started(_)
            | TaskEvent::Checked { .. }
            | TaskEvent::Committed { .. }
            | TaskEvent::Completed(_),
        )
        | EventKind::Review(
            ReviewEvent::Requested { .. }
            | ReviewEvent::Completed { .. }
            | ReviewEvent::RevisionRequested { .. },
        )
        | EventKind::System(
            SystemEvent::Recovered { .. } | SystemEvent::Warned { .. } | SystemEvent::Measured { .. },
        )
        | EventKind::Run(_)
        | EventKind::Node(_)
        | EventKind::Human(_)
        | EventKind::Plan(_)
        | EventKind::Team(_)
        | EventKind::Memory(_)
        | EventKind::Guardrail(_)
        | EventKind::Ingest(_)
        | EventKind::Effect(_)
        | EventKind::Delivery(_) => false,
    }
}

/// Who says what kind of fact.
pub(super) fn vocabulary(draft: &Draft) -> String {
    format!("{}/{}", draft.agent, draft.kind.name())
}

/// What makes two facts the same one, even with other words: who said it, where, and of which kind. Of stages side by side
/// one may have been cut off where the other continued: what it does after that is another fact, not the same with other words.
pub(super) fn place_of(draft: &Draft) -> String {
    let session = draft.session.map(|session| session.to_string()).unwrap_or_default();
    let step = match &draft.kind {
        EventKind::Node(NodeEvent::Entered { step, .. } | NodeEvent::Left { step, .. }) => Some(*step),
        _ => draft.step,
    };
    let step = step.map(|step| step.to_string()).unwrap_or_default();
    format!("{step}/{session}/{}/{}", draft.agent, draft.kind.name())
}

#[cfg(test)]
mod tests {
    use amelia_core::clock::SystemClock;
    use amelia_core::id::{AgentName, MessageId, NodeId, Step};
    use amelia_core::message::{Message, Object, Part, TextPart};
    use amelia_core::run::Domain;
    use jiff::Timestamp;

    use super::*;

    #[test]
    fn a_turn_that_names_its_task_is_the_same_as_one_of_an_older_version() {
        let said = |task: Option<&str>, text: &str| {
            let message = Message {
                id: MessageId(uuid::Uuid::nil()),
                at: Timestamp::UNIX_EPOCH,
                role: Role::Assistant,
                agent: AgentName::system(),
                task: task.map(str::to_owned),
                parent: None,
                mode: amelia_core::message::ExecutionMode::default(),
                memory: Object::new(),
                parts: vec![Part::Text(TextPart::new(text))],
                metadata: Object::new(),
            };
            let kind = EventKind::Agent(AgentEvent::Said(Box::new(message)));
            comparable(&Draft::of_system(&SystemClock, Domain::default(), kind))
        };
        assert_eq!(said(Some("rhine"), "Long."), said(None, "Long."));
        assert_ne!(said(None, "Long."), said(None, "Short."));
    }

    #[test]
    fn the_ends_of_two_stages_are_two_facts() {
        let left = |node: &str, step| {
            let kind = NodeEvent::Left { node: NodeId::new(node).unwrap(), step: Step(step), duration_ms: 1 };
            Draft::of_system(&SystemClock, Domain::default(), EventKind::Node(kind))
        };
        assert_ne!(place_of(&left("develop 1", 6)), place_of(&left("develop 2", 7)));
        assert_eq!(place_of(&left("develop 1", 6)), place_of(&left("develop", 6)));
    }
}
