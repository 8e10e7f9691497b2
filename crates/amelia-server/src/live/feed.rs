//! `/ws/events`: all runs on one socket. Subscriptions say how much of them.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use amelia_core::event::Event;
use amelia_core::id::{RunId, Seq};
use amelia_core::store::StoreError;
use amelia_orchestrator::bus::Feed;
use amelia_orchestrator::orchestrator::Delta;
use amelia_wire::amelia::event::stream::StreamEvent;
use amelia_wire::amelia::event::{EventType, workflow_event};
use amelia_wire::error::{Code, ErrorInfo};
use amelia_wire::read;
use amelia_wire::rest::live::{FeedQuery, Heard, Said};
use axum::extract::ws::WebSocket;
use axum::extract::{FromRequestParts, Request, State};
use axum::response::Response;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use uuid::Uuid;

use super::peer::{Ends, Gone, Peer, Sign, text_of};
use super::{BATCH, piece, upgrade};
use crate::error::{ApiError, ApiResult};
use crate::logs::LogSummary;
use crate::request::Query;
use crate::state::App;

/// Events read at once.
const PAGE: usize = 500;
/// Runs whose facts a socket remembers; beyond, it begins anew.
const KEPT: usize = 2048;

/// A WebSocket with the events of all runs. Without a subscription: only starts, ends and questions.
#[utoipa::path(get, path = "/ws/events", tag = "live", params(FeedQuery),
    responses((status = 101, description = "a WebSocket")))]
pub(crate) async fn follow(State(app): State<App>, request: Request) -> ApiResult<Response> {
    let (mut parts, _) = request.into_parts();
    let Query(query) = Query::<FeedQuery>::from_request_parts(&mut parts, &app).await?;
    let wanted = Subscription::new(query.subscribe.as_deref())?;
    // Before the handshake is answered: nothing that happens after it may be missed.
    let deltas = app.state.orchestrator.deltas();
    let begin = match query.since {
        Some(cursor) => Begin::Past(cursor.get()),
        None => Begin::Now(app.store().end().await?),
    };
    let teller = FeedWriter { app: app.clone(), wanted, known: HashMap::new(), deltas };
    upgrade(&app, &mut parts, move |socket, ends| teller.talk(socket, begin, ends)).await
}

/// Which cursor a socket begins at, and whether what is there already is a past to be sent.
enum Begin {
    Past(u64),
    Now(u64),
}

/// What a socket sends.
struct Subscription {
    all: bool,
    runs: BTreeSet<RunId>,
}

impl Subscription {
    fn new(subscribe: Option<&str>) -> ApiResult<Self> {
        let mut wanted = Self { all: subscribe == Some("all"), runs: BTreeSet::new() };
        for id in subscribe.into_iter().filter(|list| *list != "all").flat_map(|list| list.split(',')) {
            let id = Uuid::parse_str(id.trim()).map_err(|_| {
                ApiError::new(
                    Code::Invalid,
                    format!("subscribe: `{id}` is neither `all` nor the id of a run"),
                )
            })?;
            wanted.runs.insert(RunId(id));
        }
        Ok(wanted)
    }

    /// A client that chose runs gets all of them and no other; one that did not, the outline of every run.
    fn has(&self, run: RunId, kind: EventType) -> bool {
        self.all || if self.runs.is_empty() { kind.is_lifecycle() } else { self.runs.contains(&run) }
    }

    fn has_chunks(&self, run: RunId) -> bool {
        self.all || self.runs.contains(&run)
    }

    fn has_no_chunks(&self) -> bool {
        !self.all && self.runs.is_empty()
    }

    fn apply(&mut self, heard: &Heard) {
        match heard {
            Heard::Subscribe { workflow_id } => drop(self.runs.insert(RunId(*workflow_id))),
            Heard::Unsubscribe { workflow_id } => {
                self.runs.remove(&RunId(*workflow_id));
            }
            Heard::SubscribeAll => self.all = true,
            Heard::Pong => {}
        }
    }
}

/// Pieces of answers; what follows in the same conversation is added to it.
#[derive(Default)]
struct Together {
    deltas: Vec<Delta>,
    /// The last piece of each run.
    last: HashMap<RunId, usize>,
}

impl Together {
    fn add(&mut self, delta: &Delta) {
        let last = self.last.get(&delta.run).and_then(|index| self.deltas.get_mut(*index));
        let of = |delta: &Delta| (delta.session, delta.kind, delta.after);
        match last {
            Some(last) if last.agent == delta.agent && of(last) == of(delta) => {
                last.text.push_str(&delta.text);
            }
            _ => {
                self.last.insert(delta.run, self.deltas.len());
                self.deltas.push(delta.clone());
            }
        }
    }
}

struct FeedWriter {
    app: App,
    wanted: Subscription,
    known: HashMap<RunId, LogSummary>,
    deltas: broadcast::Receiver<Arc<Delta>>,
}

impl FeedWriter {
    async fn talk(mut self, socket: WebSocket, begin: Begin, ends: Ends) {
        let idle = self.app.state.config.websocket_idle_timeout_seconds;
        let mut peer = Peer::new(socket, idle, ends);
        // One of both sides has ended it.
        self.tell(&mut peer, begin).await.err();
        peer.close().await;
    }

