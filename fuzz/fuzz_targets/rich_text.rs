//! The description of an issue as Jira sends it: a tree or wiki text, made Markdown with any content. The text of a
//! tree is not lost.
#![no_main]

use amelia_trackers::fuzzing::{adf, wiki};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|text: &str| {
    match serde_json::from_str::<Value>(text) {
        Ok(document) => {
            // Bars in cells are escaped; backslashes are the only signs that may be added inside a word.
            let markdown = adf(&document).replace('\\', "");
            if let Some(said) = document.pointer("/content/0/content/0/text").and_then(Value::as_str) {
                let is_text = document.pointer("/content/0/content/0/type") == Some(&Value::from("text"));
                for word in said.replace('\\', "").split_whitespace().filter(|_| is_text) {
                    assert!(markdown.contains(word), "`{word}` is not in `{markdown}`");
                }
            }
        }
        Err(_) => {
            let markdown = wiki(text);
            assert!(markdown.len() <= 64 * (text.len() + 16), "`{text}` became {} bytes", markdown.len());
        }
    }
});
