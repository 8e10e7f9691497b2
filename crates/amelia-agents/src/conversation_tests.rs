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
        messages.iter().map(|message| shape(message)).collect()
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
    let mut guidance = (*messages[0]).clone();
    guidance.metadata.insert(ANSWER_TO.to_owned(), "r".into());
    messages.push(Arc::new(guidance));
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

fn me() -> AgentName {
    AgentName::new("me").unwrap()
}

fn used() -> AgentEvent {
    AgentEvent::Thought(amelia_core::message::ThinkingPart { text: "hm".to_owned(), signature: None })
}

#[test]
fn an_agent_has_heard_what_it_did_something_after() {
    let mut log = Log::default();
    let unheard = |log: &Log| unheard(&log.1, &me());
    assert_eq!(unheard(&log), 0, "nothing was said");
    log.said("me", Role::User, vec![text("do it")]);
    assert_eq!(unheard(&log), 1);
    log.add("other", used());
    assert_eq!(unheard(&log), 1, "another agent did something");
    for event in
        [used(), AgentEvent::Called(call("a")), AgentEvent::Returned(ToolResult::interrupted(&call("a")))]
    {
        log.add("me", event);
        assert_eq!(unheard(&log), 0, "{:?}", log.1.last());
        log.said("me", Role::User, vec![text("and this")]);
        assert_eq!(unheard(&log), 1, "a new word, and none of those before");
    }
    log.said("me", Role::Assistant, vec![text("done")]);
    assert_eq!(unheard(&log), 0);
    log.said("me", Role::User, vec![text("one")]);
    log.said("me", Role::User, vec![text("two")]);
    assert_eq!(unheard(&log), 2);
    log.said("me", Role::User, vec![text("hurry")]);
    if let Some(EventKind::Agent(AgentEvent::Said(said))) =
        log.1.last_mut().map(|event| &mut event.draft.kind)
    {
        said.metadata = Object::from_iter([(HEARD.to_owned(), json!("1"))]);
    }
    assert_eq!(unheard(&log), 0, "a person's words are written down when they are in the conversation");
}

#[test]
fn a_session_is_the_last_one_of_this_agent() {
    let started = |session: Option<&str>| AgentEvent::Started {
        context_tokens: None,
        memories: None,
        session: session.and_then(|session| SessionId::new(session).ok()),
    };
    let mut log = Log::default();
    assert_eq!(session(&log.1, &me()), None);
    log.add("me", started(Some("s1")));
    log.add("me", started(Some("s2")));
    log.add("other", started(Some("s3")));
    assert_eq!(session(&log.1, &me()), SessionId::new("s2").ok());
    log.add("me", started(None));
    assert_eq!(session(&log.1, &me()), SessionId::new("s2").ok(), "that one has no name");
}

#[test]
fn calls_of_a_turn_that_is_left_get_results() {
    let mut log = Log::default();
    log.said("me", Role::User, vec![text("do it")]);
    let mut messages = rebuild(&log.1, &me());
    assert_eq!((close(&mut messages, &log.1), messages.len()), (vec![], 1), "no turn is open");
    log.said("me", Role::Assistant, vec![text("only words")]);
    let mut messages = rebuild(&log.1, &me());
    assert_eq!((close(&mut messages, &log.1), messages.len()), (vec![], 2), "it made no calls");
    log.said("me", Role::Assistant, vec![Part::ToolCall(call("a")), Part::ToolCall(call("b"))]);
    log.add("me", AgentEvent::Called(call("a")));
    let mut messages = rebuild(&log.1, &me());
    let errors: Vec<String> =
        close(&mut messages, &log.1).into_iter().filter_map(|result| result.error).collect();
    let unknown = "interrupted, outcome unknown, check before repeating";
    assert_eq!(errors, [unknown, "not run: the turn had ended"]);
    let last = messages.last().unwrap();
    assert_eq!((messages.len(), last.role, last.parts.len()), (4, Role::Tool, 2));
}

