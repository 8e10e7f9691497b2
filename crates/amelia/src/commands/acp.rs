//! `amelia acp`: an agent of the Agent Client Protocol, version 1, for editors. A prompt starts a run or answers what it
//! asks; the editor shows what happens and asks the person. Standard output carries only the protocol.

mod editor;
mod history;
mod prompt;
mod question;
mod session;
mod stored_session;
mod turn;
mod updates;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use amelia_core::clock::{Clock as _, SystemClock};
use amelia_host::home::Home;
use anyhow::Result;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use self::editor::{Editor, EditorMessage, read};
use self::session::Session;
use self::stored_session::StoredSession;
use crate::cli::Global;
use crate::cli_error::problem_of;
use crate::reach::LastingClient;
use crate::rpc::{RpcInput, RpcOutput};

/// The one version that we speak.
const VERSION: u64 = 1;
/// JSON-RPC's codes for what a client did wrong, and one of ours for what went wrong.
const INVALID_REQUEST: i64 = -32600;
const NO_METHOD: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const FAILED: i64 = -32000;

/// Why a request was not met.
pub(super) struct Refusal {
    code: i64,
    message: String,
}

impl Refusal {
    fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl From<anyhow::Error> for Refusal {
    fn from(error: anyhow::Error) -> Self {
        Self::new(FAILED, problem_of(&error).to_text())
    }
}

pub(super) async fn run(home: &Home, global: &Global) -> Result<ExitCode> {
    let (output, writing) = RpcOutput::to_stdout();
    let agent = Arc::new(AcpAgent {
        home: home.clone(),
        server: LastingClient::new(home, global),
        editor: Editor::new(output),
        sessions: Mutex::default(),
    });
    let mut input = RpcInput::of_stdin("an editor");
    let mut turns = JoinSet::new();
    let mut is_open = false;
    while let Some(message) = input.next().await {
        while turns.try_join_next().is_some() {}
        let message = match message.map(read) {
            Err(refusal) => {
                agent.editor.send(refusal).await;
                continue;
            }
            Ok(message) => message,
        };
        match message {
            EditorMessage::Answered { id, outcome } => agent.editor.answered(id, outcome),
            EditorMessage::Told { method, params } => agent.told(&method, &params),
            EditorMessage::Unreadable => {
                let refusal = Refusal::new(INVALID_REQUEST, "a message needs a method, or an answer");
                agent.editor.refuse(&Value::Null, &refusal).await;
            }
            EditorMessage::Asked { id, method, .. } if !is_open && method != "initialize" => {
                let text = format!("`{method}` came before `initialize`: send that first");
                agent.editor.refuse(&id, &Refusal::new(INVALID_REQUEST, text)).await;
            }
            // Only a turn takes long. Everything else is answered in the order in which it came.
            EditorMessage::Asked { id, method, params } if method == "session/prompt" => {
                let agent = Arc::clone(&agent);
                turns.spawn(async move { agent.prompted(&id, &params).await });
            }
            EditorMessage::Asked { id, method, params } => {
                is_open |= method == "initialize";
                agent.answer(&id, &method, &params).await;
            }
        }
    }
    // The editor is gone. Runs continue.
    turns.shutdown().await;
    drop(agent);
    writing.await?;
    Ok(ExitCode::SUCCESS)
}

/// What an editor talks to.
struct AcpAgent {
    home: Home,
    server: LastingClient,
    editor: Editor,
    sessions: Mutex<BTreeMap<String, Arc<Session>>>,
}

impl AcpAgent {
    async fn answer(&self, id: &Value, method: &str, params: &Value) {
        let answer = match method {
            "initialize" => Ok(greeting()),
            "authenticate" => Ok(json!({})),
            "session/new" => self.new_session(params),
            "session/load" => self.load_session(params).await,
            "session/set_mode" => self.set_mode(params),
            other => Err(Refusal::new(NO_METHOD, format!("there is no method `{other}`"))),
        };
        match answer {
            Err(refusal) => self.editor.refuse(id, &refusal).await,
            Ok(result) => {
                self.editor.answer(id, &result).await;
                let session = match method {
                    "session/new" => result.get("sessionId").and_then(Value::as_str),
                    "session/load" => params.get("sessionId").and_then(Value::as_str),
                    _ => None,
                };
                if let Some(session) = session {
                    self.editor.update(session, prompt::commands_update()).await;
                }
            }
        }
    }

