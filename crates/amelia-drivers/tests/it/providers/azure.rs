//! Azure OpenAI, after learn.microsoft.com, "Azure OpenAI v1 API", "Content filtering" and "Content streaming", and the
//! refusals that its users quote. A model has the name of a deployment there, so nothing is known of it.

use amelia_core::driver::DriverError;
use amelia_drivers::model::{Provider, WireFormat};
use serde_json::{Value, json};

use super::chat::pairs;
use super::fake::{Answer, Fake, Refusal, Rules, openai_error, refuse, sse};
use super::openai::Responses;
use super::{ModelCase, converse, opening};

/// A deployment of a model that reasons, over Chat.
struct Azure;

/// Everything that it takes; all else is refused by its name.
const ARGUMENTS: [&str; 10] = [
    "model",
    "messages",
    "tools",
    "tool_choice",
    "stream",
    "stream_options",
    "max_completion_tokens",
    "reasoning_effort",
    "response_format",
    "temperature",
];

impl Rules for Azure {
    fn check(&self, path: &str, body: &Value) -> Result<(), Refusal> {
        assert_eq!(path, "/openai/v1/chat/completions");
        if body.get("max_tokens").is_some() {
            return refuse(
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            );
        }
        if let Some(unknown) = body.as_object().unwrap().keys().find(|key| !ARGUMENTS.contains(&key.as_str()))
        {
            return refuse(&format!("Unrecognized request argument supplied: {unknown}"));
        }
        if body.get("temperature").is_some_and(|temperature| *temperature != json!(1)) {
            return refuse(
                "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
            );
        }
        if body.get("tools").is_some() && body.get("reasoning_effort") != Some(&json!("none")) {
            return refuse(
                "Function tools with reasoning_effort are not supported for gpt-5.6-sol in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
            );
        }
        pairs(body)
    }

    fn calling(&self, turn: usize, calls: usize) -> String {
        let mut deltas = vec![json!({"role": "assistant", "content": null, "refusal": null})];
        for number in 0..calls {
            let id = format!("call_{turn}_{number}");
            let function = json!({"name": "look", "arguments": ""});
            let begin = json!({"index": number, "id": id, "type": "function", "function": function});
            let more = json!({"index": number, "function": {"arguments": "{\"at\":\"x\"}"}});
            deltas.extend([json!({"tool_calls": [begin]}), json!({"tool_calls": [more]})]);
        }
        filtered(&deltas, "tool_calls")
    }

    fn saying(&self, text: &str, is_cut: bool) -> String {
        filtered(&[json!({"content": text})], if is_cut { "length" } else { "stop" })
    }

    fn overflow(&self) -> Refusal {
        let message = "This model's maximum context length is 128000 tokens. However, your messages resulted in 150000 tokens. Please reduce the length of the messages.";
        (400, openai_error(message, &json!("context_length_exceeded")))
    }

    fn hiccup(&self, turn: usize) -> Option<Answer> {
        let error = json!({"error": {"code": "Timeout", "message": "The operation was timeout."}});
        (turn == 2).then_some(Answer::Refused((408, error)))
    }
}

/// A stream between what the filter has to say: first of the prompt, in a chunk without choices, id and model; then in
/// every chunk, and in chunks of its own that have no delta. The usage comes last, without choices.
fn filtered(deltas: &[Value], reason: &str) -> String {
    let safe = json!({"hate": {"filtered": false, "severity": "safe"}});
    let nameless =
        |choices: Value| json!({"id": "", "object": "", "created": 0, "model": "", "choices": choices});
    let mut prompt = nameless(json!([]));
    prompt["prompt_filter_results"] = json!([{"prompt_index": 0, "content_filter_results": safe}]);
    let chunk = |delta: &Value, reason: Option<&str>| {
        json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-5.6-sol-2026-05-01",
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason, "logprobs": null,
                "content_filter_results": safe}], "usage": null})
    };
    let mut events = vec![prompt];
    events.extend(deltas.iter().map(|delta| chunk(delta, None)));
    events.push(chunk(&json!({}), Some(reason)));
    events.push(nameless(json!([{"index": 0, "finish_reason": null, "content_filter_results": safe,
        "content_filter_offsets": {"check_offset": 44, "start_offset": 44, "end_offset": 198}}])));
    let mut usage = chunk(&json!({}), None);
    usage["choices"] = json!([]);
    usage["usage"] = json!({"prompt_tokens": 30, "completion_tokens": 5, "total_tokens": 35});
    events.push(usage);
    sse(&events) + "data: [DONE]\n\n"
}

fn deployment() -> ModelCase {
    ModelCase::new(Provider::OpenAiCompatible, WireFormat::Chat, "our-deployment").below("/openai/v1")
}

#[tokio::test]
async fn azure_over_chat() {
    let mut asked = deployment();
    asked.options.temperature = Some(0.2);
    asked.options.max_tokens = Some(4000);
    let (talked, fake) = converse(asked, Azure).await;
    assert!(fake.requests().iter().all(|request| request.get("tools").is_some()), "{:?}", talked.notices);
}

/// Its filter stops the prompt, or the answer in the middle.
enum Filter {
    Prompt,
    Answer,
}

impl Rules for Filter {
    fn check(&self, _: &str, _: &Value) -> Result<(), Refusal> {
        let Self::Prompt = self else { return Ok(()) };
        let message = "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry. To learn more about our content filtering policies please read our documentation: https://go.microsoft.com/fwlink/?linkid=2198766";
        let inner = json!({"code": "ResponsibleAIPolicyViolation",
            "content_filter_result": {"violence": {"filtered": true, "severity": "medium"}}});
        let error = json!({"message": message, "type": null, "param": "prompt", "code": "content_filter",
            "status": 400, "innererror": inner});
        Err((400, json!({"error": error})))
    }

