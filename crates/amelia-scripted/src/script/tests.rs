use proptest::prelude::*;
use serde_json::Value;

use super::*;

fn refused(text: &str) -> String {
    match Script::parse(text) {
        Ok(script) => panic!("accepted: {script:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn unknown_keys_and_wrong_types_are_all_told_at_once() {
    insta::assert_snapshot!(refused(
        "model: x
rules:
  - name: plan
    when: {turns: 1, times: 0, turn: first, wire: grpc, tools: shell}
    reply:
      text:
      stop_reason: tired
      chunk: 0
      usage: {input: -1, total: 3}
  - reply: {tool_calls: [{args: {}}], error: {status: 200}}
  - replies: []
  - just text
"
    ));
}

#[test]
fn what_does_not_go_together_is_told_at_once() {
    insta::assert_snapshot!(refused(
        "rules:
  - when: {text_regex: '(', last_regex: '[z-a]'}
    reply: {text: hi}
    replies: [{text: hi}]
  - when: {turn: 0}
  - reply:
      text: hi
      error: {status: 500, message: a, body: b, headers: {'a b': c}}
      garbage_base64: '?'
  - reply: {repeat: 2, cut_after: {}, stall_after: {bytes: 1, chunks: 1}}
  - reply: {usage: {input: 1, cache_read: 2}}
  - replies:
      - {text: xxxx, repeat: 4000000000}
      - {tool_calls: [{name: a, args: {}, raw_args: ''}]}
"
    ));
}

#[test]
fn what_is_not_yaml_is_told_with_its_place() {
    insta::assert_snapshot!(
        [
            refused(""),
            refused("rules:\n  - reply: {text: hi\n"),
            refused("rules:\n\t- x"),
            refused("rules: []\nrules: []"),
            refused("- a\n- b"),
            refused("rules: [{reply: {text: *nobody}}]"),
            refused(&"[".repeat(100_000)),
            refused("rules: [{reply: {usage: {input: 99999999999999999999}}}]"),
            refused("rules: [{when: {turn: 4294967296}, reply: {}}]"),
            refused("rules: [{reply: {tool_calls: [{name: a, args: {x: .nan}}]}}]"),
        ]
        .join("\n---\n")
    );
}

#[test]
fn a_file_is_named_in_its_problems() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("script.yaml");
    std::fs::write(&path, "rule: []").unwrap();
    let message = Script::from_file(&path).unwrap_err().to_string();
    let prefix = format!("{}:1:1: rule: unknown key", path.display());
    assert!(message.starts_with(&prefix), "{message}");
    let absent = Script::from_file(&folder.path().join("absent.yaml")).unwrap_err().to_string();
    assert!(absent.contains("absent.yaml"), "{absent}");
}

/// A keyword that `check` does not apply would be a rule that is published and not kept.
#[test]
fn the_schema_uses_only_what_is_checked() {
    const DESCRIBE: [&str; 4] = ["$schema", "title", "description", "format"];
    fn look(schema: &Value) {
        let Value::Object(schema) = schema else { return };
        for (keyword, value) in schema {
            let is_known = amelia_yaml::check::KEYWORDS.contains(&keyword.as_str())
                || DESCRIBE.contains(&keyword.as_str());
            assert!(is_known, "`{keyword}` in {schema:?}");
            match keyword.as_str() {
                "properties" => value.as_object().unwrap().values().for_each(look),
                "items" | "additionalProperties" => look(value),
                _ => {}
            }
        }
    }
    look(&schema());
}

/// Pieces of real scripts, so that the generator gets past the YAML parser.
fn pieces() -> impl Strategy<Value = String> {
    let words = proptest::sample::select(vec![
        "rules:",
        "\n",
        "  ",
        "- ",
        "when:",
        "reply:",
        "replies:",
        "text: hi",
        "turn: 1",
        "{",
        "}",
        "[",
        "]",
        ": ",
        ", ",
        "&a ",
        "*a",
        "<<: ",
        "error:",
        "status: 500",
        "tool_calls:",
        "name: x",
        "args:",
        "\"",
        "'",
        "!!binary ",
        "|\n",
        "0x1f",
        "1e999",
        "~",
        "#",
        "---\n",
        "cut_after:",
        "bytes: 1",
        "é",
        "\u{0}",
    ]);
    proptest::collection::vec(words, 0..40).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn any_bytes_are_a_script_or_a_refusal(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        drop(Script::parse(&String::from_utf8_lossy(&bytes)));
    }

    #[test]
    fn any_pieces_of_scripts_are_a_script_or_a_refusal(text in pieces()) {
        if let Err(error) = Script::parse(&text) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}
