//! Notifications on their way: signed, tried again, never in the way of a run.

use std::time::Duration;

use amelia_core::config::secret::Secret;
use amelia_drivers::model::{Timeouts, client_for};
use amelia_orchestrator::service::ServiceError;
use anyhow::Result;
use hmac::{Hmac, KeyInit as _, Mac as _};
use reqwest::Client;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::config::{Webhook, is_http};
use super::message::Notice;
use crate::keys::Keys;

/// A server that takes longer is not there.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Before each further try.
const PAUSES: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(5), Duration::from_secs(30)];

/// Where one webhook's requests go, with what is secret about it.
pub(super) struct Sender {
    url: Secret,
    secret: Option<Secret>,
    client: Client,
}

impl Sender {
    pub(super) fn new(hook: &Webhook, keys: &Keys) -> Result<Self> {
        let key = |name: &String| {
            let known = keys.get(name).cloned();
            known.ok_or_else(|| {
                ServiceError::invalid(format!("webhooks.yaml names `{name}`, which is not set"))
            })
        };
        let url = match (&hook.url, &hook.url_env) {
            (Some(url), _) => Secret::new(url.clone()),
            (None, Some(name)) => key(name)?,
            (None, None) => Secret::new(String::new()),
        };
        if !is_http(url.reveal()) {
            let name = hook.url_env.as_deref().unwrap_or_default();
            return Err(ServiceError::invalid(format!(
                "`{name}` does not contain an http:// or https:// URL"
            ))
            .into());
        }
        let secret = hook.secret_env.as_ref().map(key).transpose()?;
        // It follows no redirects, which would send the signed text somewhere else.
        let client = client_for(url.reveal(), Timeouts { connect: TIMEOUT, ..Timeouts::default() })?;
        Ok(Self { url, secret, client })
    }

    /// A file name for this address that does not tell it.
    pub(super) fn name(&self) -> String {
        Sha256::digest(self.url.reveal()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Sends a notification, and gives up after a few tries.
    pub(super) async fn send(&self, notice: &Notice, body: &Value) {
        let text = body.to_string();
        for pause in PAUSES.map(Some).into_iter().chain([None]) {
            let problem = match self.try_to_send(notice, &text).await {
                Ok(()) => return,
                Err(problem) => problem,
            };
            let (kind, delivery) = (notice.kind.word(), &notice.delivery);
            match pause {
                Some(pause) => {
                    tracing::debug!(kind, delivery, "a webhook will be tried again: {problem}");
                    tokio::time::sleep(pause).await;
                }
                None => tracing::warn!(kind, delivery, "a webhook failed, and is not tried again: {problem}"),
            }
        }
    }

    async fn try_to_send(&self, notice: &Notice, text: &str) -> Result<(), String> {
        let mut request = self
            .client
            .post(self.url.reveal())
            .timeout(TIMEOUT)
            .header("content-type", "application/json")
            .header("x-amelia-event", notice.kind.word())
            .header("x-amelia-delivery", &notice.delivery);
        if let Some(secret) = &self.secret {
            request = request.header("x-amelia-signature", signature(secret, text));
        }
        // The address may be a secret, and an error would name it.
        match request.body(text.to_owned()).send().await.map_err(reqwest::Error::without_url) {
            Ok(answer) if answer.status().is_success() => Ok(()),
            Ok(answer) => Err(format!("it answered {}", answer.status())),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// `sha256=` and the HMAC of the body, as GitHub signs its own.
fn signature(secret: &Secret, text: &str) -> String {
    // Every length of key is fine.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.reveal().as_bytes()) else {
        return String::new();
    };
    mac.update(text.as_bytes());
    let hex: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256={hex}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_the_hmac_of_the_body() {
        // Checked with `printf … | openssl dgst -sha256 -hmac key`.
        let expected = "sha256=f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8";
        let text = "The quick brown fox jumps over the lazy dog";
        assert_eq!(signature(&Secret::new("key"), text), expected);
    }
}
