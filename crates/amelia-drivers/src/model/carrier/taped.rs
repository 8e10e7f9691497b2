//! A carrier whose exchanges are kept: each as a whole, when it has come to its end.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use amelia_core::recording::{Delta, Source, Strand};
use amelia_core::redact::Redactor;
use async_trait::async_trait;
use futures_util::StreamExt;

use super::frame::{Answer, Body, Exchange, body_of, kept};
use super::{Carried, Carrier, Ending};
use crate::model::Failure;

/// Carries by another one, and keeps what it carried.
pub struct TapedCarrier {
    pub inner: Arc<dyn Carrier>,
    pub redactor: Arc<Redactor>,
    /// What was asked last, by strand.
    pub last: Mutex<HashMap<String, String>>,
}

impl TapedCarrier {
    /// Around `inner`.
    #[must_use]
    pub fn new(inner: Arc<dyn Carrier>, redactor: Arc<Redactor>) -> Self {
        Self { inner, redactor, last: Mutex::default() }
    }

    /// What is new in this request.
    fn asked(&self, strand: &Strand, request: &reqwest::Request) -> Delta {
        let body = self.redactor.text(&body_of(request)).into_owned();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let before = last.entry(strand.name.to_string()).or_default();
        let delta = Delta::between(before, &body);
        *before = body;
        delta
    }
}

#[async_trait]
impl Carrier for TapedCarrier {
    async fn carry(
        &self,
        request: reqwest::Request,
        strand: &Strand,
        idle: std::time::Duration,
    ) -> Result<Carried, Failure> {
        let url = self.redactor.text(request.url().as_str()).into_owned();
        let asked = self.asked(strand, &request);
        let (kept_on, redactor) = (strand.clone(), Arc::clone(&self.redactor));
        let keep = move |answer: Answer| {
            let exchange = Exchange { url, asked, answer };
            // An exchange of ours always has a text.
            if let Ok(body) = serde_json::to_vec(&redactor.clean(exchange)) {
                kept_on.add(Source::Model, body);
            }
        };
        let Carried { status, headers, bytes, .. } = match self.inner.carry(request, strand, idle).await {
            Ok(carried) => carried,
            Err(failure) => {
                keep(Answer::Unreached(failure.clone()));
                return Err(failure);
            }
        };
        let body = Arc::new(Mutex::new(Vec::new()));
        let taken = Arc::clone(&body);
        let bytes = bytes.inspect(move |piece| {
            if let Ok(piece) = piece {
                taken.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(piece);
            }
        });
        let headers_kept = kept(&headers);
        let ending: Ending = Box::new(move |broke| {
            let bytes = std::mem::take(&mut *body.lock().unwrap_or_else(PoisonError::into_inner));
            let broke = broke.cloned();
            keep(Answer::Came { status, headers: headers_kept, body: Body::of(bytes), broke });
        });
        Ok(Carried { status, headers, bytes: bytes.boxed(), ending: Some(ending) })
    }
}
