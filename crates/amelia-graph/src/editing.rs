//! Changes of a state by a person: fields by their path, checked against what the state is. Pure.

use amelia_core::event::run::FieldEdit;
use amelia_core::problem::{Hinted, Problem};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::state::State;

/// Names of fields that an error lists.
const LISTED: usize = 30;

/// A change to a field of the state, by its dotted path.
#[derive(Debug, Clone, PartialEq)]
pub struct StateEdit {
    pub path: String,
    pub value: Value,
}

impl StateEdit {
    /// `path=value`; a value that is not JSON is text.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let (path, value) = text.split_once('=').ok_or_else(|| {
            Problem::new(format!("`{text}` is not PATH=VALUE")).with_hint("for example --set 'rounds=3'")
        })?;
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        Ok(Self { path: path.to_owned(), value })
    }
}

/// Why a state cannot be changed like this. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("`{path}` cannot be set: {reason}")]
    Field { path: String, reason: String },
    /// Each of the changes fits alone.
    #[error("these changes do not fit together: {0}")]
    Together(String),
    #[error("the state cannot be read or written as JSON: {0}")]
    Unwritable(String),
}

impl EditError {
    pub fn field(path: &str, reason: impl Into<String>) -> Self {
        Self::Field { path: path.to_owned(), reason: reason.into() }
    }
}

impl Hinted for EditError {
    fn hint(&self) -> Option<String> {
        None
    }
}

/// A state after changes, to be saved.
#[derive(Debug, Clone)]
pub struct EditedState {
    pub state: Box<RawValue>,
    /// What is different now. Empty when everything was like that before.
    pub edits: Vec<FieldEdit>,
}

/// The state with these fields changed. Only fields that it has can be set, to what their type allows.
pub fn edited<S: State>(state: &S, edits: &[StateEdit]) -> Result<EditedState, EditError> {
    let unwritable = |error: serde_json::Error| EditError::Unwritable(error.to_string());
    let before = serde_json::to_value(state).map_err(unwritable)?;
    let mut after = before.clone();
    let mut done = Vec::new();
    for edit in edits {
        done.extend(set(&mut after, edit)?);
    }
    let state: S = fit(&after, edits).map_err(|wrong| match wrong {
        Misfit::Field(error) => error,
        Misfit::State(detail) => culprit::<S>(&before, edits).unwrap_or(EditError::Together(detail)),
    })?;
    Ok(EditedState { state: to_raw_value(&state).map_err(unwritable)?, edits: done })
}

/// Why a value is not a state.
enum Misfit {
    Field(EditError),
    State(String),
}

/// A value as a state that keeps all of the changes.
fn fit<S: State>(value: &Value, edits: &[StateEdit]) -> Result<S, Misfit> {
    let state: S = serde_json::from_value(value.clone()).map_err(|error| Misfit::State(error.to_string()))?;
    let kept = serde_json::to_value(&state).map_err(|error| Misfit::State(error.to_string()))?;
    for edit in edits {
        if let Some(lost) =
            at(value, &edit.path).and_then(|given| lost(given, at(&kept, &edit.path), &edit.path))
        {
            return Err(Misfit::Field(EditError::field(&lost, "there is no such field")));
        }
    }
    Ok(state)
}

/// The first change that does not fit by itself.
fn culprit<S: State>(before: &Value, edits: &[StateEdit]) -> Option<EditError> {
    edits.iter().find_map(|edit| {
        let mut alone = before.clone();
        set(&mut alone, edit).ok()?;
        match fit::<S>(&alone, std::slice::from_ref(edit)).err()? {
            Misfit::Field(error) => Some(error),
            Misfit::State(reason) => Some(EditError::field(&edit.path, reason)),
        }
    })
}

/// The first field of what was given that a state does not keep. What it leaves out because it is empty is not lost.
fn lost(given: &Value, kept: Option<&Value>, path: &str) -> Option<String> {
    match (given, kept) {
        (Value::Object(given), Some(Value::Object(kept))) => {
            given.iter().find_map(|(name, value)| lost(value, kept.get(name), &format!("{path}.{name}")))
        }
        (Value::Array(given), Some(Value::Array(kept))) => {
            let mut items = given.iter().enumerate();
            items.find_map(|(index, value)| lost(value, kept.get(index), &format!("{path}.{index}")))
        }
        (given, None) if !is_empty(given) => Some(path.to_owned()),
        _ => None,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(is_set) => !is_set,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

/// The field at a dotted path.
#[must_use]
pub fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').try_fold(value, |place, name| match place {
        Value::Object(fields) => fields.get(name),
        Value::Array(items) => items.get(name.parse::<usize>().ok()?),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    })
}

