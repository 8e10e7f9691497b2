//! What is wrong with a call's arguments or its result, in words a model can act on: all of it at once, with path and value.

use amelia_core::message::Object;
use amelia_core::text::capped;
use amelia_core::tool::ToolSpec;
use jsonschema::Validator;
use serde_json::Value;

/// More than these help no one.
const MOST: usize = 10;
/// Bytes shown of a value that is wrong.
const VALUE: usize = 200;

/// Nothing when the arguments fit.
pub(super) fn problems(validator: &Validator, spec: &ToolSpec, args: &Object) -> Option<String> {
    let title = format!("the arguments do not match the schema of `{}`:", spec.name);
    let mut lines = mismatches(validator, &Value::Object(args.clone()), "arguments", title)?;
    lines.extend(known(&spec.input_schema));
    Some(lines.join("\n"))
}

/// Nothing when a result is what the tool promises.
pub(super) fn result_problems(validator: &Validator, spec: &ToolSpec, result: &Value) -> Option<String> {
    let title = format!("the result does not match the output schema of `{}`:", spec.name);
    mismatches(validator, result, "result", title).map(|lines| lines.join("\n"))
}

fn mismatches(validator: &Validator, value: &Value, whole: &str, title: String) -> Option<Vec<String>> {
    if validator.is_valid(value) {
        return None;
    }
    let mut lines = vec![title];
    for error in validator.iter_errors(value).take(MOST) {
        let path = error.instance_path().as_str();
        let place = if path.is_empty() { whole.to_owned() } else { format!("`{}`", capped(path, VALUE)) };
        let what = capped(&error.masked_with("the value").to_string(), 1000);
        // At the top the value is all of it: the model knows it.
        let given = if path.is_empty() {
            String::new()
        } else {
            format!("; given: {} ({})", capped(&error.instance().to_string(), VALUE), kind(error.instance()))
        };
        lines.push(format!("- {place}: {what}{given}"));
    }
    Some(lines)
}

fn known(schema: &Value) -> Option<String> {
    let properties = schema.get("properties")?.as_object()?;
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let names = properties.keys().map(|name| {
        if required.contains(&name.as_str()) { format!("{name} (required)") } else { name.clone() }
    });
    Some(format!("arguments it takes: {}", names.collect::<Vec<_>>().join(", ")))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
