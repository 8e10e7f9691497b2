//! A client that has started `amelia`, and talks to it in lines of JSON.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::world::World;

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct StdioPeer {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// What came while something else was waited for.
    pub(crate) seen: Vec<Value>,
    asked: u64,
}

impl StdioPeer {
    pub(crate) fn start(world: &World, arguments: &[&str]) -> Self {
        let mut command = world.command(arguments);
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = spawned.unwrap();
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                // Whatever is no message on standard output breaks a client.
                let message = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line}"));
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self { child, stdin, messages, seen: Vec::new(), asked: 0 }
    }

    pub(crate) fn write(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line).unwrap();
        stdin.write_all(b"\n").unwrap();
        stdin.flush().unwrap();
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.write(message.to_string().as_bytes());
    }

    pub(crate) fn tell(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and says under which id.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> u64 {
        self.asked += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params}));
        self.asked
    }

    /// The first message that is wanted, also among those that were seen before.
    pub(crate) fn until(&mut self, what: &str, is_wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(place) = self.seen.iter().position(&is_wanted) {
            return self.seen.remove(place);
        }
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let Ok(message) = self.messages.recv_timeout(left) else {
                panic!("never: {what}; seen: {:#?}", self.seen);
            };
            if is_wanted(&message) {
                return message;
            }
            self.seen.push(message);
        }
    }

    pub(crate) fn answer_to(&mut self, id: u64) -> Value {
        self.until(&format!("an answer to {id}"), |message| {
            message["id"] == id && message.get("method").is_none()
        })
    }

    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.ask(method, params);
        self.answer_to(id)
    }

    /// Closes its input and waits for its end.
    pub(crate) fn end(mut self) -> Vec<Value> {
        drop(self.stdin.take());
        assert!(self.child.wait().unwrap().success());
        self.seen.extend(self.messages.iter());
        std::mem::take(&mut self.seen)
    }

    /// As a client that is killed: nothing is said any more.
    pub(crate) fn vanish(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for StdioPeer {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
