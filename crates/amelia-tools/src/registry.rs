//! All tools a role has, behind the port: validates, times out, survives a tool that breaks, and bounds what comes back.
//!
//! Does not decide whether a call is allowed and does not record it: wrappers do.

mod arguments;

#[cfg(test)]
mod tests;

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use amelia_core::text::capped;
use amelia_core::tool::{
    Risk, Tool, ToolBox, ToolCall, ToolCx, ToolName, ToolOutput, ToolResult, ToolSpec, WorkArea,
};
use amelia_core::tool_failure::{RetryableFailure, ToolFailure};
use async_trait::async_trait;
use futures_util::FutureExt as _;
use jsonschema::Validator;

use crate::near::near;

/// Bytes of a tool's output that a model gets to see.
pub const DEFAULT_OUTPUT_CAP: usize = 30_000;
/// What a tool that has to stop may still take to say what it knows.
const GRACE: Duration = Duration::from_secs(5);
/// Longer than any call; keeps a timer's arithmetic safe from absurd wishes.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 3600);

/// A tool that cannot be offered.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BadTool {
    #[error("two tools are called `{0}`")]
    Twice(ToolName),
    #[error("the input schema of tool `{tool}` is not valid: {reason}")]
    Schema { tool: ToolName, reason: String },
}

/// Whether a tool can be offered.
pub fn check_schema(spec: &ToolSpec) -> Result<(), BadTool> {
    validator(spec).map(drop)
}

fn validator(spec: &ToolSpec) -> Result<Validator, BadTool> {
    jsonschema::validator_for(&spec.input_schema)
        .map_err(|error| BadTool::Schema { tool: spec.name.clone(), reason: error.to_string() })
}

/// A role's tools.
pub struct Tools {
    entries: Vec<Entry>,
    output_cap: usize,
    work_area: Option<WorkArea>,
}

struct Entry {
    tool: Arc<dyn Tool>,
    arguments: Validator,
    /// For results that are data. A schema of a server that cannot be used says nothing.
    result: Option<Validator>,
}

impl Tools {
    /// Tools by the order in which a model sees them.
    pub fn new(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Result<Self, BadTool> {
        let mut entries: Vec<Entry> = Vec::new();
        for tool in tools {
            let spec = tool.spec();
            if entries.iter().any(|entry| entry.tool.spec().name == spec.name) {
                return Err(BadTool::Twice(spec.name.clone()));
            }
            let arguments = validator(spec)?;
            let result = spec.output_schema.as_ref();
            let result = result.and_then(|schema| jsonschema::validator_for(schema).ok());
            entries.push(Entry { tool, arguments, result });
        }
        Ok(Self { entries, output_cap: DEFAULT_OUTPUT_CAP, work_area: None })
    }

    /// Where they work, and what may be done there.
    #[must_use]
    pub fn on(self, work_area: WorkArea) -> Self {
        Self { work_area: Some(work_area), ..self }
    }

    /// What a tool can do to the world; nothing for a tool that is not here.
    #[must_use]
    pub fn risk_of(&self, name: &ToolName) -> Option<Risk> {
        self.find(name).map(|entry| entry.tool.spec().risk)
    }

    fn find(&self, name: &ToolName) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.tool.spec().name == *name)
    }

    fn unknown(&self, name: &ToolName) -> ToolOutput {
        let names: Vec<String> =
            self.entries.iter().map(|entry| entry.tool.spec().name.to_string()).collect();
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        let asked = capped(&name.to_string(), 100);
        let near = near(&asked, &all);
        let hint = if near.is_empty() {
            format!("there are: {}", all.join(", "))
        } else {
            format!("did you mean {}?", near.join(" or "))
        };
        invalid(format!("there is no tool `{asked}`; {hint}"))
    }
}

#[async_trait]
impl ToolBox for Tools {
    fn work_area(&self) -> Option<WorkArea> {
        self.work_area.clone()
    }

    fn specs(&self) -> Vec<ToolSpec> {
        self.entries.iter().map(|entry| entry.tool.spec().clone()).collect()
    }

    async fn call(&self, cx: &ToolCx, call: &ToolCall) -> ToolResult {
        let started = Instant::now();
        let output = match self.find(&call.tool) {
            None => self.unknown(&call.tool),
            Some(entry) => match arguments::problems(&entry.arguments, entry.tool.spec(), &call.args) {
                Some(problems) => invalid(problems),
                None => entry.checked(entry.run(cx, call).await),
            },
        };
        ToolResult {
            call: call.id.clone(),
            tool: call.tool.clone(),
            output: capped(&output.output, self.output_cap),
            error: output.error.map(|error| capped(&error, self.output_cap)),
            exit_code: output.exit_code,
            artifacts: output.artifacts,
            images: output.images,
            duration_ms: Some(started.elapsed().as_millis().try_into().unwrap_or(u64::MAX)),
            resources: None,
            failure: output.failure,
        }
    }
}

impl Entry {
    /// A result that is not what the tool promises is an error. The call was made.
    fn checked(&self, output: ToolOutput) -> ToolOutput {
        let problems = match (&self.result, &output.structured) {
            (Some(validator), Some(value)) if output.error.is_none() => {
                arguments::result_problems(validator, self.tool.spec(), value)
            }
            _ => None,
        };
        match problems {
            Some(error) => ToolOutput { error: Some(error), failure: Some(ToolFailure::Failed), ..output },
            None => output,
        }
    }

    async fn run(&self, cx: &ToolCx, call: &ToolCall) -> ToolOutput {
        let spec = self.tool.spec();
        let seconds = call.options.timeout_seconds.unwrap_or(spec.timeout_seconds).max(1);
        let inner = ToolCx { cancel: cx.cancel.child_token(), ..cx.clone() };
        let work = AssertUnwindSafe(self.tool.call(&inner, &call.args)).catch_unwind();
        let mut work = std::pin::pin!(work);
        let stopped = tokio::select! {
            biased;
            () = cx.cancel.cancelled() => ("cancelled".to_owned(), ToolFailure::Failed),
            done = &mut work => return done.unwrap_or_else(|cause| broke(spec, cause.as_ref())),
            () = tokio::time::sleep(Duration::from_secs(seconds).min(LONGEST)) => {
                (format!("timed out after {seconds} s"), ToolFailure::MayPass(RetryableFailure::Timeout))
            }
        };
        let (stopped, failure) = stopped;
        inner.cancel.cancel();
        match tokio::time::timeout(GRACE, work).await {
            Ok(Ok(output)) => ToolOutput { error: Some(stopped), failure: Some(failure), ..output },
            Ok(Err(cause)) => broke(spec, cause.as_ref()),
            Err(_) => ToolOutput { failure: Some(failure), ..ToolOutput::failed(stopped) },
        }
    }
}

/// Nothing was done.
fn invalid(problem: String) -> ToolOutput {
    ToolOutput { failure: Some(ToolFailure::InvalidCall), ..ToolOutput::failed(problem) }
}

fn broke(spec: &ToolSpec, cause: &(dyn Any + Send)) -> ToolOutput {
    let text = cause.downcast_ref::<String>().map(String::as_str);
    let reason = text.or_else(|| cause.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
    ToolOutput::failed(format!(
        "tool `{}` broke ({reason}); its outcome is unknown, check before repeating",
        spec.name
    ))
}
