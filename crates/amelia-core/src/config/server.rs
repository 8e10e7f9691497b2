//! The server: where it listens, what it keeps, whom it authenticates.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::agent::DriverConfig;
use super::problem::{ProblemReport, Validate, is_variable_name};
use super::profile::{Budgets, Profile};
use super::sub_agents::SubAgentLimits;
use crate::loopback::is_loopback_host;

/// Variables that profiles may name as keys by default.
pub const DEFAULT_API_KEY_ENVS: [&str; 6] = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "OPENAI_API_KEY",
    "DEEPSEEK_API_KEY",
    "OPENROUTER_API_KEY",
    "GROQ_API_KEY",
];

/// Configuration of the server. Every field has an effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ServerConfig {
    pub host: String,
    pub port: u16,
    /// A leading `~` is the user's home, expanded when it is opened.
    pub database_path: PathBuf,
    pub log_retention_days: u32,
    /// Per run.
    pub log_retention_max_events: u64,
    pub websocket_idle_timeout_seconds: f64,
    pub workflow_start_timeout_seconds: f64,
    pub max_concurrent: u32,
    /// Of one run.
    pub sub_agents: SubAgentLimits,
    /// Whether runs are also written to files below `tasks` in the home.
    pub task_files: bool,
    pub durability: Durability,
    pub auth: AuthMode,
    /// By endpoint group, per user. `default` counts for groups that are not named.
    pub rate_limits: BTreeMap<String, RateLimit>,
    pub budgets: Budgets,
    /// A profile cannot make the server send any other variable anywhere.
    pub api_key_envs: Vec<String>,
    pub otlp_endpoint: Option<String>,
    pub redis_url: Option<String>,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            host: "127.0.0.1".to_owned(),
            port: 8420,
            database_path: PathBuf::from("~/.amelia/amelia.db"),
            log_retention_days: 30,
            log_retention_max_events: 100_000,
            websocket_idle_timeout_seconds: 300.0,
            workflow_start_timeout_seconds: 60.0,
            max_concurrent: 5,
            sub_agents: SubAgentLimits::default(),
            task_files: true,
            durability: Durability::Full,
            auth: AuthMode::Token,
            rate_limits: BTreeMap::new(),
            budgets: Budgets::default(),
            api_key_envs: DEFAULT_API_KEY_ENVS.map(str::to_owned).into(),
            otlp_endpoint: None,
            redis_url: None,
        }
    }
}

/// What an acknowledged write survives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "config/"))]
#[serde(rename_all = "snake_case")]
pub enum Durability {
    /// Power loss.
    #[default]
    Full,
    /// The death of the process.
    Relaxed,
}

/// Who may call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthMode {
    /// Anyone who has the token in the home directory.
    #[default]
    Token,
    /// Anyone who has a signed token with a role.
    Jwt(Jwt),
    /// Everybody on this machine.
    None,
}

/// Where the keys that sign tokens are found; exactly one place.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Jwt {
    /// Variable with the shared secret (HS256).
    pub secret_env: Option<String>,
    /// File with a public key (RS256, EdDSA).
    pub key_file: Option<PathBuf>,
    pub jwks_file: Option<PathBuf>,
    pub jwks_url: Option<String>,
    pub issuer: Option<String>,
    pub audience: Option<String>,
}

/// So many requests in so many seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RateLimit {
    pub requests: u32,
    pub per_seconds: u32,
}

impl ServerConfig {
    /// Only programs on this machine can connect.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        is_loopback_host(self.host.trim_start_matches('[').trim_end_matches(']'))
    }

    /// Reports keys that `profile` names and this server does not let out.
    pub fn check_keys(&self, profile: &Profile, report: &mut ProblemReport) {
        for (role, agent) in &profile.agents {
            let own = std::iter::once((String::new(), agent.clone()));
            let fallback = |(place, agent)| (format!("fallbacks[{place}]."), agent);
            for (place, agent) in own.chain(agent.fallbacks().into_iter().enumerate().map(fallback)) {
                let config = DriverConfig::read(agent.driver, &agent.options, &mut ProblemReport::default());
                let named = config.upstream().and_then(|upstream| upstream.api_key_env.as_deref());
                let is_allowed = |name: &&str| self.api_key_envs.iter().any(|allowed| allowed == name);
                if let Some(name) = named.filter(|name| !is_allowed(name)) {
                    report.refuse(
                        format_args!("agents.{role}.options.{place}api_key_env"),
                        format!(
                            "`{name}` is not among the server's api_key_envs: run `amelia config server set \
                             api_key_envs '[{}, {name}]'`, then `amelia server stop`",
                            self.api_key_envs.join(", ")
                        ),
                    );
                }
            }
        }
    }
}

