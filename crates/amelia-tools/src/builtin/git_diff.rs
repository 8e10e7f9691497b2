//! `git_diff`: what the worktree has and its base has not, untracked files included.
//!
//! The index stays as it is: untracked files are announced in a copy of it.

use std::ffi::OsString;
use std::path::Path;

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

pub struct GitDiff {
    spec: ToolSpec,
    set: Toolset,
}

#[derive(Deserialize)]
struct Args {
    base: Option<String>,
    path: Option<String>,
    #[serde(default)]
    stat: bool,
}

impl GitDiff {
    #[must_use]
    pub fn new(set: &Toolset) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "base": {"type": "string", "description": "commit to compare with; the commit where the work began if not given"},
                "path": {"type": "string", "description": "only this file or directory"},
                "stat": {"type": "boolean", "description": "only list the files: lines added, lines removed, path"},
            },
            "additionalProperties": false,
        });
        let text = "Show all changes in the worktree since its base: committed, uncommitted and untracked. The middle of a \
                    long diff is left out: use `path` to read it file by file.";
        Self { spec: ToolSpec::builtin("git_diff", text, Risk::Read, schema), set: set.clone() }
    }

    async fn diff(&self, cx: &ToolCx, args: &Args) -> Result<String, String> {
        let base = args.base.as_deref().or(self.set.base.as_deref()).unwrap_or("HEAD");
        let base = commit(cx, &self.set, base).await?;
        let path = match &args.path {
            Some(path) => self.set.root.inside(path).map_err(|refusal| refusal.to_string())?.to_string(),
            None => ".".to_owned(),
        };
        let scratch =
            tempfile::tempdir().map_err(|error| format!("no room for a copy of the index: {error}"))?;
        let copy = scratch.path().join("index");
        let index = git(cx, &self.set, &["rev-parse", "--git-path", "index"], &[], 4096).await?;
        // A repository may have no index yet: then everything is untracked.
        copy_index(&self.set.root.path().join(index.trim_end_matches('\n')), &copy).ok();
        let vars: [(&'static str, OsString); 1] = [("GIT_INDEX_FILE", copy.into_os_string())];
        // A directory that is a repository without commits cannot be announced; the rest still is.
        git(cx, &self.set, &["add", "--intent-to-add", "--ignore-errors", "--", &path], &vars, 4096)
            .await
            .ok();
        let mut command = vec!["diff"];
        command.extend(DIFF_FLAGS);
        if args.stat {
            // Whole names: git shortens those of `--stat`, and a shortened one given as `path` finds nothing.
            command.extend(["--numstat", "--no-renames"]);
        }
        command.extend([base.as_str(), "--", &path]);
        git(cx, &self.set, &command, &vars, KEEP).await
    }
}

/// With its time: git tells by it which files may have changed since within the same tick of the clock.
fn copy_index(index: &Path, copy: &Path) -> std::io::Result<()> {
    std::fs::copy(index, copy)?;
    std::fs::File::options().write(true).open(copy)?.set_modified(index.metadata()?.modified()?)
}

#[async_trait]
impl Tool for GitDiff {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, cx: &ToolCx, args: &Object) -> ToolOutput {
        let args: Args = match parsed(args) {
            Ok(args) => args,
            Err(output) => return output,
        };
        match self.diff(cx, &args).await {
            Ok(diff) if diff.is_empty() => ToolOutput::done("no changes"),
            Ok(diff) => ToolOutput::done(diff),
            Err(problem) => ToolOutput::failed(problem),
        }
    }
}
