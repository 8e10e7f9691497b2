use amelia_core::clock::{Clock, TickingClock};
use amelia_core::event::Draft;
use amelia_core::id::{EventId, RunId, Seq};
use amelia_core::run::Domain;
use amelia_core::store::trace_of;
use amelia_core::tool::{CallOptions, ToolCall, ToolName};

use super::*;

/// A log in the making.
#[derive(Default)]
struct Log(TickingClock, Vec<Event>);

impl Log {
    fn add(&mut self, agent: &str, event: AgentEvent) {
        let run = RunId(uuid::Uuid::nil());
        let draft = Draft {
            id: EventId(self.0.new_id()),
            at: self.0.now(),
            agent: AgentName::new(agent).unwrap(),
            domain: Domain::default(),
            session: None,
            step: Some(Step(1)),
            cause: None,
            kind: EventKind::Agent(event),
        };
        let seq = Seq::START.plus(self.1.len() + 1);
        self.1.push(Event { run, seq, trace: trace_of(run), draft });
    }

    fn said(&mut self, agent: &str, role: Role, parts: Vec<Part>) {
        let message = Message {
            id: MessageId(self.0.new_id()),
            at: self.0.now(),
            role,
            agent: AgentName::new(agent).unwrap(),
            task: None,
            parent: None,
            mode: ExecutionMode::default(),
            memory: Object::new(),
            parts,
            metadata: Object::new(),
        };
        self.add(agent, AgentEvent::Said(Box::new(message)));
    }

    fn rebuilt(&self) -> Vec<String> {
        let messages = rebuild(&self.1, &AgentName::new("me").unwrap());
        let shape = |message: &Message| {
            let parts = message.parts.iter().map(|part| match part {
                Part::Text(text) => text.text.clone(),
                Part::ToolCall(call) => format!("call {}", call.id),
                Part::ToolResult(result) => format!("result {}", result.call),
                _ => "other".to_owned(),
            });
            format!("{:?}: {}", message.role, parts.collect::<Vec<_>>().join(", "))
        };
        messages.iter().map(shape).collect()
    }
}

fn call(id: &str) -> ToolCall {
    ToolCall {
        id: CallId::new(id).unwrap(),
        tool: ToolName::builtin("shell"),
        args: Object::new(),
        at: None,
        options: CallOptions::default(),
    }
}

fn text(text: &str) -> Part {
    Part::Text(TextPart::new(text))
}

#[test]
fn a_conversation_is_read_back_with_its_results_in_the_order_of_the_calls() {
    let mut log = Log::default();
    log.said("me", Role::User, vec![text("do it")]);
    log.said("other", Role::Assistant, vec![text("not mine")]);
    log.said(
        "me",
        Role::Assistant,
        vec![text("looking"), Part::ToolCall(call("a")), Part::ToolCall(call("b"))],
    );
    for id in ["a", "b"] {
        log.add("me", AgentEvent::Called(call(id)));
    }
    for id in ["b", "a"] {
        log.add("me", AgentEvent::Returned(ToolResult::interrupted(&call(id))));
    }
    log.said("me", Role::Assistant, vec![text("done")]);
    assert_eq!(
        log.rebuilt(),
        ["User: do it", "Assistant: looking, call a, call b", "Tool: result a, result b", "Assistant: done"]
    );
}

#[test]
fn a_turn_whose_calls_have_not_all_returned_stands_at_the_end() {
    let mut log = Log::default();
    log.said("me", Role::User, vec![text("do it")]);
    log.said("me", Role::Assistant, vec![Part::ToolCall(call("a")), Part::ToolCall(call("b"))]);
    log.add("me", AgentEvent::Returned(ToolResult::interrupted(&call("a"))));
    assert_eq!(log.rebuilt(), ["User: do it", "Assistant: call a, call b"]);
}

#[test]
fn turns_count_anew_after_a_person_let_the_agent_go_on() {
    let mut log = Log::default();
    log.said("me", Role::User, vec![text("do it")]);
    log.said("me", Role::Assistant, vec![text("one")]);
    let mut messages = rebuild(&log.1, &AgentName::new("me").unwrap());
    assert_eq!(turns_before_last_word(&messages), 0);
    let mut guidance = messages[0].clone();
    guidance.metadata.insert(ANSWER_TO.to_owned(), "r".into());
    messages.push(guidance);
    assert_eq!(turns_before_last_word(&messages), 1);
}

#[test]
fn an_output_stands_until_something_is_said_to_the_agent() {
    let finished = || AgentEvent::Finished {
        text: "done".to_owned(),
        is_error: false,
        session: None,
        tokens: None,
        duration_ms: None,
        memories_stored: None,
    };
    let me = AgentName::new("me").unwrap();
    let mut log = Log::default();
    log.said("me", Role::User, vec![text("do it")]);
    log.add("other", finished());
    assert_eq!(last_output(&log.1, Step(1), &me), None);
    log.said("me", Role::Assistant, vec![text("done")]);
    log.add("me", finished());
    assert_eq!(last_output(&log.1, Step(1), &me).map(String::as_str), Some("done"));
    assert_eq!(last_output(&log.1, Step(2), &me), None);
    log.said("me", Role::User, vec![text("once more")]);
    assert_eq!(last_output(&log.1, Step(1), &me), None);
}
