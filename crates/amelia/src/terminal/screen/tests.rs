//! What a screen keeps of calls and of who speaks.

use amelia_core::clock::{Clock as _, SystemClock};
use amelia_core::event::Draft;
use amelia_core::id::Seq;
use amelia_core::run::Domain;
use amelia_core::store::trace_of;

use super::*;

fn said(speaker: &LiveSpeaker, text: &str) -> Event {
    said_as("assistant", speaker, text)
}

fn said_as(role: &str, speaker: &LiveSpeaker, text: &str) -> Event {
    let message = serde_json::json!({
        "id": SystemClock.new_id(), "at": SystemClock.now(), "role": role, "agent": speaker.agent,
        "parts": [{"text": {"text": text}}],
    });
    let kind = EventKind::Agent(AgentEvent::Said(serde_json::from_value(message).unwrap()));
    let Event { run, seq, trace, draft } = event(kind);
    let draft = Draft { agent: speaker.agent.clone(), session: speaker.session, ..draft };
    Event { run, seq, trace, draft }
}

fn event(kind: EventKind) -> Event {
    let draft = Draft::of_system(&SystemClock, Domain::Workflow, kind);
    let run = RunId(SystemClock.new_id());
    Event { run, seq: Seq(1), trace: trace_of(run), draft }
}

#[test]
fn who_joins_in_the_middle_of_a_call_sees_what_was_called() {
    let call: ToolCall = serde_json::from_value(serde_json::json!({
        "id": "c1", "tool": "Bash", "args": {"command": "make"},
    }))
    .unwrap();
    let called = event(EventKind::Agent(AgentEvent::Called(call.clone())));
    let result = ToolResult { error: None, ..ToolResult::interrupted(&call) };
    let mut screen = Screen::new(false);
    screen.recall(std::slice::from_ref(&called));
    assert_eq!(screen.called(&result).map(|(call, _)| call), Some(call.clone()));
    assert_eq!(screen.called(&result), None);
    // The server was killed meanwhile.
    let resumed = event(EventKind::Run(RunEvent::Resumed { reason: ResumeReason::Recovered }));
    screen.recall(&[called, resumed]);
    assert!(screen.calls.is_empty(), "it is not in progress any more");
    assert_eq!(screen.called(&result).map(|(call, _)| call), Some(call));
}

#[test]
fn two_conversations_of_one_agent_do_not_share_a_line() {
    let speaker = || LiveSpeaker {
        agent: AgentName::new("developer").unwrap(),
        session: Some(RunId(SystemClock.new_id())),
    };
    let (first, second) = (speaker(), speaker());
    let mut screen = Screen::new(false);
    screen.delta(first.clone(), DeltaKind::Text, "One ");
    screen.delta(second.clone(), DeltaKind::Text, "Two ");
    screen.delta(first.clone(), DeltaKind::Text, "task.");
    assert_eq!(screen.open, Some((first.clone(), DeltaKind::Text)), "the line is the first one's");
    screen.show(&said(&second, "Two tasks."));
    assert_eq!(screen.held, [("Developer".to_owned(), "Two tasks.".to_owned())]);
    assert_eq!(screen.open, Some((first.clone(), DeltaKind::Text)));
    screen.show(&said(&first, "One task."));
    assert!(screen.open.is_none() && screen.held.is_empty(), "the other one is shown as a whole");
    screen.delta(second.clone(), DeltaKind::Text, "Done.");
    assert_eq!(screen.open, Some((second, DeltaKind::Text)), "it speaks live again");
}

#[test]
fn an_answer_is_shown_once_although_what_it_answers_is_written_down_after_its_first_words() {
    let speaker = LiveSpeaker { agent: AgentName::new("writer").unwrap(), session: None };
    let mut screen = Screen::new(false);
    screen.delta(speaker.clone(), DeltaKind::Text, "Rivers are long.");
    screen.show(&said_as("user", &speaker, "Write about rivers"));
    assert!(screen.streamed.contains(&speaker), "its words are on the screen");
    screen.show(&said(&speaker, "Rivers are long."));
    assert!(screen.open.is_none() && screen.streamed.is_empty());
    // One that was cut is said anew.
    screen.delta(speaker, DeltaKind::Text, "Seas");
    screen.show(&event(EventKind::Run(RunEvent::Resumed { reason: ResumeReason::Replied })));
    assert!(screen.streamed.is_empty());
}
