//! `git_log`: the commits that led here.

use amelia_core::message::Object;
use amelia_core::tool::{Risk, Tool, ToolCx, ToolOutput, ToolSpec};
use amelia_process::git::DIFF_FLAGS;
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::json;

use super::parsed;
use crate::git::{commit, git};
use crate::toolset::Toolset;

const KEEP: usize = 29_000;

pub struct GitLog {
    spec: ToolSpec,
    set: Toolset,
}

#[derive(Deserialize)]
struct Args {
    from: Option<String>,
    path: Option<String>,
    limit: Option<u32>,
    #[serde(default)]
    patch: bool,
}

impl GitLog {
    #[must_use]
    pub fn new(set: &Toolset) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "from": {"type": "string", "description": "commit to begin with, HEAD if not given"},
                "path": {"type": "string", "description": "only commits that touched it"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 200, "description": "20 if not given"},
                "patch": {"type": "boolean", "description": "also show the diff of each commit"},
            },
            "additionalProperties": false,
        });
        let text = "Show commits, newest first: hash, date, author, subject.";
        Self { spec: ToolSpec::builtin("git_log", text, Risk::Read, schema), set: set.clone() }
    }

    async fn log(&self, cx: &ToolCx, args: &Args) -> Result<String, String> {
        let from = commit(cx, &self.set, args.from.as_deref().unwrap_or("HEAD")).await?;
        let count = format!("--max-count={}", args.limit.unwrap_or(20));
        let path = match &args.path {
            Some(path) => {
                Some(self.set.root.inside(path).map_err(|refusal| refusal.to_string())?.to_string())
            }
            None => None,
        };
        let mut command = vec!["log", "--date=short", "--format=%h %ad %an: %s", &count];
        command.extend(DIFF_FLAGS);
        command.extend(args.patch.then_some("--patch"));
        command.extend([from.as_str(), "--"]);
        command.extend(path.as_deref());
        git(cx, &self.set, &command, &[], KEEP).await
    }
}

#[async_trait]
impl Tool for GitLog {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, cx: &ToolCx, args: &Object) -> ToolOutput {
        let args: Args = match parsed(args) {
            Ok(args) => args,
            Err(output) => return output,
        };
        match self.log(cx, &args).await {
            Ok(log) if log.is_empty() => ToolOutput::done("no commits"),
            Ok(log) => ToolOutput::done(log),
            Err(problem) => ToolOutput::failed(problem),
        }
    }
}
