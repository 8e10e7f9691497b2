//! Agents, workflows, teams and guardrail policies, as the server shows them.

mod policy;
mod team;

use std::path::Path;

use amelia_core::config::agent::AgentDef;
use amelia_core::config::workflow::Workflow;
use amelia_flows::workflow::{compile, inputs};
use amelia_orchestrator::service::ServiceError;
use amelia_server::DefinitionReader;
use amelia_wire::maf::agent::Agent;
use amelia_wire::maf::workflow::Workflow as WorkflowFile;
use amelia_wire::rest::definition::{
    AgentDetail, AgentSummary, CheckedAgent, CheckedGraph, CheckedTeam, DefinitionOrigin, DefinitionPlace,
    DefinitionProblem, DefinitionQuery, DefinitionText, GraphDetail, GraphSummary, PolicyDetail,
    PolicySummary, TeamDetail, TeamSummary,
};
use amelia_yaml::problem::FileProblem;
use async_trait::async_trait;
use serde_json::{Value, json};

use super::{HostMachine, look};
use crate::definitions::{DefinitionFile, DefinitionKind, Definitions, text_of};
use crate::refused_file::RefusedFile;

#[async_trait]
impl DefinitionReader for HostMachine {
    async fn agents(&self, query: &DefinitionQuery) -> Result<Vec<AgentSummary>, ServiceError> {
        self.with_definitions(query.worktree_path.clone(), |all| {
            let files = all.list(DefinitionKind::Agent).into_iter();
            Ok(files.map(|file| agent_summary(all, file)).collect())
        })
        .await
    }

    async fn agent(&self, name: &str, query: &DefinitionQuery) -> Result<AgentDetail, ServiceError> {
        let name = name.to_owned();
        self.with_definitions(query.worktree_path.clone(), move |all| {
            let file = all.file(DefinitionKind::Agent, &name).map_err(ServiceError::NotFound)?;
            let text = text_of(file).unwrap_or_default();
            Ok(AgentDetail { summary: agent_summary(all, file), text })
        })
        .await
    }

    async fn check_agent(&self, name: &str, text: DefinitionText) -> Result<CheckedAgent, ServiceError> {
        let name = name.to_owned();
        self.with_definitions(text.worktree_path, move |all| {
            let file = all.file_or_new(DefinitionKind::Agent, &name);
            Ok(checked_agent(all.agent_in(&file, &text.text)))
        })
        .await
    }

    async fn graphs(&self, query: &DefinitionQuery) -> Result<Vec<GraphSummary>, ServiceError> {
        self.with_definitions(query.worktree_path.clone(), |all| {
            let files = all.list(DefinitionKind::Workflow).into_iter();
            Ok(files.map(|file| graph_summary(all, file)).collect())
        })
        .await
    }

    async fn defined_graph(&self, name: &str, query: &DefinitionQuery) -> Result<GraphDetail, ServiceError> {
        let name = name.to_owned();
        self.with_definitions(query.worktree_path.clone(), move |all| {
            let file = all.file(DefinitionKind::Workflow, &name).map_err(ServiceError::NotFound)?;
            let text = text_of(file).unwrap_or_default();
            Ok(GraphDetail { summary: graph_summary(all, file), text })
        })
        .await
    }

    async fn check_graph(&self, name: &str, text: DefinitionText) -> Result<CheckedGraph, ServiceError> {
        let name = name.to_owned();
        self.with_definitions(text.worktree_path, move |all| {
            let file = all.file_or_new(DefinitionKind::Workflow, &name);
            Ok(checked_graph(all, &file, all.workflow_in(&file, &text.text)))
        })
        .await
    }

    async fn teams(&self, query: &DefinitionQuery) -> Result<Vec<TeamSummary>, ServiceError> {
        self.with_definitions(query.worktree_path.clone(), team::summaries).await
    }

    async fn team(&self, name: &str, query: &DefinitionQuery) -> Result<TeamDetail, ServiceError> {
        let name = name.to_owned();
        self.with_definitions(query.worktree_path.clone(), move |all| team::detail(all, &name)).await
    }

    async fn check_team(&self, text: DefinitionText) -> Result<CheckedTeam, ServiceError> {
        self.with_definitions(text.worktree_path, move |all| Ok(team::of_text(all, &text.text))).await
    }

    async fn policies(&self, query: &DefinitionQuery) -> Result<Vec<PolicySummary>, ServiceError> {
        self.with_definitions(query.worktree_path.clone(), |all| Ok(policy::summaries(all))).await
    }

    async fn policy(&self, name: &str, query: &DefinitionQuery) -> Result<PolicyDetail, ServiceError> {
        let name = name.to_owned();
        self.with_definitions(query.worktree_path.clone(), move |all| policy::detail(all, &name)).await
    }

    async fn place_of(
        &self,
        kind: DefinitionKind,
        name: &str,
    ) -> Result<Option<DefinitionPlace>, ServiceError> {
        let name = name.to_owned();
        self.with_definitions(None, move |all| Ok(all.file(kind, &name).ok().map(place))).await
    }

