//! `debate`: agents argue in rounds, all of a round at the same time, and a judge decides.

use std::collections::BTreeSet;
use std::sync::Arc;

use amelia_agents::agent::AgentStop;
use amelia_agents::handing_in::HandIn;
use amelia_graph::build::Builder;
use amelia_graph::node::pure;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::participant::{Step, Turn};
use super::{Place, run_of};
use crate::chat::{Chat, ChatMessage, ChatUpdate, PatternUpdate};

pub(super) fn add(graph: Builder<Chat>, place: &Place<'_>) -> Builder<Chat> {
    let (round, close, judge) = (place.node("round"), place.node("close"), place.node("judge"));
    let roles: BTreeSet<String> = place.def.debaters().map(|(role, _)| role.to_owned()).collect();
    let argue = |role: &str| format!("argue.{role}");
    let debaters: Vec<String> = roles.iter().map(|role| place.node(&argue(role))).collect();
    let mut graph = graph.edge(&round);
    graph = graph.node(&round, pure(|_: &Chat| Vec::new())).kind("parallel").fork(&debaters);
    for role in &roles {
        graph = place.step(graph, &argue(role), role, Argue).edge(&close);
    }
    let ended = place.update(PatternUpdate::RoundEnded);
    graph = graph.node(&close, pure(move |_: &Chat| vec![ended.clone()])).kind("join").join(&debaters);
    let (name, rounds) = (place.name.to_owned(), place.def.rounds());
    let targets = [(round.clone(), None), (judge.clone(), Some("no rounds left".to_owned()))];
    graph = graph.try_route(
        move |state| {
            let is_over = run_of(state, &name).rounds >= rounds;
            Ok(if is_over { judge.clone() } else { round.clone() }.into())
        },
        targets,
    );
    place.step(graph, "judge", "judge", Judge { roles }).edge(&place.done())
}

struct Argue;

#[async_trait]
impl Step for Argue {
    async fn take(&self, turn: &Turn<'_>) -> Result<Vec<ChatUpdate>, AgentStop> {
        let role = &turn.who.role;
        let task = format!(
            "You are `{role}` in a debate. Argue for your position, and answer what the others have said. A judge \
             decides in the end."
        );
        let tools = Arc::clone(&turn.agent.tools);
        let answer = turn.text(&turn.thread(), &task, turn.news(), tools).await?;
        // Under the name of the role: two sides may be the same agent.
        let message = ChatMessage::of_agent(role, &turn.who.key, answer.value.clone(), turn.cx.now());
        Ok(turn.updates(&answer, vec![ChatUpdate::Said(message)]))
    }
}

/// What a judge hands in.
#[derive(Debug, Deserialize, JsonSchema)]
struct Verdict {
    /// The name of the side that won.
    winner: String,
    /// The answer to the question of the debate.
    answer: String,
}

struct Judge {
    roles: BTreeSet<String>,
}

impl Judge {
    fn submit_verdict(&self) -> HandIn {
        let roles = self.roles.clone();
        HandIn::of::<Verdict>("submit_verdict", "Submit your decision.", move |verdict| {
            match roles.contains(&verdict.winner) {
                true => Ok(()),
                false => {
                    let known: Vec<&str> = roles.iter().map(String::as_str).collect();
                    Err(format!("`winner` must be one of {}", known.join(", ")))
                }
            }
        })
    }
}

#[async_trait]
impl Step for Judge {
    async fn take(&self, turn: &Turn<'_>) -> Result<Vec<ChatUpdate>, AgentStop> {
        let task = "You judge a debate. Decide which side won, and answer its question; \
                    submit both with `submit_verdict`.";
        let hand_in = self.submit_verdict();
        let answer = turn.result::<Verdict>(&turn.thread(), task, turn.news(), &hand_in).await?;
        let Verdict { winner, answer: text } = &answer.value;
        let judged = PatternUpdate::Judged { accepted: true, feedback: String::new() };
        let winner = ChatUpdate::Set { key: "winner".to_owned(), value: json!(winner) };
        let more = vec![turn.says(text.clone()), winner, turn.progress(judged)];
        Ok(turn.updates(&answer, more))
    }
}
