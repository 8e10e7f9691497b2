//! The `gh` program as a carrier of requests: it knows who is signed in, we never see the token.
//!
//! Only `gh api --include` is used: it answers with status, headers and body, so failures are distinguished exactly as
//! over HTTP.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use amelia_core::config::secret::Secret;
use amelia_core::redact::is_secret_name;
use amelia_process::{
    CollectLimits, Collected, CommandSpec, HostSpawner, OnExcess, ProcessEnd, StdinSource, collect,
};
use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::exchange::{LARGEST_ANSWER, Method, TrackerRequest, TrackerResponse};
use crate::failure::TrackerFailure;
use crate::transport::Transport;

/// What `gh` itself looks for.
const TOKENS: [&str; 4] = ["GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"];
/// No one is there to answer, and no one looks at colours.
const FIXED: [(&str, &str); 4] =
    [("GH_PROMPT_DISABLED", "1"), ("GH_NO_UPDATE_NOTIFIER", "1"), ("NO_COLOR", "1"), ("GH_PAGER", "cat")];
/// They print requests.
const NOISY: [&str; 3] = ["GH_DEBUG", "DEBUG", "GH_FORCE_TTY"];
/// Headers in front of the body.
const HEADERS: usize = 64 * 1024;
const NOT_SIGNED_IN: i32 = 4;
const TIMEOUT: Duration = Duration::from_secs(60);

/// The program and its environment.
#[derive(Debug, Clone)]
pub struct Gh {
    path: PathBuf,
    vars: Vec<(OsString, OsString)>,
}

impl Gh {
    /// With what is fit for it of `vars`: keys of other services are no business of this program.
    pub fn new(path: impl Into<PathBuf>, vars: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let fits = |name: &OsStr| {
            let name = name.to_str().unwrap_or_default();
            !NOISY.contains(&name) && (TOKENS.contains(&name) || !is_secret_name(name))
        };
        let vars = vars.into_iter().filter(|(name, _)| fits(name)).collect();
        Self { path: path.into(), vars }
    }

    /// The program where `PATH` of `vars` has it.
    #[must_use]
    pub fn found(vars: &[(OsString, OsString)]) -> Option<Self> {
        let (_, path) = vars.iter().find(|(name, _)| name == "PATH")?;
        // A folder relative to the repository would make its files programs.
        let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
        let program = folders.map(|folder| folder.join("gh")).find(|path| path.is_file())?;
        Some(Self::new(program, vars.iter().cloned()))
    }

    /// Without the tokens for servers that others run.
    #[must_use]
    pub(crate) fn for_github_only(mut self) -> Self {
        self.vars.retain(|(name, _)| !name.to_str().is_some_and(|name| name.contains("ENTERPRISE_TOKEN")));
        self
    }

    pub(super) fn secrets(&self) -> Vec<Secret> {
        let is_token = |name: &OsStr| name.to_str().is_some_and(|name| TOKENS.contains(&name));
        let tokens = self.vars.iter().filter(|(name, _)| is_token(name));
        tokens.filter_map(|(_, value)| value.to_str().map(Secret::new)).collect()
    }

    pub(super) fn transport(self, host: &str) -> Program {
        Program { gh: self, host: host.to_owned() }
    }
}

pub(super) struct Program {
    gh: Gh,
    host: String,
}

impl Program {
    fn command(&self, request: &TrackerRequest) -> CommandSpec {
        let method = match request.method {
            Method::Get => "GET",
            Method::Post => "POST",
        };
        let accept = format!("Accept: {}", request.accept);
        let mut args =
            vec!["api", "--include", "--method", method, "--hostname", &self.host, "--header", &accept];
        if request.body.is_some() {
            args.extend(["--input", "-"]);
        }
        // Paths begin with `repos/` or `search/`, so none can be taken for an option.
        args.push(&request.path);
        let mut command = CommandSpec::new(&self.gh.path, args, "gh");
        command.vars.clone_from(&self.gh.vars);
        command.vars.extend(FIXED.map(|(name, value)| (name.into(), value.into())));
        if let Some(body) = &request.body {
            command.stdin = StdinSource::Bytes(body.to_string().into_bytes());
        }
        command
    }
}

#[async_trait]
impl Transport for Program {
    async fn send(&self, request: &TrackerRequest) -> Result<TrackerResponse, TrackerFailure> {
        let limits = CollectLimits {
            stdout: (LARGEST_ANSWER + HEADERS) as u64,
            stderr: HEADERS as u64,
            on_excess: OnExcess::Stop,
            timeout: Some(TIMEOUT),
        };
        let output = collect(&HostSpawner, self.command(request), limits, &CancellationToken::new()).await;
        let shown = self.gh.path.display();
        let output = output
            .map_err(|error| TrackerFailure::NoCarrier(format!("{shown} cannot be started: {error}")))?;
        understood(&output)
    }
}

/// Pure: an answer of GitHub, or what kept the program from getting one.
fn understood(output: &Collected) -> Result<TrackerResponse, TrackerFailure> {
    let end = match output.end {
        ProcessEnd::Stopped => return Err(TrackerFailure::TooLarge(LARGEST_ANSWER)),
        ProcessEnd::TimedOut | ProcessEnd::Cancelled => {
            return Err(TrackerFailure::Lost("gh did not answer in time".to_owned()));
        }
        ProcessEnd::Exited(code) => format!("exit code {code}"),
        ProcessEnd::Killed(signal) => format!("signal {signal}"),
    };
    if let Some(answer) = answer(&output.stdout.bytes) {
        return Ok(answer);
    }
    let said = String::from_utf8_lossy(&output.stderr.bytes).trim().to_owned();
    if output.end == ProcessEnd::Exited(NOT_SIGNED_IN) {
        return Err(TrackerFailure::SignedOut("gh is not signed in".to_owned()));
    }
    let not_sent = ["dial ", "connecting to", "no such host", "connection refused"];
    if not_sent.iter().any(|words| said.contains(words)) {
        return Err(TrackerFailure::NotReached(said));
    }
    Err(TrackerFailure::Lost(format!("gh gave no answer ({end}): {said}")))
}

fn answer(stdout: &[u8]) -> Option<TrackerResponse> {
    // The status line ends with a bare newline, headers with both.
    let end = stdout.windows(3).position(|window| window == b"\n\r\n")?;
    let head = String::from_utf8_lossy(stdout.get(..end)?).into_owned();
    let mut lines = head.lines();
    let mut first = lines.next()?.split_whitespace();
    if !first.next()?.starts_with("HTTP/") {
        return None;
    }
    let status = first.next()?.parse().ok()?;
    let headers = lines.filter_map(|line| line.split_once(':'));
    let headers = headers.map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()));
    Some(TrackerResponse {
        status,
        headers: headers.collect(),
        body: stdout.get(end + 3..).unwrap_or_default().to_vec(),
    })
}
