//! Answers that break, stop or come in an unusual shape: what they cost is counted, and none is taken for what it is not.

use std::sync::Arc;

use amelia_core::driver::{DriverError, ModelOptions, Usage};
use amelia_core::message::{Part, ThinkingPart};
use amelia_drivers::api::Fallback;
use amelia_drivers::model::{Provider, WireFormat};
use amelia_drivers::quota::{QuotaGate, QuotaRegistry};
use serde_json::{Value, json};

use super::chat::{delta, finish, says};
use super::fake::{Fake, Refusal, Rules, openai_error, sse};
use super::{ModelCase, Talked, opening};

/// Answers with these bodies, one after the other, and then with the last one.
struct Bodies(Vec<String>);

impl Rules for Bodies {
    fn check(&self, _: &str, _: &Value) -> Result<(), Refusal> {
        Ok(())
    }

    fn calling(&self, turn: usize, _: usize) -> String {
        self.0.get(turn).or(self.0.last()).unwrap().clone()
    }

    fn saying(&self, _: &str, _: bool) -> String {
        self.0.last().unwrap().clone()
    }

    fn overflow(&self) -> Refusal {
        (400, Value::Null)
    }
}

fn asked(wire: WireFormat) -> ModelCase {
    let (provider, model) = match wire {
        WireFormat::Chat => (Provider::OpenAiCompatible, "gpt-6-sol"),
        WireFormat::Responses => (Provider::OpenAi, "gpt-6-sol"),
        WireFormat::Messages => (Provider::Anthropic, "claude-opus-5-5"),
    };
    ModelCase::new(provider, wire, model)
}

async fn talk(wire: WireFormat, bodies: &[String]) -> (Talked, usize) {
    let fake = Fake::start(Bodies(bodies.to_vec())).await;
    let talked = asked(wire).run(&fake.url, opening()).await;
    (talked, fake.requests().len())
}

/// So many bytes.
const ARGUMENTS: usize = 21_000;

fn used(talked: &Talked) -> Vec<(Option<u64>, Option<u64>, bool)> {
    let counts = |usage: &Usage| (usage.input_tokens, usage.output_tokens, usage.is_estimated);
    assert!(talked.used.iter().all(|usage| usage.cost_usd.is_some_and(|cost| cost > 0.0)), "{talked:?}");
    talked.used.iter().map(counts).collect()
}

#[tokio::test]
async fn a_call_over_messages_that_breaks_costs_what_was_told_and_streamed_of_it() {
    let usage = json!({"input_tokens": 50_000, "output_tokens": 1});
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}});
    let input = json!({"type": "input_json_delta", "partial_json": "x".repeat(ARGUMENTS)});
    let broken = sse(&[
        json!({"type": "message_start", "message": {"usage": usage}}),
        json!({"type": "content_block_start", "index": 0, "content_block": call}),
        json!({"type": "content_block_delta", "index": 0, "delta": input}),
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
    ]);
    let (talked, requests) = talk(WireFormat::Messages, &[broken]).await;
    assert!(matches!(talked.end, Err(Some(DriverError::Unavailable { .. }))), "{talked:?}");
    assert_eq!((used(&talked), requests), (vec![(Some(50_000), Some(6001), true); 3], 3));
}

#[tokio::test]
async fn a_call_over_chat_that_breaks_costs_what_was_streamed_of_it() {
    let call =
        json!({"index": 0, "id": "c", "function": {"name": "look", "arguments": "x".repeat(ARGUMENTS)}});
    let (talked, _) = talk(WireFormat::Chat, &[sse(&[delta(&json!({"tool_calls": [call]}))])]).await;
    assert!(matches!(talked.end, Err(Some(DriverError::Unavailable { .. }))), "{talked:?}");
    let used = used(&talked);
    assert_eq!(used.len(), 3, "{used:?}");
    assert!(used.iter().all(|(_, output, is_estimated)| *output >= Some(6000) && *is_estimated), "{used:?}");
}

