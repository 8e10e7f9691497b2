//! `content_filter`: patterns, secrets and personal data that must not be in a text, or are replaced.

use std::borrow::Cow;

use amelia_core::event::guardrail::GuardPoint;
use regex::{NoExpand, Regex};

use super::personal_data::{KINDS, PersonalData};
use super::rule_reader::RuleReader;
use super::sample::Finding;
use super::secrets;

/// The arguments of a call are what the agent meant: they are refused, and not changed.
const REPLACEABLE: [GuardPoint; 4] =
    [GuardPoint::UserInput, GuardPoint::Prompt, GuardPoint::Answer, GuardPoint::ToolResult];

pub(super) struct ContentRule {
    patterns: Vec<Regex>,
    secrets: bool,
    personal_data: Vec<PersonalData>,
    replace: Option<String>,
}

impl ContentRule {
    pub(super) fn read(reader: &mut RuleReader<'_>) -> Option<Self> {
        let rule = Self {
            patterns: reader.patterns("patterns"),
            secrets: reader.flag("secrets"),
            personal_data: reader.words("personal_data", &KINDS),
            replace: reader.any_text("replace"),
        };
        let says_something = reader.has("patterns") || reader.has("personal_data") || rule.secrets;
        if !says_something {
            reader.refuse("", "needs `patterns`, `secrets: true` or `personal_data`");
        }
        says_something.then_some(rule)
    }

    pub(super) fn replaces(&self) -> bool {
        self.replace.is_some()
    }

    pub(super) fn points(&self) -> (&'static [GuardPoint], &'static [GuardPoint]) {
        match self.replaces() {
            true => (&REPLACEABLE, &REPLACEABLE),
            false => (&GuardPoint::ALL, &GuardPoint::ALL),
        }
    }

    pub(super) fn finding(&self, text: &str) -> Option<Finding> {
        if let Some(at) = Some(()).filter(|()| self.secrets).and_then(|()| secrets::find(text)) {
            let message = "it contains a key, a token or a password".to_owned();
            return Some(Finding { message, at: Some(at), is_private: true });
        }
        for kind in &self.personal_data {
            if let Some(at) = kind.all(text).next() {
                let message = format!("it contains {}", kind.words());
                return Some(Finding { message, at: Some(at), is_private: true });
            }
        }
        let found = self.patterns.iter().find_map(|pattern| pattern.find(text))?;
        let finding = Finding::new("it contains something that is not allowed");
        Some(Finding { at: Some(found.range()), ..finding })
    }

    /// The text with the replacement in the place of everything that the rule finds.
    pub(super) fn replaced(&self, text: &str) -> Option<String> {
        let replacement = self.replace.as_deref()?;
        let mut changed = Cow::Borrowed(text);
        if self.secrets
            && let Cow::Owned(new) = secrets::replaced(&changed, replacement)
        {
            changed = Cow::Owned(new);
        }
        for kind in &self.personal_data {
            let places: Vec<_> = kind.all(&changed).collect();
            for at in places.into_iter().rev() {
                changed.to_mut().replace_range(at, replacement);
            }
        }
        for pattern in &self.patterns {
            if let Cow::Owned(new) = pattern.replace_all(&changed, NoExpand(replacement)) {
                changed = Cow::Owned(new);
            }
        }
        match changed {
            Cow::Owned(changed) => Some(changed),
            Cow::Borrowed(_) => None,
        }
    }
}
