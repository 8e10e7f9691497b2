//! Those who speak like OpenAI's Chat Completions, each with its own rules and its own way to stream.

use amelia_core::driver::AnswerShape;
use amelia_drivers::model::{Provider, WireFormat};
use serde_json::{Value, json};

use super::fake::{Answer, Fake, Refusal, Rules, openai_error, refuse, sse};
use super::{EXCHANGES, ModelCase, converse, opening};

/// Every call has its result, and every result its call.
pub(super) fn pairs(body: &Value) -> Result<(), Refusal> {
    let messages = body["messages"].as_array().unwrap();
    for (place, message) in messages.iter().enumerate() {
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let answers = |other: &&Value| other["role"] == "tool" && other["tool_call_id"] == call["id"];
            if messages.iter().skip(place).filter(answers).count() != 1 {
                return refuse(
                    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
                );
            }
        }
    }
    Ok(())
}

/// Assistant turns with tool calls.
pub(super) fn calling_turns(body: &Value) -> impl Iterator<Item = &Value> {
    let messages = body["messages"].as_array().unwrap().iter();
    messages.filter(|message| message["tool_calls"].is_array())
}

pub(super) fn delta(delta: &Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

pub(super) fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}],
        "usage": {"prompt_tokens": 30, "completion_tokens": 5}})
}

/// Calls as OpenAI streams them, with `first` before them.
pub(super) fn calls(turn: usize, calls: usize, first: &Value) -> String {
    let mut events = vec![delta(first)];
    for number in 0..calls {
        events.push(delta(&json!({"tool_calls": [{"index": number, "id": format!("call_{turn}_{number}"),
            "type": "function", "function": {"name": "look", "arguments": ""}}]})));
        events
            .push(delta(&json!({"tool_calls": [{"index": number, "function": {"arguments": "{\"at\":"}}]})));
        events.push(delta(&json!({"tool_calls": [{"index": number, "function": {"arguments": "\"x\"}"}}]})));
    }
    events.push(finish("tool_calls"));
    sse(&events) + "data: [DONE]\n\n"
}

pub(super) fn says(text: &str, is_cut: bool) -> String {
    let events = [delta(&json!({"content": text})), finish(if is_cut { "length" } else { "stop" })];
    sse(&events) + "data: [DONE]\n\n"
}

/// DeepSeek, after api-docs.deepseek.com, "Thinking mode".
struct DeepSeek;

impl Rules for DeepSeek {
    fn check(&self, _: &str, body: &Value) -> Result<(), Refusal> {
        if calling_turns(body).any(|turn| !turn["reasoning_content"].is_string()) {
            return refuse("The `reasoning_content` in the thinking mode must be passed back to the API.");
        }
        pairs(body)
    }

    fn calling(&self, turn: usize, count: usize) -> String {
        // Not every turn has a thought: then it is passed back empty.
        let thought = if turn.is_multiple_of(2) { json!({"reasoning_content": "hm"}) } else { json!({}) };
        calls(turn, count, &thought)
    }

    fn saying(&self, text: &str, is_cut: bool) -> String {
        says(text, is_cut)
    }

    fn overflow(&self) -> Refusal {
        let message = "This model's maximum context length is 1000000 tokens. Please reduce the length of the messages.";
        (400, openai_error(message, &json!("invalid_request_error")))
    }
}

#[tokio::test]
async fn deepseek() {
    converse(
        ModelCase::new(Provider::DeepSeek, WireFormat::Chat, "deepseek-flash").thinking("high"),
        DeepSeek,
    )
    .await;
    // Behind an unknown address, its refusal says it.
    converse(ModelCase::new(Provider::OpenAiCompatible, WireFormat::Chat, "a-copy"), DeepSeek).await;
}

/// OpenRouter, after openrouter.ai/docs, "Reasoning tokens" and "Errors and debugging".
struct OpenRouter;

impl Rules for OpenRouter {
    fn check(&self, _: &str, body: &Value) -> Result<(), Refusal> {
        for turn in calling_turns(body) {
            let number = turn["tool_calls"][0]["id"].as_str().unwrap().split('_').nth(1).unwrap();
            let expected = json!([{"type": "reasoning.text", "index": 0, "text": format!("hm {number}"),
                "signature": "s", "format": "anthropic-claude-v1"}]);
            if turn["reasoning_details"] != expected {
                return refuse("Provider returned error: thinking blocks cannot be modified");
            }
        }
        pairs(body)
    }

    fn calling(&self, turn: usize, count: usize) -> String {
        let details = |fields: Value| {
            let mut piece = json!({"type": "reasoning.text", "index": 0});
            piece.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            delta(&json!({"reasoning_details": [piece]}))
        };
        let events = [
            details(json!({"text": "hm ", "format": "anthropic-claude-v1"})),
            details(json!({"text": turn.to_string()})),
            details(json!({"signature": "s"})),
        ];
        format!(": OPENROUTER PROCESSING\n\n{}{}", sse(&events), calls(turn, count, &json!({})))
    }

    fn saying(&self, text: &str, is_cut: bool) -> String {
        format!(": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n{}", says(text, is_cut))
    }

