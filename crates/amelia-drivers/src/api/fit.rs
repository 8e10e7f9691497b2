//! Keeping a conversation within the model's window. Pure and deterministic: the log keeps everything, this is only
//! what the model is shown. The system prompt and the first message are never touched, and a call is never
//! separated from its result.

use std::sync::Arc;

use amelia_core::message::{Message, Part, Role};
use amelia_core::text::capped;
use amelia_core::tool::ToolSpec;

/// Messages in order, shared: a request costs nothing for every message it shows.
pub type Conversation = Arc<Vec<Arc<Message>>>;

/// Of the window, how much the conversation may take.
const SHARE: u64 = 80;
/// Tokens of an answer by default.
const USUAL_ANSWER: u64 = 4096;
/// The newest messages are shown whole.
const KEEP_WHOLE: usize = 6;
/// What is left of an old tool result.
const OLD_RESULT: usize = 400;

/// The messages to show, and how many of them were shortened or left out. `total` is their token count.
#[must_use]
pub fn fit(messages: &Conversation, total: u64, room: u64) -> (Conversation, usize) {
    if total <= room {
        return (Arc::clone(messages), 0);
    }
    let recent = messages.len().saturating_sub(KEEP_WHOLE);
    let mut shown: Vec<Arc<Message>> = Vec::with_capacity(messages.len());
    let mut changed = 0;
    for (index, message) in messages.iter().enumerate() {
        let is_old_result = index < recent && message.role == Role::Tool;
        changed += usize::from(is_old_result);
        shown.push(if is_old_result { Arc::new(shortened(message)) } else { Arc::clone(message) });
    }
    let end = dispensable(&shown, room);
    if end > 1 {
        changed += shown.drain(1..end).count();
    }
    (Arc::new(shown), changed)
}

/// Tokens that a conversation may take of a window: without what is sent with every question, and with room for the
/// answer.
#[must_use]
pub fn room(window: u64, fixed: u64, output: Option<u64>) -> u64 {
    let answer = output.unwrap_or(USUAL_ANSWER).min(window / 4);
    let share = (window / 100).saturating_mul(SHARE);
    share.min(window.saturating_sub(answer)).saturating_sub(fixed)
}

/// Tokens of the descriptions of tools.
#[must_use]
pub fn schema_tokens(tools: &[ToolSpec]) -> u64 {
    let of_tool = |tool: &ToolSpec| {
        let schema = tool.input_schema.to_string();
        tokens_of(&schema).saturating_add(tokens_of(&tool.description)).saturating_add(16)
    };
    tools.iter().map(of_tool).sum()
}

/// Where the messages end that must go, of which the first has the number 1: the oldest turns after the first message, each with the
/// results of its calls, until the rest has room.
fn dispensable(shown: &[Arc<Message>], room: u64) -> usize {
    let mut left = tokens(shown);
    let mut end = 1;
    while left > room {
        let results = shown.iter().skip(end + 1).take_while(|message| message.role == Role::Tool).count();
        let next = end + 1 + results;
        // What is left must still be a conversation: the first message and the newest exchange.
        if shown.len() < next + 2 {
            break;
        }
        left = left.saturating_sub(shown.get(end..next).map_or(0, tokens));
        end = next;
    }
    end
}

fn shortened(message: &Message) -> Message {
    let mut message = message.clone();
    for part in &mut message.parts {
        if let Part::ToolResult(result) = part {
            result.output = capped(&result.output, OLD_RESULT);
        }
    }
    message
}

/// A rough count, on the safe side: providers tell the truth afterwards.
#[must_use]
pub fn tokens(messages: &[Arc<Message>]) -> u64 {
    messages.iter().map(|message| message.parts.iter().map(part_tokens).sum::<u64>() + 8).sum()
}

/// The same for a text: about 3.5 bytes each.
#[must_use]
pub fn tokens_of(text: &str) -> u64 {
    tokens_of_bytes(text.len())
}

