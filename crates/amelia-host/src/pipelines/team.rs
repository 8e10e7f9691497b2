//! A team from a file.

use std::collections::BTreeMap;
use std::sync::Arc;

use amelia_agents::asking::NAME as ASK_HUMAN;
use amelia_agents::helpers::Helpers;
use amelia_agents::tool_step::ToolCaller;
use amelia_core::checkpoint::Position;
use amelia_core::config::agent::AgentConfig;
use amelia_core::config::problem::ConfigProblem;
use amelia_core::config::profile::Profile;
use amelia_core::config::team::plan::first_plan;
use amelia_core::config::team::tool::{ToolConfig, ToolSource};
use amelia_core::config::team::{HITL_TOOLS, TEAM_TOOLS};
use amelia_core::id::AgentName;
use amelia_core::tool::{ToolBox, ToolName, ToolSpec};
use amelia_core::workplace::{Rights, Workplace};
use amelia_flows::chat::{self, Chat};
use amelia_flows::team::{
    JUDGE_PROMPT, NAME, Overridden, OverrideRefused, TeamParts, compile, has_plan, members, names, overridden,
};
use amelia_flows::workflow::FlowAgent;
use amelia_graph::draw::Drawing;
use amelia_graph::editing::{EditError, EditedState, StateEdit};
use amelia_orchestrator::service::ServiceError;
use amelia_tools::Tools;
use amelia_tools::chosen::ChosenTools;
use amelia_tools::combined::CombinedTools;
use anyhow::Result;
use async_trait::async_trait;

use super::{AgentOverride, Pipeline, RunNames};
use crate::agent_factory::AgentFactory;
use crate::assemble::Assembly;
use crate::guardrails::guard_of;
use crate::human_tools::human_tools;
use crate::mcp_servers::is_named;
use crate::run_parts::{PreparedRun, RunParts};
use crate::team_input::{
    COMPILER, TeamInput, configs, judges, memory_of, own_servers, retry_of, short_term_limit_of,
};

/// Answers of a model in one turn. The limit of a team, `max_steps`, is usually lower.
const MAX_TURNS: u32 = 1_000;

pub(crate) struct TeamPipeline;

#[async_trait]
impl Pipeline for TeamPipeline {
    type Input = TeamInput;
    type State = Chat;

