//! OpenAI: Responses, and Chat Completions with its newest models. After developers.openai.com, "Deployment checklist" and
//! "Conversation state", and the errors that users quote.

use amelia_drivers::model::{Provider, WireFormat};
use serde_json::{Value, json};

use super::fake::{Refusal, Rules, openai_error, refuse, sse};
use super::{ModelCase, chat, converse};

/// gpt-6.1: Responses only.
pub(super) struct Responses;

impl Rules for Responses {
    fn check(&self, path: &str, body: &Value) -> Result<(), Refusal> {
        if path != "/v1/responses" {
            return refuse("This model is only supported in v1/responses.");
        }
        if body.get("temperature").is_some() {
            return refuse("Unsupported parameter: 'temperature' is not supported with this model.");
        }
        if body.get("max_tokens").is_some() || body["store"] != json!(false) {
            return refuse("Unsupported parameter");
        }
        let input = body["input"].as_array().unwrap();
        for (place, item) in input.iter().enumerate() {
            let next = input.get(place + 1).and_then(|next| next["type"].as_str());
            let follows = matches!(next, Some("message" | "function_call" | "reasoning"));
            if item["type"] == "reasoning" && !follows {
                let message = format!(
                    "Item '{}' of type 'reasoning' was provided without its required following item.",
                    item["id"]
                );
                return refuse(&message);
            }
            if item["type"] == "reasoning" && item["encrypted_content"].as_str().is_none() {
                return refuse("The encrypted content could not be verified.");
            }
            if item["type"] == "function_call" {
                let output = |other: &Value| {
                    other["type"] == "function_call_output" && other["call_id"] == item["call_id"]
                };
                if !input.iter().any(output) {
                    return refuse("No tool output found for function call");
                }
            }
        }
        Ok(())
    }

    fn calling(&self, turn: usize, calls: usize) -> String {
        let reasoning = json!({"type": "response.output_item.done", "item": {
            "type": "reasoning", "id": format!("rs_{turn}"), "encrypted_content": "e", "summary": []}});
        let call = |number: usize| {
            json!({"type": "response.output_item.done", "item": {
                "type": "function_call", "id": format!("fc_{turn}_{number}"),
                "call_id": format!("call_{turn}_{number}"), "name": "look", "arguments": "{\"at\":\"here\"}"}})
        };
        let mut events = vec![reasoning];
        events.extend((0..calls).map(call));
        events.push(json!({"type": "response.completed", "response": {"usage": usage()}}));
        sse(&events)
    }

