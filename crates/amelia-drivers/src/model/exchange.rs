//! One request over HTTP: send, map the status, read the answer with limits.

use std::sync::Arc;
use std::time::Duration;

use amelia_core::driver::Usage;
use amelia_core::recording::Channel;
use amelia_core::redact::Redactor;
use futures_util::{FutureExt as _, StreamExt};
use jiff::Timestamp;
use serde_json::Value;
use tokio::time::Instant;

use super::codec::AnswerReader;
use super::refusal::{self, refusal, unfinished};
use super::sse::SseParser;
use super::transport::{ByteStream, ModelResponse, ModelTransport, OnEnd};
use super::{ModelFailure, ReplyChunk};

/// No answer of a model is larger than this.
const LARGEST_ANSWER: usize = 32 * 1024 * 1024;
/// Sent by the scripted model, which must not be taken for a real one.
const SCRIPTED: &str = "x-amelia-scripted";
/// How long more may come after an answer has said why it ended: its usage, and that it is done.
const REST: Duration = Duration::from_secs(10);
/// How long the end of the body may take after the end of the answer.
const MOST_REST: Duration = Duration::from_secs(1);
/// How many times as long a server may say that it is alive, and nothing else.
const ALIVE: u32 = 6;
/// Bytes that are taken together when they are there.
const MOST_AT_ONCE: usize = 16 * 1024;

/// A request, and how it is sent.
pub(super) struct OutgoingRequest {
    pub(super) request: Result<reqwest::Request, reqwest::Error>,
    pub(super) transport: Arc<dyn ModelTransport>,
    pub(super) channel: Channel,
    pub(super) idle: Duration,
    pub(super) redactor: Arc<Redactor>,
}

/// What comes back.
pub(super) fn exchange<R: AnswerReader>(
    sent: OutgoingRequest,
    reader: R,
) -> impl futures_util::Stream<Item = Result<ReplyChunk, ModelFailure>> {
    async_stream::try_stream! {
        let OutgoingRequest { request, transport, channel, idle, redactor } = sent;
        let request = request.map_err(|error| ModelFailure::Connection(error.without_url().to_string()))?;
        let mut response = transport.send(request, &channel, idle).await?;
        let ending = response.ending.take();
        if !(200..300).contains(&response.status) {
            let failure = refused(response, idle, &redactor).await;
            end(ending, None);
            Err(failure)?;
            return;
        }
        let is_scripted = response.headers.contains_key(SCRIPTED);
        let mut incoming = Incoming::new(reader, idle);
        while !incoming.reader.is_complete() {
            let chunk = match incoming.next(&mut response.bytes).await {
                Ok(Some(chunk)) => chunk,
                Ok(None) => break,
                Err(failure) => {
                    end(ending, Some(&failure));
                    Err(failure)?;
                    return;
                }
            };
            let (pieces, failure) = incoming.take(&chunk);
            for piece in pieces {
                yield piece;
            }
            if let Some(failure) = failure {
                // It is kept as it came: played again, it fails in the same way.
                end(ending, None);
                Err(failure)?;
                return;
            }
        }
        end(ending, None);
        read_rest(response.bytes);
        let (pieces, failure) = incoming.end(&redactor);
        for piece in pieces {
            yield piece;
        }
        if let Some(failure) = failure {
            Err(failure)?;
        }
        let reply = incoming.reader.finish()?;
        // Said with the reply: what people learn about an answer is kept together with it.
        if is_scripted {
            yield ReplyChunk::Scripted;
        }
        yield ReplyChunk::Reply(reply);
    }
}

/// Reads what follows an answer that is complete, which is nothing: only then can its connection carry the next request.
fn read_rest(mut bytes: ByteStream) {
    let rest = async move { while bytes.next().await.is_some() {} };
    let mut rest = Box::pin(tokio::time::timeout(MOST_REST, rest));
    if rest.as_mut().now_or_never().is_none()
        && let Ok(runtime) = tokio::runtime::Handle::try_current()
    {
        runtime.spawn(rest);
    }
}

/// An answer on its way.
struct Incoming<R> {
    reader: R,
    parser: SseParser,
    told: Usage,
    size: usize,
    /// All of an answer that is no stream of events, and the beginning of one that is.
    body: Vec<u8>,
    idle: Duration,
    /// When something was said that is more than a sign of life.
    heard: Instant,
    /// How the stream ended, if that was seen while bytes were gathered.
    ended: Option<Result<Option<Vec<u8>>, ModelFailure>>,
}

