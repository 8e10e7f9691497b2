//! From an issue to reviewed commits.

use std::sync::Arc;

use amelia_agents::pipeline::implementation::deps::Deps;
use amelia_agents::pipeline::implementation::state::Implementation;
use amelia_agents::pipeline::implementation::{self, NAME};
use amelia_core::checkpoint::Position;
use amelia_graph::draw::Drawing;
use anyhow::Result;
use async_trait::async_trait;

use super::{ForkProgress, Pipeline};
use crate::agent_factory::AgentFactory;
use crate::implementation_input::{ImplementationInput, own_prompts};
use crate::run_parts::{PreparedRun, RunParts, WriteExtent};

pub(super) struct ImplementationPipeline;

/// Nodes that look at work which is in no commit yet.
const IN_TASK: [&str; 4] = ["check", "review", "evaluate", "commit"];

#[async_trait]
impl Pipeline for ImplementationPipeline {
    type Input = ImplementationInput;
    type State = Implementation;

    fn name(&self) -> &'static str {
        NAME
    }

    fn initial(&self, input: &ImplementationInput) -> Implementation {
        Implementation { wanted: input.wanted.clone(), ..Implementation::default() }
    }

    async fn graph(
        &self,
        input: ImplementationInput,
        parts: &RunParts<'_>,
    ) -> Result<PreparedRun<Implementation>> {
        let deps = deps(&input, parts, WriteExtent::Commits).await?;
        let ready = PreparedRun::new(implementation::graph(&deps)?, self.initial(&input));
        Ok(ready.at(&deps.place).sparing_own_edits(parts).ending_servers(parts))
    }

    fn drawing(&self, input: &ImplementationInput) -> Result<Drawing> {
        Ok(implementation::drawing(&input.profile)?)
    }

    fn progress(&self, state: &Implementation, position: &Position) -> ForkProgress {
        progress(state, position)
    }

    fn implementation(&self, state: Implementation) -> Option<Implementation> {
        Some(state)
    }

    fn has_plan(&self) -> bool {
        true
    }
}

/// What the nodes work with.
pub(super) async fn deps(
    input: &ImplementationInput,
    parts: &RunParts<'_>,
    writing: WriteExtent,
) -> Result<Arc<Deps>> {
    let agents = input.agents()?;
    let assembly = parts.assembly(&agents)?;
    let redactor = assembly.redactor();
    let place = parts.workplace(redactor, &agents, &input.profile, writing).await?;
    let run_budgets = parts.run_budgets().await?;
    let date = parts.day();
    let oracle = input.oracle(&*place, &date).await?;
    let RunParts { live, tape, .. } = parts;
    let retry = input.profile.retry;
    let more_tools = parts.more_tools(&input.mcp_tools, &input.profile.mcp_tools, &*place)?;
    let factory =
        AgentFactory { assembly: &assembly, run_budgets: &run_budgets, retry, live, tape, more_tools };
    let roles = input.roles(&factory, oracle)?;
    let tracker = parts.tracker(redactor, &input.profile).await?;
    let mut profile = input.profile.clone();
    if parts.place()?.in_place {
        // There is only one checkout of the user.
        profile.parallel_tasks = 1;
    }
    let budget_gate = parts.budget_gate(&run_budgets, &roles.developer.name);
    let prompts = own_prompts(&input.prompts);
    Ok(Arc::new(Deps { profile, roles, place, tracker, prompts, budget_gate, date }))
}

/// How far the tasks had come.
pub(super) fn progress(state: &Implementation, position: &Position) -> ForkProgress {
    ForkProgress {
        last_commit: state.commits.iter().rev().find_map(|commit| commit.commit.clone()),
        is_in_task: is_in_task(state, position),
        is_divided: !state.lanes.open.is_empty(),
    }
}

fn is_in_task(state: &Implementation, position: &Position) -> bool {
    let ready = position.ready.keys().chain(position.entered.keys()).chain(position.stopped.keys());
    let mut nodes = ready.chain(&position.unrouted);
    let has_begun = state.progress.round > 0 || !state.progress.checks.is_empty();
    nodes.any(|node| IN_TASK.contains(&node.as_str()) || (has_begun && node.as_str() == "develop"))
}
