//! Runs that wait for a person, each with a question: what a server that was started after they were asked takes to list
//! all questions, page by page.

use std::path::Path;
use std::time::Instant;

use amelia_core::checkpoint::{Checkpoint, Position, SavedState};
use amelia_core::clock::{Clock, SystemClock};
use amelia_core::event::{EventKind, HumanEvent, RunEvent};
use amelia_core::human::{HumanKind, HumanRequest, OnTimeout};
use amelia_core::id::{AgentName, GraphName, RequestId, RunId, Seq};
use amelia_core::run::RunSpec;
use amelia_core::store::{Commit, Store};
use amelia_store::sqlite::{SqliteOptions, SqliteStore};
use anyhow::{Result, ensure};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use super::open_store::draft;
use super::server::Server;
use super::team::Team;
use super::{CaseArgs, own};
use crate::load::percentile;

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    fill(&args.dir, args.runs)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async move {
        let server = Server::start(&args.dir, &["--log-level", "warn"])?;
        let mut took = Vec::with_capacity(args.rounds);
        for _ in 0..args.rounds {
            let start = Instant::now();
            let listed = listed(&server).await?;
            took.push(1e3 * start.elapsed().as_secs_f64());
            ensure!(listed == args.runs, "{listed} questions are listed, not {}", args.runs);
        }
        let first_ms = took.first().copied().unwrap_or_default();
        took.sort_unstable_by(f64::total_cmp);
        Ok(json!({ "first_ms": first_ms, "p50_ms": percentile(&took, 0.5), "p99_ms": percentile(&took, 0.99) }))
    })
}

/// How many questions are on all pages.
async fn listed(server: &Server) -> Result<usize> {
    let (mut path, mut listed) = ("/api/inbox?limit=500".to_owned(), 0);
    loop {
        let page = server.ask("GET", &path, None).await?;
        listed += page.get("items").and_then(Value::as_array).map_or(0, Vec::len);
        let Some(next) = page.get("next_cursor").and_then(Value::as_str) else { return Ok(listed) };
        path = format!("/api/inbox?limit=500&cursor={next}");
    }
}

fn fill(dir: &Path, runs: usize) -> Result<()> {
    let store = SqliteStore::open(&own::file(dir), SqliteOptions::default())?;
    own::block_on(async move {
        let mut answers = Vec::with_capacity(runs);
        for _ in 0..runs {
            answers.push(store.commit(RunId(SystemClock.new_id()), Seq::START, waiting()?));
        }
        for answer in answers {
            answer.await?;
        }
        Ok(store.close().await?)
    })
}

/// The log of a run that waits for an approval.
fn waiting() -> Result<Commit> {
    let name = GraphName::new("team")?;
    let spec = Box::new(RunSpec::new(name.clone(), "benchmark"));
    let request = HumanRequest {
        id: RequestId(SystemClock.new_id()),
        kind: HumanKind::Approval,
        by: AgentName::system(),
        at: SystemClock.now(),
        prompt: "May I continue?".to_owned(),
        context: Value::Null,
        deadline: None,
        on_timeout: OnTimeout::default(),
        session: None,
        mode: None,
    };
    let kinds = [
        EventKind::Run(RunEvent::Created { spec }),
        EventKind::Run(RunEvent::Started),
        EventKind::Human(HumanEvent::Requested(request)),
        EventKind::Run(RunEvent::Paused { reason: HumanKind::Approval }),
    ];
    let checkpoint = Checkpoint {
        graph: name,
        version: 1,
        at: SystemClock.now(),
        position: Position::default(),
        state: SavedState::Snapshot(to_raw_value(&Team::small(1))?),
    };
    Ok(Commit { drafts: kinds.map(draft).into(), checkpoint: Some(checkpoint), ..Commit::default() })
}
