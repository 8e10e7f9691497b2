//! A request for a team: its definition as it is now, fixed.

use std::path::Path;

use amelia_agents::asking::NAME as ASK_HUMAN;
use amelia_core::budget::Budget;
use amelia_core::config::profile::Profile;
use amelia_core::config::team::{FrozenTeam, TeamConfig, is_reserved};
use amelia_core::guardrail::CheckedInput;
use amelia_core::id::GraphName;
use amelia_core::object::Object;
use amelia_core::problem::Problem;
use amelia_core::run::RunSpec;
use amelia_core::tool::{ToolName, ToolSpec};
use amelia_flows::team::{NAME, PlacedMember, TeamStops, compile, members, needs_files, stops};
use amelia_orchestrator::service::{RequestedTeam, RunRequest, ServiceError};
use jiff::Timestamp;
use serde_json::Value;

use super::stops::check_rule;
use super::workflows::{MAX_INPUT_BYTES, refused_definition, title_of};
use super::{LocalRunService, unavailable};
use crate::definitions::{DefinitionFile, DefinitionKind, Definitions};
use crate::error::service_error;
use crate::guardrails::check_input;
use crate::human_tools::is_human_tool;
use crate::keys::Keys;
use crate::memory::TeamMemory;
use crate::pipelines::team::TeamPipeline;
use crate::place;
use crate::repository_tools::check_trust;
use crate::team_input::{COMPILER, TeamInput, configs, own_servers};
use crate::team_programs::TeamProgram;
use crate::workspaces;

impl LocalRunService {
    /// The tools of MCP servers that the agents of a team name.
    pub(super) async fn mcp_tools_of(
        &self,
        team: &FrozenTeam,
        repository: &Path,
    ) -> Result<Vec<ToolSpec>, ServiceError> {
        let (tools, own) = (tools_of(team), own_servers(team));
        self.mcp.find_with(tools.iter().map(String::as_str), repository, &own).await
    }

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
        let definitions = self.definitions(&request.worktree).await?;
        let (team, file) = read_team(&definitions, team)?;
        let TeamStops { nodes: breakpoints, rules: stops } = stops_of(&team)?;
        let assembly = self.check_agents(configs(&team))?;
        let checked = checked_request(&team, &assembly.redactor().text(&prompt), &inputs)?;
        let prompt = checked.text;
        let foreign = definitions.foreign_tools(&file, &team);
        check_trust(&self.home, &definitions, &foreign)?;
        let mcp_tools = self.mcp_tools_of(&team, &request.worktree).await?;
        // What the profile of this repository says about worktrees, when there is one.
        let profile = self.profiles.find_for(request.profile.as_deref(), &request.worktree).await;
        let Profile { retry, copy_files, worktree_setup, .. } =
            profile.map_err(unavailable)?.unwrap_or_default();
        let title = title_of(&team.team.name, &prompt);
        let key = place::key(&title);
        let place = match has_directory {
            true => {
                let tools = tools_of(&team);
                self.place_or_workspace(&request, tools.iter().map(String::as_str).collect(), &key).await?
            }
            false => workspaces::create(&self.home, &key).await.map_err(service_error)?,
        };
        let keys = Keys::gather(&self.home, &[]).map_err(service_error)?;
        let input = TeamInput {
            compiler: COMPILER,
            prompt,
            inputs: keys.redactor().clean(inputs),
            execution_mode: team.team.execution_config.mode,
            // A branch that a person chose is made in any case.
            has_no_files: !place.in_place && place.branch.is_none() && uses_no_files(&team, &mcp_tools),
            has_artifacts: true,
            has_short_term: true,
            memory: Some(TeamMemory {
                repository: definitions.repository().and_then(|root| root.canonicalize().ok()),
                is_of_repository: file.is_of_repository,
            }),
            started_at: Timestamp::now(),
            retry,
            mcp_tools,
            programs: TeamProgram::of(&foreign),
            copy_files,
            setup: worktree_setup,
            policies: team.policies.values().cloned().map(Into::into).collect(),
            violations: checked.violations,
            teams: team.teams.iter().map(|(name, team)| (name.clone(), team.clone().into())).collect(),
            team_config: team.team.clone().into(),
        };
        Ok(RunSpec {
            input: serde_json::to_value(&input).map_err(unavailable)?,
            budget: request.budget.or(budget_of(&team.team)).at_most(self.ceiling()),
            profile: request.profile,
            place: Some(place),
            idempotency_key: request.idempotency_key,
            breakpoints,
            stops,
            ..RunSpec::new(GraphName::new(NAME).map_err(unavailable)?, title)
        })
    }
}

