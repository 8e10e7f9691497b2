use amelia_core::driver::DeltaKind;
use amelia_core::event::{AgentEvent, GuardrailEvent};
use amelia_core::message::{CheckKind, Role};
use amelia_core::redact::Redactor;
use amelia_core::review::Severity;
use amelia_core::tool::{
    JudgedAnswer, Risk, ToolBox, ToolCall, ToolCx, ToolPermission, ToolResult, ToolSpec,
};
use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::json;

use super::*;
use crate::ending::StopSignal;
use crate::helpers::Helpers;
use crate::live::{Live, Streaming};
use crate::stopping::TurnPlace;
use crate::testing::{self, Log, visit};
use crate::tools::{JournaledTools, OwnTools};

/// Blocks what contains `no`, warns of `hm`, and replaces `secret`; after one call of an agent, all others are refused.
struct Words {
    limit: Option<usize>,
}

impl Guardrails for Words {
    fn check(&self, content: &CheckedContent<'_>, _: &dyn Fn(&str) -> Value) -> Vec<Violation> {
        let made = content.call.map_or(0, |call| call.earlier.len());
        let is_over = content.point == GuardPoint::ToolCall && self.limit.is_some_and(|limit| made >= limit);
        let action = match content.text {
            _ if is_over => GuardrailAction::Blocked,
            text if text.contains("no") => GuardrailAction::Blocked,
            text if text.contains("hm") => GuardrailAction::Warned,
            _ => return Vec::new(),
        };
        vec![Violation {
            id: String::new(),
            policy: "words".to_owned(),
            check: CheckKind::ContentFilter,
            severity: Severity::High,
            action,
            point: content.point,
            message: "say yes".to_owned(),
            sample: content.text.to_owned(),
        }]
    }

    fn replaced(&self, _: GuardPoint, text: &str) -> Option<String> {
        text.contains("secret").then(|| text.replace("secret", "…"))
    }

    fn holds_at(&self, _: GuardPoint) -> bool {
        true
    }

    fn holds_back_answers(&self) -> bool {
        true
    }

    fn counts_calls(&self) -> bool {
        self.limit.is_some()
    }
}

/// A tool that says what it is told, and counts how often it was called.
struct Echo(Arc<Mutex<u32>>);

#[async_trait]
impl ToolBox for Echo {
    fn specs(&self) -> Vec<ToolSpec> {
        vec![ToolSpec::builtin("echo", "says it", Risk::Execute, json!({}))]
    }

    async fn call(&self, _: &ToolCx, call: &ToolCall) -> ToolResult {
        *self.0.lock() += 1;
        let output = call.args["text"].as_str().unwrap().chars().rev().collect();
        ToolResult { output, error: None, ..ToolResult::interrupted(call) }
    }
}

async fn tools(
    log: &Arc<Log>,
    limit: Option<usize>,
    ran: &Arc<Mutex<u32>>,
    is_program: bool,
) -> JournaledTools {
    let cx = visit(log).await;
    let echo: Arc<dyn ToolBox> = Arc::new(Echo(Arc::clone(ran)));
    let guard = Some(Guard::new(Arc::new(Words { limit }), None));
    let helpers = Helpers { guard, ..Helpers::default() };
    let tape: Arc<dyn Tape> = Arc::new(amelia_core::recording::NoTape);
    let own = OwnTools {
        place: TurnPlace::default(),
        tools: &echo,
        helpers: &helpers,
        tape: &tape,
        redactor: &Arc::default(),
        agent: &AgentName::system(),
        is_program,
        may_elicit: false,
        sampling: None,
    };
    JournaledTools::new(&own, &cx, Vec::new(), StopSignal::new().0)
}

fn echo(id: &str, text: &str) -> ToolCall {
    testing::call(id, "echo", json!({ "text": text }))
}

/// The facts of a log, in a word each.
fn facts(log: &Log) -> Vec<String> {
    let word = |event: amelia_core::event::Event| match event.draft.kind {
        EventKind::Agent(AgentEvent::Called(call)) => Some(format!("called {}", call.id)),
        EventKind::Agent(AgentEvent::Returned(result)) => Some(format!("returned {}", result.call)),
        EventKind::Guardrail(GuardrailEvent::Violated { action, point, call, .. }) => {
            let call = call.map(|call| format!(" {call}")).unwrap_or_default();
            Some(format!("{} {}{call}", action.word(), point.unwrap()))
        }
        _ => None,
    };
    log.events().into_iter().filter_map(word).collect()
}

#[tokio::test]
async fn a_blocked_call_is_not_made_and_a_resumed_visit_reads_the_decision() {
    let (log, ran): (Arc<Log>, Arc<Mutex<u32>>) = Default::default();
    for _life in 0..2 {
        let tools = tools(&log, None, &ran, false).await;
        let result = tools.call(&ToolCx::default(), &echo("c1", "no")).await;
        let error = result.error.unwrap();
        assert_eq!(error, "not run: the guardrail policy `words` does not allow it: say yes");
    }
    assert_eq!(*ran.lock(), 0);
    assert_eq!(facts(&log), ["called c1", "blocked tool_call c1", "returned c1"]);
}

