//! A script being played: what has fired, what was asked. Knows no HTTP.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use serde_json::Value;

use crate::conversation::{ScriptedApi, ScriptedRequest};
use crate::matching::{asked_for, mismatch};
use crate::script::{Rule, Script, ScriptedReply};

/// Older requests are forgotten, so that a server can run for weeks: a long conversation comes again whole with every turn.
const KEPT: usize = 1000;
const KEPT_BYTES: usize = 32 << 20;

/// A request to one of the three APIs, as it came.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRequest {
    pub wire: ScriptedApi,
    /// Empty when the request named none.
    pub model: String,
    /// Null when it was not JSON.
    pub body: Value,
    pub outcome: PlayOutcome,
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlayOutcome {
    /// The rule with this number answered, the first being 0.
    Played { rule: usize },
    /// No rule expected it; the message says what was asked and what was expected.
    Unmatched { message: String },
    /// Not a request that the API would take.
    Refused { message: String },
}

#[derive(Debug)]
pub(crate) struct ScriptPlayer {
    pub(crate) script: Script,
    played: Mutex<Played>,
}

#[derive(Debug)]
struct Played {
    /// Per rule.
    firings: Vec<u32>,
    /// As they came, with the sum of their lengths: they are parsed when they are looked at.
    recorded: VecDeque<ReceivedRequest>,
    bytes: usize,
}

#[derive(Debug)]
struct ReceivedRequest {
    wire: ScriptedApi,
    model: String,
    body: Bytes,
    outcome: PlayOutcome,
}

impl ReceivedRequest {
    fn read(&self) -> RecordedRequest {
        RecordedRequest {
            wire: self.wire,
            model: self.model.clone(),
            body: serde_json::from_slice(&self.body).unwrap_or_default(),
            outcome: self.outcome.clone(),
        }
    }
}

impl ScriptPlayer {
    pub(crate) fn new(script: Script) -> Self {
        let firings = vec![0; script.rules.len()];
        Self { script, played: Mutex::new(Played { firings, recorded: VecDeque::new(), bytes: 0 }) }
    }

    /// The answer to a request, or the message that it was not expected.
    pub(crate) fn play(&self, asked: &ScriptedRequest, body: Bytes) -> Result<Arc<ScriptedReply>, String> {
        let mut played = self.played.lock();
        let choice = choose(&self.script.rules, &mut played.firings, asked);
        let (outcome, reply) = match choice {
            Ok((rule, reply)) => (PlayOutcome::Played { rule }, Ok(reply)),
            Err(message) => (PlayOutcome::Unmatched { message: message.clone() }, Err(message)),
        };
        played.record(ReceivedRequest { wire: asked.wire, model: asked.model.clone(), body, outcome });
        reply
    }

    pub(crate) fn refused(&self, wire: ScriptedApi, body: Bytes, message: &str) {
        let read: Value = serde_json::from_slice(&body).unwrap_or_default();
        let model = read.get("model").and_then(Value::as_str).unwrap_or_default().to_owned();
        let outcome = PlayOutcome::Refused { message: message.to_owned() };
        self.played.lock().record(ReceivedRequest { wire, model, body, outcome });
    }

    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        self.played.lock().recorded.iter().map(ReceivedRequest::read).collect()
    }
}

impl Played {
    /// The last one stays, however long it is.
    fn record(&mut self, request: ReceivedRequest) {
        self.bytes += request.body.len();
        self.recorded.push_back(request);
        while self.recorded.len() > KEPT || (self.bytes > KEPT_BYTES && self.recorded.len() > 1) {
            let Some(first) = self.recorded.pop_front() else { break };
            self.bytes -= first.body.len();
        }
    }
}

fn choose(
    rules: &[Rule],
    firings: &mut [u32],
    asked: &ScriptedRequest,
) -> Result<(usize, Arc<ScriptedReply>), String> {
    let mut reasons = Vec::new();
    for (number, (rule, fired)) in rules.iter().zip(firings).enumerate() {
        let reason = mismatch(&rule.when, asked).or_else(|| exhausted(rule, *fired));
        match (reason, rule.reply(*fired)) {
            (None, Some(reply)) => {
                *fired += 1;
                return Ok((number, Arc::clone(reply)));
            }
            (reason, _) => reasons.push(reason.unwrap_or_default()),
        }
    }
    Err(unexpected(rules, asked, &reasons))
}

/// The message about a request that no rule expects, with the reason of each rule.
fn unexpected(rules: &[Rule], asked: &ScriptedRequest, reasons: &[String]) -> String {
    let head =
        ["the scripted model has no rule for this request".to_owned(), asked_for(asked), "rules:".to_owned()];
    let of_rule = |((number, rule), reason)| format!("  {}: {reason}", label(number, rule));
    head.into_iter().chain(rules.iter().enumerate().zip(reasons).map(of_rule)).collect::<Vec<_>>().join("\n")
}

fn exhausted(rule: &Rule, fired: u32) -> Option<String> {
    let limit = rule.limit()?;
    (fired >= limit).then(|| format!("has matched {fired} of {limit} times"))
}

fn label(number: usize, rule: &Rule) -> String {
    match &rule.name {
        Some(name) => format!("rules[{number}] {name}"),
        None => format!("rules[{number}]"),
    }
}
