//! A request for one agent: who works, where, and within which limits, fixed.

use amelia_agents::pipeline::single;
use amelia_core::id::GraphName;
use amelia_core::problem::Problem;
use amelia_core::run::RunSpec;
use amelia_core::view::RunRow;
use amelia_orchestrator::service::{ModelChoice, RunRequest, RunWorktree, ServiceError};
use serde::Deserialize as _;

use super::{LocalRunService, unavailable};
use crate::assemble::Assembly;
use crate::error::service_error;
use crate::home::Home;
use crate::keys::{Keys, named_in};
use crate::place;
use crate::resolved_agents::ResolvedAgents;
use crate::run_environment::RunEnvironment;
use crate::run_parts::current_input;
use crate::single_agent_input::SingleAgentInput;
use crate::upstream::with_fallbacks;
use crate::workplace::survey::survey;

/// What one agent is asked for.
pub(super) struct AgentTask {
    pub(super) prompt: String,
    pub(super) model: ModelChoice,
    pub(super) read_only: bool,
    pub(super) max_turns: u32,
}

impl LocalRunService {
    pub(super) async fn take_single(
        &self,
        asked: RunRequest,
        wanted: AgentTask,
    ) -> Result<RunSpec, ServiceError> {
        if wanted.prompt.trim().is_empty() {
            let problem =
                Problem::new("the task is missing").with_hint("amelia do \"make the failing test pass\"");
            return Err(ServiceError::Invalid(problem));
        }
        let (profile, directory) = (asked.profile.as_deref(), asked.worktree.as_path());
        let resolved_agents =
            ResolvedAgents::choose(profile, &wanted.model, &self.home, &self.profiles, directory).await;
        let resolved_agents = resolved_agents.map_err(service_error)?;
        let agents = with_fallbacks(std::iter::once(&resolved_agents.agent).chain(&resolved_agents.oracle));
        let agents: Vec<_> = agents.iter().collect();
        self.check_keys(&agents)?;
        let assembly = Assembly::new(&self.home, &agents, &RunEnvironment::Live).map_err(service_error)?;
        assembly.check(&agents).map_err(service_error)?;
        let prompt = assembly.redactor().text(&wanted.prompt).into_owned();
        let place = self.place(&asked, &place::key(&prompt)).await?;
        let request = SingleAgentInput {
            prompt,
            agent: resolved_agents.agent,
            oracle: resolved_agents.oracle,
            retry: resolved_agents.retry,
            read_only: wanted.read_only,
            max_turns: wanted.max_turns,
            checks: resolved_agents.checks,
            copy_files: resolved_agents.copy_files,
            setup: resolved_agents.setup,
            prompts: self.prompts().await?,
            mcp_tools: self
                .mcp
                .find(resolved_agents.mcp_tools.iter().map(String::as_str), &place.repository)
                .await?,
            mcp_wanted: resolved_agents.mcp_tools,
        };
        let graph = GraphName::new(single::NAME).map_err(unavailable)?;
        Ok(RunSpec {
            input: serde_json::to_value(&request).map_err(unavailable)?,
            budget: asked.budget.or(resolved_agents.budget).at_most(self.ceiling()),
            profile: resolved_agents.profile,
            place: Some(place),
            idempotency_key: asked.idempotency_key,
            ..RunSpec::new(graph, title(&request.prompt))
        })
    }
}

/// The prompt of the agent of a run, when it is a run with one agent.
pub(super) async fn system_prompt(home: &Home, row: &RunRow) -> Option<String> {
    let input = current_input(row);
    let request =
        (row.run.spec.graph.as_str() == single::NAME).then(|| SingleAgentInput::deserialize(&input))?.ok()?;
    // Also of a run that has not begun, or whose worktree was removed: its place does not depend on that.
    let RunWorktree { worktree, branch } = super::changes::whereabouts(home, row);
    let directory = worktree.unwrap_or_else(|| home.path().join("worktrees").join(row.run.id.to_string()));
    let place = place::of(row).ok()?;
    let repository = place::look(&place.repository).await.ok()?;
    let survey = survey(&repository, &place.base_commit).await.ok()?;
    // As the agent got it.
    let survey = Keys::gather(home, &named_in(&input)).ok()?.redactor().clean(survey);
    Some(request.told(&directory, branch.as_deref(), &survey, row).ok()?.agent)
}

/// The first line of a prompt, for lists.
fn title(prompt: &str) -> String {
    let line = prompt.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    line.trim().chars().take(80).collect()
}
