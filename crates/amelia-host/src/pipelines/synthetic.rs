//! The made-up runs of `amelia demo` and `amelia selftest`.

use std::sync::Arc;

use amelia_graph::draw::Drawing;
use anyhow::Result;
use async_trait::async_trait;
use serde_json::Value;

use super::Pipeline;
use crate::run_parts::{PreparedRun, RunParts};
use crate::synthetic::GRAPH;
use crate::synthetic::graph::{SyntheticWorld, graph};
use crate::synthetic::state::SyntheticState;

pub(super) struct SyntheticPipeline;

#[async_trait]
impl Pipeline for SyntheticPipeline {
    type Input = Value;
    type State = SyntheticState;

    fn name(&self) -> &'static str {
        GRAPH
    }

    fn initial(&self, _: &Value) -> SyntheticState {
        SyntheticState::default()
    }

    async fn graph(&self, input: Value, parts: &RunParts<'_>) -> Result<PreparedRun<SyntheticState>> {
        let graph = graph(&Arc::new(SyntheticWorld::quiet(parts.home().path())))?;
        Ok(PreparedRun::new(graph, self.initial(&input)))
    }

    fn drawing(&self, _: &Value) -> Result<Drawing> {
        // Nothing is written below the directory by drawing.
        Ok(graph(&Arc::new(SyntheticWorld::quiet(std::path::Path::new(""))))?.drawing())
    }

    fn runs_in_foreground(&self) -> bool {
        true
    }
}
