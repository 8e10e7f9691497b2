//! What is oldest in a conversation, and the summaries in its place.

use amelia_core::id::AgentName;
use amelia_core::message::TextPart;
use serde_json::json;

use super::*;
use crate::testing::{call, message as said};

fn message(number: u128, role: Role) -> Arc<Message> {
    let parts = vec![Part::Text(TextPart::new(format!("message {number}")))];
    Arc::new(said(role, &AgentName::new("me").unwrap(), number, parts))
}

/// Questions and answers in turn, from 0.
fn conversation(count: u128) -> Vec<Arc<Message>> {
    let role = |number: u128| if number.is_multiple_of(2) { Role::User } else { Role::Assistant };
    (0..count).map(|number| message(number, role(number))).collect()
}

fn summary(number: u128, end: usize) -> Arc<Message> {
    let mut summary = (*message(number, Role::User)).clone();
    summary.metadata.insert(FOLDS_BEFORE.to_owned(), json!(end));
    Arc::new(summary)
}

fn texts(messages: &[Arc<Message>]) -> Vec<String> {
    messages.iter().map(|message| message.text().replace("message ", "")).collect()
}

#[test]
fn the_first_message_and_the_newest_six_stay() {
    let all = conversation(10);
    let opening = message(99, Role::User);
    assert_eq!(old_part(&all, tokens(&all), &opening), None, "it is within the limit");
    let old = old_part(&all, 10, &opening).unwrap();
    assert_eq!(texts(&old.messages), ["1", "2", "3"]);
    assert_eq!(old.end, 4);
    assert_eq!(old_part(&all[..8], 10, &opening), None, "one message is not worth a summary");
    assert_eq!(old_part(&[], 0, &opening), None);
}

#[test]
fn results_stay_with_their_calls_and_a_visit_keeps_what_was_said_in_it() {
    let opening = message(99, Role::User);
    let mut all = conversation(10);
    all[4] = Arc::new(Message { role: Role::Tool, ..(*all[4]).clone() });
    assert_eq!(texts(&old_part(&all, 10, &opening).unwrap().messages), ["1", "2"]);
    let opens = |message: &Message, step: u64, number: u64| {
        let mut message = message.clone();
        message.metadata.insert("opens_step".to_owned(), json!([step, number]));
        message
    };
    let mut all = conversation(12);
    assert_eq!(old_part(&all, 10, &opening).unwrap().messages.len(), 5);
    all[3] = Arc::new(opens(&all[3], 7, 1));
    assert_eq!(old_part(&all, 10, &opens(&opening, 8, 1)).unwrap().messages.len(), 5, "another visit");
    assert_eq!(texts(&old_part(&all, 10, &opens(&opening, 7, 2)).unwrap().messages), ["1", "2"]);
}

#[test]
fn each_summary_takes_the_place_of_all_before_it_except_for_the_first_message() {
    let mut all = conversation(10);
    all.extend([summary(20, 4), message(10, Role::User)]);
    assert_eq!(texts(&folded(all.clone())), ["0", "20", "4", "5", "6", "7", "8", "9", "10"]);
    all.push(summary(21, 4));
    assert_eq!(texts(&folded(all)), ["0", "21", "6", "7", "8", "9", "10"]);
    let mut short = conversation(2);
    short.push(summary(22, 3));
    assert_eq!(texts(&folded(short)), ["0", "1", "22"], "what it stands for is not there");
}

#[test]
fn the_summary_is_made_from_words_calls_and_results_as_data() {
    let made = call("c1", "shell", json!({"command": "make"}));
    let mut asks = (*message(1, Role::Assistant)).clone();
    asks.parts.push(Part::ToolCall(made));
    let messages = vec![Arc::new(asks), message(2, Role::User)];
    let old = OldPart { messages, end: 3 };
    let asked = old.question();
    for expected in [
        "<untrusted source",
        "You said: message 1",
        r#"You called shell: {"command":"make"}"#,
        "You got: message 2",
    ] {
        assert!(asked.contains(expected), "{expected}: {asked}");
    }
    assert!(old.gap("no budget").starts_with("2 earlier messages"));
}
