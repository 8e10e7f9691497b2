//! `edit_file`: exact replacements in one file, all of them or none.

use std::sync::Arc;

use amelia_core::message::Object;
use amelia_core::tool::{Risk, Tool, ToolCx, ToolOutput, ToolSpec};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::json;

use super::{blocking, parsed, text_of};
use crate::confine::Root;
use crate::edit::{self, Replacement};
use crate::line_diff;

pub struct EditFile {
    spec: ToolSpec,
    root: Arc<Root>,
}

#[derive(Deserialize)]
struct Args {
    path: String,
    edits: Vec<Replacement>,
}

impl EditFile {
    #[must_use]
    pub fn new(root: Arc<Root>) -> Self {
        let edit = json!({
            "type": "object",
            "properties": {
                "old": {"type": "string", "minLength": 1, "description": "text as it is in the file, without line numbers"},
                "new": {"type": "string", "description": "text to put in its place"},
                "all": {"type": "boolean", "description": "replace every occurrence; otherwise there must be exactly one"},
            },
            "required": ["old", "new"],
            "additionalProperties": false,
        });
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "file, relative to the worktree"},
                "edits": {"type": "array", "minItems": 1, "items": edit, "description": "applied in order"},
            },
            "required": ["path", "edits"],
            "additionalProperties": false,
        });
        let text = "Replace exact pieces of text in a file. Either all edits are made or none.";
        Self { spec: ToolSpec::builtin("edit_file", text, Risk::Write, schema), root }
    }
}

#[async_trait]
impl Tool for EditFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, _: &ToolCx, args: &Object) -> ToolOutput {
        let args: Args = match parsed(args) {
            Ok(args) => args,
            Err(output) => return output,
        };
        let root = Arc::clone(&self.root);
        blocking(move || {
            let before = text_of(&root, &args.path)?;
            let after = edit::apply(&before, &args.edits)
                .map_err(|problems| format!("`{}` was not changed:\n{}", args.path, problems.join("\n")))?;
            let written = root.write(&args.path, after.as_bytes()).map_err(|refusal| refusal.to_string())?;
            let path = written.path.to_string();
            let diff = line_diff::unified(&path, &before, &after);
            Ok(ToolOutput { artifacts: vec![path], ..ToolOutput::done(diff) })
        })
        .await
    }
}
