//! `apply_patch`: a patch over any number of files, all of it or nothing.

mod plan;

use std::sync::Arc;

use amelia_core::message::Object;
use amelia_core::tool::{Risk, Tool, ToolCx, ToolOutput, ToolSpec};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::json;

use super::{blocking, parsed};
use crate::confine::Root;
use crate::patch;

pub struct ApplyPatch {
    spec: ToolSpec,
    root: Arc<Root>,
}

#[derive(Deserialize)]
struct Args {
    patch: String,
}

impl ApplyPatch {
    #[must_use]
    pub fn new(root: Arc<Root>) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {"patch": {"type": "string", "minLength": 1}},
            "required": ["patch"],
            "additionalProperties": false,
        });
        let text = "Apply a patch to files of the worktree: a unified diff (`--- a/path`, `+++ b/path`, `@@ -1,2 +1,3 @@`), \
                    or `*** Begin Patch` … `*** End Patch` with `*** Update File:`, `*** Add File:`, `*** Delete File:`, \
                    `*** Move to:`, hunks that begin with `@@`, and lines that begin with a space, `-` or `+`. Either all of it is applied or nothing.";
        Self { spec: ToolSpec::builtin("apply_patch", text, Risk::Write, schema), root }
    }
}

#[async_trait]
impl Tool for ApplyPatch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, _: &ToolCx, args: &Object) -> ToolOutput {
        let args: Args = match parsed(args) {
            Ok(args) => args,
            Err(output) => return output,
        };
        let root = Arc::clone(&self.root);
        blocking(move || apply(&root, &args.patch)).await
    }
}

fn apply(root: &Root, text: &str) -> Result<ToolOutput, String> {
    let changes = patch::parse(text).map_err(|problem| format!("nothing was changed: {problem}"))?;
    let steps = plan::plan(root, &changes).map_err(|problems| {
        format!("nothing was changed: the patch does not apply\n{}", problems.join("\n"))
    })?;
    plan::carry_out(root, &steps)?;
    let lines: Vec<String> = steps.iter().map(ToString::to_string).collect();
    let artifacts = steps.iter().map(|step| step.path().to_owned()).collect();
    Ok(ToolOutput { artifacts, ..ToolOutput::done(lines.join("\n")) })
}
