//! What the expression library says, in words that people use. Pure.

use cel::{ExecutionError, Value as CelValue};
use serde_json::Value;

/// Characters of a value that are shown.
const SHOWN: usize = 40;

/// Why an expression cannot be read.
pub(super) fn syntax(reason: &str) -> String {
    let line = reason.lines().next().unwrap_or(reason);
    let line = line.trim_start_matches("Syntax error: ");
    if line.contains("'<EOF>'") {
        return "it ends too early".to_owned();
    }
    // The first quoted part is what was found; what follows lists everything that the grammar would allow.
    let found = line.split('\'').nth(1).filter(|found| !found.is_empty());
    let is_about_input =
        ["mismatched input", "extraneous input", "no viable alternative", "token recognition"]
            .iter()
            .any(|known| line.contains(known));
    match found.filter(|_| is_about_input) {
        Some(found) => format!("`{found}` is not expected here"),
        None => line.to_owned(),
    }
}

/// Why an expression cannot be evaluated. `values` are those that it looks at, by their names.
pub(super) fn evaluation(error: &ExecutionError, values: &[(String, Value)]) -> String {
    let reason = match error {
        ExecutionError::NoSuchOverload(overload) => misused(
            overload.function(),
            &overload.argument_types().iter().map(|kind| word(kind)).collect::<Vec<_>>(),
        ),
        ExecutionError::ValuesNotComparable(left, right) => {
            format!("{} cannot be compared with {}", kind_of(left), kind_of(right))
        }
        ExecutionError::UnsupportedBinaryOperator(operator, left, right) => {
            misused(operator, &[kind_of(left), kind_of(right)])
        }
        ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => {
            "it divides by zero".to_owned()
        }
        other => {
            let text = other.to_string();
            text.lines().next().unwrap_or_default().to_owned()
        }
    };
    with_values(reason, values)
}

/// A reason, and the values that may be the cause.
pub(super) fn with_values(reason: String, values: &[(String, Value)]) -> String {
    let unset: Vec<String> =
        values.iter().filter(|(_, value)| value.is_null()).map(|(name, _)| format!("`{name}`")).collect();
    if !unset.is_empty() {
        let verb = if unset.len() == 1 { "is" } else { "are" };
        return format!("{reason}; {} {verb} not set", unset.join(", "));
    }
    let shown: Vec<String> = values
        .iter()
        .filter(|(_, value)| !value.is_object())
        .map(|(name, value)| shown(name, value))
        .collect();
    if shown.is_empty() { reason } else { format!("{reason}; {}", shown.join(", ")) }
}

fn shown(name: &str, value: &Value) -> String {
    let text = value.to_string();
    let cut: String = text.chars().take(SHOWN).collect();
    let end = if cut.len() < text.len() { "…" } else { "" };
    format!("`{name}` is {cut}{end}")
}

/// An operator or a function that cannot be used with such values.
fn misused(function: &str, kinds: &[&str]) -> String {
    let name = function.trim_matches('_');
    let name = match name {
        "" => function,
        "add" => "+",
        "sub" => "-",
        "mul" => "*",
        "div" => "/",
        "rem" => "%",
        name => name,
    };
    match (name, kinds) {
        (">" | "<" | ">=" | "<=" | "==" | "!=", [left, right]) => {
            format!("`{name}` cannot compare {left} with {right}")
        }
        // Other numbers can be used together.
        (_, ["a number", "a number"]) => {
            format!("`{name}` cannot be used with a whole number and a decimal number: write `1.0` for `1`")
        }
        (_, [left, right]) => format!("`{name}` cannot be used with {left} and {right}"),
        (_, kinds) => format!("`{name}` cannot be used with {}", kinds.join(", ")),
    }
}

fn kind_of(value: &CelValue) -> &'static str {
    match value {
        CelValue::Null => "a missing value",
        CelValue::Bool(_) => "true or false",
        CelValue::Int(_) | CelValue::UInt(_) | CelValue::Float(_) => "a number",
        CelValue::String(_) => "text",
        CelValue::List(_) => "a list",
        CelValue::Map(_) => "an object",
        _ => "another value",
    }
}

fn word(kind: &str) -> &'static str {
    match kind {
        "null_type" | "null" => "a missing value",
        "bool" => "true or false",
        "int" | "uint" | "double" => "a number",
        "string" => "text",
        "list" => "a list",
        "map" => "an object",
        _ => "another value",
    }
}
