//! A server that is a process: JSON in lines on its pipes. Lines that are no message go to its log, and a line without
//! end closes the connection instead of filling the memory.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use amelia_process::{ProcessControl, SpawnedProcess};
use rmcp::service::{RoleClient, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::Mutex;

use crate::message_limit::{LARGEST, refusal};
use crate::server_log::ServerLog;

/// How long a server may tidy up when its input has ended.
const GRACE: Duration = Duration::from_secs(2);

/// The pipes of a process.
pub(crate) struct Stdio {
    stdin: Arc<Mutex<Option<Sender>>>,
    stdout: BufReader<Receiver>,
    /// The line so far: reading may be dropped in the middle and called again.
    line: Vec<u8>,
    control: Box<dyn ProcessControl>,
    log: ServerLog,
    /// It has sent a message.
    has_spoken: bool,
}

impl Stdio {
    pub(crate) fn new(process: SpawnedProcess, log: ServerLog) -> Self {
        if let Some(stderr) = process.stderr {
            tokio::spawn(keep_errors(stderr, log.clone()));
        }
        Self {
            stdin: Arc::new(Mutex::new(process.stdin)),
            stdout: BufReader::new(process.stdout),
            line: Vec::new(),
            control: process.control,
            log,
            has_spoken: false,
        }
    }

    /// The next whole line; `None` at the end, or when there is too much of it.
    async fn next_line(&mut self) -> Option<Vec<u8>> {
        loop {
            let piece = self.stdout.fill_buf().await.ok()?;
            if piece.is_empty() {
                return None;
            }
            let end = piece.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(piece.len(), |end| end + 1);
            self.line.extend(piece.iter().take(taken));
            self.stdout.consume(taken);
            if end.is_some() {
                return Some(std::mem::take(&mut self.line));
            }
            if self.line.len() > LARGEST {
                self.log.push(&refusal());
                return None;
            }
        }
    }
}

impl Transport<RoleClient> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let stdin = Arc::clone(&self.stdin);
        async move {
            let mut line = serde_json::to_vec(&message).map_err(io::Error::other)?;
            line.push(b'\n');
            let mut stdin = stdin.lock().await;
            let Some(stdin) = stdin.as_mut() else { return Err(io::ErrorKind::BrokenPipe.into()) };
            stdin.write_all(&line).await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        while let Some(line) = self.next_line().await {
            match serde_json::from_slice(&line) {
                Ok(message) => {
                    if !std::mem::replace(&mut self.has_spoken, true) {
                        self.log.spoke();
                    }
                    return Some(message);
                }
                Err(_) if self.has_spoken => self.log.push(&String::from_utf8_lossy(&line)),
                Err(_) => {
                    if self.log.push_stray(&String::from_utf8_lossy(&line)) {
                        return None;
                    }
                }
            }
        }
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(self.stdin.lock().await.take());
        if tokio::time::timeout(GRACE, self.control.exited()).await.is_err() {
            self.control.terminate();
            tokio::time::timeout(GRACE, self.control.exited()).await.ok();
        }
        self.control.kill().await;
        Ok(())
    }
}

async fn keep_errors(stderr: Receiver, log: ServerLog) {
    let mut stderr = BufReader::new(stderr);
    let mut line = Vec::new();
    loop {
        let Ok(piece) = stderr.fill_buf().await else { return };
        if piece.is_empty() {
            return log.push(&String::from_utf8_lossy(&line));
        }
        let end = piece.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(piece.len(), |end| end + 1);
        line.extend(piece.iter().take(taken));
        stderr.consume(taken);
        if end.is_some() || line.len() > 64 * 1024 {
            log.push(&String::from_utf8_lossy(&line));
            line.clear();
        }
    }
}
