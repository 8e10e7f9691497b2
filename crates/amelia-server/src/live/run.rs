//! One run on a socket of its own: `/stream` has both channels, `/content` what is being said, `/events` what happens; others have
//! events of one kind.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use amelia_core::driver::DeltaKind;
use amelia_core::event::Event;
use amelia_core::id::{RunId, Seq};
use amelia_core::problem::Problem;
use amelia_orchestrator::bus::LogWatch;
use amelia_orchestrator::orchestrator::{Delta, Stall};
use amelia_wire::error::{Code, ErrorInfo};
use amelia_wire::rest::live::{Said, SaidOfLog, SaidOfRun, StreamFormat, StreamQuery};
use amelia_wire::rest::log::Numbered;
use axum::extract::ws::WebSocket;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::header;
use axum::http::request::Parts;
use axum::response::Response;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use super::peer::{Ends, Gone, Peer, Sign, text_of};
use super::run_channel::RunChannel;
use super::{BATCH, chunk, upgrade};
use crate::error::ApiResult;
use crate::logs::LogSummary;
use crate::request::{Query, RunIdPath};
use crate::state::App;

/// A WebSocket with the notifications of a run after `?after=SEQ`, and output as agents write it.
#[utoipa::path(get, path = "/{id}/stream", tag = "live", params(StreamQuery),
    responses((status = 101, description = "a WebSocket")))]
pub(crate) async fn stream(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    request: Request,
) -> ApiResult<Response> {
    open(&app, run, &mut request.into_parts().0, RunChannel::Both).await
}

/// A WebSocket with output as the agents of a run write it.
#[utoipa::path(get, path = "/{id}/content", tag = "live", params(StreamQuery),
    responses((status = 101, description = "a WebSocket")))]
pub(crate) async fn content(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    request: Request,
) -> ApiResult<Response> {
    open(&app, run, &mut request.into_parts().0, RunChannel::Content).await
}

/// A WebSocket with the questions of a run to people and their answers, after `?after=SEQ`.
#[utoipa::path(get, path = "/{id}/hitl", tag = "live", params(StreamQuery),
    responses((status = 101, description = "a WebSocket")))]
pub(crate) async fn hitl(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    request: Request,
) -> ApiResult<Response> {
    open(&app, run, &mut request.into_parts().0, RunChannel::Hitl).await
}

/// A WebSocket with what guardrails find in a run, after `?after=SEQ`.
#[utoipa::path(get, path = "/{id}/guardrails", tag = "live", params(StreamQuery),
    responses((status = 101, description = "a WebSocket")))]
pub(crate) async fn guardrails(
    State(app): State<App>,
    RunIdPath(run): RunIdPath,
    request: Request,
) -> ApiResult<Response> {
    open(&app, run, &mut request.into_parts().0, RunChannel::Guardrails).await
}

/// Whether a request asks for a WebSocket, where the same path also answers plain ones.
pub(crate) fn is_upgrade(request: &Request) -> bool {
    let upgrade = request.headers().get(header::UPGRADE);
    upgrade.is_some_and(|to| to.as_bytes().eq_ignore_ascii_case(b"websocket"))
}

/// A socket that sends this.
pub(crate) async fn open(
    app: &App,
    run: RunId,
    parts: &mut Parts,
    channel: RunChannel,
) -> ApiResult<Response> {
    let Query(query) = Query::<StreamQuery>::from_request_parts(parts, app).await?;
    let row = app.row(run).await?;
    let after = match channel {
        // Nothing is replayed: what was said is in the log as a whole.
        RunChannel::Content => row.view.seq,
        RunChannel::Both
        | RunChannel::Events
        | RunChannel::Memory
        | RunChannel::Guardrails
        | RunChannel::Artifacts
        | RunChannel::Hitl => Seq(query.after.unwrap_or_default().get()),
    };
    let known = app.logs.known(run, after).await?;
    // Before the handshake is answered: nothing that is said after it may be missed.
    let (said, deltas) = app.state.orchestrator.deltas_of(run);
    let stalls = app.state.orchestrator.stalls();
    let log = app.state.orchestrator.watch(run, after);
    let format = query.format;
    let lines = String::new();
    let early = if query.unfinished { said.into() } else { VecDeque::new() };
    let following =
        Following { app: app.clone(), run, channel, format, known, log, deltas, early, stalls, lines };
    upgrade(app, parts, move |socket, ends| following.talk(socket, ends)).await
}

