//! A question to a person, and the answer. Waiting is a value: nothing blocks while a person thinks.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::id::{AgentName, RequestId};

/// A question to a person. Its id is the address of the reply: parallel requests never mix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct HumanRequest {
    pub id: RequestId,
    pub kind: HumanKind,
    pub by: AgentName,
    pub at: Timestamp,
    pub prompt: String,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub context: Value,
    /// When set, silence until then is an answer too: the one in `on_timeout`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "OnTimeout::is_default")]
    pub on_timeout: OnTimeout,
}

/// What is asked, which is also why a run waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum HumanKind {
    /// A decision that the graph asks for: a plan, a permission.
    Approval,
    /// An agent wants to know something.
    Question,
    /// An agent cannot go on without help.
    Escalation,
    /// A breakpoint was reached.
    Breakpoint,
    /// Step mode: one turn is done.
    Step,
    /// A person said `pause`.
    Pause,
    /// The graph's step limit was reached.
    StepLimit,
    /// A limit in money, tokens, calls or time was reached.
    Budget,
    /// The provider's usage limit holds the account.
    Quota,
    /// Review rounds or plan revisions are used up.
    Rounds,
}

impl HumanKind {
    /// Asked by the graph or an agent, and so answered to the node that asked; all others are stops
    /// that the engine itself makes.
    #[must_use]
    pub fn is_asked_by_node(self) -> bool {
        match self {
            Self::Approval | Self::Question | Self::Escalation | Self::Rounds => true,
            Self::Breakpoint | Self::Step | Self::Pause | Self::StepLimit | Self::Budget | Self::Quota => {
                false
            }
        }
    }
}

impl fmt::Display for HumanKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Approval => "approval",
            Self::Question => "question",
            Self::Escalation => "escalation",
            Self::Breakpoint => "breakpoint",
            Self::Step => "step mode",
            Self::Pause => "paused",
            Self::StepLimit => "step limit",
            Self::Budget => "budget",
            Self::Quota => "quota",
            Self::Rounds => "rounds used up",
        })
    }
}

/// What silence until the deadline means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum OnTimeout {
    #[default]
    Reject,
    Approve,
    Escalate,
}

impl OnTimeout {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The answer to one request. The first one counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct HumanReply {
    pub request: RequestId,
    pub action: HumanAction,
    pub at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Changes the person made: to the plan, to the state, to the arguments of a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updates: Option<Value>,
}

impl HumanReply {
    /// Lets a run go on from a stop of the engine.
    #[must_use]
    pub fn go_on(request: RequestId, at: Timestamp) -> Self {
        Self { request, action: HumanAction::Approve, at, by: None, message: None, updates: None }
    }

    /// The same for one node; then it stops again.
    #[must_use]
    pub fn one_step(request: RequestId, at: Timestamp) -> Self {
        Self { updates: Some(json!({"then": "step"})), ..Self::go_on(request, at) }
    }

    /// Whether a run that goes on with it stops again after one node.
    #[must_use]
    pub fn is_one_step(&self) -> bool {
        self.updates.as_ref().is_some_and(|updates| updates.get("then").is_some_and(|then| then == "step"))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum HumanAction {
    Approve,
    Reject,
    Modify,
    /// Nobody answered in time; `on_timeout` of the request decides.
    TimedOut,
}

/// A request together with its answer, on the way to the node that asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct AnsweredRequest {
    pub request: HumanRequest,
    pub reply: HumanReply,
}

impl AnsweredRequest {
    /// The person said yes, or changed something and said yes, or silence means yes.
    #[must_use]
    pub fn is_approval(&self) -> bool {
        match self.reply.action {
            HumanAction::Approve | HumanAction::Modify => true,
            HumanAction::Reject => false,
            HumanAction::TimedOut => self.request.on_timeout == OnTimeout::Approve,
        }
    }
}
