use crate::chat::ChatRole;
use amelia_core::config::workflow::NodeKind;
use amelia_graph::state::State as _;
use serde_json::json;

use super::*;

fn node(outputs: &[&str]) -> AgentNode {
    let kind = NodeKind::Agent { agent: "critic".to_owned() };
    let outputs = outputs.iter().map(ToString::to_string).collect();
    let def = NodeDef { outputs, ..NodeDef::new(kind) };
    AgentNode { name: "review".to_owned(), agent: "critic".to_owned(), def, parts: None }
}

/// What an answer sets, and which outputs are still missing.
fn taken(outputs: &[&str], answer: &str) -> (Value, Vec<String>) {
    let mut set = Object::new();
    let missing = node(outputs).take_outputs(answer, &mut set);
    (Value::Object(set), missing)
}

#[test]
fn outputs_come_from_the_answer() {
    let fenced = "```json\n{\"score\": 1, \"note\": \"x\", \"routing_key\": \"ok\", \"more\": 2}\n```";
    assert_eq!(
        taken(&["score", "note"], fenced),
        (json!({"score": 1, "note": "x", "routing_key": "ok"}), vec![])
    );
    assert_eq!(taken(&["note"], "Just text"), (json!({"note": "Just text"}), vec![]));
    assert_eq!(taken(&["score"], "{\"score\": 3}"), (json!({"score": 3}), vec![]));
    assert_eq!(taken(&["score", "note"], "{\"score\": 1}").1, ["note"]);
    assert_eq!(taken(&["score", "note"], "no JSON").1, ["score", "note"]);
    assert_eq!(taken(&[], "anything"), (json!({}), vec![]));
}

#[test]
fn an_agent_hears_what_was_said_since_its_last_turn() {
    let said = |role, agent: Option<&str>, node: Option<&str>, text: &str| ChatMessage {
        role,
        agent: agent.map(str::to_owned),
        node: node.map(str::to_owned),
        text: text.to_owned(),
        at: jiff::Timestamp::UNIX_EPOCH,
    };
    let mut state = Chat::begin("Do it", Object::new(), jiff::Timestamp::UNIX_EPOCH);
    assert_eq!(node(&[]).opening(&state), "Do it");
    state.messages.push(said(ChatRole::Assistant, Some("writer"), Some("write"), "a draft"));
    let opening = node(&[]).opening(&state);
    assert!(opening.starts_with("Do it\n\n<") && opening.contains("a draft"), "{opening}");
    state.apply(ChatUpdate::Visited { node: "review".to_owned(), seen: 2 });
    state.messages.push(said(ChatRole::Assistant, Some("critic"), Some("review"), "my own answer"));
    assert_eq!(node(&[]).opening(&state), "It is your turn.");
    state.messages.push(said(ChatRole::User, None, None, "And now?"));
    assert_eq!(node(&[]).opening(&state), "And now?");
}
