//! What is known of models: their windows, their rules and their prices. A shipped table with its date, overridable by a
//! file; an unknown model is spoken to as its provider's newest ones are, and has no price.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use amelia_core::driver::Price;
use serde::{Deserialize, Serialize};

use super::WireFormat;

/// Models by name. A name ending in `*` stands for everything that begins so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalog {
    /// The day on which it was true.
    pub as_of: String,
    pub models: BTreeMap<String, ModelInfo>,
}

/// What is known of one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelInfo {
    /// Tokens that fit, with the answer.
    pub context: u64,
    /// Tokens of the longest answer.
    pub output: u64,
    /// How it can be spoken to, the best way first.
    pub wires: Vec<WireFormat>,
    #[serde(default)]
    pub thinking: Thinking,
    /// Words that say how much it thinks; any, when none is listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub efforts: Vec<String>,
    /// Whether it takes a temperature.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub sampling: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub images: bool,
    /// What of its thinking must come back with its tool calls.
    #[serde(default, skip_serializing_if = "ReasoningEcho::is_nothing")]
    pub echo: ReasoningEcho,
    /// Its thoughts are taken back only as long as everything before them is as it was.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bound_thoughts: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
}

impl ModelInfo {
    /// Why this cannot be said of a model: the field, and what is wrong with it.
    fn problem(&self) -> Option<String> {
        if self.context == 0 {
            return Some("context: a model has a window".to_owned());
        }
        if self.output == 0 || self.output > self.context {
            return Some(format!("output: must be from 1 to its context, {}", self.context));
        }
        if self.wires.is_empty() {
            return Some("wires: must name one of chat, responses, messages".to_owned());
        }
        self.price.as_ref().and_then(Price::problem).map(|problem| format!("price.{problem}"))
    }
}

/// How a model learns how much to think.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Thinking {
    /// It does not think, or cannot be configured.
    #[default]
    None,
    /// By a word: `reasoning_effort`, `reasoning.effort`.
    Effort,
    /// As it sees fit, with a word for how much: `thinking.type: adaptive`, `output_config.effort`.
    Adaptive,
    /// By a number of tokens: `thinking.budget_tokens`.
    Budget,
}

/// What of a model's thinking it wants to see again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningEcho {
    #[default]
    Nothing,
    /// The text, as `reasoning_content`.
    ReasoningContent,
    /// Everything, as `reasoning_details`.
    ReasoningDetails,
}

impl ReasoningEcho {
    fn is_nothing(&self) -> bool {
        *self == Self::Nothing
    }
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape of `skip_serializing_if`")]
fn is_yes(value: &bool) -> bool {
    *value
}

impl Catalog {
    /// The shipped table.
    pub fn shipped() -> Result<Self, String> {
        // Every run asks for it.
        static SHIPPED: LazyLock<Result<Catalog, String>> =
            LazyLock::new(|| Catalog::parse(include_str!("models.json")));
        SHIPPED.clone()
    }

    /// A table from JSON. The error names the place.
    pub fn parse(text: &str) -> Result<Self, String> {
        let table: Self = serde_json::from_str(text)
            .map_err(|error| format!("the table of models cannot be read: {error}"))?;
        for (name, info) in &table.models {
            if let Some(problem) = info.problem() {
                return Err(format!("the table of models cannot be used: models.{name}.{problem}"));
            }
        }
        Ok(table)
    }

    /// This table with the entries of `other` put on top.
    #[must_use]
    pub fn overridden_by(mut self, other: Self) -> Self {
        self.models.extend(other.models);
        self
    }

    /// What is known of a model.
    #[must_use]
    pub fn of(&self, model: &str) -> Option<&ModelInfo> {
        self.named(model).map(|(_, info)| info)
    }

