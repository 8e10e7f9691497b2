//! One conversation, in the way that the program understands: `app-server`, and `exec` when it is too old for that.

use std::sync::Arc;
use std::time::Duration;

use amelia_core::clock::Clock;
use amelia_core::config::agent::CodexMode;
use amelia_core::driver::{AgentRequest, DriverError};
use amelia_core::message::Message;
use amelia_core::problem::Problem;
use amelia_core::tool::{ToolPermission, ToolResult, ToolSpec, WorkArea};

use super::exec::ExecTalk;
use super::server::ServerTalk;
use super::{CodexSettings, failure};
use crate::program::{Launch, Protocol, ProtocolAction, SteeredWord, was_silent};

/// One conversation.
pub(super) struct CodexTalk {
    settings: CodexSettings,
    request: AgentRequest,
    work_area: WorkArea,
    extras: Vec<ToolSpec>,
    clock: Arc<dyn Clock>,
    way: Way,
}

enum Way {
    Server(Box<ServerTalk>),
    Exec(Box<ExecTalk>),
}

impl CodexTalk {
    pub(super) fn new(
        settings: &CodexSettings,
        request: &AgentRequest,
        work_area: WorkArea,
        extras: Vec<ToolSpec>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let parts = (request.clone(), work_area.clone(), extras.clone(), Arc::clone(&clock));
        let way = match settings.mode {
            CodexMode::Server => {
                Way::Server(Box::new(ServerTalk::new(settings, parts.0, parts.1, parts.2, parts.3)))
            }
            CodexMode::Exec => {
                Way::Exec(Box::new(ExecTalk::new(settings, parts.0, parts.1, parts.2, parts.3)))
            }
        };
        Self { settings: settings.clone(), request: request.clone(), work_area, extras, clock, way }
    }

    /// There is no way to ask there: a person who wants to be asked is not passed over.
    fn fall_back(&mut self) -> ProtocolAction {
        if self.settings.asks {
            let problem = Problem::new("this version cannot ask for permission")
                .with_hint("npm install -g @openai/codex, or set permissions to never");
            return ProtocolAction::Fail(failure::program(problem));
        }
        self.settings.mode = CodexMode::Exec;
        let (work_area, extras) = (self.work_area.clone(), self.extras.clone());
        let exec =
            ExecTalk::new(&self.settings, self.request.clone(), work_area, extras, Arc::clone(&self.clock));
        self.way = Way::Exec(Box::new(exec));
        let why = "this codex is too old for a conversation; Amelia uses `codex exec`".to_owned();
        ProtocolAction::Again { why: Some(why) }
    }
}

impl Protocol for CodexTalk {
    fn begin(&mut self) -> (Launch, Vec<ProtocolAction>) {
        match &mut self.way {
            Way::Server(server) => server.begin(),
            Way::Exec(exec) => exec.begin(),
        }
    }

    fn hear(&mut self, line: &str) -> Vec<ProtocolAction> {
        match &mut self.way {
            Way::Server(server) => server.hear(line),
            Way::Exec(exec) => exec.hear(line),
        }
    }

    fn permitted(&mut self, key: &str, permit: ToolPermission) -> Vec<ProtocolAction> {
        match &mut self.way {
            Way::Server(server) => server.permitted(key, &permit),
            Way::Exec(_) => Vec::new(),
        }
    }

    fn returned(&mut self, key: &str, result: ToolResult) -> Vec<ProtocolAction> {
        match &mut self.way {
            Way::Server(server) => server.returned(key, &result),
            Way::Exec(_) => Vec::new(),
        }
    }

    fn steered(&mut self, message: &Message) -> Vec<ProtocolAction> {
        match &mut self.way {
            Way::Server(server) => server.steered(SteeredWord::of(message)),
            Way::Exec(exec) => exec.steered(message),
        }
    }

    fn ended(&mut self, code: Option<i32>, last_words: &str) -> ProtocolAction {
        let is_unknown = last_words.contains("unrecognized subcommand")
            || last_words.contains("unexpected argument 'app-server'");
        match &mut self.way {
            Way::Server(server) if is_unknown && !server.is_greeted() => self.fall_back(),
            Way::Server(_) => ProtocolAction::Fail(failure::of_end(code, last_words)),
            Way::Exec(exec) => exec.ended(code, last_words),
        }
    }

    fn silent(&mut self, silence: Duration) -> DriverError {
        failure::program(was_silent(silence))
    }
}