impl<R: AnswerReader> Incoming<R> {
    fn new(reader: R, idle: Duration) -> Self {
        let (told, body) = (Usage::default(), Vec::new());
        let (parser, heard, ended) = (SseParser::default(), Instant::now(), None);
        Self { reader, parser, told, size: 0, body, idle, heard, ended }
    }

    /// The next bytes, with those that came meanwhile: with a thousand answers at a time, handling each piece by itself
    /// costs more than there is time for.
    async fn next(&mut self, bytes: &mut ByteStream) -> Result<Option<Vec<u8>>, ModelFailure> {
        let Some(mut chunk) = self.next_piece(bytes).await? else { return Ok(None) };
        while chunk.len() < MOST_AT_ONCE {
            // The connection has its turn: it hands over one piece after the other.
            tokio::task::yield_now().await;
            match bytes.next().now_or_never() {
                Some(Some(Ok(more))) => chunk.extend_from_slice(&more),
                Some(end) => {
                    self.ended = Some(end.transpose());
                    break;
                }
                None => break,
            }
        }
        Ok(Some(chunk))
    }

    /// The next bytes; `None` when nothing more comes, or nothing more is needed.
    async fn next_piece(&mut self, bytes: &mut ByteStream) -> Result<Option<Vec<u8>>, ModelFailure> {
        let is_enough = self.reader.is_enough();
        if let Some(ended) = self.ended.take() {
            return if is_enough { Ok(None) } else { ended };
        }
        let patience = if is_enough { REST.min(self.idle) } else { self.idle * ALIVE };
        let latest = (self.heard + patience).min(Instant::now() + self.idle);
        match tokio::time::timeout_at(latest, bytes.next()).await {
            // It was all said before the connection broke.
            Ok(Some(Err(_))) | Err(_) if is_enough => Ok(None),
            Ok(chunk) => chunk.transpose(),
            Err(_) => Err(ModelFailure::Stalled(self.idle)),
        }
    }

    /// What a piece of the answer says, up to where it cannot be read.
    fn take(&mut self, chunk: &[u8]) -> (Vec<ReplyChunk>, Option<ModelFailure>) {
        self.size = self.size.saturating_add(chunk.len());
        if self.size > LARGEST_ANSWER {
            return (Vec::new(), Some(ModelFailure::TooLarge(LARGEST_ANSWER)));
        }
        let room = match self.is_whole() {
            true => chunk.len(),
            false => refusal::OPENING.saturating_sub(self.body.len()).min(chunk.len()),
        };
        self.body.extend_from_slice(chunk.get(..room).unwrap_or_default());
        if self.is_whole() {
            // Its beginning was taken before it was known to be one.
            self.body.extend_from_slice(chunk.get(room..).unwrap_or_default());
            return (Vec::new(), None);
        }
        let mut pieces = Vec::new();
        for event in self.parser.feed(chunk) {
            self.heard = Instant::now();
            let said = event.and_then(|event| self.reader.read(&event));
            pieces.extend(self.told());
            match said {
                Ok(said) => pieces.extend(said),
                Err(failure) => return (pieces, Some(failure)),
            }
            // What follows the end is not part of the answer, in this chunk as in the next.
            if self.reader.is_complete() {
                break;
            }
        }
        (merged(pieces), None)
    }

    /// Nothing more comes: what an answer says that was no stream, and whether there is enough of one.
    fn end(&mut self, redactor: &Redactor) -> (Vec<ReplyChunk>, Option<ModelFailure>) {
        let mut pieces = Vec::new();
        let whole: Option<Value> = serde_json::from_slice(&self.body).ok().filter(|_| self.is_whole());
        if let Some(answer) = whole {
            let said = match refusal::in_whole(&answer) {
                Some(failure) => Err(failure),
                None => self.reader.read_whole(&answer),
            };
            pieces.extend(self.told());
            match said {
                Ok(said) => pieces.extend(said),
                Err(failure) => return (pieces, Some(failure)),
            }
        }
        let is_enough = self.reader.is_enough();
        (pieces, (!is_enough).then(|| unfinished(&self.body, redactor)))
    }

    /// What the provider has told of the call, when that is new.
    fn told(&mut self) -> Option<ReplyChunk> {
        let told = self.reader.told();
        if told == self.told {
            return None;
        }
        self.told = told.clone();
        Some(ReplyChunk::Told(told))
    }

    /// Some servers do not stream, or report an error in one piece: no line of a stream begins so.
    fn is_whole(&self) -> bool {
        let first = self.body.iter().find(|byte| !byte.is_ascii_whitespace());
        matches!(first, Some(b'{' | b'['))
    }
}

