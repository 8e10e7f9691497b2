//! Prompts: templates that ship with the program and that people may replace. A template that is broken is text, not a
//! crash.

pub(crate) mod fence;

use std::collections::BTreeMap;
use std::sync::Arc;

use minijinja::value::Serde;
use minijinja::{Environment, Error, Value};
use serde::Serialize;

/// Every prompt by its name.
pub const SHIPPED: [(&str, &str); 21] = [
    ("architect.system", include_str!("../prompts/architect.system.md")),
    ("architect.start", include_str!("../prompts/architect.start.md")),
    ("architect.revise", include_str!("../prompts/architect.revise.md")),
    ("developer.system", include_str!("../prompts/developer.system.md")),
    ("developer.task", include_str!("../prompts/developer.task.md")),
    ("developer.checks", include_str!("../prompts/developer.checks.md")),
    ("developer.revise", include_str!("../prompts/developer.revise.md")),
    ("developer.steps", include_str!("../prompts/developer.steps.md")),
    ("developer.step", include_str!("../prompts/developer.step.md")),
    ("developer.interrupted", include_str!("../prompts/developer.interrupted.md")),
    ("developer.hook", include_str!("../prompts/developer.hook.md")),
    ("developer.repository", include_str!("../prompts/developer.repository.md")),
    ("developer.conflict", include_str!("../prompts/developer.conflict.md")),
    ("reviewer.system", include_str!("../prompts/reviewer.system.md")),
    ("reviewer.start", include_str!("../prompts/reviewer.start.md")),
    ("reviewer.clarify", include_str!("../prompts/reviewer.clarify.md")),
    ("evaluator.system", include_str!("../prompts/evaluator.system.md")),
    ("evaluator.start", include_str!("../prompts/evaluator.start.md")),
    ("oracle.system", include_str!("../prompts/oracle.system.md")),
    ("single.system", include_str!("../prompts/single.system.md")),
    ("common.system", include_str!("../prompts/common.system.md")),
];

/// Steps that a template may take: enough for long plans, too few to hang.
const FUEL: u64 = 5_000_000;

/// The prompts of a run.
#[derive(Debug, Clone, Default)]
pub struct Prompts {
    /// What people have written instead, by name.
    own: Arc<BTreeMap<String, String>>,
}

impl Prompts {
    /// With these in the place of the shipped ones.
    #[must_use]
    pub fn with(own: BTreeMap<String, String>) -> Self {
        Self { own: Arc::new(own) }
    }

    /// The text of a prompt. What a template cannot do is left as it stands: `{{ name }}` is still filled in.
    #[must_use]
    pub fn render(&self, name: &str, values: impl Serialize) -> String {
        let shipped = || SHIPPED.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
        let template = self.own.get(name).map(String::as_str).or_else(shipped).unwrap_or_default();
        let values = Value::from(Serde(values));
        match rendered(template, &values) {
            Ok(text) => text.trim().to_owned(),
            Err(_) => filled(template, &values).trim().to_owned(),
        }
    }
}

/// What is wrong with a template, for the person who edits it.
pub fn problem(template: &str) -> Option<String> {
    let mut environment = environment();
    environment.add_template("prompt", template).err().map(|error| error.to_string())
}

fn rendered(template: &str, values: &Value) -> Result<String, Error> {
    environment().render_str(template, values)
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_fuel(Some(FUEL));
    // What is not there is an empty text, not a template that cannot be filled.
    environment.add_filter("fenced", |text: Value, source: &str| fence::untrusted(&said(&text), source));
    environment
        .add_filter("conventions", |text: Value, source: &str| fence::conventions(&said(&text), source));
    environment
}

fn said(text: &Value) -> String {
    if text.is_none() || text.is_undefined() { String::new() } else { text.to_string() }
}

/// Only `{{ name }}` and `{{ name.field }}`; everything else is text.
fn filled(template: &str, values: &Value) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        match after.split_once("}}") {
            Some((name, next)) if is_name(name.trim()) => {
                let found =
                    name.trim().split('.').try_fold(values.clone(), |value, part| value.get_attr(part));
                out.push_str(&found.map(|value| value.to_string()).unwrap_or_default());
                rest = next;
            }
            _ => {
                out.push_str("{{");
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "prompt_values_tests.rs"]
mod values_tests;