/// One socket's view of a run.
struct Following {
    app: App,
    run: RunId,
    channel: RunChannel,
    format: StreamFormat,
    known: LogSummary,
    log: LogWatch,
    deltas: broadcast::Receiver<Arc<Delta>>,
    /// What was said before the socket was opened, or after an event that has not been passed yet.
    early: VecDeque<Arc<Delta>>,
    stalls: broadcast::Receiver<Arc<Stall>>,
    /// Messages of the frame that is being written, for readers that want many in one.
    lines: String,
}

impl Following {
    async fn talk(mut self, socket: WebSocket, ends: Ends) {
        let idle = self.app.state.config.websocket_idle_timeout_seconds;
        let mut peer = Peer::new(socket, idle, ends);
        // One of both sides has ended it.
        self.tell(&mut peer).await.err();
        peer.close().await;
    }

    async fn tell(&mut self, peer: &mut Peer) -> Result<(), Gone> {
        if let Some(stall) = self.app.state.orchestrator.stall(self.run) {
            self.warn(peer, &stall).await?;
        }
        loop {
            self.pass_early(peer).await?;
            tokio::select! {
                // What there is to say first: a peer that takes it in is there, and everything else waits a moment.
                biased;
                event = self.log.next() => self.pass_all(peer, event.map_err(|_| Gone)?).await?,
                delta = self.deltas.recv(), if self.early.is_empty() => match delta {
                    Ok(delta) => self.early.push_back(delta),
                    Err(RecvError::Lagged(missed)) => self.admit(peer, Some(missed)).await?,
                    Err(RecvError::Closed) => return Err(Gone),
                },
                stall = self.stalls.recv() => match stall {
                    Ok(stall) => self.warn(peer, &stall).await?,
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return Err(Gone),
                },
                sign = peer.sign() => match sign? {
                    Sign::Ping => {
                        peer.ping().await?;
                        peer.say(&SaidOfRun::Other(Said::Ping { timestamp: self.app.now() })).await?;
                    }
                    // There is nothing to say here but that one is there.
                    Sign::Heard(_) => {}
                },
            }
        }
    }

    /// What was said before this event: a message that comes before its last words would be shown twice.
    async fn pass_said_before(&mut self, peer: &mut Peer, seq: Seq) -> Result<(), Gone> {
        loop {
            let delta = match self.early.pop_front().map_or_else(|| self.deltas.try_recv(), Ok) {
                Ok(delta) => delta,
                Err(TryRecvError::Lagged(missed)) => {
                    self.admit(peer, Some(missed)).await?;
                    continue;
                }
                // The next wait for a piece finds out.
                Err(TryRecvError::Empty | TryRecvError::Closed) => return Ok(()),
            };
            if delta.after >= seq {
                self.early.push_front(delta);
                return Ok(());
            }
            self.pass_on(peer, &delta).await?;
        }
    }

    /// An event and those that are there already, in one go.
    async fn pass_all(&mut self, peer: &mut Peer, event: Arc<Event>) -> Result<(), Gone> {
        self.pass_in_order(peer, &event).await?;
        for _ in 0..BATCH {
            let Some(event) = self.log.ready() else { break };
            self.pass_in_order(peer, &event).await?;
        }
        self.write_lines(peer).await?;
        self.pass_early(peer).await?;
        peer.flush().await
    }

