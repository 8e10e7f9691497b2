//! What an agent did with memory, as a step of its own with one part.

use amelia_core::event::{Draft, MemoryEvent};
use amelia_core::message::{ExecutionMode, MemoryOperation, Object};
use serde_json::json;

use super::step::{MemoryReference, StepPart, TaskStep};
use super::step_id;

/// The step of a fact about memory.
#[must_use]
pub fn memory_step(event: &MemoryEvent, draft: &Draft) -> TaskStep {
    let (operation, references, content) = match event {
        MemoryEvent::Stored { memory, kind, size } => {
            let stored = MemoryReference {
                memory_id: memory.clone(),
                memory_type: *kind,
                relevance_score: None,
                retrieval_query: None,
            };
            (MemoryOperation::Store, vec![stored], vec![("size", json!(size))])
        }
        MemoryEvent::Retrieved { query, results, .. } => (
            MemoryOperation::Retrieve,
            Vec::new(),
            vec![("query", json!(query)), ("results", json!(results))],
        ),
        MemoryEvent::Consolidated { topic, items, summary_length } => {
            let content = vec![
                ("topic", json!(topic)),
                ("items", json!(items)),
                ("summary_length", json!(summary_length)),
            ];
            (MemoryOperation::Consolidate, Vec::new(), content)
        }
    };
    let ids: Vec<&str> = references.iter().map(|reference| reference.memory_id.as_str()).collect();
    let memory_context = match ids.is_empty() {
        true => Object::new(),
        false => Object::from_iter([("references".to_owned(), json!(ids))]),
    };
    let content = content.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    TaskStep {
        step_id: step_id(draft.id.0),
        timestamp: draft.at,
        agent_name: draft.agent.to_string(),
        task_id: None,
        parent_step_id: None,
        execution_mode: ExecutionMode::default(),
        memory_context,
        parts: vec![StepPart::Memory { operation, references, content: Some(content) }],
        metadata: Object::from_iter([("role".to_owned(), json!("tool"))]),
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::clock::TickingClock;
    use amelia_core::event::EventKind;
    use amelia_core::message::MemoryKind;
    use amelia_core::run::Domain;

    use super::*;

    #[test]
    fn every_fact_about_memory_is_a_step_with_a_memory_part() {
        let step = |event: MemoryEvent| {
            let kind = EventKind::Memory(event.clone());
            let draft = Draft::of_system(&TickingClock::default(), Domain::default(), kind);
            let step = serde_json::to_value(memory_step(&event, &draft)).unwrap();
            (step["parts"][0].clone(), step["memory_context"].clone())
        };
        let stored = MemoryEvent::Stored { memory: "m1".into(), kind: MemoryKind::Semantic, size: 20 };
        let (part, context) = step(stored);
        assert_eq!(
            part,
            json!({
                "type": "memory", "operation": "store", "content": {"size": 20},
                "references": [{"memory_id": "m1", "memory_type": "semantic", "relevance_score": null, "retrieval_query": null}],
            })
        );
        assert_eq!(context, json!({"references": ["m1"]}));
        let found = MemoryEvent::Retrieved { query: "cats".into(), results: 3, threshold: None };
        let (part, context) = step(found);
        assert_eq!((&part["operation"], &part["content"]["results"]), (&json!("retrieve"), &json!(3)));
        assert_eq!(context, json!({}));
        let summarised = MemoryEvent::Consolidated { topic: "cats".into(), items: 9, summary_length: 80 };
        let (part, _) = step(summarised);
        assert_eq!((&part["operation"], &part["content"]["topic"]), (&json!("consolidate"), &json!("cats")));
    }
}
