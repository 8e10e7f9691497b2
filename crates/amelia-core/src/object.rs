//! JSON objects whose content is not ours.

use serde_json::{Map, Value};

/// A JSON object, for fields whose content is another program's.
pub type Object = Map<String, Value>;
