//! A request for a workflow or an agent from a file: the definitions as they are now, fixed.

use std::collections::BTreeMap;

use amelia_agents::asking::NAME as ASK_HUMAN;
use amelia_core::config::agent::{AgentConfig, AgentDef};
use amelia_core::config::profile::Profile;
use amelia_core::config::workflow::{NodeDef, NodeKind, Workflow};
use amelia_core::id::GraphName;
use amelia_core::object::Object;
use amelia_core::problem::Problem;
use amelia_core::run::{RunLocation, RunSpec};
use amelia_flows::workflow::NAME;
use amelia_git::GitError;
use amelia_orchestrator::service::{DefinitionName, RunRequest, ServiceError};
use jiff::Timestamp;

use super::placing::place_in;
use super::{LocalRunService, unavailable};
use crate::assemble::Assembly;
use crate::definitions::{DefinitionKind, Definitions, default_agent};
use crate::error::{refused_place, service_error};
use crate::keys::Keys;
use crate::place;
use crate::run_environment::RunEnvironment;
use crate::workflow_input::{COMPILER, WorkflowInput};
use crate::workspaces;

/// Tools that look at the history of a repository.
const NEED_GIT: [&str; 2] = ["git_diff", "git_log"];
/// The most bytes of the values that a run begins with.
pub(super) const MAX_INPUT_BYTES: usize = 256 * 1024;

impl LocalRunService {
    pub(super) async fn take_defined(
        &self,
        request: RunRequest,
        definition: DefinitionName,
        prompt: String,
        inputs: Object,
    ) -> Result<RunSpec, ServiceError> {
        let definitions = self.definitions(&request.worktree).await?;
        let (workflow, agents) = read_definition(&definitions, &definition)?;
        if serde_json::to_vec(&inputs).map_or(0, |bytes| bytes.len()) > MAX_INPUT_BYTES {
            let message = format!("the inputs are larger than {} KB", MAX_INPUT_BYTES / 1024);
            return Err(ServiceError::invalid(message));
        }
        let mcp_tools = self.mcp.find(tools_of(&workflow, &agents), &request.worktree).await?;
        // What the profile of this repository says about worktrees, when there is one.
        let profile = self.profiles.find_for(request.profile.as_deref(), &request.worktree).await;
        let profile = profile.map_err(unavailable)?.unwrap_or_default();
        let default_agent = default_agent(&agents, &profile)?;
        let Profile { retry, copy_files, worktree_setup, .. } = profile;
        let input = WorkflowInput {
            compiler: COMPILER,
            prompt,
            inputs,
            workflow,
            agents,
            default_agent,
            started_at: Timestamp::now(),
            retry,
            sub_agents: self.rules.as_ref().map(|rules| rules.sub_agents).unwrap_or_default(),
            mcp_tools,
            has_no_files: false,
            copy_files,
            setup: worktree_setup,
        };
        self.workflow_spec(request, input).await
    }

    /// Whether all agents can be used, and what they are made with.
    pub(super) fn check_agents<N: std::fmt::Display>(
        &self,
        configs: impl IntoIterator<Item = (N, AgentConfig)>,
    ) -> Result<Assembly, ServiceError> {
        let configs: Vec<(N, AgentConfig)> = configs.into_iter().collect();
        let agents: Vec<&AgentConfig> = configs.iter().map(|(_, config)| config).collect();
        self.check_keys(&agents)?;
        let assembly = Assembly::new(&self.home, &agents, &RunEnvironment::Live).map_err(service_error)?;
        for (name, config) in &configs {
            assembly.check(&[config]).map_err(|error| about_agent(name, service_error(error)))?;
        }
        Ok(assembly)
    }

    /// Where a run with these tools works: in the repository of the request, or in a directory of its own where there is none.
    pub(super) async fn place_or_workspace(
        &self,
        request: &RunRequest,
        tools: Vec<&str>,
        key: &str,
    ) -> Result<RunLocation, ServiceError> {
        let absent = match place::open(&request.worktree).await {
            Err(absent @ GitError::NotARepository { .. }) => absent,
            opened => return place_in(&opened.map_err(refused_place)?, request, key).await,
        };
        let of_request = [
            ("`in_place`", request.in_place),
            ("`branch`", request.branch.is_some()),
            ("`base`", request.base.is_some()),
        ];
        let of_request = of_request.into_iter().find(|(_, given)| *given).map(|(name, _)| name.to_owned());
        let of_tools =
            tools.into_iter().filter(|tool| NEED_GIT.contains(tool)).map(|tool| format!("the tool `{tool}`"));
        match of_request.into_iter().chain(of_tools).next() {
            None => workspaces::create(&self.home, key).await.map_err(service_error),
            Some(what) => {
                let Problem { message, hint } = Problem::from(absent);
                let problem = Problem { message: format!("{message}, and {what} needs one"), hint };
                Err(ServiceError::Conflict(problem).at("worktree_path"))
            }
        }
    }

