//! A workflow from a file.

use std::collections::BTreeMap;
use std::sync::Arc;

use amelia_agents::agent::Agent;
use amelia_agents::asking::NAME as ASK_HUMAN;
use amelia_agents::delegating::{SubAgent, SubAgents};
use amelia_agents::helpers::Helpers;
use amelia_agents::tool_step::ToolCaller;
use amelia_core::config::agent::{AgentConfig, DriverType};
use amelia_core::config::problem::ConfigProblem;
use amelia_core::config::profile::Profile;
use amelia_core::config::sub_agents::SubAgentLimits;
use amelia_core::id::AgentName;
use amelia_core::tool::{ToolBox, ToolName, ToolSpec};
use amelia_core::workplace::Rights;
use amelia_flows::chat::{self, Chat};
use amelia_flows::workflow::{FlowAgent, FlowParts, NAME, compile, names};
use amelia_graph::draw::Drawing;
use amelia_graph::editing::{EditError, EditedState, StateEdit};
use amelia_orchestrator::service::ServiceError;
use amelia_tools::Tools;
use amelia_tools::chosen::ChosenTools;
use amelia_tools::combined::CombinedTools;
use anyhow::Result;
use async_trait::async_trait;

use super::{Pipeline, RunNames};
use crate::agent_factory::AgentFactory;
use crate::mcp_servers::is_named;
use crate::run_parts::{PreparedRun, RunParts};
use crate::workflow_input::{COMPILER, WorkflowInput};

pub(super) struct WorkflowPipeline;

#[async_trait]
impl Pipeline for WorkflowPipeline {
    type Input = WorkflowInput;
    type State = Chat;

    fn name(&self) -> &'static str {
        NAME
    }

    fn initial(&self, input: &WorkflowInput) -> Chat {
        Chat::begin(&input.prompt, input.inputs.clone(), input.started_at)
    }

    fn names(&self, input: &WorkflowInput) -> Result<Option<RunNames>> {
        let is_program = |agent: AgentConfig| agent.driver != DriverType::Api;
        Ok(Some(RunNames {
            agents: input.agents.keys().cloned().collect(),
            tools: input.mcp_tools.iter().map(|tool| tool.name.to_string()).collect(),
            has_programs: input.configs().into_values().any(is_program),
        }))
    }

    async fn graph(&self, input: WorkflowInput, parts: &RunParts<'_>) -> Result<PreparedRun<Chat>> {
        if input.compiler != COMPILER {
            let message = "this run was started by a version of Amelia that reads workflows differently";
            return Err(ServiceError::conflict(message).into());
        }
        let configs = input.configs();
        let agents: Vec<AgentConfig> = configs.values().cloned().collect();
        let assembly = parts.assembly(&agents)?;
        let place = match self.needs_worktree(&input) {
            true => {
                let profile = Profile {
                    copy_files: input.copy_files.clone(),
                    worktree_setup: input.setup.clone(),
                    ..Profile::default()
                };
                Some(parts.prepared_workplace(assembly.redactor(), &agents, &profile).await?)
            }
            false => parts.without_worktree().map(|()| None)?,
        };
        let run_budgets = parts.run_budgets().await?;
        let RunParts { live, tape, .. } = parts;
        let (assembly, run_budgets, retry) = (&assembly, &run_budgets, input.retry);
        let factory = AgentFactory { assembly, run_budgets, retry, live, tape, more_tools: None };
        let tools: Arc<dyn ToolBox> = match &place {
            Some(place) => place.tools(Rights::Work)?,
            None => Arc::new(Tools::new(Vec::new())?),
        };
        // Without a place there are none.
        let of_servers = |specs: &[ToolSpec], wanted: &[String]| -> Result<Vec<Arc<dyn ToolBox>>> {
            let tools = place.iter().map(|place| parts.mcp_tools(specs, wanted, false, &**place));
            tools.collect()
        };
        let mut sub_agents = BTreeMap::new();
        for (name, config) in &configs {
            let Some(def) = input.agents.get(*name) else { continue };
            let person = def.tools.iter().any(|tool| tool == ASK_HUMAN);
            let helpers = Helpers { person, servers_ask: true, ..Helpers::default() };
            let chosen = def.tools.iter().map(|tool| ToolName::repaired(tool));
            let chosen = Arc::new(ChosenTools::new(Arc::clone(&tools), chosen));
            let is_wanted = |spec: &&ToolSpec| def.tools.iter().any(|wanted| is_named(spec, wanted));
            let specs: Vec<ToolSpec> = input.mcp_tools.iter().filter(is_wanted).cloned().collect();
            let agent_tools = CombinedTools::new(chosen, of_servers(&specs, &def.tools)?);
            let sub_agent = SubAgent {
                agent: factory.agent(name, config, def.max_iterations, helpers)?,
                role: def.role.clone(),
                system: def.system_prompt.clone(),
                tools: Arc::new(agent_tools),
                sub_agents: def.sub_agents.clone(),
            };
            sub_agents.insert((*name).to_owned(), sub_agent);
        }
        let flow_agents = flow_agents(sub_agents, input.sub_agents, parts.row.view.sub_agents);
        let redactor = Arc::clone(assembly.redactor());
        let tools = Arc::new(CombinedTools::new(tools, of_servers(&input.mcp_tools, &[])?));
        let tools = ToolCaller { name: AgentName::new(NAME)?, tools, redactor };
        let flow_parts = Arc::new(FlowParts { agents: flow_agents, tools });
        let graph = compile(&input.workflow, Some(&flow_parts)).map_err(|problems| refused(&problems))?;
        let prepared = PreparedRun::new(graph, self.initial(&input)).ending_servers(parts);
        Ok(match &place {
            Some(place) => prepared.at(place).removing_unchanged(parts),
            None => prepared,
        })
    }

    fn edited(
        &self,
        input: &WorkflowInput,
        state: &Chat,
        edits: &[StateEdit],
    ) -> Result<EditedState, EditError> {
        chat::edited(state, edits, &names(&input.workflow))
    }

    fn needs_worktree(&self, input: &WorkflowInput) -> bool {
        !input.has_no_files
    }

    fn runs_in_foreground(&self) -> bool {
        true
    }

    fn drawing(&self, input: &WorkflowInput) -> Result<Drawing> {
        let graph = compile(&input.workflow, None).map_err(|problems| refused(&problems))?;
        Ok(graph.drawing())
    }
}

/// The agents of the nodes, each with the tool to delegate to those that its file names.
fn flow_agents(
    agents: BTreeMap<String, SubAgent>,
    limits: SubAgentLimits,
    begun: u32,
) -> BTreeMap<String, FlowAgent> {
    let all = SubAgents::new(agents.clone(), limits, begun);
    let with_tool = |(name, one): (String, SubAgent)| {
        let tools = all.tool(&one.sub_agents).into_iter().collect();
        let agent = Agent { helpers: Helpers { tools, ..one.agent.helpers.clone() }, ..one.agent };
        (name, FlowAgent { agent, system: one.system, tools: one.tools })
    };
    agents.into_iter().map(with_tool).collect()
}

fn refused(problems: &[ConfigProblem]) -> ServiceError {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    ServiceError::invalid(lines.join("\n"))
}