    async fn check_sent(
        &self,
        kind: DefinitionKind,
        name: &str,
        text: String,
    ) -> Result<Vec<DefinitionProblem>, ServiceError> {
        let file = DefinitionFile::stored(kind, name.to_owned(), text);
        self.with_definitions(None, move |all| Ok(problems_of(all, &file))).await
    }
}

impl HostMachine {
    /// Reads files apart from what must not wait for a disk.
    async fn with_definitions<T: Send + 'static>(
        &self,
        directory: Option<String>,
        read: impl FnOnce(&Definitions) -> Result<T, ServiceError> + Send + 'static,
    ) -> Result<T, ServiceError> {
        let (home, stored) = (self.home.clone(), self.run_service.stored_definitions());
        let directory = directory.map(|typed| look::expanded(&typed)).filter(|path| !path.is_empty());
        if let Some(path) = directory.as_ref().filter(|path| !Path::new(path).is_absolute()) {
            let message = format!("`{path}` is not an absolute path");
            return Err(ServiceError::invalid(message).at("worktree_path"));
        }
        let lost = |_| ServiceError::unavailable("the files could not be read");
        let find = move || match directory {
            Some(directory) => Definitions::find(&home, Path::new(&directory)),
            None => Definitions::of_home(&home),
        };
        let found = tokio::task::spawn_blocking(find).await.map_err(lost)?.with_stored(&stored).await;
        let found = found.map_err(|error| ServiceError::unavailable(error.to_string()))?;
        tokio::task::spawn_blocking(move || read(&found)).await.map_err(lost)?
    }
}

/// What is wrong with a definition, of any kind.
fn problems_of(all: &Definitions, file: &DefinitionFile) -> Vec<DefinitionProblem> {
    match file.kind {
        DefinitionKind::Agent => checked_agent(all.agent(file)).problems,
        DefinitionKind::Workflow => checked_graph(all, file, all.workflow(file)).problems,
        DefinitionKind::Team => team::checked(file, all.team(file)).problems,
        DefinitionKind::Policy => policy::checked(all.policy(file)).problems,
    }
}

fn agent_summary(all: &Definitions, file: &DefinitionFile) -> AgentSummary {
    AgentSummary { place: place(file), checked: checked_agent(all.agent(file)) }
}

fn graph_summary(all: &Definitions, file: &DefinitionFile) -> GraphSummary {
    GraphSummary { place: place(file), checked: checked_graph(all, file, all.workflow(file)) }
}

fn place(file: &DefinitionFile) -> DefinitionPlace {
    DefinitionPlace {
        name: file.name.clone(),
        source: match file.is_of_repository {
            _ if file.stored.is_some() => DefinitionOrigin::Api,
            true => DefinitionOrigin::Repository,
            false => DefinitionOrigin::Home,
        },
        path: file.path.display().to_string(),
    }
}

fn checked_agent(read: Result<AgentDef, RefusedFile>) -> CheckedAgent {
    match read {
        Err(refused) => CheckedAgent { problems: problems(None, &[refused]), ..CheckedAgent::default() },
        Ok(agent) => CheckedAgent {
            problems: Vec::new(),
            description: Some(agent.role.clone()),
            definition: Some(json!(Agent::from(agent))),
        },
    }
}

/// The agents that a workflow names are checked with it.
fn checked_graph(
    all: &Definitions,
    file: &DefinitionFile,
    read: Result<Workflow, RefusedFile>,
) -> CheckedGraph {
    let refused = |files: &[RefusedFile]| CheckedGraph {
        problems: problems(Some(file), files),
        ..CheckedGraph::default()
    };
    let workflow = match read {
        Ok(workflow) => workflow,
        Err(found) => return refused(&[found]),
    };
    if let Err(found) = all.agents_of(&workflow) {
        return refused(&found);
    }
    CheckedGraph {
        problems: Vec::new(),
        description: workflow.description.clone(),
        inputs: inputs(&workflow).into_iter().collect(),
        graph: drawing(&workflow),
        definition: Some(json!(WorkflowFile::from(workflow))),
    }
}

/// What has been read makes a graph.
fn drawing(workflow: &Workflow) -> Option<Value> {
    compile(workflow, None).ok().map(|graph| json!(graph.drawing()))
}

/// Every problem; `None` as the file that is looked at means that all are in it.
fn problems(file: Option<&DefinitionFile>, refused: &[RefusedFile]) -> Vec<DefinitionProblem> {
    let of = |found: &RefusedFile| {
        let other = file.filter(|file| file.path != found.path).map(|_| found.path.display().to_string());
        let problem = |problem: &FileProblem| DefinitionProblem {
            file: other.clone(),
            line: problem.line,
            column: problem.column,
            path: problem.path.clone(),
            message: problem.message.clone(),
        };
        found.problems.iter().map(problem).collect::<Vec<_>>()
    };
    refused.iter().flat_map(of).collect()
}
