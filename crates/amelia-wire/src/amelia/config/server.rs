//! The server's configuration, in and out.

use std::collections::BTreeMap;
use std::path::PathBuf;

use amelia_core::config::problem::ProblemReport;
use amelia_core::config::server::{self as core, Durability};
use amelia_core::config::sub_agents;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::budget::Budgets;
use crate::read::Incoming;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct ServerConfig {
    pub host: String,
    pub port: u16,
    #[schema(value_type = String)]
    pub database_path: PathBuf,
    pub log_retention_days: u32,
    pub log_retention_max_events: u64,
    pub websocket_idle_timeout_seconds: f64,
    pub workflow_start_timeout_seconds: f64,
    pub max_concurrent: u32,
    pub sub_agents: SubAgentLimits,
    pub task_files: bool,
    #[schema(value_type = String)]
    pub durability: Durability,
    pub auth: Auth,
    pub rate_limits: BTreeMap<String, RateLimit>,
    pub budgets: Budgets,
    pub api_key_envs: Vec<String>,
    pub otlp_endpoint: Option<String>,
    pub redis_url: Option<String>,
}

default_of_core!(ServerConfig = core::ServerConfig);

/// How many sub-agents a run may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct SubAgentLimits {
    pub depth: u32,
    pub per_run: u32,
    pub at_once: u32,
}

same_fields!(SubAgentLimits = sub_agents::SubAgentLimits { depth, per_run, at_once });
default_of_core!(SubAgentLimits = sub_agents::SubAgentLimits);

/// The fields besides `mode` apply only to `jwt`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct Auth {
    pub mode: AuthMode,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_env: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub key_file: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub jwks_file: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwks_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audience: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AuthMode {
    #[default]
    Token,
    Jwt,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct RateLimit {
    pub requests: u32,
    pub per_seconds: u32,
}

same_fields!(RateLimit = core::RateLimit { requests, per_seconds });

impl Incoming for ServerConfig {
    type Core = core::ServerConfig;

    fn into_core(self, report: &mut ProblemReport) -> core::ServerConfig {
        core::ServerConfig {
            host: self.host,
            port: self.port,
            database_path: self.database_path,
            log_retention_days: self.log_retention_days,
            log_retention_max_events: self.log_retention_max_events,
            websocket_idle_timeout_seconds: self.websocket_idle_timeout_seconds,
            workflow_start_timeout_seconds: self.workflow_start_timeout_seconds,
            max_concurrent: self.max_concurrent,
            sub_agents: self.sub_agents.into(),
            task_files: self.task_files,
            durability: self.durability,
            auth: auth(self.auth, report),
            rate_limits: self.rate_limits.into_iter().map(|(group, limit)| (group, limit.into())).collect(),
            budgets: self.budgets.into(),
            api_key_envs: self.api_key_envs,
            otlp_endpoint: self.otlp_endpoint,
            redis_url: self.redis_url,
        }
    }
}

fn auth(wire: Auth, report: &mut ProblemReport) -> core::AuthMode {
    let Auth { mode, secret_env, key_file, jwks_file, jwks_url, issuer, audience } = wire;
    let jwt = core::Jwt { secret_env, key_file, jwks_file, jwks_url, issuer, audience };
    let without_keys = |auth: core::AuthMode, report: &mut ProblemReport| {
        if jwt != core::Jwt::default() {
            report.refuse("auth", "has fields that are allowed only when mode is `jwt`");
        }
        auth
    };
    match mode {
        AuthMode::Token => without_keys(core::AuthMode::Token, report),
        AuthMode::None => without_keys(core::AuthMode::None, report),
        AuthMode::Jwt => core::AuthMode::Jwt(jwt),
    }
}

impl From<core::ServerConfig> for ServerConfig {
    fn from(core: core::ServerConfig) -> Self {
        Self {
            host: core.host,
            port: core.port,
            database_path: core.database_path,
            log_retention_days: core.log_retention_days,
            log_retention_max_events: core.log_retention_max_events,
            websocket_idle_timeout_seconds: core.websocket_idle_timeout_seconds,
            workflow_start_timeout_seconds: core.workflow_start_timeout_seconds,
            max_concurrent: core.max_concurrent,
            sub_agents: core.sub_agents.into(),
            task_files: core.task_files,
            durability: core.durability,
            auth: core.auth.into(),
            rate_limits: core.rate_limits.into_iter().map(|(group, limit)| (group, limit.into())).collect(),
            budgets: core.budgets.into(),
            api_key_envs: core.api_key_envs,
            otlp_endpoint: core.otlp_endpoint,
            redis_url: core.redis_url,
        }
    }
}

impl From<core::AuthMode> for Auth {
    fn from(auth: core::AuthMode) -> Self {
        match auth {
            core::AuthMode::Token => Self { mode: AuthMode::Token, ..Self::default() },
            core::AuthMode::None => Self { mode: AuthMode::None, ..Self::default() },
            core::AuthMode::Jwt(core::Jwt {
                secret_env,
                key_file,
                jwks_file,
                jwks_url,
                issuer,
                audience,
            }) => Self { mode: AuthMode::Jwt, secret_env, key_file, jwks_file, jwks_url, issuer, audience },
        }
    }
}
