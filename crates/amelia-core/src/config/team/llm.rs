//! Which model a member thinks with.

use serde::{Deserialize, Serialize};

use crate::config::problem::{ProblemReport, Validate, is_variable_name};
use crate::config::secret::Secret;
use crate::object::Object;

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
        if self.api_key.is_some() && self.api_key_env.is_some() {
            report.refuse("api_key", "is given twice: use either api_key or api_key_env");
        }
        if self.api_key_env.as_deref().is_some_and(|name| !is_variable_name(name)) {
            report.refuse("api_key_env", "must be the name of an environment variable");
        }
        if let Some(url) = &self.base_url {
            report.url("base_url", url, &["https", "http"]);
        }
        report.positive("timeout", &self.timeout);
    }
}