    /// What was said after events that have been passed.
    async fn pass_early(&mut self, peer: &mut Peer) -> Result<(), Gone> {
        while let Some(delta) = self.early.pop_front_if(|delta| delta.after <= self.log.seen()) {
            self.pass_on(peer, &delta).await?;
        }
        Ok(())
    }

    async fn pass_in_order(&mut self, peer: &mut Peer, event: &Event) -> Result<(), Gone> {
        if !self.early.is_empty() || !self.deltas.is_empty() {
            self.write_lines(peer).await?;
            self.pass_said_before(peer, event.seq).await?;
        }
        self.pass(peer, event).await
    }

    async fn write_lines(&mut self, peer: &mut Peer) -> Result<(), Gone> {
        if self.lines.is_empty() {
            return Ok(());
        }
        let frame = std::mem::take(&mut self.lines);
        peer.put(frame.into()).await
    }

    async fn pass(&mut self, peer: &mut Peer, event: &Event) -> Result<(), Gone> {
        if self.log.take_lagged() {
            self.admit(peer, None).await?;
        }
        self.known.apply(event);
        if !self.channel.carries(&event.draft.kind) {
            return Ok(());
        }
        let words = match self.format {
            StreamFormat::Lines => StreamFormat::Log,
            StreamFormat::Log | StreamFormat::Agentx | StreamFormat::Agentic => self.format,
        };
        let text = self.app.encoded.text(event.run, event.seq, words, || match words {
            StreamFormat::Log | StreamFormat::Lines => text_of(&SaidOfLog::Event { payload: event.into() }),
            StreamFormat::Agentx => {
                let shown = Numbered::new(event, &self.known.facts)?;
                text_of(&SaidOfRun::Event(Box::new(shown)))
            }
            StreamFormat::Agentic => {
                let shown = Numbered::message(event, &self.known.facts)?;
                text_of(&SaidOfRun::Message(Box::new(shown)))
            }
        });
        let Some(text) = text else { return Ok(()) };
        if self.format == StreamFormat::Lines {
            self.lines.push_str(&text);
            self.lines.push('\n');
            return Ok(());
        }
        peer.put(text).await
    }

    async fn pass_on(&mut self, peer: &mut Peer, delta: &Delta) -> Result<(), Gone> {
        if delta.run != self.run || !self.channel.has_content() {
            return Ok(());
        }
        match self.format {
            StreamFormat::Log | StreamFormat::Lines => {
                let Delta { agent, session, kind, text, .. } = delta;
                peer.say(&SaidOfLog::Delta { agent, session: *session, kind: *kind, text }).await
            }
            StreamFormat::Agentx | StreamFormat::Agentic if delta.kind == DeltaKind::Text => {
                peer.say(&SaidOfRun::Chunk(chunk(&self.app, delta, Some(&self.known)))).await
            }
            StreamFormat::Agentx | StreamFormat::Agentic => Ok(()),
        }
    }

    /// No worker moves the run any more, and its log cannot say so.
    async fn warn(&self, peer: &mut Peer, stall: &Stall) -> Result<(), Gone> {
        if stall.run != self.run || self.channel == RunChannel::Content {
            return Ok(());
        }
        let error = ErrorInfo::of_problem(Code::Unavailable, Problem::parse(&stall.failure.message));
        peer.say(&SaidOfRun::Other(Said::Error { error })).await
    }

    /// The reader is slow: chunks that it was to get are gone, or events had to be read again.
    async fn admit(&mut self, peer: &mut Peer, missed_chunks: Option<u64>) -> Result<(), Gone> {
        let concerns = match missed_chunks {
            Some(_) => self.channel.has_content(),
            None => self.channel != RunChannel::Content,
        };
        if !concerns {
            return Ok(());
        }
        self.app.metrics.lagged.fetch_add(1, Ordering::Relaxed);
        peer.say(&SaidOfRun::Other(Said::Lagged { missed_chunks })).await
    }
}
