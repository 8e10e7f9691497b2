//! The schemas of the arguments of tools for memory and artifacts.

use serde_json::{Map, Value, json};

/// A text, with what it is for.
pub(crate) fn text_field(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

/// These arguments and no others.
pub(crate) fn arguments(required: &[&str], properties: Value) -> Value {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), properties);
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    Value::Object(schema)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_takes_its_arguments_and_no_others() {
        let path = || text_field("where it is kept");
        let optional = json!({
            "type": "object",
            "properties": {"path": {"type": "string", "description": "where it is kept"}},
            "additionalProperties": false,
        });
        assert_eq!(arguments(&[], json!({"path": path()})), optional);
        assert_eq!(arguments(&["path"], json!({"path": path()}))["required"], json!(["path"]));
    }
}
