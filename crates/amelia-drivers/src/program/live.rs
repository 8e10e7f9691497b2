//! Programs for real: a child process in a group of its own, its lines, and the end of all it has started.

use std::any::Any;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use amelia_core::driver::DriverError;
use amelia_core::recording::Strand;
use amelia_core::text::capped;
use amelia_core::tool::ToolBox;
use async_trait::async_trait;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::{Gate, Heard, Launch, Launcher, PROXY_URL, Pass, Program, Var};

/// No line of a program is longer than this; what follows in it is not kept.
const LONGEST_LINE: u64 = 64 * 1024 * 1024;
/// Lines that may wait to be heard.
const WAITING: usize = 256;
/// As much of its last words as a person can use.
const LAST_WORDS: usize = 4000;
/// How long what a program has left unsaid may take to come after its end.
const AFTERMATH: Duration = Duration::from_secs(2);

/// What every program gets.
#[derive(Clone)]
pub struct Spawn {
    /// The whole environment of a program, before what its launch adds. Has no secrets.
    pub env: Vec<(OsString, OsString)>,
    /// Where programs keep what must outlive them.
    pub kept: PathBuf,
    /// Without a sign of life for this long, somebody should look.
    pub silence: Duration,
    /// The way to a model, when it is not the program's own.
    pub gate: Option<Arc<dyn Gate>>,
    pub kin: Kin,
}

/// Marks a program and everything that it will start, wherever that goes: the variables of the mark, and what ends all
/// who bear it when it is dropped.
pub type Kin = Arc<dyn Fn() -> (Vec<(OsString, OsString)>, Box<dyn Any + Send>) + Send + Sync>;

#[async_trait]
impl Launcher for Spawn {
    async fn launch(
        &self,
        launch: Launch,
        strand: &Strand,
        tools: &Arc<dyn ToolBox>,
    ) -> Result<Box<dyn Program>, DriverError> {
        let name = launch.program.clone();
        let wrong = |detail: String| DriverError::Program { program: name.clone(), detail };
        let pass = self.gate.as_ref().map(|gate| gate.open(strand)).transpose()?;
        let mut command = Command::new(&launch.program);
        let url = pass.as_ref().map_or("", |pass| pass.url.as_str());
        let args = launch.args.iter().map(|arg| arg.replace(PROXY_URL, url));
        command.args(args).current_dir(&launch.directory);
        command.env_clear().envs(self.env.iter().map(|(name, value)| (name, value)));
        let (mark, kin) = (self.kin)();
        command.envs(mark);
        for (name, var) in &launch.env {
            command.env(name, self.value(var, pass.as_ref())?);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.process_group(0).kill_on_drop(true).spawn().map_err(|error| {
            wrong(match error.kind() {
                std::io::ErrorKind::NotFound if !launch.directory.is_dir() => {
                    format!("its directory {} is gone", launch.directory.display())
                }
                std::io::ErrorKind::NotFound => {
                    "it is not installed here, or not on the PATH\n  hint: amelia doctor says how to get it"
                        .to_owned()
                }
                _ => error.to_string(),
            })
        })?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(wrong("it has no pipes".to_owned()));
        };
        let stderr = child.stderr.take();
        let (sender, lines) = mpsc::channel(WAITING);
        let reading = tokio::spawn(read_lines(stdout, sender));
        let last_words = tokio::spawn(async move {
            match stderr {
                Some(stderr) => tail(stderr).await,
                None => String::new(),
            }
        });
        let group = child.id().and_then(|id| i32::try_from(id).ok());
        let silence = self.silence;
        Ok(Box::new(Live {
            child,
            group,
            stdin: Some(stdin),
            lines,
            reading,
            last_words: Some(last_words),
            silence,
            pass,
            ended: None,
            kin: Some(kin),
            tools: Arc::clone(tools),
        }))
    }
}

