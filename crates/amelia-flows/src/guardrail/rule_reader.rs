//! Reads the keys of one rule, each with its own problem.

use std::collections::BTreeSet;

use amelia_core::config::problem::ProblemReport;
use amelia_core::event::guardrail::GuardPoint;
use amelia_core::object::Object;
use regex::{Regex, RegexBuilder};
use serde_json::Value;

/// The longest pattern.
const MAX_PATTERN_BYTES: usize = 8 * 1024;
/// Memory of one compiled pattern.
const MAX_COMPILED_BYTES: usize = 2 * 1024 * 1024;
/// Patterns in one list.
const MAX_PATTERNS: usize = 50;

pub(super) struct RuleReader<'a> {
    rule: &'a Object,
    report: &'a mut ProblemReport,
    /// Keys that the type of the rule has.
    known: BTreeSet<&'static str>,
}

impl<'a> RuleReader<'a> {
    pub(super) fn new(rule: &'a Object, report: &'a mut ProblemReport) -> Self {
        Self { rule, report, known: BTreeSet::new() }
    }

    /// Refuses a rule that is larger than a person would write. The largest of its values is named.
    pub(super) fn is_small(&mut self, limit: usize) -> bool {
        let size = |value: &Value| match value {
            Value::String(text) => text.len(),
            other => other.to_string().len(),
        };
        let total: usize = self.rule.values().map(size).sum();
        if total <= limit {
            return true;
        }
        let largest = self.rule.iter().max_by_key(|(_, value)| size(value));
        let name = largest.map_or("", |(name, _)| name.as_str());
        self.report.refuse(name, format!("is too large: a rule has at most {} KB", limit / 1024));
        false
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.rule.get(name).is_some_and(|value| !value.is_null())
    }

    fn value(&mut self, name: &'static str) -> Option<&'a Value> {
        self.known.insert(name);
        self.rule.get(name).filter(|value| !value.is_null())
    }

    pub(super) fn refuse(&mut self, name: &str, message: impl Into<String>) {
        self.report.refuse(name, message);
    }

    pub(super) fn text(&mut self, name: &'static str) -> Option<String> {
        let value = self.value(name)?;
        match value.as_str().filter(|text| !text.trim().is_empty()) {
            Some(text) => Some(text.to_owned()),
            None => {
                self.report.refuse(name, "must be text, and not empty");
                None
            }
        }
    }

    /// A text that may be empty.
    pub(super) fn any_text(&mut self, name: &'static str) -> Option<String> {
        let value = self.value(name)?;
        if !value.is_string() {
            self.report.refuse(name, "must be text");
        }
        value.as_str().map(str::to_owned)
    }

    pub(super) fn count(&mut self, name: &'static str, least: u64) -> Option<u64> {
        let value = self.value(name)?;
        match value.as_u64().filter(|count| *count >= least) {
            Some(count) => Some(count),
            None => {
                self.report.refuse(name, format!("must be a whole number of at least {least}"));
                None
            }
        }
    }

    pub(super) fn flag(&mut self, name: &'static str) -> bool {
        match self.value(name) {
            None => false,
            Some(Value::Bool(flag)) => *flag,
            Some(_) => {
                self.report.refuse(name, "must be true or false");
                false
            }
        }
    }

    pub(super) fn pattern(&mut self, name: &'static str) -> Option<Regex> {
        let text = self.text(name)?;
        compiled(&text).map_err(|message| self.report.refuse(name, message)).ok()
    }

    pub(super) fn patterns(&mut self, name: &'static str) -> Vec<Regex> {
        let Some(value) = self.value(name) else { return Vec::new() };
        let Some(items) = value.as_array().filter(|items| !items.is_empty()) else {
            self.report.refuse(name, "must be a list of at least one regular expression");
            return Vec::new();
        };
        if items.len() > MAX_PATTERNS {
            self.report.refuse(name, format!("has more than {MAX_PATTERNS} entries"));
        }
        let mut patterns = Vec::new();
        for (index, item) in items.iter().take(MAX_PATTERNS).enumerate() {
            let text = item.as_str().filter(|text| !text.is_empty());
            match text.map_or_else(|| Err("must be a regular expression".to_owned()), compiled) {
                Ok(pattern) => patterns.push(pattern),
                Err(message) => self.report.refuse(format_args!("{name}[{index}]"), message),
            }
        }
        patterns
    }

    /// Some of these words.
    pub(super) fn words<T: Copy>(&mut self, name: &'static str, known: &[(&str, T)]) -> Vec<T> {
        let Some(value) = self.value(name) else { return Vec::new() };
        let names = || known.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
        let Some(items) = value.as_array().filter(|items| !items.is_empty()) else {
            self.report.refuse(name, format!("must be a list of one or more of {}", names()));
            return Vec::new();
        };
        let mut found = Vec::new();
        for (index, item) in items.iter().enumerate() {
            match known.iter().find(|(word, _)| item.as_str() == Some(word)) {
                Some((_, meaning)) => found.push(*meaning),
                None => {
                    self.report
                        .refuse(format_args!("{name}[{index}]"), format!("must be one of {}", names()));
                }
            }
        }
        found
    }

    /// Where the rule holds: `usual` when nothing is said.
    pub(super) fn points(&mut self, usual: &[GuardPoint], possible: &[GuardPoint]) -> BTreeSet<GuardPoint> {
        let known: Vec<(&str, GuardPoint)> = possible.iter().map(|point| (point.name(), *point)).collect();
        match self.has("on") {
            true => self.words("on", &known).into_iter().collect(),
            false => {
                self.known.insert("on");
                usual.iter().copied().collect()
            }
        }
    }

    /// A whole value, such as a schema.
    pub(super) fn any(&mut self, name: &'static str) -> Option<&'a Value> {
        self.value(name)
    }

    /// Refuses keys that the rule does not have.
    pub(super) fn end(self) {
        let names = self.known.iter().copied().collect::<Vec<_>>().join(", ");
        for name in self.rule.keys().filter(|name| !self.known.contains(name.as_str())) {
            self.report.refuse(name, format!("is not a key of this rule; its keys are {names}"));
        }
    }
}

/// A pattern whose matching takes time in proportion to the text.
fn compiled(text: &str) -> Result<Regex, String> {
    if text.len() > MAX_PATTERN_BYTES {
        return Err(format!("the pattern is longer than {} KB", MAX_PATTERN_BYTES / 1024));
    }
    let mut builder = RegexBuilder::new(text);
    builder.size_limit(MAX_COMPILED_BYTES).dfa_size_limit(MAX_COMPILED_BYTES).nest_limit(50);
    builder.build().map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => {
            "the pattern is too large; use fewer or smaller repetitions".to_owned()
        }
        // The last line says what is wrong; those before it show where.
        other => {
            let text = other.to_string();
            let reason = text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            format!("is not a regular expression: {reason}")
        }
    })
}
