//! Spans on their way to a collector: tried again, given up after some tries, never in the way of a run.

use std::time::Duration;

use amelia_core::config::secret::Secret;
use amelia_core::id::TraceId;
use amelia_drivers::model::{Timeouts, client_for};
use amelia_orchestrator::service::ServiceError;
use anyhow::Result;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, StatusCode};
use serde_json::Value;

use super::HEADERS_ENV;
use super::otlp;
use super::spans::Span;

/// A collector that takes longer is not there.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Before each further try.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];
/// Spans in one request.
const BATCH: usize = 512;
/// Where collectors take traces, below their address.
const PATH: &str = "/v1/traces";

/// The collector.
pub(super) struct Sender {
    url: Secret,
    headers: HeaderMap,
    client: Client,
    /// Spans that were given up since the collector last took some.
    dropped: usize,
}

/// What became of a request.
enum Sent {
    Taken,
    /// It may work later.
    Later(String),
    Refused(String),
}

impl Sender {
    pub(super) fn new(endpoint: &str, headers: Option<&Secret>) -> Result<Self> {
        let base = endpoint.trim_end_matches('/');
        let url = if base.ends_with(PATH) { base.to_owned() } else { format!("{base}{PATH}") };
        let client = client_for(&url, Timeouts { connect: TIMEOUT, ..Timeouts::default() })?;
        let headers = headers.map_or_else(|| Ok(HeaderMap::new()), |given| parse_headers(given.reveal()))?;
        Ok(Self { url: Secret::new(url), headers, client, dropped: 0 })
    }

    /// Sends these, and gives them up after a few tries.
    pub(super) async fn send(&mut self, trace: TraceId, spans: &[Span]) {
        for batch in spans.chunks(BATCH) {
            let body = otlp::request(trace, batch).to_string();
            // A collector that is gone is asked once per batch, until it is back.
            let tries = if self.dropped == 0 { PAUSES.as_slice() } else { &[] };
            match self.send_batch(&body, tries).await {
                Ok(()) => self.is_back(),
                Err(problem) => self.drop_batch(batch.len(), &problem),
            }
        }
    }

    async fn send_batch(&self, body: &str, pauses: &[Duration]) -> Result<(), String> {
        for pause in pauses {
            match self.try_to_send(body).await {
                Sent::Taken => return Ok(()),
                Sent::Refused(problem) => return Err(problem),
                Sent::Later(problem) => {
                    tracing::debug!("spans will be sent again: {problem}");
                    tokio::time::sleep(*pause).await;
                }
            }
        }
        match self.try_to_send(body).await {
            Sent::Taken => Ok(()),
            Sent::Later(problem) | Sent::Refused(problem) => Err(problem),
        }
    }

    async fn try_to_send(&self, body: &str) -> Sent {
        let request = self
            .client
            .post(self.url.reveal())
            .timeout(TIMEOUT)
            .headers(self.headers.clone())
            .header("content-type", "application/json")
            .body(body.to_owned());
        // The address may have a password in it, and an error would name it.
        match request.send().await.map_err(reqwest::Error::without_url) {
            Err(error) => Sent::Later(error.to_string()),
            Ok(answer) if answer.status().is_success() => {
                let told: Option<Value> = answer.json().await.ok();
                told.as_ref().and_then(rejected).map_or(Sent::Taken, Sent::Refused)
            }
            Ok(answer) if may_work_later(answer.status()) => {
                Sent::Later(format!("it answered {}", answer.status()))
            }
            Ok(answer) => Sent::Refused(format!("it answered {}", answer.status())),
        }
    }

    fn is_back(&mut self) {
        if self.dropped > 0 {
            tracing::warn!("the collector of traces takes spans again; {} were not exported", self.dropped);
            self.dropped = 0;
        }
    }

    fn drop_batch(&mut self, spans: usize, problem: &str) {
        if self.dropped == 0 {
            tracing::warn!(
                "spans are not exported, because the collector at otlp_endpoint does not take them: {problem}"
            );
        }
        self.dropped = self.dropped.saturating_add(spans);
    }
}

/// What OTLP says may be tried again.
fn may_work_later(status: StatusCode) -> bool {
    matches!(status.as_u16(), 429 | 502 | 503 | 504)
}

/// What a collector says that took only a part.
fn rejected(answer: &Value) -> Option<String> {
    let partial = answer.get("partialSuccess")?;
    let spans = partial.get("rejectedSpans")?;
    let number = spans.as_u64().or_else(|| spans.as_str()?.parse().ok())?;
    let why = partial.get("errorMessage").and_then(Value::as_str).unwrap_or_default();
    (number > 0).then(|| format!("it rejected {number} spans: {why}"))
}

/// `name=value,name2=value2`, with values as in a URL.
fn parse_headers(text: &str) -> Result<HeaderMap> {
    let refused =
        || ServiceError::invalid(format!("{HEADERS_ENV} must be `name=value`, several separated by commas"));
    let mut headers = HeaderMap::new();
    for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').ok_or_else(refused)?;
        let name: HeaderName = name.trim().parse().map_err(|_| refused())?;
        let mut value = HeaderValue::from_str(&decoded(value.trim())).map_err(|_| refused())?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

fn decoded(value: &str) -> String {
    // Read as the value of a form, where these two signs would mean something else.
    let field = format!("value={}", value.replace('+', "%2B").replace('&', "%26"));
    form_urlencoded::parse(field.as_bytes()).next().map_or_else(String::new, |(_, text)| text.into_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn headers_are_read_as_other_exporters_read_them() {
        let headers = parse_headers("authorization=Bearer%20a+b==, x-team = core").unwrap();
        let text = |name: &str| headers.get(name).unwrap().to_str().unwrap().to_owned();
        assert_eq!((text("authorization"), text("x-team")), ("Bearer a+b==".to_owned(), "core".to_owned()));
        assert!(parse_headers("").unwrap().is_empty());
        for bad in ["no value", "a b=c", "x=%0A"] {
            let error = parse_headers(bad).unwrap_err().to_string();
            assert!(error.starts_with(HEADERS_ENV) && !error.contains(bad), "{error}");
        }
    }

    #[test]
    fn a_collector_that_took_a_part_has_rejected_the_rest() {
        let partial =
            |spans| json!({ "partialSuccess": { "rejectedSpans": spans, "errorMessage": "too old" } });
        assert_eq!(rejected(&partial(json!("2"))).unwrap(), "it rejected 2 spans: too old");
        assert_eq!(rejected(&partial(json!(0))), None);
        assert_eq!(rejected(&json!({})), None);
    }

    #[test]
    fn the_path_is_added_where_it_is_missing() {
        for endpoint in ["http://127.0.0.1:4318", "http://127.0.0.1:4318/", "http://127.0.0.1:4318/v1/traces"]
        {
            assert_eq!(Sender::new(endpoint, None).unwrap().url.reveal(), "http://127.0.0.1:4318/v1/traces");
        }
    }
}