/// The team with the texts of its templates, and its file.
pub(super) fn read_team(
    definitions: &Definitions,
    team: RequestedTeam,
) -> Result<(FrozenTeam, DefinitionFile), ServiceError> {
    let file = match team {
        RequestedTeam::Named(name) => {
            definitions.file(DefinitionKind::Team, &name).map_err(ServiceError::NotFound)?.clone()
        }
        RequestedTeam::Given(document) => {
            let name = document.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
            DefinitionFile::stored(DefinitionKind::Team, name, document.to_string())
        }
    };
    let team = definitions.team(&file).map_err(|refused| refused_definition(&refused))?;
    Ok((team, file))
}

/// The request as the guardrails of the team let it through.
fn checked_request(team: &FrozenTeam, prompt: &str, inputs: &Object) -> Result<CheckedInput, ServiceError> {
    let mut checked = check_input(team, prompt, inputs)?;
    if !inputs.is_empty() {
        let values = check_input(team, &Value::Object(inputs.clone()).to_string(), inputs)?;
        checked.violations.extend(values.violations);
    }
    match checked.refusal() {
        Some(problem) => Err(ServiceError::Guardrail(problem).at("prompt")),
        None => Ok(checked),
    }
}

/// Where a run of a team stops from its beginning. A team that cannot run is refused.
pub(super) fn stops_of(team: &FrozenTeam) -> Result<TeamStops, ServiceError> {
    let graph = compile(team, None).map_err(|problems| refused_definition(&problems))?;
    let stops = stops(team, &graph.drawing().nodes).map_err(|problems| refused_definition(&problems))?;
    for rule in &stops.rules {
        check_rule(&TeamPipeline, rule)?;
    }
    Ok(stops)
}

/// The limits of a team: its budget, and the time at work.
pub(super) fn budget_of(team: &TeamConfig) -> Budget {
    let wall_seconds = team.execution_config.timeout;
    team.budget.at_most(Budget { wall_seconds, ..Budget::default() })
}

/// Every tool that an agent names. What the teams call their own names is the tool that it means.
pub(super) fn tools_of(team: &FrozenTeam) -> Vec<String> {
    let all = |placed: PlacedMember<'_>| {
        let of_servers = placed.team.server_tools(placed.member);
        let others = placed.member.tools.iter().filter(|tool| ToolName::repaired(tool).server.is_none());
        of_servers.into_iter().chain(others.cloned()).collect::<Vec<_>>()
    };
    members(team).into_iter().flat_map(all).collect()
}

/// Whether nothing in a team uses files. Tools of servers may: they learn where the run works. A program is always started
/// in a directory.
pub(super) fn uses_no_files(team: &FrozenTeam, mcp_tools: &[ToolSpec]) -> bool {
    let only_asks = |placed: &PlacedMember<'_>| {
        placed
            .member
            .tools
            .iter()
            .all(|tool| tool == ASK_HUMAN || is_reserved(tool) || is_human_tool(placed, tool))
    };
    let has_program = configs(team).values().any(|config| config.driver.is_program());
    !has_program && mcp_tools.is_empty() && !needs_files(team) && members(team).iter().all(only_asks)
}
