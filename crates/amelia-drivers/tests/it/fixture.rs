//! An agent's surroundings for tests of programs: a directory, a hand-in tool, a person with opinions, a way to a model.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use amelia_core::budget::BudgetGate;
use amelia_core::budget::{Account, Budget, BudgetScope, Spend};
use amelia_core::clock::{Clock, SystemClock};
use amelia_core::config::secret::Secret;
use amelia_core::driver::{
    AgentMessage, AgentMessageStream, AgentRequest, Driver, DriverError, ModelOptions, UsageMeter,
};
use amelia_core::id::{AgentName, MessageId, SessionId};
use amelia_core::key_source::KeySource;
use amelia_core::message::{ExecutionMode, Message, Object, Part, Role, TextPart};
use amelia_core::recording::Channel;
use amelia_core::tool::{
    Risk, ToolBox, ToolCall, ToolCx, ToolName, ToolPermission, ToolResult, ToolSpec, WorkArea,
};
use amelia_core::workplace::{ListedRights, Rights};
use amelia_drivers::model::Prices;
use amelia_drivers::program::{GatewayToken, Launcher, MeterReport, ModelGateway, Spawn, TalkContext};
use amelia_drivers::quota::QuotaGate;
use amelia_scripted::{Script, ScriptedServer, serve};
use async_trait::async_trait;
use futures_util::StreamExt;
use serde_json::json;
use tempfile::TempDir;
use tokio::sync::Mutex as AsyncMutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// What a person says to a call; `None` is nothing, ever.
pub(crate) type Opinion = fn(&ToolCall, Risk) -> Option<ToolPermission>;

pub(crate) fn yes(_: &ToolCall, _: Risk) -> Option<ToolPermission> {
    Some(ToolPermission::Allow { args: None })
}

/// Everything about one conversation that a test may want to be different.
pub(crate) struct ConversationFixture {
    pub(crate) directory: TempDir,
    pub(crate) rights: Rights,
    pub(crate) listed: Option<ListedRights>,
    pub(crate) opinion: Opinion,
    pub(crate) budget: Budget,
    pub(crate) model: &'static str,
    pub(crate) options: ModelOptions,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) session: Option<SessionId>,
    /// The last words were heard before: its work was interrupted.
    pub(crate) is_heard: bool,
    pub(crate) words: Vec<(Role, String)>,
    /// Beside the last words.
    pub(crate) media: Vec<Part>,
    pub(crate) silence: Duration,
    pub(crate) max_turns: u32,
    /// Where the model is, when the program goes there through a gate of ours.
    pub(crate) gate: Option<Arc<TestGate>>,
    /// Tools of the ground, for agents that use them.
    pub(crate) tool_stub: ToolStub,
}

/// What our own tools do when they are called.
pub(crate) type ToolStub = fn(&Path, &ToolCall) -> Option<ToolResult>;

impl ConversationFixture {
    pub(crate) fn new() -> Self {
        // Not below a temporary directory: programs refuse to keep their things there.
        let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        std::fs::create_dir(directory.path().join("tree")).unwrap();
        std::fs::create_dir(directory.path().join("home")).unwrap();
        // In a repository of its own: programs would tell their model about the commits of the one around it.
        let mut git = std::process::Command::new("git");
        let made = git.args(["init", "-q"]).arg(directory.path()).status().unwrap();
        assert!(made.success());
        Self {
            directory,
            rights: Rights::Work,
            listed: None,
            opinion: yes,
            budget: Budget::default(),
            model: "gpt-5",
            options: ModelOptions::default(),
            env: Vec::new(),
            session: None,
            is_heard: false,
            words: vec![(Role::User, "Do it.".to_owned())],
            media: Vec::new(),
            silence: Duration::from_secs(120),
            max_turns: 20,
            gate: None,
            tool_stub: |_, _| None,
        }
    }

    /// Goes on with the program's conversation. Its own words are not in ours: told again, it would not have them.
    pub(crate) fn go_on(&mut self, said: &[AgentMessage], word: &str) {
        self.session = Some(session(said));
        self.words.extend([(Role::Assistant, "(its words)".to_owned()), (Role::User, word.to_owned())]);
    }

    pub(crate) fn tree(&self) -> PathBuf {
        self.directory.path().join("tree")
    }

