//! What a request says that matters here: the model, how much it may answer, whether it streams. Pure.

use std::borrow::Cow;

use amelia_core::message::Object;
use bytes::Bytes;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::call::{Metering, ModelCall};

/// Bytes of a request that make a token, roughly.
const BYTES_PER_TOKEN: usize = 4;

/// A request as far as it is understood. What is not JSON is forwarded all the same: the upstream knows better what to say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ParsedRequest {
    pub(crate) model: Option<String>,
    pub(crate) input_tokens: u64,
    /// The most that may come back.
    pub(crate) output_tokens: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Fields<'b> {
    #[serde(borrow)]
    model: Option<Cow<'b, str>>,
    #[serde(deserialize_with = "lenient")]
    stream: bool,
    #[serde(borrow, deserialize_with = "as_it_is")]
    stream_options: Option<&'b RawValue>,
    #[serde(deserialize_with = "lenient")]
    max_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient")]
    max_completion_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient")]
    max_output_tokens: Option<u64>,
}

/// Also when it is null: it has a place then.
fn as_it_is<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// A field of another kind than expected is the upstream's to refuse.
fn lenient<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: serde::de::DeserializeOwned + Default,
{
    let raw = <&RawValue>::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).unwrap_or_default())
}

/// Reads a request, and returns it as it is forwarded.
pub(crate) fn read(call: &ModelCall, body: Bytes) -> (ParsedRequest, Bytes) {
    let input_tokens = u64::try_from(body.len() / BYTES_PER_TOKEN).unwrap_or(u64::MAX);
    let unknown = ParsedRequest { input_tokens, ..ParsedRequest::default() };
    if call.metering == Metering::Free {
        return (unknown, body);
    }
    let Ok(fields) = serde_json::from_slice::<Fields<'_>>(&body) else {
        return (said_twice(&body).unwrap_or(unknown), body);
    };
    let asked = ParsedRequest {
        model: fields.model.as_deref().map(str::to_owned),
        output_tokens: fields.max_tokens.or(fields.max_completion_tokens).or(fields.max_output_tokens),
        input_tokens,
    };
    let is_chat = call.metering == Metering::Tokens(amelia_drivers::model::WireFormat::Chat);
    let told = match is_chat && fields.stream {
        true => telling(&body, fields.stream_options),
        false => None,
    };
    drop(fields);
    (asked, told.unwrap_or(body))
}

/// A name that is given twice is unusual, and no way around a budget: the last one counts, as with every provider.
fn said_twice(body: &[u8]) -> Option<ParsedRequest> {
    let value: Value = serde_json::from_slice(body).ok()?;
    let number = |name: &str| value.get(name).and_then(Value::as_u64);
    Some(ParsedRequest {
        model: value.get("model").and_then(Value::as_str).map(str::to_owned),
        output_tokens: ["max_tokens", "max_completion_tokens", "max_output_tokens"]
            .into_iter()
            .find_map(number),
        input_tokens: u64::try_from(body.len() / BYTES_PER_TOKEN).unwrap_or(u64::MAX),
    })
}

/// A Chat stream says what it took only when it is asked to: the one thing that is changed in a request. `None` when it
/// is asked already.
fn telling(body: &[u8], options: Option<&RawValue>) -> Option<Bytes> {
    let Some(given) = options.map(RawValue::get) else {
        let place = body.iter().position(|byte| *byte == b'{')? + 1;
        return spliced(body, place..place, r#""stream_options":{"include_usage":true},"#);
    };
    let mut options: Option<Object> = serde_json::from_str(given).ok()?;
    let before = options.get_or_insert_default().insert("include_usage".to_owned(), true.into());
    if before == Some(Value::Bool(true)) {
        return None;
    }
    replaced(body, given, &serde_json::to_string(&options).ok()?)
}

/// `part` is a piece of `body` itself.
fn replaced(body: &[u8], part: &str, text: &str) -> Option<Bytes> {
    let place = (part.as_ptr() as usize).checked_sub(body.as_ptr() as usize)?;
    spliced(body, place..place + part.len(), text)
}

fn spliced(body: &[u8], place: std::ops::Range<usize>, text: &str) -> Option<Bytes> {
    let parts = [body.get(..place.start)?, text.as_bytes(), body.get(place.end..)?];
    Some(Bytes::from(parts.concat()))
}

#[cfg(test)]
mod tests {
    use axum::http::Method;

    use super::*;
    use crate::call::{RequestKind, wanted};

    fn read_at(path: &str, body: &'static str) -> (ParsedRequest, String) {
        let RequestKind::Call(call, _) = wanted(&Method::POST, path) else { panic!("{path}") };
        let (asked, body) = read(call, Bytes::from_static(body.as_bytes()));
        (asked, String::from_utf8(body.to_vec()).unwrap())
    }

    #[test]
    fn only_a_chat_stream_is_changed_and_only_where_it_must_be() {
        let chat = "/proxy/v1/chat/completions";
        for (body, expected) in [
            (r#"{"model":"m"}"#, r#"{"model":"m"}"#),
            (r#"{"stream":false}"#, r#"{"stream":false}"#),
            (r#" {"stream": true}"#, r#" {"stream_options":{"include_usage":true},"stream": true}"#),
            (
                r#"{"stream":true, "stream_options": {"a": 1} ,"model":"m"}"#,
                r#"{"stream":true, "stream_options": {"a":1,"include_usage":true} ,"model":"m"}"#,
            ),
            (
                r#"{"stream":true,"stream_options":null}"#,
                r#"{"stream":true,"stream_options":{"include_usage":true}}"#,
            ),
            (
                r#"{"stream":true,"stream_options":{ "include_usage" : true }}"#,
                r#"{"stream":true,"stream_options":{ "include_usage" : true }}"#,
            ),
            (r#"{"stream":true"#, r#"{"stream":true"#),
            (r#"[1]"#, r#"[1]"#),
        ] {
            assert_eq!(read_at(chat, body).1, expected);
        }
        let other = r#"{"stream":true}"#;
        assert_eq!(read_at("/proxy/v1/responses", other).1, other);
        assert_eq!(read_at("/proxy/anthropic/v1/messages", other).1, other);
    }

    #[test]
    fn what_matters_is_read_whatever_else_there_is() {
        let chat = "/proxy/v1/chat/completions";
        let asked = |model: &str, output_tokens, input_tokens| ParsedRequest {
            model: Some(model.to_owned()),
            input_tokens,
            output_tokens,
        };
        assert_eq!(read_at(chat, r#"{"model":"m","max_tokens":7}"#).0, asked("m", Some(7), 7));
        assert_eq!(read_at(chat, r#"{"model":"m\u00e9","max_tokens":"x"}"#).0, asked("mé", None, 9));
        assert_eq!(read_at(chat, r#"{"model":"a","model":"b"}"#).0, asked("b", None, 6));
        assert_eq!(
            read_at(chat, "not json").0,
            ParsedRequest { input_tokens: 2, ..ParsedRequest::default() }
        );
    }
}
