//! The settings of each kind of pattern, with their defaults.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Settings of a `parallel` pattern.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ParallelSettings {
    /// The prompt of an agent, as a template. Others get the prompt of the task.
    pub tasks: BTreeMap<String, String>,
    /// Where all agents wait for each other, in this order.
    pub sync_points: Vec<String>,
    pub on_failure: MemberFailure,
    /// `branch` in a git worktree when absent.
    pub isolation: Option<MemberIsolation>,
}

/// What happens to the others when one agent fails.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemberFailure {
    /// They finish their work.
    #[default]
    Wait,
    Cancel,
}

/// Where agents work that work at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemberIsolation {
    /// Each in a worktree of its own.
    Branch,
    Shared,
}

/// Settings of a `hierarchical` pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HierarchySettings {
    /// The coordinator must not answer before it has delegated something.
    pub must_delegate: bool,
    pub max_parallel: u32,
    pub max_delegations: u32,
    pub max_depth: u32,
}

impl Default for HierarchySettings {
    fn default() -> Self {
        Self { must_delegate: true, max_parallel: 4, max_delegations: 50, max_depth: 3 }
    }
}

/// Settings of a `consensus` pattern.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConsensusSettings {
    /// From 1, votes; below 1, a share of them. All when absent.
    pub quorum: Option<f64>,
    pub rule: VotingRule,
    /// Seconds from the proposal, after which absent votes are abstentions.
    pub timeout: u64,
    pub tie: TieRule,
    /// How much the vote of an agent counts; 1 when absent.
    pub weights: BTreeMap<String, f64>,
    pub max_rounds: u32,
}

impl Default for ConsensusSettings {
    fn default() -> Self {
        Self {
            quorum: None,
            rule: VotingRule::default(),
            timeout: 300,
            tie: TieRule::default(),
            weights: BTreeMap::new(),
            max_rounds: 1,
        }
    }
}

/// When a proposal is accepted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VotingRule {
    #[default]
    Majority,
    Unanimous,
    Weighted,
}

/// Who decides when a vote does not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TieRule {
    #[default]
    Human,
    Coordinator,
    Reject,
}

/// Settings of a `custom` pattern.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CustomSettings {
    /// The first step begins.
    pub workflow: Vec<CustomStep>,
}

/// One step, and which one follows it. Without a step for an outcome, the pattern ends. Exactly one of `agent`, `ask` and `check`
/// is given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CustomStep {
    pub step: String,
    #[serde(default)]
    pub agent: Option<String>,
    /// What a person is asked to approve, as a template.
    #[serde(default)]
    pub ask: Option<String>,
    /// A command that passes or fails.
    #[serde(default)]
    pub check: Option<String>,
    /// The prompt of the agent, as a template.
    #[serde(default)]
    pub task: Option<String>,
    #[serde(default)]
    pub next_on_success: Option<String>,
    #[serde(default)]
    pub next_on_failure: Option<String>,
    #[serde(default)]
    pub next_on_approve: Option<String>,
    #[serde(default)]
    pub next_on_reject: Option<String>,
    #[serde(default)]
    pub next_on_pass: Option<String>,
    #[serde(default)]
    pub next_on_fail: Option<String>,
}

impl CustomStep {
    /// The outcomes that lead to a step, each with its step.
    #[must_use]
    pub fn targets(&self) -> Vec<(&'static str, &str)> {
        let all = [
            ("success", &self.next_on_success),
            ("failure", &self.next_on_failure),
            ("approve", &self.next_on_approve),
            ("reject", &self.next_on_reject),
            ("pass", &self.next_on_pass),
            ("fail", &self.next_on_fail),
        ];
        all.into_iter().filter_map(|(outcome, step)| Some((outcome, step.as_deref()?))).collect()
    }
}