    fn overflow(&self) -> Refusal {
        let message = "This endpoint's maximum context length is 200000 tokens. However, you requested about 300000 tokens.";
        (400, json!({"error": {"message": message, "code": 400}}))
    }

    fn hiccup(&self, turn: usize) -> Option<Answer> {
        let error = json!({"error": {"code": 502, "message": "Provider disconnected unexpectedly"},
            "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}]});
        (turn == 2).then(|| Answer::Stream(sse(&[delta(&json!({"content": "ha"})), error])))
    }
}

#[tokio::test]
async fn openrouter() {
    converse(
        ModelCase::new(Provider::OpenRouter, WireFormat::Chat, "anthropic/claude-sonnet-5-5"),
        OpenRouter,
    )
    .await;
}

/// Groq, after console.groq.com/docs, "Tool use" and "Errors". Refuses fields that it does not know.
struct Groq;

impl Rules for Groq {
    fn check(&self, _: &str, body: &Value) -> Result<(), Refusal> {
        if calling_turns(body).any(|turn| turn.get("reasoning_content").is_some()) {
            return refuse("property 'reasoning_content' is unsupported");
        }
        pairs(body)
    }

    fn calling(&self, turn: usize, count: usize) -> String {
        calls(turn, count, &json!({"reasoning": "hm"}))
    }

    fn saying(&self, text: &str, is_cut: bool) -> String {
        says(text, is_cut)
    }

    fn overflow(&self) -> Refusal {
        let message = "Please reduce the length of the messages or completion.";
        (413, openai_error(message, &json!("context_length_exceeded")))
    }

    fn hiccup(&self, turn: usize) -> Option<Answer> {
        let message =
            "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.";
        (turn == 1).then(|| Answer::Refused((400, openai_error(message, &json!("tool_use_failed")))))
    }
}

#[tokio::test]
async fn groq() {
    converse(ModelCase::new(Provider::Groq, WireFormat::Chat, "llama-large"), Groq).await;
}

/// Gemini's compatible endpoint: calls without an index, one in each chunk, with a signature that must come back. After
/// ai.google.dev, "OpenAI compatibility" and "Thought signatures".
struct Gemini;

impl Rules for Gemini {
    fn check(&self, _: &str, body: &Value) -> Result<(), Refusal> {
        for turn in calling_turns(body) {
            let first = &turn["tool_calls"][0];
            let number = first["id"].as_str().unwrap().split('_').nth(1).unwrap();
            if first["extra_content"]["google"]["thought_signature"] != format!("t{number}") {
                return refuse("Function call is missing a thought_signature in functionCall parts.");
            }
        }
        pairs(body)
    }

    fn calling(&self, turn: usize, count: usize) -> String {
        let call = |number: usize| {
            let mut call = json!({"id": format!("call_{turn}_{number}"), "type": "function",
                "function": {"name": "look", "arguments": "{\"at\":\"x\"}"}});
            if number == 0 {
                call["extra_content"] = json!({"google": {"thought_signature": format!("t{turn}")}});
            }
            delta(&json!({"tool_calls": [call]}))
        };
        let mut events: Vec<Value> = (0..count).map(call).collect();
        events.push(finish("stop"));
        sse(&events) + "data: [DONE]\n\n"
    }

    fn saying(&self, text: &str, is_cut: bool) -> String {
        says(text, is_cut)
    }

    fn overflow(&self) -> Refusal {
        let message =
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).";
        (400, json!({"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}))
    }
}

#[tokio::test]
async fn gemini() {
    converse(ModelCase::new(Provider::OpenAiCompatible, WireFormat::Chat, "gemini-4-argon"), Gemini).await;
}

/// Ollama with a model that has tools: all calls have the index 0, the name comes with every piece, and arguments are
/// objects. After docs.ollama.com, "OpenAI compatibility", and its issues.
struct Ollama;

impl Rules for Ollama {
    fn check(&self, _: &str, body: &Value) -> Result<(), Refusal> {
        pairs(body)
    }

    fn calling(&self, turn: usize, count: usize) -> String {
        let call = |number: usize| {
            let id = format!("call_{turn}_{number}");
            let begin = json!({"index": 0, "id": id, "function": {"name": "look", "arguments": ""}});
            let whole = json!({"index": 0, "id": id, "function": {"name": "look", "arguments": {"at": "x"}}});
            [delta(&json!({"tool_calls": [begin]})), delta(&json!({"tool_calls": [whole]}))]
        };
        let mut events: Vec<Value> = (0..count).flat_map(call).collect();
        events.push(finish("tool_calls"));
        sse(&events) + "data: [DONE]\n\n"
    }

    fn saying(&self, text: &str, is_cut: bool) -> String {
        says(text, is_cut)
    }

    fn overflow(&self) -> Refusal {
        (400, openai_error("the input length exceeds the context length", &json!("invalid_request_error")))
    }
}

#[tokio::test]
async fn ollama() {
    converse(ModelCase::new(Provider::Ollama, WireFormat::Chat, "qwen3:8b"), Ollama).await;
}

/// Servers whose model, or whose start, has no tools: they are spoken to in text.
struct NoTools {
    refusal: Refusal,
}

impl Rules for NoTools {
    fn check(&self, _: &str, body: &Value) -> Result<(), Refusal> {
        match body.get("tools") {
            Some(_) => Err(self.refusal.clone()),
            None => Ok(()),
        }
    }

    fn calling(&self, _: usize, count: usize) -> String {
        let call = "<tool_call>\n{\"name\": \"look\", \"arguments\": {\"at\": \"x\"}}\n</tool_call>";
        says(&[call].repeat(count).join("\n"), false)
    }

    fn saying(&self, text: &str, is_cut: bool) -> String {
        says(text, is_cut)
    }

    fn overflow(&self) -> Refusal {
        let message = "the request exceeds the available context size, try increasing it";
        (
            400,
            json!({"error": {"code": 400, "message": message, "type": "exceed_context_size_error",
            "n_prompt_tokens": 30000, "n_ctx": 16384}}),
        )
    }
}

#[tokio::test]
async fn servers_without_tools_are_spoken_to_in_text() {
    let vllm = "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set";
    let refusals = [
        (
            400,
            openai_error("registry.ollama.ai/library/gemma:2b does not support tools", &json!("api_error")),
        ),
        (400, openai_error(vllm, &json!(400))),
        (
            500,
            json!({"error": {"code": 500, "message": "tools param requires --jinja flag", "type": "server_error"}}),
        ),
        (404, json!({"error": {"message": "No endpoints found that support tool use.", "code": 404}})),
    ];
    for refusal in refusals {
        let shown = refusal.1.to_string();
        let asked = ModelCase::new(Provider::OpenAiCompatible, WireFormat::Chat, "small");
        let (talked, _) = converse(asked, NoTools { refusal }).await;
        assert!(talked.notices.iter().any(|notice| notice.contains("in text")), "{shown}");
    }
}

/// A server whose model takes no images.
struct Blind;

impl Rules for Blind {
    fn check(&self, _: &str, body: &Value) -> Result<(), Refusal> {
        match body["messages"].to_string().contains("image_url") {
            true => refuse("This model does not support image input."),
            false => pairs(body),
        }
    }

    fn calling(&self, turn: usize, count: usize) -> String {
        calls(turn, count, &json!({}))
    }

    fn saying(&self, text: &str, is_cut: bool) -> String {
        says(text, is_cut)
    }

    fn overflow(&self) -> Refusal {
        (400, openai_error("maximum context length exceeded", &json!("context_length_exceeded")))
    }
}

#[tokio::test]
async fn a_model_that_takes_no_images_is_told_so_in_words() {
    // Known to take none, and found out by its refusal.
    for (model, refusals) in [("deepseek-v4-pro", 0), ("unknown", 1)] {
        let asked = ModelCase::new(Provider::OpenAiCompatible, WireFormat::Chat, model);
        let (talked, fake) = converse(asked, Blind).await;
        let refused = fake.refusals().iter().filter(|(_, body)| body.to_string().contains("image")).count();
        // The conversation and its resume are two drivers, and each finds it out.
        assert_eq!(refused, 2 * refusals, "{model}: {:?}", talked.notices);
        let first = fake.requests().last().unwrap()["messages"][1]["content"].to_string();
        assert!(first.contains("An image that you cannot see"), "{model}: {first}");
    }
}

/// A server that cannot hold a model to a shape while it has tools. After llama.cpp, `common/chat.cpp`, and api-docs.deepseek.com,
/// "JSON output".
struct Shapeless {
    refusal: &'static str,
}

impl Rules for Shapeless {
    fn check(&self, _: &str, body: &Value) -> Result<(), Refusal> {
        match body.get("response_format") {
            Some(_) => refuse(self.refusal),
            None => pairs(body),
        }
    }

    fn calling(&self, turn: usize, count: usize) -> String {
        calls(turn, count, &json!({}))
    }

    fn saying(&self, _: &str, is_cut: bool) -> String {
        says("{\"at\": \"home\"}", is_cut)
    }

    fn overflow(&self) -> Refusal {
        (400, openai_error("maximum context length exceeded", &json!("context_length_exceeded")))
    }
}

#[tokio::test]
async fn a_server_that_cannot_hold_a_model_to_a_shape_is_asked_in_words() {
    for refusal in
        ["Cannot use custom grammar constraints with tools.", "This response_format type is unavailable now"]
    {
        let fake = Fake::start(Shapeless { refusal }).await;
        fake.begin_at(EXCHANGES + 1);
        let mut asked = ModelCase::new(Provider::OpenAiCompatible, WireFormat::Chat, "small");
        let schema = json!({"type": "object", "required": ["at"]});
        asked.answer = Some(AnswerShape { name: "place".to_owned(), schema, is_binding: true });
        let talked = asked.run(&fake.url, opening()).await;
        assert_eq!(talked.end.as_deref().ok(), Some("{\"at\": \"home\"}"), "{talked:?}");
        assert!(talked.notices[0].contains("accepts no schema"), "{:?}", talked.notices);
        assert_eq!(fake.requests().len(), 2);
    }
}
