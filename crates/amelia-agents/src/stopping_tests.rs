use std::sync::Arc;

use amelia_core::tool::ToolResult;
use serde_json::json;

use super::*;
use crate::conversation::from_user;
use crate::testing::{Log, call, visit};

#[tokio::test]
async fn the_place_of_a_conversation_is_known_from_its_messages() {
    let log: Arc<Log> = Arc::default();
    let cx = visit(&log).await;
    let agent = AgentName::system();
    let opening = from_user(&cx, &agent, "Begin.");
    assert_eq!(
        TurnPlace::of(std::slice::from_ref(&opening)),
        TurnPlace { turns: 0, is_first: true, has_failed: false }
    );
    let made = call("c1", "shell", json!({"command": "ls"}));
    let turn =
        Message { role: Role::Assistant, parts: vec![Part::ToolCall(made.clone())], ..opening.clone() };
    let failed = ToolResult { error: Some("no".to_owned()), ..ToolResult::interrupted(&made) };
    let results = Message { role: Role::Tool, parts: vec![Part::ToolResult(failed)], ..opening.clone() };
    let place = TurnPlace::of(&[opening.clone(), turn.clone(), results]);
    assert_eq!(place, TurnPlace { turns: 1, is_first: false, has_failed: true });
    let open = TurnPlace::of(&[opening, turn]);
    assert_eq!(open, TurnPlace { turns: 1, is_first: false, has_failed: false });
}

#[tokio::test]
async fn without_rules_nothing_stops() {
    let log: Arc<Log> = Arc::default();
    let cx = visit(&log).await;
    let place = TurnPlace { turns: 3, is_first: true, has_failed: true };
    assert_eq!(before_turn(&cx, &AgentName::system(), &place, &[]), None);
    assert_eq!(holds(&cx, &call("c1", "shell", json!({})), ""), None);
}
