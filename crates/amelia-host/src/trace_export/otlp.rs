//! Spans as OTLP over HTTP has them, in its JSON form. Pure.

use amelia_core::id::{EventId, TraceId};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::spans::{Attributes, Span, SpanKind, SpanValue};

/// `STATUS_CODE_ERROR`
const ERROR: u32 = 2;

/// One request with these spans.
pub(super) fn request(trace: TraceId, spans: &[Span]) -> Value {
    let version = env!("CARGO_PKG_VERSION");
    let resource = vec![
        ("service.name", SpanValue::Text("amelia".to_owned())),
        ("service.version", SpanValue::Text(version.to_owned())),
    ];
    let spans: Vec<Value> = spans.iter().map(|span| span_json(trace, span)).collect();
    json!({ "resourceSpans": [{
        "resource": { "attributes": attributes(&resource) },
        "scopeSpans": [{ "scope": { "name": "amelia", "version": version }, "spans": spans }],
    }] })
}

fn span_json(trace: TraceId, span: &Span) -> Value {
    let mut all = span.attributes.clone();
    all.extend(span.error.clone().map(|code| ("error.type", SpanValue::Text(code))));
    let mut value = json!({
        "traceId": trace.0.simple().to_string(),
        "spanId": span_id(span.id),
        "name": span.name,
        "kind": match span.kind { SpanKind::Internal => 1, SpanKind::Client => 3 },
        "startTimeUnixNano": nanos(span.start),
        "endTimeUnixNano": nanos(span.end),
        "attributes": attributes(&all),
        "status": if span.error.is_some() { json!({ "code": ERROR }) } else { json!({}) },
    });
    if let (Some(parent), Some(fields)) = (span.parent, value.as_object_mut()) {
        fields.insert("parentSpanId".to_owned(), span_id(parent).into());
    }
    value
}

/// The part of an event's id that is random, in hexadecimal.
fn span_id(event: EventId) -> String {
    let (_, low) = event.0.as_u64_pair();
    format!("{low:016x}")
}

/// Numbers of 64 bits are text in this form.
fn nanos(at: Timestamp) -> String {
    at.as_nanosecond().to_string()
}

fn attributes(all: &Attributes) -> Vec<Value> {
    let value = |value: &SpanValue| match value {
        SpanValue::Text(text) => json!({ "stringValue": text }),
        SpanValue::Number(number) => json!({ "intValue": number.to_string() }),
        SpanValue::Fraction(fraction) => json!({ "doubleValue": fraction }),
    };
    all.iter().map(|(key, of)| json!({ "key": key, "value": value(of) })).collect()
}
