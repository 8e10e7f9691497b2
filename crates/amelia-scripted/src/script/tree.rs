//! YAML as a tree in which every value knows its line and column. It knows nothing of what a script means.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::Spanned;

use super::problem::{ScriptProblem, Step, written};

/// Deeper is a mistake, and would cost stack.
const MAX_DEPTH: usize = 64;

#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) line: u64,
    pub(super) column: u64,
    pub(super) data: Data,
}

#[derive(Debug, Clone)]
pub(super) enum Data {
    /// Null, a boolean, a number or a string.
    Scalar(Value),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) line: u64,
    pub(super) column: u64,
    pub(super) value: Node,
}

/// A place in the text.
pub(super) struct Mark {
    pub(super) line: u64,
    pub(super) column: u64,
}

pub(super) fn parse(text: &str) -> Result<Node, ScriptProblem> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_depth: MAX_DEPTH, flow_nesting_limit: MAX_DEPTH },
        with_snippet: false,
        strict_booleans: true,
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| syntax(&error))
}

fn syntax(error: &serde_saphyr::Error) -> ScriptProblem {
    let (line, column) = error.location().map_or((1, 1), |place| (place.line(), place.column()));
    let message = error.render_with_formatter(&serde_saphyr::UserMessageFormatter);
    // The place is told once, by the problem itself.
    let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
    ScriptProblem { line, column, path: String::new(), message }
}

impl ScriptProblem {
    /// At the node that the path leads to, or at the nearest one above it.
    pub(in crate::script) fn at(tree: &Node, path: &[Step], message: impl Into<String>) -> Self {
        let place = tree.nearest(path);
        Self { line: place.line, column: place.column, path: written(path), message: message.into() }
    }
}

impl Node {
    pub(super) fn child(&self, step: &Step) -> Option<&Node> {
        match (&self.data, step) {
            (Data::Map(entries), Step::Key(name)) => {
                entries.iter().find(|entry| entry.key == *name).map(|entry| &entry.value)
            }
            (Data::List(items), Step::Index(index)) => items.get(*index),
            (Data::Scalar(_) | Data::Map(_) | Data::List(_), Step::Key(_) | Step::Index(_)) => None,
        }
    }

    /// Where a path leads, or where it ends: a key's own place is better than its value's.
    pub(super) fn nearest(&self, path: &[Step]) -> Mark {
        let mut node = self;
        let mut mark = Mark { line: self.line, column: self.column };
        for step in path {
            if let (Data::Map(entries), Step::Key(name)) = (&node.data, step)
                && let Some(entry) = entries.iter().find(|entry| entry.key == *name)
            {
                mark = Mark { line: entry.line, column: entry.column };
                node = &entry.value;
                continue;
            }
            let Some(child) = node.child(step) else { break };
            mark = Mark { line: child.line, column: child.column };
            node = child;
        }
        mark
    }

    pub(super) fn to_json(&self) -> Value {
        match &self.data {
            Data::Scalar(value) => value.clone(),
            Data::List(items) => Value::Array(items.iter().map(Node::to_json).collect()),
            Data::Map(entries) => {
                let pairs = entries.iter().map(|entry| (entry.key.clone(), entry.value.to_json()));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Data>::deserialize(deserializer)?;
        Ok(Self { line: spanned.defined.line(), column: spanned.defined.column(), data: spanned.value })
    }
}

impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DataVisitor)
    }
}

struct DataVisitor;

impl<'de> Visitor<'de> for DataVisitor {
    type Value = Data;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E: Error>(self) -> Result<Data, E> {
        Ok(Data::Scalar(Value::Null))
    }

    fn visit_none<E: Error>(self) -> Result<Data, E> {
        self.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Data, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Data, E> {
        Ok(Data::Scalar(value.into()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Data, E> {
        Ok(Data::Scalar(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Data, E> {
        Ok(Data::Scalar(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Data, E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("a number must be finite"))?;
        Ok(Data::Scalar(Value::Number(number)))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Data, E> {
        Ok(Data::Scalar(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Data, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element::<Node>()? {
            items.push(item);
        }
        Ok(Data::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Data, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, value)) = access.next_entry::<Spanned<String>, Node>()? {
            let (line, column) = (key.defined.line(), key.defined.column());
            entries.push(Entry { key: key.value, line, column, value });
        }
        Ok(Data::Map(entries))
    }
}
