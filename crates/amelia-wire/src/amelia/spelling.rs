//! Words that the first version of the data model spelled otherwise: read here, written in the newest form.

use std::collections::BTreeMap;

use amelia_core::config::agent::{AgentConfig, DriverType};
use amelia_core::config::profile::TrackerType;
use amelia_core::config::role::ROLES;
use amelia_core::message::Object;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// A driver by any of its spellings: `claude`, `codex`, `api`, and the older forms `cli`, `cli:claude` and
/// `api:openai`, which may name a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "string"))]
pub struct Driver {
    pub kind: DriverType,
    pub provider: Option<String>,
}

/// The words for a driver, for schemas.
pub const DRIVER_PATTERN: &str = "^((cli:)?(claude|codex|api|acp|scripted|cli)|api:.*)$";

/// Where issues come from. `none` is the older name of `noop`.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrackerWord {
    Jira,
    Github,
    Noop,
    None,
}

impl<'de> Deserialize<'de> for Driver {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        let (word, provider) = match word.split_once(':') {
            Some(("api", provider)) => ("api", Some(provider.to_owned())),
            Some(("cli", program)) => (program, None),
            Some(_) | None => (&*word, None),
        };
        let kind = match word {
            "claude" | "cli" => DriverType::Claude,
            "codex" => DriverType::Codex,
            "api" => DriverType::Api,
            "acp" => DriverType::Acp,
            "scripted" => DriverType::Scripted,
            _ => {
                return Err(serde::de::Error::unknown_variant(
                    word,
                    &["claude", "codex", "api", "acp", "scripted"],
                ));
            }
        };
        Ok(Self { kind, provider })
    }
}

impl Driver {
    /// Gives every role that has no configuration this driver and its usual model.
    pub(crate) fn fill(&self, agents: &mut BTreeMap<String, AgentConfig>) {
        let model = match self.kind {
            DriverType::Claude => "sonnet",
            DriverType::Codex => "gpt-5.4",
            DriverType::Api if self.provider.as_deref() == Some("openai") => "gpt-4o",
            DriverType::Api => "deepseek-chat",
            DriverType::Acp | DriverType::Scripted => "default",
        };
        for role in ROLES {
            agents.entry(role.to_owned()).or_insert_with(|| {
                let mut options = Object::new();
                if let Some(provider) = &self.provider {
                    options.insert("provider".to_owned(), Value::String(provider.clone()));
                }
                AgentConfig { options, ..AgentConfig::new(self.kind, model) }
            });
        }
    }
}

/// A tracker; `none` is the first version's word for `noop`.
pub(crate) fn tracker<'de, D: Deserializer<'de>>(deserializer: D) -> Result<TrackerType, D::Error> {
    let word = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
    match &*word {
        "jira" => Ok(TrackerType::Jira),
        "github" => Ok(TrackerType::Github),
        "noop" | "none" => Ok(TrackerType::Noop),
        _ => Err(serde::de::Error::unknown_variant(&word, &["jira", "github", "noop"])),
    }
}

pub(crate) fn driver_word<S: serde::Serializer>(driver: &Driver, serializer: S) -> Result<S::Ok, S::Error> {
    driver.kind.serialize(serializer)
}
