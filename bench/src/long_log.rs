//! A run with a very long log in a home, for looking at it in a browser: the demo's own facts, told over and over.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use amelia_core::clock::{Clock as _, SystemClock};
use amelia_core::config::server::Durability;
use amelia_core::event::{Draft, Event, EventKind, NodeEvent, RunEvent};
use amelia_core::id::{EventId, NodeId, RunId, Seq, Step};
use amelia_core::run::{Domain, RunSpec};
use amelia_core::store::{Commit, Store};
use amelia_orchestrator::runs::Runs;
use amelia_store::sqlite::{SqliteOptions, SqliteStore};
use anyhow::{Context, Result};
use serde_json::Value;

/// Facts that go into the log with one commit.
const BATCH: usize = 500;

#[derive(clap::Args)]
pub(crate) struct LongLog {
    /// The home of a server that is not running
    #[arg(long)]
    home: PathBuf,
    /// How many events
    #[arg(long, default_value_t = 100_000)]
    events: u64,
    /// What is written: `crates/amelia/demo/recording.jsonl`
    #[arg(long)]
    recording: PathBuf,
}

/// Writes it, and prints the run's id.
pub(crate) fn run(args: &LongLog) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let facts = facts(&args.recording)?;
        let id = write(&args.home, &facts, args.events).await?;
        println!("{id}");
        Ok(())
    })
}

fn facts(recording: &Path) -> Result<Vec<Event>> {
    let text = std::fs::read_to_string(recording).with_context(|| recording.display().to_string())?;
    let mut facts = Vec::new();
    for line in text.lines() {
        let mut line: Value = serde_json::from_str(line)?;
        if let Some(event) = line.get_mut("event") {
            facts.push(serde_json::from_value(event.take())?);
        }
    }
    Ok(facts)
}

async fn write(home: &Path, facts: &[Event], events: u64) -> Result<RunId> {
    let options = SqliteOptions { durability: Durability::Relaxed, ..SqliteOptions::default() };
    let store = SqliteStore::open(&home.join("amelia.db"), options).context("the store")?;
    let store: Arc<dyn Store> = Arc::new(store);
    let runs = Runs::new(Arc::clone(&store), Arc::new(SystemClock));
    let spec = facts.iter().find_map(spec_of).context("the recording has no beginning")?;
    let run = runs.create(RunSpec { title: "A very long run".to_owned(), ..spec }).await?;
    let mut end = store.run(run).await?.context("the run is gone")?.view.seq;
    let mut story = Story { facts, at: 0, step: 0 };
    let mut waiting =
        vec![outside(EventKind::Run(RunEvent::Queued)), outside(EventKind::Run(RunEvent::Started))];
    while end.0 < events {
        while waiting.len() < BATCH {
            story.tell(&mut waiting);
        }
        end = commit(&store, run, end, std::mem::take(&mut waiting)).await?;
    }
    commit(&store, run, end, vec![outside(EventKind::Run(RunEvent::Completed { summary: None }))]).await?;
    Ok(run)
}

/// Where the log ends then.
async fn commit(store: &Arc<dyn Store>, run: RunId, after: Seq, drafts: Vec<Draft>) -> Result<Seq> {
    let committed = store.commit(run, after, Commit { drafts, ..Commit::default() }).await?;
    committed.events.last().map(|event| event.seq).context("nothing was written")
}

fn spec_of(event: &Event) -> Option<RunSpec> {
    match &event.draft.kind {
        EventKind::Run(RunEvent::Created { spec }) => Some((**spec).clone()),
        _ => None,
    }
}

fn outside(kind: EventKind) -> Draft {
    Draft::of_system(&SystemClock, Domain::default(), kind)
}

/// The stages of the demo, again and again.
struct Story<'a> {
    facts: &'a [Event],
    at: usize,
    step: u32,
}

impl Story<'_> {
    /// Tells one more fact; at the end of the recording it begins anew.
    fn tell(&mut self, told: &mut Vec<Draft>) {
        let fact = self.facts.get(self.at);
        self.at = if fact.is_none() { 0 } else { self.at.saturating_add(1) };
        let Some(fact) = fact else { return };
        let kind = match &fact.draft.kind {
            EventKind::Node(NodeEvent::Entered { node, .. }) => {
                self.step = self.step.saturating_add(1);
                self.entered(node.clone())
            }
            EventKind::Node(NodeEvent::Left { node, duration_ms, .. }) => {
                let (node, duration_ms) = (node.clone(), *duration_ms);
                EventKind::Node(NodeEvent::Left { node, step: Step(self.step), duration_ms })
            }
            EventKind::Run(_) | EventKind::Human(_) => return,
            kind => kind.clone(),
        };
        told.push(self.draft(&fact.draft, kind));
    }

    fn entered(&self, node: NodeId) -> EventKind {
        EventKind::Node(NodeEvent::Entered { node, step: Step(self.step) })
    }

    fn draft(&self, fact: &Draft, kind: EventKind) -> Draft {
        let step = fact.step.is_some().then_some(Step(self.step));
        Draft { id: EventId(SystemClock.new_id()), at: SystemClock.now(), step, kind, ..fact.clone() }
    }
}
