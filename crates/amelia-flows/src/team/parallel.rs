//! Agents that work at the same time: what each reads, when they wait for each other, and what becomes of their answers.
//! Pure.

use amelia_agents::handing_in::HandIn;
use amelia_core::config::team::pattern::CollaborationPattern;
use amelia_core::config::team::pattern::settings::ParallelSettings;
use amelia_core::tag::{UNTRUSTED, tagged};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::chat::{ParallelRun, TurnEnd};

pub(super) const SYNC: &str = "sync";

/// Who works, and where they wait for each other.
pub(super) struct ParallelPlan {
    /// Of the pattern.
    pub(super) name: String,
    pub(super) agents: Vec<String>,
    pub(super) coordinator: Option<String>,
    pub(super) settings: ParallelSettings,
}

/// Arguments of `sync`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SyncArgs {
    /// Name of the point
    pub(super) point: String,
    /// What you have done so far and what the others need to know
    pub(super) summary: String,
}

impl ParallelPlan {
    pub(super) fn new(pattern: &CollaborationPattern, settings: ParallelSettings) -> Self {
        let (name, agents) = (pattern.name.clone(), pattern.agents.clone());
        Self { name, agents, coordinator: pattern.coordination_agent.clone(), settings }
    }

    /// The point at which a part of the work ends; the last one ends with an answer.
    pub(super) fn point(&self, part: usize) -> Option<&str> {
        self.settings.sync_points.get(part).map(String::as_str)
    }

    /// Parts of the work of every agent: one more than points.
    pub(super) fn parts(&self) -> usize {
        self.settings.sync_points.len().saturating_add(1)
    }

    /// The node of a part of the work of an agent.
    pub(super) fn part_node(agent: &str, part: usize) -> String {
        match part {
            0 => agent.to_owned(),
            part => format!("{agent}.{part}"),
        }
    }

    /// The node that tells that an agent has arrived at the end of a part.
    pub(super) fn arrival_node(agent: &str, part: usize) -> String {
        format!("{agent}.{}.arrive", part.saturating_add(1))
    }

    /// The node in which all agents meet at the end of a part.
    pub(super) fn sync_node(&self, part: usize) -> String {
        format!("{}.sync.{}", self.name, part.saturating_add(1))
    }

    /// The node in which they meet when all are done.
    pub(super) fn join_node(&self) -> String {
        format!("{}.join", self.name)
    }

    pub(super) fn merge_node(&self) -> String {
        format!("{}.merge", self.name)
    }

    /// The node at which the team continues when it is not done: the coordinator, or all agents.
    pub(super) fn last_node(&self) -> String {
        if self.coordinator.is_some() { self.merge_node() } else { self.name.clone() }
    }

    /// The summaries with which the other agents have arrived at a point, in the order of the pattern.
    pub(super) fn summaries(&self, run: &ParallelRun, point: usize, own: &str) -> String {
        let others = self.agents.iter().filter(|agent| *agent != own);
        let said = others.filter_map(|agent| Some((agent, run.summary(point, agent)?)));
        said.map(|(agent, summary)| tagged(UNTRUSTED, summary, agent)).collect::<Vec<_>>().join("\n\n")
    }

    /// How the agents have ended, in the order of the pattern.
    pub(super) fn ends<'a>(&'a self, run: &'a ParallelRun) -> impl Iterator<Item = &'a TurnEnd> {
        self.agents.iter().filter_map(|agent| run.ends.get(agent))
    }

    /// The answers for the coordinator, in the order of the pattern.
    pub(super) fn answers(&self, run: &ParallelRun) -> String {
        let answers = self.ends(run).map(|end| tagged(UNTRUSTED, &end.text, &end.agent));
        answers.collect::<Vec<_>>().join("\n\n")
    }

    /// The result without a coordinator: the answers in the order of the pattern.
    pub(super) fn result(&self, run: &ParallelRun) -> String {
        let answers = self.ends(run).map(|end| format!("## {}\n\n{}", end.agent, end.text.trim()));
        answers.collect::<Vec<_>>().join("\n\n")
    }
}

/// The tool with which an agent arrives at a point.
pub(super) fn hand_in(point: &str) -> HandIn {
    let description = format!(
        "Say that you have arrived at the point `{point}`, and wait for the others. You continue with their summaries."
    );
    let expected = point.to_owned();
    HandIn::of(SYNC, &description, move |args: &SyncArgs| refusal(args, &expected).map_or(Ok(()), Err))
}

/// Why an agent cannot arrive like this.
fn refusal(args: &SyncArgs, expected: &str) -> Option<String> {
    if args.point != expected {
        return Some(format!("the next point is `{expected}`, not `{}`", args.point));
    }
    args.summary.trim().is_empty().then(|| "`summary` must not be empty".to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn points_are_passed_in_their_order() {
        let args = |point: &str, summary: &str| {
            let args = json!({"point": point, "summary": summary});
            refusal(&serde_json::from_value(args).unwrap(), "facts").unwrap_or_default()
        };
        assert_eq!(args("facts", "done"), "");
        assert_eq!(args("draft", "done"), "the next point is `facts`, not `draft`");
        assert_eq!(args("facts", " "), "`summary` must not be empty");
    }
}
