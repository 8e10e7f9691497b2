//! What people say to a run while it moves, until one of its agents hears it.

use std::collections::VecDeque;

use amelia_core::event::human::Intervention;
use amelia_core::id::AgentName;
use parking_lot::Mutex;
use tokio::sync::Notify;

/// Words on their way. Each is heard once.
#[derive(Debug, Default)]
pub struct UserMessages {
    waiting: Mutex<VecDeque<Intervention>>,
    said: Notify,
}

impl UserMessages {
    /// Messages that no agent has read yet.
    #[must_use]
    pub fn new(unheard: Vec<Intervention>) -> Self {
        Self { waiting: Mutex::new(unheard.into()), said: Notify::new() }
    }

    pub(crate) fn say(&self, words: Intervention) {
        self.waiting.lock().push_back(words);
        self.said.notify_waiters();
    }

    /// Words that an agent was given and has not heard: the next one hears them.
    pub(crate) fn give_back(&self, words: Vec<Intervention>) {
        if words.is_empty() {
            return;
        }
        let mut waiting = self.waiting.lock();
        words.into_iter().rev().for_each(|word| waiting.push_front(word));
        self.said.notify_waiters();
    }

    /// The next words for this agent or for any, whenever they come.
    pub(crate) async fn next(&self, agent: &AgentName) -> Intervention {
        loop {
            // It listens before it looks: all listeners are notified of new messages.
            let said = self.said.notified();
            if let Some(words) = self.take(agent) {
                return words;
            }
            said.await;
        }
    }

    fn take(&self, agent: &AgentName) -> Option<Intervention> {
        let mut waiting = self.waiting.lock();
        let place =
            waiting.iter().position(|words| words.agent().is_none_or(|name| name == agent.as_str()))?;
        waiting.remove(place)
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::event::human::InterventionKind;
    use amelia_core::object::Object;

    use super::*;

    fn words(id: &str) -> Intervention {
        let kind = InterventionKind::Instruction;
        Intervention { id: id.to_owned(), kind, details: Object::new(), by: None }
    }

    #[tokio::test]
    async fn words_for_one_agent_are_heard_by_it_alone() {
        let named = |name: &str| AgentName::new(name).unwrap();
        let details = Object::from_iter([("agent".to_owned(), "critic".into())]);
        let messages = UserMessages::new(vec![Intervention { details, ..words("1") }, words("2")]);
        assert_eq!(messages.next(&named("writer")).await.id, "2");
        assert_eq!(messages.take(&named("writer")), None);
        assert_eq!(messages.next(&named("critic")).await.id, "1");
    }

    #[tokio::test]
    async fn words_that_were_not_heard_come_before_later_ones() {
        let agent = AgentName::new("writer").unwrap();
        let messages = UserMessages::new(vec![words("1"), words("2")]);
        let given = vec![messages.next(&agent).await, messages.next(&agent).await];
        messages.say(words("3"));
        messages.give_back(given);
        for id in ["1", "2", "3"] {
            assert_eq!(messages.next(&agent).await.id, id);
        }
    }
}
