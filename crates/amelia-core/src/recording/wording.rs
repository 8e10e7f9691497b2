//! What is said, without how it is said. Prompts, tool texts and reminders get better with every version, and a recording
//! must still play: a replay compares who is asked, what was called and with which identifiers, not the sentences.

use serde_json::Value;

/// Stands in the place of a text.
const TEXT: &str = "…";

/// Fields that describe what a model may do or how much it may say. They follow from texts, or grow with versions.
const LEFT_OUT: [&str; 9] = [
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "response_format",
    "format",
    "output_config",
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
];

/// A request, a line or an argument as it is compared. What is not JSON is one text.
#[must_use]
pub fn without_wording(said: &str) -> String {
    match serde_json::from_str::<Value>(said) {
        Ok(mut value) => {
            strip(&mut value);
            value.to_string()
        }
        Err(_) if is_prose(said) => TEXT.to_owned(),
        Err(_) => said.to_owned(),
    }
}

/// Replaces the texts in a value. Identifiers, numbers and the structure stay.
pub fn strip(value: &mut Value) {
    match value {
        Value::String(text) if is_prose(text) => TEXT.clone_into(text),
        Value::Object(fields) => {
            fields.retain(|name, _| !LEFT_OUT.contains(&name.as_str()));
            fields.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A name, a path, an id or a model has no spaces in it; a text has, or is empty.
fn is_prose(text: &str) -> bool {
    text.is_empty() || text.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_words_are_the_same_and_other_deeds_are_not() {
        let asked = |system: &str, told: &str, call: &str, tools: &str| {
            format!(
                r#"{{"model":"m","max_tokens":{},"tools":[{tools}],"messages":[
                {{"role":"system","content":"{system}"}},{{"role":"user","content":"{told}"}},
                {{"role":"assistant","tool_calls":[{{"id":"{call}","name":"look"}}]}}]}}"#,
                system.len()
            )
        };
        let then = without_wording(&asked("You are brief.", "Do it.", "c1", "1"));
        assert_eq!(then, without_wording(&asked("Be brief, please.", "Now do this:", "c1", "1,2")));
        assert_ne!(then, without_wording(&asked("You are brief.", "Do it.", "c2", "1")));
        assert_eq!(without_wording("say this"), without_wording("say that now"));
        assert_ne!(without_wording("--flag"), without_wording("--other"));
    }
}
