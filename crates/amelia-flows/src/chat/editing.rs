//! Changes of a person to the state of a workflow. A name that is no field of the state is a value in `metadata`, as
//! everywhere in a file. Only values that the workflow knows can be set; nothing restrains their type, so that a value of a
//! wrong type can be repaired. Pure.

use std::collections::BTreeSet;

use amelia_graph::editing::{self, EditError, EditedState, StateEdit, no_field};
use serde_json::Value;

use super::Chat;

const METADATA: &str = "metadata";
/// The fields of the state itself, those of people first.
const FIELDS: [&str; 10] = [
    "messages",
    "current_agent",
    "next_action",
    "routing_key",
    METADATA,
    "visits",
    "patterns",
    "maps",
    "used",
    "started_at",
];
const OF_PEOPLE: usize = 5;

/// The state with these changes. `names` are the values that the workflow sets or looks at.
pub fn edited(state: &Chat, edits: &[StateEdit], names: &BTreeSet<String>) -> Result<EditedState, EditError> {
    let mut before = state.clone();
    let mut placed = Vec::new();
    for edit in edits {
        let path = placed_path(&edit.path);
        check_metadata(&mut before, &path, &edit.value, names)?;
        placed.push(StateEdit { path, value: edit.value.clone() });
    }
    editing::edited(&before, &placed)
}

fn placed_path(path: &str) -> String {
    let first = path.split('.').next().unwrap_or_default();
    if FIELDS.contains(&first) { path.to_owned() } else { format!("{METADATA}.{path}") }
}

/// Makes room in `before` for values that the workflow knows and that nothing has set yet.
fn check_metadata(
    before: &mut Chat,
    path: &str,
    value: &Value,
    names: &BTreeSet<String>,
) -> Result<(), EditError> {
    if path == METADATA {
        let Value::Object(values) = value else {
            return Err(EditError::field(path, format!("it must be an object, but {value} is not one")));
        };
        for (key, value) in values {
            check_metadata(before, &format!("{METADATA}.{key}"), value, names)?;
        }
        return Ok(());
    }
    let Some(inner) = path.strip_prefix(METADATA).and_then(|rest| rest.strip_prefix('.')) else {
        return Ok(());
    };
    let key = inner.split('.').next().unwrap_or_default();
    match before.metadata.get(key) {
        None if !names.contains(key) => {
            let known = before.metadata.keys().chain(names);
            let mut known: BTreeSet<String> = known.cloned().collect();
            known.extend(FIELDS.iter().take(OF_PEOPLE).map(|field| (*field).to_owned()));
            Err(EditError::field(inner, no_field(known.iter())))
        }
        None => {
            before.metadata.insert(key.to_owned(), Value::Null);
            Ok(())
        }
        Some(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn changed(path: &str, value: Value) -> Result<Chat, String> {
        let metadata = json!({"score": 0.4, "topic": {"name": "rivers"}});
        let state = Chat { metadata: metadata.as_object().unwrap().clone(), ..Chat::default() };
        let names = BTreeSet::from(["score".to_owned(), "feedback".to_owned()]);
        let edit = StateEdit { path: path.to_owned(), value };
        let edited = edited(&state, &[edit], &names).map_err(|error| error.to_string())?;
        Ok(serde_json::from_str(edited.state.get()).unwrap())
    }

    #[test]
    fn values_are_set_by_their_name_alone_and_also_those_that_nothing_has_set_yet() {
        for path in ["score", "metadata.score"] {
            assert_eq!(changed(path, json!(1)).unwrap().metadata["score"], 1);
        }
        assert_eq!(changed("feedback", json!("good")).unwrap().metadata["feedback"], "good");
        assert_eq!(changed("topic.name", json!("seas")).unwrap().metadata["topic"], json!({"name": "seas"}));
        assert_eq!(changed("routing_key", json!("yes")).unwrap().routing_key.as_deref(), Some("yes"));
        assert_eq!(
            changed("score", json!("high")).unwrap().metadata["score"],
            "high",
            "a type can be repaired"
        );
        let all = changed("metadata", json!({"score": 0.9, "feedback": "x"})).unwrap().metadata;
        assert_eq!(json!(all), json!({"score": 0.9, "feedback": "x"}));
    }

    #[test]
    fn unknown_names_and_other_types_of_fields_are_refused() {
        let known = "current_agent, feedback, messages, metadata, next_action, routing_key, score, topic";
        let unknown =
            |name: &str| format!("`{name}` cannot be set: there is no such field; there are {known}");
        for (path, value, message) in [
            ("scor", json!(1), unknown("scor")),
            ("metadata", json!({"scor": 1}), unknown("scor")),
            (
                "metadata",
                json!(1),
                "`metadata` cannot be set: it must be an object, but 1 is not one".to_owned(),
            ),
            (
                "topic.nam",
                json!("x"),
                "`metadata.topic.nam` cannot be set: there is no such field; there are name".to_owned(),
            ),
            (
                "routing_key",
                json!(7),
                "`routing_key` cannot be set: invalid type: integer `7`, expected a string".to_owned(),
            ),
        ] {
            assert_eq!(changed(path, value).unwrap_err(), message);
        }
    }
}
