//! The JSON Schema of a script file, made from the types that read it.

use std::sync::OnceLock;

use amelia_yaml::schema::schema_of;
use serde_json::Value;

use super::file::ScriptFile;

/// The JSON Schema of a script file. Loading checks scripts against this very schema.
pub fn schema() -> Value {
    shared().clone()
}

pub(super) fn shared() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| schema_of::<ScriptFile>("Amelia scripted model"))
}
