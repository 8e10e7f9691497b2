//! A fork onto an edited definition: the file of a workflow or an agent as it is now, checked, and fit for the checkpoint.

use std::collections::BTreeMap;

use amelia_core::checkpoint::Position;
use amelia_core::config::agent::AgentDef;
use amelia_core::config::workflow::Workflow;
use amelia_core::event::RunEvent;
use amelia_core::problem::Problem;
use amelia_core::view::RunRow;
use amelia_flows::team::NAME as TEAM;
use amelia_flows::workflow::{NAME, compile};
use amelia_graph::travel::{NewDefinition, missing_in};
use amelia_orchestrator::service::{DefinitionName, ServiceError};

use super::workflows::{alone, default_agent, read_definition, refused_definition, tools_of, uses_no_files};
use super::{LocalRunService, unavailable};
use crate::error::service_error;
use crate::place;
use crate::run_parts::input;
use crate::workflow_input::WorkflowInput;

impl LocalRunService {
    /// The definition of a run as its file is now, for a fork that begins at this position.
    pub(super) async fn redefined(
        &self,
        row: &RunRow,
        position: &Position,
    ) -> Result<NewDefinition, ServiceError> {
        if row.run.spec.graph.as_str() != NAME {
            return Err(ServiceError::Invalid(without_file(row.run.spec.graph.as_str())));
        }
        let before: WorkflowInput = input(row).map_err(service_error)?;
        let place = place::of(row).map_err(service_error)?;
        let name = before.workflow.name.clone();
        let definition = match before.workflow == alone(&name) {
            true => DefinitionName::Agent(name.clone()),
            false => DefinitionName::Workflow(name.clone()),
        };
        let definitions = self.definitions(&place.repository).await?;
        let (workflow, agents) = read_definition(&definitions, &definition)?;
        let mcp_tools = self.mcp.find(tools_of(&workflow, &agents), &place.repository).await?;
        let changes = changes(&before, &workflow, &agents);
        let default_agent = match before.default_agent {
            Some(agent) => Some(agent),
            None => {
                let profile =
                    self.profiles.find_for(row.run.spec.profile.as_deref(), &place.repository).await;
                default_agent(&agents, &profile.map_err(unavailable)?.unwrap_or_default())?
            }
        };
        let mut new = WorkflowInput { workflow, agents, mcp_tools, default_agent, ..before };
        new.has_no_files = !place.in_place && uses_no_files(&new);
        self.check_agents(new.configs())?;
        let graph = compile(&new.workflow, None).map_err(|problems| refused_definition(&problems))?;
        let missing: Vec<String> = missing_in(&graph, position).into_iter().collect();
        if !missing.is_empty() {
            let message = format!(
                "the definition of `{name}` no longer has what this checkpoint needs: {}",
                missing.join(", ")
            );
            let hint =
                format!("put it back, or fork at an earlier checkpoint: amelia checkpoints {}", row.run.id);
            return Err(ServiceError::Conflict(Problem::new(message).with_hint(hint)));
        }
        Ok(NewDefinition {
            input: serde_json::to_value(&new).map_err(unavailable)?,
            version: graph.version(),
            limit: graph.limit(),
            event: RunEvent::DefinitionReplaced { name, changes },
        })
    }
}

/// What to do instead for a run whose definition a fork cannot replace.
fn without_file(graph: &str) -> Problem {
    match graph {
        TEAM => Problem::new(
            "a fork keeps the team of its run: --definition-from-file is for workflows and agents",
        )
        .with_hint("amelia fork RUN, then amelia team change FORK changes.yaml, then amelia resume FORK"),
        _ => Problem::new("only runs of workflows and agents from files have such a file")
            .with_hint("omit --definition-from-file"),
    }
}

/// What is different, each in a few words.
fn changes(before: &WorkflowInput, workflow: &Workflow, agents: &BTreeMap<String, AgentDef>) -> Vec<String> {
    let old = &before.workflow;
    let mut changes = differences("node", &old.nodes, &workflow.nodes);
    changes.extend(differences("agent", &before.agents, agents));
    let others = [
        ("edges", old.edges != workflow.edges || old.entry_point != workflow.entry_point),
        ("patterns", old.patterns != workflow.patterns),
        ("checkpoints", old.checkpoints != workflow.checkpoints),
        ("max_iterations", old.max_iterations != workflow.max_iterations),
    ];
    changes.extend(others.iter().filter(|(_, differs)| *differs).map(|(what, _)| format!("{what} changed")));
    changes
}

fn differences<T: PartialEq>(
    what: &str,
    before: &BTreeMap<String, T>,
    now: &BTreeMap<String, T>,
) -> Vec<String> {
    let gone = before.keys().filter(|name| !now.contains_key(*name));
    let gone = gone.map(|name| format!("{what} `{name}` removed"));
    let others = now.iter().filter_map(|(name, one)| match before.get(name) {
        None => Some(format!("{what} `{name}` added")),
        Some(other) => (other != one).then(|| format!("{what} `{name}` changed")),
    });
    gone.chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_team_is_changed_in_the_fork_and_not_read_from_its_file() {
        let hint = |graph: &str| without_file(graph).hint.unwrap_or_default();
        assert!(hint(TEAM).contains("amelia team change"), "{}", hint(TEAM));
        assert_eq!(hint("implementation"), "omit --definition-from-file");
    }
}