impl Spawn {
    fn value(&self, var: &Var, pass: Option<&Pass>) -> Result<OsString, DriverError> {
        let pass = pass
            .ok_or_else(|| DriverError::Setup("a program was to use the proxy, and has no pass".to_owned()));
        Ok(match var {
            Var::Text(text) => text.into(),
            Var::ProxyUrl(path) => format!("{}{path}", pass?.url).into(),
            Var::ProxyToken => pass?.token.reveal().into(),
            Var::Kept(path) => {
                let directory = self.kept.join(path);
                std::fs::create_dir_all(&directory).map_err(|error| {
                    DriverError::Setup(format!("{} cannot be made: {error}", directory.display()))
                })?;
                directory.into()
            }
        })
    }
}

/// A child process.
struct Live {
    child: Child,
    group: Option<i32>,
    stdin: Option<ChildStdin>,
    lines: mpsc::Receiver<String>,
    reading: JoinHandle<()>,
    last_words: Option<JoinHandle<String>>,
    silence: Duration,
    pass: Option<Pass>,
    ended: Option<Heard>,
    kin: Option<Box<dyn Any + Send>>,
    tools: Arc<dyn ToolBox>,
}

#[async_trait]
impl Program for Live {
    async fn hear(&mut self) -> Heard {
        if let Some(ended) = &self.ended {
            return ended.clone();
        }
        let metered = async {
            match &mut self.pass {
                Some(pass) => match pass.metered.recv().await {
                    Some(metered) => metered,
                    None => std::future::pending().await,
                },
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            metered = metered => return Heard::Metered(metered),
            line = self.lines.recv() => {
                if let Some(line) = line {
                    return Heard::Line(line);
                }
            }
            message = self.tools.heard() => return Heard::Steered(Box::new(message)),
            () = tokio::time::sleep(self.silence) => return Heard::Silent(self.silence),
        }
        self.end().await
    }

    async fn say(&mut self, line: &str) {
        let Some(stdin) = &mut self.stdin else { return };
        let mut bytes = Vec::with_capacity(line.len() + 1);
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        let written = async {
            stdin.write_all(&bytes).await?;
            stdin.flush().await
        };
        if written.await.is_err() {
            self.stdin = None;
        }
    }
}

impl Live {
    /// Its output has ended, and so has it, or it soon will.
    async fn end(&mut self) -> Heard {
        self.stdin = None;
        let code = match tokio::time::timeout(AFTERMATH, self.child.wait()).await {
            Ok(Ok(status)) => status.code(),
            Ok(Err(_)) | Err(_) => None,
        };
        self.kill();
        let last_words = match self.last_words.take() {
            Some(last_words) => tokio::time::timeout(AFTERMATH, last_words).await.ok().and_then(Result::ok),
            None => None,
        };
        let ended = Heard::Ended { code, last_words: last_words.unwrap_or_default() };
        self.ended = Some(ended.clone());
        ended
    }

    /// The program, and everything that it has started in its group.
    fn kill(&mut self) {
        let group = self.group.take().and_then(rustix::process::Pid::from_raw);
        if let Some(group) = group {
            // It may have ended by itself.
            rustix::process::kill_process_group(group, rustix::process::Signal::KILL).ok();
        }
        drop(self.kin.take());
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.kill();
        self.reading.abort();
        if let Some(last_words) = &self.last_words {
            last_words.abort();
        }
    }
}

async fn read_lines(stdout: ChildStdout, lines: mpsc::Sender<String>) {
    let mut reader = BufReader::with_capacity(64 * 1024, stdout);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut reader).take(LONGEST_LINE).read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        while line.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
            line.pop();
        }
        if lines.send(String::from_utf8_lossy(&line).into_owned()).await.is_err() {
            return;
        }
    }
}

/// The end of what a stream says.
async fn tail(mut stream: impl tokio::io::AsyncRead + Unpin) -> String {
    let mut kept: Vec<u8> = Vec::new();
    let mut piece = [0_u8; 4096];
    while let Ok(length @ 1..) = stream.read(&mut piece).await {
        kept.extend_from_slice(piece.get(..length).unwrap_or_default());
        let surplus = kept.len().saturating_sub(LAST_WORDS);
        kept.drain(..surplus);
    }
    capped(String::from_utf8_lossy(&kept).trim(), LAST_WORDS)
}