/// Pieces of text that follow each other, as one.
fn merged(pieces: Vec<ReplyChunk>) -> Vec<ReplyChunk> {
    let mut merged: Vec<ReplyChunk> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match (merged.last_mut(), piece) {
            (Some(ReplyChunk::Delta(kind, text)), ReplyChunk::Delta(next, more)) if *kind == next => {
                text.push_str(&more);
            }
            (_, piece) => merged.push(piece),
        }
    }
    merged
}

/// Says to the recording that this was all of the answer.
fn end(ending: Option<OnEnd>, broke: Option<&ModelFailure>) {
    if let Some(ending) = ending {
        ending(broke);
    }
}

/// An answer that is an error.
async fn refused(response: ModelResponse, idle: Duration, redactor: &Redactor) -> ModelFailure {
    let body = tokio::time::timeout(idle, error_body(response.bytes)).await.unwrap_or_default();
    refusal(response.status, &response.headers, &body, Timestamp::now(), redactor)
}

async fn error_body(mut stream: ByteStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some(Ok(chunk)) = stream.next().await {
        bytes.extend_from_slice(&chunk);
        if bytes.len() >= refusal::LARGEST {
            break;
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use futures_util::stream;
    use reqwest::header::HeaderMap;

    use super::super::ModelRequest;
    use super::super::chat::Chat;
    use super::super::codec::Codec as _;
    use super::*;

    /// Says this, and then only that it is alive.
    struct Alive(&'static str);

    #[async_trait]
    impl ModelTransport for Alive {
        async fn send(
            &self,
            _: reqwest::Request,
            _: &Channel,
            _: Duration,
        ) -> Result<ModelResponse, ModelFailure> {
            let first = stream::iter([Ok(self.0.as_bytes().to_vec())]);
            let pings = stream::unfold((), |()| async {
                tokio::time::sleep(Duration::from_secs(1)).await;
                Some((Ok(b": ping\n\n".to_vec()), ()))
            });
            let (headers, bytes) = (HeaderMap::new(), first.chain(pings).boxed());
            Ok(ModelResponse { status: 200, headers, bytes, ending: None })
        }
    }

    /// Says this, and is gone.
    struct Broken(&'static str);

    #[async_trait]
    impl ModelTransport for Broken {
        async fn send(
            &self,
            _: reqwest::Request,
            _: &Channel,
            _: Duration,
        ) -> Result<ModelResponse, ModelFailure> {
            let bytes = stream::iter([Ok(self.0.as_bytes().to_vec()), Err(ModelFailure::Cut)]).boxed();
            Ok(ModelResponse { status: 200, headers: HeaderMap::new(), bytes, ending: None })
        }
    }

    const DONE: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n";

    async fn ends(
        transport: impl ModelTransport + 'static,
    ) -> (Option<Result<ReplyChunk, ModelFailure>>, Duration) {
        let request = ModelRequest {
            model: "m".to_owned(),
            system: String::new(),
            messages: Arc::default(),
            changed_from: None,
            tools: Arc::default(),
            answer: None,
            options: amelia_core::driver::ModelOptions::default(),
            traits: super::super::Traits::default(),
            channel: Channel::default(),
        };
        let url = "http://127.0.0.1:1/".parse().unwrap();
        let sent = OutgoingRequest {
            request: Ok(reqwest::Request::new(reqwest::Method::POST, url)),
            transport: Arc::new(transport),
            channel: Channel::default(),
            idle: Duration::from_secs(300),
            redactor: Arc::default(),
        };
        let begun = Instant::now();
        let mut pieces: Vec<_> = exchange(sent, Chat.reader(&request)).collect().await;
        (pieces.pop(), begun.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn signs_of_life_do_not_hold_an_answer_that_has_ended() {
        let (last, taken) = ends(Alive(DONE)).await;
        assert!(matches!(last, Some(Ok(ReplyChunk::Reply(_)))), "{last:?}");
        assert!(taken <= REST, "{taken:?}");
    }

    #[tokio::test]
    async fn a_connection_that_breaks_after_the_end_takes_nothing_away() {
        assert!(matches!(ends(Broken(DONE)).await.0, Some(Ok(ReplyChunk::Reply(_)))));
        assert_eq!(ends(Broken("data: {}\n\n")).await.0, Some(Err(ModelFailure::Cut)));
    }

    #[tokio::test(start_paused = true)]
    async fn signs_of_life_are_no_answer() {
        let (last, taken) = ends(Alive(": ping\n\n")).await;
        assert_eq!(last, Some(Err(ModelFailure::Stalled(Duration::from_secs(300)))));
        assert!(taken <= Duration::from_secs(1800), "{taken:?}");
    }
}
