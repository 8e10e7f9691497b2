//! Tools by which a role hands in its result: `write_plan`, `submit_review`, … What fits ends the conversation; what
//! does not is refused with the place of the mistake, and the model tries again.

use std::fmt;
use std::sync::Arc;

use amelia_core::driver::AnswerShape;
use amelia_core::message::Object;
use amelia_core::tool::{Risk, ToolCall, ToolResult, ToolSpec};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Says what is wrong with what was handed in.
type Check = Arc<dyn Fn(&Object) -> Result<(), String> + Send + Sync>;

/// A result that is wanted, and the tool for it.
#[derive(Clone)]
pub struct HandIn {
    spec: ToolSpec,
    check: Check,
}

impl fmt::Debug for HandIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HandIn({})", self.spec.name)
    }
}

impl HandIn {
    /// A tool whose arguments are a `T` that `judge` finds nothing wrong with.
    pub fn of<T: DeserializeOwned + JsonSchema>(
        name: &str,
        description: &str,
        judge: impl Fn(&T) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        let check = move |args: &Object| read::<T>(args).and_then(|value| judge(&value));
        let schema = schemars::schema_for!(T).to_value();
        let spec = ToolSpec::builtin(name, description, Risk::Read, schema);
        Self { spec, check: Arc::new(check) }
    }

    /// The tool's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.spec.name.name
    }

    pub(crate) fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// The same result as the shape of an answer, for a model that does not call the tool. Only a wish: what it says
    /// otherwise may be of use. Its own name: some wires give the shape of an answer as a tool.
    #[must_use]
    pub fn answer(&self) -> AnswerShape {
        let name = format!("{}_arguments", self.name());
        AnswerShape { name, schema: self.spec.input_schema.clone(), is_binding: false }
    }

    /// What is wrong with a result.
    pub(crate) fn check(&self, args: &Object) -> Result<(), String> {
        (self.check)(args)
    }

    /// The answer to the model.
    pub(crate) fn take(&self, call: &ToolCall) -> ToolResult {
        let (output, error) = match self.check(&call.args) {
            Ok(()) => ("accepted".to_owned(), None),
            Err(problem) => {
                (String::new(), Some(format!("not accepted: {problem}; call {} again", self.name())))
            }
        };
        ToolResult { output, error, ..ToolResult::interrupted(call) }
    }
}

/// A result that was only said: JSON and nothing else. Fences around it are forgiven.
#[must_use]
pub fn said(text: &str) -> Option<Object> {
    let text = text.trim();
    let bare = text.strip_prefix("```json").or_else(|| text.strip_prefix("```")).unwrap_or(text);
    serde_json::from_str(bare.trim_end_matches("```").trim()).ok()
}

/// What was handed in, as a value.
pub fn read<T: DeserializeOwned>(args: &Object) -> Result<T, String> {
    serde_path_to_error::deserialize(Value::Object(args.clone())).map_err(|error| {
        match error.path().to_string() {
            path if path == "." => error.inner().to_string(),
            path => format!("{path}: {}", error.inner()),
        }
    })
}

#[cfg(test)]
#[path = "handing_in_tests.rs"]
mod tests;
