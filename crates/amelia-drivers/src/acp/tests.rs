//! Single decisions.

use std::path::Path;
use std::sync::Arc;

use amelia_core::clock::TickingClock;
use amelia_core::driver::AgentMessage;
use amelia_core::id::AgentName;
use amelia_core::tool::{Risk, ToolName, ToolPermission, ToolSpec};
use serde::Deserialize;
use serde_json::{Value, json};

use super::approval::{Approval, can_allow_once};
use super::item_tracker::{ItemTracker, ToolCallUpdate, calls};
use super::terminal;
use super::wire::{Hello, Opened, Selection};
use crate::program::MessageFactory;

fn factory() -> MessageFactory {
    MessageFactory { agent: AgentName::new("developer").unwrap(), clock: Arc::new(TickingClock::default()) }
}

fn doing(value: Value) -> ToolCallUpdate {
    ToolCallUpdate::deserialize(value).unwrap()
}

#[test]
fn a_call_has_the_risk_of_its_kind_and_place() {
    let at = |kind: &str, paths: &[&str]| {
        let locations: Vec<Value> = paths.iter().map(|path| json!({"path": path})).collect();
        doing(json!({"toolCallId": "t", "kind": kind, "locations": locations})).risk(Path::new("/tree"))
    };
    assert_eq!(at("read", &["/etc/passwd"]), Risk::Read);
    assert_eq!(at("execute", &[]), Risk::Execute);
    assert_eq!(at("edit", &["/tree/a", "/tree/b/c"]), Risk::Write);
    assert_eq!(at("edit", &["/tree/a", "/etc/c"]), Risk::External);
    assert_eq!(at("delete", &["/tree/../etc"]), Risk::External);
    assert_eq!(at("move", &[]), Risk::External);
    assert_eq!(at("fetch", &[]), Risk::External);
    assert_eq!(at("brand_new", &[]), Risk::External);
}

#[test]
fn a_command_is_called_as_ours_is() {
    let call = doing(json!({"toolCallId": "t", "kind": "execute", "title": "run it", "rawInput": {"command": "ls", "description": "d"}}))
        .call(&factory());
    assert_eq!((call.tool.to_string(), json!(call.args)), ("shell".to_owned(), json!({"command": "ls"})));
    let call = doing(json!({"toolCallId": "t", "kind": "execute", "title": "ls -la"})).call(&factory());
    assert_eq!(json!(call.args), json!({"command": "ls -la"}));
}

#[test]
fn an_answer_is_an_option_of_the_agent_and_never_one_for_ever_if_there_is_another() {
    let approval = |kinds: &[&str]| Approval {
        id: json!(1),
        call: doing(json!({"toolCallId": "t", "kind": "execute", "title": "ls"})).call(&factory()),
        risk: Risk::Execute,
        options: kinds.iter().map(|kind| json!({"kind": kind, "optionId": format!("o-{kind}")})).collect(),
    };
    let chosen = |kinds: &[&str], permit: &ToolPermission| {
        approval(kinds).answer(permit).0.pointer("/outcome/optionId").cloned().unwrap_or(json!("none"))
    };
    let (yes, no) = (ToolPermission::Allow { args: None }, ToolPermission::Deny { message: "no".to_owned() });
    let all = ["allow_always", "allow_once", "reject_always", "reject_once"];
    assert_eq!(chosen(&all, &yes), "o-allow_once");
    assert_eq!(chosen(&all, &no), "o-reject_once");
    assert_eq!(chosen(&["allow_always"], &yes), "o-allow_always");
    assert_eq!(chosen(&["allow_always"], &no), "none");
    let changed = ToolPermission::Allow { args: json!({"command": "ls -l"}).as_object().cloned() };
    let (answer, words) = approval(&all).answer(&changed);
    assert_eq!(answer["outcome"]["optionId"], "o-reject_once");
    assert!(words.unwrap().contains("ls -l"));
}

#[test]
fn an_agent_that_would_remember_a_yes_for_one_call_is_told_of() {
    let can = |kinds: &[&str]| {
        let options: Vec<Value> = kinds.iter().map(|kind| json!({"kind": kind, "optionId": kind})).collect();
        can_allow_once(&options)
    };
    assert!(can(&["allow_once", "allow_always"]) && can(&["reject_once"]) && can(&[]));
    assert!(!can(&["allow_always", "reject_once"]));
}

#[test]
fn a_refusal_that_is_heard_after_the_turn_does_not_cost_the_final_message() {
    let approval = Approval {
        id: json!(1),
        call: doing(json!({"toolCallId": "t", "kind": "execute", "title": "ls"})).call(&factory()),
        risk: Risk::Execute,
        options: Vec::new(),
    };
    let denied = ToolPermission::Deny { message: "not now".to_owned() };
    let words = "shell was not allowed: not now\nIf you were not done, continue accordingly. If you were done, end your \
                 turn once more as your instructions say, with your whole final message: only the last one is kept.";
    assert_eq!(approval.answer(&denied).1.as_deref(), Some(words));
    let changed = ToolPermission::Allow { args: json!({"command": "ls -l"}).as_object().cloned() };
    let words = approval.answer(&changed).1.unwrap();
    assert!(words.ends_with("with your whole final message: only the last one is kept."), "{words}");
}

