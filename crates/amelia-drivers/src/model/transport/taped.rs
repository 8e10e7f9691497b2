//! A carrier whose exchanges are kept: each as a whole, when it has come to its end.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use amelia_core::recording::{Channel, FrameSource, Splice};
use amelia_core::redact::Redactor;
use async_trait::async_trait;
use futures_util::StreamExt;
use parking_lot::Mutex;

use super::frame::{Answer, Body, Exchange, body_of, kept};
use super::{ModelResponse, ModelTransport, OnEnd};
use crate::model::ModelFailure;

/// Carries by another one, and keeps what it carried.
pub struct TapedTransport {
    pub inner: Arc<dyn ModelTransport>,
    pub redactor: Arc<Redactor>,
    /// What was kept last, by conversation.
    last: Arc<Mutex<HashMap<String, LastRequest>>>,
}

/// What was asked last in a conversation.
#[derive(Default)]
struct LastRequest {
    channel: Arc<str>,
    body: String,
}

/// The conversation of a channel, which is called `STEP/SESSION/AGENT`. One with a session may continue in a later visit; what
/// was asked then is kept as what is new in it.
fn conversation(channel: &Channel) -> &str {
    match channel.name.split_once('/') {
        Some((_, conversation)) if !conversation.starts_with('/') => conversation,
        _ => &channel.name,
    }
}

impl TapedTransport {
    /// Around `inner`.
    #[must_use]
    pub fn new(inner: Arc<dyn ModelTransport>, redactor: Arc<Redactor>) -> Self {
        Self { inner, redactor, last: Arc::default() }
    }

    /// Keeps an exchange, once its answer is known. One that is dropped before that leaves no trace.
    fn keeper(&self, request: &reqwest::Request, channel: &Channel) -> impl FnOnce(Answer) + Send + 'static {
        let url = self.redactor.text(request.url().as_str()).into_owned();
        let body = body_of(request);
        let body = match self.redactor.text(&body) {
            Cow::Owned(clean) => clean,
            Cow::Borrowed(_) => body.into_owned(),
        };
        let (channel, redactor, last) = (channel.clone(), Arc::clone(&self.redactor), Arc::clone(&self.last));
        move |answer| {
            let mut last = last.lock();
            let before = last.entry(conversation(&channel).to_owned()).or_default();
            let is_other = !before.body.is_empty() && before.channel != channel.name;
            let since = is_other.then(|| before.channel.to_string());
            let exchange = Exchange { url, asked: Splice::between(&before.body, &body), since, answer };
            *before = LastRequest { channel: Arc::clone(&channel.name), body };
            // An exchange of ours always has a text.
            if let Ok(written) = serde_json::to_vec(&redactor.clean(exchange)) {
                channel.add(FrameSource::Model, written);
            }
        }
    }
}

#[async_trait]
impl ModelTransport for TapedTransport {
    async fn send(
        &self,
        request: reqwest::Request,
        channel: &Channel,
        idle: std::time::Duration,
    ) -> Result<ModelResponse, ModelFailure> {
        let keep = self.keeper(&request, channel);
        let ModelResponse { status, headers, bytes, .. } = match self.inner.send(request, channel, idle).await
        {
            Ok(response) => response,
            Err(failure) => {
                keep(Answer::Unreached(failure.clone()));
                return Err(failure);
            }
        };
        let body = Arc::new(Mutex::new(Vec::new()));
        let taken = Arc::clone(&body);
        let bytes = bytes.inspect(move |piece| {
            if let Ok(piece) = piece {
                taken.lock().extend_from_slice(piece);
            }
        });
        let (headers_kept, redactor) = (kept(&headers), Arc::clone(&self.redactor));
        let ending: OnEnd = Box::new(move |broke| {
            let bytes = std::mem::take(&mut *body.lock());
            let clean = match redactor.events(&bytes) {
                Cow::Owned(clean) => clean,
                // As it came, and not once more: it may be large.
                Cow::Borrowed(_) => bytes,
            };
            let broke = broke.cloned();
            keep(Answer::Came { status, headers: headers_kept, body: Body::of(clean), broke });
        });
        Ok(ModelResponse { status, headers, bytes: bytes.boxed(), ending: Some(ending) })
    }
}
