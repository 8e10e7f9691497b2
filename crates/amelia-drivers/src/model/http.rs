//! A model behind HTTP: what is sent to it, and what its failures mean. The wire formats are codecs.

use std::sync::Arc;
use std::time::Duration;

use amelia_core::config::provider::is_bearer_token;
use amelia_core::config::secret::Secret;
use amelia_core::driver::DriverError;
use amelia_core::key_source::KeySource;
use amelia_core::loopback::{is_loopback_url, is_plain_loopback_url};
use amelia_core::message::{Message, Part};
use amelia_core::redact::Redactor;
use amelia_core::tool::ToolSpec;
use futures_util::StreamExt;
use jiff::Timestamp;
use parking_lot::Mutex;
use reqwest::header::CONTENT_TYPE;

use super::chat::Chat;
use super::codec::Codec;
use super::encoded::EncodedMessages;
use super::exchange::{OutgoingRequest, exchange};
use super::failure::{NO_PAGE, RetryDecision};
use super::images::{with_newest_images, without_images};
use super::messages::Messages;
use super::refusal::shown;
use super::responses::Responses;
use super::transport::ModelTransport;
use super::{Model, ModelFailure, ModelReply, ModelRequest, ReplyChunk, ReplyStream, Traits, WireFormat};

/// How many refusals of one question are corrected.
const CORRECTIONS: usize = 4;

/// How long is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    pub connect: Duration,
    /// Without a single byte.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(30), idle: Duration::from_secs(300) }
    }
}

/// A model behind a URL.
#[derive(Clone)]
pub struct HttpModel {
    pub name: String,
    pub wire: WireFormat,
    /// Up to and without the path of the wire format.
    pub base_url: String,
    pub key: Option<Secret>,
    /// Where the key comes from.
    pub key_source: KeySource,
    /// A key that a provider echoes must not get into a log.
    pub redactor: Arc<Redactor>,
    pub timeouts: Timeouts,
    /// Writes requests.
    pub client: reqwest::Client,
    /// Sends them.
    pub transport: Arc<dyn ModelTransport>,
    /// How it is spoken to, as far as it is known.
    pub traits: Arc<Mutex<Traits>>,
    /// What was sent before is not encoded again.
    pub encoded: Arc<EncodedMessages>,
}

/// A client for servers elsewhere.
pub fn client(timeouts: Timeouts) -> Result<reqwest::Client, DriverError> {
    build(reqwest::Client::builder(), timeouts)
}

/// A client for a server on this machine, over plain HTTP. Uses no proxy: a token for this machine stays on it. Trusts no
/// certificate, and so does not read them: that takes longer than everything else at start.
pub fn local_client(timeouts: Timeouts) -> Result<reqwest::Client, DriverError> {
    build(reqwest::Client::builder().no_proxy().tls_certs_only([]), timeouts)
}

/// The client for this address.
pub fn client_for(url: &str, timeouts: Timeouts) -> Result<reqwest::Client, DriverError> {
    match (is_plain_loopback_url(url), is_loopback_url(url)) {
        (true, _) => local_client(timeouts),
        (false, true) => build(reqwest::Client::builder().no_proxy(), timeouts),
        (false, false) => client(timeouts),
    }
}

/// Chooses how this process encrypts. Every HTTP client needs it, also one that another library makes.
pub fn prepare_tls() {
    // A second install is fine: another thread was first.
    rustls::crypto::aws_lc_rs::default_provider().install_default().ok();
}

