//! A request over HTTP with credentials, which go to one origin and nowhere else.

use std::sync::OnceLock;
use std::time::Duration;

use amelia_core::config::secret::Secret;
use amelia_core::loopback::is_loopback_url;
use amelia_core::text::innermost;
use amelia_core::tracker::TrackerError;
use async_trait::async_trait;
use reqwest::{Client, Response, Url};

use crate::exchange::{LARGEST_ANSWER, Method, TrackerRequest, TrackerResponse};
use crate::failure::TrackerFailure;
use crate::transport::Transport;

/// Moves within one origin that are followed: a renamed repository is one.
const REDIRECTS: usize = 3;

#[derive(Debug, Clone)]
pub(crate) enum AuthScheme {
    Bearer(Secret),
    Basic { user: String, secret: Secret },
}

pub(crate) struct RestTransport {
    base: Url,
    auth: AuthScheme,
    timeout: Duration,
    /// Made when it is needed: reading the machine's certificates takes longer than everything else at start.
    client: OnceLock<Client>,
}

impl RestTransport {
    /// To the API at `base`. Anything but this machine is spoken to with TLS only.
    pub(crate) fn new(base: &str, auth: AuthScheme, timeout: Duration) -> Result<Self, TrackerError> {
        Ok(Self { base: base_url(base)?, auth, timeout, client: OnceLock::new() })
    }

    fn client(&self) -> Result<&Client, TrackerFailure> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let mut builder = Client::builder();
        if is_loopback_url(self.base.as_str()) {
            builder = builder.no_proxy();
        }
        if self.base.scheme() == "http" {
            builder = builder.tls_certs_only([]);
        }
        // A second install is fine: another thread was first.
        rustls::crypto::aws_lc_rs::default_provider().install_default().ok();
        let client = builder
            .connect_timeout(self.timeout.min(Duration::from_secs(15)))
            .timeout(self.timeout)
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("amelia/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| TrackerFailure::NoCarrier(format!("no HTTP client: {error}")))?;
        Ok(self.client.get_or_init(|| client))
    }

    async fn once(&self, request: &TrackerRequest, url: Url) -> Result<Response, TrackerFailure> {
        let http = match request.method {
            Method::Get => self.client()?.get(url),
            Method::Post => self.client()?.post(url),
        };
        let http = match &self.auth {
            AuthScheme::Bearer(secret) => http.bearer_auth(secret.reveal()),
            AuthScheme::Basic { user, secret } => http.basic_auth(user, Some(secret.reveal())),
        };
        let http = http.header("accept", request.accept);
        let http = if let Some(body) = &request.body { http.json(body) } else { http };
        http.send().await.map_err(|error| unanswered(&error))
    }
}

#[async_trait]
impl Transport for RestTransport {
    async fn send(&self, request: &TrackerRequest) -> Result<TrackerResponse, TrackerFailure> {
        let unusable = |error| TrackerFailure::NotReached(format!("not an address: {error}"));
        let mut url = self.base.join(&request.path).map_err(unusable)?;
        for _ in 0..=REDIRECTS {
            let response = self.once(request, url.clone()).await?;
            // 303 asks for another method, which no request of ours can mean.
            if !matches!(response.status().as_u16(), 301 | 302 | 307 | 308) {
                return read(response).await;
            }
            let location = response.headers().get("location").and_then(|value| value.to_str().ok());
            let next = location.and_then(|location| url.join(location).ok());
            let Some(next) = next else { return read(response).await };
            if next.origin() != self.base.origin() {
                return Err(TrackerFailure::Redirected(next.host_str().unwrap_or("nowhere").to_owned()));
            }
            url = next;
        }
        Err(TrackerFailure::Redirected("itself, again and again".to_owned()))
    }
}

fn base_url(base: &str) -> Result<Url, TrackerError> {
    // Not repeated in messages: an address may carry a password.
    let setup = |why: &str| TrackerError::Setup(format!("the address of the tracker {why}").into());
    let mut url = Url::parse(base.trim()).map_err(|_| setup("is not a URL"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(setup("must not contain credentials: set them in their own variables"));
    }
    url.host_str().ok_or_else(|| setup("has no host"))?;
    match url.scheme() {
        "https" => {}
        "http" if is_loopback_url(url.as_str()) => {}
        _ => return Err(setup("must begin with https://: otherwise others could read the credentials")),
    }
    url.set_query(None);
    url.set_fragment(None);
    let path = format!("{}/", url.path().trim_end_matches('/'));
    url.set_path(&path);
    Ok(url)
}

async fn read(mut response: Response) -> Result<TrackerResponse, TrackerFailure> {
    let too_large = TrackerFailure::TooLarge(LARGEST_ANSWER);
    let status = response.status().as_u16();
    let headers = response
        .headers()
        .iter()
        .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())));
    let headers = headers.collect();
    if response.content_length().is_some_and(|length| length > LARGEST_ANSWER as u64) {
        return Err(too_large);
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| lost(&error))? {
        if body.len() + chunk.len() > LARGEST_ANSWER {
            return Err(too_large);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(TrackerResponse { status, headers, body })
}

fn unanswered(error: &reqwest::Error) -> TrackerFailure {
    // A builder's error is one of ours; it was not sent either.
    if error.is_connect() || error.is_builder() {
        TrackerFailure::NotReached(cause(error))
    } else {
        lost(error)
    }
}

fn lost(error: &reqwest::Error) -> TrackerFailure {
    if error.is_timeout() {
        return TrackerFailure::Lost("no answer in time".to_owned());
    }
    TrackerFailure::Lost(format!("the answer was cut off: {}", cause(error)))
}

/// The innermost cause is the one that helps; of the URL only the host, because the rest may carry a secret.
fn cause(error: &reqwest::Error) -> String {
    let cause = innermost(error);
    match error.url().and_then(Url::host_str) {
        Some(host) => format!("{host}: {cause}"),
        None => cause,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn silence_is_left_and_may_have_been_heard() {
        // Taken by the machine, and answered by nobody.
        let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", silent.local_addr().unwrap());
        let auth = AuthScheme::Bearer(Secret::new("secret"));
        let rest = RestTransport::new(&base, auth, Duration::from_millis(100)).unwrap();
        let failure = rest.send(&TrackerRequest::get("x")).await.unwrap_err();
        assert_eq!(failure, TrackerFailure::Lost("no answer in time".to_owned()));
    }
}
