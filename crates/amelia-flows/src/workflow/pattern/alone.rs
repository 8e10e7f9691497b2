//! Patterns of one agent: `react`, which thinks, acts and looks at the result until it can answer, and `cot`, which
//! reasons before it answers.

use std::sync::Arc;

use amelia_agents::agent::AgentStop;
use amelia_core::tool::{ToolBox, ToolCall, ToolCx, ToolLayer, ToolResult, ToolSpec};
use amelia_graph::build::Builder;
use async_trait::async_trait;

use super::participant::{Step, Turn};
use super::{Place, run_of};
use crate::chat::{Chat, ChatUpdate, PatternUpdate};

/// The loop of calls and results is the one that every agent has: each call is kept, and continued after a crash.
pub(super) fn react(graph: Builder<Chat>, place: &Place<'_>) -> Builder<Chat> {
    let graph = graph.edge(&place.node("agent"));
    place.step(graph, "agent", "agent", React).edge(&place.done())
}

pub(super) fn cot(graph: Builder<Chat>, place: &Place<'_>) -> Builder<Chat> {
    let graph = graph.edge(&place.node("reason"));
    let graph = place.step(graph, "reason", "agent", Reason).edge(&place.node("answer"));
    place.step(graph, "answer", "agent", FinalAnswer).edge(&place.done())
}

const REACT: &str = "Work in steps: think about what you need to know or do next, call a tool for it, look at the \
                     result, and continue until you can answer. Say briefly what you think before every call.";
const REASON: &str = "You reason step by step before you answer.";

struct React;

#[async_trait]
impl Step for React {
    async fn take(&self, turn: &Turn<'_>) -> Result<Vec<ChatUpdate>, AgentStop> {
        let tools = Arc::clone(&turn.agent.tools);
        let answer = turn.text(&turn.thread(), REACT, turn.news(), tools).await?;
        let said = vec![turn.says(answer.value.clone()), accepted(turn)];
        Ok(turn.updates(&answer, said))
    }
}

struct Reason;

#[async_trait]
impl Step for Reason {
    async fn take(&self, turn: &Turn<'_>) -> Result<Vec<ChatUpdate>, AgentStop> {
        let word = format!(
            "{}\n\nReason step by step. Do not answer yet: you will be asked for your answer next.",
            turn.news()
        );
        let tools = Arc::new(NoTools(Arc::clone(&turn.agent.tools)));
        let answer = turn.text(&turn.thread(), REASON, word, tools).await?;
        Ok(turn.updates(&answer, Vec::new()))
    }
}

struct FinalAnswer;

#[async_trait]
impl Step for FinalAnswer {
    async fn take(&self, turn: &Turn<'_>) -> Result<Vec<ChatUpdate>, AgentStop> {
        let tools = Arc::clone(&turn.agent.tools);
        let word = "Now give your answer, without the steps that led to it.".to_owned();
        let answer = turn.text(&turn.thread(), REASON, word, tools).await?;
        let said = vec![turn.says(answer.value.clone()), accepted(turn)];
        Ok(turn.updates(&answer, said))
    }
}

fn accepted(turn: &Turn<'_>) -> ChatUpdate {
    let feedback = run_of(turn.state, &turn.who.pattern).feedback;
    turn.progress(PatternUpdate::Judged { accepted: true, feedback })
}

/// The place where an agent works, without tools.
struct NoTools(Arc<dyn ToolBox>);

#[async_trait]
impl ToolLayer for NoTools {
    fn inner(&self) -> &dyn ToolBox {
        &*self.0
    }

    fn specs(&self) -> Vec<ToolSpec> {
        Vec::new()
    }

    fn extras(&self) -> Vec<ToolSpec> {
        Vec::new()
    }

    async fn call(&self, _: &ToolCx, call: &ToolCall) -> ToolResult {
        let error = Some("there are no tools in this step: reason without them".to_owned());
        ToolResult { error, ..ToolResult::interrupted(call) }
    }
}