#[tokio::test]
async fn a_call_over_responses_that_fails_costs_what_the_failure_tells() {
    let response = json!({"error": {"code": "server_error", "message": "oops"},
        "usage": {"input_tokens": 900, "output_tokens": 70}});
    let arguments = json!({"type": "response.function_call_arguments.delta", "delta": "x".repeat(ARGUMENTS)});
    let failed = sse(&[arguments, json!({"type": "response.failed", "response": response})]);
    let (talked, _) = talk(WireFormat::Responses, &[failed]).await;
    assert_eq!(used(&talked), [(Some(900), Some(70), false); 3]);
}

#[tokio::test]
async fn an_answer_that_stops_for_an_unknown_reason_is_asked_for_again() {
    let half = delta(&json!({"content": "I will now cha"}));
    let within = json!({"choices": [{"delta": {}, "finish_reason": "error",
        "error": {"code": 502, "message": "upstream broke"}}]});
    let nothing = json!({"choices": [{"delta": {"content": "I will"}, "finish_reason": ""}]});
    for events in [vec![half.clone(), finish("error")], vec![half.clone(), within], vec![nothing]] {
        let (talked, requests) = talk(WireFormat::Chat, &[sse(&events), says("All of it.", false)]).await;
        assert_eq!((talked.end.as_deref().ok(), requests), (Some("All of it."), 2), "{events:?} {talked:?}");
        assert_eq!(talked.used.len(), 2, "the broken one is paid for");
    }
    let text =
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "a"}});
    let stop = json!({"type": "message_delta", "delta": {"stop_reason": "unheard_of"}});
    let (talked, requests) =
        talk(WireFormat::Messages, &[sse(&[text, stop, json!({"type": "message_stop"})])]).await;
    assert!(matches!(talked.end, Err(Some(DriverError::Unavailable { .. }))), "{talked:?}");
    assert_eq!(requests, 3);
}

#[tokio::test]
async fn calls_of_a_filtered_answer_are_not_made() {
    let call = json!({"index": 0, "id": "c", "function": {"name": "look", "arguments": "{}"}});
    let chat = sse(&[delta(&json!({"tool_calls": [call]})), finish("content_filter")]);
    let item = json!({"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"});
    let responses = sse(&[
        json!({"type": "response.output_item.done", "item": item}),
        json!({"type": "response.incomplete", "response": {"incomplete_details": {"reason": "content_filter"}}}),
    ]);
    for (wire, body) in [(WireFormat::Chat, chat), (WireFormat::Responses, responses)] {
        let (talked, _) = talk(wire, &[body]).await;
        assert!(matches!(talked.end, Err(Some(DriverError::Refused { .. }))), "{talked:?}");
        assert_eq!(talked.calls(), 0, "{talked:?}");
    }
}

#[tokio::test]
async fn an_answer_in_one_piece_is_an_answer_and_is_counted() {
    let chat = json!({"object": "chat.completion", "usage": {"prompt_tokens": 9, "completion_tokens": 3},
        "choices": [{"message": {"role": "assistant", "content": "Whole."}, "finish_reason": "stop"}]});
    let responses = json!({"object": "response", "status": "completed", "error": null,
        "output": [{"type": "message", "content": [{"type": "output_text", "text": "Whole."}]}],
        "usage": {"input_tokens": 9, "output_tokens": 3}});
    let messages = json!({"type": "message", "content": [{"type": "text", "text": "Whole."}],
        "stop_reason": "end_turn", "usage": {"input_tokens": 9, "output_tokens": 3}});
    for (wire, body) in
        [(WireFormat::Chat, chat), (WireFormat::Responses, responses), (WireFormat::Messages, messages)]
    {
        let (talked, requests) = talk(wire, &[format!("\n{body:#}")]).await;
        assert_eq!((talked.end.as_deref().ok(), requests), (Some("Whole."), 1), "{talked:?}");
        assert_eq!(used(&talked), [(Some(9), Some(3), false)]);
    }
}

