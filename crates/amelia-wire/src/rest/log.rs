//! Reading a run's log over HTTP, in any of the three dialects, or as it is stored.

use amelia_core::event::{Event, EventLevel};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::{Limit, Place};
use crate::agentx::event::{ExecutionEvent, execution_event};
use crate::amelia::driver::{AgenticMessage, message_of};
use crate::amelia::event::workflow_event;
use crate::facts::Facts;
use crate::maf::trace::trace_log;

/// Which events of a log.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct LogQuery {
    /// Events after this sequence number.
    #[param(value_type = Option<u64>)]
    pub after: Option<Place>,
    /// `next_cursor` of the previous page; same as `after`.
    #[param(value_type = Option<u64>)]
    pub cursor: Option<Place>,
    #[param(value_type = Option<u32>, minimum = 1, maximum = 500)]
    pub limit: Limit,
    /// Events of this level or above.
    #[param(value_type = Option<String>, pattern = "^(debug|info|warning|error)$")]
    pub level: Option<EventLevel>,
    /// Name of an event in a dialect (`workflow_started`, `event_task_start`), or in the log (`run.started`).
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub agent: Option<String>,
    #[param(inline)]
    pub format: Format,
}

/// The format of the events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    #[default]
    Amelia,
    Agentx,
    Trace,
    /// Messages of the drivers, as AgenticMessage.
    Agentic,
    /// Every event as stored.
    Log,
}

/// Which page of a list of events.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PartQuery {
    /// Only what comes after this sequence number.
    #[param(value_type = Option<u64>)]
    pub after: Option<Place>,
    /// `next_cursor` of the previous page; same as `after`.
    #[param(value_type = Option<u64>)]
    pub cursor: Option<Place>,
    #[param(value_type = Option<u32>, minimum = 1, maximum = 500)]
    pub limit: Limit,
}

impl PartQuery {
    /// The sequence number that the part comes after.
    #[must_use]
    pub fn begin(&self) -> u64 {
        self.after.or(self.cursor).unwrap_or_default().get()
    }
}

impl LogQuery {
    /// The sequence number that the part comes after.
    #[must_use]
    pub fn begin(&self) -> u64 {
        self.after.or(self.cursor).unwrap_or_default().get()
    }

    /// The event as it was asked for; `None` when it was not.
    #[must_use]
    pub fn show(&self, event: &Event, facts: &Facts) -> Option<Value> {
        let draft = &event.draft;
        if self.level.is_some_and(|level| draft.kind.level() < level)
            || self.agent.as_ref().is_some_and(|agent| draft.agent.as_str() != agent)
        {
            return None;
        }
        let (shown, name) = self.format.translate(event, facts)?;
        let is_wanted = self.kind.as_ref().is_none_or(|kind| {
            draft.kind.name() == kind || name.is_some_and(|name| name.eq_ignore_ascii_case(kind))
        });
        is_wanted.then_some(shown)
    }
}

impl Format {
    /// The event in these words, and its name there.
    fn translate(self, event: &Event, facts: &Facts) -> Option<(Value, Option<String>)> {
        let (shown, field) = match self {
            Self::Amelia => (serde_json::to_value(workflow_event(event, facts)?), "event_type"),
            Self::Agentx => (serde_json::to_value(Numbered::new(event, facts)?), "type"),
            Self::Trace => {
                let step = trace_log(std::slice::from_ref(event))?.steps.pop()?;
                (serde_json::to_value(step), "step_name")
            }
            Self::Agentic => (serde_json::to_value(Numbered::message(event, facts)?), "type"),
            // Its name is the event's own, which `type` finds anyway.
            Self::Log => (serde_json::to_value(event), ""),
        };
        let shown = shown.ok()?;
        let name = shown.get(field).and_then(Value::as_str).map(str::to_owned);
        Some((shown, name))
    }
}

/// A notification or a message with its place in the log, by which a reader continues after a break.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Numbered<T> {
    pub sequence: u64,
    #[serde(flatten)]
    pub event: T,
}

impl Numbered<AgenticMessage> {
    /// `None` when the event keeps no message of a driver.
    #[must_use]
    pub fn message(event: &Event, facts: &Facts) -> Option<Self> {
        message_of(event, facts).map(|message| Self { sequence: event.seq.0, event: message })
    }
}

impl Numbered<ExecutionEvent> {
    /// `None` when the dialect has no word for the event.
    #[must_use]
    pub fn new(event: &Event, facts: &Facts) -> Option<Self> {
        execution_event(event, facts).map(|shown| Self { sequence: event.seq.0, event: shown })
    }
}
