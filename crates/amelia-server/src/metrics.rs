//! What is counted while the server works, and how a collector reads it: the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

/// Upper ends of the classes of durations, in milliseconds.
const BUCKETS: [u64; 10] = [1, 5, 10, 25, 50, 100, 250, 1000, 5000, 30_000];

#[derive(Default)]
pub(crate) struct Metrics {
    requests: Mutex<BTreeMap<String, Class>>,
    pub(crate) lagged: AtomicU64,
}

#[derive(Default)]
struct Class {
    by_status: BTreeMap<u16, u64>,
    within: [u64; BUCKETS.len()],
    count: u64,
    seconds: f64,
}

/// What is known elsewhere, at the moment of the question.
pub(crate) struct MetricsSnapshot {
    pub(crate) runs: BTreeMap<String, u64>,
    pub(crate) at_work: usize,
    pub(crate) queued: usize,
    pub(crate) events: u64,
    pub(crate) tokens: u64,
    pub(crate) cost_usd: f64,
    pub(crate) sockets: usize,
    pub(crate) uptime_seconds: u64,
}

impl Metrics {
    /// Counts an answered request by the first word of its route, as that is at the root. Paths without a route are
    /// counted together: a stranger cannot make more classes.
    pub(crate) fn count(&self, route: Option<&str>, status: u16, took: Duration) {
        let class = route.and_then(|route| route.split('/').find(|part| !part.is_empty())).unwrap_or("other");
        let mut all = self.requests.lock();
        let class = all.entry(class.to_owned()).or_default();
        *class.by_status.entry(status).or_default() += 1;
        class.count += 1;
        class.seconds += took.as_secs_f64();
        let fits =
            BUCKETS.iter().zip(&mut class.within).filter(|(end, _)| took <= Duration::from_millis(**end));
        fits.for_each(|(_, count)| *count += 1);
    }

    pub(crate) fn text(&self, now: &MetricsSnapshot) -> String {
        let mut out = Text::default();
        out.begin("amelia_runs", "gauge", "Runs by status.");
        for (status, count) in &now.runs {
            out.line("amelia_runs", &format!("status=\"{status}\""), count);
        }
        out.single("amelia_runs_at_work", "gauge", "Runs in progress.", now.at_work);
        out.single("amelia_runs_queued", "gauge", "Queued runs.", now.queued);
        out.single("amelia_events_total", "counter", "Stored events of all runs.", now.events);
        out.single("amelia_tokens_total", "counter", "Tokens used by all stored runs.", now.tokens);
        out.single("amelia_cost_usd_total", "counter", "Known cost of all stored runs.", now.cost_usd);
        out.single("amelia_websockets", "gauge", "Open WebSockets.", now.sockets);
        let lagged = self.lagged.load(Ordering::Relaxed);
        out.single("amelia_websocket_lagged_total", "counter", "Times a client read too slowly.", lagged);
        out.single("amelia_uptime_seconds", "gauge", "Time since the server started.", now.uptime_seconds);
        self.write_requests(&mut out);
        out.0
    }

    fn write_requests(&self, out: &mut Text) {
        let all = self.requests.lock();
        out.begin("amelia_http_requests_total", "counter", "HTTP requests.");
        for (name, class) in &*all {
            for (status, count) in &class.by_status {
                let labels = format!("class=\"{name}\",status=\"{status}\"");
                out.line("amelia_http_requests_total", &labels, count);
            }
        }
        let name = "amelia_http_request_duration_seconds";
        out.begin(name, "histogram", "Duration of HTTP requests.");
        for (class, Class { within, count, seconds, .. }) in &*all {
            for (end, fits) in BUCKETS.iter().zip(within) {
                #[expect(clippy::cast_precision_loss, reason = "at most 30000")]
                let end = *end as f64 / 1000.0;
                out.line(&format!("{name}_bucket"), &format!("class=\"{class}\",le=\"{end}\""), fits);
            }
            out.line(&format!("{name}_bucket"), &format!("class=\"{class}\",le=\"+Inf\""), count);
            out.line(&format!("{name}_sum"), &format!("class=\"{class}\""), seconds);
            out.line(&format!("{name}_count"), &format!("class=\"{class}\""), count);
        }
    }
}

/// Lines of the format. Writing to a string cannot fail.
#[derive(Default)]
struct Text(String);

impl Text {
    fn begin(&mut self, name: &str, kind: &str, help: &str) {
        write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n").ok();
    }

    fn line(&mut self, name: &str, labels: &str, value: impl std::fmt::Display) {
        writeln!(self.0, "{name}{{{labels}}} {value}").ok();
    }

    fn single(&mut self, name: &str, kind: &str, help: &str, value: impl std::fmt::Display) {
        self.begin(name, kind, help);
        writeln!(self.0, "{name} {value}").ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_class_status_and_duration() {
        let metrics = Metrics::default();
        metrics.count(Some("/workflows/{id}"), 200, Duration::from_millis(3));
        metrics.count(Some("/workflows"), 404, Duration::from_secs(60));
        metrics.count(None, 404, Duration::ZERO);
        let mut out = Text::default();
        metrics.write_requests(&mut out);
        for line in [
            "amelia_http_requests_total{class=\"workflows\",status=\"200\"} 1",
            "amelia_http_requests_total{class=\"workflows\",status=\"404\"} 1",
            "amelia_http_requests_total{class=\"other\",status=\"404\"} 1",
            "amelia_http_request_duration_seconds_bucket{class=\"workflows\",le=\"0.001\"} 0",
            "amelia_http_request_duration_seconds_bucket{class=\"workflows\",le=\"0.005\"} 1",
            "amelia_http_request_duration_seconds_bucket{class=\"workflows\",le=\"30\"} 1",
            "amelia_http_request_duration_seconds_bucket{class=\"workflows\",le=\"+Inf\"} 2",
            "amelia_http_request_duration_seconds_count{class=\"workflows\"} 2",
        ] {
            assert!(out.0.lines().any(|found| found == line), "{line}\n{}", out.0);
        }
    }
}
