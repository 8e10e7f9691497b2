//! The built-in tools by role: a role that may only read is not given anything else, so nothing has to be forbidden.

use std::sync::Arc;

use amelia_core::tool::Tool;
use amelia_process::Environment;

use crate::builtin::apply_patch::ApplyPatch;
use crate::builtin::edit_file::EditFile;
use crate::builtin::git_diff::GitDiff;
use crate::builtin::git_log::GitLog;
use crate::builtin::list_files::ListFiles;
use crate::builtin::read_file::ReadFile;
use crate::builtin::search::Search;
use crate::builtin::shell::Shell;
use crate::builtin::write_file::WriteFile;
use crate::confine::Root;

/// What the built-in tools work on.
#[derive(Clone)]
pub struct Toolset {
    pub root: Arc<Root>,
    pub environment: Arc<Environment>,
    /// The commit that changes are counted from; `HEAD` when nobody says.
    pub base: Option<String>,
}

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
