//! An agent's surroundings for tests: a directory, a hand-in tool, a person with opinions.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use amelia_core::budget::{Account, Budget, Purse, Spend};
use amelia_core::clock::{Clock, SystemClock};
use amelia_core::driver::{AgentMessage, AgentRequest, Driver, DriverError, ModelOptions};
use amelia_core::id::{AgentName, MessageId, SessionId};
use amelia_core::message::{ExecutionMode, Message, Object, Part, Role, TextPart};
use amelia_core::recording::Strand;
use amelia_core::tool::{Ground, Permit, Risk, ToolBox, ToolCall, ToolCx, ToolName, ToolResult, ToolSpec};
use amelia_core::workplace::Rights;
use amelia_drivers::claude::{ClaudeDriver, ClaudeSettings};
use amelia_drivers::hold::Hold;
use amelia_drivers::model::Prices;
use amelia_drivers::program::{Kin, Launcher, Spawn, Stage};
use amelia_drivers::purser::Purser;
use amelia_scripted::{Script, Server, serve};
use amelia_tools::{Environment, Marked};
use async_trait::async_trait;
use futures_util::StreamExt;
use serde_json::json;
use tempfile::TempDir;
use tokio::sync::Mutex as AsyncMutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// What a person says to a call.
pub(crate) type Opinion = fn(&ToolCall, Risk) -> Permit;

pub(crate) fn yes(_: &ToolCall, _: Risk) -> Permit {
    Permit::Allow { args: None }
}

pub(crate) struct Desk {
    pub(crate) directory: TempDir,
    pub(crate) rights: Rights,
    pub(crate) opinion: Opinion,
    pub(crate) budget: Budget,
    pub(crate) program: PathBuf,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) session: Option<SessionId>,
    pub(crate) words: Vec<(Role, String)>,
    pub(crate) strand: Strand,
    pub(crate) silence: Duration,
}

impl Desk {
    pub(crate) fn new(program: &Path) -> Self {
        // Not below a temporary directory: programs refuse to keep their things there.
        let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        std::fs::create_dir(directory.path().join("tree")).unwrap();
        Self {
            directory,
            rights: Rights::Work,
            opinion: yes,
            budget: Budget::default(),
            program: program.to_owned(),
            env: Vec::new(),
            session: None,
            words: vec![(Role::User, "Do it.".to_owned())],
            strand: Strand::default(),
            silence: Duration::from_secs(120),
        }
    }

    pub(crate) fn tree(&self) -> PathBuf {
        self.directory.path().join("tree")
    }

    pub(crate) fn launcher(&self) -> Arc<dyn Launcher> {
        let mut env = vec![("PATH".into(), std::env::var_os("PATH").unwrap())];
        env.push(("HOME".into(), self.directory.path().into()));
        env.extend(self.env.iter().map(|(name, value)| (name.into(), value.into())));
        let kept = self.directory.path().join("kept");
        let environment = Environment::new([], &[], "test");
        let kin: Kin = Arc::new(move || {
            let (marked, variable) = Marked::new(&environment);
            (vec![variable], Box::new(marked))
        });
        Arc::new(Spawn { env, kept, silence: self.silence, gate: None, kin })
    }

    pub(crate) fn start(&self, launcher: Arc<dyn Launcher>) -> Work {
        let purse = Purse::new(Account::new(self.budget, Spend::default()));
        let stage = Stage {
            launcher,
            clock: Arc::new(SystemClock),
            prices: Arc::new(Prices::shipped().unwrap()),
            purser: Purser::live(purse),
            hold: Hold::default(),
            is_metered: false,
        };
        let program = self.program.to_str().unwrap().to_owned();
        let settings = ClaudeSettings { program, effort: None, is_proxied: false };
        let (say, said) = unbounded_channel();
        let tools = Arc::new(Tools {
            ground: Ground { path: self.tree(), rights: self.rights },
            opinion: self.opinion,
            asked: Mutex::default(),
            called: Mutex::default(),
            words: AsyncMutex::new(said),
        });
        let driver = ClaudeDriver { stage, settings };
        let boxed = Arc::clone(&tools) as Arc<dyn ToolBox>;
        let messages = driver.run(self.request(), boxed, ToolCx::default());
        Work { messages, tools, say }
    }

