//! A request for an answer of a model, as the protocol has it and as it is asked. Pure.

#![expect(deprecated, reason = "the servers of today ask through the protocol")]

use amelia_core::sampling::{SamplingAnswer, SamplingRequest};
use rmcp::model::{
    CreateMessageRequestParams, CreateMessageResult, Role, SamplingMessage, SamplingMessageContentBlock,
};

/// As much as a server may ask at once, in bytes.
const LONGEST: usize = 200_000;

/// `Err` says what cannot be asked.
pub(crate) fn request_of(params: &CreateMessageRequestParams) -> Result<SamplingRequest, String> {
    if params.tools.as_ref().is_some_and(|tools| !tools.is_empty()) {
        return Err("Amelia's models get no tools of a server: ask without `tools`".to_owned());
    }
    let mut prompt = String::new();
    if let Some(system) = params.system_prompt.as_deref().filter(|system| !system.trim().is_empty()) {
        prompt.push_str(&format!("Instructions: {}\n\n", system.trim()));
    }
    for message in &params.messages {
        let text = text_of(message)?;
        match (message.role == Role::Assistant, params.messages.len()) {
            (false, 1) => prompt.push_str(&text),
            (false, _) => prompt.push_str(&format!("User: {text}\n\n")),
            (true, _) => prompt.push_str(&format!("Assistant: {text}\n\n")),
        }
    }
    let prompt = prompt.trim().to_owned();
    match prompt.len() {
        0 => Err("the request has no text".to_owned()),
        1..=LONGEST => Ok(SamplingRequest { prompt, max_tokens: Some(params.max_tokens.into()) }),
        longer => Err(format!("the request has {longer} bytes, of at most {LONGEST}")),
    }
}

pub(crate) fn result_of(answer: SamplingAnswer) -> CreateMessageResult {
    let content = SamplingMessageContentBlock::text(answer.text);
    let result = CreateMessageResult::new(SamplingMessage::new(Role::Assistant, content), answer.model);
    result.with_stop_reason(CreateMessageResult::STOP_REASON_END_TURN)
}

fn text_of(message: &SamplingMessage) -> Result<String, String> {
    let blocks = message.content.clone().into_vec().into_iter().map(|block| match block {
        SamplingMessageContentBlock::Text(text) => Ok(text.text),
        _ => Err("only text can be asked: the request has an image, audio or a tool call".to_owned()),
    });
    Ok(blocks.collect::<Result<Vec<_>, _>>()?.join("\n"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn asked(document: Value) -> Result<SamplingRequest, String> {
        request_of(&serde_json::from_value(document).unwrap())
    }

    fn text(role: &str, text: &str) -> Value {
        json!({"role": role, "content": {"type": "text", "text": text}})
    }

    #[test]
    fn a_question_is_asked_as_it_is_and_a_conversation_with_its_speakers() {
        let one = asked(json!({"messages": [text("user", "Why?")], "maxTokens": 50})).unwrap();
        assert_eq!((one.prompt.as_str(), one.max_tokens), ("Why?", Some(50)));
        let messages = [text("user", "Hi"), text("assistant", "Hello"), text("user", "Why?")];
        let more =
            asked(json!({"messages": messages, "systemPrompt": "Be brief.", "maxTokens": 50})).unwrap();
        assert_eq!(more.prompt, "Instructions: Be brief.\n\nUser: Hi\n\nAssistant: Hello\n\nUser: Why?");
    }

    #[test]
    fn what_a_model_cannot_be_asked_is_refused() {
        let image =
            json!({"role": "user", "content": {"type": "image", "data": "AA==", "mimeType": "image/png"}});
        let tool = json!({"name": "t", "inputSchema": {"type": "object"}});
        for (document, word) in [
            (json!({"messages": [image], "maxTokens": 5}), "only text"),
            (json!({"messages": [text("user", "x")], "tools": [tool], "maxTokens": 5}), "no tools"),
            (json!({"messages": [], "maxTokens": 5}), "no text"),
            (json!({"messages": [text("user", &"x".repeat(LONGEST + 1))], "maxTokens": 5}), "at most"),
        ] {
            let refused = asked(document).unwrap_err();
            assert!(refused.contains(word), "{refused}");
        }
    }
}
