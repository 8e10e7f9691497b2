//! Profiles and settings over HTTP.

use std::collections::BTreeMap;

use amelia_core::config::{self as core};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::amelia::config::Settings;
use crate::amelia::config::profile::Profile;
use crate::amelia::config::server::ServerConfig;

/// A profile, and whether it is the active one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ProfileShown {
    pub is_active: bool,
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub profile: Profile,
}

/// `POST` and `DELETE /profiles/{name}/rules`, `DELETE /workflows/{id}/rules`: a rule for calls of an agent that need no
/// approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, IntoParams)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AgentRule {
    /// Agent of the profile or the run, such as `developer`.
    pub agent: String,
    /// `Edit`, `Bash(git status)` or `Bash(cargo test*)`.
    pub rule: String,
}

/// `GET /settings`. `server` is the configuration that the server read at its start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SettingsShown {
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub settings: Settings,
    pub server: ServerConfig,
}

impl SettingsShown {
    #[must_use]
    pub fn new(settings: core::settings::Settings, server: core::server::ServerConfig) -> Self {
        let mut server = ServerConfig::from(server);
        server.redis_url = server.redis_url.map(|url| without_password(&url));
        server.otlp_endpoint = server.otlp_endpoint.map(|url| without_password(&url));
        Self { settings: settings.into(), server }
    }
}

/// `GET /settings/server`: one value of the server's configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ServerValue {
    /// Name of the setting, with dots: `budgets.per_run.usd`.
    pub key: String,
    /// The value in use. Secrets are hidden.
    pub value: Value,
    /// `default`, `file`, `environment` or `flag`.
    pub source: String,
    /// Name of the file, variable or flag.
    pub source_name: String,
    /// The value in the file, if it changed after the server started.
    #[schema(required)]
    pub next: Option<Value>,
}

impl ServerValue {
    /// Addresses without who signs in there.
    #[must_use]
    pub fn without_secrets(self) -> Self {
        let hide = |value: Value| match value {
            Value::String(url) => Value::String(without_password(&url)),
            other => other,
        };
        match self.key.as_str() {
            "redis_url" | "otlp_endpoint" => {
                Self { value: hide(self.value), next: self.next.map(hide), ..self }
            }
            _ => self,
        }
    }
}

/// `PUT /settings/server`: values for the server's file, used from the next start. `null` removes a value.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct ServerChange {
    pub values: BTreeMap<String, Value>,
}

/// An address without who signs in there.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return "***".to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    match authority.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://***@{host}{path}"),
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::without_password;

    #[test]
    fn an_address_is_shown_without_its_password() {
        assert_eq!(without_password("redis://me:pa@ss@host:1/2"), "redis://***@host:1/2");
        assert_eq!(without_password("redis://host/@x"), "redis://host/@x");
        assert_eq!(without_password("nonsense"), "***");
    }
}
