//! YAML as a tree in which every value knows its line and column. JSON is YAML. It knows nothing of what a file means.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::Spanned;

use crate::problem::{FileProblem, PathStep, written};

/// A larger file is a mistake.
pub const MAX_BYTES: usize = 1024 * 1024;

/// Deeper is a mistake, and would cost stack.
const MAX_DEPTH: usize = 64;

/// A value and where it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlNode {
    pub line: u64,
    pub column: u64,
    pub data: YamlData,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum YamlData {
    /// Null, a boolean, a number or a string.
    Scalar(Value),
    List(Vec<YamlNode>),
    Map(Vec<YamlEntry>),
}

/// One key of a mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlEntry {
    pub key: String,
    pub line: u64,
    pub column: u64,
    pub value: YamlNode,
}

/// A place in the text, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    pub line: u64,
    pub column: u64,
}

/// As many values as aliases may stand for: a few lines can stand for billions.
const MAX_ALIASED: usize = 100_000;

/// Reads a text.
pub fn parse(text: &str) -> Result<YamlNode, FileProblem> {
    if text.len() > MAX_BYTES {
        let message = format!("is larger than {} KB", MAX_BYTES / 1024);
        return Err(FileProblem { line: 1, column: 1, path: String::new(), message });
    }
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_depth: MAX_DEPTH, flow_nesting_limit: MAX_DEPTH },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: MAX_ALIASED },
        with_snippet: false,
        strict_booleans: true,
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| syntax(&error))
}

fn syntax(error: &serde_saphyr::Error) -> FileProblem {
    let (line, column) = error.location().map_or((1, 1), |place| (place.line(), place.column()));
    let message = match expands_too_far(error) {
        true => format!("its aliases stand for more than {MAX_ALIASED} values"),
        false => {
            let message = error.render_with_formatter(&serde_saphyr::UserMessageFormatter);
            // The place is named once, by the problem itself.
            message.split(" at line ").next().unwrap_or(&message).to_owned()
        }
    };
    FileProblem { line, column, path: String::new(), message }
}

fn expands_too_far(error: &serde_saphyr::Error) -> bool {
    match error {
        serde_saphyr::Error::AliasReplayLimitExceeded { .. } => true,
        serde_saphyr::Error::AliasError { error, .. } => expands_too_far(error),
        _ => false,
    }
}

impl FileProblem {
    /// At the node that the path leads to, or at the nearest one above it.
    pub fn at(tree: &YamlNode, path: &[PathStep], message: impl Into<String>) -> Self {
        let place = tree.nearest(path);
        Self { line: place.line, column: place.column, path: written(path), message: message.into() }
    }
}

impl YamlNode {
    /// The value one step down.
    #[must_use]
    pub fn child(&self, step: &PathStep) -> Option<&YamlNode> {
        match (&self.data, step) {
            (YamlData::Map(entries), PathStep::Key(name)) => {
                entries.iter().find(|entry| entry.key == *name).map(|entry| &entry.value)
            }
            (YamlData::List(items), PathStep::Index(index)) => items.get(*index),
            (
                YamlData::Scalar(_) | YamlData::Map(_) | YamlData::List(_),
                PathStep::Key(_) | PathStep::Index(_),
            ) => None,
        }
    }

    /// Where a path leads, or where it ends: a key's own place is better than its value's.
    #[must_use]
    pub fn nearest(&self, path: &[PathStep]) -> Mark {
        let mut node = self;
        let mut mark = Mark { line: self.line, column: self.column };
        for step in path {
            if let (YamlData::Map(entries), PathStep::Key(name)) = (&node.data, step)
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

    /// The same without places.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match &self.data {
            YamlData::Scalar(value) => value.clone(),
            YamlData::List(items) => Value::Array(items.iter().map(YamlNode::to_json).collect()),
            YamlData::Map(entries) => {
                let pairs = entries.iter().map(|entry| (entry.key.clone(), entry.value.to_json()));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }
}

impl<'de> Deserialize<'de> for YamlNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<YamlData>::deserialize(deserializer)?;
        Ok(Self { line: spanned.defined.line(), column: spanned.defined.column(), data: spanned.value })
    }
}

impl<'de> Deserialize<'de> for YamlData {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DataVisitor)
    }
}

struct DataVisitor;

impl<'de> Visitor<'de> for DataVisitor {
    type Value = YamlData;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E: Error>(self) -> Result<YamlData, E> {
        Ok(YamlData::Scalar(Value::Null))
    }

    fn visit_none<E: Error>(self) -> Result<YamlData, E> {
        self.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<YamlData, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<YamlData, E> {
        Ok(YamlData::Scalar(value.into()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<YamlData, E> {
        Ok(YamlData::Scalar(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<YamlData, E> {
        Ok(YamlData::Scalar(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<YamlData, E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("a number must be finite"))?;
        Ok(YamlData::Scalar(Value::Number(number)))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<YamlData, E> {
        Ok(YamlData::Scalar(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<YamlData, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element::<YamlNode>()? {
            items.push(item);
        }
        Ok(YamlData::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<YamlData, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, value)) = access.next_entry::<Spanned<String>, YamlNode>()? {
            let (line, column) = (key.defined.line(), key.defined.column());
            entries.push(YamlEntry { key: key.value, line, column, value });
        }
        Ok(YamlData::Map(entries))
    }
}
