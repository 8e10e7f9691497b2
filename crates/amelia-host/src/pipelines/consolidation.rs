//! Consolidation of what agents remember.

use amelia_agents::helpers::Helpers;
use amelia_agents::pipeline::consolidation::{
    self, ConsolidationParts, ConsolidationProgress, NAME, SUMMARISER,
};
use amelia_graph::draw::Drawing;
use anyhow::Result;
use async_trait::async_trait;

use super::Pipeline;
use crate::agent_factory::AgentFactory;
use crate::consolidation_input::ConsolidationInput;
use crate::run_parts::{PreparedRun, RunParts};

/// Answers of the model for one topic. More than one comes only where an answer was cut off.
const MAX_TURNS: u32 = 10;

pub(super) struct ConsolidationPipeline;

#[async_trait]
impl Pipeline for ConsolidationPipeline {
    type Input = ConsolidationInput;
    type State = ConsolidationProgress;

    fn name(&self) -> &'static str {
        NAME
    }

    fn initial(&self, input: &ConsolidationInput) -> ConsolidationProgress {
        ConsolidationProgress { topics: input.topics.len(), done: Vec::new() }
    }

    async fn graph(
        &self,
        input: ConsolidationInput,
        parts: &RunParts<'_>,
    ) -> Result<PreparedRun<ConsolidationProgress>> {
        let assembly = parts.assembly(&input.agents())?;
        let run_budgets = parts.run_budgets().await?;
        let RunParts { live, tape, .. } = parts;
        let (assembly, run_budgets, retry) = (&assembly, &run_budgets, input.retry);
        let factory = AgentFactory { assembly, run_budgets, retry, live, tape, more_tools: None };
        let agent = |config| factory.agent(SUMMARISER, config, MAX_TURNS, Helpers::default());
        let agent = input.agent.as_ref().map(agent).transpose()?;
        let initial = self.initial(&input);
        let work = ConsolidationParts { topics: input.topics, agent, memories: parts.memories()? };
        Ok(PreparedRun::new(consolidation::graph(work)?, initial))
    }

    fn drawing(&self, _: &ConsolidationInput) -> Result<Drawing> {
        Ok(consolidation::drawing()?)
    }

    fn needs_worktree(&self, _: &ConsolidationInput) -> bool {
        false
    }
}
