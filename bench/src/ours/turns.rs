//! What a turn costs beside its model and its tools: each turn says 1 KiB and makes two calls, and all of it is stored
//! before the next one. The model answers at once, in this process.

use std::sync::Arc;
use std::time::{Duration, Instant};

use amelia_agents::live::unseen;
use amelia_agents::pipeline::single;
use amelia_core::driver::{DriverError, Usage};
use amelia_core::event::{AgentEvent, EventKind};
use amelia_core::id::{CallId, Seq};
use amelia_core::message::{Object, Part, TextPart};
use amelia_core::store::Store;
use amelia_core::tool::{CallOptions, ToolCall, ToolName};
use amelia_drivers::model::{
    Model, ModelFailure, ModelReply, ModelRequest, ReplyChunk, ReplyStream, StopReason,
};
use anyhow::{Result, ensure};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::{CaseArgs, agent, own, team};

/// Turns over which a cost is taken.
const WINDOW: usize = 50;
/// The turns that are compared.
pub(super) const EARLY: usize = 10;
pub(super) const LATE: usize = 400;

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    let (runs, rounds, n) = (own::open(args)?, args.rounds, args.n);
    own::block_on(async move {
        let mut best = 0.0_f64;
        let mut costs = Vec::new();
        for _ in 0..rounds {
            let model = Arc::new(AtOnce::new(n));
            let graph = single::graph(agent::work(Arc::clone(&model) as Arc<dyn Model>, unseen())?)?;
            let start = Instant::now();
            let run = own::complete(&runs, &graph, agent::goal()).await?;
            best = best.max(own::rate(n, start.elapsed()));
            check(runs.store().as_ref(), run, n).await?;
            costs.push(model.costs());
        }
        runs.store().close().await?;
        let (early, late) = (cost_us(&costs, EARLY), cost_us(&costs, LATE));
        let growth = early.zip(late).map(|(early, late)| late / early);
        Ok(json!({ "turns_s": best, "early_us": early, "late_us": late, "growth": growth }))
    })
}

/// Everything that happened is in the log: every turn, what it cost, its calls and their results.
async fn check(store: &dyn Store, run: amelia_core::id::RunId, n: usize) -> Result<()> {
    let events = store.events(run, Seq::START, usize::MAX).await?;
    let count = |is: fn(&AgentEvent) -> bool| {
        let agent = |kind: &EventKind| matches!(kind, EventKind::Agent(event) if is(event));
        events.iter().filter(|event| agent(&event.draft.kind)).count()
    };
    let found = [
        count(|event| matches!(event, AgentEvent::Said(_))),
        count(|event| matches!(event, AgentEvent::Used(_))),
        count(|event| matches!(event, AgentEvent::Called(_))),
        count(|event| matches!(event, AgentEvent::Returned(_))),
    ];
    // The task and the answer are said, too, and the answer is a turn without calls.
    let expected = [n + 1, n, 2 * (n - 1), 2 * (n - 1)];
    ensure!(found == expected, "{found:?} are stored, not {expected:?}");
    Ok(())
}

/// What the turns from `first` on cost, over all rounds; nothing when a conversation has not so many. The lower
/// quartile: a turn in which another program had the core, or the store worked its log into the file, says nothing
/// about the length of the conversation.
pub(super) fn cost_us(rounds: &[Vec<Duration>], first: usize) -> Option<f64> {
    let windows: Option<Vec<&[Duration]>> =
        rounds.iter().map(|costs| costs.get(first - 1..first - 1 + WINDOW)).collect();
    let mut costs = windows?.concat();
    costs.sort_unstable();
    costs.get(costs.len() / 4).map(|cost| 1e6 * cost.as_secs_f64())
}

/// A model that takes no time, and remembers when it was asked. It calls tools in all turns but the last one.
pub(super) struct AtOnce {
    turns: usize,
    text: String,
    asked: Mutex<Vec<Instant>>,
}

impl AtOnce {
    pub(super) fn new(turns: usize) -> Self {
        Self { turns, text: team::text(0), asked: Mutex::new(Vec::with_capacity(turns)) }
    }

    /// From each question to the next.
    pub(super) fn costs(&self) -> Vec<Duration> {
        let asked = self.asked.lock();
        asked.windows(2).filter_map(|pair| Some(pair.last()?.duration_since(*pair.first()?))).collect()
    }

    fn reply(&self, turn: usize) -> Result<ModelReply, ModelFailure> {
        let mut parts = vec![Part::Text(TextPart::new(&self.text))];
        let is_last = turn >= self.turns;
        for tool in agent::TOOLS.iter().filter(|_| !is_last) {
            let id = CallId::new(format!("call_{turn}_{tool}"));
            parts.push(Part::ToolCall(ToolCall {
                id: id.map_err(|error| ModelFailure::Garbage(error.to_string()))?,
                tool: ToolName::builtin(*tool),
                args: Object::from_iter([("path".to_owned(), json!("src/main.rs"))]),
                at: None,
                options: CallOptions::default(),
            }));
        }
        let stop = if is_last { StopReason::Done } else { StopReason::Tools };
        let usage = Usage { input_tokens: Some(1000), output_tokens: Some(100), ..Usage::default() };
        Ok(ModelReply { parts, usage, stop })
    }
}

impl Model for AtOnce {
    fn provider(&self) -> &'static str {
        "benchmark"
    }

    fn told(&self, _: &str, failure: &ModelFailure) -> String {
        failure.to_string()
    }

    fn ask(&self, _: ModelRequest) -> ReplyStream {
        let turn = {
            let mut asked = self.asked.lock();
            asked.push(Instant::now());
            asked.len()
        };
        Box::pin(futures_util::stream::iter([self.reply(turn).map(ReplyChunk::Reply)]))
    }

    fn give_up(&self, failure: ModelFailure, _: &str, _: u32) -> DriverError {
        DriverError::Setup(failure.to_string())
    }
}
