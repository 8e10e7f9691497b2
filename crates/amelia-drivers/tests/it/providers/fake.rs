//! A server that answers by the rules of a provider.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::{EXCHANGES, WINDOW};

/// A refusal: a status, and a body in the words of the provider.
pub(crate) type Refusal = (u16, Value);

/// What a provider refuses, and how it streams.
pub(crate) trait Rules: Send + Sync + 'static {
    /// What is wrong with a request.
    fn check(&self, path: &str, body: &Value) -> Result<(), Refusal>;
    /// A turn with `calls` calls, and with thinking if it thinks.
    fn calling(&self, turn: usize, calls: usize) -> String;
    /// A turn of text, cut off by the output limit or not.
    fn saying(&self, text: &str, is_cut: bool) -> String;
    fn overflow(&self) -> Refusal;
    /// Something that goes wrong once, before a turn.
    fn hiccup(&self, _turn: usize) -> Option<Answer> {
        None
    }
}

impl Rules for Box<dyn Rules> {
    fn check(&self, path: &str, body: &Value) -> Result<(), Refusal> {
        (**self).check(path, body)
    }

    fn calling(&self, turn: usize, calls: usize) -> String {
        (**self).calling(turn, calls)
    }

    fn saying(&self, text: &str, is_cut: bool) -> String {
        (**self).saying(text, is_cut)
    }

    fn overflow(&self) -> Refusal {
        (**self).overflow()
    }

    fn hiccup(&self, turn: usize) -> Option<Answer> {
        (**self).hiccup(turn)
    }
}

pub(crate) enum Answer {
    Refused(Refusal),
    Stream(String),
}

struct Shared {
    rules: Box<dyn Rules>,
    turn: AtomicUsize,
    hiccups: Mutex<Vec<usize>>,
    refusals: Mutex<Vec<Refusal>>,
    requests: Mutex<Vec<Value>>,
}

/// The server; it ends with the test.
pub(crate) struct Fake {
    pub(crate) url: String,
    shared: Arc<Shared>,
}

impl Fake {
    pub(crate) async fn start(rules: impl Rules) -> Self {
        let shared = Arc::new(Shared {
            rules: Box::new(rules),
            turn: AtomicUsize::new(0),
            hiccups: Mutex::default(),
            refusals: Mutex::default(),
            requests: Mutex::default(),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let answering = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((caller, _)) = listener.accept().await {
                tokio::spawn(answer(Arc::clone(&answering), caller));
            }
        });
        Self { url, shared }
    }

    /// The next request is about this turn.
    pub(crate) fn begin_at(&self, turn: usize) {
        self.shared.turn.store(turn, Ordering::Relaxed);
    }

    pub(crate) fn refusals(&self) -> Vec<Refusal> {
        self.shared.refusals.lock().unwrap().clone()
    }

    pub(crate) fn requests(&self) -> Vec<Value> {
        self.shared.requests.lock().unwrap().clone()
    }

    pub(crate) fn is_overflow(&self, refusal: &Refusal) -> bool {
        *refusal == self.shared.rules.overflow()
    }
}

/// One request on each connection.
async fn answer(shared: Arc<Shared>, caller: TcpStream) {
    let mut caller = BufReader::new(caller);
    let (mut path, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if caller.read_line(&mut line).await.unwrap_or(0) == 0 {
            return;
        }
        let line = line.trim_end().to_lowercase();
        match line.split_once(": ") {
            Some(("content-length", number)) => length = number.parse().unwrap(),
            Some(_) => {}
            None if line.is_empty() => break,
            None => path = line.split(' ').nth(1).unwrap().to_owned(),
        }
    }
    let mut body = vec![0; length];
    caller.read_exact(&mut body).await.unwrap();
    let (status, kind, text) = match shared.answer(&path, &body) {
        Answer::Refused((status, body)) => {
            shared.refusals.lock().unwrap().push((status, body.clone()));
            (status, "application/json", body.to_string())
        }
        Answer::Stream(text) => (200, "text/event-stream", text),
    };
    let head = format!(
        "HTTP/1.1 {status} -\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        text.len()
    );
    caller.write_all((head + &text).as_bytes()).await.ok();
}

impl Shared {
    fn answer(&self, path: &str, body: &[u8]) -> Answer {
        let request: Value = serde_json::from_slice(body).unwrap();
        self.requests.lock().unwrap().push(request.clone());
        if let Err(refusal) = self.rules.check(path, &request) {
            return Answer::Refused(refusal);
        }
        if body.len() > WINDOW {
            return Answer::Refused(self.rules.overflow());
        }
        let turn = self.turn.load(Ordering::Relaxed);
        if let Some(hiccup) = self.rules.hiccup(turn).filter(|_| self.is_first(turn)) {
            return hiccup;
        }
        self.turn.fetch_add(1, Ordering::Relaxed);
        Answer::Stream(match turn {
            0 => self.rules.calling(turn, 2),
            turn if turn < EXCHANGES => self.rules.calling(turn, 1),
            turn if turn == EXCHANGES => self.rules.saying("Half an", true),
            _ => self.rules.saying("The end.", false),
        })
    }

    fn is_first(&self, turn: usize) -> bool {
        let mut known = self.hiccups.lock().unwrap();
        let is_first = !known.contains(&turn);
        known.push(turn);
        is_first
    }
}

/// Events of a stream.
pub(crate) fn sse(events: &[Value]) -> String {
    let event = |event: &Value| match event.get("type").and_then(Value::as_str) {
        Some(name) => format!("event: {name}\ndata: {event}\n\n"),
        None => format!("data: {event}\n\n"),
    };
    events.iter().map(event).collect()
}

/// An error as OpenAI, and those who are like it, write it.
pub(crate) fn openai_error(message: &str, code: &Value) -> Value {
    json!({"error": {"message": message, "type": "invalid_request_error", "param": null, "code": code}})
}

/// Refuses with a message.
pub(crate) fn refuse(message: &str) -> Result<(), Refusal> {
    Err((400, openai_error(message, &Value::Null)))
}
