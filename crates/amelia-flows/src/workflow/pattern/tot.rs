//! `tot`, a tree of thoughts: several ideas for every step, an evaluator scores them, and the best are continued.

use std::sync::Arc;

use amelia_agents::agent::AgentStop;
use amelia_agents::handing_in::HandIn;
use amelia_core::config::workflow::PatternDef;
use amelia_core::tag::{UNTRUSTED, tagged};
use amelia_graph::build::Builder;
use amelia_graph::node::pure;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::participant::{Step, Turn};
use super::{Place, run_of};
use crate::chat::{Chat, ChatMessage, ChatUpdate, Idea, PatternRun, PatternUpdate, best};
use crate::hearing::all_messages;

pub(super) fn add(graph: Builder<Chat>, place: &Place<'_>) -> Builder<Chat> {
    let (step, evaluate, done) = (place.node("step"), place.node("evaluate"), place.done());
    let authors = 0..place.def.keep().saturating_mul(place.def.branches());
    let think = |author: u32| format!("think.{}", author.saturating_add(1));
    let thinkers: Vec<String> = authors.clone().map(|author| place.node(&think(author))).collect();
    let mut graph = graph.edge(&step);
    graph = graph.node(&step, pure(|_: &Chat| Vec::new())).kind("parallel").fork(&thinkers);
    for author in authors {
        let idea = Think { author, def: place.def.clone() };
        graph = place.step(graph, &think(author), "thinker", idea).edge(&evaluate);
    }
    let (name, depth) = (place.name.to_owned(), place.def.depth());
    let targets = [(step.clone(), None), (done.clone(), Some("no steps left".to_owned()))];
    let score = Evaluate { def: place.def.clone() };
    place.step(graph, "evaluate", "evaluator", score).join(&thinkers).try_route(
        move |state| {
            let is_over = run_of(state, &name).rounds >= depth;
            Ok(if is_over { done.clone() } else { step.clone() }.into())
        },
        targets,
    )
}

struct Think {
    author: u32,
    def: PatternDef,
}

impl Think {
    /// The idea that this author continues; the first step continues none. Authors without one rest.
    fn before<'a>(&self, run: &'a PatternRun) -> Option<&'a str> {
        let place = self.author / self.def.branches().max(1);
        match run.rounds {
            0 => (place == 0).then_some(""),
            _ => run.kept.get(place as usize).map(|idea| idea.text.as_str()),
        }
    }

    fn word(&self, task: &str, before: &str, is_last: bool) -> String {
        let branches = self.def.branches().max(1);
        let number = self.author % branches + 1;
        let so_far = match before {
            "" => String::new(),
            steps => format!("\n\nThe steps so far:\n{}", tagged(UNTRUSTED, steps, "steps")),
        };
        let wanted = match is_last {
            true => "Write the complete answer now.",
            false => "Write the next step, and only that.",
        };
        format!(
            "{task}{so_far}\n\n{wanted} {branches} ideas are compared, and yours is number {number}: choose an approach \
             that the others are unlikely to choose."
        )
    }
}

#[async_trait]
impl Step for Think {
    async fn take(&self, turn: &Turn<'_>) -> Result<Vec<ChatUpdate>, AgentStop> {
        let run = run_of(turn.state, &turn.who.pattern);
        let Some(before) = self.before(&run) else { return Ok(Vec::new()) };
        let is_last = run.rounds.saturating_add(1) >= self.def.depth();
        let word = self.word(&all_messages(turn.state), before, is_last);
        // Every idea is a conversation of its own, so that none leans on another.
        let talk = turn.cx.helper(&turn.who.key).with_answer_to(turn.cx);
        let task = "You solve a problem in steps.";
        let answer = turn.text(&talk, task, word, Arc::clone(&turn.agent.tools)).await?;
        let text = match (is_last, before) {
            (true, _) | (_, "") => answer.value.clone(),
            (false, before) => format!("{before}\n\n{}", answer.value),
        };
        let idea = Idea { author: self.author, text, score: 0.0 };
        Ok(turn.updates(&answer, vec![turn.progress(PatternUpdate::Proposed(idea))]))
    }
}

/// What an evaluator hands in.
#[derive(Debug, Deserialize, JsonSchema)]
struct Scores {
    /// A score from 0 to 1 for each idea, in their order.
    scores: Vec<f64>,
}

fn submit_scores(count: usize) -> HandIn {
    HandIn::of::<Scores>("submit_scores", "Submit a score for each idea.", move |given| {
        match given.scores.len() == count && given.scores.iter().all(|score| score.is_finite()) {
            true => Ok(()),
            false => Err(format!("`scores` must have {count} numbers, one for each idea")),
        }
    })
}

struct Evaluate {
    def: PatternDef,
}

#[async_trait]
impl Step for Evaluate {
    async fn take(&self, turn: &Turn<'_>) -> Result<Vec<ChatUpdate>, AgentStop> {
        let run = run_of(turn.state, &turn.who.pattern);
        let shown =
            run.ideas.iter().enumerate().map(|(index, idea)| {
                format!("Idea {}:\n{}", index + 1, tagged(UNTRUSTED, &idea.text, "idea"))
            });
        let ideas = shown.collect::<Vec<_>>().join("\n\n");
        let word = format!("{}\n\nScore these ideas:\n\n{ideas}", all_messages(turn.state));
        let talk = turn.cx.helper(&turn.who.key).with_answer_to(turn.cx);
        let task = "You score ideas for solving a problem, from 0 (useless) to 1 (perfect), and \
                    submit the scores with `submit_scores`.";
        let hand_in = submit_scores(run.ideas.len());
        let answer = turn.result::<Scores>(&talk, task, word, &hand_in).await?;
        let (scores, keep) = (answer.value.scores.clone(), self.def.keep() as usize);
        let winner = best(run.ideas, &scores, 1).into_iter().next();
        let mut more = vec![turn.progress(PatternUpdate::Scored { scores, keep })];
        let is_last = run.rounds.saturating_add(1) >= self.def.depth();
        if let Some(winner) = winner.filter(|_| is_last) {
            more.push(ChatUpdate::Set { key: "score".to_owned(), value: json!(winner.score) });
            let (agent, speaker) = (self.def.agent("thinker"), format!("{}.thinker", turn.who.pattern));
            let said = ChatMessage::of_agent(agent, &speaker, winner.text, turn.cx.now());
            more.push(ChatUpdate::Said(said));
        }
        Ok(turn.updates(&answer, more))
    }
}
