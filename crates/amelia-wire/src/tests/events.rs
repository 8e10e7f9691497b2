//! Both dialects of every event.

use std::collections::BTreeSet;
use std::fmt::Write;

use amelia_core::event::Event;
use amelia_core::event::names::{STOPPABLE_EVENTS, UNSTOPPABLE_EVENTS};
use amelia_core::run::Domain;
use serde_json::Value;

use crate::agentx::event::execution_event;
use crate::agentx::step::StreamChunk;
use crate::amelia::event::{EventType, stream, workflow_event};
use crate::facts::Facts;
use crate::live::Live;
use crate::samples::{agent, at, event, kinds, log, reply, request, uuid};

fn live() -> Live {
    Live {
        id: amelia_core::id::EventId(uuid(2000)),
        run: amelia_core::id::RunId(uuid(7)),
        session: None,
        domain: Domain::Workflow,
        turn: amelia_core::id::EventId(uuid(1020)),
        agent: agent("developer"),
        at: at(20),
        kind: amelia_core::driver::DeltaKind::Text,
        text: "Hel".into(),
        is_final: false,
        tokens: Some(1),
        model: Some("m1".into()),
    }
}

fn agentx_name(event: &Event, facts: &Facts) -> String {
    let json = serde_json::to_value(execution_event(event, facts)).unwrap();
    json.get("type").and_then(Value::as_str).unwrap_or("-").to_owned()
}

#[test]
fn every_kind_is_known_to_breakpoints() {
    for event in log(kinds()) {
        let name = event.draft.kind.name();
        let lists = [STOPPABLE_EVENTS.contains(&name), UNSTOPPABLE_EVENTS.contains(&name)];
        assert_eq!(lists.iter().filter(|is_listed| **is_listed).count(), 1, "{name} is in one of the lists");
    }
}

#[test]
fn every_kind_in_every_domain_has_its_names() {
    let events = log(kinds());
    let facts = Facts::of(&events);
    let mut table = String::new();
    for event in &events {
        let names: Vec<&str> = Domain::ALL
            .into_iter()
            .map(|domain| {
                let mut event = event.clone();
                event.draft.domain = domain;
                workflow_event(&event, &facts).map_or("-", |wire| wire.event_type.as_str())
            })
            .collect();
        let amelia =
            if names.iter().all(|name| *name == names[0]) { names[0].into() } else { names.join(" · ") };
        writeln!(table, "{:26} {amelia} | {}", event.draft.kind.name(), agentx_name(event, &facts)).unwrap();
    }
    insta::assert_snapshot!(table);
}

#[test]
fn all_49_and_all_30_names_are_said_by_something() {
    let events = log(kinds());
    let facts = Facts::of(&events);
    let mut amelia = BTreeSet::from([stream(&live()).event_type]);
    let mut agentx = BTreeSet::new();
    for event in &events {
        for domain in Domain::ALL {
            let mut event = event.clone();
            event.draft.domain = domain;
            amelia.extend(workflow_event(&event, &facts).map(|wire| wire.event_type));
        }
        agentx.insert(agentx_name(event, &facts));
    }
    agentx.remove("-");
    assert_eq!(EventType::ALL.len(), 49);
    assert_eq!(amelia, EventType::ALL.iter().copied().collect());
    assert_eq!(agentx.len(), 30);
}

#[test]
fn events_in_amelias_words() {
    let events = log(kinds());
    let facts = Facts::of(&events);
    let wire: Vec<_> = events.iter().filter_map(|event| workflow_event(event, &facts)).collect();
    insta::assert_json_snapshot!(wire);
    insta::assert_json_snapshot!("stream", stream(&live()));
}

#[test]
fn events_in_agentxs_words() {
    let events = log(kinds());
    let facts = Facts::of(&events);
    let wire: Vec<_> = events.iter().filter_map(|event| execution_event(event, &facts)).collect();
    insta::assert_json_snapshot!(wire);
    insta::assert_json_snapshot!("content_chunk", StreamChunk::from(&live()));
}

#[test]
fn a_model_that_answers_again_has_recovered_from_the_try_that_failed() {
    use amelia_core::driver::Usage;
    use amelia_core::event::{AgentEvent, EventKind, SystemEvent};
    let by = |name: &str, number: u64, kind: EventKind| {
        let mut event = event(number, kind);
        event.draft.agent = agent(name);
        event
    };
    let failed =
        |name: &str, number| by(name, number, EventKind::System(SystemEvent::retry("no answer".to_owned())));
    let used = |name: &str, number| by(name, number, EventKind::Agent(AgentEvent::Used(Usage::default())));
    let events = [
        failed("writer", 1),
        failed("critic", 2),
        failed("writer", 3),
        used("writer", 4),
        used("writer", 5),
        used("critic", 6),
    ];
    let mut facts = Facts::default();
    let mut shown = Vec::new();
    for event in &events {
        facts.apply(event);
        let wire = serde_json::to_value(execution_event(event, &facts)).unwrap();
        let error = events.iter().position(|failed| wire["error_id"] == failed.draft.id.0.to_string());
        shown.push((agentx_name(event, &facts), error));
    }
    let expected = [
        ("event_error", Some(0)),
        ("event_error", Some(1)),
        ("event_error", Some(2)),
        ("event_recovery", Some(2)),
        ("-", None),
        ("event_recovery", Some(1)),
    ];
    assert_eq!(shown, expected.map(|(name, error)| (name.to_owned(), error)));
}

#[test]
fn silence_that_means_yes_is_a_grant() {
    use amelia_core::event::{EventKind, HumanEvent};
    use amelia_core::human::{HumanAction, HumanKind, OnTimeout};
    let mut asked = request(41, HumanKind::Approval);
    asked.on_timeout = OnTimeout::Approve;
    let requested = event(1, EventKind::Human(HumanEvent::Requested(asked)));
    let silence = event(2, EventKind::Human(HumanEvent::Replied(reply(41, HumanAction::TimedOut))));
    let name = |facts: &Facts| workflow_event(&silence, facts).unwrap().event_type;
    assert_eq!(name(&Facts::of(&[requested])), EventType::ApprovalGranted);
    assert_eq!(name(&Facts::default()), EventType::ApprovalRejected);
}

#[test]
fn names_are_read_in_either_case() {
    assert_eq!(EventType::parse("WORKFLOW_CREATED"), Some(EventType::WorkflowCreated));
    assert_eq!(EventType::parse("workflow_created"), Some(EventType::WorkflowCreated));
    assert_eq!(EventType::parse("nothing"), None);
}
