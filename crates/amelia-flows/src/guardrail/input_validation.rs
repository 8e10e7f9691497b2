//! `input_validation`: how long a text may be, what it must look like, and which shape its JSON must have.

use amelia_core::event::guardrail::GuardPoint;
use amelia_core::guardrail::CheckedContent;
use jsonschema::Validator;
use regex::Regex;
use serde_json::Value;

use super::rule_reader::RuleReader;
use super::sample::Finding;

const CHECKS: [&str; 5] = ["max_length", "min_length", "pattern", "not_pattern", "json_schema"];

/// What comes in; what agents say can be checked, too.
const USUAL: [GuardPoint; 3] = [GuardPoint::UserInput, GuardPoint::Prompt, GuardPoint::ToolCall];

/// Larger texts are not read as JSON.
const MAX_JSON_BYTES: usize = 1024 * 1024;

pub(super) struct InputRule {
    max_length: Option<u64>,
    min_length: Option<u64>,
    pattern: Option<Regex>,
    not_pattern: Option<Regex>,
    json_schema: Option<Validator>,
}

impl InputRule {
    pub(super) fn read(reader: &mut RuleReader<'_>) -> Option<Self> {
        if !CHECKS.iter().any(|check| reader.has(check)) {
            reader.refuse("", format!("needs one of {}", CHECKS.join(", ")));
            return None;
        }
        let rule = Self {
            max_length: reader.count("max_length", 1),
            min_length: reader.count("min_length", 1),
            pattern: reader.pattern("pattern"),
            not_pattern: reader.pattern("not_pattern"),
            json_schema: schema(reader),
        };
        if let (Some(least), Some(most)) = (rule.min_length, rule.max_length)
            && least > most
        {
            reader.refuse("min_length", format!("{least} is more than max_length, {most}"));
        }
        Some(rule)
    }

    pub(super) fn points(&self) -> (&'static [GuardPoint], &'static [GuardPoint]) {
        match &self.json_schema {
            // Texts of people are no JSON.
            Some(_) => (&[GuardPoint::ToolCall], &GuardPoint::ALL),
            None => (&USUAL, &GuardPoint::ALL),
        }
    }

    pub(super) fn finding(&self, content: &CheckedContent<'_>) -> Option<Finding> {
        let text = content.text;
        let length = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
        if let Some(most) = self.max_length.filter(|most| length > *most) {
            return Some(Finding::new(format!(
                "its length in characters is {length}, but must be at most {most}"
            )));
        }
        if let Some(least) = self.min_length.filter(|least| length < *least) {
            return Some(Finding::new(format!(
                "its length in characters is {length}, but must be at least {least}"
            )));
        }
        if self.pattern.as_ref().is_some_and(|pattern| !pattern.is_match(text)) {
            return Some(Finding::new("it does not match the required pattern"));
        }
        if let Some(found) = self.not_pattern.as_ref().and_then(|pattern| pattern.find(text)) {
            let finding = Finding::new("it contains something that is not allowed");
            return Some(Finding { at: Some(found.range()), ..finding });
        }
        misfit(self.json_schema.as_ref()?, text).map(Finding::new)
    }
}

fn schema(reader: &mut RuleReader<'_>) -> Option<Validator> {
    let schema = reader.any("json_schema")?;
    if !schema.is_object() {
        reader.refuse("json_schema", "must be a JSON Schema");
        return None;
    }
    let compiled = jsonschema::validator_for(schema);
    compiled.map_err(|error| reader.refuse("json_schema", format!("cannot be used: {error}"))).ok()
}

fn misfit(schema: &Validator, text: &str) -> Option<String> {
    if text.len() > MAX_JSON_BYTES {
        return Some(format!("it is larger than {} KB, so it is not read as JSON", MAX_JSON_BYTES / 1024));
    }
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => return Some(format!("it is not JSON: {error}")),
    };
    let error = schema.iter_errors(&value).next()?;
    let place = error.instance_path().to_string();
    let place = if place.is_empty() { String::new() } else { format!(" at `{place}`") };
    Some(format!("it does not match the schema{place}: {error}"))
}
