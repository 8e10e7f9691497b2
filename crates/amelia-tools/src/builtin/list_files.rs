//! `list_files`: names of files by glob, without what git ignores.

use std::sync::Arc;

use amelia_core::message::Object;
use amelia_core::tool::{Risk, Tool, ToolCx, ToolOutput, ToolSpec};
use async_trait::async_trait;
use globset::{GlobBuilder, GlobMatcher};
use serde::Deserialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{blocking, parsed, walk};
use crate::confine::{Inside, Root};

const DEFAULT_LIMIT: usize = 500;
const LARGEST_LIMIT: usize = 2000;

pub struct ListFiles {
    spec: ToolSpec,
    root: Arc<Root>,
}

#[derive(Deserialize)]
struct Args {
    glob: Option<String>,
    path: Option<String>,
    limit: Option<usize>,
}

impl ListFiles {
    #[must_use]
    pub fn new(root: Arc<Root>) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "glob": {"type": "string", "description": "`*.rs` (in any directory) or `src/**/*.rs`; matched from the root of the worktree, also when `path` is given"},
                "path": {"type": "string", "description": "directory to list, the worktree if not given"},
                "limit": {"type": "integer", "minimum": 1, "maximum": LARGEST_LIMIT,
                    "description": format!("files; {DEFAULT_LIMIT} if not given")},
            },
            "additionalProperties": false,
        });
        let text = "List files of the worktree, sorted, without those that git ignores.";
        Self { spec: ToolSpec::builtin("list_files", text, Risk::Read, schema), root }
    }
}

#[async_trait]
impl Tool for ListFiles {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, cx: &ToolCx, args: &Object) -> ToolOutput {
        let args: Args = match parsed(args) {
            Ok(args) => args,
            Err(output) => return output,
        };
        let (root, cancel) = (Arc::clone(&self.root), cx.cancel.clone());
        blocking(move || list(&root, &args, &cancel)).await
    }
}

fn list(root: &Root, args: &Args, cancel: &CancellationToken) -> Result<ToolOutput, String> {
    let from = root.directory(args.path.as_deref().unwrap_or(".")).map_err(|refusal| refusal.to_string())?;
    let glob = args.glob.as_deref().map(matcher).transpose()?;
    let limit = args.limit.unwrap_or(DEFAULT_LIMIT);
    let (mut names, mut more) = (Vec::new(), 0_usize);
    for file in walk::files(root, &from, None).take_while(|_| !cancel.is_cancelled()) {
        if !glob.as_ref().is_none_or(|glob| fits(glob, &file)) {
            continue;
        }
        if names.len() < limit { names.push(file.to_string()) } else { more += 1 }
    }
    if names.is_empty() {
        return Ok(ToolOutput::done("no files"));
    }
    if more > 0 {
        names.push(format!("… {more} more: narrow the glob or the path …"));
    }
    Ok(ToolOutput::done(names.join("\n")))
}

/// A glob without `/` is about names, as in `.gitignore`.
pub(super) fn matcher(glob: &str) -> Result<GlobMatcher, String> {
    let pattern =
        if glob.contains('/') { glob.trim_start_matches("./").to_owned() } else { format!("**/{glob}") };
    let built = GlobBuilder::new(&pattern).literal_separator(true).build();
    built
        .map(|glob| glob.compile_matcher())
        .map_err(|error| format!("the glob `{glob}` is not valid: {}", error.kind()))
}

pub(super) fn fits(glob: &GlobMatcher, file: &Inside) -> bool {
    glob.is_match(file.as_path())
}
