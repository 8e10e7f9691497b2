//! Where the files of a task lie in its workspace. Paths only; the writer of the files does the rest.
//! The framework's own directory is `.amelia`, not the original's `.agentx`.

pub const TEAM: &str = "team.yaml";
pub const PLAN: &str = "plan.json";
pub const HISTORY: &str = "history.jsonl";

pub const ARTIFACTS: &str = "artifacts";
/// Older versions of the files beside it.
pub const VERSIONS: &str = ".versions";
/// About the files beside it.
pub const METADATA: &str = ".metadata.json";

pub const SHORT_TERM: &str = "memory/short_term.json";
pub const SEMANTIC: &str = "memory/long_term/semantic.db";
pub const EPISODIC: &str = "memory/long_term/episodic.json";
pub const CONSOLIDATED: &str = "memory/consolidated";

pub const STATE: &str = ".amelia/state.json";
pub const BREAKPOINTS: &str = ".amelia/breakpoints.json";
pub const GUARDRAILS: &str = ".amelia/guardrails.json";
pub const PERFORMANCE: &str = ".amelia/performance.json";
pub const LOGS: [&str; 4] = [
    ".amelia/logs/orchestrator.log",
    ".amelia/logs/agents.log",
    ".amelia/logs/tools.log",
    ".amelia/logs/errors.log",
];

pub const SANDBOX: &str = "sandbox/workspace.yaml";
pub const SHARED: &str = "sandbox/shared";
