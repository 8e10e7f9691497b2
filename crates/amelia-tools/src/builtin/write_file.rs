//! `write_file`: a file with this content, made or replaced. Only line ends stay as they were.

use std::sync::Arc;

use amelia_core::message::Object;
use amelia_core::tool::{Risk, Tool, ToolCx, ToolOutput, ToolSpec};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::json;

use super::{blocking, parsed, text_of};
use crate::confine::Root;
use crate::line_ends;

pub struct WriteFile {
    spec: ToolSpec,
    root: Arc<Root>,
}

#[derive(Deserialize)]
struct Args {
    path: String,
    content: String,
}

impl WriteFile {
    #[must_use]
    pub fn new(root: Arc<Root>) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "file, relative to the worktree"},
                "content": {"type": "string", "description": "the whole content"},
            },
            "required": ["path", "content"],
            "additionalProperties": false,
        });
        let text = "Create a file, or replace all of its content. Missing directories are created, and line endings of an \
                    existing file are kept.";
        Self { spec: ToolSpec::builtin("write_file", text, Risk::Write, schema), root }
    }
}

#[async_trait]
impl Tool for WriteFile {
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
            // A file that cannot be read as text has no line ends to keep.
            let before = text_of(&root, &args.path).unwrap_or_default();
            let content = line_ends::like(&before, &args.content);
            let written =
                root.write(&args.path, content.as_bytes()).map_err(|refusal| refusal.to_string())?;
            let path = written.path.to_string();
            let what = if written.is_new { "created" } else { "replaced" };
            let output = ToolOutput::done(format!("{what} `{path}`, {} bytes", content.len()));
            Ok(ToolOutput { artifacts: vec![path], ..output })
        })
        .await
    }
}
