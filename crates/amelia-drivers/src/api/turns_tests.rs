use amelia_core::clock::TickingClock;
use amelia_core::driver::ModelOptions;
use amelia_core::message::ThinkingPart;
use amelia_core::recording::Channel;
use amelia_core::tool::{CallOptions, ToolName, UNPARSED};
use serde_json::json;

use super::*;

fn request(answer: Option<AnswerShape>) -> AgentRequest {
    AgentRequest {
        agent: AgentName::system(),
        model: "m".to_owned(),
        system: "be good".to_owned(),
        messages: Vec::new(),
        answer,
        options: ModelOptions::default(),
        max_turns: 10,
        session: None,
        unheard: usize::MAX,
        channel: Channel::default(),
        meter: amelia_core::driver::UsageMeter::default(),
    }
}

fn turns(answer: Option<AnswerShape>) -> Turns {
    let mut turns = Turns::new(&request(answer), Arc::new(TickingClock::default()));
    turns.push(Role::User, vec![text("do it")]);
    turns
}

fn text(text: &str) -> Part {
    Part::Text(TextPart::new(text))
}

fn call(id: &str, args: &serde_json::Value) -> Part {
    Part::ToolCall(ToolCall {
        id: CallId::new(id).unwrap(),
        tool: ToolName::builtin("shell"),
        args: args.as_object().unwrap().clone(),
        at: None,
        options: CallOptions::default(),
    })
}

fn result(call: &ToolCall, error: Option<&str>) -> ToolResult {
    ToolResult { error: error.map(str::to_owned), ..ToolResult::interrupted(call) }
}

/// One turn: the model calls, the tool answers.
fn exchange(turns: &mut Turns, id: &str, args: &serde_json::Value, error: Option<&str>) {
    assert_eq!(turns.decide(), Ok(NextAction::Ask));
    turns.said(vec![call(id, args)], StopReason::Tools);
    let Ok(NextAction::Call(calls)) = turns.decide() else { panic!("there is a call") };
    turns.returned(calls.iter().map(|call| result(call, error)).collect());
}

#[test]
fn an_answer_without_calls_is_the_end() {
    let mut turns = turns(None);
    exchange(&mut turns, "c1", &json!({}), None);
    assert_eq!(turns.decide(), Ok(NextAction::Ask));
    turns.said(vec![text("done")], StopReason::Done);
    assert_eq!(turns.decide(), Ok(NextAction::Done("done".to_owned())));
}

#[test]
fn a_conversation_that_is_read_back_goes_on_with_its_open_calls() {
    let mut before = turns(None);
    before.said(vec![call("c1", &json!({})), call("c2", &json!({}))], StopReason::Tools);
    let messages = before.messages().to_vec();
    let request = AgentRequest { messages, ..request(None) };
    let mut after = Turns::new(&request, Arc::new(TickingClock::default()));
    let Ok(NextAction::Call(calls)) = after.decide() else { panic!("there are calls") };
    assert_eq!(calls.iter().map(|call| call.id.as_str()).collect::<Vec<_>>(), ["c1", "c2"]);
    assert_eq!(after.tokens(), before.tokens());
}

#[test]
fn call_ids_are_unique_even_when_the_server_repeats_them() {
    let mut turns = turns(None);
    exchange(&mut turns, "call_0", &json!({}), None);
    turns.decide().unwrap();
    let [said] = turns
        .said(vec![call("call_0", &json!({})), call("call_0", &json!({}))], StopReason::Tools)
        .try_into()
        .unwrap();
    let ids: Vec<String> = calls_of(&said).iter().map(|call| call.id.to_string()).collect();
    assert_eq!(ids, ["call_0_2", "call_0_3"]);
}

#[test]
fn the_same_failing_call_again_and_again_is_a_loop() {
    let mut turns = turns(None);
    for number in 0..4 {
        exchange(&mut turns, &format!("c{number}"), &json!({"command": "make"}), Some("no rule"));
    }
    let expected = DriverError::Loop { times: 4, call: "shell {\"command\":\"make\"}: no rule".to_owned() };
    assert_eq!(turns.decide(), Err(expected));
    turns.push(Role::User, vec![text("try something else")]);
    assert_eq!(turns.decide(), Ok(NextAction::Ask), "a person's word breaks it");
}

#[test]
fn different_failures_are_not_a_loop() {
    let mut turns = turns(None);
    for number in 0..8 {
        exchange(&mut turns, &format!("c{number}"), &json!({"n": number % 2}), Some("no"));
    }
    assert_eq!(turns.decide(), Ok(NextAction::Ask));
}

