//! A tree against the schema, all differences at once.
//!
//! Knows the part of JSON Schema that our own schema uses, and no more; the test beside `schema` breaks when the types
//! begin to need another keyword.

use serde_json::{Map, Value};

use crate::near::nearest;
use crate::problem::{FileProblem, PathStep};
use crate::tree::{YamlData, YamlEntry, YamlNode};

/// The keywords that are applied below. Others only describe.
pub const KEYWORDS: [&str; 12] = [
    "additionalProperties",
    "anyOf",
    "const",
    "enum",
    "items",
    "maximum",
    "minItems",
    "minimum",
    "oneOf",
    "properties",
    "required",
    "type",
];

/// Every difference between a tree and a schema.
#[must_use]
pub fn check(tree: &YamlNode, schema: &Value) -> Vec<FileProblem> {
    let mut walk = Walk { tree, path: Vec::new(), problems: Vec::new() };
    walk.node(tree, schema);
    walk.problems
}

struct Walk<'a> {
    tree: &'a YamlNode,
    path: Vec<PathStep>,
    problems: Vec<FileProblem>,
}

impl Walk<'_> {
    fn node(&mut self, node: &YamlNode, schema: &Value) {
        // `true` takes anything.
        let Value::Object(schema) = schema else { return };
        if let Some(Value::Array(choices)) = schema.get("anyOf").or(schema.get("oneOf")) {
            return self.choice(node, choices);
        }
        if let Some(Value::String(wanted)) = schema.get("type")
            && !is_type(node, wanted)
        {
            return self.report(format!("expected {}, found {}", article(wanted), shown(node)));
        }
        if let Some(Value::Array(wanted)) = schema.get("type")
            && !wanted.iter().filter_map(Value::as_str).any(|wanted| is_type(node, wanted))
        {
            let names: Vec<&str> = wanted.iter().filter_map(Value::as_str).map(article).collect();
            return self.report(format!("expected {}, found {}", names.join(" or "), shown(node)));
        }
        match &node.data {
            YamlData::Scalar(value) => self.scalar(value, schema),
            YamlData::List(items) => self.list(items, schema),
            YamlData::Map(entries) => self.map(entries, schema),
        }
    }

    /// One of several shapes, told apart by their types; or one of several words.
    fn choice(&mut self, node: &YamlNode, choices: &[Value]) {
        if let Some(words) = words_of(choices) {
            let is_one =
                matches!(&node.data, YamlData::Scalar(Value::String(text)) if words.contains(&text.as_str()));
            if !is_one {
                self.report(format!("expected one of {}, found {}", words.join(", "), shown(node)));
            }
            return;
        }
        let type_of = |choice: &Value| {
            let is_word =
                choice.get("oneOf").and_then(Value::as_array).is_some_and(|it| words_of(it).is_some());
            let named = choice.get("type").and_then(Value::as_str);
            named.or(is_word.then_some("string")).map(str::to_owned)
        };
        let fits = |choice: &&Value| type_of(choice).is_none_or(|wanted| is_type(node, &wanted));
        match choices.iter().find(fits) {
            Some(choice) => self.node(node, choice),
            None => {
                let names: Vec<String> =
                    choices.iter().filter_map(type_of).map(|wanted| article(&wanted).to_owned()).collect();
                self.report(format!("expected {}, found {}", names.join(" or "), shown(node)));
            }
        }
    }

    fn scalar(&mut self, value: &Value, schema: &Map<String, Value>) {
        if let Some(Value::Array(members)) = schema.get("enum")
            && !members.contains(value)
        {
            let names: Vec<&str> = members.iter().filter_map(Value::as_str).collect();
            self.report(format!("expected one of {}, found {value}", names.join(", ")));
        }
        let Some(number) = value.as_f64() else { return };
        let bound = |key| schema.get(key).and_then(Value::as_f64);
        if let Some(least) = bound("minimum").filter(|least| number < *least) {
            self.report(format!("must be at least {least}, is {value}"));
        }
        if let Some(most) = bound("maximum").filter(|most| number > *most) {
            self.report(format!("must be at most {most}, is {value}"));
        }
    }

    fn list(&mut self, items: &[YamlNode], schema: &Map<String, Value>) {
        let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
        if (items.len() as u64) < least {
            self.report("must not be empty");
        }
        let Some(of_items) = schema.get("items") else { return };
        for (index, item) in items.iter().enumerate() {
            self.below(PathStep::Index(index), |walk| walk.node(item, of_items));
        }
    }

    fn map(&mut self, entries: &[YamlEntry], schema: &Map<String, Value>) {
        let none = Map::new();
        let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let others = schema.get("additionalProperties");
        for entry in entries {
            self.below(PathStep::key(&entry.key), |walk| match (known.get(&entry.key), others) {
                (Some(schema), _) => walk.node(&entry.value, schema),
                (None, Some(Value::Bool(false))) => walk.report(unknown(&entry.key, known)),
                (None, Some(schema)) => walk.node(&entry.value, schema),
                (None, None) => {}
            });
        }
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        for name in required.filter_map(Value::as_str) {
            if !entries.iter().any(|entry| entry.key == name) {
                self.report(format!("`{name}` is missing"));
            }
        }
    }

    fn below(&mut self, step: PathStep, look: impl FnOnce(&mut Self)) {
        self.path.push(step);
        look(self);
        self.path.pop();
    }

    fn report(&mut self, message: impl Into<String>) {
        self.problems.push(FileProblem::at(self.tree, &self.path, message));
    }
}

/// Names the key that was probably meant, or all keys if none is like it.
fn unknown(key: &str, known: &Map<String, Value>) -> String {
    let names: Vec<&str> = known.keys().map(String::as_str).collect();
    match nearest(key, &names) {
        Some(name) => format!("unknown key; did you mean `{name}`?"),
        None => format!("unknown key; known keys: {}", names.join(", ")),
    }
}

/// The words of a choice between words.
fn words_of(choices: &[Value]) -> Option<Vec<&str>> {
    choices.iter().map(|choice| choice.get("const").and_then(Value::as_str)).collect()
}

fn is_type(node: &YamlNode, wanted: &str) -> bool {
    match (&node.data, wanted) {
        (YamlData::Scalar(value), "integer") => value.is_i64() || value.is_u64(),
        (YamlData::Scalar(value), _) => type_name(value) == wanted,
        (YamlData::List(_), _) => wanted == "array",
        (YamlData::Map(_), _) => wanted == "object",
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The words of YAML, not those of JSON Schema.
fn article(wanted: &str) -> &str {
    match wanted {
        "integer" => "a whole number",
        "number" => "a number",
        "string" => "text",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => "a mapping",
        other => other,
    }
}

fn shown(node: &YamlNode) -> String {
    match &node.data {
        YamlData::Scalar(Value::Null) => "nothing".to_owned(),
        YamlData::Scalar(value @ Value::String(_)) => format!("the text {value}"),
        YamlData::Scalar(value) => value.to_string(),
        YamlData::List(_) => "a list".to_owned(),
        YamlData::Map(_) => "a mapping".to_owned(),
    }
}
