//! Keys, tokens and passwords, by their shapes.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use regex::Regex;

/// What stands where a secret stood.
pub(super) const REMOVED: &str = "[redacted]";

/// Shapes that hardly anything else has. The longest come first where one is the beginning of another.
const SHAPES: [&str; 15] = [
    r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----[\s\S]{0,8192}?(?:-----END (?:[A-Z]+ )?PRIVATE KEY-----|\z)",
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    r"\bgithub_pat_[0-9A-Za-z_]{22,}",
    r"\bgh[pousr]_[0-9A-Za-z]{36,}",
    r"\bglpat-[0-9A-Za-z_-]{20,}",
    r"\bsk-[0-9A-Za-z_-]{20,}",
    r"\b[rs]k_(?:live|test)_[0-9A-Za-z]{16,}",
    r"\bxox[abposr]-[0-9A-Za-z-]{10,}",
    r"\bAIza[0-9A-Za-z_-]{35}",
    r"\bya29\.[0-9A-Za-z_-]{20,}",
    r"\bnpm_[0-9A-Za-z]{36}",
    r"\bpypi-[0-9A-Za-z_-]{50,}",
    r"\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}",
    r"\b[a-z][a-z0-9+.-]*://[^\s/:@]{1,64}:[^\s/:@]{3,256}@",
    r#"(?i)\b[a-z0-9_]*(?:api_?key|access_?key|secret|token|passw(?:or)?d)["']?\s*[:=]\s*["']?[0-9A-Za-z_/+=.~-]{16,}"#,
];

fn shapes() -> Option<&'static Regex> {
    static REGEX: OnceLock<Option<Regex>> = OnceLock::new();
    let one = || Regex::new(&SHAPES.map(|shape| format!("(?:{shape})")).join("|")).ok();
    REGEX.get_or_init(one).as_ref()
}

/// Where the first secret is.
pub(super) fn find(text: &str) -> Option<Range<usize>> {
    shapes()?.find(text).map(|found| found.range())
}

/// The text with `replacement` in the place of every secret.
pub(super) fn replaced<'t>(text: &'t str, replacement: &str) -> Cow<'t, str> {
    match shapes() {
        Some(shapes) => shapes.replace_all(text, regex::NoExpand(replacement)),
        None => Cow::Borrowed(text),
    }
}

/// The text without secrets.
pub(super) fn without(text: &str) -> Cow<'_, str> {
    replaced(text, REMOVED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_by_their_shapes_and_words_are_not() {
        let key = "x".repeat(40);
        for secret in [
            "AKIAIOSFODNN7EXAMPLE".to_owned(),
            format!("ghp_{key}"),
            format!("sk-ant-api03-{key}"),
            format!("xoxb-123456789012-{key}"),
            format!("postgres://app:{key}@db/prod"),
            format!("API_KEY = \"{key}\""),
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----".to_owned(),
        ] {
            let text = format!("It is {secret} here.");
            assert!(find(&text).is_some(), "{text}");
            assert!(without(&text).contains(REMOVED), "{text}");
            assert!(!without(&text).contains(&key), "{text}");
        }
        for text in [
            "the token is missing",
            "password: hunter2",
            "https://example.org/a:b",
            "sk-learn",
            "a secret: none",
        ] {
            assert_eq!(find(text), None, "{text}");
        }
    }
}
