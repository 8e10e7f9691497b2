//! Where an agent's commands run.

use amelia_core::config::sandbox as core;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Sandbox of a profile or an agent. This version has no sandboxes: it accepts only the default values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct SandboxConfig {
    #[schema(value_type = String)]
    pub mode: core::SandboxMode,
    /// Container image.
    pub image: String,
    /// Allow network access only to `network_allowed_hosts`.
    pub network_allowlist_enabled: bool,
    /// Hosts that commands may connect to.
    pub network_allowed_hosts: Vec<String>,
    /// Repository that a cloud sandbox clones.
    pub repo_url: Option<String>,
    /// URL of the Daytona API.
    pub daytona_api_url: String,
    /// Daytona region.
    pub daytona_target: String,
    pub daytona_resources: Option<DaytonaResources>,
    /// Image of a Daytona sandbox.
    pub daytona_image: String,
    /// Snapshot of a Daytona sandbox.
    pub daytona_snapshot: Option<String>,
    /// Timeout for Daytona, in seconds.
    pub daytona_timeout: f64,
}

default_of_core!(SandboxConfig = core::SandboxConfig);

impl From<core::SandboxConfig> for SandboxConfig {
    fn from(core: core::SandboxConfig) -> Self {
        Self {
            mode: core.mode,
            image: core.image,
            network_allowlist_enabled: core.network_allowlist_enabled,
            network_allowed_hosts: core.network_allowed_hosts,
            repo_url: core.repo_url,
            daytona_api_url: core.daytona_api_url,
            daytona_target: core.daytona_target,
            daytona_resources: core.daytona_resources.map(Into::into),
            daytona_image: core.daytona_image,
            daytona_snapshot: core.daytona_snapshot,
            daytona_timeout: core.daytona_timeout,
        }
    }
}

impl From<SandboxConfig> for core::SandboxConfig {
    fn from(wire: SandboxConfig) -> Self {
        Self {
            mode: wire.mode,
            image: wire.image,
            network_allowlist_enabled: wire.network_allowlist_enabled,
            network_allowed_hosts: wire.network_allowed_hosts,
            repo_url: wire.repo_url,
            daytona_api_url: wire.daytona_api_url,
            daytona_target: wire.daytona_target,
            daytona_resources: wire.daytona_resources.map(Into::into),
            daytona_image: wire.daytona_image,
            daytona_snapshot: wire.daytona_snapshot,
            daytona_timeout: wire.daytona_timeout,
        }
    }
}

/// Size of a cloud sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct DaytonaResources {
    /// Cores.
    pub cpu: u32,
    /// Memory, in GB.
    pub memory: u32,
    /// Disk space, in GB.
    pub disk: u32,
}

same_fields!(DaytonaResources = core::DaytonaResources { cpu, memory, disk });
default_of_core!(DaytonaResources = core::DaytonaResources);
