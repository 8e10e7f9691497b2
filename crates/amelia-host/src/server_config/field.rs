//! The fields that can be set one by one: how each is written in text, and what it may be.

use amelia_yaml::tree;
use serde_json::Value;

/// A field of the configuration.
pub struct Field {
    /// Its path in the document.
    pub key: &'static str,
    form: Form,
    /// For people: what it may be.
    pub allowed: &'static str,
}

/// How a value is written where there is only text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As it is, also when it looks like a number.
    Text,
    /// With commas.
    Words,
    /// Numbers, lists, objects.
    Yaml,
}

const fn field(key: &'static str, form: Form, allowed: &'static str) -> Field {
    Field { key, form, allowed }
}

/// Known, so that a user who sets one learns it.
const ABSENT: &str = "nothing yet";

/// In the order in which they are shown.
pub const FIELDS: [Field; 21] = [
    field("host", Form::Text, "an address or a name to listen on"),
    field("port", Form::Yaml, "1 to 65535; 0 (any free port) only as an option or variable"),
    field(
        "database_path",
        Form::Text,
        "a file; `~` is your home directory; a relative path starts in Amelia's home",
    ),
    field("log_retention_days", Form::Yaml, "a whole number from 1"),
    field("log_retention_max_events", Form::Yaml, "a whole number from 1000"),
    field("websocket_idle_timeout_seconds", Form::Yaml, "a number greater than 0"),
    field("workflow_start_timeout_seconds", Form::Yaml, "a number greater than 0"),
    field("max_concurrent", Form::Yaml, "a whole number from 1"),
    field("sub_agents.depth", Form::Yaml, "1 to 10"),
    field("sub_agents.per_run", Form::Yaml, "1 to 1000"),
    field("sub_agents.at_once", Form::Yaml, "1 to 64"),
    field("task_files", Form::Yaml, "true or false"),
    field("durability", Form::Text, "full or relaxed"),
    field("auth.mode", Form::Text, "token, or none on a loopback address"),
    field("rate_limits", Form::Yaml, "{GROUP: {requests: N, per_seconds: N}}, each from 1"),
    field("budgets.per_run", Form::Yaml, "{usd, tokens, calls, wall_seconds}, each greater than 0"),
    field("budgets.per_agent", Form::Yaml, "{usd, tokens, calls}, each greater than 0"),
    field(
        "budgets.per_day",
        Form::Yaml,
        "{usd, tokens, calls}, each greater than 0; a day ends at midnight UTC",
    ),
    field("api_key_envs", Form::Words, "names of variables, separated by commas"),
    field("otlp_endpoint", Form::Text, "an http:// or https:// URL of a collector"),
    field("redis_url", Form::Text, ABSENT),
];

impl Field {
    /// The environment variable that sets it.
    pub fn variable(&self) -> String {
        format!("AMELIA_{}", self.key.replace('.', "_").to_uppercase())
    }

    pub(super) fn read(&self, text: &str) -> Result<Value, String> {
        match self.form {
            Form::Text => Ok(text.into()),
            Form::Words if !text.trim_start().starts_with('[') => {
                Ok(text.split(',').map(str::trim).filter(|word| !word.is_empty()).collect())
            }
            Form::Words | Form::Yaml => {
                tree::parse(text).map(|tree| tree.to_json()).map_err(|problem| problem.message)
            }
        }
    }
}
