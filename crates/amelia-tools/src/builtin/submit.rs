//! Tools by which a role hands in its result: `task_done`, `submit_review`, … Made from a name and a schema.
//!
//! Handing in changes nothing in the world, so read-only roles may have one and it may be repeated.

use std::sync::{Arc, Mutex, PoisonError};

use amelia_core::message::Object;
use amelia_core::tool::{Risk, Tool, ToolCx, ToolOutput, ToolSpec};
use async_trait::async_trait;
use serde_json::Value;

use super::spec;

/// Takes what was handed in; the text, good or bad, is the model's to read.
pub type Accept = Arc<dyn Fn(&Object) -> Result<String, String> + Send + Sync>;

/// The last thing handed in.
#[derive(Debug, Clone, Default)]
pub struct Submitted(Arc<Mutex<Option<Object>>>);

impl Submitted {
    /// Takes it out.
    #[must_use]
    pub fn take(&self) -> Option<Object> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn put(&self, args: &Object) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(args.clone());
    }
}

/// A tool that only takes its arguments.
pub struct Submit {
    spec: ToolSpec,
    accept: Accept,
}

impl Submit {
    /// With a check of its own on top of the schema.
    #[must_use]
    pub fn new(name: &str, description: &str, schema: Value, accept: Accept) -> Self {
        Self { spec: spec(name, description, Risk::Read, schema), accept }
    }

    /// Keeps what fits the schema; the later one counts.
    #[must_use]
    pub fn kept(name: &str, description: &str, schema: Value) -> (Self, Submitted) {
        let submitted = Submitted::default();
        let cell = submitted.clone();
        let accept: Accept = Arc::new(move |args| {
            cell.put(args);
            Ok("accepted".to_owned())
        });
        (Self::new(name, description, schema, accept), submitted)
    }
}

#[async_trait]
impl Tool for Submit {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, _: &ToolCx, args: &Object) -> ToolOutput {
        match (self.accept)(args) {
            Ok(answer) => ToolOutput::done(answer),
            Err(problem) => ToolOutput::failed(problem),
        }
    }
}
