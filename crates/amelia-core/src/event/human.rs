//! People are asked, answer, and step in.

use serde::{Deserialize, Serialize};

use super::EventLevel;
use crate::human::{HumanAction, HumanReply, HumanRequest};
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum InterventionKind {
    Instruction,
    PlanUpdate,
    AgentOverride,
    TeamModification,
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
            Self::Requested(request) => {
                let by = if request.by == AgentName::system() { "Amelia" } else { request.by.as_str() };
                format!("{by} asks ({}): {}", request.kind, one_line(&request.prompt))
            }
            Self::Replied(reply) => {
                let action = match reply.action {
                    HumanAction::Approve if reply.is_automatic() => "approved automatically (--auto)",
                    HumanAction::Approve => "approved",
                    HumanAction::Reject => "rejected",
                    HumanAction::Modify => "modified",
                    HumanAction::TimedOut => "no answer came in time",
                };
                match &reply.message {
                    Some(message) => format!("{action}: {}", one_line(message)),
                    None => action.to_owned(),
                }
            }
            Self::Intervened(Intervention { by, details, .. }) => {
                let by = by.as_deref().unwrap_or("a person");
                match details.get("message").and_then(serde_json::Value::as_str) {
                    Some(message) => format!("{by} said: {}", one_line(message)),
                    None => format!("{by} intervened"),
                }
            }
        }
    }
}
