//! A request to review changes, looked at and fixed.

use amelia_agents::pipeline::implementation::state::ImplementationRequest;
use amelia_agents::pipeline::review;
use amelia_core::id::AgentName;
use amelia_core::problem::Problem;
use amelia_core::review::ReviewStrategy;
use amelia_core::run::{RunLocation, RunSpec};
use amelia_git::Worktree;
use amelia_git::repository::InPlace;
use amelia_orchestrator::service::{ReviewOf, RunRequest, ServiceError};

use super::{LocalRunService, conflict};
use crate::error::refused_place;
use crate::implementation_input::ImplementationInput;
use crate::place;
use crate::tracking;

impl LocalRunService {
    /// A review happens where the changes are: in the checkout itself, and only `fix` lets it write there.
    pub(super) async fn take_review(
        &self,
        request: RunRequest,
        what: ReviewOf,
        fix: bool,
        personas: Vec<String>,
    ) -> Result<RunSpec, ServiceError> {
        let mut profile = self.requested_profile(&request).await?;
        profile.max_review_rounds = profile.max_review_passes;
        if !personas.is_empty() {
            let names = personas.iter().map(AgentName::new).collect::<Result<Vec<_>, _>>();
            let personas = names.map_err(|error| ServiceError::invalid(error.to_string()).at("personas"))?;
            profile.strategy = ReviewStrategy::Competitive { personas };
        }
        let repository = place::open(&request.worktree).await.map_err(refused_place)?;
        let (base, patch, title) = match what {
            ReviewOf::Local => ("HEAD".to_owned(), None, "Review of what is not committed".to_owned()),
            ReviewOf::Since(base) => (base.clone(), None, format!("Review of what has changed since {base}")),
            ReviewOf::Diff(patch) => ("HEAD".to_owned(), Some(patch), "Review of a patch".to_owned()),
            ReviewOf::PullRequest(number) => {
                let patch = tracking::pull_request(&profile, repository.root(), &self.home, number).await?;
                ("HEAD".to_owned(), Some(patch), format!("Review of pull request {number}"))
            }
        };
        let base_commit = repository.merge_base(&base).await.map_err(refused_place)?;
        if patch.is_none() {
            let checkout = place::refused(repository.in_place(InPlace::AsItIs).await).map_err(conflict)?;
            let since = Worktree { base_commit: base_commit.clone(), ..checkout };
            if place::refused(repository.diff_stat(&since).await).map_err(conflict)?.is_empty() {
                let problem =
                    Problem::new(format!("there is nothing to review: nothing has changed since {base}"))
                        .with_hint(
                            "amelia review --base REF reviews what has changed since a commit or branch",
                        );
                return Err(ServiceError::conflict(problem));
            }
        }
        let place = RunLocation {
            repository: repository.root().to_owned(),
            base_commit,
            base_branch: None,
            in_place: true,
            key: "review".to_owned(),
            branch: None,
            start: None,
            tree: None,
        };
        let wanted = ImplementationRequest { fix, patch, ..ImplementationRequest::default() };
        let mcp_tools =
            self.mcp.find(profile.mcp_tools.iter().map(String::as_str), &place.repository).await?;
        let work_input = ImplementationInput { wanted, profile, prompts: self.prompts().await?, mcp_tools };
        let keys = self.keys(&work_input)?;
        self.spec(review::NAME, &title, keys.redactor().clean(work_input), place, request)
    }
}
