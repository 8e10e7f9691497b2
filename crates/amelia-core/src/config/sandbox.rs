//! Where an agent's commands run.

use serde::{Deserialize, Serialize};

use super::problem::{ProblemReport, Validate};

/// Hosts that a sandbox may reach when its network is restricted without a list of its own:
/// model APIs, the code host, and the package registries builds need.
pub const DEFAULT_NETWORK_ALLOWED_HOSTS: [&str; 13] = [
    "api.anthropic.com",
    "api.openai.com",
    "api.deepseek.com",
    "openrouter.ai",
    "github.com",
    "api.github.com",
    "codeload.github.com",
    "registry.npmjs.org",
    "pypi.org",
    "files.pythonhosted.org",
    "index.crates.io",
    "static.crates.io",
    "app.daytona.io",
];

/// Where an agent's commands run. This version accepts only `none`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "config/"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SandboxMode {
    /// On the host, in the run's worktree.
    #[default]
    None,
    /// A local container.
    Container,
    /// A cloud sandbox.
    Daytona,
}

/// Size of a cloud sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DaytonaResources {
    /// Cores.
    pub cpu: u32,
    /// GB.
    pub memory: u32,
    /// GB.
    pub disk: u32,
}

impl Default for DaytonaResources {
    fn default() -> Self {
        Self { cpu: 2, memory: 4, disk: 10 }
    }
}

impl Validate for DaytonaResources {
    fn check(&self, report: &mut ProblemReport) {
        report.positive("cpu", &self.cpu);
        report.positive("memory", &self.memory);
        report.positive("disk", &self.disk);
    }
}

/// Which sandbox, and what it may reach.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SandboxConfig {
    pub mode: SandboxMode,
    pub image: String,
    pub network_allowlist_enabled: bool,
    pub network_allowed_hosts: Vec<String>,
    /// What a cloud sandbox clones.
    pub repo_url: Option<String>,
    pub daytona_api_url: String,
    pub daytona_target: String,
    pub daytona_resources: Option<DaytonaResources>,
    pub daytona_image: String,
    pub daytona_snapshot: Option<String>,
    /// Seconds.
    pub daytona_timeout: f64,
}

impl Default for SandboxConfig {
    fn default() -> Self {
        Self {
            mode: SandboxMode::None,
            image: "amelia-sandbox:latest".to_owned(),
            network_allowlist_enabled: false,
            network_allowed_hosts: DEFAULT_NETWORK_ALLOWED_HOSTS.map(str::to_owned).into(),
            repo_url: None,
            daytona_api_url: "https://app.daytona.io/api".to_owned(),
            daytona_target: "us".to_owned(),
            daytona_resources: None,
            daytona_image: "python:3.12-slim".to_owned(),
            daytona_snapshot: None,
            daytona_timeout: 120.0,
        }
    }
}

impl Validate for SandboxConfig {
    fn check(&self, report: &mut ProblemReport) {
        report.filled("image", &self.image);
        for (index, host) in self.network_allowed_hosts.iter().enumerate() {
            if host.is_empty() || host.contains(|c: char| c == '/' || c.is_whitespace()) {
                report.refuse(
                    format_args!("network_allowed_hosts[{index}]"),
                    format!("`{host}` is not a host name: write it without scheme and path"),
                );
            }
        }
        report.url("daytona_api_url", &self.daytona_api_url, &["https", "http"]);
        report.filled("daytona_target", &self.daytona_target);
        if let Some(resources) = &self.daytona_resources {
            report.part("daytona_resources", resources);
        }
        report.filled("daytona_image", &self.daytona_image);
        report.positive("daytona_timeout", &self.daytona_timeout);
        match self.mode {
            SandboxMode::None | SandboxMode::Container => {}
            SandboxMode::Daytona => self.check_daytona(report),
        }
        self.check_built_in(report);
    }
}

impl SandboxConfig {
    /// What is saved must confine: this version runs every command on the machine of the server.
    fn check_built_in(&self, report: &mut ProblemReport) {
        if self.mode != SandboxMode::None {
            report
                .refuse("mode", "must be none: this version has no sandboxes; commands run on this machine");
            return;
        }
        let given = serde_json::to_value(self).unwrap_or_default();
        let usual = serde_json::to_value(Self::default()).unwrap_or_default();
        for (field, value) in given.as_object().into_iter().flatten() {
            if usual.get(field) != Some(value) {
                report.refuse(field, "has no effect without a sandbox, and this version has none: remove it");
            }
        }
    }

    fn check_daytona(&self, report: &mut ProblemReport) {
        if self.repo_url.as_deref().unwrap_or_default().trim().is_empty() {
            report.refuse("repo_url", "is required when mode is `daytona`");
        }
        if self.network_allowlist_enabled {
            report.refuse("network_allowlist_enabled", "is not allowed when mode is `daytona`");
        }
    }
}
