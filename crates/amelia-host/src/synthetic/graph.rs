//! plan ─► (ask_scope, ask_risk, survey) ─► agree ─► develop ⇄ review ─► publish

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use amelia_core::effect::Effect;
use amelia_core::human::HumanKind;
use amelia_core::id::{AgentName, CallId};
use amelia_core::message::Object;
use amelia_core::problem::Problem;
use amelia_core::tool::{CallOptions, Risk, ToolCall, ToolName, ToolResult};
use amelia_graph::effect::{EffectProvider, Intent, perform};
use amelia_graph::graph::{END, Graph};
use amelia_graph::journaled::{ToolWork, journaled};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use amelia_graph::validate::GraphError;
use async_trait::async_trait;
use serde_json::{Value, json};

use super::GRAPH;
use super::bug::Bug;
use super::crash::CrashPoint;
use super::outside::{Deed, Outside};
use super::state::{Note, SyntheticState};

/// What the nodes act on.
pub struct SyntheticWorld {
    pub outside: Outside,
    pub crash_point: Arc<CrashPoint>,
    /// Which life of the worker this is.
    pub life: u32,
    pub pace: Duration,
    pub bug: Option<Bug>,
}

impl SyntheticWorld {
    /// Nothing dies, nothing is slow.
    pub fn quiet(home: &Path) -> Self {
        Self {
            outside: Outside::at(home),
            crash_point: Arc::new(CrashPoint::default()),
            life: 0,
            pace: Duration::ZERO,
            bug: None,
        }
    }
}

/// The graph on one page.
pub fn graph(around: &Arc<SyntheticWorld>) -> Result<Graph<SyntheticState>, GraphError> {
    let node = |kind| Step { kind, around: Arc::clone(around) };
    Graph::builder(GRAPH)
        .entry("plan")
        .node("plan", node(Kind::Say("three rounds")))
        .fork(["ask_scope", "ask_risk", "survey"])
        .node("ask_scope", node(Kind::Ask))
        .edge("agree")
        .node("ask_risk", node(Kind::Ask))
        .edge("agree")
        .node("survey", node(Kind::Call(Risk::Read, "read 2 files")))
        .edge("agree")
        .node("agree", node(Kind::Say("all there")))
        .join(["ask_scope", "ask_risk", "survey"])
        .edge("develop")
        .node("develop", node(Kind::Call(Risk::Write, "wrote 2 files")))
        .edge("review")
        .node("review", node(Kind::Say("looked at it")))
        .route(after_review, ["develop", "publish"])
        .node("publish", node(Kind::Publish))
        .edge(END)
        .build()
}

fn after_review(work: &SyntheticState) -> &'static str {
    if work.count("review") < work.rounds { "develop" } else { "publish" }
}

struct Step {
    kind: Kind,
    around: Arc<SyntheticWorld>,
}

enum Kind {
    Say(&'static str),
    Ask,
    Call(Risk, &'static str),
    Publish,
}

#[async_trait]
impl Node<SyntheticState> for Step {
    async fn run(&self, cx: &NodeCx, _: &SyntheticState) -> Result<Outcome<Note>, NodeError> {
        let life = self.around.life;
        self.note_down(Deed::Started, &format!("{life} {} {} {}", cx.run(), cx.step(), cx.node()))?;
        let text = match self.kind {
            Kind::Say(text) => {
                self.take_time().await;
                text.to_owned()
            }
            Kind::Ask => match cx.answered() {
                None => {
                    let question = format!("may {} be decided?", cx.node());
                    return Ok(Outcome::ask(cx.request(HumanKind::Approval, question)));
                }
                // The question itself comes back in the note: an answer that went astray would show.
                Some(answered) if answered.is_approval() => format!("yes: {}", answered.request.prompt),
                Some(_) => "no".to_owned(),
            },
            Kind::Call(risk, text) => {
                self.call(cx, risk, "first").await?;
                self.call(cx, risk, "second").await?;
                text.to_owned()
            }
            Kind::Publish => {
                self.publish(cx).await?;
                "published".to_owned()
            }
        };
        Ok(Outcome::Done(vec![Note { node: cx.node().to_string(), text }]))
    }
}

impl Step {
    fn note_down(&self, deed: Deed, line: &str) -> Result<(), NodeError> {
        self.around.outside.add(deed, line).map_err(|error| NodeError::new("outside", error.to_string()))
    }

    async fn take_time(&self) {
        if !self.around.pace.is_zero() {
            tokio::time::sleep(self.around.pace).await;
        }
    }

    /// A journaled tool call; one that writes leaves a trace outside.
    async fn call(&self, cx: &NodeCx, risk: Risk, name: &str) -> Result<(), NodeError> {
        let id = CallId::new(format!("{}-{}-{name}", cx.node(), cx.step()))
            .map_err(|error| NodeError::new("call", error.to_string()))?;
        let tool = if risk == Risk::Read { "read_file" } else { "write_file" };
        let call = ToolCall {
            id,
            tool: ToolName::builtin(tool),
            args: Object::from_iter([("file".to_owned(), json!(name))]),
            at: Some(cx.now()),
            options: CallOptions::default(),
        };
        let risk = if self.around.bug == Some(Bug::RepeatWrites) { Risk::Read } else { risk };
        let work = ToolWork { agent: AgentName::system(), call: call.clone(), risk };
        journaled(cx, &work, |_| async {
            self.around.crash_point.moment();
            if tool == "write_file" {
                self.note_down(Deed::Wrote, &format!("{} {}", cx.run(), call.id))?;
            }
            self.take_time().await;
            self.around.crash_point.moment();
            let output = format!("{name} file");
            Ok(ToolResult { output, error: None, ..ToolResult::interrupted(&call) })
        })
        .await?;
        Ok(())
    }

    async fn publish(&self, cx: &NodeCx) -> Result<(), NodeError> {
        let target = cx.run().to_string();
        if self.around.bug == Some(Bug::EffectWithoutIntent) {
            self.note_down(Deed::Performed, &format!("{target} without-intent"))?;
            self.around.crash_point.moment();
            return Ok(());
        }
        let intent =
            Intent { key: "publish", kind: "synthetic.publish", target: &target, content: b"all of it" };
        perform(cx, &AgentName::system(), intent, self).await?;
        Ok(())
    }
}

/// The outside world as a provider of effects: it can be asked whether something has happened.
#[async_trait]
impl EffectProvider for Step {
    async fn perform(&self, effect: &Effect) -> Result<Value, Problem> {
        self.around.crash_point.moment();
        let line = format!("{} {}", effect.target, effect.id);
        self.around.outside.add(Deed::Performed, &line).map_err(|error| error.to_string())?;
        self.take_time().await;
        self.around.crash_point.moment();
        Ok(json!({"line": line}))
    }

    async fn probe(&self, effect: &Effect) -> Result<Option<Value>, Problem> {
        let wanted = format!("{} {}", effect.target, effect.id);
        let lines = self.around.outside.lines(Deed::Performed).map_err(|error| error.to_string())?;
        Ok(lines.into_iter().find(|line| *line == wanted).map(|line| json!({"line": line})))
    }
}
