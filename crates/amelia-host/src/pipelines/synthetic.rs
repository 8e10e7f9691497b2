//! The made-up runs of `amelia demo` and `amelia selftest`.

use std::sync::Arc;

use amelia_graph::draw::Drawing;
use anyhow::Result;
use async_trait::async_trait;
use serde_json::Value;

use super::Pipeline;
use crate::run_parts::{Ready, RunParts};
use crate::synthetic::GRAPH;
use crate::synthetic::graph::{Surroundings, graph};
use crate::synthetic::state::Work;

pub(super) struct SyntheticPipeline;

#[async_trait]
impl Pipeline for SyntheticPipeline {
    type Input = Value;
    type State = Work;

    fn name(&self) -> &'static str {
        GRAPH
    }

    fn initial(&self, _: &Value) -> Work {
        Work::default()
    }

    async fn graph(&self, input: Value, parts: &RunParts<'_>) -> Result<Ready<Work>> {
        let graph = graph(&Arc::new(Surroundings::quiet(parts.home().path())))?;
        Ok(Ready::new(graph, self.initial(&input)))
    }

    fn drawing(&self, _: &Value) -> Result<Drawing> {
        // Nothing is written below the directory by drawing.
        Ok(graph(&Arc::new(Surroundings::quiet(std::path::Path::new(""))))?.drawing())
    }

    fn runs_in_foreground(&self) -> bool {
        true
    }
}