/// The same for so many bytes of one.
#[must_use]
pub(super) fn tokens_of_bytes(bytes: usize) -> u64 {
    (bytes as u64).saturating_mul(2) / 7
}

/// The same for an answer.
#[must_use]
pub fn output_tokens(parts: &[Part]) -> u64 {
    parts.iter().map(part_tokens).sum()
}

fn part_tokens(part: &Part) -> u64 {
    match part {
        Part::Text(part) => tokens_of(&part.text),
        Part::Thinking(part) => tokens_of(&part.text),
        Part::ToolCall(call) => serde_json::to_string(&call.args).map_or(0, |args| tokens_of(&args)) + 16,
        Part::ToolResult(result) => {
            tokens_of(&result.output) + result.error.as_deref().map_or(0, tokens_of) + 16
        }
        Part::Artifact(_) | Part::Image(_) | Part::Audio(_) | Part::Memory(_) | Part::Guardrail(_) => 64,
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::clock::{Clock, TickingClock};
    use amelia_core::id::{AgentName, CallId, MessageId};
    use amelia_core::message::{ExecutionMode, Object, TextPart};
    use amelia_core::tool::{CallOptions, ToolCall, ToolName, ToolResult};
    use proptest::prelude::*;

    use super::*;

    fn message(clock: &TickingClock, role: Role, parts: Vec<Part>) -> Arc<Message> {
        Arc::new(Message {
            id: MessageId(clock.new_id()),
            at: clock.now(),
            role,
            agent: AgentName::system(),
            task: None,
            parent: None,
            mode: ExecutionMode::default(),
            memory: Object::new(),
            parts,
            metadata: Object::new(),
        })
    }

    /// A first message, then turns that each call a tool and get `size` bytes back.
    fn conversation(turns: usize, size: usize) -> Conversation {
        let clock = TickingClock::default();
        let mut messages = vec![message(&clock, Role::User, vec![Part::Text(TextPart::new("the task"))])];
        for turn in 0..turns {
            let call = ToolCall {
                id: CallId::new(format!("c{turn}")).unwrap(),
                tool: ToolName::builtin("shell"),
                args: Object::new(),
                at: None,
                options: CallOptions::default(),
            };
            let result =
                ToolResult { output: "x".repeat(size), error: None, ..ToolResult::interrupted(&call) };
            messages.push(message(&clock, Role::Assistant, vec![Part::ToolCall(call)]));
            messages.push(message(&clock, Role::Tool, vec![Part::ToolResult(result)]));
        }
        Arc::new(messages)
    }

    proptest! {
        #[test]
        fn the_task_stays_and_calls_keep_their_results(
            turns in 0_usize..60, size in 0_usize..4000, window in 100_u64..200_000
        ) {
            let messages = conversation(turns, size);
            let (shown, changed) = fit(&messages, tokens(&messages), room(window, tokens_of("system"), None));
            prop_assert_eq!(&shown[0], &messages[0]);
            if let (Some(a), Some(b)) = (shown.last(), messages.last()) {
                prop_assert_eq!(a, b, "the newest is whole");
            }
            for pair in shown[1..].chunks(2) {
                let [said, results] = pair else { return Err(TestCaseError::fail("half an exchange")) };
                let (Part::ToolCall(call), Part::ToolResult(result)) = (&said.parts[0], &results.parts[0]) else {
                    return Err(TestCaseError::fail("not an exchange"));
                };
                prop_assert_eq!(&call.id, &result.call);
            }
            if changed == 0 { prop_assert_eq!(shown, messages); }
        }
    }

    #[test]
    fn old_results_are_shortened_before_anything_is_dropped() {
        let messages = conversation(20, 4000);
        let (shown, changed) = fit(&messages, tokens(&messages), room(16_000, 0, None));
        assert_eq!((shown.len(), changed), (messages.len(), 17));
        assert!(tokens(&shown) <= 12_000);
    }
}