#[test]
fn silence_is_nudged_and_then_given_up() {
    let mut turns = turns(None);
    for _ in 0..2 {
        assert_eq!(turns.decide(), Ok(NextAction::Ask));
        turns.said(vec![], StopReason::Done);
        assert!(matches!(turns.decide(), Ok(NextAction::Say(_))));
    }
    turns.decide().unwrap();
    turns.said(vec![text("  ")], StopReason::Done);
    assert_eq!(turns.decide(), Err(DriverError::Silent { times: 3 }));
}

#[test]
fn turns_are_limited() {
    let mut turns = turns(None);
    for number in 0..10 {
        exchange(&mut turns, &format!("c{number}"), &json!({"n": number}), None);
    }
    assert_eq!(turns.decide(), Err(DriverError::Turns { turns: 10 }));
}

#[test]
fn an_answer_that_was_cut_off_goes_on() {
    let mut turns = turns(None);
    let written = turns.said(vec![text("half an ans")], StopReason::Length);
    assert_eq!(written.iter().map(|message| message.role).collect::<Vec<_>>(), [Role::Assistant, Role::User]);
    assert_eq!(turns.decide(), Ok(NextAction::Ask));
}

#[test]
fn an_answer_must_fit_its_schema() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let shape = AnswerShape { name: "count".to_owned(), schema, is_binding: true };
    let mut good = turns(Some(shape.clone()));
    good.said(vec![text("```json\n{\"n\": 3}\n```")], StopReason::Done);
    assert_eq!(good.decide(), Ok(NextAction::Done("{\"n\": 3}".to_owned())));

    let mut wished = turns(Some(AnswerShape { is_binding: false, ..shape.clone() }));
    wished.said(vec![text("three")], StopReason::Done);
    assert_eq!(wished.decide(), Ok(NextAction::Done("three".to_owned())), "a wish is not insisted on");

    let mut bad = turns(Some(shape));
    for _ in 0..2 {
        bad.said(vec![text("{\"n\": \"three\"}")], StopReason::Done);
        let Ok(NextAction::Say(nudge)) = bad.decide() else { panic!("it should be asked again") };
        assert!(nudge.text().contains("at `/n`"), "{}", nudge.text());
    }
    bad.said(vec![text("no")], StopReason::Done);
    assert!(matches!(bad.decide(), Err(DriverError::BadAnswer(_))));
}

#[test]
fn unreadable_arguments_are_explained() {
    let object = json!({UNPARSED: "{a}"});
    let Part::ToolCall(call) = call("c", &object) else { panic!() };
    let told = call.unreadable().unwrap();
    assert!(told.starts_with("the arguments are not a JSON object (key must be"), "{told}");
}

#[test]
fn a_refused_answer_is_kept_and_never_taken_for_one() {
    let mut turns = turns(None);
    assert_eq!(turns.decide(), Ok(NextAction::Ask));
    let said = turns.said(vec![text("I will"), call("c", &json!({}))], StopReason::Refused);
    assert!(said[0].metadata.contains_key(REFUSED) && said[0].parts.len() == 1);
    // A resumed run asks again, without it.
    let asked = Arc::clone(turns.messages().first().unwrap());
    let messages = vec![asked, Arc::new(*said[0].clone())];
    let request = AgentRequest { messages, ..request(None) };
    let mut resumed = Turns::new(&request, Arc::new(TickingClock::default()));
    assert_eq!(resumed.decide(), Ok(NextAction::Ask));
    assert_eq!(resumed.messages().len(), 1);
}

#[test]
fn each_early_end_is_continued_in_its_own_words() {
    for (stop, words) in [
        (StopReason::Length, "output limit"),
        (StopReason::WindowFull, "context was full"),
        (StopReason::Paused, "Continue."),
    ] {
        let mut turns = turns(None);
        let said = turns.said(vec![text("half")], stop);
        assert!(said[1].text().contains(words), "{}", said[1].text());
        assert_eq!(turns.decide(), Ok(NextAction::Ask));
    }
}

#[test]
fn a_call_that_was_cut_off_is_told_to_be_written_in_parts() {
    let Part::ToolCall(cut) = call("c", &json!({UNPARSED: "{\"path\": \"a\", \"content\": \"x"})) else {
        panic!("a call")
    };
    assert!(cut.unreadable().unwrap().contains("smaller parts"));
}

