//! The server's log: one line per event on standard error, in JSON or as text, with what is known of the request around
//! it. Bodies, headers and queries never get here; only names are logged. The formats of tracing-subscriber itself
//! nest the fields of spans and let a message begin a line of its own, so the lines are written here.

use std::fmt::{self, Write as _};
use std::io::Write;

use amelia_core::clock::{Clock as _, SystemClock};
use parking_lot::Mutex;
use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

/// From here on this process logs what is at least this important. A second call changes nothing.
pub fn begin(is_json: bool, level: LevelFilter) {
    let lines = Lines { is_json, level, out: Mutex::new(std::io::stderr()) };
    tracing_subscriber::registry().with(lines).try_init().ok();
}

struct Lines<W> {
    /// One object per line.
    is_json: bool,
    level: LevelFilter,
    out: Mutex<W>,
}

/// What a span knows, kept with it.
struct SpanFields(Map<String, Value>);

impl<S, W> Layer<S> for Lines<W>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: Write + Send + 'static,
{
    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        // Libraries are heard when something is wrong.
        let is_ours = metadata.target().starts_with("amelia");
        *metadata.level() <= self.level && (is_ours || *metadata.level() <= Level::WARN)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.level)
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, cx: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        if let Some(span) = cx.span(id) {
            span.extensions_mut().insert(SpanFields(fields.0));
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, cx: Context<'_, S>) {
        let Some(span) = cx.span(id) else { return };
        let mut fields = Fields::default();
        values.record(&mut fields);
        if let Some(SpanFields(known)) = span.extensions_mut().get_mut() {
            known.extend(fields.0);
        }
    }

    fn on_event(&self, event: &Event<'_>, cx: Context<'_, S>) {
        let mut all = Map::new();
        for span in cx.event_scope(event).into_iter().flatten() {
            if let Some(SpanFields(known)) = span.extensions().get::<SpanFields>() {
                all.extend(known.iter().map(|(name, value)| (name.clone(), value.clone())));
            }
        }
        let mut fields = Fields::default();
        event.record(&mut fields);
        all.extend(fields.0);
        let line = match self.is_json {
            true => json_line(event.metadata(), all),
            false => text_line(event.metadata(), all),
        };
        let mut out = self.out.lock();
        // A log that cannot be written must not end the work.
        out.write_all(line.as_bytes()).ok();
    }
}

fn json_line(metadata: &Metadata<'_>, mut fields: Map<String, Value>) -> String {
    fields.insert("time".to_owned(), SystemClock.now().to_string().into());
    fields.insert("level".to_owned(), metadata.level().as_str().to_lowercase().into());
    fields.insert("target".to_owned(), metadata.target().into());
    format!("{}\n", Value::Object(fields))
}

fn text_line(metadata: &Metadata<'_>, mut fields: Map<String, Value>) -> String {
    let message = fields.remove("message").unwrap_or_default();
    let message = message.as_str().unwrap_or_default();
    let mut line = format!("{} {:5} {}", SystemClock.now(), metadata.level(), one_line(message));
    for (name, value) in fields {
        let text = value.as_str().map_or_else(|| value.to_string(), one_line);
        // Writing to a string cannot fail.
        write!(line, " {name}={text}").ok();
    }
    line.push('\n');
    line
}

/// What would begin a line of its own, or speak to a terminal, does not.
fn one_line(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

#[derive(Default)]
struct Fields(Map<String, Value>);

impl Fields {
    fn put(&mut self, field: &Field, value: Value) {
        self.0.insert(field.name().to_owned(), value);
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, format!("{value:?}").into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value.into());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value.into());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[derive(Clone, Default)]
    struct Heard(Arc<Mutex<Vec<u8>>>);

    impl Write for Heard {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn heard(is_json: bool, level: LevelFilter, work: impl FnOnce()) -> String {
        let out = Heard::default();
        let lines = Lines { is_json, level, out: Mutex::new(out.clone()) };
        tracing::subscriber::with_default(tracing_subscriber::registry().with(lines), work);
        String::from_utf8(out.0.lock().clone()).unwrap()
    }

    fn work() {
        let span = tracing::info_span!("request", request_id = "r-1", run = tracing::field::Empty);
        span.in_scope(|| {
            span.record("run", "0197");
            tracing::info!(status = 200_u64, "answered\nin two lines");
            tracing::debug!("too much");
        });
        tracing::info!(target: "hyper", "not ours");
        tracing::error!(target: "hyper", "broken");
    }

    #[test]
    fn a_line_of_json_has_the_event_and_what_is_known_around_it() {
        let text = heard(true, LevelFilter::INFO, work);
        let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for line in &mut lines {
            assert!(line.as_object_mut().unwrap().remove("time").unwrap().is_string());
        }
        let target = "amelia_host::logging::tests";
        assert_eq!(
            lines,
            [
                serde_json::json!({
                    "level": "info", "target": target, "message": "answered\nin two lines",
                    "request_id": "r-1", "run": "0197", "status": 200
                }),
                serde_json::json!({"level": "error", "target": "hyper", "message": "broken"}),
            ]
        );
    }

    #[test]
    fn a_line_of_text_is_one_line() {
        let text = heard(false, LevelFilter::DEBUG, work);
        let lines: Vec<&str> = text.lines().map(|line| line.split_once(' ').unwrap().1).collect();
        assert_eq!(
            lines,
            [
                "INFO  answered\\nin two lines request_id=r-1 run=0197 status=200",
                "DEBUG too much request_id=r-1 run=0197",
                "ERROR broken",
            ]
        );
    }
}
