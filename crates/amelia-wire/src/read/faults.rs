//! The faults of a document's shape, one after the other: each is noted and taken out, so that what follows it is judged,
//! too. Pure.

use std::collections::BTreeMap;

use amelia_core::config::problem::ConfigProblem;
use amelia_yaml::problem::{PathStep, steps, written};
use serde_json::Value;

use super::{Refused, without_type_names};

/// Further ones are not looked for.
const MAX_PROBLEMS: usize = 100;

/// What stands in for a missing text, or for something that is not a text.
const STAND_IN: &str = "?";

/// Collects the faults that serde finds, of which it only knows the first.
#[derive(Default)]
pub(super) struct ShapeFaults {
    problems: Vec<ConfigProblem>,
    /// How often something was done about the value at a path of the document as it was given.
    attempts: BTreeMap<String, u32>,
    /// Items taken out of lists, in order: those behind them have moved up.
    removed_items: Vec<Vec<PathStep>>,
}

impl ShapeFaults {
    pub(super) fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    pub(super) fn refused(self) -> Refused {
        Refused(self.problems)
    }

    /// Notes a fault and changes the document so that it is gone; false when that is not possible.
    pub(super) fn take_out(&mut self, document: &mut Value, path: &str, message: &str) -> bool {
        let path = steps(path);
        let fault = ShapeFault::of(message);
        let target: Vec<PathStep> = path.iter().cloned().chain(fault.missing().map(PathStep::key)).collect();
        let attempt = self.attempts.entry(self.as_given(&target)).or_default();
        *attempt += 1;
        let (attempt, is_first) = (*attempt, *attempt == 1);
        if is_first {
            // Rust calls it a variant; in a document it is a value.
            let message = without_type_names(message).replacen("unknown variant", "unknown value", 1);
            self.problems.push(ConfigProblem { path: self.as_given(&path), message });
        }
        if self.problems.len() == MAX_PROBLEMS {
            return false;
        }
        match fault.stand_in().filter(|_| attempt < 3) {
            Some(word) => put(document, &target, word),
            None => self.remove(document, &path),
        }
    }

    fn remove(&mut self, document: &mut Value, path: &[PathStep]) -> bool {
        let Some((last, above)) = path.split_last() else { return false };
        match (at(document, above), last) {
            (Some(Value::Object(fields)), PathStep::Key(key)) => fields.remove(key).is_some(),
            (Some(Value::Array(items)), PathStep::Index(index)) if *index < items.len() => {
                items.remove(*index);
                self.removed_items.push(path.to_vec());
                true
            }
            _ => false,
        }
    }

    /// A path of the document as it is now, in that which was given.
    fn as_given(&self, path: &[PathStep]) -> String {
        let mut path = path.to_vec();
        for removed in self.removed_items.iter().rev() {
            let Some((PathStep::Index(gone), list)) = removed.split_last() else { continue };
            if path.starts_with(list)
                && let Some(PathStep::Index(index)) = path.get_mut(list.len())
                && *index >= *gone
            {
                *index += 1;
            }
        }
        written(&path)
    }
}

/// The kind of a fault. serde_json has only a text for it: this is the one place that reads it, and the tests below fail
/// when serde words it in another way.
#[derive(Debug, Clone, Copy)]
enum ShapeFault<'m> {
    MissingField(&'m str),
    /// A word that is none of a list, with the first of the list.
    UnknownVariant(&'m str),
    /// A text is expected.
    NotText,
    Other,
}

impl<'m> ShapeFault<'m> {
    fn of(message: &'m str) -> Self {
        if let Some(rest) = message.strip_prefix("missing field `") {
            return rest.split('`').next().map_or(Self::Other, Self::MissingField);
        }
        match message.split_once("expected ") {
            Some((fault, expected)) if fault.starts_with("unknown variant") => {
                expected.split('`').nth(1).map_or(Self::Other, Self::UnknownVariant)
            }
            Some((_, "a string")) => Self::NotText,
            Some(_) | None => Self::Other,
        }
    }

    fn missing(self) -> Option<&'m str> {
        match self {
            Self::MissingField(name) => Some(name),
            Self::UnknownVariant(_) | Self::NotText | Self::Other => None,
        }
    }

    /// A text that is accepted where this fault was found.
    fn stand_in(self) -> Option<&'m str> {
        match self {
            Self::MissingField(_) | Self::NotText => Some(STAND_IN),
            Self::UnknownVariant(known) => Some(known),
            Self::Other => None,
        }
    }
}

/// Puts a text at a path; false when there is no such place, or it holds this text already.
fn put(document: &mut Value, path: &[PathStep], word: &str) -> bool {
    let Some((last, above)) = path.split_last() else { return false };
    let place = match (at(document, above), last) {
        (Some(Value::Object(fields)), PathStep::Key(key)) => {
            fields.entry(key.as_str()).or_insert(Value::Null)
        }
        (Some(Value::Array(items)), PathStep::Index(index)) => match items.get_mut(*index) {
            Some(item) => item,
            None => return false,
        },
        _ => return false,
    };
    *place = Value::from(word);
    true
}

fn at<'a>(document: &'a mut Value, path: &[PathStep]) -> Option<&'a mut Value> {
    path.iter().try_fold(document, |value, step| match step {
        PathStep::Key(key) => value.get_mut(key),
        PathStep::Index(index) => value.get_mut(*index),
    })
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use crate::read::shape;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Outer {
        #[expect(dead_code, reason = "only its shape matters")]
        name: String,
        #[expect(dead_code, reason = "only its shape matters")]
        items: Vec<Inner>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        #[expect(dead_code, reason = "only its shape matters")]
        word: Word,
        #[expect(dead_code, reason = "only its shape matters")]
        count: u32,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Word {
        One,
    }

    fn problems(document: serde_json::Value) -> Vec<String> {
        let refused = shape::<Outer>(document).unwrap_err();
        refused.0.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_fault_is_told_once_at_the_place_that_was_given() {
        assert_eq!(
            problems(json!({
                "name": 3,
                "items": [
                    {"word": "three", "count": 1},
                    {"count": "many"},
                    "nothing",
                    {"word": "one", "count": 1},
                    {"word": "one", "count": -1, "colour": "red"},
                ],
                "more": true,
            })),
            [
                "items[0].word: unknown value `three`, expected `one`",
                "items[1].count: invalid type: string \"many\", expected a whole number from 0 to 4294967295",
                "items[1]: missing field `word`",
                "items[2]: invalid type: string \"nothing\", expected an object",
                "items[4].colour: unknown field `colour`, expected `word` or `count`",
                "items[4].count: invalid value: integer `-1`, expected a whole number from 0 to 4294967295",
                "more: unknown field `more`, expected `name` or `items`",
                "name: invalid type: integer `3`, expected a string",
            ]
        );
    }

    #[test]
    fn a_document_of_another_kind_has_one_fault() {
        assert_eq!(problems(json!([])).len(), 1);
        assert_eq!(problems(json!({"name": "a"})), ["missing field `items`"]);
    }
}