#[test]
fn people_are_told_of_a_call_when_there_is_something_to_tell() {
    let (mut items, factory) = (ItemTracker::default(), factory());
    let mut told = |update: Value| items.updated(&update, &factory).messages;
    let call = json!({"sessionUpdate": "tool_call", "toolCallId": "t", "kind": "execute", "status": "pending", "rawInput": {}});
    assert_eq!(told(call), []);
    let more = json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "rawInput": {"command": "ls"}});
    assert!(matches!(told(more).as_slice(), [AgentMessage::ToolCall(call)] if call.args["command"] == "ls"));
    let end = json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "failed", "rawOutput": {"output": "no"}});
    let told = told(end);
    let [AgentMessage::ToolResult(result)] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!(result.error.as_deref(), Some("no"));
}

#[test]
fn pieces_of_two_messages_are_two() {
    let (mut items, factory) = (ItemTracker::default(), factory());
    let chunk = |id: &str, text: &str| json!({"sessionUpdate": "agent_message_chunk", "messageId": id, "content": {"type": "text", "text": text}});
    let mut all = Vec::new();
    for update in [chunk("a", "one "), chunk("a", "two"), chunk("b", "three")] {
        all.extend(items.updated(&update, &factory).messages);
    }
    all.extend(items.flush(&factory));
    let said: Vec<String> = all
        .iter()
        .filter_map(|message| match message {
            AgentMessage::Said(said) => Some(said.text()),
            _ => None,
        })
        .collect();
    assert_eq!(said, ["one two", "three"]);
}

#[test]
fn only_our_tools_are_called_in_words() {
    let spec = |name: &str| ToolSpec {
        name: ToolName::parse(name).unwrap(),
        ..ToolSpec::builtin("x", "", Risk::Read, json!({}))
    };
    let offered = [spec("submit"), spec("time:now")];
    let called = |words: &str| calls(words, &offered, |index| format!("c{index}"));
    let found = |words: &str| called(words).len();
    for name in ["time:now", "time__now", "now"] {
        let words = format!("<tool_call>{{\"name\": \"{name}\", \"arguments\": {{}}}}</tool_call>");
        assert_eq!(called(&words)[0].1.tool.to_string(), "time:now", "{name}");
    }
    assert_eq!(found("nothing"), 0);
    assert_eq!(found("<tool_call>{\"name\": \"submit\", \"arguments\": {}}</tool_call>"), 1);
    assert_eq!(found("<tool_call>{\"name\": \"Bash\", \"arguments\": {}}</tool_call>"), 0);
    assert_eq!(found("<tool_call>{broken</tool_call>"), 1, "it is told what was wrong");
}

#[test]
fn a_model_is_chosen_in_either_way() {
    let opened = |value: Value| Opened::deserialize(value).unwrap();
    let older = opened(
        json!({"models": {"currentModelId": "a", "availableModels": [{"modelId": "a"}, {"modelId": "b"}]}}),
    );
    assert_eq!(older.select("s", "a"), Selection::Nothing);
    assert_eq!(older.select("s", "z"), Selection::NotOffered);
    let Selection::Ask(method, params) = older.select("s", "b") else { panic!("no choice") };
    assert_eq!((method, params), ("session/set_model", json!({"sessionId": "s", "modelId": "b"})));
    assert_eq!(opened(json!({})).select("s", "a"), Selection::NotOffered);
}

#[test]
fn a_conversation_is_taken_up_in_the_quietest_way_there_is() {
    let again = |value: Value| Hello::deserialize(value).unwrap().agent_capabilities.again();
    let both = json!({"agentCapabilities": {"loadSession": true, "sessionCapabilities": {"resume": {}}}});
    assert_eq!(again(both), Some("session/resume"));
    assert_eq!(again(json!({"agentCapabilities": {"loadSession": true}})), Some("session/load"));
    assert_eq!(again(json!({})), None);
}

#[test]
fn a_command_line_is_quoted_for_a_shell() {
    let line = |params: Value| terminal::command(&params, Path::new("/tree"));
    assert_eq!(line(json!({"command": "make test"})), Some(json!({"command": "make test"})));
    let quoted = line(json!({"command": "echo", "args": ["a b", "$HOME"], "cwd": "/tree/src"}));
    assert_eq!(quoted, Some(json!({"command": "echo 'a b' '$HOME'", "directory": "src"})));
    let odd = line(
        json!({"command": "x", "env": [{"name": "A;rm -rf /", "value": "1"}, {"name": "B", "value": "'"}]}),
    );
    assert_eq!(odd, Some(json!({"command": "export B=\"'\"; x"})));
    assert_eq!(line(json!({})), None);
}
