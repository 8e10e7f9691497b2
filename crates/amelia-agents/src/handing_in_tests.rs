use amelia_core::id::CallId;
use amelia_core::tool::{CallOptions, ToolName};
use serde::Deserialize;
use serde_json::json;

use super::*;

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Colour {
    name: String,
    #[serde(default)]
    parts: Vec<u8>,
}

fn paint() -> HandIn {
    HandIn::of::<Colour>("paint", "Paint it.", |colour| match colour.name.as_str() {
        "" => Err("it has no name".to_owned()),
        _ => Ok(()),
    })
}

fn object(value: &Value) -> Object {
    value.as_object().cloned().unwrap()
}

#[test]
fn what_is_handed_in_is_accepted_or_refused_with_its_place() {
    for (args, error) in [
        (json!({"name": "red"}), None),
        (json!({"name": "red", "parts": [1, 255]}), None),
        (json!({"name": ""}), Some("it has no name")),
        (json!({}), Some("missing field `name`")),
        (json!({"name": 7}), Some("name: invalid type: integer `7`, expected a string")),
        (
            json!({"name": "red", "parts": [1, 256]}),
            Some("parts[1]: invalid value: integer `256`, expected u8"),
        ),
        (json!({"name": "red", "size": 1}), Some("size: unknown field `size`, expected `name` or `parts`")),
    ] {
        let call = ToolCall {
            id: CallId::repaired("c"),
            tool: ToolName::builtin("paint"),
            args: object(&args),
            at: None,
            options: CallOptions::default(),
        };
        let result = paint().take(&call);
        let told = error.map(|error| format!("not accepted: {error}; call paint again"));
        assert_eq!(
            (result.error, result.output.as_str()),
            (told, error.map_or("accepted", |_| "")),
            "{args}"
        );
        assert_eq!(paint().check(&call.args).err().as_deref(), error, "{args}");
    }
}

#[test]
fn only_json_alone_is_a_result_that_was_said() {
    let red = object(&json!({"name": "red"}));
    for (text, result) in [
        (r#"{"name": "red"}"#, Some(&red)),
        ("\n  {\"name\": \"red\"}\n", Some(&red)),
        ("```json\n{\"name\": \"red\"}\n```", Some(&red)),
        ("```\n{\"name\": \"red\"}\n```\n", Some(&red)),
        ("Here it is: {\"name\": \"red\"}", None),
        ("{\"name\": \"red\"} That is all.", None),
        ("[\"red\"]", None),
        ("\"red\"", None),
        ("{\"name\": ", None),
        ("", None),
    ] {
        assert_eq!(said(text).as_ref(), result, "{text}");
    }
}

#[test]
fn a_result_is_read_as_a_value() {
    let red = Colour { name: "red".to_owned(), parts: vec![1] };
    assert_eq!(read(&object(&json!({"name": "red", "parts": [1]}))), Ok(red));
}

#[test]
fn the_shape_of_an_answer_is_the_schema_of_the_tool_under_another_name() {
    let hand_in = paint();
    let shape = hand_in.answer();
    assert_eq!((shape.name.as_str(), shape.is_binding), ("paint_arguments", false));
    assert_eq!(shape.schema, hand_in.spec().input_schema);
    assert_eq!(shape.schema["properties"]["name"]["type"], "string");
    assert_eq!((hand_in.name(), hand_in.spec().description.as_str()), ("paint", "Paint it."));
    assert_eq!(format!("{hand_in:?}"), "HandIn(paint)");
}
