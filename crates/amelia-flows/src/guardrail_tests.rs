use std::collections::BTreeMap;

use amelia_core::guardrail::{CheckedCall, MadeCall};
use amelia_core::id::CallId;
use amelia_core::tool::{Risk, ToolCall, ToolName, ToolResult};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::*;

fn policy(kind: &str, action: &str, rules: &Value) -> GuardrailPolicy {
    let policy = json!({"name": "p", "kind": kind, "severity": "high", "action": action, "rules": rules});
    serde_json::from_value(policy).unwrap()
}

fn set(kind: &str, action: &str, rules: &Value) -> PolicySet {
    PolicySet::read([&policy(kind, action, rules)]).unwrap()
}

fn content(point: GuardPoint, text: &str) -> CheckedContent<'_> {
    CheckedContent { point, agent: "writer", text, call: None, at: Timestamp::UNIX_EPOCH }
}

fn nothing(_: &str) -> Value {
    Value::Null
}

/// What is wrong with a text, in one line for each rule.
fn found(set: &PolicySet, content: &CheckedContent<'_>) -> String {
    let line = |violation: &Violation| {
        format!("{} {} [{}]", violation.action.word(), violation.message, violation.sample)
    };
    set.check(content, &nothing).iter().map(line).collect::<Vec<_>>().join("\n")
}

fn call(tool: &str, args: &Value) -> ToolCall {
    ToolCall {
        id: CallId::new("c1").unwrap(),
        tool: ToolName::repaired(tool),
        args: args.as_object().unwrap().clone(),
        at: None,
        options: Default::default(),
    }
}

#[test]
fn input_is_validated_by_length_pattern_and_schema() {
    for (rule, text, expected) in [
        (
            json!({"max_length": 3}),
            "abcd",
            "blocked its length in characters is 4, but must be at most 3 [abcd]",
        ),
        (json!({"max_length": 4}), "äöüß", ""),
        (json!({"min_length": 2}), "a", "blocked its length in characters is 1, but must be at least 2 [a]"),
        (json!({"pattern": "^[A-Z]"}), "abc", "blocked it does not match the required pattern [abc]"),
        (
            json!({"not_pattern": "(?i)drop table"}),
            "now DROP TABLE x",
            "blocked it contains something that is not allowed [now DROP TABLE x]",
        ),
        (json!({"not_pattern": "x", "message": "say it without x"}), "x", "blocked say it without x [x]"),
        (
            json!({"json_schema": {"type": "object", "required": ["a"]}, "on": ["user_input"]}),
            "{\"a\": 1}",
            "",
        ),
        (
            json!({"json_schema": {"type": "object", "required": ["a"]}, "on": ["user_input"]}),
            "{}",
            "blocked it does not match the schema: \"a\" is a required property [{}]",
        ),
        (
            json!({"json_schema": {"type": "object"}, "on": ["user_input"]}),
            "a",
            "blocked it is not JSON: expected value at line 1 column 1 [a]",
        ),
    ] {
        let set = set("input_validation", "block", &json!([rule]));
        assert_eq!(found(&set, &content(GuardPoint::UserInput, text)), expected, "{rule}");
    }
    let set = set("input_validation", "block", &json!([{"max_length": 3}]));
    assert_eq!(found(&set, &content(GuardPoint::Answer, "abcd")), "", "it is for what comes in");
    assert!(set.holds_at(GuardPoint::Prompt) && !set.holds_at(GuardPoint::ToolResult));
}

#[test]
fn content_is_filtered_and_what_is_private_is_not_shown() {
    let key = format!("ghp_{}", "k".repeat(36));
    let rules =
        json!([{"patterns": ["secret plan"]}, {"secrets": true}, {"personal_data": ["email", "card"]}]);
    let filter = set("content_filter", "warn", &rules);
    let text = format!("a secret plan: {key} of ann@example.org");
    let violations = filter.check(&content(GuardPoint::ToolResult, &text), &nothing);
    let samples: Vec<&str> = violations.iter().map(|violation| violation.sample.as_str()).collect();
    assert_eq!(
        samples,
        [
            "a secret plan: [redacted] of ann@example.org",
            "a secret plan: [redacted] of ann@example.org",
            "a secret plan: [redacted] of [redacted]"
        ]
    );
    assert!(violations.iter().all(|violation| violation.action == GuardrailAction::Warned));
    let long = format!("{} secret plan {}", "a".repeat(1000), "b".repeat(1000));
    let shown = &filter.check(&content(GuardPoint::Answer, &long), &nothing)[0].sample;
    assert!(shown.chars().count() == 200 && shown.contains("secret plan"), "{shown}");
}