    fn request(&self) -> AgentRequest {
        let messages = self.words.iter().map(|(role, text)| message(*role, text)).collect();
        AgentRequest {
            agent: AgentName::new("developer").unwrap(),
            model: "claude-sonnet-4-5".to_owned(),
            system: "You are brief.".to_owned(),
            messages,
            answer: None,
            options: ModelOptions::default(),
            max_turns: 20,
            session: self.session.clone(),
            is_heard: false,
            strand: self.strand.clone(),
        }
    }
}

pub(crate) fn message(role: Role, text: &str) -> Message {
    Message {
        id: MessageId(SystemClock.new_id()),
        at: SystemClock.now(),
        role,
        agent: AgentName::new("developer").unwrap(),
        task: None,
        parent: None,
        mode: ExecutionMode::default(),
        memory: Object::new(),
        parts: vec![Part::Text(TextPart::new(text))],
        metadata: Object::new(),
    }
}

pub(crate) struct Work {
    pub(crate) messages: amelia_core::driver::Messages,
    pub(crate) tools: Arc<Tools>,
    pub(crate) say: UnboundedSender<Message>,
}

impl Work {
    /// Everything until the end.
    pub(crate) async fn all(mut self) -> (Vec<AgentMessage>, Result<(), DriverError>, Arc<Tools>) {
        let mut said = Vec::new();
        while let Some(next) = self.messages.next().await {
            match next {
                Ok(message) => said.push(message),
                Err(error) => return (said, Err(error), self.tools),
            }
        }
        (said, Ok(()), self.tools)
    }

    /// Until a message that fits.
    pub(crate) async fn until(&mut self, fits: impl Fn(&AgentMessage) -> bool) -> AgentMessage {
        loop {
            let message = self.messages.next().await.expect("it ended before").unwrap();
            if fits(&message) {
                return message;
            }
        }
    }
}

pub(crate) struct Tools {
    ground: Ground,
    opinion: Opinion,
    pub(crate) asked: Mutex<Vec<(String, Risk)>>,
    pub(crate) called: Mutex<Vec<ToolCall>>,
    words: AsyncMutex<UnboundedReceiver<Message>>,
}

#[async_trait]
impl ToolBox for Tools {
    fn specs(&self) -> Vec<ToolSpec> {
        self.extras()
    }

    async fn call(&self, _: &ToolCx, call: &ToolCall) -> ToolResult {
        self.called.lock().unwrap().push(call.clone());
        ToolResult { output: "accepted".to_owned(), error: None, ..ToolResult::interrupted(call) }
    }

    fn ground(&self) -> Option<Ground> {
        Some(self.ground.clone())
    }

    fn extras(&self) -> Vec<ToolSpec> {
        vec![ToolSpec {
            name: ToolName::builtin("submit"),
            description: "Hand in the result.".to_owned(),
            input_schema: json!({"type": "object", "properties": {"result": {"type": "string"}}}),
            output_schema: None,
            risk: Risk::Read,
            timeout_seconds: 60,
            fallbacks: Vec::new(),
        }]
    }

    async fn permit(&self, call: &ToolCall, risk: Risk) -> Permit {
        self.asked.lock().unwrap().push((call.tool.to_string(), risk));
        (self.opinion)(call, risk)
    }

    async fn heard(&self) -> Message {
        match self.words.lock().await.recv().await {
            Some(message) => message,
            None => std::future::pending().await,
        }
    }
}

/// A scripted model with these rules.
pub(crate) async fn model(rules: &str) -> Server {
    let script = Script::parse(&format!("rules:\n{rules}")).unwrap_or_else(|error| panic!("{error}"));
    serve(script, ([127, 0, 0, 1], 0).into()).await.unwrap()
}

/// The variables by which `claude` finds the scripted model.
pub(crate) fn at(server: &Server) -> Vec<(String, String)> {
    [("ANTHROPIC_BASE_URL", server.url()), ("ANTHROPIC_AUTH_TOKEN", "scripted".to_owned())]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
}

/// The text of the last message, which must be a result.
pub(crate) fn result(said: &[AgentMessage]) -> String {
    match said.last() {
        Some(AgentMessage::Result { text, .. }) => text.clone(),
        other => panic!("no result but {other:?}"),
    }
}
