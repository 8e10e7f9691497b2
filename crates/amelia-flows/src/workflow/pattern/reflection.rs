//! `reflection`: a critic judges an answer, and it is improved until it is accepted or the rounds are over.

use std::sync::Arc;

use amelia_agents::agent::AgentStop;
use amelia_agents::handing_in::HandIn;
use amelia_core::tag::{UNTRUSTED, tagged};
use amelia_graph::build::Builder;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::participant::{Step, Turn};
use super::{Place, run_of};
use crate::chat::{Chat, ChatUpdate, PatternUpdate};

pub(super) fn add(graph: Builder<Chat>, place: &Place<'_>) -> Builder<Chat> {
    let (critique, improve, done) = (place.node("critique"), place.node("improve"), place.done());
    let graph = graph.edge(&place.node("generate"));
    let graph = place.step(graph, "generate", "generator", Generate).edge(&critique);
    let (name, rounds) = (place.name.to_owned(), place.def.rounds());
    let targets = [(done.clone(), Some("accepted, or no rounds left".to_owned())), (improve.clone(), None)];
    let graph = place.step(graph, "critique", "critic", Critique).try_route(
        move |state| {
            let run = run_of(state, &name);
            let is_over = run.accepted || run.rounds >= rounds;
            Ok(if is_over { done.clone() } else { improve.clone() }.into())
        },
        targets,
    );
    // Without an agent of its own, who wrote it improves it, in the same conversation.
    let improver = if place.def.agents.contains_key("improver") { "improver" } else { "generator" };
    place.step(graph, "improve", improver, Improve).edge(&critique)
}

/// What a critic hands in.
#[derive(Debug, Deserialize, JsonSchema)]
struct Verdict {
    /// Whether the answer is good enough.
    accepted: bool,
    /// From 0 to 1.
    #[serde(default)]
    score: Option<f64>,
    /// What to improve, or why it is good.
    feedback: String,
}

fn submit_critique() -> HandIn {
    let description = "Submit your judgement of the newest answer.";
    HandIn::of::<Verdict>("submit_critique", description, |verdict| {
        match verdict.accepted || !verdict.feedback.trim().is_empty() {
            true => Ok(()),
            false => Err("say in `feedback` what to improve".to_owned()),
        }
    })
}

const CRITIC: &str = "You judge the newest answer. Say whether it is good enough, and what to improve if it is not; \
                      submit that with `submit_critique`.";

struct Generate;

#[async_trait]
impl Step for Generate {
    async fn take(&self, turn: &Turn<'_>) -> Result<Vec<ChatUpdate>, AgentStop> {
        write(turn, turn.news()).await
    }
}

struct Improve;

#[async_trait]
impl Step for Improve {
    async fn take(&self, turn: &Turn<'_>) -> Result<Vec<ChatUpdate>, AgentStop> {
        let feedback = tagged(UNTRUSTED, &run_of(turn.state, &turn.who.pattern).feedback, "critic");
        let asked = "Improve the newest answer. Reply with the whole improved answer, and nothing else.";
        let word = format!("{}\n\nThe critic says:\n{feedback}\n\n{asked}", turn.news());
        write(turn, word.trim_start().to_owned()).await
    }
}

async fn write(turn: &Turn<'_>, word: String) -> Result<Vec<ChatUpdate>, AgentStop> {
    let tools = Arc::clone(&turn.agent.tools);
    let task = "A critic will judge your answer.";
    let answer = turn.text(&turn.thread(), task, word, tools).await?;
    let said = vec![turn.says(answer.value.clone())];
    Ok(turn.updates(&answer, said))
}

struct Critique;

#[async_trait]
impl Step for Critique {
    async fn take(&self, turn: &Turn<'_>) -> Result<Vec<ChatUpdate>, AgentStop> {
        let answer = turn.result::<Verdict>(&turn.thread(), CRITIC, turn.news(), &submit_critique()).await?;
        let Verdict { accepted, score, feedback } = &answer.value;
        let set = |key: &str, value| ChatUpdate::Set { key: key.to_owned(), value };
        let judged = PatternUpdate::Judged { accepted: *accepted, feedback: feedback.clone() };
        let more = vec![turn.progress(judged), set("score", json!(score)), set("feedback", json!(feedback))];
        Ok(turn.updates(&answer, more))
    }
}
