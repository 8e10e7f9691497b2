//! The state as it will be when a turn has ended. It copies nothing of what was said before, so that a turn costs the same
//! however many there were.

use amelia_core::plan::Plan;
use serde_json::{Value, json};

use crate::chat::{Chat, ChatMessage, Used, VISIBLE};
use crate::condition::Variables;
use crate::plan_values::shown_tasks;

pub(super) struct EndedTurn<'a> {
    pub(super) before: &'a Chat,
    pub(super) agent: &'a str,
    pub(super) said: Option<&'a ChatMessage>,
    /// What the turn has used.
    pub(super) used: Used,
    /// The plan, if the team has one.
    pub(super) plan: Option<&'a Plan>,
}

impl Variables for EndedTurn<'_> {
    fn variable(&self, name: &str) -> Value {
        let (before, used) = (&self.before.used, &self.used);
        if let ("plan", Some(plan)) = (name, self.plan) {
            return shown_tasks(plan);
        }
        match (name, self.said) {
            ("messages", Some(said)) => match self.before.variable("messages") {
                Value::Array(mut all) => {
                    if all.len() >= VISIBLE {
                        all.remove(0);
                    }
                    all.push(said.seen());
                    all.into()
                }
                other => other,
            },
            ("last", Some(said)) => json!(said.text),
            ("agent" | "current_agent", _) => json!(self.agent),
            ("turns", _) => json!(before.turns.saturating_add(used.turns)),
            ("steps", _) => json!(before.steps.saturating_add(used.steps)),
            ("tokens", _) => json!(before.tokens.saturating_add(used.tokens)),
            ("cost_usd", _) => json!(before.cost_usd.unwrap_or(0.0) + used.cost_usd.unwrap_or(0.0)),
            ("elapsed_seconds", _) => {
                let times = used.at.or(before.at).zip(self.before.started_at);
                json!(times.map_or(0.0, |(at, start)| at.duration_since(start).as_secs_f64()))
            }
            _ => self.before.variable(name),
        }
    }

    fn metadata(&self, key: &str) -> Value {
        self.before.metadata(key)
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::object::Object;
    use amelia_graph::state::State as _;
    use jiff::{SignedDuration, Timestamp};

    use super::*;
    use crate::chat::ChatUpdate;

    #[test]
    fn it_is_the_state_that_the_updates_make() {
        let at = Timestamp::UNIX_EPOCH;
        let metadata = json!({"score": 3, "plan": [{"task_id": "1", "status": "pending"}]});
        let metadata: Object = serde_json::from_value(metadata).unwrap();
        let mut state = Chat::begin("About rivers", metadata, at);
        let later = at.checked_add(SignedDuration::from_secs(7)).unwrap();
        let used = Used { turns: 1, steps: 2, tokens: 30, cost_usd: Some(0.5), at: Some(later) };
        let said = ChatMessage::of_agent("writer", "writer", "Rivers are long.".to_owned(), later);
        let before = state.clone();
        let ended = EndedTurn { before: &before, agent: "writer", said: Some(&said), used, plan: None };
        state.apply(ChatUpdate::Said(said.clone()));
        state.apply(ChatUpdate::Current { agent: "writer".to_owned() });
        state.apply(ChatUpdate::Used(used));
        for name in [
            "messages",
            "last",
            "agent",
            "current_agent",
            "routing_key",
            "turns",
            "steps",
            "tokens",
            "cost_usd",
            "elapsed_seconds",
            "plan",
        ] {
            assert_eq!(ended.variable(name), state.variable(name), "{name}");
        }
        assert_eq!(ended.metadata("score"), json!(3));
        let silent = EndedTurn { said: None, ..ended };
        assert_eq!(silent.variable("last"), json!("About rivers"));
    }
}
