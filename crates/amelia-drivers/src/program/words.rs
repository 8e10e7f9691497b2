//! What is said to a program that keeps the conversation itself: only what it has not heard yet. Pure.

use amelia_core::driver::AgentRequest;
use amelia_core::message::{Message, Role};

/// Said when a conversation goes on and nobody has anything new to say.
const INTERRUPTED: &str = "You were interrupted. Look at where the work stands, then go on with it. If a command was \
                           under way, check what it has done before you repeat it.";

/// What is said next in a conversation that the program still has.
#[must_use]
pub fn next_words(request: &AgentRequest) -> String {
    if request.is_heard {
        return INTERRUPTED.to_owned();
    }
    let new = request.messages.iter().rev().take_while(|message| message.role == Role::User);
    let mut new: Vec<String> = new.map(Message::text).filter(|text| !text.trim().is_empty()).collect();
    new.reverse();
    if new.is_empty() { INTERRUPTED.to_owned() } else { new.join("\n\n") }
}

/// What is said to a program that does not have the conversation, or has lost it.
#[must_use]
pub fn from_the_start(request: &AgentRequest) -> String {
    let said: Vec<(Role, String)> = request
        .messages
        .iter()
        .map(|message| (message.role, message.text()))
        .filter(|(_, text)| !text.trim().is_empty())
        .collect();
    match said.as_slice() {
        [(Role::User, only)] => only.clone(),
        _ if said.iter().all(|(role, _)| *role == Role::User) => next_words(request),
        _ => {
            let lines = said.iter().map(|(role, text)| match role {
                Role::User => format!("They said:\n{text}"),
                Role::System | Role::Assistant | Role::Tool => format!("You said:\n{text}"),
            });
            let lines: Vec<String> = lines.collect();
            format!(
                "This conversation was begun before, and this is what was said. The files are as you left them: look \
                 before you repeat anything.\n\n{}\n\nGo on from here.",
                lines.join("\n\n")
            )
        }
    }
}