#[test]
fn what_another_model_thought_is_shown_without_its_signature() {
    let thought =
        |text: &str| Part::Thinking(ThinkingPart { text: text.to_owned(), signature: Some("s".to_owned()) });
    let mut turns = turns(None);
    turns.said(vec![thought("first"), call("a", &json!({}))], StopReason::Tools);
    turns.continued_by("second");
    turns.said(vec![thought("second"), call("b", &json!({}))], StopReason::Tools);
    let signed = |turns: &Turns| {
        let shown = turns.own_thoughts(Arc::clone(turns.messages()));
        let thoughts = shown.iter().flat_map(|message| message.parts.clone()).filter_map(|part| match part {
            Part::Thinking(ThinkingPart { text, signature }) => signature.map(|_| text),
            _ => None,
        });
        thoughts.collect::<Vec<_>>()
    };
    assert_eq!(signed(&turns), ["second"]);
    // A resumed run begins with the first model again.
    let messages = turns.messages().to_vec();
    let resumed = Turns::new(&AgentRequest { messages, ..request(None) }, Arc::new(TickingClock::default()));
    assert_eq!(signed(&resumed), ["first"]);
}

#[test]
fn a_continued_answer_is_the_result_as_a_whole() {
    for stop in [StopReason::Length, StopReason::WindowFull, StopReason::Paused] {
        let mut turns = turns(None);
        exchange(&mut turns, "c1", &json!({}), None);
        turns.said(vec![text("The first half of the ans")], stop);
        turns.said(vec![text("wer, second")], stop);
        turns.said(vec![text(" half.")], StopReason::Done);
        let whole = "The first half of the answer, second half.".to_owned();
        assert_eq!(turns.decide(), Ok(NextAction::Done(whole)));
    }
    let mut said = turns(None);
    said.said(vec![text("Half an ans")], StopReason::Length);
    said.push(Role::User, vec![text("Leave that. What is 1 + 1?")]);
    said.said(vec![text("2")], StopReason::Done);
    assert_eq!(said.decide(), Ok(NextAction::Done("2".to_owned())), "a person's word begins another answer");
}

#[test]
fn empty_answers_that_were_cut_off_are_silence() {
    for stop in [StopReason::Length, StopReason::WindowFull, StopReason::Paused] {
        let mut turns = turns(None);
        for _ in 0..3 {
            assert_eq!(turns.decide(), Ok(NextAction::Ask));
            turns.said(vec![], stop);
        }
        assert_eq!(turns.decide(), Err(DriverError::Silent { times: 3 }), "{stop:?}");
        turns.push(Role::User, vec![text("go on")]);
        assert_eq!(turns.decide(), Ok(NextAction::Ask), "a person's word breaks it");
    }
}

#[test]
fn an_answer_without_an_end_is_given_up() {
    let mut turns = Turns { max_turns: 100, ..turns(None) };
    let asked = (0..20).take_while(|_| {
        let is_asked = turns.decide() == Ok(NextAction::Ask);
        turns.said(vec![text("and so on ")], StopReason::Length);
        is_asked
    });
    assert_eq!(asked.count(), 6, "once, and continued five times");
    assert!(matches!(turns.decide(), Err(DriverError::Endless { .. })));
}

#[test]
fn an_answer_is_taken_back_three_times_in_a_row_also_over_a_resume() {
    let part = || GuardrailPart { checks: Vec::new(), overall: amelia_core::message::CheckStatus::Failed };
    let mut turns = turns(None);
    for _ in 0..2 {
        let word = turns.taken_back("polite".to_owned(), "be polite".to_owned(), part()).unwrap();
        assert!(word.text().contains("be polite") && word.role == Role::User, "{word:?}");
        assert_eq!(turns.decide(), Ok(NextAction::Ask));
    }
    let resumed = AgentRequest { messages: turns.messages().to_vec(), ..request(None) };
    let mut turns = Turns::new(&resumed, Arc::new(TickingClock::default()));
    turns.taken_back("polite".to_owned(), "be polite".to_owned(), part()).unwrap();
    let over = turns.taken_back("polite".to_owned(), "be polite".to_owned(), part()).unwrap_err();
    assert!(matches!(over, DriverError::Guardrail { times: 4, .. }), "{over}");
    turns.push(Role::User, vec![text("a person says: without the names")]);
    assert!(turns.taken_back("polite".to_owned(), "be polite".to_owned(), part()).is_ok(), "it counts anew");
}