    fn saying(&self, text: &str, is_cut: bool) -> String {
        let item = json!({"type": "response.output_item.done", "item": {
            "type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}});
        let reasoning = json!({"type": "response.output_item.done", "item": {
            "type": "reasoning", "id": "rs_cut", "encrypted_content": "e", "summary": []}});
        let incomplete = json!({"type": "response.incomplete", "response": {
            "incomplete_details": {"reason": "max_output_tokens"}, "usage": usage()}});
        let completed = json!({"type": "response.completed", "response": {"usage": usage()}});
        // What is cut off may end with a thought that nothing follows.
        if is_cut { sse(&[item, reasoning, incomplete]) } else { sse(&[item, completed]) }
    }

    fn overflow(&self) -> Refusal {
        let message =
            "Your input exceeds the context window of this model. Please adjust your input and try again.";
        (400, openai_error(message, &json!("context_length_exceeded")))
    }
}

fn usage() -> Value {
    json!({"input_tokens": 100, "output_tokens": 10,
        "input_tokens_details": {"cached_tokens": 40, "cache_write_tokens": 20}})
}

#[tokio::test]
async fn openai_over_responses() {
    let asked = ModelCase::new(Provider::OpenAi, WireFormat::Responses, "gpt-6.1-sol").thinking("high");
    let (_, fake) = converse(asked, Responses).await;
    let first = &fake.requests()[0];
    assert_eq!(first["reasoning"], json!({"effort": "high", "summary": "auto"}));
    assert_eq!(first["include"], json!(["reasoning.encrypted_content"]));
    assert_eq!(first["input"][1]["content"][0]["type"], "input_image");
}

#[tokio::test]
async fn an_openai_model_that_does_not_think_is_not_asked_for_reasoning() {
    let asked = ModelCase::new(Provider::OpenAi, WireFormat::Responses, "gpt-4.1");
    let (_, fake) = converse(asked, Responses).await;
    assert!(fake.requests().iter().all(|request| request.get("include").is_none()));
}

/// gpt-6-luna over Chat: tools only with `reasoning_effort: none`, no `max_tokens`, no temperature.
pub(super) struct Chat;

impl Rules for Chat {
    fn check(&self, _: &str, body: &Value) -> Result<(), Refusal> {
        if body.get("max_tokens").is_some() {
            return refuse(
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            );
        }
        if body.get("temperature").is_some_and(|temperature| *temperature != json!(1)) {
            return refuse(
                "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
            );
        }
        if body.get("tools").is_some() && body.get("reasoning_effort") != Some(&json!("none")) {
            return refuse(
                "Function tools with reasoning_effort are not supported for gpt-6-luna in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
            );
        }
        chat::pairs(body)
    }

    fn calling(&self, turn: usize, calls: usize) -> String {
        chat::calls(turn, calls, &json!({}))
    }

    fn saying(&self, text: &str, is_cut: bool) -> String {
        chat::says(text, is_cut)
    }

    fn overflow(&self) -> Refusal {
        let message = "This model's maximum context length is 16000 tokens. However, your messages resulted in 20000 tokens.";
        (400, openai_error(message, &json!("context_length_exceeded")))
    }
}

#[tokio::test]
async fn openai_over_chat_is_corrected_and_never_spoken_to_in_text() {
    let mut asked = ModelCase::new(Provider::OpenAiCompatible, WireFormat::Chat, "unknown-6");
    asked.options.temperature = Some(0.2);
    asked.options.max_tokens = Some(4000);
    let (talked, fake) = converse(asked, Chat).await;
    assert!(fake.requests().iter().all(|request| request.get("tools").is_some()), "{:?}", talked.notices);
    assert_eq!(talked.notices.iter().filter(|notice| notice.contains("without reasoning")).count(), 1);
}

#[tokio::test]
async fn reasoning_that_was_asked_for_is_not_given_up_for_tools() {
    let asked = ModelCase::new(Provider::OpenAiCompatible, WireFormat::Chat, "unknown-6");
    let asked = ModelCase {
        options: amelia_core::driver::ModelOptions { temperature: None, ..asked.thinking("high").options },
        ..ModelCase::new(Provider::OpenAiCompatible, WireFormat::Chat, "unknown-6")
    };
    let fake = super::fake::Fake::start(Chat).await;
    let talked = asked.run(&fake.url, super::opening()).await;
    let error = talked.end.unwrap_err().unwrap().to_string();
    assert!(error.contains("/v1/responses"), "{error}");
    assert_eq!(fake.requests().len(), 1);
}

/// The same with an account that cannot read the reasoning of another one. After codex#8145.
struct OtherAccount;

impl Rules for OtherAccount {
    fn check(&self, path: &str, body: &Value) -> Result<(), Refusal> {
        let items = body["input"].as_array().unwrap();
        if items.iter().any(|item| item["type"] == "reasoning" && item["id"] == "rs_0") {
            let message = "The encrypted content gAAA could not be verified.";
            return Err((400, openai_error(message, &json!("invalid_encrypted_content"))));
        }
        Responses.check(path, body)
    }

    fn calling(&self, turn: usize, calls: usize) -> String {
        Responses.calling(turn, calls)
    }

    fn saying(&self, text: &str, is_cut: bool) -> String {
        Responses.saying(text, is_cut)
    }

    fn overflow(&self) -> Refusal {
        Responses.overflow()
    }
}

#[tokio::test]
async fn reasoning_that_cannot_be_read_is_left_out() {
    let asked = ModelCase::new(Provider::OpenAi, WireFormat::Responses, "gpt-6.1-sol").thinking("high");
    let fake = super::fake::Fake::start(OtherAccount).await;
    let talked = asked.run(&fake.url, super::opening()).await;
    assert_eq!(talked.end.as_deref().ok(), Some("Half anThe end."), "{talked:?}");
    let told = talked.notices.iter().filter(|notice| notice.contains("rejects its earlier thoughts")).count();
    assert_eq!(told, 1, "{:?}", talked.notices);
    let last = fake.requests().pop().unwrap()["input"].to_string();
    assert!(last.contains("rs_5") && !last.contains("rs_0"), "newer reasoning is kept");
}
