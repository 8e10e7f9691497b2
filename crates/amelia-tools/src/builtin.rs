//! The built-in tools, one per file, what they share, and which role has which: a role that may only read is not given
//! anything else, so nothing has to be forbidden.

pub mod apply_patch;
pub mod edit_file;
pub mod git_diff;
pub mod git_log;
pub mod list_files;
pub mod read_file;
pub mod search;
pub mod shell;
pub mod write_file;

mod walk;

#[cfg(test)]
mod tests;

use std::io::Read as _;
use std::sync::Arc;

use amelia_core::message::Object;
use amelia_core::tool::{Tool, ToolOutput};
use serde::de::DeserializeOwned;
use serde_json::Value;

use self::apply_patch::ApplyPatch;
use self::edit_file::EditFile;
use self::git_diff::GitDiff;
use self::git_log::GitLog;
use self::list_files::ListFiles;
use self::read_file::ReadFile;
use self::search::Search;
use self::shell::Shell;
use self::write_file::WriteFile;
use crate::confine::{PathError, Root};
use crate::toolset::Toolset;

/// Larger files are not taken into memory to be changed.
const LARGEST_TEXT: u64 = 10 * 1024 * 1024;

/// The names of all built-in tools.
pub const NAMES: [&str; 9] = [
    "apply_patch",
    "edit_file",
    "git_diff",
    "git_log",
    "list_files",
    "read_file",
    "search",
    "shell",
    "write_file",
];

impl Toolset {
    /// For roles that look and never touch.
    #[must_use]
    pub fn read_only(&self) -> Vec<Arc<dyn Tool>> {
        vec![
            Arc::new(ReadFile::new(Arc::clone(&self.root))),
            Arc::new(ListFiles::new(Arc::clone(&self.root))),
            Arc::new(Search::new(Arc::clone(&self.root))),
            Arc::new(GitDiff::new(self)),
            Arc::new(GitLog::new(self)),
        ]
    }

    /// For roles that do the work.
    #[must_use]
    pub fn full(&self) -> Vec<Arc<dyn Tool>> {
        let mut tools: Vec<Arc<dyn Tool>> = vec![
            Arc::new(Shell::new(Arc::clone(&self.root), Arc::clone(&self.environment))),
            Arc::new(WriteFile::new(Arc::clone(&self.root))),
            Arc::new(EditFile::new(Arc::clone(&self.root))),
            Arc::new(ApplyPatch::new(Arc::clone(&self.root))),
        ];
        tools.extend(self.read_only());
        tools
    }
}

/// Arguments as a type. The schema has been checked; what it cannot say is refused here.
fn parsed<T: DeserializeOwned>(args: &Object) -> Result<T, ToolOutput> {
    T::deserialize(Value::Object(args.clone()))
        .map_err(|error| ToolOutput::failed(format!("the arguments cannot be used: {error}")))
}

/// Runs what blocks away from the threads that must not be. The error is the model's to read.
async fn blocking(work: impl FnOnce() -> Result<ToolOutput, String> + Send + 'static) -> ToolOutput {
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(output)) => output,
        Ok(Err(error)) => ToolOutput::failed(error),
        Err(error) => match error.try_into_panic() {
            // Told by the registry, like any other tool that breaks.
            Ok(cause) => std::panic::resume_unwind(cause),
            Err(error) => ToolOutput::failed(error.to_string()),
        },
    }
}

/// The whole of a text file that is to be changed.
fn text_of(root: &Root, path: &str) -> Result<String, String> {
    let file = root.file(path).map_err(|refusal| refusal.to_string())?;
    let mut bytes = Vec::new();
    let read = file.take(LARGEST_TEXT + 1).read_to_end(&mut bytes);
    read.map_err(|source| PathError::Failed { path: path.to_owned(), source }.to_string())?;
    if bytes.len() as u64 > LARGEST_TEXT {
        return Err(format!("`{path}` is larger than {LARGEST_TEXT} bytes: change it with a command"));
    }
    String::from_utf8(bytes).map_err(|_| format!("`{path}` is not UTF-8 text: change it with a command"))
}
