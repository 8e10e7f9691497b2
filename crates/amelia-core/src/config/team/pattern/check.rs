//! What is wrong with the `config` of a pattern: every key of every kind, all problems at once.

mod steps;

use std::ops::RangeInclusive;

use serde_json::Value;

use super::{CollaborationPattern, PatternKind};
use crate::config::problem::ProblemReport;
use crate::object::Object;

/// Places where agents wait for each other.
const MAX_SYNC_POINTS: usize = 20;
const DAY: u64 = 86_400;

/// Reports what is wrong with the config of `pattern`.
pub(super) fn config(pattern: &CollaborationPattern, report: &mut ProblemReport) {
    report.within("config", |report| {
        let mut fields = Fields { of: &pattern.config, report };
        match pattern.kind {
            PatternKind::Sequential => fields.only(&[]),
            PatternKind::Parallel => parallel(pattern, &mut fields),
            PatternKind::Hierarchical => hierarchical(&mut fields),
            PatternKind::Consensus => consensus(pattern, &mut fields),
            PatternKind::Custom => steps::check(pattern, &mut fields),
        }
    });
    if pattern.kind == PatternKind::Consensus && word_of(&pattern.config, "tie") == Some("coordinator") {
        pattern.check_coordinator("when config.tie is `coordinator`", report);
    }
}

fn word_of<'a>(config: &'a Object, key: &str) -> Option<&'a str> {
    config.get(key).and_then(Value::as_str)
}

fn parallel(pattern: &CollaborationPattern, fields: &mut Fields<'_>) {
    fields.only(&["tasks", "sync_points", "on_failure", "isolation"]);
    fields.word("on_failure", &["wait", "cancel"]);
    fields.word("isolation", &["branch", "shared"]);
    fields.by_agent("tasks", pattern, |value| match value.as_str() {
        Some(text) if !text.trim().is_empty() => None,
        _ => Some("must be text".to_owned()),
    });
    let points = fields.texts("sync_points");
    if points.len() > MAX_SYNC_POINTS {
        fields.report.refuse("sync_points", format!("has more than {MAX_SYNC_POINTS} entries"));
    }
    fields.report.unique("sync_points", "", points);
}

fn hierarchical(fields: &mut Fields<'_>) {
    fields.only(&["must_delegate", "max_parallel", "max_delegations", "max_depth"]);
    fields.flag("must_delegate");
    fields.whole("max_parallel", &(1..=16));
    fields.whole("max_delegations", &(1..=500));
    fields.whole("max_depth", &(1..=5));
}

fn consensus(pattern: &CollaborationPattern, fields: &mut Fields<'_>) {
    fields.only(&["quorum", "rule", "timeout", "tie", "weights", "max_rounds"]);
    fields.word("rule", &["majority", "unanimous", "weighted"]);
    fields.word("tie", &["human", "coordinator", "reject"]);
    fields.whole("timeout", &(1..=DAY));
    fields.whole("max_rounds", &(1..=20));
    // One proposes, and the others vote.
    let voters = pattern.members().count().saturating_sub(1);
    if voters == 0 && !pattern.agents.is_empty() {
        fields
            .report
            .refuse("", "no agent can vote: `agents` must name at least one besides the agent that proposes");
    }
    if let Some(quorum) = fields.number("quorum") {
        let is_count = quorum >= 1.0;
        if is_count && quorum.fract() != 0.0 {
            fields.report.refuse("quorum", format!("{quorum} is neither a whole number nor a share below 1"));
        } else if is_count && voters > 0 && quorum > voters as f64 {
            fields
                .report
                .refuse("quorum", format!("{quorum} is more than the {voters} agents that can vote"));
        }
    }
    fields.by_agent("weights", pattern, |value| match value.as_f64() {
        Some(weight) if weight > 0.0 && weight.is_finite() => None,
        _ => Some("must be a number greater than 0".to_owned()),
    });
    if fields.of.contains_key("weights") && word_of(fields.of, "rule") != Some("weighted") {
        fields.report.refuse("weights", "is allowed only when rule is `weighted`");
    }
}

/// The keys of a `config`, read one by one.
struct Fields<'a> {
    of: &'a Object,
    report: &'a mut ProblemReport,
}

impl<'a> Fields<'a> {
    fn only(&mut self, known: &[&str]) {
        for key in self.of.keys().filter(|key| !known.contains(&key.as_str())) {
            let message = match known {
                [] => "unknown key; this type has no keys".to_owned(),
                known => format!("unknown key; known keys: {}", known.join(", ")),
            };
            self.report.refuse(key, message);
        }
    }

    fn word(&mut self, key: &str, words: &[&str]) {
        let Some(value) = self.of.get(key) else { return };
        if !value.as_str().is_some_and(|given| words.contains(&given)) {
            self.report.refuse(key, format!("must be one of {}", words.join(", ")));
        }
    }

    fn flag(&mut self, key: &str) {
        if self.of.get(key).is_some_and(|value| !value.is_boolean()) {
            self.report.refuse(key, "must be true or false");
        }
    }

    fn whole(&mut self, key: &str, range: &RangeInclusive<u64>) {
        let Some(value) = self.of.get(key) else { return };
        if !value.as_u64().is_some_and(|number| range.contains(&number)) {
            let message = format!("must be a whole number from {} to {}", range.start(), range.end());
            self.report.refuse(key, message);
        }
    }

    /// A number above 0.
    fn number(&mut self, key: &str) -> Option<f64> {
        let value = self.of.get(key)?;
        let number = value.as_f64().filter(|number| *number > 0.0);
        if number.is_none() {
            self.report.refuse(key, "must be a number greater than 0");
        }
        number
    }

    fn texts(&mut self, key: &str) -> Vec<&'a str> {
        let Some(value) = self.of.get(key) else { return Vec::new() };
        let is_text = |item: &Value| item.as_str().is_some_and(|text| !text.trim().is_empty());
        match value {
            Value::Array(items) if items.iter().all(is_text) => {
                items.iter().filter_map(Value::as_str).collect()
            }
            _ => {
                self.report.refuse(key, "must be a list of strings");
                Vec::new()
            }
        }
    }

    /// A mapping from agents of the pattern.
    fn by_agent(
        &mut self,
        key: &str,
        pattern: &CollaborationPattern,
        problem: impl Fn(&Value) -> Option<String>,
    ) {
        let Some(value) = self.of.get(key) else { return };
        let Value::Object(entries) = value else {
            return self.report.refuse(key, "must be a mapping with the names of agents");
        };
        self.report.within(key, |report| {
            for (agent, value) in entries {
                if !pattern.agents.contains(agent) {
                    report.refuse(agent, format!("`{agent}` is not among the agents of the pattern"));
                } else if let Some(message) = problem(value) {
                    report.refuse(agent, message);
                }
            }
        });
    }
}
