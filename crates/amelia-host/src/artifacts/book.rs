//! The artifacts of a run at work: what its log tells, and what its tools have just written. Knows what each agent has seen,
//! so that two agents who write the same version make a conflict instead of a loss.

use std::collections::BTreeMap;
use std::sync::Arc;

use amelia_core::artifact::{ArtifactIndex, ArtifactPath, NewArtifact};
use amelia_core::event::{AgentEvent, ArtifactEvent, Event, EventKind, NodeEvent};
use amelia_core::id::{RunId, Seq, Step};
use amelia_core::problem::Problem;
use amelia_core::store::{Store, StoreError};
use jiff::Timestamp;
use tokio::sync::Mutex;

use super::tool_specs::READ;

/// Events read at once.
const PAGE: usize = 1000;

/// The artifacts of one run. Shared by its agents.
pub(crate) struct ArtifactBook {
    run: RunId,
    store: Arc<dyn Store>,
    pages: Mutex<Pages>,
}

#[derive(Default)]
struct Pages {
    /// How far the log was read.
    seq: Seq,
    /// What the log tells.
    index: ArtifactIndex,
    /// Facts that were handed out and are not in the log yet.
    pending: Vec<ArtifactEvent>,
    /// Where each visit began.
    entered: BTreeMap<Step, Seq>,
    /// The newest version that an agent has read or written.
    seen: BTreeMap<(String, ArtifactPath), u32>,
}

/// Who writes, and in which visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArtifactWriter {
    pub(crate) agent: String,
    pub(crate) step: Option<Step>,
}

/// What came of a write.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WrittenArtifact {
    /// To be written into the log; none when the content is that of the newest version.
    pub(crate) events: Vec<ArtifactEvent>,
    /// The artifact as it is then.
    pub(crate) index: ArtifactIndex,
}

impl ArtifactBook {
    pub(crate) fn new(run: RunId, store: Arc<dyn Store>) -> Self {
        Self { run, store, pages: Mutex::default() }
    }

    /// All artifacts now.
    pub(crate) async fn index(&self) -> Result<ArtifactIndex, StoreError> {
        let mut pages = self.pages.lock().await;
        self.catch_up(&mut pages).await?;
        Ok(pages.now())
    }

    /// Makes a version.
    pub(crate) async fn write(
        &self,
        writer: &ArtifactWriter,
        path: &ArtifactPath,
        new: NewArtifact,
    ) -> Result<Result<WrittenArtifact, Problem>, StoreError> {
        let mut pages = self.pages.lock().await;
        self.catch_up(&mut pages).await?;
        let mut index = pages.now();
        let seen = pages.seen_by(writer, path, &index);
        let new = NewArtifact { seen: Some(seen), created_by: Some(writer.agent.clone()), ..new };
        let events = match index.write(path, new) {
            Ok(events) => events,
            Err(problem) => return Ok(Err(problem)),
        };
        for event in &events {
            index.apply(event, Timestamp::now(), None);
        }
        pages.pending.extend(events.iter().cloned());
        pages.note_seen(writer, path, &index);
        Ok(Ok(WrittenArtifact { events, index }))
    }

    /// Notes that the file of an artifact was removed.
    pub(crate) async fn remove(&self, path: &ArtifactPath) {
        let mut pages = self.pages.lock().await;
        pages.pending.push(ArtifactEvent::Deleted { uri: path.uri() });
    }

    /// Notes that an agent knows the newest version.
    pub(crate) async fn note_read(&self, writer: &ArtifactWriter, path: &ArtifactPath) {
        let mut pages = self.pages.lock().await;
        let index = pages.now();
        pages.note_seen(writer, path, &index);
    }

    async fn catch_up(&self, pages: &mut Pages) -> Result<(), StoreError> {
        loop {
            let events = self.store.events(self.run, pages.seq, PAGE).await?;
            let Some(last) = events.last() else { return Ok(()) };
            pages.seq = last.seq;
            events.iter().for_each(|event| pages.apply(event));
        }
    }
}

impl Pages {
    fn now(&self) -> ArtifactIndex {
        let mut index = self.index.clone();
        for event in &self.pending {
            index.apply(event, Timestamp::now(), None);
        }
        index
    }

    fn apply(&mut self, event: &Event) {
        match &event.draft.kind {
            EventKind::Artifact(artifact) => {
                self.pending.retain(|pending| !is_same(pending, artifact));
                self.index.apply(artifact, event.draft.at, Some(event.seq));
            }
            EventKind::Node(NodeEvent::Entered { step, .. }) => {
                self.entered.insert(*step, event.seq);
            }
            // What was read before a crash was read.
            EventKind::Agent(AgentEvent::Returned(result))
                if result.tool.server.is_none() && result.tool.name == READ =>
            {
                for path in result.artifacts.iter().filter_map(|uri| ArtifactPath::of_uri(uri)) {
                    let newest = self.index.get(&path).and_then(|stored| stored.newest());
                    let number = newest.map_or(0, |newest| newest.number);
                    self.seen.insert((event.draft.agent.to_string(), path), number);
                }
            }
            _ => {}
        }
    }

    /// The newest version that an agent knows: that of the moment when its turn began, or a later one that it has read or
    /// written itself.
    fn seen_by(&self, writer: &ArtifactWriter, path: &ArtifactPath, index: &ArtifactIndex) -> u32 {
        let begun = writer.step.and_then(|step| self.entered.get(&step)).copied().unwrap_or(self.seq);
        let versions = index.get(path).map(|stored| stored.versions.as_slice()).unwrap_or_default();
        let is_known = |by: &Option<String>, seq: Option<Seq>| {
            by.as_ref() == Some(&writer.agent) || seq.is_some_and(|seq| seq <= begun)
        };
        let known = versions.iter().filter(|one| is_known(&one.artifact.created_by, one.seq));
        let known = known.map(|version| version.number).max().unwrap_or_default();
        let read = self.seen.get(&(writer.agent.clone(), path.clone())).copied();
        known.max(read.unwrap_or_default())
    }

    fn note_seen(&mut self, writer: &ArtifactWriter, path: &ArtifactPath, index: &ArtifactIndex) {
        if let Some(newest) = index.get(path).and_then(|stored| stored.newest()) {
            self.seen.insert((writer.agent.clone(), path.clone()), newest.number);
        }
    }
}

/// Whether a fact of the log is one that was handed out. Secrets are removed on the way, so not every word is the same.
fn is_same(pending: &ArtifactEvent, written: &ArtifactEvent) -> bool {
    match (pending, written) {
        (ArtifactEvent::Created(a), ArtifactEvent::Created(b)) => a.uri == b.uri && a.checksum == b.checksum,
        (
            ArtifactEvent::Modified { uri: a, version: v, artifact: Some(c), .. },
            ArtifactEvent::Modified { uri: b, version: w, artifact: Some(d), .. },
        ) => a == b && v == w && c.checksum == d.checksum,
        (
            ArtifactEvent::Versioned { uri: a, new: v, .. },
            ArtifactEvent::Versioned { uri: b, new: w, .. },
        ) => a == b && v == w,
        (ArtifactEvent::Deleted { uri: a }, ArtifactEvent::Deleted { uri: b }) => a == b,
        _ => false,
    }
}
