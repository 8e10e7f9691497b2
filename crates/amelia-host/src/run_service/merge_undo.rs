//! The shell command that undoes a merge, while it does that and no more: as long as the branch has no newer commits.

use std::path::Path;

use amelia_core::shell_word::path_word;
use amelia_core::view::RunRow;
use amelia_git::Repository;

use crate::place;

/// What moves a branch back from a merge: in the checkout that it is checked out in, if there is one.
pub(super) fn undo_command(
    root: &Path,
    checkout: Option<&Path>,
    into: &str,
    before: &str,
    commit: &str,
) -> String {
    match checkout {
        Some(path) => format!("git -C {} reset --keep {before}", path_word(path)),
        None => format!("git -C {} update-ref refs/heads/{into} {before} {commit}", path_word(root)),
    }
}

/// The command that makes a deleted branch again.
pub(super) fn brings_back(root: &Path, branch: &str, tip: &str) -> String {
    format!("git -C {} branch {branch} {tip}", path_word(root))
}

/// The command that undoes the merge of a run as its repository is now.
pub(super) async fn undo_now(row: &RunRow) -> Option<String> {
    let (merged, place) = (row.view.merged.as_ref()?, row.run.spec.place.as_ref()?);
    let repository = place::look(&place.repository).await.ok()?;
    if repository.branch_tip(&merged.into).await.ok()? != merged.commit {
        return None;
    }
    let checkout = repository.checkout_of(&merged.into).await.ok()?;
    let root = repository.root();
    let undo = undo_command(root, checkout.as_deref(), &merged.into, &merged.before, &merged.commit);
    let is_gone = merged.branch_deleted && !has_branch(&repository, &merged.branch).await;
    Some(match merged.head.as_deref().filter(|_| is_gone) {
        Some(head) => format!("{undo} && {}", brings_back(root, &merged.branch, head)),
        None => undo,
    })
}

async fn has_branch(repository: &Repository, branch: &str) -> bool {
    repository.branch_tip(branch).await.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_is_moved_back_with_the_checkout_that_has_it() {
        let of = |checkout: Option<&str>| {
            undo_command(Path::new("/r"), checkout.map(Path::new), "main", "b0", "c1")
        };
        assert_eq!(of(Some("/my repo")), "git -C '/my repo' reset --keep b0");
        assert_eq!(of(None), "git -C /r update-ref refs/heads/main b0 c1");
        assert_eq!(brings_back(Path::new("/r"), "amelia/x", "t"), "git -C /r branch amelia/x t");
    }
}
