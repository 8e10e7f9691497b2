//! Where the self-tests of a whole server happen: a home, a repository and a scripted model of their own, and a server
//! process that can be killed and started again.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use amelia_core::config::secret::Secret;
use amelia_host::home::Home;
use amelia_scripted::{Script, serve};
use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;
use tempfile::TempDir;

use crate::client::Client;

/// A token that is being replaced counts on both sides by then.
const MOST_SIGN_INS: u32 = 100;
const SIGN_IN_PAUSE: Duration = Duration::from_millis(20);

pub(super) struct Ground {
    dir: TempDir,
    model: amelia_scripted::ScriptedServer,
}

/// A server process. It is killed with what holds it.
pub(super) struct ServerProcess {
    child: Child,
    pub(super) address: String,
    /// Runs that it resumed when it started.
    pub(super) recovered: u64,
}

impl Ground {
    pub(super) async fn new(script: &str) -> Result<Self> {
        let dir = tempfile::tempdir().context("a directory for the test")?;
        let script = Script::parse(script).map_err(|error| anyhow!("{error}"))?;
        let model = serve(script, ([127, 0, 0, 1], 0).into()).await.context("the scripted model")?;
        let ground = Self { dir, model };
        std::fs::create_dir_all(ground.repository())?;
        std::fs::write(ground.repository().join("README.md"), "a sample\n")?;
        for arguments in [
            &["init", "-q", "-b", "main"][..],
            &["config", "user.email", "selftest@example.com"],
            &["config", "user.name", "Selftest"],
            &["config", "gc.auto", "0"],
            &["add", "-A"],
            &["commit", "-qm", "a sample"],
        ] {
            ground.git(arguments)?;
        }
        Ok(ground)
    }

    pub(super) fn home(&self) -> Home {
        Home::at(&self.dir.path().join("home"))
    }

    pub(super) fn repository(&self) -> PathBuf {
        self.dir.path().join("repository")
    }

    pub(super) fn model_url(&self) -> String {
        format!("{}/v1", self.model.url())
    }

    pub(super) fn git(&self, arguments: &[&str]) -> Result<String> {
        let output = Command::new("git").arg("-C").arg(self.repository()).args(arguments).output()?;
        if !output.status.success() {
            bail!("git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Starts a server, in place of one that was killed or has ended.
    pub(super) fn start(&self) -> Result<ServerProcess> {
        let log = self.dir.path().join("server.log");
        let errors = std::fs::File::options().create(true).append(true).open(&log)?;
        let mut child = Command::new(std::env::current_exe()?)
            .args(["server", "--port", "0", "--json", "--set", "max_concurrent=20", "--home"])
            .arg(self.home().path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .context("the server did not start")?;
        let mut line = String::new();
        let out = child.stdout.take().context("the server has no output")?;
        BufReader::new(out).read_line(&mut line)?;
        let Ok(said) = serde_json::from_str::<Value>(&line) else {
            child.kill().ok();
            bail!("the server did not start: {}", tail(&log));
        };
        let url = said.get("url").and_then(Value::as_str).unwrap_or_default();
        let address = url.trim_start_matches("http://").to_owned();
        let recovered = said.get("recovered").and_then(Value::as_u64).unwrap_or_default();
        Ok(ServerProcess { child, address, recovered })
    }

    pub(super) fn token(&self) -> Result<String> {
        let text = std::fs::read_to_string(self.home().path().join("token"))?;
        Ok(text.trim().to_owned())
    }

    /// A client that is signed in. A rotation of the token that is under way has ended by then.
    pub(super) async fn client(&self, server: &ServerProcess) -> Result<Client> {
        let url = format!("http://{}", server.address);
        let mut tries = 0;
        loop {
            let client = Client::new(&url, Secret::new(self.token()?))?;
            match client.get::<Value>("/workflows?limit=1").await {
                Ok(_) => return Ok(client),
                Err(error) if tries == MOST_SIGN_INS => return Err(error),
                Err(_) => tokio::time::sleep(SIGN_IN_PAUSE).await,
            }
            tries += 1;
        }
    }
}

fn tail(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().rev().take(5).collect();
    lines.into_iter().rev().collect::<Vec<_>>().join("\n")
}

impl ServerProcess {
    /// SIGKILL.
    pub(super) fn kill(mut self) -> Result<()> {
        self.child.kill().context("the server could not be killed")?;
        self.child.wait().context("the server was lost")?;
        Ok(())
    }

    /// SIGTERM, and its end.
    pub(super) fn stop(mut self) -> Result<()> {
        let pid = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw);
        let pid = pid.context("the server has no number")?;
        rustix::process::kill_process(pid, rustix::process::Signal::TERM)?;
        self.child.wait().context("the server was lost")?;
        Ok(())
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // Ended already is as good.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
