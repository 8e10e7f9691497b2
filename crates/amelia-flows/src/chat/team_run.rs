//! How far a team is: how its last turn ended, what was handed over before, and what a person has decided. Pure.

use amelia_core::object::Object;
use amelia_core::plan::{Plan, PlanTask};
use serde::{Deserialize, Serialize};

use super::consensus_run::{ConsensusRun, ConsensusUpdate};
use super::parallel_run::{ParallelRun, ParallelUpdate};

/// As many handoffs as are compared with each other.
const KEPT_HANDOFFS: usize = 6;

/// A team at work.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TeamRun {
    /// How the last turn ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnEnd>,
    /// The newest handoffs, the oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub handoffs: Vec<Handoff>,
    /// Steps that a person has allowed beyond the limit.
    pub granted_steps: u64,
    /// Success criteria that do not hold; `None` while they were not looked at since the last turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unmet: Option<Vec<String>>,
    /// How often an agent got a message about unmet criteria since a person last decided.
    pub told: u32,
    /// A person takes the work as it is.
    pub is_accepted: bool,
    /// What a person has said to what follows the last turn, where they approve it first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<bool>,
    /// The agent that takes the next turn, because a person says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_agent: Option<String>,
    /// Agents have worked for the one that had the last turn, and it continues.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub has_returned: bool,
    /// What the run has come to so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Steps that the run had taken when this team began: it is inside another one.
    #[serde(skip_serializing_if = "is_none_yet")]
    pub steps_before: u64,
    /// How often in a row an agent was asked again, because its turn did not end as it must.
    #[serde(skip_serializing_if = "is_zero")]
    pub asked_again: u32,
    #[serde(skip_serializing_if = "ParallelRun::is_new")]
    pub parallel: ParallelRun,
    #[serde(skip_serializing_if = "ConsensusRun::is_new")]
    pub consensus: ConsensusRun,
    /// Only the outermost team has one.
    #[serde(skip_serializing_if = "is_no_plan")]
    pub plan: Plan,
    /// Tasks that have failed, and that no person has looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed_tasks: Vec<String>,
}

fn is_no_plan(plan: &Plan) -> bool {
    *plan == Plan::default()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_none_yet(number: &u64) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnEnd {
    pub agent: String,
    /// What it said in public.
    pub text: String,
    pub outcome: TurnOutcome,
    /// It was asked who continues.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub was_asked: bool,
    /// A failure criterion that holds, and that only a look at the files can decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// The node of the turn, when it is not named like the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// It began when other agents had worked for its agent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_back: bool,
    /// No agent did this step: where the agent continues that had the last turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back_to: Option<String>,
    /// Tasks that its agent has given to others, in all of its turns.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delegations: u32,
}

impl TurnEnd {
    /// A turn in the node of the agent that nothing is known of but its end.
    #[must_use]
    pub fn new(agent: &str, text: String, outcome: TurnOutcome) -> Self {
        let agent = agent.to_owned();
        Self {
            agent,
            text,
            outcome,
            was_asked: false,
            failed: None,
            node: None,
            is_back: false,
            back_to: None,
            delegations: 0,
        }
    }

    /// The node of the turn.
    #[must_use]
    pub fn node(&self) -> &str {
        self.node.as_deref().unwrap_or(&self.agent)
    }

    /// The node of the newest turn that an agent had.
    #[must_use]
    pub fn agent_node(&self) -> &str {
        self.back_to.as_deref().unwrap_or_else(|| self.node())
    }
}

/// What an agent ended its turn with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnOutcome {
    /// Words alone.
    Said,
    Finished,
    HandedOff {
        to: String,
        reason: String,
        #[serde(default, skip_serializing_if = "Object::is_empty")]
        context: Object,
    },
    /// The outcome of a step.
    Reported {
        outcome: String,
    },
}

/// One agent has continued after another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handoff {
    pub from: String,
    pub to: String,
    /// Equal for equal words.
    pub words: u64,
    /// Files or the plan were changed before it.
    pub has_changed: bool,
}

/// What has happened to a team.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TeamUpdate {
    /// A team inside another one begins, perhaps once more, when the run has taken so many steps.
    Began {
        steps: u64,
    },
    TurnEnded(TurnEnd),
    HandedOff(Handoff),
    /// The agents that worked for another one are done.
    Returned,
    /// The success criteria were looked at.
    Judged {
        unmet: Vec<String>,
    },
    /// A person lets the team continue.
    Continued {
        more_steps: u64,
    },
    Accepted,
    /// A person has approved what follows the last turn, or has not.
    Approved(bool),
    /// A person says who takes the next turn.
    Overridden {
        next_agent: String,
    },
    /// The turn did not end as it must: so often in a row.
    AskedAgain {
        times: u32,
    },
    Parallel(ParallelUpdate),
    Consensus(ConsensusUpdate),
    /// Tasks of the plan are new or others than before.
    Planned {
        tasks: Vec<PlanTask>,
        /// Those that have failed since.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        failed: Vec<String>,
    },
}