fn build(builder: reqwest::ClientBuilder, timeouts: Timeouts) -> Result<reqwest::Client, DriverError> {
    prepare_tls();
    builder
        .connect_timeout(timeouts.connect)
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("amelia/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| DriverError::Setup(format!("no HTTP client: {error}")))
}

/// The message about a model that cannot be reached.
pub fn cannot_reach(model: &str, address: &str, cause: &str) -> String {
    // The address is said once.
    let place = address.split_once("://").map_or(address, |(_, place)| place);
    let host = place.split('/').next().unwrap_or(place);
    let cause = cause.strip_prefix(host).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(cause);
    format!("cannot reach {model} at {address}: {cause}")
}

impl Model for HttpModel {
    fn provider(&self) -> &str {
        &self.name
    }

    /// A refusal in known words is corrected, and the question asked again: nothing was answered yet.
    fn ask(&self, request: ModelRequest) -> ReplyStream {
        let model = self.clone();
        Box::pin(async_stream::stream! {
            for _ in 0..=CORRECTIONS {
                let traits = model.traits.lock().clone();
                let request = ModelRequest { traits: traits.clone(), ..request.clone() };
                if let Some(detail) = traits.problem(model.wire, &request.options) {
                    yield Err(ModelFailure::Reported { kind: "not sent".to_owned(), detail });
                    return;
                }
                let request = if traits.images { with_newest_images(request) } else { without_images(request) };
                let request = without_thoughts(request);
                let mut pieces = model.ask_once(&request);
                let mut better = None;
                while let Some(piece) = pieces.next().await {
                    if let Err(failure) = &piece {
                        better = traits.corrected(failure, &request);
                    }
                    match &better {
                        Some((_, notice)) => {
                            yield Ok(ReplyChunk::Notice(format!("{}: {notice}", model.name)));
                            break;
                        }
                        None => yield piece,
                    }
                }
                match better {
                    Some((better, _)) => *model.traits.lock() = better,
                    None => return,
                }
            }
        })
    }

    fn told(&self, model: &str, failure: &ModelFailure) -> String {
        match failure {
            ModelFailure::Connection(cause) => cannot_reach(model, &self.base_url, cause),
            failure => format!("{model} at {}: {failure}", self.base_url),
        }
    }

    fn give_up(&self, failure: ModelFailure, model: &str, tries: u32) -> DriverError {
        let (provider, model) = (self.name.clone(), model.to_owned());
        let detail = failure.to_string();
        match failure.verdict(Timestamp::now()) {
            RetryDecision::Retry(retry_after) => {
                DriverError::Unavailable { provider, tries, retry_after, detail }
            }
            RetryDecision::Quota(resets_at) | RetryDecision::ModelQuota(resets_at) => {
                DriverError::Quota { provider, resets_at, detail, account: None }
            }
            RetryDecision::TooLong => DriverError::TooLong { model, detail },
            RetryDecision::Unauthorised => {
                DriverError::Unauthorised { provider, key: self.key_source.clone(), detail }
            }
            RetryDecision::UnknownModel => DriverError::UnknownModel { provider, model, detail },
            RetryDecision::Final => match failure {
                ModelFailure::Status { status, detail, .. } => {
                    DriverError::Refused { provider, status: Some(status), detail }
                }
                ModelFailure::NoPage => {
                    DriverError::Refused { provider, status: Some(404), detail: NO_PAGE.to_owned() }
                }
                ModelFailure::Reported { .. } => DriverError::Refused { provider, status: None, detail },
                ModelFailure::TooLarge(_)
                | ModelFailure::Connection(_)
                | ModelFailure::Stalled(_)
                | ModelFailure::Cut
                | ModelFailure::Stopped(_)
                | ModelFailure::Garbage(_) => DriverError::Unusable { provider, detail },
            },
        }
    }
}

impl HttpModel {
    fn ask_once(&self, request: &ModelRequest) -> ReplyStream {
        match self.wire {
            WireFormat::Chat => self.ask_with(&Chat, request),
            WireFormat::Responses => self.ask_with(&Responses, request),
            WireFormat::Messages => self.ask_with(&Messages, request),
        }
    }

    fn ask_with<C: Codec>(&self, codec: &C, request: &ModelRequest) -> ReplyStream {
        let url = format!("{}{}", self.base_url.trim_end_matches('/'), codec.path());
        let body = codec.encode(request, &self.encoded).into_text();
        let mut http =
            codec.headers(self.client.post(url)).header(CONTENT_TYPE, "application/json").body(body);
        if let Some(key) = &self.key {
            let is_token = matches!(&self.key_source, KeySource::Variable(name) if is_bearer_token(name));
            http =
                if is_token { http.bearer_auth(key.reveal()) } else { codec.authorise(http, key.reveal()) };
        }
        let sent = OutgoingRequest {
            request: http.build(),
            transport: Arc::clone(&self.transport),
            channel: request.channel.clone(),
            idle: self.timeouts.idle,
            redactor: Arc::clone(&self.redactor),
        };
        let (reader, redactor) = (codec.reader(request), Arc::clone(&self.redactor));
        let offered = Arc::clone(&request.tools);
        let pieces = exchange(sent, reader);
        Box::pin(pieces.map(move |piece| match piece {
            Ok(ReplyChunk::Reply(reply)) => Ok(ReplyChunk::Reply(with_own_names(reply, &offered))),
            piece => piece.map_err(|failure| shown(failure, &redactor)),
        }))
    }
}

/// Models call tools of servers by names that every provider takes; we call them by their own.
fn with_own_names(mut reply: ModelReply, offered: &[ToolSpec]) -> ModelReply {
    for part in &mut reply.parts {
        if let Part::ToolCall(call) = part {
            call.tool = call.tool.clone().from_models(offered);
        }
    }
    reply
}

/// The request without thoughts that the model would refuse: those that it has refused, and those that follow something
/// that is not as it was when they were thought.
fn without_thoughts(request: ModelRequest) -> ModelRequest {
    let is_last = |message: &Arc<Message>| Some(message.id) == request.traits.forgotten;
    let forgotten = request.messages.iter().rposition(is_last).map_or(0, |last| last + 1);
    let bound = request.changed_from.filter(|_| request.traits.bound_thoughts).unwrap_or(usize::MAX);
    if forgotten == 0 && bound == usize::MAX {
        return request;
    }
    let is_thought = |part: &Part| matches!(part, Part::Thinking(_));
    let shown = |(place, message): (usize, &Arc<Message>)| {
        if (place >= forgotten && place <= bound) || !message.parts.iter().any(is_thought) {
            return Arc::clone(message);
        }
        let parts = message.parts.iter().filter(|part| !is_thought(part)).cloned().collect();
        Arc::new(Message { parts, ..(**message).clone() })
    };
    ModelRequest { messages: Arc::new(request.messages.iter().enumerate().map(shown).collect()), ..request }
}
