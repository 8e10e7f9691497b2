//! Programs for real: a process whose lines are messages. Its end, and that of all it has started, is `amelia-process`'s.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use amelia_core::driver::{DriverError, Usage};
use amelia_core::problem::Problem;
use amelia_core::recording::Channel;
use amelia_core::text::capped;
use amelia_core::tool::ToolBox;
use amelia_process::{
    CommandSpec, HostSpawner, ProcessControl, ProcessEnd, ProcessSpawner as _, StdinSource,
};
use async_trait::async_trait;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::problems::not_installed;
use super::{
    GatewayToken, Launch, Launcher, MeterReport, ModelGateway, PROXY_URL, ProgramOutput, RunningProgram, Var,
};

/// No line of a program is longer than this; what follows in it is not kept.
const LONGEST_LINE: u64 = 64 * 1024 * 1024;
/// Lines that may wait to be heard.
const WAITING: usize = 256;
/// As much of its last words as a person can use.
const LAST_WORDS: usize = 4000;
/// How long what a program has left unsaid may take to come after its end.
const AFTERMATH: Duration = Duration::from_secs(2);
/// How long a program may take to end by itself when it is done. Those that we know need 0.02 to 0.2 seconds.
const FAREWELL: Duration = Duration::from_secs(1);

/// What every program gets.
#[derive(Clone)]
pub struct Spawn {
    /// The whole environment of a program, before what its launch adds. Has no secrets.
    pub env: Vec<(OsString, OsString)>,
    /// Where programs keep what must outlive them.
    pub kept: PathBuf,
    /// Without a sign of life for this long, a person should look.
    pub silence: Duration,
    /// The way to a model, when it is not the program's own.
    pub gate: Option<Arc<dyn ModelGateway>>,
    /// Whose programs these are: what is left of them after a crash is found by this name.
    pub owner: String,
}

#[async_trait]
impl Launcher for Spawn {
    async fn launch(
        &self,
        launch: Launch,
        channel: &Channel,
        tools: &Arc<dyn ToolBox>,
    ) -> Result<Box<dyn RunningProgram>, DriverError> {
        let name = launch.program.clone();
        let wrong = |problem: Problem| DriverError::Program { program: name.clone(), problem };
        let pass = self.gate.as_ref().map(|gate| gate.open(channel)).transpose()?;
        let url = pass.as_ref().map_or("", |pass| pass.url.as_str());
        let args = launch.args.iter().map(|arg| arg.replace(PROXY_URL, url));
        let mut command = CommandSpec::new(&launch.program, args, &self.owner);
        command.directory = Some(launch.directory.clone());
        command.vars.clone_from(&self.env);
        for (name, var) in &launch.env {
            command.vars.push((name.into(), self.value(var, pass.as_ref())?));
        }
        command.stdin = StdinSource::Piped;
        let process = HostSpawner.spawn(command).map_err(|error| {
            wrong(match error.kind() {
                std::io::ErrorKind::NotFound if !launch.directory.is_dir() => {
                    format!("its directory {} is gone", launch.directory.display()).into()
                }
                std::io::ErrorKind::NotFound => not_installed(),
                _ => error.to_string().into(),
            })
        })?;
        let (sender, lines) = mpsc::channel(WAITING);
        let reading = tokio::spawn(read_lines(process.stdout, sender));
        let stderr = process.stderr;
        let last_words = tokio::spawn(async move {
            match stderr {
                Some(stderr) => tail(stderr).await,
                None => String::new(),
            }
        });
        let silence = self.silence;
        Ok(Box::new(Live {
            control: Some(process.control),
            stdin: process.stdin,
            lines,
            reading,
            last_words: Some(last_words),
            silence,
            pass,
            ended: None,
            tools: Arc::clone(tools),
        }))
    }
}

impl Spawn {
    fn value(&self, var: &Var, pass: Option<&GatewayToken>) -> Result<OsString, DriverError> {
        let pass = pass
            .ok_or_else(|| DriverError::Setup("a program must use the proxy, but has no token".to_owned()));
        Ok(match var {
            Var::Text(text) => text.into(),
            Var::ProxyUrl(path) => format!("{}{path}", pass?.url).into(),
            Var::ProxyToken => pass?.token.reveal().into(),
            Var::Kept(path) => {
                let directory = self.kept.join(path);
                std::fs::create_dir_all(&directory).map_err(|error| {
                    DriverError::Setup(format!("{} cannot be created: {error}", directory.display()))
                })?;
                directory.into()
            }
        })
    }
}

/// A child process.
struct Live {
    /// Nothing when it has ended with all that it has started.
    control: Option<Box<dyn ProcessControl>>,
    stdin: Option<Sender>,
    lines: mpsc::Receiver<String>,
    reading: JoinHandle<()>,
    last_words: Option<JoinHandle<String>>,
    silence: Duration,
    pass: Option<GatewayToken>,
    ended: Option<ProgramOutput>,
    tools: Arc<dyn ToolBox>,
}

#[async_trait]
impl RunningProgram for Live {
    async fn hear(&mut self) -> ProgramOutput {
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
            metered = metered => return ProgramOutput::Metered(metered),
            line = self.lines.recv() => {
                if let Some(line) = line {
                    return ProgramOutput::Line(line);
                }
            }
            message = self.tools.heard() => return ProgramOutput::Steered(Box::new(message)),
            () = tokio::time::sleep(self.silence) => return ProgramOutput::Silent(self.silence),
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

    async fn close(&mut self) {
        self.stdin = None;
        let Some(control) = &mut self.control else { return };
        // A program whose output is not read may wait for that instead of ending.
        let unheard = async {
            while self.lines.recv().await.is_some() {}
            std::future::pending::<()>().await;
        };
        tokio::select! {
            _ = control.exited() => {}
            () = unheard => {}
            () = tokio::time::sleep(FAREWELL) => {}
        }
    }

    fn revoke(&mut self) -> Vec<Usage> {
        let Some(GatewayToken { mut metered, kept, .. }) = self.pass.take() else { return Vec::new() };
        drop(kept);
        let reports = std::iter::from_fn(|| metered.try_recv().ok());
        let used = reports.filter_map(|report| match report {
            MeterReport::Used(usage) => Some(usage),
            MeterReport::Exceeded(_) | MeterReport::Quota { .. } | MeterReport::Unreached { .. } => None,
        });
        used.collect()
    }
}

impl Live {
    /// Its output has ended, and so has it, or it soon will.
    async fn end(&mut self) -> ProgramOutput {
        self.stdin = None;
        let mut code = None;
        if let Some(control) = &mut self.control {
            if let Ok(Ok(ProcessEnd::Exited(number))) =
                tokio::time::timeout(AFTERMATH, control.exited()).await
            {
                code = Some(number);
            }
            control.kill().await;
        }
        self.control = None;
        let last_words = match self.last_words.take() {
            Some(last_words) => tokio::time::timeout(AFTERMATH, last_words).await.ok().and_then(Result::ok),
            None => None,
        };
        let ended = ProgramOutput::Ended { code, last_words: last_words.unwrap_or_default() };
        self.ended = Some(ended.clone());
        ended
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.control = None;
        self.reading.abort();
        if let Some(last_words) = &self.last_words {
            last_words.abort();
        }
    }
}

async fn read_lines(stdout: Receiver, lines: mpsc::Sender<String>) {
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