#[test]
fn what_is_replaced_is_not_blocked() {
    let rules = json!([{"personal_data": ["email"], "patterns": ["(?i)internal"], "replace": "…"}]);
    let filter = set("content_filter", "block", &rules);
    let text = "Internal: ann@example.org and bob@example.org";
    assert_eq!(filter.replaced(GuardPoint::Answer, text).as_deref(), Some("…: … and …"));
    assert_eq!(filter.replaced(GuardPoint::Answer, "nothing"), None);
    assert_eq!(filter.replaced(GuardPoint::ToolCall, text), None);
    assert!(
        found(&filter, &content(GuardPoint::Answer, text))
            .starts_with("warned replaced: it contains an email")
    );
    assert!(filter.holds_back_answers());
    assert!(!set("content_filter", "warn", &json!([{"secrets": true}])).holds_back_answers());
    assert!(set("content_filter", "block", &json!([{"secrets": true}])).holds_back_answers());
    let elsewhere = json!([{"secrets": true, "on": ["tool_result"]}]);
    assert!(!set("content_filter", "block", &elsewhere).holds_back_answers());
}

#[test]
fn calls_are_counted_by_tool_agent_and_time() {
    let at = |seconds| Timestamp::UNIX_EPOCH.checked_add(SignedDuration::from_secs(seconds)).unwrap();
    let made = |tool: &str, seconds| MadeCall { tool: ToolName::repaired(tool), at: at(seconds) };
    let earlier = [made("shell", 0), made("web:search", 30), made("shell", 50), made("web:fetch", 55)];
    for (rule, tool, expected) in [
        (json!({"calls": 2, "per_seconds": 60, "tool": "shell"}), "shell", ""),
        (
            json!({"calls": 2, "per_seconds": 61, "tool": "shell"}),
            "shell",
            "2 calls of shell are allowed in 61 s",
        ),
        (json!({"calls": 2, "per_seconds": 60, "tool": "shell"}), "read_file", ""),
        (
            json!({"calls": 2, "per_seconds": 60, "tool": "web:*"}),
            "web:fetch",
            "2 calls of web:* are allowed in 60 s",
        ),
        (json!({"calls": 3, "per_seconds": 60}), "read_file", "3 calls of any tool are allowed in 60 s"),
        (json!({"calls": 3, "per_seconds": 60, "agent": "critic"}), "read_file", ""),
    ] {
        let set = set("rate_limit", "block", &json!([rule]));
        let call = call(tool, &json!({}));
        let checked =
            CheckedCall { call: &call, risk: Risk::Read, result: None, ends_turn: false, earlier: &earlier };
        let content =
            CheckedContent { call: Some(checked), at: at(60), ..content(GuardPoint::ToolCall, "{}") };
        let found = found(&set, &content);
        assert_eq!(found.is_empty(), expected.is_empty(), "{rule}: {found}");
        assert!(found.contains(expected), "{rule}: {found}");
        assert!(set.counts_calls());
    }
}

#[test]
fn a_rule_in_cel_sees_the_call_its_result_and_the_state() {
    let call = call("shell", &json!({"command": "rm -rf /"}));
    let result = ToolResult { output: "gone".to_owned(), ..ToolResult::interrupted(&call) };
    let state =
        BTreeMap::from([("steps".to_owned(), json!(7)), ("metadata.stage".to_owned(), json!("test"))]);
    let state = |name: &str| state.get(name).cloned().unwrap_or(Value::Null);
    for (cel, point, expected) in [
        ("tool != 'shell' || !args.command.contains('rm -rf')", GuardPoint::ToolCall, false),
        ("risk == 'read'", GuardPoint::ToolCall, false),
        ("result != 'gone'", GuardPoint::ToolResult, false),
        ("steps < 10 and state.stage == 'test'", GuardPoint::Answer, true),
        ("point != 'answer' or agent == 'critic'", GuardPoint::Answer, false),
        ("!text.contains('rm')", GuardPoint::Prompt, true),
        ("text.size() > args.no.such", GuardPoint::ToolCall, false),
    ] {
        let set = set("compliance", "block", &json!([{"cel": cel}]));
        let checked = CheckedCall {
            call: &call,
            risk: Risk::Execute,
            result: (point == GuardPoint::ToolResult).then_some(&result),
            ends_turn: false,
            earlier: &[],
        };
        let is_call = matches!(point, GuardPoint::ToolCall | GuardPoint::ToolResult);
        let content = CheckedContent { call: is_call.then_some(checked), ..content(point, "words") };
        let found = set.check(&content, &state);
        assert!(set.holds_at(point), "{cel}");
        assert_eq!(found.is_empty(), expected, "{cel}: {found:?}");
    }
    let of_results = set("compliance", "warn", &json!([{"cel": "error == null"}]));
    assert!(of_results.holds_at(GuardPoint::ToolResult) && !of_results.holds_at(GuardPoint::ToolCall));
}

