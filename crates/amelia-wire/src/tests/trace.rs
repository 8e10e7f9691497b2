//! The trace and the sessions of sub-agents, folded from logs.

use amelia_core::event::run::ResumeReason;
use amelia_core::event::{AgentEvent, Event, EventKind, HumanEvent, NodeEvent, RunEvent};
use amelia_core::human::{HumanKind, HumanReply};
use amelia_core::id::{AgentName, NodeId, RunId, Step};
use amelia_core::message::{Message, Part, Role, TextPart};
use amelia_core::tool::ToolResult;

use crate::maf::task::{SessionStatus, sub_agent_session};
use crate::maf::trace::trace_log;
use crate::samples::{agent, call, event, finished, message, request, result, spec, uuid};

fn in_session(event: Event, name: AgentName) -> Event {
    let mut event = event;
    event.draft.session = Some(RunId(uuid(70)));
    event.draft.agent = name;
    event
}

fn story() -> Vec<Event> {
    let node = || NodeId::new("develop").unwrap();
    let mut child = spec();
    child.title = "Find the cause".into();
    child.parent = Some(RunId(uuid(7)));
    let scout = || agent("scout");
    let failed = ToolResult { error: Some("no such file".into()), ..result() };
    vec![
        event(1, EventKind::Run(RunEvent::Started)),
        event(2, EventKind::Node(NodeEvent::Entered { node: node(), step: Step(1) })),
        event(
            3,
            EventKind::Agent(AgentEvent::Started { context_tokens: None, memories: None, session: None }),
        ),
        in_session(
            event(4, EventKind::Run(RunEvent::Created { spec: Box::new(child) })),
            AgentName::system(),
        ),
        in_session(event(5, EventKind::Agent(AgentEvent::Called(call()))), scout()),
        in_session(event(6, EventKind::Agent(AgentEvent::Returned(failed))), scout()),
        in_session(event(7, EventKind::Agent(AgentEvent::Said(Box::new(message())))), scout()),
        in_session(
            event(8, EventKind::Run(RunEvent::Completed { summary: Some("an old bug".into()) })),
            AgentName::system(),
        ),
        event(9, EventKind::Agent(AgentEvent::Called(call()))),
        event(10, EventKind::Agent(AgentEvent::Returned(result()))),
        event(11, finished(false)),
        event(12, EventKind::Node(NodeEvent::Left { node: node(), step: Step(1), duration_ms: 900 })),
    ]
}

#[test]
fn a_trace_has_turns_with_their_calls_and_visits_with_their_time() {
    insta::assert_json_snapshot!(trace_log(&story()));
    assert_eq!(trace_log(&[]), None);
}

#[test]
fn nothing_runs_in_a_cancelled_run() {
    let mut events: Vec<Event> = story().into_iter().filter(|event| event.seq.0 != 8).collect();
    let status = |events: &[Event]| {
        let info = trace_log(events).unwrap().sub_agent_sessions.into_values().next().unwrap();
        assert_eq!(info.status, sub_agent_session(RunId(uuid(70)), events).unwrap().status);
        info.status
    };
    assert_eq!(status(&events), SessionStatus::Running);
    events.push(event(13, EventKind::Run(RunEvent::Cancelled { by: None })));
    assert_eq!(status(&events), SessionStatus::Failed);
}

#[test]
fn a_session_has_only_its_own_messages() {
    let mut events = story();
    events.push(event(13, EventKind::Agent(AgentEvent::Said(Box::new(message())))));
    insta::assert_json_snapshot!(sub_agent_session(RunId(uuid(70)), &events));
    assert_eq!(sub_agent_session(RunId(uuid(71)), &events), None);
}

#[test]
fn the_end_of_a_sub_agent_is_not_the_end_of_the_run() {
    let events = story();
    let facts = crate::facts::Facts::of(&events);
    let ended = &events[7];
    assert_eq!(crate::amelia::event::workflow_event(ended, &facts), None);
    assert_eq!(crate::agentx::event::execution_event(ended, &facts), None);
    let mut oracle = ended.clone();
    oracle.draft.domain = amelia_core::run::Domain::Oracle;
    let wire = crate::amelia::event::workflow_event(&oracle, &facts).unwrap();
    assert_eq!(wire.session_id, Some(uuid(70)));
}

#[test]
fn a_prompt_is_not_a_step_of_its_agent_and_words_that_are_none_are_no_step() {
    let said = |number, role, text: &str| {
        let parts = vec![Part::Text(TextPart::new(text))];
        let message = Message { role, parts, ..message() };
        event(number, EventKind::Agent(AgentEvent::Said(Box::new(message))))
    };
    let events =
        [said(1, Role::User, "Do it."), said(2, Role::Assistant, " "), said(3, Role::Assistant, "Done.")];
    let steps = trace_log(&events).unwrap().steps;
    let shown: Vec<(&str, &str)> =
        steps.iter().map(|step| (step.agent.as_str(), step.message.as_str())).collect();
    let who = events[2].draft.agent.as_str();
    assert_eq!(shown, [("system", "Do it."), (who, "Done.")]);
}

#[test]
fn a_visit_that_asked_a_question_has_taken_all_its_parts() {
    let node = || NodeId::new("plan").unwrap();
    let asked = request(9, HumanKind::Question);
    let reply = HumanReply {
        message: Some("Tabs.".to_owned()),
        ..HumanReply::go_on(asked.id, jiff::Timestamp::UNIX_EPOCH)
    };
    let kinds = [
        (0, EventKind::Run(RunEvent::Started)),
        (0, EventKind::Node(NodeEvent::Entered { node: node(), step: Step(1) })),
        (4, EventKind::Human(HumanEvent::Requested(asked))),
        (4, EventKind::Run(RunEvent::Paused { reason: HumanKind::Question })),
        (60, EventKind::Human(HumanEvent::Replied(reply))),
        (60, EventKind::Run(RunEvent::Resumed { reason: ResumeReason::Replied })),
        (62, EventKind::Node(NodeEvent::Left { node: node(), step: Step(1), duration_ms: 2000 })),
    ];
    let at = |(number, (second, kind))| {
        let mut event = event(number, kind);
        event.draft.at = jiff::Timestamp::from_second(second).unwrap();
        event
    };
    let events: Vec<Event> = (1..).zip(kinds).map(at).collect();
    let steps = trace_log(&events).unwrap().steps;
    let visit = steps.iter().find(|step| step.step_name == "node.entered").unwrap();
    assert_eq!(visit.duration_ms, Some(6000));
    assert!(steps.iter().any(|step| step.message == "answered: Tabs."), "{steps:?}");
}
