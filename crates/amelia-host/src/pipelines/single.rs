//! One agent does one thing: `amelia do`.

use std::sync::Arc;

use amelia_agents::pipeline::single::{self, NAME, Single};
use amelia_core::config::profile::Profile;
use amelia_graph::draw::Drawing;
use anyhow::Result;
use async_trait::async_trait;

use super::Pipeline;
use crate::agent_factory::AgentFactory;
use crate::run_parts::{PreparedRun, RunParts, WriteExtent};
use crate::single_agent_input::SingleAgentInput;

pub(super) struct SingleAgentPipeline;

#[async_trait]
impl Pipeline for SingleAgentPipeline {
    type Input = SingleAgentInput;
    type State = Single;

    fn name(&self) -> &'static str {
        NAME
    }

    fn initial(&self, input: &SingleAgentInput) -> Single {
        Single { goal: input.prompt.clone(), answer: None }
    }

    async fn graph(&self, input: SingleAgentInput, parts: &RunParts<'_>) -> Result<PreparedRun<Single>> {
        let agents = input.agents();
        let assembly = parts.assembly(&agents)?;
        let profile = Profile {
            copy_files: input.copy_files.clone(),
            worktree_setup: input.setup.clone(),
            ..Profile::default()
        };
        let place = parts.workplace(assembly.redactor(), &agents, &profile, WriteExtent::Files).await?;
        if parts.row.view.started_at.is_none() {
            place.prepare().await?;
        }
        let run_budgets = parts.run_budgets().await?;
        let told = input.told(place.path(), place.branch(), &place.survey().await?, parts.row)?;
        let RunParts { live, tape, .. } = parts;
        let (assembly, run_budgets, retry) = (&assembly, &run_budgets, input.retry);
        let more_tools = parts.more_tools(&input.mcp_tools, &input.mcp_wanted, &*place)?;
        let factory = AgentFactory { assembly, run_budgets, retry, live, tape, more_tools };
        let work = input.work(&factory, Arc::clone(&place), told)?;
        let ready = PreparedRun::new(single::graph(work)?, self.initial(&input));
        Ok(ready.at(&place).removing_unchanged(parts).ending_servers(parts))
    }

    fn drawing(&self, _: &SingleAgentInput) -> Result<Drawing> {
        Ok(single::drawing()?)
    }

    fn runs_in_foreground(&self) -> bool {
        true
    }
}
