//! `amelia server` as a person starts it, in a home of its own.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Ends with its owner.
pub(super) struct Server {
    child: Child,
    pub(super) address: String,
    pub(super) token: String,
}

impl Server {
    /// Returns when it has said where it is.
    pub(super) fn start(home: &Path, more: &[&str]) -> Result<Self> {
        let log = std::fs::File::create(home.join("server.log"))?;
        let mut child = Command::new(program()?)
            .args(["server", "--port", "0", "--json", "--home"])
            .arg(home)
            .args(more)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("no output")?).read_line(&mut line)?;
        let said: Value = serde_json::from_str(&line).context("the server has not started")?;
        let address = said.get("url").and_then(Value::as_str).and_then(|url| url.strip_prefix("http://"));
        let address = address.context("the server has not said where it is")?.to_owned();
        let token = std::fs::read_to_string(home.join("token"))?;
        Ok(Self { child, address, token })
    }

    pub(super) fn process(&self) -> u32 {
        self.child.id()
    }

    /// What a request is answered with, which must be a success.
    pub(super) async fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value> {
        let body = body.map(ToString::to_string).unwrap_or_default();
        let mut stream = TcpStream::connect(&self.address).await?;
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n{body}",
            self.address,
            self.token,
            body.len()
        );
        stream.write_all(head.as_bytes()).await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        let (head, body) = answer.split_once("\r\n\r\n").context("no answer")?;
        ensure!(head.starts_with("HTTP/1.1 2"), "{method} {path}: {answer}");
        Ok(serde_json::from_str(body).unwrap_or_default())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may be gone already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Built beside this program.
pub(super) fn program() -> Result<PathBuf> {
    let amelia = std::env::current_exe().context("while looking for this program")?.with_file_name("amelia");
    ensure!(amelia.is_file(), "{} is not built", amelia.display());
    Ok(amelia)
}