    fn name(&self) -> &'static str {
        NAME
    }

    fn initial(&self, input: &TeamInput) -> Chat {
        let mut state = Chat::begin(&input.prompt, input.inputs.clone(), input.started_at);
        if let Some(team) = input.team().ok().filter(|team| has_plan(&team.team)) {
            state.team.plan = first_plan(&team.team.plan, &input.prompt);
        }
        state
    }

    async fn graph(&self, input: TeamInput, parts: &RunParts<'_>) -> Result<PreparedRun<Chat>> {
        if input.compiler != COMPILER {
            let message = "this run was started by a version of Amelia that reads teams differently";
            return Err(ServiceError::conflict(message).into());
        }
        let team = input.team()?;
        let configs = configs(&team);
        let agents: Vec<AgentConfig> = configs.values().cloned().collect();
        let assembly = parts.assembly(&agents)?;
        let place = place_of(&input, parts, &assembly, &agents).await?;
        let run_budgets = parts.run_budgets().await?;
        let RunParts { live, tape, .. } = parts;
        let tools: Arc<dyn ToolBox> = match &place {
            Some(place) => place.tools(Rights::Work)?,
            None => Arc::new(Tools::new(Vec::new())?),
        };
        let has_artifacts = input.has_artifacts;
        let artifacts =
            has_artifacts.then(|| parts.artifacts(assembly.redactor(), place.as_ref())).transpose()?;
        let memory = input.memory.is_some().then(|| parts.memory(assembly.redactor())).transpose()?;
        let mut recalls = BTreeMap::new();
        let own_servers = own_servers(&team);
        let mut flow_agents = BTreeMap::new();
        for placed in members(&team) {
            let Some(config) = configs.get(&placed.name) else { continue };
            let (assembly, run_budgets, member) = (&assembly, &run_budgets, placed.member);
            let retry = retry_of(&placed, input.retry);
            let factory = AgentFactory { assembly, run_budgets, retry, live, tape, more_tools: None };
            let person = member.tools.iter().any(|tool| tool == ASK_HUMAN);
            let guard = guard_of(&team, &placed.name, parts.playback())?;
            let name = AgentName::new(&placed.name)?;
            let own = human_tools(&team, &placed, &name, assembly.redactor());
            let short_term_limit = short_term_limit_of(&input, &placed);
            let helpers = Helpers { person, servers_ask: true, guard, tools: own, ..Helpers::default() };
            let helpers = Helpers { short_term_limit, ..helpers };
            let is_own = |own: &ToolConfig, tool: &ToolName| {
                own.source != ToolSource::Builtin && own.name == tool.to_string()
            };
            let is_built_in = |tool: &&ToolName| !placed.team.tools.iter().any(|own| is_own(own, tool));
            let listed: Vec<ToolName> = member.tools.iter().map(|tool| ToolName::repaired(tool)).collect();
            let chosen = listed.iter().filter(is_built_in).cloned();
            let chosen = Arc::new(ChosenTools::new(Arc::clone(&tools), chosen));
            let wanted = placed.team.server_tools(member);
            let is_wanted = |spec: &&ToolSpec| wanted.iter().any(|wanted| is_named(spec, wanted));
            let specs: Vec<ToolSpec> = input.mcp_tools.iter().filter(is_wanted).cloned().collect();
            let mut others = Vec::new();
            // Without a place there are none.
            if let Some(place) = &place {
                others.push(parts.mcp_tools_with(&specs, &wanted, false, &**place, &own_servers)?);
                others.push(parts.program_tools(&placed, &input.programs, &agents, &**place)?);
            }
            let mut tools: Arc<dyn ToolBox> = Arc::new(CombinedTools::new(chosen, others));
            if let Some(artifacts) = &artifacts {
                tools = Arc::new(artifacts.before(tools, &placed.name, config.driver.is_program()));
            }
            if let (Some(memory), Some(own)) = (&memory, memory_of(&input, &placed, parts.row.run.id)) {
                tools = Arc::new(memory.before(tools, &placed.name, &own));
                recalls.extend(memory.recall(&own).map(|recall| (placed.name.clone(), recall)));
            }
            let agent = factory.agent(&placed.name, config, MAX_TURNS, helpers)?;
            let flow_agent = FlowAgent { agent, system: member.prompt_template.clone(), tools };
            flow_agents.insert(placed.name, flow_agent);
        }
        let reading: Arc<dyn ToolBox> = match &place {
            Some(place) => place.tools(Rights::Read)?,
            None => Arc::new(Tools::new(Vec::new())?),
        };
        for name in judges(&team).into_keys() {
            let Some(config) = configs.get(&name) else { continue };
            let (assembly, run_budgets, retry) = (&assembly, &run_budgets, input.retry);
            let factory = AgentFactory { assembly, run_budgets, retry, live, tape, more_tools: None };
            let agent = factory.agent(&name, config, MAX_TURNS, Helpers::default())?;
            let (system, tools) = (JUDGE_PROMPT.to_owned(), Arc::clone(&reading));
            flow_agents.insert(name, FlowAgent { agent, system, tools });
        }
        let redactor = Arc::clone(assembly.redactor());
        let team_parts = Arc::new(TeamParts {
            agents: flow_agents,
            tools: ToolCaller { name: AgentName::new(NAME)?, tools, redactor },
            place: place.clone(),
            title: parts.row.run.spec.title.clone(),
            prompt: input.prompt.clone(),
            recalls,
        });
        let graph = compile(&team, Some(&team_parts)).map_err(|problems| refused(&problems))?;
        let prepared = PreparedRun::new(graph, self.initial(&input)).ending_servers(parts);
        Ok(match &place {
            Some(place) => prepared.at(place).removing_unchanged(parts),
            None => prepared,
        })
    }

    fn edited(&self, input: &TeamInput, state: &Chat, edits: &[StateEdit]) -> Result<EditedState, EditError> {
        let known = input.team().map(|team| names(&team)).unwrap_or_default();
        chat::edited(state, edits, &known)
    }

    fn overridden(
        &self,
        input: &TeamInput,
        state: &Chat,
        position: &Position,
        next_agent: &str,
    ) -> Result<AgentOverride<Chat>, ServiceError> {
        let changed =
            overridden(&input.team()?, state, position, next_agent).map_err(|error| match error {
                OverrideRefused::Invalid(problem) => {
                    ServiceError::invalid(problem.about("details.next_agent"))
                }
                OverrideRefused::NotNow(problem) => ServiceError::conflict(problem),
            })?;
        let Overridden { position, state, handoff, note } = changed;
        Ok(AgentOverride { position, state, handoff, note })
    }

    fn version(&self, input: &TeamInput) -> Result<u32> {
        let graph = compile(&input.team()?, None).map_err(|problems| refused(&problems))?;
        Ok(graph.version())
    }

    fn names(&self, input: &TeamInput) -> Result<Option<RunNames>> {
        let team = input.team()?;
        let members = members(&team);
        let own = members.iter().flat_map(|placed| placed.team.tools.iter().map(|tool| tool.name.clone()));
        let of_teams = TEAM_TOOLS.iter().chain(&HITL_TOOLS).map(|name| (*name).to_owned());
        let own = own.chain(of_teams);
        let of_servers = input.mcp_tools.iter().map(|spec| spec.name.to_string());
        Ok(Some(RunNames {
            agents: members.iter().map(|placed| placed.name.clone()).collect(),
            tools: own.chain(of_servers).collect(),
            has_programs: configs(&team).values().any(|config| config.driver.is_program()),
        }))
    }

    fn needs_worktree(&self, input: &TeamInput) -> bool {
        !input.has_no_files
    }

    fn runs_in_foreground(&self) -> bool {
        true
    }

    fn drawing(&self, input: &TeamInput) -> Result<Drawing> {
        let graph = compile(&input.team()?, None).map_err(|problems| refused(&problems))?;
        Ok(graph.drawing())
    }
}

/// Where the agents work; nowhere if none of their tools uses files.
async fn place_of(
    input: &TeamInput,
    parts: &RunParts<'_>,
    assembly: &Assembly,
    agents: &[AgentConfig],
) -> Result<Option<Arc<dyn Workplace>>> {
    if input.has_no_files {
        return parts.without_worktree().map(|()| None);
    }
    let profile = Profile {
        copy_files: input.copy_files.clone(),
        worktree_setup: input.setup.clone(),
        ..Profile::default()
    };
    parts.prepared_workplace(assembly.redactor(), agents, &profile).await.map(Some)
}

fn refused(problems: &[ConfigProblem]) -> ServiceError {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    ServiceError::invalid(lines.join("\n"))
}