#[test]
fn an_interrupted_conversation_continues_where_the_log_ends() {
    let mut log = Log::default();
    let mut shapes = Vec::new();
    log.said("me", Role::User, vec![text("do it")]);
    shapes.push(log.rebuilt().join(" | "));
    log.said("me", Role::Assistant, vec![Part::ToolCall(call("a"))]);
    log.add("me", AgentEvent::Called(call("a")));
    shapes.push(log.rebuilt().join(" | "));
    log.add("me", AgentEvent::Returned(ToolResult::interrupted(&call("a"))));
    shapes.push(log.rebuilt().join(" | "));
    log.said("me", Role::User, vec![text("stop")]);
    shapes.push(log.rebuilt().join(" | "));
    assert_eq!(
        shapes,
        [
            "User: do it",
            "User: do it | Assistant: call a",
            "User: do it | Assistant: call a | Tool: result a",
            "User: do it | Assistant: call a | Tool: result a | User: stop",
        ]
    );
}

#[test]
fn a_conversation_that_is_kept_is_the_one_that_is_rebuilt() {
    let mut log = Log::default();
    log.said("me", Role::User, vec![text("do it")]);
    log.said("me", Role::Assistant, vec![text("looking"), Part::ToolCall(call("a"))]);
    log.said("other", Role::Assistant, vec![text("not mine")]);
    log.add("me", AgentEvent::Returned(ToolResult::interrupted(&call("a"))));
    log.said("me", Role::Assistant, vec![Part::ToolCall(call("b")), Part::ToolCall(call("c"))]);
    log.add("me", AgentEvent::Returned(ToolResult::interrupted(&call("b"))));
    log.said("me", Role::User, vec![text("stop")]);
    log.add("me", AgentEvent::Returned(ToolResult::interrupted(&call("c"))));
    let other = ToolResult { output: "another result".to_owned(), ..ToolResult::interrupted(&call("a")) };
    log.add("me", AgentEvent::Returned(other));
    log.said("me", Role::Assistant, vec![text("done")]);
    let mut kept = RebuiltConversation::default();
    for end in 0..=log.1.len() {
        let past = &log.1[..end];
        assert_eq!(kept.read_on(past, &me()), rebuild(past, &me()), "{end}");
    }
    let shorter = &log.1[..4];
    assert_eq!(kept.read_on(shorter, &me()), rebuild(shorter, &me()), "a past that ends earlier");
}

#[test]
fn what_was_read_of_a_conversation_is_not_copied_again() {
    let mut log = Log::default();
    log.said("me", Role::User, vec![text("do it")]);
    log.said("me", Role::Assistant, vec![text("done")]);
    let mut kept = RebuiltConversation::default();
    let before = kept.read_on(&log.1, &me());
    log.said("me", Role::User, vec![text("again")]);
    let after = kept.read_on(&log.1, &me());
    assert_eq!((before.len(), after.len()), (2, 3));
    assert!(before.iter().zip(&after).all(|(before, after)| Arc::ptr_eq(before, after)));
}

mod in_a_visit {
    use std::sync::Arc;

    use amelia_core::human::{AnsweredRequest, HumanAction, HumanKind};

    use super::*;
    use crate::testing::{answered, message, request, visit, visit_after};

    /// What is said next to an agent with this conversation.
    async fn next(given: Option<AnsweredRequest>, open: bool, mut messages: Vec<Message>) -> Vec<String> {
        let log = Arc::default();
        let cx = match given {
            Some(given) => visit_after(&log, given).await,
            None => visit(&log).await,
        };
        let opening = from_user(&cx, &me(), "Do it.");
        if open {
            messages.insert(0, opening.clone());
        }
        let said = next_words(&cx, &messages, &opening);
        messages.extend(said.clone());
        let again = next_words(&cx, &messages, &opening);
        assert!(!again.iter().any(|more| said.iter().any(|word| word.text() == more.text())), "{again:?}");
        said.iter().map(Message::text).collect()
    }

