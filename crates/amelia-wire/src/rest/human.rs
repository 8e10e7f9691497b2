//! Questions to people, and their answers, over HTTP.

use amelia_core::human::{HumanAction, HumanReply, HumanRequest, OnTimeout};
use amelia_core::id::RequestId;
use amelia_core::view::RunRow;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::why::word;

/// `POST …/approve`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct Approve {
    pub feedback: Option<String>,
    /// The plan as it shall be, in Markdown; the one that was shown when absent.
    pub plan: Option<String>,
}

impl Approve {
    #[must_use]
    pub fn reply(self, request: RequestId, at: Timestamp) -> HumanReply {
        let action = if self.plan.is_some() { HumanAction::Modify } else { HumanAction::Approve };
        let updates = self.plan.map(|plan| json!({"plan": plan}));
        HumanReply { request, action, at, by: None, message: self.feedback, updates }
    }
}

/// `POST …/reject`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct Reject {
    pub feedback: String,
}

/// `POST …/replan`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct Replan {
    pub feedback: Option<String>,
}

/// `POST …/plan`: this plan instead. It is the answer to the question for approval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct NewPlan {
    /// Markdown.
    pub plan: String,
    #[serde(default)]
    pub feedback: Option<String>,
}

/// `POST …/hitl/{request_id}/respond`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct Respond {
    pub response_type: ResponseType,
    /// What the person changed.
    #[serde(default)]
    pub response_data: Option<Value>,
    #[serde(default)]
    pub message: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ResponseType {
    Approved,
    Rejected,
    Modified,
}

impl Respond {
    #[must_use]
    pub fn reply(self, request: RequestId, at: Timestamp) -> HumanReply {
        let action = match self.response_type {
            ResponseType::Approved => HumanAction::Approve,
            ResponseType::Rejected => HumanAction::Reject,
            ResponseType::Modified => HumanAction::Modify,
        };
        HumanReply { request, action, at, by: None, message: self.message, updates: self.response_data }
    }
}

/// A question without an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Pending {
    pub request_id: Uuid,
    pub workflow_id: Uuid,
    /// What people call the run: `r12`.
    pub short_id: String,
    /// Of the run.
    pub title: String,
    pub kind: String,
    pub agent: String,
    pub prompt: String,
    pub context: Value,
    pub requested_at: Timestamp,
    #[schema(required)]
    pub deadline: Option<Timestamp>,
    /// What silence until the deadline means.
    #[schema(value_type = String)]
    pub on_timeout: OnTimeout,
}

impl Pending {
    #[must_use]
    pub fn new(row: &RunRow, request: &HumanRequest) -> Self {
        Self {
            request_id: request.id.0,
            workflow_id: row.run.id.0,
            short_id: row.run.number.to_string(),
            title: row.run.spec.title.clone(),
            kind: word(request.kind).to_owned(),
            agent: request.by.to_string(),
            prompt: request.prompt.clone(),
            context: request.context.clone(),
            requested_at: request.at,
            deadline: request.deadline,
            on_timeout: request.on_timeout,
        }
    }

    /// Everything that a run asks.
    pub fn of(row: &RunRow) -> impl Iterator<Item = Self> {
        row.view.pending.iter().map(move |request| Self::new(row, request))
    }
}
