//! The Oracle: one hard question, answered by an agent of its own that can only read. For agents it is the tool
//! `consult_oracle`; what it thinks and reads is a child run on the log of the agent that asks.

use std::sync::Arc;

use amelia_core::event::run::RunFailure;
use amelia_core::event::{EventKind, RunEvent};
use amelia_core::problem::Problem;
use amelia_core::run::Domain;
use amelia_core::tool::{ToolBox, ToolCall, ToolResult, ToolSpec};
use amelia_graph::node::{NodeCx, NodeError};
use async_trait::async_trait;
use serde_json::Value;

use crate::agent::{Agent, AgentAnswer, AgentStop, Question};
use crate::own_tool::{OwnStop, OwnTool};
use crate::prompt::fence;
use crate::{consulting, conversation};

/// Who is consulted.
pub struct Oracle {
    pub agent: Agent,
    /// They only read.
    pub tools: Arc<dyn ToolBox>,
    /// Its prompt before every question.
    pub system: String,
}

#[async_trait]
impl OwnTool for Oracle {
    fn spec(&self) -> ToolSpec {
        consulting::spec()
    }

    /// After a crash the same consultation continues.
    async fn call(&self, cx: &NodeCx, call: &ToolCall) -> Result<ToolResult, OwnStop> {
        let Some(opening) = opening(call) else {
            let error = "`problem` is missing: call again with {\"problem\": \"…\"}".to_owned();
            return Ok(ToolResult { error: Some(error), ..ToolResult::interrupted(call) });
        };
        let child = cx.child(call.id.as_str(), Domain::Oracle);
        if child.past().await?.is_empty() {
            self.record(&child, RunEvent::Started).await?;
        }
        let opening = conversation::from_user(&child, &self.agent.name, opening);
        let (system, tools) = (self.system.clone(), Arc::clone(&self.tools));
        let question = Question { system, opening, tools, hand_ins: &[], shape: None };
        // Boxed: the Oracle is asked from inside a question to another agent.
        match Box::pin(self.agent.ask(&child, &question)).await {
            Ok(AgentAnswer::HandedIn { .. }) => {
                Ok(self.fail(&child, call, "it submitted a result".into()).await?)
            }
            Ok(AgentAnswer::Text(advice)) => {
                self.record(&child, RunEvent::Completed { summary: Some(advice.clone()) }).await?;
                Ok(ToolResult {
                    output: fence::untrusted(&advice, "oracle"),
                    error: None,
                    ..ToolResult::interrupted(call)
                })
            }
            Err(AgentStop::Node(error)) => Err(error.into()),
            Err(AgentStop::Asks(requests)) => {
                let prompt = requests.into_iter().next().map(|request| request.prompt).unwrap_or_default();
                Ok(self.fail(&child, call, prompt.into()).await?)
            }
            Err(AgentStop::Driver(error)) => Ok(self.fail(&child, call, error.into()).await?),
        }
    }
}

impl Oracle {
    async fn fail(&self, child: &NodeCx, call: &ToolCall, problem: Problem) -> Result<ToolResult, NodeError> {
        let failure = RunFailure::new("oracle", problem.clone());
        self.record(child, RunEvent::Failed { failure }).await?;
        let error = problem.about("the Oracle did not answer");
        Ok(ToolResult { error: Some(error.to_text()), ..ToolResult::interrupted(call) })
    }

    async fn record(&self, child: &NodeCx, event: RunEvent) -> Result<(), NodeError> {
        Ok(child.record(vec![child.draft(&self.agent.name, EventKind::Run(event))]).await?)
    }
}

fn opening(call: &ToolCall) -> Option<String> {
    let problem = call.args.get("problem").and_then(Value::as_str).filter(|text| !text.trim().is_empty())?;
    let files = call.args.get("files").and_then(Value::as_array);
    let names: Vec<&str> = files.into_iter().flatten().filter_map(Value::as_str).collect();
    let question = match names.as_slice() {
        [] => problem.to_owned(),
        names => format!("{problem}\n\nFiles that matter: {}", names.join(", ")),
    };
    let question = fence::untrusted(&question, "question");
    Some(format!("Another agent of this run asks you:\n\n{question}\n\nAnswer it."))
}
