//! A store with 10,000 runs (100 unfinished) and 1 million events: how long until a fresh process knows every
//! status, and what that weighs at most. Filling is not timed; a file that is there already is not filled again.

use std::path::Path;
use std::time::Instant;

use amelia_core::checkpoint::{Checkpoint, Position, SavedState};
use amelia_core::clock::{Clock, SystemClock};
use amelia_core::config::server::Durability;
use amelia_core::event::{Draft, EventKind, NodeEvent, RunEvent};
use amelia_core::id::{AgentName, EventId, GraphName, NodeId, RunId, Seq, Step};
use amelia_core::run::{Domain, RunSpec};
use amelia_core::store::{Commit, Store};
use amelia_store::sqlite::{SqliteOptions, SqliteStore};
use anyhow::{Result, ensure};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use super::team::Team;
use super::{CaseArgs, own, process};

const RUNS: usize = 10_000;
/// One run of a hundred has not ended.
const UNFINISHED_EVERY: usize = 100;
const EVENTS_OF_RUN: usize = 100;
/// Runs whose commits are awaited together.
const GROUP: usize = 200;

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    if args.child {
        return open(args);
    }
    if !own::file(&args.dir).exists() {
        fill(&args.dir, RUNS)?;
    }
    process::child(args, &args.dir)
}

fn open(args: &CaseArgs) -> Result<Value> {
    let start = Instant::now();
    let runs = own::open(args)?;
    own::block_on(async move {
        let statuses = runs.store().statuses().await?;
        let open_s = start.elapsed().as_secs_f64();
        let unfinished = statuses.iter().filter(|(_, status)| !status.is_final()).count();
        ensure!(statuses.len() == RUNS, "{} runs, not {RUNS}", statuses.len());
        ensure!(unfinished == RUNS / UNFINISHED_EVERY, "{unfinished} unfinished runs");
        let peak = u32::try_from(process::peak_resident_kib()?)?;
        runs.store().close().await?;
        Ok(json!({ "open_s": open_s, "rss_mb": f64::from(peak) * 1024.0 / 1e6 }))
    })
}

pub(super) fn fill(dir: &Path, runs: usize) -> Result<()> {
    // Filled under another name: a fill that was cut short is not taken for a whole one.
    let filling = dir.join("filling.db");
    let store = SqliteStore::open(
        &filling,
        SqliteOptions { durability: Durability::Relaxed, ..SqliteOptions::default() },
    )?;
    own::block_on(async move {
        let numbers: Vec<usize> = (0..runs).collect();
        for group in numbers.chunks(GROUP) {
            let mut answers = Vec::with_capacity(group.len());
            for number in group {
                let commit = history(number % UNFINISHED_EVERY != 0)?;
                answers.push(store.commit(RunId(SystemClock.new_id()), Seq::START, commit));
            }
            for answer in answers {
                answer.await?;
            }
        }
        Ok(store.close().await?)
    })?;
    Ok(std::fs::rename(filling, own::file(dir))?)
}

/// The whole log of one run at once: created, started, node after node, and its end if it has one.
fn history(is_ended: bool) -> Result<Commit> {
    let name = GraphName::new("team")?;
    let nodes = [NodeId::new("developer")?, NodeId::new("reviewer")?];
    let spec = Box::new(RunSpec::new(name.clone(), "benchmark"));
    let mut kinds = vec![EventKind::Run(RunEvent::Created { spec }), EventKind::Run(RunEvent::Started)];
    let visits = (1..).map(Step).zip(nodes.iter().cloned().cycle()).flat_map(|(step, node)| {
        let left = NodeEvent::Left { node: node.clone(), step, duration_ms: 1_000 };
        [NodeEvent::Entered { node, step }, left]
    });
    let is_running = usize::from(!is_ended);
    kinds.extend(visits.take(EVENTS_OF_RUN - 3 + is_running).map(EventKind::Node));
    if is_ended {
        kinds.push(EventKind::Run(RunEvent::Completed { summary: None }));
    }
    let checkpoint = Checkpoint {
        graph: name,
        version: 1,
        at: SystemClock.now(),
        position: Position { ended: is_ended, ..Position::default() },
        state: SavedState::Snapshot(to_raw_value(&Team::small(1))?),
    };
    Ok(Commit {
        drafts: kinds.into_iter().map(draft).collect(),
        checkpoint: Some(checkpoint),
        ..Commit::default()
    })
}

pub(super) fn draft(kind: EventKind) -> Draft {
    Draft {
        id: EventId(SystemClock.new_id()),
        at: SystemClock.now(),
        agent: AgentName::system(),
        domain: Domain::default(),
        session: None,
        step: None,
        cause: None,
        kind,
    }
}