impl Validate for ServerConfig {
    fn check(&self, report: &mut ProblemReport) {
        if !is_host(&self.host) {
            report.refuse("host", format!("`{}` is neither an IP address nor a host name", self.host));
        }
        report.range("port", &self.port, &(1..=65535));
        report.filled("database_path", &self.database_path.to_string_lossy());
        report.at_least("log_retention_days", &self.log_retention_days, &1);
        report.at_least("log_retention_max_events", &self.log_retention_max_events, &1000);
        report.positive("websocket_idle_timeout_seconds", &self.websocket_idle_timeout_seconds);
        report.positive("workflow_start_timeout_seconds", &self.workflow_start_timeout_seconds);
        report.at_least("max_concurrent", &self.max_concurrent, &1);
        report.part("sub_agents", &self.sub_agents);
        self.check_auth(report);
        report.map("rate_limits", &self.rate_limits);
        report.part("budgets", &self.budgets);
        for (index, name) in self.api_key_envs.iter().enumerate() {
            if !is_variable_name(name) {
                report.refuse(
                    format_args!("api_key_envs[{index}]"),
                    format!("`{name}` is not the name of an environment variable"),
                );
            }
        }
        if let Some(url) = &self.otlp_endpoint {
            report.url("otlp_endpoint", url, &["https", "http"]);
        }
        if let Some(url) = &self.redis_url {
            report.url("redis_url", url, &["redis", "rediss"]);
        }
    }
}

impl ServerConfig {
    fn check_auth(&self, report: &mut ProblemReport) {
        match &self.auth {
            AuthMode::Token => {}
            AuthMode::Jwt(jwt) => report.part("auth", jwt),
            AuthMode::None if self.is_loopback() => {}
            AuthMode::None => report.refuse(
                "auth.mode",
                format!("`none` is allowed only on a loopback address, and host is `{}`", self.host),
            ),
        }
    }
}

/// An address, with or without the brackets of IPv6, or a name as DNS has them.
fn is_host(host: &str) -> bool {
    let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    if let Some(inner) = inner {
        return inner.parse::<Ipv6Addr>().is_ok();
    }
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    // What ends in a number is meant as an address, and was not one.
    let ends_in_number = |name: &str| name.rsplit('.').next().is_some_and(|last| last.parse::<u32>().is_ok());
    let is_name = |name: &str| name.len() <= 253 && name.split('.').all(is_label) && !ends_in_number(name);
    host.parse::<IpAddr>().is_ok() || is_name(host)
}

impl Validate for Jwt {
    fn check(&self, report: &mut ProblemReport) {
        let places = [
            self.secret_env.is_some(),
            self.key_file.is_some(),
            self.jwks_file.is_some(),
            self.jwks_url.is_some(),
        ];
        if places.into_iter().filter(|given| *given).count() != 1 {
            report.refuse("", "needs exactly one of secret_env, key_file, jwks_file, jwks_url");
        }
        if self.secret_env.as_deref().is_some_and(|name| !is_variable_name(name)) {
            report.refuse("secret_env", "must be the name of an environment variable");
        }
        if let Some(url) = &self.jwks_url {
            report.url("jwks_url", url, &["https", "http"]);
        }
    }
}

impl Validate for RateLimit {
    fn check(&self, report: &mut ProblemReport) {
        report.at_least("requests", &self.requests, &1);
        report.at_least("per_seconds", &self.per_seconds, &1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_an_address_or_a_name() {
        let good = [
            "127.0.0.1",
            "0.0.0.0",
            "::1",
            "[::1]",
            "::",
            "localhost",
            "amelia",
            "build_box",
            "a-1.example.org",
        ];
        for host in good {
            assert!(is_host(host), "{host}");
        }
        let bad =
            ["", " ", "999.1.1.1", "1.2.3", "a b", "http://a", "a:80", "[a]", "-a", "a..b", "über", "a/"];
        for host in bad {
            assert!(!is_host(host), "{host}");
        }
    }
}