    async fn tell(&mut self, peer: &mut Peer, begin: Begin) -> Result<(), Gone> {
        let begin = match begin {
            Begin::Past(cursor) => self.backfill(peer, cursor).await?,
            Begin::Now(cursor) => cursor,
        };
        let mut feed = self.app.state.orchestrator.feed(begin);
        loop {
            tokio::select! {
                sign = peer.sign() => self.react(peer, sign?).await?,
                event = feed.next() => self.pass(peer, &mut feed, event).await?,
                delta = self.deltas.recv() => match delta {
                    Ok(delta) => self.pass_chunks(peer, &delta).await?,
                    Err(RecvError::Lagged(missed)) => self.missed(peer, missed).await?,
                    Err(RecvError::Closed) => return Err(Gone),
                },
            }
        }
    }

    /// A piece of an answer and those that are there already, in one go and each conversation in one message: with many
    /// runs, sending each piece by itself costs more than everything else about it.
    async fn pass_chunks(&mut self, peer: &mut Peer, first: &Delta) -> Result<(), Gone> {
        let mut together = Together::default();
        if self.wanted.has_chunks(first.run) {
            together.add(first);
        }
        for _ in 0..BATCH {
            match self.deltas.try_recv() {
                Ok(delta) if self.wanted.has_chunks(delta.run) => together.add(&delta),
                Ok(_) => {}
                Err(TryRecvError::Lagged(missed)) => self.missed(peer, missed).await?,
                // The next wait for a piece finds out.
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        if together.deltas.is_empty() {
            return Ok(());
        }
        for delta in &together.deltas {
            let payload = StreamEvent::from(&piece(&self.app, delta, self.known.get(&delta.run)));
            peer.put(text_of(&Said::Chunk { workflow_id: delta.run.0, payload }).ok_or(Gone)?).await?;
        }
        peer.flush().await
    }

    async fn missed(&self, peer: &mut Peer, chunks: u64) -> Result<(), Gone> {
        match self.wanted.has_no_chunks() {
            true => Ok(()),
            false => self.admit(peer, Some(chunks)).await,
        }
    }

    /// Everything after `cursor` that is there; a client that asks for the past gets all of it, unless runs were chosen.
    async fn backfill(&mut self, peer: &mut Peer, mut cursor: u64) -> Result<u64, Gone> {
        let mut count = 0_u64;
        loop {
            let events = self.app.store().feed(cursor, PAGE).await.map_err(|_| Gone)?;
            if events.is_empty() {
                peer.say(&Said::BackfillComplete { cursor, count }).await?;
                return Ok(cursor);
            }
            for (at, event) in events {
                cursor = at;
                let everything = self.wanted.runs.is_empty();
                if let Some(said) = self.said(at, &event, everything).await? {
                    peer.say(&said).await?;
                    count = count.saturating_add(1);
                }
            }
        }
    }

    async fn pass(
        &mut self,
        peer: &mut Peer,
        feed: &mut Feed,
        next: Result<(u64, Arc<Event>), StoreError>,
    ) -> Result<(), Gone> {
        let (cursor, event) = next.map_err(|_| Gone)?;
        if feed.take_lagged() {
            self.admit(peer, None).await?;
        }
        match self.said(cursor, &event, false).await? {
            Some(said) => peer.say(&said).await,
            None => Ok(()),
        }
    }

    async fn admit(&self, peer: &mut Peer, missed_chunks: Option<u64>) -> Result<(), Gone> {
        self.app.metrics.lagged.fetch_add(1, Ordering::Relaxed);
        peer.say(&Said::Lagged { missed_chunks }).await
    }

    /// The event in Amelia's words, if it is wanted.
    async fn said(&mut self, cursor: u64, event: &Event, everything: bool) -> Result<Option<Said>, Gone> {
        if !self.known.contains_key(&event.run) {
            let before = Seq(event.seq.0.saturating_sub(1));
            // Removed in this moment; a store that is gone is found by its next reader.
            let Ok(known) = self.app.logs.known(event.run, before).await else { return Ok(None) };
            if self.known.len() >= KEPT {
                self.known.clear();
            }
            self.known.insert(event.run, known);
        }
        let Some(known) = self.known.get_mut(&event.run) else { return Ok(None) };
        known.apply(event);
        let shown = workflow_event(event, &known.facts);
        let wanted = shown.filter(|shown| everything || self.wanted.has(event.run, shown.event_type));
        Ok(wanted.map(|payload| Said::Event { cursor, payload: Box::new(payload) }))
    }

    async fn react(&mut self, peer: &mut Peer, sign: Sign) -> Result<(), Gone> {
        let text = match sign {
            Sign::Ping => {
                peer.ping().await?;
                return peer.say(&Said::Ping { timestamp: self.app.now() }).await;
            }
            Sign::Heard(text) => text,
        };
        let error = match serde_json::from_str(&text) {
            Ok(document) => match read::shape::<Heard>(document) {
                Ok(heard) => {
                    self.wanted.apply(&heard);
                    return Ok(());
                }
                Err(refused) => ErrorInfo::from(&refused),
            },
            Err(error) => ErrorInfo::new(Code::Malformed, format!("this is not JSON: {error}")),
        };
        peer.say(&Said::Error { error }).await
    }
}
