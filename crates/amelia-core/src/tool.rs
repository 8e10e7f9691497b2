//! The ports through which tools are called, and what an agent knows about them.

mod layer;

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::elicitation::{Elicitation, Elicited};
use crate::event::EventKind;
use crate::message::{GuardrailPart, Message, Part};
use crate::object::Object;
use crate::rights::{ListedRights, Rights};
use crate::sampling::Sampler;
use crate::tool_failure::ToolFailure;

pub use layer::ToolLayer;

pub use crate::tool_call::{
    CallOptions, DEFAULT_TIMEOUT, ResultImage, Risk, ToolCall, ToolName, ToolResult, ToolSpec, UNPARSED,
};

/// One tool: its spec and its execution in one object.
#[async_trait]
pub trait Tool: Send + Sync {
    /// What is offered to the model.
    fn spec(&self) -> &ToolSpec;

    /// Does it. The arguments have been validated against the schema. Failure is an output: the model reads it.
    async fn call(&self, cx: &ToolCx, args: &Object) -> ToolOutput;
}

/// All tools that a role has. Validates, times out, and names what it does not know; wrappers record and guard.
#[async_trait]
pub trait ToolBox: Send + Sync {
    /// What is offered to the model.
    fn specs(&self) -> Vec<ToolSpec>;

    /// Runs one call. Never fails otherwise than by a result that says so.
    async fn call(&self, cx: &ToolCx, call: &ToolCall) -> ToolResult;

    /// Whether a call is carried out. Otherwise it only returns what it returned when it was recorded.
    fn is_real(&self) -> bool {
        true
    }

    /// Where the tools work: agents that bring tools of their own work there too.
    fn work_area(&self) -> Option<WorkArea> {
        None
    }

    /// Facts about files of the ground that came, changed or went since this was last asked; the first time it only
    /// looks. `moment` names when it is asked, so that a recording can answer it again.
    async fn file_events(&self, moment: &str) -> Vec<EventKind> {
        let _ = moment;
        Vec::new()
    }

    /// Whether a call of this tool may be made again when it is unknown whether it happened, although it writes: the second
    /// one changes nothing.
    fn may_repeat(&self, tool: &ToolName) -> bool {
        let _ = tool;
        false
    }

    /// What is offered beside the tools of the ground: to agents that bring tools of their own.
    fn extras(&self) -> Vec<ToolSpec> {
        Vec::new()
    }

    /// Whether an agent may make a call with a tool of its own. Does not return when a person has to be asked: the
    /// conversation ends then, and continues with their answer.
    async fn permit(&self, call: &ToolCall, risk: Risk) -> ToolPermission {
        let _ = (call, risk);
        ToolPermission::Deny { message: "there is no person to allow it".to_owned() }
    }

    /// What is offered from now on, if it may be something else than [`ToolBox::specs`]: what servers have now, or what they
    /// had in a recording. Asked between two turns of an agent.
    async fn refresh(&self, recorded: Option<&[ToolSpec]>) -> Option<Vec<ToolSpec>> {
        let _ = recorded;
        None
    }

    /// What becomes of an answer of a model before anyone sees it.
    async fn judge(&self, parts: Vec<Part>) -> JudgedAnswer {
        JudgedAnswer::Accepted(parts)
    }

    /// Returns when the model may be asked next. Never, when the run stops here first.
    async fn before_turn(&self) {}

    /// What a person says to the agent in the middle of its work, when they do.
    async fn heard(&self) -> Message {
        std::future::pending().await
    }
}

/// An answer that guardrails have looked at.
#[derive(Debug, Clone, PartialEq)]
pub enum JudgedAnswer {
    /// Perhaps with something replaced in it.
    Accepted(Vec<Part>),
    /// The model learns why, and is asked again.
    TakenBack { policy: String, message: String, part: GuardrailPart },
}

/// Where an agent works, and what it may do there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkArea {
    pub path: PathBuf,
    pub rights: Rights,
    /// What a list of tools leaves to the tools that an agent brings itself; without a list, its rights alone decide.
    pub listed: Option<ListedRights>,
}

impl WorkArea {
    #[must_use]
    pub fn new(path: PathBuf, rights: Rights) -> Self {
        Self { path, rights, listed: None }
    }

    /// Whether an agent may do something of this risk here with a tool of its own.
    #[must_use]
    pub fn allows(&self, risk: Risk) -> bool {
        let by_rights = match self.rights {
            Rights::Read => risk == Risk::Read,
            Rights::Work => true,
        };
        by_rights && self.listed.is_none_or(|listed| listed.allows(risk))
    }
}

/// The answer to an agent that wants to use a tool of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolPermission {
    /// Perhaps with other arguments.
    Allow { args: Option<Object> },
    /// The model learns why.
    Deny { message: String },
}

/// What a tool may use while it works.
#[derive(Clone)]
pub struct ToolCx {
    /// Fires when the run is cancelled or the call has timed out.
    pub cancel: CancellationToken,
    /// Output as it comes, for people to watch. Never stored.
    pub progress: Arc<dyn Fn(&str) + Send + Sync>,
    /// What comes of a question to a person that a server asks in the middle of the call.
    pub elicit: Elicit,
    /// Answers a server that asks for an answer of a model. `None` where there is no model to ask.
    pub sampler: Option<Arc<dyn Sampler>>,
    /// Keeps what is no text with the run. `None` outside of runs.
    pub keep: Option<KeepFile>,
}

/// A part of a result that no model reads as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultFile<'a> {
    /// As its maker says; it may be anything.
    pub media_type: &'a str,
    pub data: &'a [u8],
}

/// Keeps a file and says its name, or why it is not kept.
pub type KeepFile = Arc<dyn Fn(ResultFile<'_>) -> Result<String, String> + Send + Sync>;

/// Answers a question of a server at once: nothing waits for a person inside a call.
pub type Elicit = Arc<dyn Fn(&Elicitation) -> Elicited + Send + Sync>;

impl Default for ToolCx {
    fn default() -> Self {
        let elicit: Elicit = Arc::new(|_| Elicited::Declined("there is no person to ask".to_owned()));
        let (cancel, progress) = (CancellationToken::new(), Arc::new(|_: &str| {}));
        Self { cancel, progress, elicit, sampler: None, keep: None }
    }
}

/// What a tool has to say.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolOutput {
    pub output: String,
    /// Set when it did not do what it was asked: says why, and what to do instead.
    pub error: Option<String>,
    pub exit_code: Option<i32>,
    /// Paths that were written, relative to the worktree; and what was kept with the run, as `results/NAME`.
    pub artifacts: Vec<String>,
    /// Those that are shown to a model that takes images.
    pub images: Vec<ResultImage>,
    /// Why it failed, if the tool knows.
    pub failure: Option<ToolFailure>,
    /// The result as data, which must match the output schema of the tool.
    pub structured: Option<Box<Value>>,
}

impl ToolOutput {
    /// It went well.
    #[must_use]
    pub fn done(output: impl Into<String>) -> Self {
        Self { output: output.into(), ..Self::default() }
    }

    /// It did not, and this is what the model should know.
    #[must_use]
    pub fn failed(error: impl Into<String>) -> Self {
        Self { error: Some(error.into()), ..Self::default() }
    }
}
