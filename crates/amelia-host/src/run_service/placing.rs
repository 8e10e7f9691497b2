//! Where a run works that is requested in a repository: fixed, so that later changes there do not matter.

use amelia_core::problem::Problem;
use amelia_core::run::RunLocation;
use amelia_git::repository::{HeadCommit, InPlace};
use amelia_git::{GitError, Repository, Worktree};
use amelia_orchestrator::service::{RunRequest, ServiceError};

use crate::error::refused_place;

pub(super) async fn place_in(
    repository: &Repository,
    request: &RunRequest,
    key: &str,
) -> Result<RunLocation, ServiceError> {
    if let Some(branch) = &request.branch {
        if request.in_place {
            let problem = Problem::new("work in place stays on the branch that is checked out");
            return Err(ServiceError::Invalid(problem.with_hint("omit --branch")).at("branch"));
        }
        repository.check_new_branch(branch).await.map_err(refused_place)?;
    }
    let HeadCommit { commit, branch } = base(repository, request).await.map_err(refused_place)?;
    Ok(RunLocation {
        repository: repository.root().to_owned(),
        base_commit: commit,
        base_branch: branch,
        in_place: request.in_place,
        key: key.to_owned(),
        branch: request.branch.clone(),
        start: None,
        tree: None,
    })
}

/// The commit that the work begins with, and its branch.
async fn base(repository: &Repository, request: &RunRequest) -> Result<HeadCommit, GitError> {
    let Some(name) = request.base.as_deref() else {
        return match request.in_place {
            true => {
                let Worktree { base_commit, branch, .. } = repository.in_place(InPlace::Clean).await?;
                Ok(HeadCommit { commit: base_commit, branch })
            }
            false => repository.head_commit().await,
        };
    };
    let commit = match request.in_place {
        true => repository.in_place(InPlace::Clean).await?.base_commit,
        false => repository.commit(name).await?,
    };
    Ok(HeadCommit { commit, branch: repository.local_branch(Some(name)).await? })
}