#[test]
fn the_arguments_of_a_call_that_ends_a_turn_are_checked_once() {
    let call = call("finish", &json!({"result": "secret plan"}));
    let checked = CheckedCall { call: &call, risk: Risk::Read, result: None, ends_turn: true, earlier: &[] };
    let content = CheckedContent {
        call: Some(checked),
        ..content(GuardPoint::ToolCall, "{\"result\": \"secret plan\"}")
    };
    let filter = |on: Value| set("content_filter", "block", &json!([{"patterns": ["plan"], "on": on}]));
    assert_eq!(found(&filter(json!(["answer", "tool_call"])), &content), "");
    assert_ne!(found(&filter(json!(["tool_call"])), &content), "");
}

#[test]
fn what_is_wrong_with_a_policy_is_told_with_its_place() {
    let huge = "a".repeat(10 * 1024 * 1024);
    for (kind, rule, expected) in [
        (
            "input_validation",
            json!({}),
            "rules[0]: needs one of max_length, min_length, pattern, not_pattern, json_schema",
        ),
        (
            "input_validation",
            json!({"max_lenght": 3, "min_length": 1}),
            "rules[0].max_lenght: is not a key of this rule; its keys are json_schema, max_length",
        ),
        (
            "input_validation",
            json!({"min_length": 3, "max_length": 1}),
            "rules[0].min_length: 3 is more than max_length, 1",
        ),
        (
            "input_validation",
            json!({"max_length": "3"}),
            "rules[0].max_length: must be a whole number of at least 1",
        ),
        (
            "input_validation",
            json!({"pattern": huge}),
            "rules[0].pattern: is too large: a rule has at most 64 KB",
        ),
        (
            "input_validation",
            json!({"pattern": "a".repeat(9000)}),
            "rules[0].pattern: the pattern is longer than 8 KB",
        ),
        (
            "input_validation",
            json!({"pattern": "(a{1000}){1000}"}),
            "rules[0].pattern: the pattern is too large",
        ),
        (
            "input_validation",
            json!({"pattern": "("}),
            "rules[0].pattern: is not a regular expression: unclosed group",
        ),
        (
            "input_validation",
            json!({"json_schema": {"type": "nothing"}}),
            "rules[0].json_schema: cannot be used: ",
        ),
        (
            "content_filter",
            json!({"secrets": false}),
            "rules[0]: needs `patterns`, `secrets: true` or `personal_data`",
        ),
        (
            "content_filter",
            json!({"patterns": ["a", "["]}),
            "rules[0].patterns[1]: is not a regular expression",
        ),
        (
            "content_filter",
            json!({"personal_data": ["emial"]}),
            "rules[0].personal_data[0]: must be one of email, phone, card, iban, ip",
        ),
        (
            "content_filter",
            json!({"secrets": true, "replace": "x", "on": ["tool_call"]}),
            "rules[0].on[0]: must be one of user_input, prompt, answer, tool_result",
        ),
        ("rate_limit", json!({"calls": 2}), "rules[0]: needs `per_seconds`"),
        (
            "rate_limit",
            json!({"calls": 0, "per_seconds": 1}),
            "rules[0].calls: must be a whole number of at least 1",
        ),
        (
            "rate_limit",
            json!({"calls": 1, "per_seconds": 1, "on": ["answer"]}),
            "rules[0].on[0]: must be one of tool_call",
        ),
        (
            "compliance",
            json!({"cel": "tol == 'shell'"}),
            "rules[0].cel: column 1: there is no variable `tol`",
        ),
        ("compliance", json!({"cel": "'yes'"}), "rules[0].cel: column 1: must be true or false"),
        (
            "compliance",
            json!({"judge": "It is polite."}),
            "rules[0].judge: a rule that a model judges is not supported yet",
        ),
    ] {
        let mut report = ProblemReport::default();
        check_rules(&policy(kind, "block", &json!([rule])), &mut report);
        let problems: Vec<String> = report.into_problems().iter().map(ToString::to_string).collect();
        assert!(problems[0].starts_with(expected), "{problems:?}");
    }
}
