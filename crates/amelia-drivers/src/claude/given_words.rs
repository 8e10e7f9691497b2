//! What a person said in the middle of the work. The program reads it at once, keeps it in memory, and takes it into the
//! conversation that it saves only before its next model call: when it is stopped earlier, it has never heard it. Pure.

use amelia_core::message::Message;

/// Words that the program was given and has not taken into its conversation.
#[derive(Debug, Default)]
pub(super) struct GivenWords {
    words: Vec<GivenWord>,
    /// It repeats what it takes; old versions do not.
    is_repeating: bool,
}

#[derive(Debug)]
struct GivenWord {
    message: Message,
    /// Model calls that have begun to answer since.
    calls: u32,
}

impl GivenWords {
    pub(super) fn give(&mut self, message: Message) {
        self.words.push(GivenWord { message, calls: 0 });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The program was started again, and has none of them.
    pub(super) fn again(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.words).into_iter().map(|word| word.message).collect()
    }

    /// It repeats a message: it has taken it.
    pub(super) fn repeated(&mut self, id: Option<&str>) -> Option<Message> {
        self.is_repeating = true;
        let place = self.words.iter().position(|word| id == Some(&word.message.id.0.to_string()))?;
        Some(self.words.remove(place).message)
    }

    /// A model call answers. One that does not repeat messages has taken what was there before the call was made, and
    /// that is certain only for what was there when the call before it answered.
    pub(super) fn called(&mut self) -> Vec<Message> {
        self.words.iter_mut().for_each(|word| word.calls += 1);
        self.taken_after(2)
    }

    /// Its turn is over. What it has not taken by then comes next.
    pub(super) fn finished(&mut self) -> Vec<Message> {
        self.taken_after(1)
    }

    fn taken_after(&mut self, calls: u32) -> Vec<Message> {
        if self.is_repeating {
            return Vec::new();
        }
        let (taken, open) = std::mem::take(&mut self.words).into_iter().partition(|word| word.calls >= calls);
        self.words = open;
        let taken: Vec<GivenWord> = taken;
        taken.into_iter().map(|word| word.message).collect()
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::id::{AgentName, MessageId};
    use amelia_core::message::{ExecutionMode, Object, Part, Role, TextPart};
    use uuid::Uuid;

    use super::*;

    fn word(number: u128) -> Message {
        Message {
            id: MessageId(Uuid::from_u128(number)),
            at: jiff::Timestamp::UNIX_EPOCH,
            role: Role::User,
            agent: AgentName::new("developer").unwrap(),
            task: None,
            parent: None,
            mode: ExecutionMode::default(),
            memory: Object::new(),
            parts: vec![Part::Text(TextPart::new("Draw a zebra."))],
            metadata: Object::new(),
        }
    }

    #[test]
    fn a_program_that_repeats_what_it_takes_is_believed_alone() {
        let mut given = GivenWords::default();
        assert_eq!(given.repeated(None), None, "its first task");
        given.give(word(1));
        given.give(word(2));
        assert!(given.called().is_empty() && given.called().is_empty() && given.finished().is_empty());
        assert_eq!(given.repeated(Some(&Uuid::from_u128(2).to_string())), Some(word(2)));
        assert_eq!(given.again(), [word(1)]);
        assert!(given.is_empty());
    }

    #[test]
    fn an_old_program_has_taken_what_was_there_before_the_last_two_calls() {
        let mut given = GivenWords::default();
        given.give(word(1));
        assert!(given.called().is_empty(), "this call may have been made before");
        given.give(word(2));
        assert_eq!(given.called(), [word(1)]);
        assert_eq!(given.finished(), [word(2)]);
        given.give(word(3));
        assert!(given.finished().is_empty(), "it comes next");
        assert!(!given.is_empty());
    }
}