    async fn workflow_spec(
        &self,
        request: RunRequest,
        mut input: WorkflowInput,
    ) -> Result<RunSpec, ServiceError> {
        let assembly = self.check_agents(input.configs())?;
        let keys = Keys::gather(&self.home, &[]).map_err(service_error)?;
        input.prompt = assembly.redactor().text(&input.prompt).into_owned();
        input.inputs = keys.redactor().clean(input.inputs);
        let title = title(&input);
        let place = self
            .place_or_workspace(&request, tools_of(&input.workflow, &input.agents), &place::key(&title))
            .await?;
        // A branch that a person chose is made in any case.
        input.has_no_files = !place.in_place && place.branch.is_none() && uses_no_files(&input);
        Ok(RunSpec {
            input: serde_json::to_value(&input).map_err(unavailable)?,
            budget: request.budget.at_most(self.ceiling()),
            profile: request.profile,
            place: Some(place),
            idempotency_key: request.idempotency_key,
            ..RunSpec::new(GraphName::new(NAME).map_err(unavailable)?, title)
        })
    }
}

/// Which agent cannot be used: only some agents of a definition may have a model of their own.
fn about_agent(name: impl std::fmt::Display, error: ServiceError) -> ServiceError {
    match error {
        ServiceError::Invalid(problem) => {
            let message = format!("agent `{name}`: {}", problem.message);
            ServiceError::Invalid(Problem { message, ..problem })
        }
        other => other,
    }
}

/// A definition and its agents, as their files are now.
pub(super) fn read_definition(
    definitions: &Definitions,
    definition: &DefinitionName,
) -> Result<(Workflow, BTreeMap<String, AgentDef>), ServiceError> {
    let workflow = match definition {
        DefinitionName::Workflow(name) => {
            let file = definitions.file(DefinitionKind::Workflow, name).map_err(ServiceError::NotFound)?;
            definitions.workflow(file).map_err(|refused| ServiceError::invalid(refused.to_string()))?
        }
        DefinitionName::Agent(name) => {
            definitions.file(DefinitionKind::Agent, name).map_err(ServiceError::NotFound)?;
            alone(name)
        }
    };
    let agents = definitions.agents_of(&workflow).map_err(|refused| refused_definition(&refused))?;
    Ok((workflow, agents))
}

/// The agent of the profile whose model those use that name none.
pub(super) fn default_agent(
    agents: &BTreeMap<String, AgentDef>,
    profile: &Profile,
) -> Result<Option<AgentConfig>, ServiceError> {
    default_agent::find(agents.values(), profile).map_err(ServiceError::Invalid)
}

/// All problems of a definition.
pub(super) fn refused_definition(problems: &[impl ToString]) -> ServiceError {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    ServiceError::invalid(lines.join("\n"))
}

/// Every tool that is named.
pub(super) fn tools_of<'a>(workflow: &'a Workflow, agents: &'a BTreeMap<String, AgentDef>) -> Vec<&'a str> {
    let of_nodes = workflow.nodes.values().filter_map(|node| match &node.kind {
        NodeKind::Tool { tool, .. } => Some(tool.as_str()),
        _ => None,
    });
    let of_agents = agents.values().flat_map(|agent| agent.tools.iter().map(String::as_str));
    of_nodes.chain(of_agents).collect()
}

/// Whether no tool of a workflow uses files. Those of servers may: they learn where the run works.
pub(super) fn uses_no_files(input: &WorkflowInput) -> bool {
    let WorkflowInput { workflow, agents, mcp_tools, .. } = input;
    mcp_tools.is_empty() && tools_of(workflow, agents).into_iter().all(|tool| tool == ASK_HUMAN)
}

/// One agent, as a workflow.
pub(super) fn alone(name: &str) -> Workflow {
    let node = NodeDef::new(NodeKind::Agent { agent: name.to_owned() });
    Workflow {
        name: name.to_owned(),
        description: None,
        patterns: Vec::new(),
        nodes: BTreeMap::from([(name.to_owned(), node)]),
        edges: Vec::new(),
        entry_point: name.to_owned(),
        checkpoints: Vec::new(),
        max_iterations: Workflow::DEFAULT_MAX_ITERATIONS,
    }
}

/// The name of the workflow and the first line of what it is asked, for lists.
fn title(input: &WorkflowInput) -> String {
    title_of(&input.workflow.name, &input.prompt)
}

/// A name and the first line of a prompt.
pub(super) fn title_of(name: &str, prompt: &str) -> String {
    let line = prompt.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let title = if line.is_empty() { name.to_owned() } else { format!("{name}: {line}") };
    title.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_missing_is_told_with_the_agent_that_needs_it() {
        let missing = crate::keys::missing("A_KEY", "deepseek");
        let ServiceError::Invalid(told) = about_agent("critic", ServiceError::Invalid(missing.clone()))
        else {
            panic!("another kind of error");
        };
        assert_eq!(told.message, "agent `critic`: the variable `A_KEY` is not set");
        assert_eq!(told.hint, missing.hint);
        assert_eq!(crate::keys::missing_in(&told.message), Some("A_KEY"));
    }
}
