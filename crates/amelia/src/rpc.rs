//! JSON-RPC with a program that has started this one: a message a line on standard input and output. Lines that are no
//! message are answered, and a line without end is skipped instead of filling the memory.

use std::io::IsTerminal as _;

use amelia_core::problem::Problem;
use serde_json::{Value, json};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Stdin};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::ui;

/// No message is larger than this.
const LARGEST_MESSAGE: usize = 16 * 1024 * 1024;
/// Messages that wait until the other side reads.
const QUEUED_MESSAGES: usize = 1024;

/// Messages as they come in.
pub(crate) struct RpcInput<R = BufReader<Stdin>> {
    lines: R,
    /// The line so far: reading may be dropped in the middle and called again.
    line: Vec<u8>,
    is_too_long: bool,
}

impl RpcInput {
    /// A person who has typed the command reads who is meant to.
    pub(crate) fn of_stdin(client: &str) -> Self {
        if std::io::stdin().is_terminal() {
            let problem = Problem::new(format!("this command waits for messages of {client} that starts it"));
            ui::say_note(&problem.with_hint("--help shows how; Ctrl-C ends it"));
        }
        Self::new(BufReader::new(tokio::io::stdin()))
    }
}

impl<R: AsyncBufRead + Unpin> RpcInput<R> {
    fn new(lines: R) -> Self {
        Self { lines, line: Vec::new(), is_too_long: false }
    }

    /// The next message, or what is said to a line that is none; `None` at the end. Can be dropped at any time.
    pub(crate) async fn next(&mut self) -> Option<Result<Value, Value>> {
        loop {
            let piece = self.lines.fill_buf().await.ok()?;
            let is_end_of_input = piece.is_empty();
            let end = piece.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(piece.len(), |end| end + 1);
            if self.line.len() + taken > LARGEST_MESSAGE {
                self.is_too_long = true;
                self.line = Vec::new();
            }
            if !self.is_too_long {
                self.line.extend(piece.iter().take(taken));
            }
            self.lines.consume(taken);
            if end.is_none() && !is_end_of_input {
                continue;
            }
            let line = std::mem::take(&mut self.line);
            if std::mem::take(&mut self.is_too_long) {
                let text = format!("a message of more than {} MB is refused", LARGEST_MESSAGE >> 20);
                return Some(Err(failed(&Value::Null, -32600, &text)));
            }
            if !line.trim_ascii().is_empty() {
                return Some(serde_json::from_slice(&line).map_err(|error| {
                    failed(&Value::Null, -32700, &format!("the line is not JSON: {error}"))
                }));
            }
            if is_end_of_input {
                return None;
            }
        }
    }
}

/// Where messages are written, in the order in which they are sent.
#[derive(Clone)]
pub(crate) struct RpcOutput(mpsc::Sender<Value>);

impl RpcOutput {
    /// To standard output; the task ends when the last clone is gone and everything is written.
    pub(crate) fn to_stdout() -> (Self, JoinHandle<()>) {
        let (sender, mut messages) = mpsc::channel::<Value>(QUEUED_MESSAGES);
        let writing = tokio::spawn(async move {
            let mut stdout = tokio::io::stdout();
            while let Some(message) = messages.recv().await {
                let line = format!("{message}\n");
                // A client that has gone away closes our input, too: that ends us.
                if stdout.write_all(line.as_bytes()).await.is_ok() {
                    stdout.flush().await.ok();
                }
            }
        });
        (Self(sender), writing)
    }

    pub(crate) async fn send(&self, message: Value) {
        self.0.send(message).await.ok();
    }

    /// For what may be left out when the other side does not read.
    pub(crate) fn queue(&self) -> &mpsc::Sender<Value> {
        &self.0
    }
}

/// The answer to a request that was met.
pub(crate) fn succeeded(id: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// The answer to a request that was not.
pub(crate) fn failed(id: &Value, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn garbage_and_endless_lines_are_answered_and_what_comes_after_them_is_read() {
        let mut text = b"\n{\"id\": 1}\n  \nnot json\n\xff\xfe\n".to_vec();
        text.extend(std::iter::repeat_n(b'x', LARGEST_MESSAGE + 10));
        text.extend(b"\n{\"id\": 2}\n{\"id\": 3}");
        let mut input = RpcInput::new(BufReader::new(text.as_slice()));
        let mut all = Vec::new();
        while let Some(message) = input.next().await {
            all.push(message);
        }
        let codes: Vec<i64> =
            all.iter().filter_map(|read| read.as_ref().err()?["error"]["code"].as_i64()).collect();
        assert_eq!(codes, [-32700, -32700, -32600]);
        let read: Vec<&Value> = all.iter().filter_map(|read| read.as_ref().ok()).collect();
        assert_eq!(read, [&json!({"id": 1}), &json!({"id": 2}), &json!({"id": 3})]);
    }
}
