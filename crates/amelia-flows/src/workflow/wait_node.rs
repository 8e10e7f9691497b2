//! Nodes that wait: for a time, for something outside, or for a word that a person may want to add. Waiting is a
//! question with a deadline, so it survives a restart, and a person can end it.

use amelia_core::human::{AnsweredRequest, HumanAction, HumanKind, HumanRequest, OnTimeout, WAIT};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::human_node::words;
use crate::chat::{Chat, ChatUpdate};

/// How long a person may take to add a word.
const INPUT_TIME: SignedDuration = SignedDuration::from_hours(24);

pub(super) struct WaitNode {
    pub(super) name: String,
    pub(super) seconds: Option<u64>,
    pub(super) event: Option<String>,
}

#[async_trait]
impl Node<Chat> for WaitNode {
    async fn run(&self, cx: &NodeCx, _: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        let Some(answered) = cx.answered() else {
            let deadline = self.seconds.and_then(|seconds| after(cx, i64::try_from(seconds).ok()?));
            return Ok(Outcome::ask(self.question(cx, deadline)));
        };
        // "No" means that it has not happened yet.
        if answered.reply.action == HumanAction::Reject {
            return Ok(Outcome::ask(self.question(cx, answered.request.deadline)));
        }
        let key = match answered.reply.action {
            HumanAction::TimedOut => "timeout",
            _ => "event",
        };
        let key = ChatUpdate::Set { key: "routing_key".to_owned(), value: json!(key) };
        Ok(Outcome::Done(heard(cx, answered, &self.name).into_iter().chain([key]).collect()))
    }
}

fn after(cx: &NodeCx, seconds: i64) -> Option<Timestamp> {
    cx.now().checked_add(SignedDuration::from_secs(seconds)).ok()
}

fn shown(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

impl WaitNode {
    fn question(&self, cx: &NodeCx, deadline: Option<Timestamp>) -> HumanRequest {
        let prompt = match (&self.event, deadline) {
            (Some(event), None) => format!("`{}` waits for `{event}`: has it happened?", self.name),
            (Some(event), Some(until)) => {
                let until = shown(until);
                format!("`{}` waits for `{event}`, or until {until}: has it happened?", self.name)
            }
            (None, Some(until)) => format!("`{}` waits until {}", self.name, shown(until)),
            (None, None) => format!("`{}` waits: continue now?", self.name),
        };
        let context = json!({ WAIT: {"event": self.event} });
        let request = cx.request(HumanKind::Question, prompt);
        HumanRequest { context, deadline, on_timeout: OnTimeout::Approve, ..request }
    }
}

/// Asks after a node with `allow_human_input` whether there is something to add.
pub(super) struct InputNode {
    pub(super) node: String,
}

#[async_trait]
impl Node<Chat> for InputNode {
    async fn run(&self, cx: &NodeCx, _: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        let Some(answered) = cx.answered() else {
            let prompt = format!("do you want to add a message after `{}`?", self.node);
            let request = cx.request(HumanKind::Question, prompt);
            let deadline = cx.now().checked_add(INPUT_TIME).ok();
            let request = HumanRequest { deadline, on_timeout: OnTimeout::Approve, ..request };
            return Ok(Outcome::ask(request));
        };
        Ok(Outcome::Done(heard(cx, answered, &self.node).into_iter().collect()))
    }
}

/// What a person said with their answer.
fn heard(cx: &NodeCx, answered: &AnsweredRequest, node: &str) -> Option<ChatUpdate> {
    match answered.reply.action {
        HumanAction::TimedOut => None,
        _ => words(cx, answered, node),
    }
}
