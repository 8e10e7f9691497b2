//! What an agent asks of us in the middle of its work: leave to do something, a file to be written, a command to be run.
//! Pure.

use std::collections::BTreeMap;

use amelia_core::message::Object;
use amelia_core::tool::{Risk, ToolCall, ToolPermission, ToolResult, WorkArea};
use serde_json::{Value, json};

use super::approval::Approval;
use super::given_tools::GivenTools;
use super::item_tracker::ToolCallUpdate;
use super::terminal::{self, Reply, Terminals};
use super::wire;
use crate::program::rpc::text;
use crate::program::{MessageFactory, ProtocolAction};

/// The protocol's code for what is not known, and for what is not there.
const UNKNOWN: i64 = -32601;
const NOT_DONE: i64 = -32603;

/// What waits for leave, or for its end.
#[derive(Debug, Clone, PartialEq)]
enum Wish {
    Approval(Approval, Leave),
    /// A file to be written, under the id of the request.
    File(Value, ToolCall),
    Command(Value, ToolCall),
}

/// Leave for one call: it is not asked for again when the agent leaves the doing to us, until the call has ended.
#[derive(Debug, Clone, PartialEq)]
struct Leave {
    call: String,
    paths: Vec<String>,
    is_command: bool,
}

/// Everything under way, by its key.
pub(super) struct Helping {
    work_area: WorkArea,
    /// Files are left to us, and commands.
    writes: bool,
    runs: bool,
    factory: MessageFactory,
    wishes: BTreeMap<String, Wish>,
    /// Calls of our tools for it: who gets the answer.
    files: BTreeMap<String, Value>,
    commands: BTreeMap<String, String>,
    terminals: Terminals,
    granted: Vec<Leave>,
}

impl Helping {
    pub(super) fn new(work_area: WorkArea, given: &GivenTools, factory: MessageFactory) -> Self {
        Self {
            work_area,
            writes: given.writes,
            runs: given.runs,
            factory,
            wishes: BTreeMap::new(),
            files: BTreeMap::new(),
            commands: BTreeMap::new(),
            terminals: Terminals::default(),
            granted: Vec::new(),
        }
    }

    /// It wants to use a tool of its own.
    pub(super) fn wanted(
        &mut self,
        id: &Value,
        doing: &ToolCallUpdate,
        options: Vec<Value>,
    ) -> ProtocolAction {
        let key = format!("leave {id}");
        let (call, risk) = (doing.call(&self.factory), doing.risk(&self.work_area.path));
        let leave = Leave {
            call: doing.tool_call_id.clone(),
            paths: doing.paths().map(str::to_owned).collect(),
            is_command: doing.is_command(),
        };
        let approval = Approval { id: id.clone(), call: call.clone(), risk, options };
        self.wishes.insert(key.clone(), Wish::Approval(approval, leave));
        ProtocolAction::Permit { key, call, risk }
    }

    /// It asks for something else. A call of ours that comes of it gets this name.
    pub(super) fn asked(
        &mut self,
        id: &Value,
        method: &str,
        params: &Value,
        name: &str,
    ) -> Vec<ProtocolAction> {
        let (writes, runs) = (self.writes, self.runs);
        match method {
            "fs/write_text_file" if writes => vec![self.file(id, params, name)],
            "terminal/create" if runs => self.command(id, params, name),
            "terminal/output" | "terminal/wait_for_exit" | "terminal/kill" | "terminal/release" if runs => {
                match self.terminals.asked(method, id, params) {
                    Reply::Answer(answer) => vec![ProtocolAction::Say(wire::answer(id, &answer))],
                    Reply::Later => Vec::new(),
                    Reply::Unknown => {
                        vec![ProtocolAction::Say(wire::refusal(id, NOT_DONE, "there is no such terminal"))]
                    }
                }
            }
            _ => {
                vec![ProtocolAction::Say(wire::refusal(id, UNKNOWN, &format!("{method} is not known here")))]
            }
        }
    }

