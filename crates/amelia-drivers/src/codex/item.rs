//! What the program does, item by item, as calls and results of ours. `app-server` and `exec` write the same items in two
//! spellings. Pure.

use std::path::Path;

use amelia_core::text::capped;
use amelia_core::tool::{ToolCall, ToolResult};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::program::MessageFactory;

/// As much of a change as is kept; git has the whole.
const DIFF: usize = 30_000;

/// Its commands, under the name of our own tool for them: one rule allows both.
pub(super) const SHELL: &str = "shell";
/// Its edits, likewise.
pub(super) const PATCH: &str = "apply_patch";

/// One thing that it does or says.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(super) enum Item {
    #[serde(alias = "agent_message")]
    AgentMessage {
        text: String,
    },
    /// What it received, as it takes it into the conversation.
    UserMessage {
        #[serde(default)]
        content: Vec<Value>,
    },
    Reasoning {
        #[serde(default)]
        summary: Vec<String>,
        #[serde(default)]
        content: Vec<String>,
        #[serde(default)]
        text: String,
    },
    #[serde(alias = "command_execution")]
    CommandExecution(Command),
    #[serde(alias = "file_change")]
    FileChange(Changes),
    #[serde(alias = "mcp_tool_call")]
    McpToolCall(Remote),
    #[serde(alias = "web_search")]
    WebSearch {
        id: String,
        #[serde(default)]
        query: String,
    },
    ImageView {
        id: String,
        path: String,
    },
    #[serde(alias = "collab_tool_call")]
    CollabAgentToolCall(Helper),
    ContextCompaction {},
    Error {
        message: String,
    },
    /// Also calls of our own tools: they are written down where they run.
    #[serde(other)]
    Other,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Command {
    id: String,
    command: String,
    #[serde(default)]
    cwd: Option<String>,
    #[serde(default)]
    status: String,
    #[serde(default, alias = "aggregated_output")]
    aggregated_output: Option<String>,
    #[serde(default, alias = "exit_code")]
    exit_code: Option<i32>,
    #[serde(default)]
    duration_ms: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Changes {
    id: String,
    #[serde(default)]
    changes: Vec<Change>,
    #[serde(default)]
    status: String,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Change {
    path: String,
    #[serde(default)]
    kind: Value,
    #[serde(default)]
    diff: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Remote {
    id: String,
    server: String,
    tool: String,
    #[serde(default)]
    arguments: Value,
    #[serde(default)]
    result: Value,
    #[serde(default)]
    error: Value,
    #[serde(default)]
    duration_ms: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Helper {
    id: String,
    #[serde(default)]
    tool: Value,
    #[serde(default)]
    prompt: Option<String>,
    #[serde(default, alias = "agents_states")]
    agents_states: Value,
    #[serde(default)]
    status: Value,
}

/// Where items happen, and in whose name.
pub(super) struct ItemTranslator<'a> {
    pub(super) factory: &'a MessageFactory,
    pub(super) work_area: &'a Path,
}

impl ItemTranslator<'_> {
    /// The call that an item is; `None` for what is only said.
    pub(super) fn call(&self, item: &Item) -> Option<ToolCall> {
        let call = |id: &str, tool: &str, args| Some(self.factory.call(id, tool, args));
        match item {
            Item::CommandExecution(command) => call(
                &command.id,
                SHELL,
                command_args(&command.command, command.cwd.as_deref(), self.work_area),
            ),
            Item::FileChange(changes) => call(&changes.id, PATCH, json!({"changes": self.changes(changes)})),
            Item::McpToolCall(remote) => {
                call(&remote.id, &format!("{}.{}", remote.server, remote.tool), remote.arguments.clone())
            }
            Item::WebSearch { id, query } => call(id, "web_search", json!({"query": query})),
            Item::ImageView { id, path } => call(id, "view_image", json!({"path": self.relative(path)})),
            Item::CollabAgentToolCall(helper) => {
                let tool = helper.tool.as_str().unwrap_or("agent");
                call(&helper.id, tool, json!({"prompt": helper.prompt}))
            }
            Item::AgentMessage { .. }
            | Item::Reasoning { .. }
            | Item::ContextCompaction {}
            | Item::Error { .. }
            | Item::UserMessage { .. }
            | Item::Other => None,
        }
    }

    /// What came of the call that an item was.
    pub(super) fn result(&self, item: &Item, call: &ToolCall) -> ToolResult {
        match item {
            Item::CommandExecution(command) => {
                let output = command.aggregated_output.as_deref().unwrap_or_default();
                let error = match (command.status.as_str(), command.exit_code) {
                    ("declined", _) => Some("not run: it was not allowed".to_owned()),
                    (_, Some(0)) | ("completed", None) => None,
                    (_, Some(code)) => Some(format!("it ended with code {code}")),
                    (_, None) => Some("it did not end by itself".to_owned()),
                };
                let (exit_code, duration_ms) = (command.exit_code, command.duration_ms);
                ToolResult { error, exit_code, duration_ms, ..self.factory.result(call, output, false) }
            }
            Item::FileChange(changes) => {
                let error = match changes.status.as_str() {
                    "completed" => None,
                    "declined" => Some("not done: it was not allowed".to_owned()),
                    other => Some(format!("not done: {other}")),
                };
                let paths = changes.changes.iter().map(|change| self.relative(&change.path));
                let artifacts = if error.is_none() { paths.collect() } else { Vec::new() };
                ToolResult { error, artifacts, ..self.factory.result(call, "", false) }
            }
            Item::McpToolCall(remote) => {
                let (said, is_error) = match &remote.error {
                    Value::Null => (texts(&remote.result), false),
                    error => (error.get("message").map_or_else(|| texts(error), texts), true),
                };
                ToolResult { duration_ms: remote.duration_ms, ..self.factory.result(call, &said, is_error) }
            }
            Item::CollabAgentToolCall(helper) => {
                let is_error = helper.status.as_str() == Some("failed");
                self.factory.result(call, &texts(&helper.agents_states), is_error)
            }
            Item::WebSearch { .. }
            | Item::ImageView { .. }
            | Item::AgentMessage { .. }
            | Item::Reasoning { .. }
            | Item::ContextCompaction {}
            | Item::Error { .. }
            | Item::UserMessage { .. }
            | Item::Other => self.factory.result(call, "", false),
        }
    }

    fn changes(&self, changes: &Changes) -> Vec<Value> {
        let change = |change: &Change| {
            let kind = change.kind.get("type").unwrap_or(&change.kind);
            let mut shown = Map::from_iter([
                ("path".to_owned(), json!(self.relative(&change.path))),
                ("kind".to_owned(), kind.clone()),
            ]);
            if let Some(diff) = &change.diff {
                shown.insert("diff".to_owned(), json!(capped(diff, DIFF)));
            }
            Value::Object(shown)
        };
        changes.changes.iter().map(change).collect()
    }

    fn relative(&self, path: &str) -> String {
        let inside = Path::new(path).strip_prefix(self.work_area).ok();
        inside.map_or_else(|| path.to_owned(), |inside| inside.to_string_lossy().into_owned())
    }
}

impl Changes {
    /// Whether all of it is below a directory.
    pub(super) fn is_within(&self, work_area: &Path) -> bool {
        // What git runs by itself is written below `.git`.
        let is_git = |part: std::path::Component<'_>| part.as_os_str().eq_ignore_ascii_case(".git");
        let is_plain = |path: &Path| {
            let below = path.strip_prefix(work_area).unwrap_or(path);
            below.components().all(|part| part != std::path::Component::ParentDir && !is_git(part))
        };
        let is_inside = |change: &Change| {
            let path = work_area.join(&change.path);
            path.starts_with(work_area) && is_plain(&path)
        };
        let moved = self.changes.iter().filter_map(|change| change.kind.get("move_path")?.as_str());
        self.changes.iter().all(is_inside)
            && moved
                .map(|path| work_area.join(path))
                .all(|path| path.starts_with(work_area) && is_plain(&path))
    }
}

/// The arguments of a command: what was written, and where it runs when that is not where everything does. The same
/// command has the same arguments, so that a permission for it is found again.
pub(super) fn command_args(command: &str, cwd: Option<&str>, work_area: &Path) -> Value {
    let mut args = Map::from_iter([("command".to_owned(), json!(unwrapped(command)))]);
    if let Some(elsewhere) = cwd.filter(|cwd| Path::new(cwd) != work_area) {
        args.insert("directory".to_owned(), json!(elsewhere));
    }
    Value::Object(args)
}

/// A command without the shell that it is given to.
pub(super) fn unwrapped(command: &str) -> String {
    match shlex::split(command).as_deref() {
        Some([shell, flag, script]) if shell.ends_with("sh") && (flag == "-lc" || flag == "-c") => {
            script.clone()
        }
        _ => command.to_owned(),
    }
}

/// All text in a value that another program has made, in order.
fn texts(value: &Value) -> String {
    fn gather(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) => match fields.get("text").or_else(|| fields.get("message")) {
                Some(Value::String(text)) => found.push(text.clone()),
                _ => fields.values().for_each(|value| gather(value, found)),
            },
            Value::Array(values) => values.iter().for_each(|value| gather(value, found)),
            Value::String(text) => found.push(text.clone()),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut found = Vec::new();
    gather(value, &mut found);
    found.join("\n")
}
