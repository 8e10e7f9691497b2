//! What only the first version of the data model had (the task graph, structured designs, one driver per
//! profile), and its spellings: read here, written in the newest form.

mod followed;
pub mod plan;
pub mod state;

use std::collections::BTreeMap;

use amelia_core::config::agent::{AgentConfig, DriverType};
use amelia_core::config::problem::Report;
use amelia_core::config::profile::{self as core, TrackerType, WorkMode};
use amelia_core::config::role::ROLES;
use amelia_core::message::Object;
use amelia_core::review::{self, ReviewStrategy};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::config::profile::{StrategyType, strategy};
use crate::read::Incoming;

/// A driver by any of its spellings: `claude`, `codex`, `api`, and the first version's `cli`, `cli:claude`,
/// `api:openai`, which may name a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "string"))]
pub struct Driver {
    pub kind: DriverType,
    pub provider: Option<String>,
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

/// A profile with one driver.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    pub name: String,
    #[serde(serialize_with = "driver_word")]
    pub driver: Driver,
    #[serde(default, deserialize_with = "tracker")]
    pub tracker: TrackerType,
    #[serde(default)]
    pub strategy: StrategyType,
    #[serde(default = "structured")]
    pub execution_mode: WorkMode,
    #[serde(default = "plan_output_dir")]
    pub plan_output_dir: String,
    #[serde(default)]
    pub working_dir: Option<String>,
}

fn structured() -> WorkMode {
    WorkMode::Structured
}

fn plan_output_dir() -> String {
    "docs/plans".to_owned()
}

pub(crate) fn driver_word<S: serde::Serializer>(driver: &Driver, serializer: S) -> Result<S::Ok, S::Error> {
    driver.kind.serialize(serializer)
}

impl Incoming for Profile {
    type Core = core::Profile;

    fn into_core(self, report: &mut Report) -> core::Profile {
        let mut profile = core::Profile::new(self.name, self.working_dir.unwrap_or_else(|| ".".to_owned()));
        self.driver.fill(&mut profile.agents);
        profile.tracker = self.tracker;
        profile.strategy = strategy(self.strategy, &[], report);
        profile.execution_mode = self.execution_mode;
        profile.plan_output_dir = self.plan_output_dir;
        profile
    }
}

impl From<&core::Profile> for Profile {
    /// The Developer's driver speaks for all.
    fn from(profile: &core::Profile) -> Self {
        let agent = profile.agents.get("developer").or_else(|| profile.agents.values().next());
        Self {
            name: profile.name.clone(),
            driver: Driver { kind: agent.map_or(DriverType::Api, |agent| agent.driver), provider: None },
            tracker: profile.tracker,
            strategy: match &profile.strategy {
                ReviewStrategy::Single => StrategyType::Single,
                ReviewStrategy::Competitive { .. } => StrategyType::Competitive,
            },
            execution_mode: profile.execution_mode,
            plan_output_dir: profile.plan_output_dir.clone(),
            working_dir: Some(profile.repo_root.clone()),
        }
    }
}

/// Severity in the first version's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    #[serde(alias = "minor", alias = "none")]
    Low,
    Medium,
    #[serde(alias = "major")]
    High,
    Critical,
}

impl From<review::Severity> for Severity {
    fn from(severity: review::Severity) -> Self {
        match severity {
            review::Severity::None | review::Severity::Low => Self::Low,
            review::Severity::Medium => Self::Medium,
            review::Severity::High => Self::High,
            review::Severity::Critical => Self::Critical,
        }
    }
}

impl From<Severity> for review::Severity {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Low => Self::Low,
            Severity::Medium => Self::Medium,
            Severity::High => Self::High,
            Severity::Critical => Self::Critical,
        }
    }
}
