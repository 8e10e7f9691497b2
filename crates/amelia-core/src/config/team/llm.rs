//! Which model a member thinks with.

use serde::{Deserialize, Serialize};

use crate::config::problem::{LITERAL_KEY, ProblemReport, Validate, is_variable_name};
use crate::config::provider::Provider;
use crate::config::retry::RetryConfig;
use crate::config::secret::Secret;
use crate::object::Object;

/// Programs that are agents themselves, in the place of a provider.
pub const PROGRAMS: [&str; 3] = ["claude", "codex", ACP];

/// Any program that speaks the Agent Client Protocol.
const ACP: &str = "acp";

/// A provider's model and how it is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LlmConfig {
    pub provider: String,
    pub model: String,
    pub temperature: f64,
    pub max_tokens: Option<u64>,
    /// Lives in memory only: it is not stored and not sent out. `api_key_env` survives a restart.
    #[serde(skip)]
    pub api_key: Option<Secret>,
    /// Name of the variable that holds the key.
    pub api_key_env: Option<String>,
    pub base_url: Option<String>,
    /// Seconds.
    pub timeout: u64,
    pub retry_policy: Object,
    /// The program of `acp`, and its arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Names of variables that this program gets besides the usual ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
}

impl Default for LlmConfig {
    fn default() -> Self {
        Self {
            provider: "deepseek".to_owned(),
            model: "deepseek-chat".to_owned(),
            temperature: 0.7,
            max_tokens: None,
            api_key: None,
            api_key_env: None,
            base_url: None,
            timeout: 30,
            retry_policy: Object::new(),
            command: Vec::new(),
            env: Vec::new(),
        }
    }
}

impl Validate for LlmConfig {
    fn check(&self, report: &mut ProblemReport) {
        report.filled("provider", &self.provider);
        report.filled("model", &self.model);
        report.range("temperature", &self.temperature, &(0.0..=2.0));
        if let Some(max_tokens) = &self.max_tokens {
            report.positive("max_tokens", max_tokens);
        }
        match (&self.api_key, &self.api_key_env) {
            (Some(_), Some(_)) => {
                report.refuse("api_key", "is given twice: use either api_key or api_key_env");
            }
            (Some(_), None) => report.refuse("api_key", LITERAL_KEY),
            (None, _) => {}
        }
        self.check_provider(report);
        self.check_command(report);
        self.check_retries(report);
        if self.api_key_env.as_deref().is_some_and(|name| !is_variable_name(name)) {
            report.refuse("api_key_env", "must be the name of an environment variable");
        }
        if let Some(url) = &self.base_url {
            report.url("base_url", url, &["https", "http"]);
        }
        report.positive("timeout", &self.timeout);
    }
}

impl LlmConfig {
    /// The provider, unless a program is the agent.
    #[must_use]
    pub fn known_provider(&self) -> Option<Provider> {
        self.provider.parse().ok()
    }

    /// Whether the agent is a program that speaks the Agent Client Protocol.
    #[must_use]
    pub fn is_acp(&self) -> bool {
        self.provider == ACP
    }

    /// The variable that holds the key, as far as one is known.
    #[must_use]
    pub fn key_env(&self) -> Option<&str> {
        let usual = || self.known_provider().and_then(Provider::key_env);
        self.api_key_env.as_deref().or_else(usual)
    }

    fn check_provider(&self, report: &mut ProblemReport) {
        if PROGRAMS.contains(&self.provider.as_str()) || self.provider.trim().is_empty() {
            return;
        }
        match self.provider.parse::<Provider>() {
            Ok(provider) if provider.base_url().is_none() && self.base_url.is_none() => {
                report.refuse("base_url", format!("is required when provider is `{}`", provider.name()));
            }
            Ok(_) => {}
            Err(message) => report.refuse("provider", format!("{message}, {}", PROGRAMS.join(", "))),
        }
    }

    fn check_command(&self, report: &mut ProblemReport) {
        if !self.is_acp() {
            for (field, _) in [("command", &self.command), ("env", &self.env)]
                .into_iter()
                .filter(|(_, list)| !list.is_empty())
            {
                report.refuse(field, "is only for the provider `acp`: remove it");
            }
            return;
        }
        if self.command.first().is_none_or(|program| program.trim().is_empty()) {
            let message = "is required when provider is `acp`: a list of the program and its arguments, such as \
                           `[opencode, acp]`";
            report.refuse("command", message);
        }
        for name in self.env.iter().filter(|name| !is_variable_name(name)) {
            report.refuse("env", format!("`{name}` is not the name of an environment variable"));
        }
        let key = self.api_key.is_some() || self.api_key_env.is_some();
        for (field, _) in [("base_url", self.base_url.is_some()), ("api_key_env", key)]
            .into_iter()
            .filter(|(_, given)| *given)
        {
            report
                .refuse(field, "has no effect on a program of `acp`, which uses its own sign-in: remove it");
        }
    }

    fn check_retries(&self, report: &mut ProblemReport) {
        const KNOWN: [&str; 3] = ["max_retries", "base_delay", "max_delay"];
        report.within("retry_policy", |report| {
            for key in self.retry_policy.keys().filter(|key| !KNOWN.contains(&key.as_str())) {
                report.refuse(key, format!("unknown key; known keys: {}", KNOWN.join(", ")));
            }
            match serde_json::from_value::<RetryConfig>(self.retry_policy.clone().into()) {
                Ok(retry) => retry.check(report),
                Err(error) => report.refuse("", error.to_string()),
            }
        });
    }
}