#[tokio::test]
async fn a_warned_call_is_made_and_a_blocked_result_is_replaced() {
    let (log, ran): (Arc<Log>, Arc<Mutex<u32>>) = Default::default();
    let tools = tools(&log, None, &ran, false).await;
    let warned = tools.call(&ToolCx::default(), &echo("c1", "hm")).await;
    assert_eq!(warned.output, "mh");
    let replaced = tools.call(&ToolCx::default(), &echo("c2", "terces a")).await;
    assert_eq!(replaced.output, "a …");
    let blocked = tools.call(&ToolCx::default(), &echo("c3", "on")).await;
    assert_eq!(blocked.output, "[This result was withheld by the guardrail policy `words`: say yes]");
    assert_eq!(
        facts(&log),
        [
            "warned tool_call c1",
            "called c1",
            "returned c1",
            "called c2",
            "returned c2",
            "called c3",
            "blocked tool_result c3",
            "returned c3"
        ]
    );
}

#[tokio::test]
async fn calls_of_one_answer_and_of_earlier_lives_count_for_a_limit_and_refused_ones_do_not() {
    let (log, ran): (Arc<Log>, Arc<Mutex<u32>>) = Default::default();
    let tool_cx = ToolCx::default();
    let first = tools(&log, Some(2), &ran, false).await;
    let (one, two, three) = (echo("c1", "a"), echo("c2", "b"), echo("c3", "c"));
    let all = futures_util::future::join3(
        first.call(&tool_cx, &one),
        first.call(&tool_cx, &two),
        first.call(&tool_cx, &three),
    );
    let (one, two, three) = all.await;
    assert_eq!((one.is_success(), two.is_success(), three.is_success()), (true, true, false));
    let second = tools(&log, Some(3), &ran, false).await;
    assert!(second.call(&tool_cx, &echo("c4", "d")).await.is_success(), "the refused one does not count");
    assert!(!second.call(&tool_cx, &echo("c5", "e")).await.is_success());
    assert_eq!(*ran.lock(), 3);
}

fn text(text: &str) -> Part {
    Part::Text(TextPart::new(text))
}

#[tokio::test]
async fn an_answer_is_taken_back_or_let_through_and_that_of_a_program_is_only_warned_of() {
    let (log, ran): (Arc<Log>, Arc<Mutex<u32>>) = Default::default();
    let tools = tools(&log, None, &ran, false).await;
    let JudgedAnswer::TakenBack { policy, message, .. } = tools.judge(vec![text("no")]).await else {
        panic!("it is let through")
    };
    assert_eq!((policy.as_str(), message.as_str()), ("words", "say yes"));
    let JudgedAnswer::Accepted(parts) = tools.judge(vec![text("hm, a secret")]).await else {
        panic!("it is taken back")
    };
    assert_eq!(parts[0], text("hm, a …"));
    assert!(matches!(parts[1], Part::Guardrail(_)), "{parts:?}");
    let found = tools.violations();
    assert_eq!((found.len(), tools.violations().len()), (2, 0), "both are written once");

    let of_program = self::tools(&log, None, &ran, true).await;
    let agent = AgentName::system();
    let said = of_program.warned(Box::new(testing::message(Role::Assistant, &agent, 1, vec![text("no")])));
    assert_eq!(said.parts.len(), 2);
    let found = of_program.violations();
    assert!(matches!(&found[..], [EventKind::Guardrail(GuardrailEvent::Violated { action, .. })]
        if *action == GuardrailAction::Warned));
    let denied = of_program.permit(&echo("c1", "no"), Risk::Execute).await;
    let expected = "the guardrail policy `words` does not allow it: say yes".to_owned();
    assert_eq!(denied, ToolPermission::Deny { message: expected });
}

#[tokio::test]
async fn a_blocked_word_is_replaced_and_the_same_when_it_is_said_again() {
    let log: Arc<Log> = Arc::default();
    let cx = visit(&log).await;
    let agent = AgentName::system();
    let guard = Guard::new(Arc::new(Words { limit: None }), None);
    let guard = guard.of(&cx, &agent, &(Arc::new(amelia_core::recording::NoTape) as Arc<dyn Tape>));
    let word = crate::conversation::word(&cx, &agent, 1, "no");
    let (told, found) = guard.word(word.clone(), 0);
    assert_eq!(told.text(), "[This message was withheld by the guardrail policy `words`: say yes]");
    assert_eq!((told.id, found.len()), (word.id, 1));
    assert!(crate::conversation::has_word(&[told], &word), "a resumed visit does not say it again");
}

#[tokio::test]
async fn nothing_of_an_answer_is_shown_before_it_is_accepted() {
    let log: Arc<Log> = Arc::default();
    let cx = visit(&log).await;
    let agent = AgentName::system();
    for (is_held_back, expected) in [(true, vec!["all of it"]), (false, vec!["all ", "of it"])] {
        let shown: Arc<Mutex<Vec<String>>> = Arc::default();
        let live: Live = {
            let shown = Arc::clone(&shown);
            Arc::new(move |delta| shown.lock().push(delta.text))
        };
        let redactor = Redactor::default();
        let mut streaming = Streaming::new(&agent, &redactor, &live, &cx, is_held_back);
        streaming.feed(None, DeltaKind::Text, "all ");
        streaming.feed(None, DeltaKind::Text, "of it");
        streaming.end();
        let answer = testing::message(Role::Assistant, &agent, 1, vec![text("all of it")]);
        streaming.accepted(&answer);
        assert_eq!(*shown.lock(), expected);
    }
}
