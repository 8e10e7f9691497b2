//! The state of a run at a checkpoint, for people who look.

use amelia_core::store::{CheckpointAt, Store};
use amelia_core::view::RunRow;
use amelia_orchestrator::service::ServiceError;
use serde_json::Value;

use super::{conflict, unavailable};
use crate::pipelines;

/// The newest one when no checkpoint is named; null before the first.
pub(super) async fn shown_state(
    store: &dyn Store,
    row: &RunRow,
    checkpoint: Option<u32>,
) -> Result<Value, ServiceError> {
    let at = checkpoint.map_or(CheckpointAt::Latest, CheckpointAt::Number);
    let loaded = store.load(row.run.id, at).await.map_err(unavailable)?;
    let pipeline = pipelines::of(row).map_err(conflict)?;
    let Some(loaded) = loaded else { return Ok(Value::Null) };
    // A long state takes its time, which runs at work do not have.
    let read = tokio::task::spawn_blocking(move || pipeline.state(&loaded)).await;
    read.map_err(unavailable)?.map_err(conflict)
}
