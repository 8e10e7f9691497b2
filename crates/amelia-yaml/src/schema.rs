//! The JSON Schema of a kind of file, made from the types that read it.

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde_json::Value;

/// The schema of `T`, as it is published and as files are checked against it.
#[must_use]
pub fn schema_of<T: JsonSchema>(title: &str) -> Value {
    made::<T>(title, without_null)
}

/// The same for files in which `null` is written where nothing is wanted, as programs that write them do.
#[must_use]
pub fn schema_with_null_of<T: JsonSchema>(title: &str) -> Value {
    made::<T>(title, without_default)
}

fn made<T: JsonSchema>(title: &str, change: fn(&mut Schema)) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    RecursiveTransform(change).transform(&mut schema);
    schema.insert("title".to_owned(), title.into());
    schema.to_value()
}

/// Defaults are in the descriptions, for people.
fn without_default(schema: &mut Schema) {
    if let Some(object) = schema.as_object_mut() {
        object.remove("default");
    }
}

/// An absent key and an empty one are different things: `text:` with nothing behind it is a slip, not a wish.
fn without_null(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    if let Some(Value::Array(types)) = object.get("type") {
        let kept: Vec<Value> = types.iter().filter(|name| *name != "null").cloned().collect();
        let kept = if let [only] = kept.as_slice() { only.clone() } else { Value::Array(kept) };
        object.insert("type".to_owned(), kept);
    }
    if let Some(Value::Array(members)) = object.get_mut("enum") {
        members.retain(|member| !member.is_null());
    }
    without_default(schema);
    let Some(object) = schema.as_object_mut() else { return };
    let Some(Value::Array(choices)) = object.get_mut("anyOf") else { return };
    choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
    if let [Value::Object(only)] = choices.as_slice() {
        let only = only.clone();
        object.remove("anyOf");
        for (key, value) in only {
            object.entry(key).or_insert(value);
        }
    }
}
