//! Files of an issue in a worktree, where agents read them and git does not see them.

use amelia_core::attachment::{ATTACHMENTS_DIR, Attachment};
use amelia_core::problem::Problem;
use amelia_core::workplace::WorkplaceError;
use amelia_git::ignoring::ATTACHMENT_RULES;

use super::{GitWorkplace, broken};
use crate::attachments::Attachments;

/// The files of a run, and where their content is.
#[derive(Clone)]
pub(crate) struct AttachedFiles {
    pub(crate) store: Attachments,
    pub(crate) files: Vec<Attachment>,
}

impl GitWorkplace {
    /// The same, with these files in it once it is prepared.
    pub(crate) fn attaching(self, store: Attachments, files: Vec<Attachment>) -> Self {
        Self { attached: Some(AttachedFiles { store, files }), ..self }
    }

    /// Writes the files if they are missing or changed, and makes git ignore them.
    pub(super) async fn put_attachments(&self) -> Result<(), WorkplaceError> {
        let Some(AttachedFiles { store, files }) = self.attached.as_ref().filter(|all| !all.files.is_empty())
        else {
            return Ok(());
        };
        for file in files {
            if self.repository.is_tracked(&self.worktree, &file.path()).await.map_err(broken)? {
                let problem = Problem::new(format!("git tracks `{}`", file.path()));
                return Err(WorkplaceError(problem.with_hint("attach the file under another name")));
            }
        }
        // Before the files: nothing that commits meanwhile may see them.
        self.ignore_attachments(files).await?;
        for file in files {
            let content = store.read(file).map_err(WorkplaceError)?;
            let written = self.root.write(&file.path(), &content);
            written.map_err(|error| WorkplaceError(format!("{}: {error}", file.path()).into()))?;
        }
        Ok(())
    }

    async fn ignore_attachments(&self, files: &[Attachment]) -> Result<(), WorkplaceError> {
        let path = format!("{ATTACHMENTS_DIR}/.gitignore");
        match self.text_of(&path)? {
            Some(theirs) if !theirs.starts_with(ATTACHMENT_RULES) => {
                for file in files {
                    let path = file.path();
                    // The rules there are the repository's own, and a change of them would be committed.
                    if !self.repository.is_ignored_or_tracked(&self.worktree, &path).await.map_err(broken)? {
                        self.repository.exclude(&self.worktree, &format!("/{path}")).await.map_err(broken)?;
                    }
                }
                Ok(())
            }
            Some(_) | None => {
                let rules: String = files.iter().map(|file| format!("/{}\n", file.name)).collect();
                self.put(&path, &format!("{ATTACHMENT_RULES}{rules}")).map(drop)
            }
        }
    }
}