#[tokio::test]
async fn an_error_in_one_piece_means_what_it_says() {
    let key = json!({"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}});
    for wire in [WireFormat::Chat, WireFormat::Responses, WireFormat::Messages] {
        let (talked, requests) = talk(wire, &[key.to_string()]).await;
        assert!(matches!(talked.end, Err(Some(DriverError::Unauthorised { .. }))), "{talked:?}");
        assert_eq!(requests, 1);
    }
}

#[tokio::test]
async fn content_in_unusual_places_is_read() {
    let thought = json!({"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]});
    let parts = delta(&json!({"content": [thought, {"type": "text", "text": "In parts."}]}));
    let (talked, _) = talk(WireFormat::Chat, &[sse(&[parts, finish("stop")])]).await;
    assert_eq!(talked.end.as_deref().ok(), Some("In parts."), "{talked:?}");
    let thoughts = Part::Thinking(ThinkingPart { text: "hm".to_owned(), signature: None });
    assert!(talked.messages.last().unwrap().parts.contains(&thoughts));

    let output = json!([{"type": "message", "content": [{"type": "output_text", "text": "At the end."}]}]);
    let completed = json!({"type": "response.completed", "response": {"output": output}});
    let (talked, _) = talk(WireFormat::Responses, &[sse(&[completed])]).await;
    assert_eq!(talked.end.as_deref().ok(), Some("At the end."), "{talked:?}");

    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"at": "here"}});
    let begun = sse(&[
        json!({"type": "content_block_start", "index": 0, "content_block": call}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
        json!({"type": "message_stop"}),
    ]);
    let text = json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "Seen."}});
    let (talked, _) =
        talk(WireFormat::Messages, &[begun, sse(&[text, json!({"type": "message_stop"})])]).await;
    let args = talked.messages.iter().flat_map(|message| &message.parts).find_map(|part| match part {
        Part::ToolCall(call) => Some(call.args.clone()),
        _ => None,
    });
    assert_eq!(args, json!({"at": "here"}).as_object().cloned(), "{talked:?}");
}

/// Two models of one account, of which the first wants to be left alone for a long time, or the account is used up.
struct Busy {
    message: &'static str,
}

impl Rules for Busy {
    fn check(&self, _: &str, body: &Value) -> Result<(), Refusal> {
        match body["model"] == "first" {
            true => Err((429, openai_error(self.message, &Value::Null))),
            false => Ok(()),
        }
    }

    fn calling(&self, _: usize, _: usize) -> String {
        says("From the second.", false)
    }

    fn saying(&self, text: &str, is_cut: bool) -> String {
        says(text, is_cut)
    }

    fn overflow(&self) -> Refusal {
        (400, Value::Null)
    }
}

async fn with_fallback(message: &'static str) -> (Talked, usize) {
    let fake = Fake::start(Busy { message }).await;
    let quotas = Arc::new(QuotaRegistry::default());
    let [first, second] = ["first", "second"].map(|model| {
        let asked = ModelCase::new(Provider::OpenAiCompatible, WireFormat::Chat, model);
        let mut driver = asked.driver(&fake.url);
        driver.quota = QuotaGate::live(&quotas, "one account").of_model(model);
        driver
    });
    let options = ModelOptions::default();
    let mut driver = first;
    driver.fallbacks = vec![Fallback { driver: second, model: "second".to_owned(), options }];
    let asked = ModelCase::new(Provider::OpenAiCompatible, WireFormat::Chat, "first");
    let talked = asked.run_with(driver, opening()).await;
    (talked, fake.requests().len())
}

#[tokio::test]
async fn a_fallback_on_the_same_account_is_asked_unless_the_account_is_used_up() {
    let (talked, requests) = with_fallback("Rate limit reached. Please try again in 2h0m0s.").await;
    assert_eq!((talked.end.as_deref().ok(), requests), (Some("From the second."), 2), "{talked:?}");
    let (talked, requests) = with_fallback("Your usage limit is reached. Please try again in 2h0m0s.").await;
    assert!(matches!(talked.end, Err(Some(DriverError::Quota { .. }))), "{talked:?}");
    assert_eq!(requests, 1);
}
