//! What an agent asks of us in the middle of its work: leave to do something, a file to be written, a command to be run.
//! Pure.

use std::collections::{BTreeMap, BTreeSet};

use amelia_core::message::Object;
use amelia_core::tool::{Ground, Permit, Risk, ToolCall, ToolResult};
use amelia_core::workplace::Rights;
use serde_json::{Value, json};

use super::approval::Approval;
use super::hands::Doing;
use super::terminal::{self, Reply, Terminals};
use super::wire;
use crate::program::rpc::text;
use crate::program::{Act, Voice};

/// The protocol's code for what is not known, and for what is not there.
const UNKNOWN: i64 = -32601;
const NOT_DONE: i64 = -32603;

/// What waits for leave, or for its end.
#[derive(Debug, Clone, PartialEq)]
enum Wish {
    Approval {
        approval: Approval,
        paths: Vec<String>,
        is_command: bool,
    },
    /// A file to be written, under the id of the request.
    File(Value, ToolCall),
    Command(Value, ToolCall),
}

/// Everything under way, by its key.
pub(super) struct Helping {
    ground: Ground,
    voice: Voice,
    wishes: BTreeMap<String, Wish>,
    /// Calls of our tools for it: who gets the answer.
    files: BTreeMap<String, Value>,
    commands: BTreeMap<String, String>,
    terminals: Terminals,
    /// Leave that was given, and is not asked for again when the agent leaves the doing to us.
    granted: BTreeSet<String>,
    granted_commands: u32,
}

impl Helping {
    pub(super) fn new(ground: Ground, voice: Voice) -> Self {
        Self {
            ground,
            voice,
            wishes: BTreeMap::new(),
            files: BTreeMap::new(),
            commands: BTreeMap::new(),
            terminals: Terminals::default(),
            granted: BTreeSet::new(),
            granted_commands: 0,
        }
    }

    /// It wants to use a tool of its own.
    pub(super) fn wanted(&mut self, id: &Value, doing: &Doing, options: Vec<Value>) -> Act {
        let key = format!("leave {id}");
        let (call, risk) = (doing.call(&self.voice), doing.risk(&self.ground.path));
        let paths = doing.paths().map(str::to_owned).collect();
        let is_command = doing.is_command();
        let approval = Approval { id: id.clone(), call: call.clone(), risk, options };
        self.wishes.insert(key.clone(), Wish::Approval { approval, paths, is_command });
        Act::Permit { key, call, risk }
    }

    /// It asks for something else.
    pub(super) fn asked(&mut self, id: &Value, method: &str, params: &Value) -> Vec<Act> {
        let works = self.ground.rights == Rights::Work;
        match method {
            "fs/write_text_file" if works => vec![self.file(id, params)],
            "terminal/create" if works => self.command(id, params),
            "terminal/output" | "terminal/wait_for_exit" | "terminal/kill" | "terminal/release" if works => {
                match self.terminals.asked(method, id, params) {
                    Reply::Answer(answer) => vec![Act::Say(wire::answer(id, &answer))],
                    Reply::Later => Vec::new(),
                    Reply::Unknown => {
                        vec![Act::Say(wire::refusal(id, NOT_DONE, "there is no such terminal"))]
                    }
                }
            }
            _ => vec![Act::Say(wire::refusal(id, UNKNOWN, &format!("{method} is not known here")))],
        }
    }

    fn file(&mut self, id: &Value, params: &Value) -> Act {
        let path = text(params, &["path"]).unwrap_or_default();
        let key = format!("file {id}");
        let relative = terminal::relative(path, &self.ground.path);
        let content = params.get("content").cloned().unwrap_or_default();
        let call =
            self.voice.call(&self.fresh(), "write_file", json!({"path": relative, "content": content}));
        if self.granted.contains(path) {
            self.files.insert(key.clone(), id.clone());
            return Act::Call { key, call };
        }
        self.wishes.insert(key.clone(), Wish::File(id.clone(), call.clone()));
        Act::Permit { key, call, risk: Risk::Write }
    }

    fn command(&mut self, id: &Value, params: &Value) -> Vec<Act> {
        let Some(given) = terminal::command(params, &self.ground.path) else {
            return vec![Act::Say(wire::refusal(id, NOT_DONE, "there is no command in it"))];
        };
        let key = format!("command {id}");
        let call = self.voice.call(&self.fresh(), "shell", given);
        if self.granted_commands > 0 {
            self.granted_commands -= 1;
            return self.run(key, id, call);
        }
        self.wishes.insert(key.clone(), Wish::Command(id.clone(), call.clone()));
        vec![Act::Permit { key, call, risk: Risk::Execute }]
    }

    fn run(&mut self, key: String, id: &Value, call: ToolCall) -> Vec<Act> {
        let name = self.terminals.open();
        self.commands.insert(key.clone(), name.clone());
        vec![Act::Say(wire::answer(id, &json!({"terminalId": name}))), Act::Call { key, call }]
    }

    /// A call of our own has a name of its own.
    fn fresh(&self) -> String {
        self.voice.clock.new_id().to_string()
    }

    /// Leave was given, or not; also what the model should be told.
    pub(super) fn permitted(&mut self, key: &str, permit: Permit) -> (Vec<Act>, Option<String>) {
        let Some(wish) = self.wishes.remove(key) else { return (Vec::new(), None) };
        match (wish, permit) {
            (Wish::Approval { approval, paths, is_command }, permit) => {
                let (answer, words) = approval.answer(&permit);
                if words.is_none() {
                    self.granted.extend(paths);
                    self.granted_commands += u32::from(is_command);
                }
                (vec![Act::Say(wire::answer(&approval.id, &answer))], words)
            }
            (Wish::File(id, _) | Wish::Command(id, _), Permit::Deny { message }) => {
                (vec![Act::Say(wire::refusal(&id, NOT_DONE, &format!("not allowed: {message}")))], None)
            }
            (Wish::File(id, call), Permit::Allow { args }) => {
                self.files.insert(key.to_owned(), id);
                (vec![Act::Call { key: key.to_owned(), call: with(call, args) }], None)
            }
            (Wish::Command(id, call), Permit::Allow { args }) => {
                (self.run(key.to_owned(), &id, with(call, args)), None)
            }
        }
    }

    /// A tool of ours has done what it was asked for.
    pub(super) fn returned(&mut self, key: &str, result: ToolResult) -> Vec<Act> {
        if let Some(name) = self.commands.remove(key) {
            let waiting = self.terminals.ended(&name, result).into_iter();
            return waiting.map(|(id, status)| Act::Say(wire::answer(&id, &status))).collect();
        }
        match (self.files.remove(key), &result.error) {
            (Some(id), None) => vec![Act::Say(wire::answer(&id, &json!({})))],
            (Some(id), Some(error)) => vec![Act::Say(wire::refusal(&id, NOT_DONE, error))],
            (None, _) => Vec::new(),
        }
    }
}

/// A person may have changed it.
fn with(call: ToolCall, changed: Option<Object>) -> ToolCall {
    ToolCall { args: changed.unwrap_or_else(|| call.args.clone()), ..call }
}