    fn file(&mut self, id: &Value, params: &Value, name: &str) -> ProtocolAction {
        let path = text(params, &["path"]).unwrap_or_default();
        let key = format!("file {id}");
        let relative = terminal::relative(path, &self.work_area.path);
        let content = params.get("content").cloned().unwrap_or_default();
        let call = self.factory.call(name, "write_file", json!({"path": relative, "content": content}));
        if self.granted.iter().any(|leave| leave.paths.iter().any(|allowed| allowed == path)) {
            self.files.insert(key.clone(), id.clone());
            return ProtocolAction::Call { key, call };
        }
        self.wishes.insert(key.clone(), Wish::File(id.clone(), call.clone()));
        ProtocolAction::Permit { key, call, risk: Risk::Write }
    }

    fn command(&mut self, id: &Value, params: &Value, name: &str) -> Vec<ProtocolAction> {
        let Some(given) = terminal::command(params, &self.work_area.path) else {
            return vec![ProtocolAction::Say(wire::refusal(id, NOT_DONE, "there is no command in it"))];
        };
        let key = format!("command {id}");
        let call = self.factory.call(name, "shell", given);
        if let Some(leave) = self.granted.iter_mut().find(|leave| leave.is_command) {
            leave.is_command = false;
            return self.run(key, id, call);
        }
        self.wishes.insert(key.clone(), Wish::Command(id.clone(), call.clone()));
        vec![ProtocolAction::Permit { key, call, risk: Risk::Execute }]
    }

    fn run(&mut self, key: String, id: &Value, call: ToolCall) -> Vec<ProtocolAction> {
        let name = self.terminals.open();
        self.commands.insert(key.clone(), name.clone());
        vec![
            ProtocolAction::Say(wire::answer(id, &json!({"terminalId": name}))),
            ProtocolAction::Call { key, call },
        ]
    }

    /// Leave was given, or not; also what the model should learn.
    pub(super) fn permitted(
        &mut self,
        key: &str,
        permit: ToolPermission,
    ) -> (Vec<ProtocolAction>, Option<String>) {
        let Some(wish) = self.wishes.remove(key) else { return (Vec::new(), None) };
        match (wish, permit) {
            (Wish::Approval(approval, leave), permit) => {
                let (answer, words) = approval.answer(&permit);
                if words.is_none() {
                    self.granted.push(leave);
                }
                (vec![ProtocolAction::Say(wire::answer(&approval.id, &answer))], words)
            }
            (Wish::File(id, _) | Wish::Command(id, _), ToolPermission::Deny { message }) => (
                vec![ProtocolAction::Say(wire::refusal(&id, NOT_DONE, &format!("not allowed: {message}")))],
                None,
            ),
            (Wish::File(id, call), ToolPermission::Allow { args }) => {
                self.files.insert(key.to_owned(), id);
                (vec![ProtocolAction::Call { key: key.to_owned(), call: with(call, args) }], None)
            }
            (Wish::Command(id, call), ToolPermission::Allow { args }) => {
                (self.run(key.to_owned(), &id, with(call, args)), None)
            }
        }
    }

    /// A call of its own is over, and so is the leave for it; without one, all calls are.
    pub(super) fn over(&mut self, call: Option<&str>) {
        self.granted.retain(|leave| call.is_some_and(|call| leave.call != call));
    }

    /// A tool of ours has done what it was asked for.
    pub(super) fn returned(&mut self, key: &str, result: ToolResult) -> Vec<ProtocolAction> {
        if let Some(name) = self.commands.remove(key) {
            let waiting = self.terminals.ended(&name, result).into_iter();
            return waiting.map(|(id, status)| ProtocolAction::Say(wire::answer(&id, &status))).collect();
        }
        match (self.files.remove(key), &result.error) {
            (Some(id), None) => vec![ProtocolAction::Say(wire::answer(&id, &json!({})))],
            (Some(id), Some(error)) => vec![ProtocolAction::Say(wire::refusal(&id, NOT_DONE, error))],
            (None, _) => Vec::new(),
        }
    }
}

/// A person may have changed it.
fn with(call: ToolCall, changed: Option<Object>) -> ToolCall {
    ToolCall { args: changed.unwrap_or_else(|| call.args.clone()), ..call }
}