/// Sets one existing field. A name that is not there is a mistake, not a new field. Nothing, if it is like that already.
fn set(state: &mut Value, edit: &StateEdit) -> Result<Option<FieldEdit>, EditError> {
    let bad = |reason: &str| EditError::field(&edit.path, reason);
    let mut place = state;
    for name in edit.path.split('.') {
        place = match place {
            Value::Object(fields) if !fields.contains_key(name) => {
                return Err(EditError::field(&edit.path, no_field(fields.keys())));
            }
            Value::Object(fields) => fields.get_mut(name).ok_or_else(|| bad("there is no such field"))?,
            Value::Array(items) => {
                let index: usize = name.parse().map_err(|_| bad("a list needs a number"))?;
                items.get_mut(index).ok_or_else(|| bad("the list is shorter than that"))?
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                return Err(bad("it is inside something that has no fields"));
            }
        };
    }
    if *place == edit.value {
        return Ok(None);
    }
    let before = std::mem::replace(place, edit.value.clone());
    Ok(Some(FieldEdit::new(&edit.path, &before, edit.value.clone())))
}

/// What is said about a name that is not there.
pub fn no_field<'a>(names: impl Iterator<Item = &'a String>) -> String {
    let mut names: Vec<&str> = names.map(String::as_str).collect();
    let more = if names.len() > LISTED { ", …" } else { "" };
    names.truncate(LISTED);
    match names.is_empty() {
        true => "there is no such field".to_owned(),
        false => format!("there is no such field; there are {}{more}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::*;

    #[derive(Clone, Serialize, Deserialize)]
    struct Basket {
        rounds: u32,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        fruits: Vec<Fruit>,
        note: Option<String>,
    }

    #[derive(Clone, Serialize, Deserialize)]
    struct Fruit {
        name: String,
        #[serde(default)]
        is_ripe: bool,
    }

    impl State for Basket {
        type Update = ();

        fn apply(&mut self, (): ()) {}
    }

    fn basket() -> Basket {
        let fruits = vec![Fruit { name: "pear".into(), is_ripe: true }];
        Basket { rounds: 2, fruits, note: None }
    }

    fn changed(edits: &[(&str, Value)]) -> Result<(Value, Vec<String>), String> {
        let edits =
            edits.iter().map(|(path, value)| StateEdit { path: (*path).into(), value: value.clone() });
        let edits: Vec<StateEdit> = edits.collect();
        let EditedState { state, edits } = edited(&basket(), &edits).map_err(|error| error.to_string())?;
        let state = serde_json::from_str(state.get()).unwrap();
        Ok((state, edits.iter().map(FieldEdit::summary).collect()))
    }

    #[test]
    fn fields_are_changed_and_what_has_changed_is_said() {
        let (state, said) =
            changed(&[("rounds", json!(3)), ("fruits.0.name", json!("plum")), ("note", json!(null))])
                .unwrap();
        assert_eq!(state["rounds"], 3);
        assert_eq!(state["fruits"], json!([{"name": "plum", "is_ripe": true}]));
        assert_eq!(said, ["rounds from 2 to 3", "fruits.0.name from \"pear\" to \"plum\""]);
        let (state, _) = changed(&[("fruits", json!([{"name": "fig"}])), ("note", json!("ok"))]).unwrap();
        assert_eq!(state, json!({"rounds": 2, "fruits": [{"name": "fig", "is_ripe": false}], "note": "ok"}));
        assert_eq!(changed(&[("fruits", json!([]))]).unwrap().0, json!({"rounds": 2, "note": null}));
    }

    #[test]
    fn what_does_not_fit_is_told_with_its_place() {
        let fits = ("note", json!("ok"));
        for (wrong, message) in [
            (
                ("rounds", json!("many")),
                "`rounds` cannot be set: invalid type: string \"many\", expected u32",
            ),
            (("fruits.0", json!({"is_ripe": true})), "`fruits.0` cannot be set: missing field `name`"),
            (
                ("fruits.0", json!({"name": "fig", "colour": "blue"})),
                "`fruits.0.colour` cannot be set: there is no such field",
            ),
            (
                ("round", json!(1)),
                "`round` cannot be set: there is no such field; there are fruits, note, rounds",
            ),
            (("fruits.1", json!({})), "`fruits.1` cannot be set: the list is shorter than that"),
            (
                ("rounds.deep", json!(1)),
                "`rounds.deep` cannot be set: it is inside something that has no fields",
            ),
        ] {
            assert_eq!(changed(&[fits.clone(), wrong]).unwrap_err(), message);
        }
    }
}
