//! When a provider wants to be asked again, from the headers of its refusal, or its words. Pure.

use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::HeaderMap;
use serde_json::Value;

/// In seconds, about a year.
const LONGEST: f64 = 3.0e7;

/// How long a provider wants to be left alone. Its own word for it counts first; without one, the latest moment at
/// which something comes back that is used up.
#[must_use]
pub(super) fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let millis = text("retry-after-ms").and_then(|millis| millis.parse::<f64>().ok());
    if let Some(wait) = millis.and_then(|millis| seconds(millis / 1000.0)) {
        return Some(wait);
    }
    match text("retry-after") {
        Some(text) => seconds_or_date(text, now),
        None => used_up(headers, now),
    }
}

/// The same from the details that Google adds to an error: `RetryInfo`.
#[must_use]
pub(super) fn in_details(body: &Value) -> Option<Duration> {
    let details = body.get(0).unwrap_or(body).pointer("/error/details")?.as_array()?;
    details.iter().find_map(|detail| span(detail.get("retryDelay")?.as_str()?))
}

/// When an account can be used again, as Anthropic says it: `You will regain access on 2026-12-01 at 00:00 UTC.`
#[must_use]
pub(super) fn regained(detail: &str) -> Option<Timestamp> {
    let (date, rest) = detail.split_once("regain access on ")?.1.split_once(" at ")?;
    let time = rest.split_once(" UTC")?.0;
    format!("{date}T{time}:00Z").parse().ok()
}

/// The same from what it says, where there is no header: `Please retry after 60 seconds` (Azure), `Please try again in
/// 11.054s` (OpenAI, Groq), `Please retry in 12.5s` (Gemini).
#[must_use]
pub(super) fn in_words(detail: &str) -> Option<Duration> {
    let wish =
        ["retry after ", "try again in ", "retry in "].iter().find_map(|words| detail.split_once(words))?.1;
    let mut words = wish.split_whitespace();
    let number = words.next()?.trim_end_matches(['.', ',']);
    let unit = match words.next().unwrap_or_default().trim_end_matches(['.', ',']) {
        "milliseconds" => "ms",
        "second" | "seconds" => "s",
        "minute" | "minutes" => "m",
        "hour" | "hours" => "h",
        // The unit is part of the number.
        _ => "",
    };
    span(&format!("{number}{unit}"))
}

fn seconds_or_date(text: &str, now: Timestamp) -> Option<Duration> {
    if let Ok(number) = text.parse::<f64>() {
        return seconds(number);
    }
    let at = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
    Duration::try_from(at.duration_since(now)).ok()
}

/// `x-ratelimit-reset-tokens: 6m0s` beside `x-ratelimit-remaining-tokens: 0`, and
/// `anthropic-ratelimit-tokens-reset: 2026-01-01T00:00:00Z` beside `anthropic-ratelimit-tokens-remaining: 0`.
fn used_up(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: String| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let is_empty = |name: String| text(name).is_some_and(|left| left == "0");
    let wait = |name: &str| {
        if let Some(what) = name.strip_prefix("x-ratelimit-reset-") {
            let is_empty = is_empty(format!("x-ratelimit-remaining-{what}"));
            return text(name.to_owned()).filter(|_| is_empty).and_then(span);
        }
        let what = name.strip_prefix("anthropic-ratelimit-")?.strip_suffix("-reset")?;
        let is_empty = is_empty(format!("anthropic-ratelimit-{what}-remaining"))
            || text(format!("anthropic-ratelimit-{what}-status")).is_some_and(|status| status == "rejected");
        text(name.to_owned()).filter(|_| is_empty).and_then(|text| until(text, now))
    };
    headers.keys().filter_map(|name| wait(name.as_str())).max()
}

/// `6m0s`, `1h2m3.5s`, `17ms`, or plain seconds.
fn span(text: &str) -> Option<Duration> {
    if let Ok(number) = text.parse::<f64>() {
        return seconds(number);
    }
    let mut total = 0.0;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at_checked(digits)?;
        let end = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, next) = after.split_at_checked(end)?;
        let seconds = match unit {
            "ms" => 0.001,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            "d" => 86_400.0,
            _ => return None,
        };
        total += number.parse::<f64>().ok()? * seconds;
        rest = next;
    }
    seconds(total)
}

/// So many seconds. More than any wait are still a wait, and no reason to ask at once.
fn seconds(number: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(number.min(LONGEST)).ok()
}

/// A date, or the seconds of the epoch.
fn until(text: &str, now: Timestamp) -> Option<Duration> {
    let at = match text.parse::<i64>() {
        Ok(second) => Timestamp::from_second(second).ok()?,
        Err(_) => text.parse().ok()?,
    };
    Some(Duration::try_from(at.duration_since(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn wait(headers: &[(&'static str, &'static str)]) -> Option<f64> {
        let pairs = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        retry_after(&pairs.collect(), Timestamp::UNIX_EPOCH).map(|wait| wait.as_secs_f64())
    }

    #[test]
    fn every_way_to_say_when() {
        assert_eq!(wait(&[]), None);
        assert_eq!(wait(&[("retry-after", "7")]), Some(7.0));
        assert_eq!(wait(&[("retry-after", "7"), ("retry-after-ms", "1500")]), Some(1.5));
        assert_eq!(wait(&[("retry-after", "4"), ("retry-after-ms", "3500.5")]).map(f64::round), Some(4.0));
        assert_eq!(wait(&[("retry-after", "9"), ("retry-after-ms", "3250.0")]), Some(3.25));
        assert_eq!(wait(&[("retry-after", "4"), ("retry-after-ms", "soon")]), Some(4.0));
        assert_eq!(wait(&[("retry-after", "99999999999999999999")]), Some(LONGEST));
        assert_eq!(wait(&[("retry-after", "Thu, 01 Jan 1970 00:01:00 +0000")]), Some(60.0));
        let tokens = [("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "6m0.5s")];
        assert_eq!(wait(&tokens), Some(360.5));
        let left = [("x-ratelimit-remaining-tokens", "5"), ("x-ratelimit-reset-tokens", "6m0s")];
        assert_eq!(wait(&left), None);
        let both = [
            ("anthropic-ratelimit-tokens-remaining", "0"),
            ("anthropic-ratelimit-tokens-reset", "1970-01-01T01:00:00Z"),
            ("anthropic-ratelimit-unified-status", "rejected"),
            ("anthropic-ratelimit-unified-reset", "7200"),
        ];
        assert_eq!(wait(&both), Some(7200.0));
        assert_eq!(wait(&[("retry-after", "soon")]), None);
        let said = |text| in_words(text).map(|wait| wait.as_secs_f64());
        assert_eq!(said("… tier. Please retry after 60 seconds. To increase …"), Some(60.0));
        assert_eq!(said("… Limit 30000. Please try again in 11.054s. Visit …"), Some(11.054));
        assert_eq!(said("… Please try again in 6m0s."), Some(360.0));
        assert_eq!(said("… details. Please retry in 12.5s."), Some(12.5));
        assert_eq!(said("please try again in 2 minutes"), Some(120.0));
        assert_eq!((said("please try again in a while"), said("slow down")), (None, None));
        let access = "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.";
        assert_eq!(regained(access), Some("2026-12-01T00:00:00Z".parse().unwrap()));
        assert_eq!((span("17ms"), span("1x")), (Some(Duration::from_millis(17)), None));
    }
}
