//! `search`: lines that match a regular expression, by ripgrep's own engine.

mod results;

use std::sync::Arc;

use amelia_core::message::Object;
use amelia_core::tool::{Risk, Tool, ToolCx, ToolOutput, ToolSpec};
use async_trait::async_trait;
use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use serde::Deserialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::list_files::{fits, matcher};
use super::{blocking, parsed, walk};
use crate::confine::{PathError, Root};
use results::SearchResults;

const DEFAULT_LIMIT: usize = 200;
const LARGEST_LIMIT: usize = 1000;

pub struct Search {
    spec: ToolSpec,
    root: Arc<Root>,
}

#[derive(Deserialize)]
struct Args {
    pattern: String,
    path: Option<String>,
    glob: Option<String>,
    #[serde(rename = "type")]
    file_type: Option<String>,
    #[serde(default)]
    ignore_case: bool,
    #[serde(default)]
    fixed: bool,
    #[serde(default)]
    context: usize,
    limit: Option<usize>,
}

impl Search {
    #[must_use]
    pub fn new(root: Arc<Root>) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "minLength": 1, "description": "regular expression (Rust syntax)"},
                "path": {"type": "string", "description": "file or directory, the worktree if not given"},
                "glob": {"type": "string", "description": "only files like `*.rs` or `src/**/*.rs`; matched from the root of the worktree, also when `path` is given"},
                "type": {"type": "string", "description": "only files of a type: rust, py, js, go, …"},
                "ignore_case": {"type": "boolean"},
                "fixed": {"type": "boolean", "description": "the pattern is plain text"},
                "context": {"type": "integer", "minimum": 0, "maximum": 20, "description": "lines before and after"},
                "limit": {"type": "integer", "minimum": 1, "maximum": LARGEST_LIMIT,
                    "description": format!("matching lines; {DEFAULT_LIMIT} if not given")},
            },
            "required": ["pattern"],
            "additionalProperties": false,
        });
        let text = "Search the files of the worktree line by line, without those that git ignores and without binary files. \
                    Gives `path:line:text`.";
        Self { spec: ToolSpec::builtin("search", text, Risk::Read, schema), root }
    }
}

#[async_trait]
impl Tool for Search {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, cx: &ToolCx, args: &Object) -> ToolOutput {
        let args: Args = match parsed(args) {
            Ok(args) => args,
            Err(output) => return output,
        };
        let (root, cancel) = (Arc::clone(&self.root), cx.cancel.clone());
        blocking(move || search(&root, &args, &cancel)).await
    }
}

fn search(root: &Root, args: &Args, cancel: &CancellationToken) -> Result<ToolOutput, String> {
    let pattern = regex(args)?;
    let glob = args.glob.as_deref().map(matcher).transpose()?;
    let types = args.file_type.as_deref().map(walk::types).transpose()?;
    let mut searcher = searcher(args.context);
    let mut found = SearchResults::new(args.limit.unwrap_or(DEFAULT_LIMIT), args.context > 0);
    let path = args.path.as_deref().unwrap_or(".");
    match root.directory(path) {
        Ok(from) => {
            for file in walk::files(root, &from, types) {
                if cancel.is_cancelled() || found.is_full() {
                    break;
                }
                if glob.as_ref().is_none_or(|glob| fits(glob, &file)) {
                    // A file that went away or cannot be read is not a match; the others still are.
                    found.in_file(root.file_inside(&file).ok(), &file.to_string(), &pattern, &mut searcher);
                }
            }
        }
        Err(PathError::Missing { .. } | PathError::Failed { .. }) => {
            let file = root.file(path).map_err(|refusal| refusal.to_string())?;
            found.in_file(Some(file), path, &pattern, &mut searcher);
        }
        Err(refusal) => return Err(refusal.to_string()),
    }
    Ok(ToolOutput::done(found.text()))
}

fn regex(args: &Args) -> Result<RegexMatcher, String> {
    let mut builder = RegexMatcherBuilder::new();
    builder.case_insensitive(args.ignore_case).fixed_strings(args.fixed).line_terminator(Some(b'\n'));
    builder.build(&args.pattern).map_err(|error| {
        if matches!(error.kind(), ErrorKind::NotAllowed(_)) {
            return "a pattern cannot match more than one line: search for one of the lines, and set `context`".to_owned();
        }
        let hint = if args.fixed { "" } else { "; set `fixed` to search for plain text" };
        format!("the pattern is not a valid regular expression: {error}{hint}")
    })
}

fn searcher(context: usize) -> Searcher {
    SearcherBuilder::new()
        .line_number(true)
        .before_context(context)
        .after_context(context)
        .binary_detection(BinaryDetection::quit(0))
        // A file of one endless line must not be taken into memory whole.
        .heap_limit(Some(16 * 1024 * 1024))
        .build()
}
