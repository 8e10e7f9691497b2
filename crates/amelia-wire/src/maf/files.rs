//! Where things lie below the home directory. Paths only; the writer of the files does the rest.

use std::path::PathBuf;

use amelia_core::id::RunId;

pub const MCP_SERVERS: &str = "config/mcp_servers.yaml";
pub const RETENTION_POLICY: &str = "config/retention_policy.yaml";

/// `tasks/{task_id}`
#[must_use]
pub fn task_dir(run: RunId) -> PathBuf {
    PathBuf::from("tasks").join(run.to_string())
}

/// `tasks/{task_id}/task.json`
#[must_use]
pub fn task(run: RunId) -> PathBuf {
    task_dir(run).join("task.json")
}

/// `tasks/{task_id}/trace.json`
#[must_use]
pub fn trace(run: RunId) -> PathBuf {
    task_dir(run).join("trace.json")
}

/// `tasks/{task_id}/checkpoint_001.json`, by the checkpoint's sequence.
#[must_use]
pub fn checkpoint(run: RunId, sequence: u32) -> PathBuf {
    task_dir(run).join(format!("checkpoint_{sequence:03}.json"))
}

/// `agents/{agent_name}.json`; `None` for a name that cannot be a file's.
#[must_use]
pub fn agent(name: &str) -> Option<PathBuf> {
    named("agents", name)
}

/// `workflows/{workflow_name}.json`; `None` for a name that cannot be a file's.
#[must_use]
pub fn workflow(name: &str) -> Option<PathBuf> {
    named("workflows", name)
}

fn named(directory: &str, name: &str) -> Option<PathBuf> {
    let is_safe = !name.is_empty()
        && !name.starts_with('.')
        && !name.contains(|c: char| matches!(c, '/' | '\\' | ':') || c.is_control());
    is_safe.then(|| PathBuf::from(directory).join(format!("{name}.json")))
}
