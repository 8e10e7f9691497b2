//! Secrets are taken out of everything that is kept or shown: what is known to be one is replaced wherever it stands.

mod stream;

use std::borrow::Cow;

use memchr::memmem;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::config::secret::Secret;

pub use stream::StreamRedactor;

pub use crate::text::REDACTED;

/// Anything shorter is a word that may stand anywhere.
const SHORTEST: usize = 8;

/// Parts of names of variables that hold secrets.
const SECRET_NAMES: [&str; 6] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"];

/// Whether a variable of this name holds a secret, as far as its name tells.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SECRET_NAMES.iter().any(|word| name.contains(word))
}

/// Knows the secrets of this process, to take them out of text.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    /// Longest first, so that a secret with another one in it goes as a whole.
    secrets: Vec<Secret>,
    /// The same as they stand inside a JSON string, where that differs.
    escaped: Vec<Secret>,
}

impl Redactor {
    /// Takes out `secrets` that are long enough to be one.
    pub fn new(secrets: impl IntoIterator<Item = Secret>) -> Self {
        let mut secrets: Vec<Secret> =
            secrets.into_iter().filter(|secret| is_telling(secret.reveal().trim())).collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.reveal().len()));
        secrets.dedup();
        let escaped = secrets.iter().filter_map(escaped).collect();
        Self { secrets, escaped }
    }

    /// `text` without secrets.
    #[must_use]
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut clean = Cow::Borrowed(text);
        for secret in &self.secrets {
            if memmem::find(clean.as_bytes(), secret.reveal().as_bytes()).is_some() {
                clean = Cow::Owned(clean.replace(secret.reveal(), REDACTED));
            }
        }
        match pass_in(clean.as_bytes()) {
            Some(_) => Cow::Owned(without_passes(&clean)),
            None => clean,
        }
    }

    /// The same, and one more secret.
    #[must_use]
    pub fn with(&self, secret: Secret) -> Self {
        Self::new(self.secrets.iter().cloned().chain([secret]))
    }

    /// `bytes` without secrets, also as they stand inside JSON.
    #[must_use]
    pub fn bytes<'b>(&self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        let mut clean = Cow::Borrowed(bytes);
        for secret in self.secrets.iter().chain(&self.escaped) {
            let secret = secret.reveal().as_bytes();
            if let Some(first) = memmem::find(&clean, secret) {
                clean = Cow::Owned(replaced(&clean, first, secret));
            }
        }
        while let Some((from, to)) = pass_in(&clean) {
            clean.to_mut().splice(from..to, REDACTED.bytes());
        }
        clean
    }

    /// What can be shown of a stream now that `text` has come. An end that may become a secret is held back until that
    /// is known.
    #[must_use]
    pub fn flow(&self, held: &mut String, text: &str) -> String {
        held.push_str(text);
        let clean = self.text(held).into_owned();
        let kept = self.secrets.iter().map(|secret| half(&clean, secret.reveal())).max().unwrap_or(0);
        let kept = kept.max(half_pass(&clean));
        *held = clean.get(clean.len() - kept..).unwrap_or_default().to_owned();
        clean.get(..clean.len() - kept).unwrap_or_default().to_owned()
    }

    /// `value` without secrets in any of its texts. Costs one serialisation when there are none in it.
    #[must_use]
    pub fn clean<T: Serialize + DeserializeOwned>(&self, value: T) -> T {
        let Ok(written) = serde_json::to_string(&value) else { return value };
        let has = |secret: &Secret| memmem::find(written.as_bytes(), secret.reveal().as_bytes()).is_some();
        if !self.secrets.iter().chain(&self.escaped).any(has) && pass_in(written.as_bytes()).is_none() {
            return value;
        }
        let Ok(mut tree) = serde_json::from_str::<Value>(&written) else { return value };
        self.clean_tree(&mut tree);
        // A secret that is a name or a number of the shape itself cannot be taken out without breaking it.
        serde_json::from_value(tree).unwrap_or(value)
    }

    fn clean_tree(&self, tree: &mut Value) {
        match tree {
            Value::String(text) => {
                if let Cow::Owned(clean) = self.text(text) {
                    *text = clean;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.clean_tree(item)),
            Value::Object(fields) => {
                let dirty = |name: &String| matches!(self.text(name), Cow::Owned(_));
                if fields.keys().any(dirty) {
                    let old = std::mem::take(fields);
                    *fields =
                        old.into_iter().map(|(name, value)| (self.text(&name).into_owned(), value)).collect();
                }
                fields.values_mut().for_each(|value| self.clean_tree(value));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

fn replaced(bytes: &[u8], first: usize, secret: &[u8]) -> Vec<u8> {
    let mut clean = Vec::with_capacity(bytes.len());
    let mut from = 0;
    let mut next = Some(first);
    while let Some(at) = next {
        clean.extend_from_slice(bytes.get(from..at).unwrap_or_default());
        clean.extend_from_slice(REDACTED.as_bytes());
        from = at + secret.len();
        next = bytes.get(from..).and_then(|rest| memmem::find(rest, secret)).map(|after| from + after);
    }
    clean.extend_from_slice(bytes.get(from..).unwrap_or_default());
    clean
}

/// How a pass for our own proxy begins, and how many hexadecimal digits follow. Known by its shape: it is made while runs
/// are at work, and given to programs that may show it.
const PASS: (&str, usize) = ("amp-", 64);

/// Where the first pass stands in a text.
fn pass_in(text: &[u8]) -> Option<(usize, usize)> {
    let (start, digits) = PASS;
    memmem::find_iter(text, start).find_map(|at| {
        let end = at + start.len() + digits;
        let is_pass = text.get(at + start.len()..end)?.iter().all(u8::is_ascii_hexdigit);
        is_pass.then_some((at, end))
    })
}

/// How many bytes at the end of `text` may be the beginning of a pass.
fn half_pass(text: &str) -> usize {
    let (start, digits) = PASS;
    let is_half = |at: &usize| {
        let rest = text.get(at + start.len()..).unwrap_or_default();
        rest.len() < digits && rest.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let begun = text.rfind(start).filter(is_half).map(|at| text.len() - at);
    begun.unwrap_or_else(|| half(text, start))
}

fn without_passes(text: &str) -> String {
    let (mut clean, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((from, to)) = pass_in(rest.as_bytes()) {
        clean.push_str(rest.get(..from).unwrap_or_default());
        clean.push_str(REDACTED);
        rest = rest.get(to..).unwrap_or_default();
    }
    clean + rest
}

/// Long enough, and no word: `POSTGRES_PASSWORD=postgres` must not take every "postgres" out of the world.
fn is_telling(text: &str) -> bool {
    let is_word = text.len() < 20 && text.chars().all(char::is_alphabetic);
    text.len() >= SHORTEST && !is_word
}

/// How many bytes at the end of `text` are the beginning of `secret`.
fn half(text: &str, secret: &str) -> usize {
    let ends = |length: &usize| secret.get(..*length).is_some_and(|start| text.ends_with(start));
    (1..secret.len()).rev().find(ends).unwrap_or(0)
}

fn escaped(secret: &Secret) -> Option<Secret> {
    let written = Value::String(secret.reveal().to_owned()).to_string();
    let inner = written.trim_matches('"');
    (inner != secret.reveal()).then(|| Secret::new(inner))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn redactor() -> Redactor {
        Redactor::new(
            ["sk-12345678", "sk-12345678-long", "with\"quote", "short", "postgres"].map(Secret::new),
        )
    }

    #[test]
    fn secrets_go_as_a_whole_and_short_words_stay() {
        let clean = redactor().text("a sk-12345678-long b sk-12345678 c short postgres").into_owned();
        assert_eq!(clean, "a [redacted] b [redacted] c short postgres");
    }

    #[test]
    fn a_secret_that_comes_in_pieces_goes_too() {
        let redactor = redactor();
        let mut held = String::new();
        let pieces = ["the key is s", "k-1234", "5678", " and s", "k", "y is blue"];
        let shown: String = pieces.iter().map(|piece| redactor.flow(&mut held, piece)).collect();
        assert_eq!(shown + &held, "the key is [redacted] and sky is blue");
    }

    #[test]
    fn every_text_of_a_value_is_looked_at() {
        let dirty = json!({"a": ["x with\"quote y", 1], "sk-12345678": {"deep": "sk-12345678"}});
        let clean = redactor().clean(dirty);
        assert_eq!(clean, json!({"a": ["x [redacted] y", 1], "[redacted]": {"deep": "[redacted]"}}));
    }

    #[test]
    fn bytes_need_not_be_text() {
        let redactor = redactor().with(Secret::new("one-more-secret"));
        let dirty = b"\xFFsk-12345678 sk-12345678-long\"with\\\"quote\" one-more-secret\xFF";
        let clean = redactor.bytes(dirty).into_owned();
        assert_eq!(clean, b"\xFF[redacted] [redacted]\"[redacted]\" [redacted]\xFF");
        assert!(matches!(redactor.bytes(b"nothing here"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_pass_is_known_by_its_shape() {
        let pass = format!("amp-{}", "0123456789abcdef".repeat(4));
        let clean = Redactor::default().text(&format!("a {pass} b amp-12 c {pass}")).into_owned();
        assert_eq!(clean, "a [redacted] b amp-12 c [redacted]");
        let bytes = format!("a {pass} b");
        assert_eq!(Redactor::default().bytes(bytes.as_bytes()).as_ref(), b"a [redacted] b");
        let mut held = String::new();
        let (first, second) = pass.split_at(30);
        let pieces = ["it is a", "mp-", " not amp-12 but ", first, second, "."];
        let shown: String = pieces.iter().map(|piece| Redactor::default().flow(&mut held, piece)).collect();
        assert_eq!(shown + &held, "it is amp- not amp-12 but [redacted].");
        assert_eq!(Redactor::default().clean(json!({"x": [pass]})), json!({"x": ["[redacted]"]}));
    }

    #[test]
    fn names_tell_what_holds_a_secret() {
        for name in ["OPENAI_API_KEY", "gh_token", "DB_PASSWORD", "MY_CREDENTIALS"] {
            assert!(is_secret_name(name), "{name}");
        }
        assert!(!is_secret_name("PATH"));
    }
}