impl TeamRun {
    pub(super) fn is_new(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn apply(&mut self, update: TeamUpdate) {
        match update {
            TeamUpdate::Began { steps } => *self = Self { steps_before: steps, ..Self::default() },
            TeamUpdate::TurnEnded(end) => {
                // An answer to the question who continues is no result, and neither is silence.
                let is_result = !end.was_asked || end.outcome == TurnOutcome::Finished;
                if is_result && !end.text.trim().is_empty() {
                    self.result = Some(end.text.clone());
                }
                self.unmet = None;
                self.approval = None;
                self.has_returned = false;
                self.next_agent.take_if(|next| *next == end.agent);
                self.turn = Some(end);
            }
            TeamUpdate::HandedOff(handoff) => {
                self.handoffs.push(handoff);
                let old = self.handoffs.len().saturating_sub(KEPT_HANDOFFS);
                self.handoffs.drain(..old);
            }
            TeamUpdate::Returned => self.has_returned = true,
            TeamUpdate::Judged { unmet } => {
                self.told = self.told.saturating_add(u32::from(!unmet.is_empty()));
                self.unmet = Some(unmet);
            }
            TeamUpdate::Continued { more_steps } => {
                self.granted_steps = self.granted_steps.saturating_add(more_steps);
                self.told = 0;
                self.asked_again = 0;
                self.handoffs.clear();
                self.failed_tasks.clear();
            }
            TeamUpdate::Accepted => self.is_accepted = true,
            TeamUpdate::Approved(is_approved) => self.approval = Some(is_approved),
            TeamUpdate::Overridden { next_agent } => self.next_agent = Some(next_agent),
            TeamUpdate::AskedAgain { times } => self.asked_again = times,
            TeamUpdate::Parallel(update) => self.parallel.apply(update),
            TeamUpdate::Consensus(update) => self.consensus.apply(update),
            TeamUpdate::Planned { tasks, failed } => {
                for task in tasks {
                    match self.plan.tasks.iter_mut().find(|old| old.id == task.id) {
                        Some(old) => *old = task,
                        None => self.plan.tasks.push(task),
                    }
                }
                self.failed_tasks.extend(failed);
            }
        }
    }

    /// The two agents that hand over to each other with the same words, and without progress.
    #[must_use]
    pub fn ping_pong(&self) -> Option<(&str, &str)> {
        let last = self.handoffs.last().filter(|_| self.handoffs.len() >= KEPT_HANDOFFS)?;
        let mut pairs = self.handoffs.iter().zip(self.handoffs.iter().skip(2));
        let repeats = pairs.all(|(one, next)| one == next);
        let alternates = self
            .handoffs
            .iter()
            .zip(self.handoffs.iter().skip(1))
            .all(|(one, next)| one.from == next.to && one.to == next.from);
        let has_changed = self.handoffs.iter().any(|handoff| handoff.has_changed);
        (repeats && alternates && !has_changed).then_some((&last.from, &last.to))
    }
}

impl Handoff {
    /// A handoff with these words. Case and blanks make no difference.
    #[must_use]
    pub fn new(from: &str, to: &str, words: &str, has_changed: bool) -> Self {
        let plain = words.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase);
        Self { from: from.to_owned(), to: to.to_owned(), words: hash(plain), has_changed }
    }
}

/// FNV-1a: stored with runs, so it is the same in every version of this program.
fn hash(text: impl Iterator<Item = char>) -> u64 {
    text.fold(0xcbf2_9ce4_8422_2325, |hash, c| {
        (hash ^ u64::from(u32::from(c))).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchanged(count: usize, last_words: &str, has_changed: bool) -> TeamRun {
        let mut run = TeamRun::default();
        for place in 1..=count {
            let (from, to) = if place % 2 == 0 { ("b", "a") } else { ("a", "b") };
            let words = if place == count { last_words } else { &format!("Please, {from}") };
            run.apply(TeamUpdate::HandedOff(Handoff::new(from, to, words, has_changed && place == count)));
        }
        run
    }

    #[test]
    fn two_agents_that_only_repeat_themselves_are_found_after_six_handoffs() {
        assert_eq!(exchanged(6, " please,\nB", false).ping_pong(), Some(("b", "a")));
        assert_eq!(exchanged(7, "PLEASE, a", false).ping_pong(), Some(("a", "b")));
        for (count, words, has_changed) in
            [(5, "please, a", false), (6, "something new", false), (6, "please, b", true)]
        {
            assert_eq!(exchanged(count, words, has_changed).ping_pong(), None, "{count} {words}");
        }
        let mut three = exchanged(6, "please, b", false);
        three.apply(TeamUpdate::HandedOff(Handoff::new("a", "c", "please, a", false)));
        assert_eq!(three.ping_pong(), None, "another agent takes part");
        let mut allowed = exchanged(6, "please, b", false);
        allowed.apply(TeamUpdate::Continued { more_steps: 0 });
        assert_eq!(allowed.ping_pong(), None, "a person has let them continue");
    }

    #[test]
    fn an_answer_to_the_question_who_continues_is_no_result() {
        let mut run = TeamRun::default();
        let end = |text: &str, was_asked, outcome| {
            TeamUpdate::TurnEnded(TurnEnd { was_asked, ..TurnEnd::new("a", text.to_owned(), outcome) })
        };
        run.apply(end("The text.", false, TurnOutcome::Said));
        run.apply(end("Nobody.", true, TurnOutcome::Said));
        assert_eq!(run.result.as_deref(), Some("The text."));
        run.apply(end("The end.", true, TurnOutcome::Finished));
        assert_eq!(run.result.as_deref(), Some("The end."));
    }
}
