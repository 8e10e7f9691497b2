//! Traces for OpenTelemetry: when `otlp_endpoint` is configured, the spans of a run go there whenever the run comes to rest.
//! They are folded from the log, and their ids are those of events, so a span that is sent again after a restart is the
//! same. Nothing that people or models wrote is part of a span.

mod otlp;
mod sending;
mod spans;

use std::collections::HashMap;
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;

use amelia_core::event::Event;
use amelia_core::id::{RunId, Seq};
use amelia_core::store::{Store, StoreError};
use amelia_orchestrator::orchestrator::Orchestrator;
use anyhow::Result;

use self::sending::Sender;
use self::spans::{Span, SpanFold, has_ended, is_rest};
use crate::home::Home;
use crate::keys::Keys;

/// What the collector wants in each request, such as a key: `name=value,name2=value2`.
pub const HEADERS_ENV: &str = "OTEL_EXPORTER_OTLP_HEADERS";
/// Events read at once.
const PAGE: usize = 1000;

/// The export of traces, ready to be served.
pub struct TraceExport {
    sender: Option<Sender>,
    /// Where is noted up to which event everything was sent.
    note: PathBuf,
}

impl TraceExport {
    /// Nothing is exported without an endpoint.
    pub fn new(home: &Home, endpoint: Option<&str>) -> Result<Self> {
        let sender = match endpoint {
            Some(endpoint) => {
                Some(Sender::new(endpoint, Keys::gather(home, &[HEADERS_ENV])?.get(HEADERS_ENV))?)
            }
            None => None,
        };
        Ok(Self { sender, note: home.path().join("traces_sent") })
    }

    /// Sends spans for as long as it is polled, and never ends: the server outlives its export.
    pub async fn serve(mut self, orchestrator: &Orchestrator) -> Infallible {
        if let Some(sender) = self.sender.take() {
            let followed = Follower::new(sender, self.note, orchestrator).follow(orchestrator).await;
            if let Err(error) = followed {
                tracing::error!("no more traces are exported until the server starts again: {error:#}");
            }
        }
        std::future::pending().await
    }
}

/// The export at work.
struct Follower {
    sender: Sender,
    note: PathBuf,
    store: Arc<dyn Store>,
    /// Runs at rest that may continue, as far as they were read.
    runs: HashMap<RunId, ReadRun>,
}

#[derive(Default)]
struct ReadRun {
    until: Seq,
    fold: SpanFold,
}

impl Follower {
    fn new(sender: Sender, note: PathBuf, orchestrator: &Orchestrator) -> Self {
        let store = Arc::clone(orchestrator.runs().store());
        Self { sender, note, store, runs: HashMap::new() }
    }

    async fn follow(mut self, orchestrator: &Orchestrator) -> Result<()> {
        let noted = std::fs::read_to_string(&self.note).ok().and_then(|text| text.trim().parse().ok());
        let cursor = match noted {
            Some(cursor) => cursor,
            // The first one exports what happens from now on.
            None => self.store.end().await?,
        };
        let mut feed = orchestrator.feed(cursor);
        loop {
            let (cursor, event) = feed.next().await?;
            if !is_rest(&event) {
                continue;
            }
            let spans = self.ended_by(&event).await?;
            self.sender.send(event.trace, &spans).await;
            // After they were sent: a kill in between sends them once more, with the same ids.
            if let Err(error) = std::fs::write(&self.note, cursor.to_string()) {
                tracing::warn!(
                    "{} cannot be written, so spans may be sent twice: {error}",
                    self.note.display()
                );
            }
        }
    }

    /// The spans that ended since the run was at rest before.
    async fn ended_by(&mut self, rest: &Event) -> Result<Vec<Span>, StoreError> {
        let mut read = self.runs.remove(&rest.run).unwrap_or_default();
        while read.until < rest.seq {
            let page = self.store.events(rest.run, read.until, PAGE).await?;
            let Some(last) = page.last() else { break };
            read.until = last.seq.min(rest.seq);
            for event in page.iter().take_while(|event| event.seq <= rest.seq) {
                read.fold.apply(event);
                if event.seq < rest.seq && is_rest(event) {
                    // Sent then.
                    read.fold.take_ended();
                }
            }
        }
        let ended = read.fold.take_ended();
        if !has_ended(rest) {
            self.runs.insert(rest.run, read);
        }
        Ok(ended)
    }
}
