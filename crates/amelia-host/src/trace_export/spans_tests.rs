use amelia_core::event::run::RunFailure;
use amelia_core::human::{HumanKind, HumanReply, HumanRequest, OnTimeout};
use amelia_core::id::{GraphName, NodeId, Seq, TraceId};
use amelia_core::message::Object;
use amelia_core::problem::Problem;
use amelia_core::run::{Domain, RunSpec};
use amelia_core::tool::{ToolCall, ToolName, ToolResult};
use serde_json::json;
use uuid::Uuid;

use super::super::otlp;
use super::*;

fn id(number: u64) -> Uuid {
    Uuid::from_u64_pair(7, number)
}

/// The event with this number, so many seconds after the start.
fn event(number: u64, agent: &str, kind: EventKind) -> Event {
    let is_of_run = matches!(kind, EventKind::Run(_) | EventKind::Node(_));
    let draft = Draft {
        id: EventId(id(number)),
        at: Timestamp::from_second(i64::try_from(number).unwrap()).unwrap(),
        agent: AgentName::new(agent).unwrap(),
        domain: Domain::default(),
        session: None,
        step: (!is_of_run).then_some(Step(1)),
        cause: None,
        kind,
    };
    Event { run: RunId(id(100)), seq: Seq(number), trace: TraceId(id(100)), draft }
}

fn of_agent(number: u64, kind: AgentEvent) -> Event {
    event(number, "developer", EventKind::Agent(kind))
}

fn call() -> ToolCall {
    let tool = ToolName::builtin("read_file");
    ToolCall {
        id: CallId::new("c1").unwrap(),
        tool,
        args: Object::new(),
        at: None,
        options: Default::default(),
    }
}

fn asked(number: u64) -> HumanRequest {
    HumanRequest {
        id: RequestId(id(number)),
        kind: HumanKind::Approval,
        by: AgentName::system(),
        at: Timestamp::UNIX_EPOCH,
        prompt: "secret words".to_owned(),
        context: json!({ "plan": "secret words" }),
        deadline: None,
        on_timeout: OnTimeout::default(),
        session: None,
        mode: None,
    }
}

fn begun() -> Vec<Event> {
    let spec = RunSpec::new(GraphName::new("implementation").unwrap(), "secret words");
    let node = NodeId::new("develop").unwrap();
    let usage = Usage {
        input_tokens: Some(10),
        output_tokens: Some(2),
        cost_usd: Some(0.5),
        duration_ms: Some(1000),
        model: Some("m".to_owned()),
        ..Usage::default()
    };
    vec![
        event(1, "system", EventKind::Run(RunEvent::Created { spec: Box::new(spec) })),
        event(2, "system", EventKind::Node(NodeEvent::Entered { node, step: Step(1) })),
        of_agent(3, AgentEvent::Started { context_tokens: None, memories: None, session: None }),
        of_agent(5, AgentEvent::Used(usage)),
        of_agent(6, AgentEvent::Called(call())),
        of_agent(
            8,
            AgentEvent::Returned(ToolResult {
                error: Some("secret words".to_owned()),
                ..ToolResult::interrupted(&call())
            }),
        ),
        event(9, "system", EventKind::Human(HumanEvent::Requested(asked(9)))),
        event(10, "system", EventKind::Run(RunEvent::Paused { reason: HumanKind::Approval })),
    ]
}

fn ended_by(rest: RunEvent) -> Vec<Event> {
    let reply = HumanReply::go_on(RequestId(id(9)), Timestamp::UNIX_EPOCH);
    vec![
        event(70, "system", EventKind::Human(HumanEvent::Replied(reply))),
        event(71, "system", EventKind::Run(rest)),
    ]
}

/// Name, number of the parent, when it began and ended, error.
type ShownSpan = (String, Option<u64>, i64, i64, Option<String>);

fn shown(spans: &[Span]) -> Vec<ShownSpan> {
    let number = |id: EventId| id.0.as_u64_pair().1;
    spans
        .iter()
        .map(|span| {
            let parent = span.parent.map(number);
            (span.name.clone(), parent, span.start.as_second(), span.end.as_second(), span.error.clone())
        })
        .collect()
}

fn fold(events: &[Event]) -> SpanFold {
    let mut fold = SpanFold::default();
    events.iter().for_each(|event| fold.apply(event));
    fold
}

#[test]
fn what_ended_before_a_rest_is_sent_then_and_the_others_when_they_end() {
    let mut fold = fold(&begun());
    let failed = Some("tool_error".to_owned());
    let first = [
        ("chat m".to_owned(), Some(3), 4, 5, None),
        ("execute_tool read_file".to_owned(), Some(3), 6, 8, failed),
    ];
    assert_eq!(shown(&fold.take_ended()), first);
    let left = NodeEvent::Left { node: NodeId::new("develop").unwrap(), step: Step(1), duration_ms: 1 };
    let [replied, completed] = ended_by(RunEvent::Completed { summary: None }).try_into().unwrap();
    for event in [replied, event(70, "system", EventKind::Node(left)), completed] {
        fold.apply(&event);
    }
    let rest = [
        ("wait_for_person".to_owned(), Some(2), 9, 70, None),
        ("invoke_agent developer".to_owned(), Some(2), 3, 70, None),
        ("develop".to_owned(), Some(1), 2, 70, None),
        ("invoke_workflow implementation".to_owned(), None, 1, 71, None),
    ];
    assert_eq!(shown(&fold.take_ended()), rest);
}

#[test]
fn what_was_under_way_when_a_run_failed_has_failed_with_it() {
    let failure = RunFailure::new("budget", Problem::new("secret words"));
    let events: Vec<Event> = begun().into_iter().chain(ended_by(RunEvent::Failed { failure })).collect();
    let spans = fold(&events).take_ended();
    let failed: Vec<&str> =
        spans.iter().filter(|span| span.error.as_deref() == Some("budget")).map(|span| &*span.name).collect();
    assert_eq!(failed, ["develop", "invoke_agent developer", "invoke_workflow implementation"]);
}

#[test]
fn a_request_has_ids_times_and_attributes_and_no_words_of_people_or_models() {
    let failure = RunFailure::new("budget", Problem::new("secret words"));
    let events: Vec<Event> = begun().into_iter().chain(ended_by(RunEvent::Failed { failure })).collect();
    let request = otlp::request(TraceId(id(100)), &fold(&events).take_ended());
    assert!(!request.to_string().contains("secret"), "{request}");
    let expected = json!({
        "traceId": "00000000000000070000000000000064",
        "spanId": "0000000000000005",
        "parentSpanId": "0000000000000003",
        "name": "chat m",
        "kind": 3,
        "startTimeUnixNano": "4000000000",
        "endTimeUnixNano": "5000000000",
        "attributes": [
            { "key": "gen_ai.operation.name", "value": { "stringValue": "chat" } },
            { "key": "gen_ai.response.model", "value": { "stringValue": "m" } },
            { "key": "gen_ai.usage.input_tokens", "value": { "intValue": "10" } },
            { "key": "gen_ai.usage.output_tokens", "value": { "intValue": "2" } },
            { "key": "amelia.cost_usd", "value": { "doubleValue": 0.5 } },
        ],
        "status": {},
    });
    let spans = request["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap();
    assert_eq!(spans[0], expected);
    let run = spans.last().unwrap();
    assert_eq!((&run["status"], run.get("parentSpanId")), (&json!({ "code": 2 }), None));
}