    fn given(kind: HumanKind, action: HumanAction, words: Option<&str>) -> Option<AnsweredRequest> {
        Some(answered(request(kind, json!({"call": "a"})), action, words))
    }

    #[tokio::test]
    async fn what_is_said_next_follows_from_the_conversation_and_the_answer() {
        use HumanAction::{Approve, Reject};
        use HumanKind::{Budget, Question, Rounds};
        let question = "You asked:\n\n<untrusted source=\"your question\">\nWhich one?\n</untrusted>\n\n\
                        The answer is: This one.\nContinue with this answer.";
        let go_on = "Continue. If something failed repeatedly, try another approach.";
        for (answer, is_open, expected) in [
            (None, false, vec!["Do it."]),
            (None, true, vec![]),
            (given(Budget, Approve, None), true, vec![go_on]),
            (given(Budget, Approve, None), false, vec!["Do it."]),
            (given(Rounds, Approve, Some("Try tabs.")), true, vec!["Try tabs."]),
            (given(Rounds, Approve, Some("Try tabs.")), false, vec!["Do it.", "Try tabs."]),
            (given(Question, Approve, Some("This one.")), true, vec![question]),
            (given(Question, Reject, Some("This one.")), false, vec!["Do it.", question]),
        ] {
            assert_eq!(next(answer.clone(), is_open, Vec::new()).await, expected, "{answer:?} {is_open}");
        }
    }

    #[tokio::test]
    async fn an_answer_that_is_the_result_of_a_call_is_not_said_besides() {
        let asks = message(Role::Assistant, &me(), 1, vec![Part::ToolCall(call("a"))]);
        let answer = given(HumanKind::Question, HumanAction::Approve, Some("This one."));
        assert_eq!(next(answer.clone(), true, vec![asks]).await, [] as [&str; 0]);
        let other = message(Role::Assistant, &me(), 1, vec![Part::ToolCall(call("b"))]);
        assert_eq!(next(answer, true, vec![other]).await.len(), 1, "the call that asked is gone");
    }

    #[tokio::test]
    async fn words_of_a_visit_have_numbers() {
        let cx = visit(&Arc::default()).await;
        let (first, second) = (word(&cx, &me(), 1, "Do it."), word(&cx, &me(), 2, "Now."));
        assert!(has_word(std::slice::from_ref(&first), &word(&cx, &me(), 1, "Do it otherwise.")));
        assert!(!has_word(&[first], &second));
    }

    #[tokio::test]
    async fn what_was_accepted_last_in_this_visit_was_handed_in() {
        let cx = visit(&Arc::default()).await;
        let submit = |id: &str, number: u32| ToolCall {
            tool: ToolName::builtin("submit"),
            args: Object::from_iter([("n".to_owned(), json!(number))]),
            ..call(id)
        };
        let returned = |call: &ToolCall, error: Option<&str>| {
            let error = error.map(str::to_owned);
            AgentEvent::Returned(ToolResult { error, ..ToolResult::interrupted(call) })
        };
        let mut log = Log::default();
        for (id, number, error) in [("a", 1, None), ("b", 2, None), ("c", 3, Some("not accepted"))] {
            log.add("me", AgentEvent::Called(submit(id, number)));
            log.add("me", returned(&submit(id, number), error));
        }
        assert_eq!(handed_in(&log.1, &cx, "submit"), Some(submit("b", 2).args));
        assert_eq!(handed_in(&log.1, &cx, "write"), None, "another tool");
        log.1.iter_mut().for_each(|event| event.draft.step = Some(Step(2)));
        assert_eq!(handed_in(&log.1, &cx, "submit"), None, "another visit");
        assert!(!has_finished(&log.1, &cx));
    }
}