    /// The same, with the name under which it is listed: its own, or without date and maker, or the longest beginning.
    #[must_use]
    pub fn named(&self, model: &str) -> Option<(&str, &ModelInfo)> {
        let plain = plain(model);
        let exact = [model, plain].into_iter().find_map(|name| self.models.get_key_value(name));
        // A pro model has prices and rules of its own.
        let is_other = |rest: &str| rest.split('-').any(|word| word == "pro");
        let rest = |name: &str| name.strip_suffix('*').and_then(|start| plain.strip_prefix(start));
        let begins = |name: &&String| rest(name.as_str()).is_some_and(|rest| !is_other(rest));
        let longest = || {
            let name = self.models.keys().filter(begins).max_by_key(|name| name.len())?;
            self.models.get_key_value(name)
        };
        exact.or_else(longest).map(|(name, info)| (name.as_str(), info))
    }
}

/// `anthropic/claude-sonnet-4-5-20250929:beta` is `claude-sonnet-4-5`.
fn plain(model: &str) -> &str {
    let name = model.rsplit('/').next().unwrap_or(model);
    let name = name.split(':').next().unwrap_or(name);
    let name = name.strip_suffix("-latest").unwrap_or(name);
    undated(name)
}

/// Without `-20250929` or `-2025-09-29` at the end.
fn undated(name: &str) -> &str {
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((stem, date)) = name.rsplit_once('-')
        && date.len() == 8
        && is_digits(date)
    {
        return stem;
    }
    let dated = name.len().checked_sub("-2025-09-29".len()).and_then(|at| name.split_at_checked(at));
    let is_date = |date: &str| {
        let parts: Vec<&str> = date.trim_start_matches('-').split('-').collect();
        parts.iter().map(|part| part.len()).eq([4, 2, 2]) && parts.iter().all(|part| is_digits(part))
    };
    dated.filter(|(_, date)| date.starts_with('-') && is_date(date)).map_or(name, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_found_by_their_names_dates_makers_and_beginnings() {
        let catalog = Catalog::shipped().unwrap();
        let name = |model: &str| catalog.named(model).map(|(name, _)| name);
        assert_eq!(name("claude-sonnet-5-5"), Some("claude-sonnet-5-5"));
        assert_eq!(name("anthropic/claude-sonnet-4-5-20250929:beta"), Some("claude-sonnet-4-5"));
        assert_eq!(name("gpt-5-mini-2025-08-07"), Some("gpt-5-mini"));
        assert_eq!(name("gpt-5.4-mini"), Some("gpt-5.4-mini*"));
        assert_eq!((name("gpt-5.4-pro-2026-03-05"), name("gpt-6-sol-pro")), (Some("gpt-5.4-pro*"), None));
        assert_eq!(catalog.of("gpt-5.4-pro").unwrap().price, None);
        assert_eq!(name("gemini-3.1-pro-preview"), Some("gemini-3.1-pro*"));
        assert_eq!(name("deepseek-flash-latest"), Some("deepseek-flash"));
        assert_eq!((name("gpt"), name("qwen2.5:7b"), name("")), (None, None, None));
    }

    #[test]
    fn the_shipped_table_is_sound() {
        for (name, info) in &Catalog::shipped().unwrap().models {
            assert!(info.output <= info.context && info.output >= 8000, "{name}");
            assert!(!info.wires.is_empty(), "{name}");
            assert!(info.thinking != Thinking::None || info.efforts.is_empty(), "{name}");
            let is_theirs = info.wires == [WireFormat::Messages];
            assert_eq!(is_theirs, name.starts_with("claude-"), "{name}");
            let is_their_thinking = matches!(info.thinking, Thinking::Adaptive | Thinking::Budget);
            assert!(is_theirs || !is_their_thinking, "{name}");
        }
    }

    #[test]
    fn a_table_without_sense_is_refused_with_its_place() {
        let price = r#""price": {"input": 1, "output": 1, "cache_read": 1, "cache_write": 1}"#;
        for (info, problem) in [
            (r#""context": 0, "output": 1, "wires": ["chat"]"#, "models.m.context: "),
            (r#""context": 9, "output": 0, "wires": ["chat"]"#, "models.m.output: "),
            (r#""context": 9, "output": 10, "wires": ["chat"]"#, "models.m.output: "),
            (r#""context": 9, "output": 1, "wires": []"#, "models.m.wires: "),
            (
                &format!(
                    r#""context": 9, "output": 1, "wires": ["chat"], {}"#,
                    price.replace("\"output\": 1", "\"output\": -5")
                ),
                "models.m.price.output: -5 ",
            ),
        ] {
            let error =
                Catalog::parse(&format!(r#"{{"as_of": "x", "models": {{"m": {{{info}}}}}}}"#)).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
    }

    #[test]
    fn a_table_with_a_misspelt_field_is_refused_with_its_place() {
        let text = r#"{"as_of": "x", "models": {"m": {"contxt": 1}}}"#;
        let error = Catalog::parse(text).unwrap_err();
        assert!(error.contains("contxt") && error.contains("line 1"), "{error}");
    }
}
