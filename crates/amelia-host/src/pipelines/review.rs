//! A review of changes that are there.

use amelia_agents::pipeline::implementation::state::Implementation;
use amelia_agents::pipeline::review::{self, NAME};
use amelia_core::checkpoint::Position;
use amelia_graph::draw::Drawing;
use anyhow::Result;
use async_trait::async_trait;

use super::implementation::{deps, progress};
use super::{ForkProgress, Pipeline};
use crate::implementation_input::ImplementationInput;
use crate::run_parts::{PreparedRun, RunParts, WriteExtent};

pub(super) struct ReviewPipeline;

#[async_trait]
impl Pipeline for ReviewPipeline {
    type Input = ImplementationInput;
    type State = Implementation;

    fn name(&self) -> &'static str {
        NAME
    }

    fn initial(&self, input: &ImplementationInput) -> Implementation {
        review::begin(input.wanted.clone())
    }

    async fn graph(
        &self,
        input: ImplementationInput,
        parts: &RunParts<'_>,
    ) -> Result<PreparedRun<Implementation>> {
        let deps = deps(&input, parts, WriteExtent::Files).await?;
        let ready = PreparedRun::new(review::graph(&deps)?, self.initial(&input));
        Ok(ready.at(&deps.place).ending_servers(parts))
    }

    fn drawing(&self, _: &ImplementationInput) -> Result<Drawing> {
        Ok(review::drawing()?)
    }

    fn progress(&self, state: &Implementation, position: &Position) -> ForkProgress {
        progress(state, position)
    }

    fn implementation(&self, state: Implementation) -> Option<Implementation> {
        Some(state)
    }
}