    /// A session of before, with what was said in it.
    async fn load_session(&self, params: &Value) -> Result<Value, Refusal> {
        let directory = directory(params)?;
        let id = params.get("sessionId").and_then(Value::as_str).unwrap_or_default();
        let stored = StoredSession::load(&self.home, id)
            .ok_or_else(|| Refusal::new(INVALID_PARAMS, format!("there is no session `{id}`")))?;
        let client = self.server.get().await?;
        for run in &stored.runs {
            for update in history::updates(&client, *run).await? {
                self.editor.update(id, update).await;
            }
        }
        let session = Session::again(&self.home, id.to_owned(), directory, stored);
        let modes = session.modes();
        self.sessions.lock().insert(id.to_owned(), Arc::new(session));
        Ok(json!({"modes": modes}))
    }

    fn new_session(&self, params: &Value) -> Result<Value, Refusal> {
        let directory = directory(params)?;
        let id = SystemClock.new_id().to_string();
        let session = Session::new(&self.home, id.clone(), directory);
        let modes = session.modes();
        self.sessions.lock().insert(id.clone(), Arc::new(session));
        Ok(json!({"sessionId": id, "modes": modes}))
    }

    fn set_mode(&self, params: &Value) -> Result<Value, Refusal> {
        let mode = params.get("modeId").and_then(Value::as_str).unwrap_or_default();
        self.session(params)?.set_mode(mode)?;
        Ok(json!({}))
    }

    fn session(&self, params: &Value) -> Result<Arc<Session>, Refusal> {
        let id = params.get("sessionId").and_then(Value::as_str).unwrap_or_default();
        let found = self.sessions.lock().get(id).cloned();
        found.ok_or_else(|| Refusal::new(INVALID_PARAMS, format!("there is no session `{id}`")))
    }

    /// Nothing can be said to a notification that makes no sense.
    fn told(&self, method: &str, params: &Value) {
        if let ("session/cancel", Ok(session)) = (method, self.session(params)) {
            session.cancel();
        }
    }

    async fn prompted(&self, id: &Value, params: &Value) {
        match self.turn(params).await {
            Ok(reason) => self.editor.answer(id, &json!({"stopReason": reason.as_str()})).await,
            Err(refusal) => self.editor.refuse(id, &refusal).await,
        }
    }

    async fn turn(&self, params: &Value) -> Result<turn::StopReason, Refusal> {
        let session = self.session(params)?;
        let words = prompt::words(params.get("prompt").unwrap_or(&Value::Null));
        let turn = session.begin()?;
        let client = self.server.get().await?;
        let turn =
            turn::Turn { client: &client, global: self.server.global(), editor: &self.editor, turn: &turn };
        Ok(turn.run(&words).await?)
    }
}

/// Where a session works.
fn directory(params: &Value) -> Result<PathBuf, Refusal> {
    let directory = params.get("cwd").and_then(Value::as_str).map(PathBuf::from);
    directory
        .filter(|path| path.is_absolute())
        .ok_or_else(|| Refusal::new(INVALID_PARAMS, "`cwd` must be an absolute path"))
}

fn greeting() -> Value {
    json!({
        "protocolVersion": VERSION,
        "agentCapabilities": {
            "loadSession": true,
            "promptCapabilities": {"image": false, "audio": false, "embeddedContext": true},
            "mcpCapabilities": {"http": false, "sse": false},
        },
        "agentInfo": {"name": "amelia", "title": "Amelia", "version": env!("CARGO_PKG_VERSION")},
        "authMethods": [],
    })
}