    fn calling(&self, _: usize, _: usize) -> String {
        filtered(&[json!({"content": "First, take"})], "content_filter")
    }

    fn saying(&self, text: &str, is_cut: bool) -> String {
        Azure.saying(text, is_cut)
    }

    fn overflow(&self) -> Refusal {
        Azure.overflow()
    }
}

#[tokio::test]
async fn what_the_filter_of_azure_stops_is_refused_and_not_asked_again() {
    for (filter, words) in [(Filter::Prompt, "content management policy"), (Filter::Answer, "declined")] {
        let fake = Fake::start(filter).await;
        let talked = deployment().run(&fake.url, opening()).await;
        let Err(Some(error @ DriverError::Refused { .. })) = &talked.end else { panic!("{talked:?}") };
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(fake.requests().len(), 1);
    }
}

/// Says in words when it may be asked again; there is no header.
struct Throttled;

impl Rules for Throttled {
    fn check(&self, _: &str, _: &Value) -> Result<(), Refusal> {
        let message = "Your requests to gpt-5.1 for gpt-5.1 in East US 2 have exceeded the token rate limit for your current AIServices S0 pricing tier. This request was for ChatCompletions_Create under Azure OpenAI API version 2025-03-01-preview. Please retry after 86400 seconds. To increase your default rate limit, visit: https://aka.ms/oai/quotaincrease.";
        Err((429, json!({"error": {"code": "RateLimitReached", "message": message}})))
    }

    fn calling(&self, turn: usize, calls: usize) -> String {
        Azure.calling(turn, calls)
    }

    fn saying(&self, text: &str, is_cut: bool) -> String {
        Azure.saying(text, is_cut)
    }

    fn overflow(&self) -> Refusal {
        Azure.overflow()
    }
}

#[tokio::test]
async fn a_day_of_waiting_that_azure_names_in_words_is_a_quota() {
    let fake = Fake::start(Throttled).await;
    let talked = deployment().run(&fake.url, opening()).await;
    let Err(Some(DriverError::Quota { resets_at: Some(_), .. })) = &talked.end else { panic!("{talked:?}") };
    assert_eq!(fake.requests().len(), 1);
}

/// A deployment over Responses, of a model that does not reason. It has OpenAI's rules at another path; what its filter
/// found comes with every state of a response.
struct OverResponses;

impl Rules for OverResponses {
    fn check(&self, path: &str, body: &Value) -> Result<(), Refusal> {
        assert_eq!(path, "/openai/v1/responses");
        if body.get("include").is_some() {
            return refuse("Encrypted content is not supported with this model.");
        }
        if body.get("reasoning").is_some() {
            return refuse("Unsupported parameter: 'reasoning.effort' is not supported with this model.");
        }
        Responses.check("/v1/responses", body)
    }

    fn calling(&self, turn: usize, calls: usize) -> String {
        begun() + &Responses.calling(turn, calls)
    }

    fn saying(&self, text: &str, is_cut: bool) -> String {
        begun() + &Responses.saying(text, is_cut)
    }

    fn overflow(&self) -> Refusal {
        Responses.overflow()
    }
}

/// The begin of a stream over Responses, with what the filter says of the prompt.
fn begun() -> String {
    let response = json!({"id": "resp_1", "object": "response", "status": "in_progress", "model": "our-deployment",
        "output": [], "usage": null, "content_filters": [{"blocked": false, "source_type": "prompt",
            "content_filter_results": {"hate": {"filtered": false, "severity": "safe"}}}]});
    sse(&[
        json!({"type": "response.created", "response": response}),
        json!({"type": "response.in_progress", "response": response}),
    ])
}

fn deployment_over_responses() -> ModelCase {
    ModelCase::new(Provider::OpenAiCompatible, WireFormat::Responses, "our-deployment").below("/openai/v1")
}

#[tokio::test]
async fn azure_over_responses() {
    let mut asked = deployment_over_responses();
    asked.options.temperature = Some(0.2);
    let (talked, fake) = converse(asked, OverResponses).await;
    assert!(fake.requests().iter().all(|request| request.get("tools").is_some()), "{:?}", talked.notices);
}

/// The filter stops an answer over Responses in the middle.
struct FilterOverResponses;

impl Rules for FilterOverResponses {
    fn check(&self, _: &str, _: &Value) -> Result<(), Refusal> {
        Ok(())
    }

    fn calling(&self, _: usize, _: usize) -> String {
        let text = json!({"type": "response.output_text.delta", "delta": "First, take"});
        let stopped = json!({"type": "response.incomplete", "response": {
            "incomplete_details": {"reason": "content_filter"},
            "usage": {"input_tokens": 30, "output_tokens": 5}}});
        begun() + &sse(&[text, stopped])
    }

    fn saying(&self, text: &str, is_cut: bool) -> String {
        OverResponses.saying(text, is_cut)
    }

    fn overflow(&self) -> Refusal {
        OverResponses.overflow()
    }
}

#[tokio::test]
async fn an_answer_over_responses_that_the_filter_of_azure_stops_is_refused() {
    let fake = Fake::start(FilterOverResponses).await;
    let talked = deployment_over_responses().run(&fake.url, opening()).await;
    let Err(Some(DriverError::Refused { .. })) = &talked.end else { panic!("{talked:?}") };
    assert_eq!(fake.requests().len(), 1);
}
