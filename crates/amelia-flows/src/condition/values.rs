//! Values of a state as CEL has them. A whole number is an `int`, as in the expression itself: CEL adds no `uint` to one.

use std::collections::HashMap;
use std::sync::Arc;

use cel::Value as CelValue;
use cel::objects::Key;
use serde_json::{Number, Value};

pub(super) fn cel_value(value: Value) -> CelValue {
    match value {
        Value::Null => CelValue::Null,
        Value::Bool(is) => CelValue::Bool(is),
        Value::Number(number) => cel_number(&number),
        Value::String(text) => CelValue::String(Arc::new(text)),
        Value::Array(items) => CelValue::List(Arc::new(items.into_iter().map(cel_value).collect())),
        Value::Object(fields) => {
            let entries = fields.into_iter().map(|(key, value)| (Key::from(key), cel_value(value)));
            CelValue::Map(entries.collect::<HashMap<Key, CelValue>>().into())
        }
    }
}

fn cel_number(number: &Number) -> CelValue {
    match (number.as_i64(), number.as_u64()) {
        (Some(whole), _) => CelValue::Int(whole),
        (None, Some(large)) => CelValue::UInt(large),
        (None, None) => CelValue::Float(number.as_f64().unwrap_or(f64::NAN)),
    }
}
