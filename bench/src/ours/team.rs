//! The graph under test, the same as in `peers/lg_common.py`: architect -> developer <-> reviewer until `limit`
//! steps have run. Nodes do nothing but count, so what is measured is the engine.

use std::sync::atomic::{AtomicU64, Ordering};

use amelia_core::id::RunId;
use amelia_core::store::{CheckpointAt, Store};
use amelia_graph::graph::{END, Graph};
use amelia_graph::node::pure;
use amelia_graph::state::{State, rebuild};
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

const KIB: usize = 1024;
/// Different texts to choose from, as many as the peer has.
const TEXTS: u64 = 64;

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Team {
    pub(super) step: usize,
    pub(super) limit: usize,
    last: String,
    /// A constant pad, so that a state that does not grow is about 1 KiB; empty in one that grows.
    payload: String,
    /// Appended to by every step of a state that grows.
    pub(super) messages: Vec<Message>,
}

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Message {
    pub(super) role: String,
    pub(super) content: String,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Counted {
    step: usize,
    last: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
}

impl State for Team {
    type Update = Counted;

    fn apply(&mut self, Counted { step, last, message }: Counted) {
        self.step = step;
        self.last = last;
        self.messages.extend(message);
    }
}

impl Team {
    /// A state of 1 KiB that stays so.
    pub(super) fn small(limit: usize) -> Self {
        Self { step: 0, limit, last: String::new(), payload: text(0), messages: Vec::new() }
    }

    /// A state that grows by 1 KiB a step.
    pub(super) fn growing(limit: usize) -> Self {
        Self { step: 0, limit, last: String::new(), payload: String::new(), messages: Vec::new() }
    }
}

/// Nodes only count.
pub(super) fn counting(limit: usize) -> Result<Graph<Team>> {
    graph(limit, |_, _| None)
}

/// Every node also says 1 KiB, and calls `seen` with its step.
pub(super) fn talking(
    limit: usize,
    seen: impl Fn(usize) + Clone + Send + Sync + 'static,
) -> Result<Graph<Team>> {
    let texts: Vec<String> = (0..TEXTS).map(text).collect();
    let next = std::sync::Arc::new(AtomicU64::new(0));
    graph(limit, move |role, step| {
        seen(step);
        let number = next.fetch_add(1, Ordering::Relaxed) % TEXTS;
        let content = texts.get(usize::try_from(number).ok()?)?.clone();
        Some(Message { role: role.to_owned(), content })
    })
}

fn graph(
    limit: usize,
    say: impl Fn(&str, usize) -> Option<Message> + Clone + Send + Sync + 'static,
) -> Result<Graph<Team>> {
    let node = |name: &'static str| {
        let say = say.clone();
        pure(move |team: &Team| {
            let step = team.step + 1;
            vec![Counted { step, last: name.to_owned(), message: say(name, step) }]
        })
    };
    let route = |team: &Team| match team {
        Team { step, limit, .. } if step >= limit => END,
        Team { last, .. } if last == "developer" => "reviewer",
        Team { .. } => "developer",
    };
    let graph = Graph::builder("team")
        .entry("architect")
        .node("architect", node("architect"))
        .edge("developer")
        .node("developer", node("developer"))
        .route(route, ["reviewer", "developer", END])
        .node("reviewer", node("reviewer"))
        .route(route, ["developer", END])
        .limit(u32::try_from(limit)?.saturating_add(10))
        .build()?;
    Ok(graph)
}

/// Reads back what was stored, and checks that it is all there.
pub(super) async fn check(store: &dyn Store, run: RunId, expected: usize) -> Result<Team> {
    let saved = store.load(run, CheckpointAt::Latest).await?.context("nothing was stored")?;
    let team: Team = rebuild(&saved)?;
    ensure!(team.step == expected, "{} steps are stored, not {expected}", team.step);
    Ok(team)
}

/// 1 KiB of letters and digits that do not compress, so that no layer below can make the figures look small.
pub(super) fn text(seed: u64) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut random = seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let letters = std::iter::repeat_with(|| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let place = usize::try_from(random >> 58).unwrap_or(0);
        ALPHABET.get(place).map_or('A', |byte| char::from(*byte))
    });
    letters.take(KIB).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_a_kibibyte_each_and_differ() {
        let texts: std::collections::BTreeSet<String> = (0..TEXTS).map(text).collect();
        assert_eq!(texts.len(), 64);
        assert!(texts.iter().all(|text| text.len() == KIB));
    }
}
