//! Commands that an agent leaves to us: each runs as a call of our own tool, and is asked about under a name. Pure.

use std::collections::BTreeMap;
use std::path::Path;

use amelia_core::tool::ToolResult;
use serde_json::{Value, json};

use crate::program::rpc::text;

/// A command, from its start to the end of all interest in it.
#[derive(Debug, Default)]
struct Terminal {
    ended: Option<ToolResult>,
    /// Who waits for its end.
    waiting: Vec<Value>,
}

/// All of them, by name.
#[derive(Debug, Default)]
pub(super) struct Terminals {
    open: BTreeMap<String, Terminal>,
    made: u32,
}

/// What is to be said to whom.
pub(super) enum Reply {
    Answer(Value),
    /// When the command has ended.
    Later,
    Unknown,
}

impl Terminals {
    /// A name for a new one.
    pub(super) fn open(&mut self) -> String {
        self.made += 1;
        let name = format!("terminal-{}", self.made);
        self.open.insert(name.clone(), Terminal::default());
        name
    }

    /// Its command has ended: the answers to those who waited for it.
    pub(super) fn ended(&mut self, name: &str, result: ToolResult) -> Vec<(Value, Value)> {
        let Some(terminal) = self.open.get_mut(name) else { return Vec::new() };
        let status = exit(&result);
        terminal.ended = Some(result);
        std::mem::take(&mut terminal.waiting).into_iter().map(|id| (id, status.clone())).collect()
    }

    /// A question about one.
    pub(super) fn asked(&mut self, method: &str, id: &Value, params: &Value) -> Reply {
        let name = text(params, &["terminalId"]).unwrap_or_default();
        let Some(terminal) = self.open.get_mut(name) else { return Reply::Unknown };
        match (method, &terminal.ended) {
            ("terminal/output", ended) => {
                let shown = ended.as_ref().map(shown).unwrap_or_default();
                let status = ended.as_ref().map(exit);
                Reply::Answer(json!({"output": shown, "truncated": false, "exitStatus": status}))
            }
            ("terminal/wait_for_exit", Some(result)) => Reply::Answer(exit(result)),
            ("terminal/wait_for_exit", None) => {
                terminal.waiting.push(id.clone());
                Reply::Later
            }
            // Our tool ends it in its own time; what it says then is of no interest.
            ("terminal/release", _) => {
                self.open.remove(name);
                Reply::Answer(json!({}))
            }
            ("terminal/kill", _) => Reply::Answer(json!({})),
            _ => Reply::Unknown,
        }
    }
}

/// The command line of a new one, for bash; `None` when there is none.
pub(super) fn command(params: &Value, work_area: &Path) -> Option<Value> {
    let program = text(params, &["command"])?;
    let args = params.get("args").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let args: Vec<&str> = args.collect();
    // Some put the whole line where the program belongs.
    let line = match args.as_slice() {
        [] => program.to_owned(),
        args => shlex::try_join(std::iter::once(program).chain(args.iter().copied())).ok()?,
    };
    let variables = params.get("env").and_then(Value::as_array).into_iter().flatten();
    let variables = variables.filter_map(|variable| {
        let (name, value) = (text(variable, &["name"])?, text(variable, &["value"])?);
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !name.is_empty();
        is_name.then(|| Some(format!("export {name}={}; ", shlex::try_quote(value).ok()?)))?
    });
    let line = variables.collect::<String>() + &line;
    let directory = text(params, &["cwd"]).filter(|cwd| Path::new(cwd) != work_area);
    Some(match directory {
        None => json!({"command": line}),
        Some(directory) => json!({"command": line, "directory": relative(directory, work_area)}),
    })
}

/// As our tools name a path.
pub(super) fn relative(path: &str, work_area: &Path) -> String {
    let inside = Path::new(path).strip_prefix(work_area).ok();
    inside.map_or_else(|| path.to_owned(), |inside| inside.to_string_lossy().into_owned())
}

fn shown(result: &ToolResult) -> String {
    match (&result.error, result.exit_code) {
        (Some(error), None) => format!("{}{error}\n", result.output),
        _ => result.output.clone(),
    }
}

fn exit(result: &ToolResult) -> Value {
    let code = result.exit_code.or_else(|| result.error.as_ref().map(|_| 1)).unwrap_or(0);
    json!({"exitCode": u32::try_from(code).unwrap_or(1), "signal": null})
}
