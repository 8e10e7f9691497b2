//! Three agents that do not need each other and one that needs all of them, each with a model that takes its time: as a
//! workflow that lets the three work at once, and as one after the other.

use std::path::Path;

use amelia_scripted::{Script, serve};
use anyhow::{Result, anyhow};
use serde_json::{Value, json};

use super::flow_files::{write_agent, write_workflow};
use super::replayed::timed;
use super::{CaseArgs, repository};

/// A second for each of the three, half of one for the last.
const SCRIPT: &str = "
rules:
  - when: { model: worker }
    reply: { text: '....................', chunk: 1, chunk_delay_ms: 50 }
  - when: { model: writer }
    reply: { text: '..........', chunk: 1, chunk_delay_ms: 50 }
";
const TOGETHER: &str = "name: together
entry_point: all
nodes:
  all: { type: parallel, parallel_tasks: [one, two, three] }
  one: { type: agent, agent: worker, outputs: [one] }
  two: { type: agent, agent: worker, outputs: [two] }
  three: { type: agent, agent: worker, outputs: [three] }
  last: { type: agent, agent: writer, inputs: [one, two, three] }
edges:
  - { from: all, to: last }
";
const IN_TURN: &str = "name: in_turn
entry_point: one
nodes:
  one: { type: agent, agent: worker, outputs: [one] }
  two: { type: agent, agent: worker, outputs: [two] }
  three: { type: agent, agent: worker, outputs: [three] }
  last: { type: agent, agent: writer, inputs: [one, two, three] }
edges:
  - { from: one, to: two }
  - { from: two, to: three }
  - { from: three, to: last }
";

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    let checkout = args.dir.join("checkout");
    repository::make(&checkout, 1)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let script = Script::parse(SCRIPT).map_err(|error| anyhow!("{error}"))?;
    let model = runtime.block_on(serve(script, ([127, 0, 0, 1], 0).into()))?;
    define(&checkout, &model.url())?;
    let (together_ms, _) = timed(args, &["workflow", "run", "together", "Work", "--quiet"])?;
    let (in_turn_ms, _) = timed(args, &["workflow", "run", "in_turn", "Work", "--quiet"])?;
    Ok(json!({ "together_ms": together_ms, "in_turn_ms": in_turn_ms, "share": together_ms / in_turn_ms }))
}

fn define(checkout: &Path, url: &str) -> Result<()> {
    for agent in ["worker", "writer"] {
        write_agent(checkout, agent, url)?;
    }
    write_workflow(checkout, "together", TOGETHER)?;
    write_workflow(checkout, "in_turn", IN_TURN)
}
