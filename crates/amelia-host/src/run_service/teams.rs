//! A request for a team: its definition as it is now, fixed.

use amelia_agents::asking::NAME as ASK_HUMAN;
use amelia_core::budget::Budget;
use amelia_core::config::profile::Profile;
use amelia_core::config::team::TeamConfig;
use amelia_core::id::GraphName;
use amelia_core::object::Object;
use amelia_core::problem::Problem;
use amelia_core::run::RunSpec;
use amelia_core::tool::ToolSpec;
use amelia_flows::team::{NAME, compile, needs_files};
use amelia_orchestrator::service::{RequestedTeam, RunRequest, ServiceError};
use jiff::Timestamp;
use serde_json::Value;

use super::workflows::{MAX_INPUT_BYTES, refused_definition, title_of};
use super::{LocalRunService, unavailable};
use crate::definitions::{DefinitionKind, Definitions, stored_team};
use crate::error::service_error;
use crate::keys::Keys;
use crate::place;
use crate::team_input::{COMPILER, TeamInput, configs};
use crate::workspaces;

impl LocalRunService {
    pub(super) async fn take_team(
        &self,
        request: RunRequest,
        team: RequestedTeam,
        prompt: String,
        inputs: Object,
    ) -> Result<RunSpec, ServiceError> {
        if prompt.trim().is_empty() {
            let problem = Problem::new("the task is missing").with_hint("say what the team should do");
            return Err(ServiceError::Invalid(problem).at("prompt"));
        }
        if serde_json::to_vec(&inputs).map_or(0, |bytes| bytes.len()) > MAX_INPUT_BYTES {
            let message = format!("the inputs are larger than {} KB", MAX_INPUT_BYTES / 1024);
            return Err(ServiceError::invalid(message));
        }
        let has_directory = !request.worktree.as_os_str().is_empty();
        let definitions = match has_directory {
            true => Definitions::find(&self.home, &request.worktree),
            false => Definitions::of_home(&self.home),
        };
        let stored = self.stored_teams().all().await.map_err(unavailable)?;
        let definitions = definitions.with_stored_teams(stored);
        let team = read_team(&definitions, team)?;
        compile(&team, None).map_err(|problems| refused_definition(&problems))?;
        let assembly = self.check_agents(configs(&team).into_values())?;
        let mcp_tools = self.mcp.find(tools_of(&team), &request.worktree).await?;
        // What the profile of this repository says about worktrees, when there is one.
        let profile = self.profiles.find_for(request.profile.as_deref(), &request.worktree).await;
        let Profile { retry, copy_files, worktree_setup, .. } =
            profile.map_err(unavailable)?.unwrap_or_default();
        let title = title_of(&team.name, &prompt);
        let key = place::key(&title);
        let place = match has_directory {
            true => self.place_or_workspace(&request, tools_of(&team), &key).await?,
            false => workspaces::create(&self.home, &key).await.map_err(service_error)?,
        };
        let keys = Keys::gather(&self.home, &[]).map_err(service_error)?;
        let input = TeamInput {
            compiler: COMPILER,
            prompt: assembly.redactor().text(&prompt).into_owned(),
            inputs: keys.redactor().clean(inputs),
            // A branch that a person chose is made in any case.
            has_no_files: !place.in_place && place.branch.is_none() && uses_no_files(&team, &mcp_tools),
            started_at: Timestamp::now(),
            retry,
            mcp_tools,
            copy_files,
            setup: worktree_setup,
            team_config: team.clone().into(),
        };
        Ok(RunSpec {
            input: serde_json::to_value(&input).map_err(unavailable)?,
            budget: request.budget.or(budget_of(&team)).at_most(self.ceiling()),
            profile: request.profile,
            place: Some(place),
            idempotency_key: request.idempotency_key,
            ..RunSpec::new(GraphName::new(NAME).map_err(unavailable)?, title)
        })
    }
}

/// The team with the texts of its templates.
fn read_team(definitions: &Definitions, team: RequestedTeam) -> Result<TeamConfig, ServiceError> {
    let file = match team {
        RequestedTeam::Named(name) => {
            definitions.file(DefinitionKind::Team, &name).map_err(ServiceError::NotFound)?.clone()
        }
        RequestedTeam::Given(document) => {
            let name = document.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
            stored_team(name, document.to_string())
        }
    };
    let frozen = definitions.team(&file).map_err(|refused| refused_definition(&refused))?;
    Ok(frozen.team)
}

/// The limits of a team: its budget, and the time at work.
fn budget_of(team: &TeamConfig) -> Budget {
    let wall_seconds = team.execution_config.timeout;
    team.budget.at_most(Budget { wall_seconds, ..Budget::default() })
}

/// Every tool that an agent names.
fn tools_of(team: &TeamConfig) -> Vec<&str> {
    team.agents.iter().flat_map(|member| member.tools.iter().map(String::as_str)).collect()
}

/// Whether nothing in a team uses files. Tools of servers may: they are told where the run works.
fn uses_no_files(team: &TeamConfig, mcp_tools: &[ToolSpec]) -> bool {
    mcp_tools.is_empty() && !needs_files(team) && tools_of(team).into_iter().all(|tool| tool == ASK_HUMAN)
}
