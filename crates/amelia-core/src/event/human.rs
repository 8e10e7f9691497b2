//! People are asked, answer, and step in.

use serde::{Deserialize, Serialize};

use super::EventLevel;
use crate::human::{HumanReply, HumanRequest};
use crate::id::AgentName;
use crate::object::Object;
use crate::text::one_line;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum HumanEvent {
    Requested(HumanRequest),
    Replied(HumanReply),
    Intervened(Intervention),
}

/// Something a person did to a run without being asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct Intervention {
    pub id: String,
    pub kind: InterventionKind,
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub details: Object,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

impl Intervention {
    /// The agent that words are for; without one, they are for the next that listens.
    #[must_use]
    pub fn agent(&self) -> Option<&str> {
        self.details.get("agent").and_then(serde_json::Value::as_str)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum InterventionKind {
    Instruction,
    PlanUpdate,
    AgentOverride,
    TeamModification,
}

impl InterventionKind {
    fn words(self) -> &'static str {
        match self {
            Self::Instruction => "instruction",
            Self::PlanUpdate => "plan",
            Self::AgentOverride => "next agent",
            Self::TeamModification => "team",
        }
    }
}

impl HumanEvent {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Requested(_) => "human.requested",
            Self::Replied(_) => "human.replied",
            Self::Intervened(_) => "human.intervened",
        }
    }

    pub(super) fn level(&self) -> EventLevel {
        match self {
            Self::Requested(_) | Self::Replied(_) | Self::Intervened(_) => EventLevel::Info,
        }
    }

    pub(super) fn summary(&self) -> String {
        match self {
            // Nothing is asked.
            Self::Requested(request) if request.only_waits() => one_line(&request.prompt),
            Self::Requested(request) => {
                let by = if request.by == AgentName::system() { "Amelia" } else { request.by.as_str() };
                format!("{by} asks ({}): {}", request.topic(), one_line(&request.prompt))
            }
            Self::Replied(reply) => reply.summary(false),
            Self::Intervened(Intervention { by, details, kind, .. }) => {
                let by = by.as_deref().unwrap_or("a person");
                match details.get("message").and_then(serde_json::Value::as_str) {
                    Some(message) => format!("{by} said: {}", one_line(message)),
                    None => format!("{by} intervened ({})", kind.words()),
                }
            }
        }
    }
}
