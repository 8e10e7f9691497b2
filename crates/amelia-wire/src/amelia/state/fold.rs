//! What pipeline states are shown from: a fold of the log, event by event, so that its keeper reads only what is new.
//! Bounded in its calls and results unless all are wanted; the history has a line per turn.

use amelia_core::event::{AgentEvent, Event, EventKind, HumanEvent};
use amelia_core::id::Seq;
use amelia_core::oracle::Consultation;

use super::HistoryEntry;
use super::log::FromLog;
use crate::amelia::driver::{TokenUsage, add_usage};
use crate::amelia::oracle;
use crate::facts::Facts;

/// Calls and results that are shown unless all are asked for.
const TOOL_HISTORY: usize = 100;

/// How much of it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The last calls and results.
    Recent,
    Whole,
}

/// A log up to some event.
#[derive(Debug, Clone)]
pub struct StateFold {
    extent: Extent,
    seq: Seq,
    facts: Facts,
    log: FromLog,
    pub(crate) history: Vec<HistoryEntry>,
    pub(crate) user_message: Option<String>,
    pub(crate) driver_session: Option<String>,
    pub(crate) architect_output: Option<String>,
    pub(crate) consultations: Vec<Consultation>,
    usages: Vec<TokenUsage>,
}

impl StateFold {
    #[must_use]
    pub fn new(extent: Extent) -> Self {
        Self {
            extent,
            seq: Seq::START,
            facts: Facts::default(),
            log: FromLog::default(),
            history: Vec::new(),
            user_message: None,
            driver_session: None,
            architect_output: None,
            consultations: Vec::new(),
            usages: Vec::new(),
        }
    }

    /// The fold of a whole log.
    #[must_use]
    pub fn of(events: &[Event], extent: Extent) -> Self {
        let mut fold = Self::new(extent);
        events.iter().for_each(|event| fold.apply(event));
        fold
    }

    /// The event that it knows last.
    #[must_use]
    pub fn seq(&self) -> Seq {
        self.seq
    }

    /// What each agent has consumed of each model, in the order in which they first asked.
    #[must_use]
    pub fn token_usage(&self) -> Vec<TokenUsage> {
        self.usages.clone()
    }

    /// The fold after one more event.
    pub fn apply(&mut self, event: &Event) {
        self.seq = event.seq;
        self.facts.apply(event);
        self.log.apply(event, &self.facts);
        // Seldom, so that each call is moved once on average.
        if self.extent == Extent::Recent
            && self.log.tool_calls.len().max(self.log.tool_results.len()) >= 2 * TOOL_HISTORY
        {
            self.log.keep_last(TOOL_HISTORY);
        }
        self.history.extend(history_entry(event));
        self.user_message = user_message(event).or(self.user_message.take());
        self.driver_session = driver_session(event).or(self.driver_session.take());
        self.architect_output = architect_output(event).or(self.architect_output.take());
        oracle::apply(&mut self.consultations, event);
        add_usage(&mut self.usages, event);
    }

    /// What the log knows, as far as it is shown.
    pub(crate) fn log(&self) -> FromLog {
        let mut log = self.log.clone();
        if self.extent == Extent::Recent {
            log.keep_last(TOOL_HISTORY);
        }
        log
    }

    /// What a person said to the plan; `None` before that.
    pub(crate) fn human_approved(&self) -> Option<bool> {
        self.log.human_approved
    }
}

fn history_entry(event: &Event) -> Option<HistoryEntry> {
    let EventKind::Agent(AgentEvent::Said(_) | AgentEvent::Finished { .. }) = &event.draft.kind else {
        return None;
    };
    Some(HistoryEntry {
        timestamp: event.draft.at,
        agent: event.draft.agent.to_string(),
        message: event.draft.kind.summary(),
    })
}

fn user_message(event: &Event) -> Option<String> {
    let EventKind::Human(HumanEvent::Replied(reply)) = &event.draft.kind else { return None };
    reply.message.clone()
}

/// The vendor's conversation, known from its first moment. That of a child, such as the Oracle, is not the run's.
fn driver_session(event: &Event) -> Option<String> {
    let EventKind::Agent(AgentEvent::Started { session, .. } | AgentEvent::Finished { session, .. }) =
        &event.draft.kind
    else {
        return None;
    };
    session.as_ref().filter(|_| event.draft.session.is_none()).map(ToString::to_string)
}

fn architect_output(event: &Event) -> Option<String> {
    let EventKind::Agent(AgentEvent::Finished { text, .. }) = &event.draft.kind else { return None };
    (event.draft.agent.as_str() == "architect").then(|| text.clone())
}
