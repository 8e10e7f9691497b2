//! Questions to people, and their answers, over HTTP.

use amelia_core::human::{AUTOMATIC, HumanAction, HumanReply, HumanRequest, OnTimeout, WAIT, WaitMode};
use amelia_core::id::RequestId;
use amelia_core::permission::{GrantDuration, PermissionGrant};
use amelia_core::problem::Problem;
use amelia_core::view::RunRow;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::silence::silence;
use super::why::word;
use crate::agentx::plan::PlanDocument;

/// `POST …/approve`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct Approve {
    pub feedback: Option<String>,
    /// Replaces the plan before it is approved, in Markdown. Default: the plan as shown.
    pub plan: Option<String>,
    /// How long a tool call is allowed. Default: once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant: Option<GrantChoice>,
}

/// How long a tool call is allowed, and which later calls then need no approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct GrantChoice {
    pub lasts: AllowedFor,
    /// `Edit`, `Bash(git status)` or `Bash(cargo test*)`. Default: the narrowest rule that matches the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AllowedFor {
    /// Only this call.
    Once,
    /// Every call of this agent in this run that matches the rule.
    Run,
    /// The same, and the rule is added to the agent in the profile.
    Always,
}

impl GrantChoice {
    /// What is granted with the answer to `request`; nothing when it is allowed once.
    pub fn granted(&self, request: &HumanRequest) -> Result<Option<PermissionGrant>, Problem> {
        let lasts = match self.lasts {
            AllowedFor::Run => GrantDuration::Run,
            AllowedFor::Always => GrantDuration::Always,
            AllowedFor::Once if self.rule.is_none() && request.asked_call().is_some() => return Ok(None),
            AllowedFor::Once if self.rule.is_none() => {
                return Err(Problem::new("only a question about a tool call can be answered with a grant"));
            }
            AllowedFor::Once => {
                return Err(Problem::new("a call that is allowed once needs no rule"));
            }
        };
        request.grant(lasts, self.rule.as_deref()).map(Some)
    }
}

impl Approve {
    #[must_use]
    pub fn reply(self, request: RequestId, at: Timestamp) -> HumanReply {
        let action = if self.plan.is_some() { HumanAction::Modify } else { HumanAction::Approve };
        let updates = self.plan.map(|plan| json!({"plan": plan}));
        HumanReply { request, action, at, by: None, message: self.feedback, updates, grant: None }
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

/// `POST …/plan`: for a run of a team, or for another run.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum PlanReplacement {
    Team(PlanDocument),
    Other(NewPlan),
}

/// `POST …/plan`: replaces the plan that waits for approval, and approves it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct NewPlan {
    /// Markdown.
    pub plan: String,
    #[serde(default)]
    pub feedback: Option<String>,
}

/// `POST …/hitl/{request_id}/respond`. `{action, message, state_updates}` is accepted as well.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct Respond {
    #[serde(alias = "action")]
    pub response_type: ResponseType,
    /// The person's changes.
    #[serde(default, alias = "state_updates")]
    pub response_data: Option<Value>,
    #[serde(default)]
    pub message: Option<String>,
    /// With `approved`: how long a tool call is allowed. Default: once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<GrantChoice>,
    /// A program has answered, because a person told it to approve everything. The log says so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub automatic: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ResponseType {
    #[serde(alias = "approve")]
    Approved,
    #[serde(alias = "reject")]
    Rejected,
    #[serde(alias = "modify")]
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
        let (message, updates) = (self.message, self.response_data);
        let by = self.automatic.then(|| AUTOMATIC.to_owned());
        HumanReply { request, action, at, by, message, updates, grant: None }
    }
}

/// An open question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Pending {
    pub request_id: Uuid,
    pub workflow_id: Uuid,
    /// Short id of the run, such as `r12`.
    pub short_id: String,
    /// Title of the run.
    pub title: String,
    pub kind: String,
    pub agent: String,
    pub prompt: String,
    pub context: Value,
    /// Whether the work can be accepted as it is.
    pub can_accept: bool,
    /// Whether `POST …/checks-from-profile`, followed by an approval, can resolve it.
    pub about_checks: bool,
    /// Whether a tool call that it asks about can be allowed in later runs, too: the run has a profile.
    #[serde(default)]
    pub can_allow_always: bool,
    pub requested_at: Timestamp,
    #[schema(required)]
    pub deadline: Option<Timestamp>,
    /// What happens if there is no answer before the deadline: `reject`, `approve` or `escalate`.
    #[schema(value_type = String)]
    pub on_timeout: OnTimeout,
    /// What waits for the answer to a tool of a team: the run (`synchronous`), its agent (`asynchronous`) or nothing (`advisory`).
    #[schema(required, value_type = Option<String>)]
    pub mode: Option<WaitMode>,
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
            can_accept: request.can_accept(),
            about_checks: request.is_about_checks(),
            can_allow_always: request.asked_call().is_some() && row.run.spec.profile.is_some(),
            requested_at: request.at,
            deadline: request.deadline,
            on_timeout: request.on_timeout,
            mode: request.mode,
        }
    }

    /// What happens without an answer, and who waits for one, in a few words; nothing when the run waits for as long as it takes.
    #[must_use]
    pub fn silence(&self) -> Option<String> {
        let is_wait = self.context.get(WAIT).is_some();
        silence(self.mode, self.deadline.filter(|_| !is_wait), self.on_timeout)
    }

    /// Everything that a run asks.
    pub fn of(row: &RunRow) -> impl Iterator<Item = Self> {
        row.view.pending.iter().map(move |request| Self::new(row, request))
    }
}