    pub(crate) fn file(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.tree().join(name)).ok()
    }

    pub(crate) fn launcher(&self) -> Arc<dyn Launcher> {
        let mut env = vec![("PATH".into(), std::env::var_os("PATH").unwrap())];
        env.push(("HOME".into(), self.directory.path().join("home").into()));
        env.extend(self.env.iter().map(|(name, value)| (name.into(), value.into())));
        let kept = self.directory.path().join("kept");
        let gate = self.gate.clone().map(|gate| gate as Arc<dyn ModelGateway>);
        Arc::new(Spawn { env, kept, silence: self.silence, gate, owner: "test".to_owned() })
    }

    /// Sets an agent to work. `driver` makes it from its surroundings.
    pub(crate) fn start<D: Driver>(&self, driver: impl FnOnce(TalkContext) -> D) -> Work {
        let driver = driver(TalkContext {
            launcher: self.launcher(),
            clock: Arc::new(SystemClock),
            prices: Arc::new(Prices::shipped().unwrap()),
            budget_gate: BudgetGate::live(BudgetScope::new(Account::new(self.budget, Spend::default()))),
            quota: QuotaGate::default(),
            is_metered: self.gate.is_some(),
            key_source: match self.gate {
                Some(_) => KeySource::Variable("THE_KEY".to_owned()),
                None => KeySource::SignIn,
            },
        });
        let (say, said) = unbounded_channel();
        let tools = Arc::new(Tools {
            work_area: WorkArea { listed: self.listed, ..WorkArea::new(self.tree(), self.rights) },
            opinion: self.opinion,
            tool_stub: self.tool_stub,
            asked: Mutex::default(),
            called: Mutex::default(),
            words: AsyncMutex::new(said),
        });
        let messages = driver.run(self.request(), Arc::clone(&tools) as Arc<dyn ToolBox>, ToolCx::default());
        Work { messages, tools, say }
    }

    fn request(&self) -> AgentRequest {
        let mut messages: Vec<Message> = self.words.iter().map(|(role, text)| message(*role, text)).collect();
        messages.last_mut().unwrap().parts.extend(self.media.iter().cloned());
        AgentRequest {
            agent: AgentName::new("developer").unwrap(),
            model: self.model.to_owned(),
            system: "You are brief.".to_owned(),
            messages: messages.into_iter().map(Arc::new).collect(),
            answer: None,
            options: self.options.clone(),
            max_turns: self.max_turns,
            session: self.session.clone(),
            unheard: if self.is_heard { 0 } else { usize::MAX },
            channel: Channel::default(),
            meter: UsageMeter::default(),
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

/// A way to a scripted model, with somebody at it who meters.
pub(crate) struct TestGate {
    pub(crate) url: String,
    pub(crate) metered: Mutex<Vec<MeterReport>>,
}

impl ModelGateway for TestGate {
    fn open(&self, _: &Channel) -> Result<GatewayToken, DriverError> {
        let (sender, metered) = unbounded_channel();
        for said in self.metered.lock().unwrap().drain(..) {
            sender.send(said).unwrap();
        }
        Ok(GatewayToken {
            url: self.url.clone(),
            token: Secret::new("pass"),
            metered,
            kept: Box::new(sender),
        })
    }
}

/// An agent at work.
pub(crate) struct Work {
    pub(crate) messages: AgentMessageStream,
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

    /// Until it has been told what was said: that is not heard of before it takes it up.
    pub(crate) async fn a_moment(&mut self) {
        let end = tokio::time::Instant::now() + Duration::from_millis(500);
        while let Ok(next) = tokio::time::timeout_at(end, self.messages.next()).await {
            next.expect("it ended before").unwrap();
        }
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
    work_area: WorkArea,
    opinion: Opinion,
    tool_stub: ToolStub,
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
        let accepted =
            || ToolResult { output: "accepted".to_owned(), error: None, ..ToolResult::interrupted(call) };
        (self.tool_stub)(&self.work_area.path, call).unwrap_or_else(accepted)
    }

    fn work_area(&self) -> Option<WorkArea> {
        Some(self.work_area.clone())
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
            retry_on: Vec::new(),
        }]
    }

    async fn permit(&self, call: &ToolCall, risk: Risk) -> ToolPermission {
        self.asked.lock().unwrap().push((call.tool.to_string(), risk));
        match (self.opinion)(call, risk) {
            Some(permit) => permit,
            None => std::future::pending().await,
        }
    }

    async fn heard(&self) -> Message {
        match self.words.lock().await.recv().await {
            Some(message) => message,
            None => std::future::pending().await,
        }
    }
}

/// A scripted model with these rules.
pub(crate) async fn model(rules: &str) -> ScriptedServer {
    let script = Script::parse(&format!("rules:\n{rules}")).unwrap_or_else(|error| panic!("{error}"));
    serve(script, ([127, 0, 0, 1], 0).into()).await.unwrap()
}

/// The text of the last message, which must be a result.
pub(crate) fn result(said: &[AgentMessage]) -> String {
    match said.last() {
        Some(AgentMessage::Result { text, .. }) => text.clone(),
        other => panic!("no result but {other:?}"),
    }
}

/// The program's conversation.
pub(crate) fn session(said: &[AgentMessage]) -> SessionId {
    let found = said.iter().find_map(|message| match message {
        AgentMessage::Session(session) => Some(session.clone()),
        _ => None,
    });
    found.expect("no session")
}

/// Calls of its own tools, and what came of them.
pub(crate) fn calls(said: &[AgentMessage]) -> Vec<(String, bool)> {
    let result = |call: &ToolCall| {
        said.iter().find_map(|message| match message {
            AgentMessage::ToolResult(result) if result.call == call.id => Some(result.is_success()),
            _ => None,
        })
    };
    let called = said.iter().filter_map(|message| match message {
        AgentMessage::ToolCall(call) => Some((call.tool.to_string(), result(call).unwrap_or(false))),
        _ => None,
    });
    called.collect()
}

/// What people are told on the way.
pub(crate) fn notices(said: &[AgentMessage]) -> Vec<&str> {
    let texts = said.iter().filter_map(|message| match message {
        AgentMessage::Notice { text } | AgentMessage::Retry { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

/// A program of a few lines of shell, in the place of a real one.
pub(crate) fn fake(fixture: &ConversationFixture, body: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let program = fixture.directory.path().join("fake");
    std::fs::write(&program, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    program.to_str().unwrap().to_owned()
}
