//! Why a run is where it is: what it waits for, since when, and what moves it on. Pure.

use amelia_core::event::run::{DAMAGED, MISSING_KEY, WORKTREE_LOST};
use amelia_core::human::{HumanKind, HumanRequest};
use amelia_core::problem::Problem;
use amelia_core::run::RunStatus;
use amelia_core::view::{RunRow, RunView};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::silence::silence;

/// Why a run is in its state. `message` is for people; programs read `waiting_for`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Why {
    /// `start`, `turn`, `work`, `resume`, `retry`, `key`, `storage`, or the kind of a question: `approval`, `question`, `pause`, …
    pub waiting_for: String,
    /// Since when; for an interrupted run (`resume`), the time of its last event, because the time of the interruption is not
    /// known.
    #[schema(required)]
    pub since: Option<Timestamp>,
    pub message: String,
    pub unblock: String,
}

/// What moves a run now, which its log does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Worker {
    None,
    Moving,
    /// It stopped for this reason, and could not write it into the log: a full disk.
    Stalled(String),
}

impl Worker {
    /// What a person must do before a stalled run can be resumed.
    #[must_use]
    pub fn way_out(&self) -> Option<String> {
        let Self::Stalled(reason) = self else { return None };
        Some(Problem::parse(reason).hint.unwrap_or_else(|| "remove the cause".to_owned()))
    }

    /// The running time of a run until now, in milliseconds. Of a run that no process moves, it is not known when it stopped.
    #[must_use]
    pub fn running_ms(&self, view: &RunView, now: Timestamp) -> u64 {
        match self {
            Self::Moving => view.active_ms_at(now),
            Self::None | Self::Stalled(_) => view.active_ms,
        }
    }
}

/// `None` for a run that has ended for good.
#[must_use]
pub fn why(row: &RunRow, worker: &Worker) -> Option<Why> {
    let view = &row.view;
    let id = row.run.id;
    let said = |waiting_for: &str, since, message: String, unblock: String| {
        Some(Why { waiting_for: waiting_for.to_owned(), since, message, unblock })
    };
    if let (Worker::Stalled(reason), Some(hint)) = (worker, worker.way_out()) {
        let message = format!("stopped, and could not write to its log: {}", Problem::parse(reason));
        return said(
            "storage",
            view.updated_at,
            message,
            format!("{hint}; then POST /api/workflows/{id}/resume"),
        );
    }
    match view.status {
        RunStatus::Pending if view.queued_at.is_none() => said(
            "start",
            Some(row.run.created_at),
            "was created, but not started".to_owned(),
            format!("POST /api/workflows/{id}/start"),
        ),
        RunStatus::Pending => said(
            "turn",
            view.queued_at,
            match view.resume {
                None => "is queued: it starts when a worker is free".to_owned(),
                Some(_) => "is queued: it resumes when a worker is free".to_owned(),
            },
            "wait: it starts by itself".to_owned(),
        ),
        RunStatus::Running if *worker == Worker::None => said(
            "resume",
            view.updated_at,
            "was interrupted, and no worker is running it".to_owned(),
            format!("POST /api/workflows/{id}/resume"),
        ),
        RunStatus::Running => {
            let nodes: Vec<String> = view.active_nodes().map(ToString::to_string).collect();
            let message = if nodes.is_empty() {
                "is running".to_owned()
            } else {
                format!("is at {}", nodes.join(", "))
            };
            // What it waits for in the meantime.
            let message = match &view.retry {
                Some(retry) => format!("{message}: {}", retry.text),
                None => message,
            };
            said("work", view.updated_at, message, "wait: nothing is needed from you".to_owned())
        }
        RunStatus::Waiting(kind) => {
            let request = view.asked();
            let since = request.map(|request| request.at).or(view.updated_at);
            let message = request.map_or_else(|| kind.to_string(), asked_words);
            let unblock = match (kind, request) {
                (HumanKind::Approval, _) => {
                    format!("POST /api/workflows/{id}/approve, or /reject with feedback")
                }
                (_, Some(request)) if kind.is_asked_by_node() => {
                    format!("POST /api/workflows/{id}/hitl/{}/respond", request.id)
                }
                (HumanKind::Breakpoint | HumanKind::Step, _) => {
                    format!("POST /api/workflows/{id}/continue, or /step, or /cancel")
                }
                _ => format!("POST /api/workflows/{id}/resume, or /cancel"),
            };
            said(word(kind), since, message, unblock)
        }
        RunStatus::Failed => {
            let message = view.failure.as_ref().map(|failure| failure.message.clone());
            said(
                if view.lacks_key() { "key" } else { "retry" },
                view.ended_at,
                message.unwrap_or_else(|| "has failed".to_owned()),
                match has_lost_worktree(row) {
                    true => format!("amelia worktree restore {id}; then POST /api/workflows/{id}/resume"),
                    false if has_code(row, DAMAGED) => {
                        format!("POST /api/workflows/{id}/fork from the last intact checkpoint")
                    }
                    false if has_code(row, TOOL_FAILED) => format!("POST /api/workflows/{id}/fork"),
                    false if is_undecided(row) => format!(
                        "POST /api/workflows/{id}/state with other values, then POST /api/workflows/{id}/resume"
                    ),
                    false if may_need_other_agents(row) => format!(
                        "POST /api/workflows/{id}/resume; after a change of the profile, POST /api/workflows/{id}/agents-from-profile first"
                    ),
                    false => format!("POST /api/workflows/{id}/resume"),
                },
            )
        }
        RunStatus::Completed | RunStatus::Cancelled => None,
    }
}

/// What is asked, and what silence leads to.
fn asked_words(request: &HumanRequest) -> String {
    let deadline = request.deadline.filter(|_| request.waits_until().is_none());
    match silence(request.mode, deadline, request.on_timeout) {
        Some(silence) => format!("{} ({silence})", request.prompt),
        None => request.prompt.clone(),
    }
}

/// Whether it failed because its worktree was removed: until it is restored, the run would only fail again.
#[must_use]
pub fn has_lost_worktree(row: &RunRow) -> bool {
    has_code(row, WORKTREE_LOST)
}

/// The code of a route that the values of the state do not decide.
pub const BAD_CONDITION: &str = "bad_condition";

/// The code of a template that the values of the state cannot fill in.
pub const BAD_TEMPLATE: &str = "bad_template";

/// The code of a tool node whose call has failed. The result is in the log: resuming reads it again, and a fork makes a new
/// call.
pub const TOOL_FAILED: &str = "tool_failed";

/// Whether it failed because of values in its state: until they are others, the run would only fail again.
fn is_undecided(row: &RunRow) -> bool {
    has_code(row, BAD_CONDITION) || has_code(row, BAD_TEMPLATE)
}

fn has_code(row: &RunRow, code: &str) -> bool {
    row.view.failure.as_ref().is_some_and(|failure| failure.code == code)
}

/// The code of a failure that resuming only repeats, unless the run gets other agents.
pub const UNKNOWN_MODEL: &str = "unknown_model";

/// Whether a run has failed because of its agents, and can get others from its profile.
#[must_use]
pub fn may_need_other_agents(row: &RunRow) -> bool {
    const OF_AGENTS: [&str; 6] =
        [UNKNOWN_MODEL, "unauthorised", "refused", "unavailable", "program", MISSING_KEY];
    let code = row.view.failure.as_ref().map(|failure| failure.code.as_str());
    has_agents_of_profile(row) && code.is_some_and(|code| OF_AGENTS.contains(&code))
}

/// Whether the agents of a run come from a profile, and not from a workflow or a command.
#[must_use]
pub fn has_agents_of_profile(row: &RunRow) -> bool {
    let spec = &row.run.spec;
    spec.profile.is_some() && ["profile", "agent"].iter().any(|name| spec.input.get(name).is_some())
}

/// A kind of question in one word.
#[must_use]
pub fn word(kind: HumanKind) -> &'static str {
    match kind {
        HumanKind::Approval => "approval",
        HumanKind::Question => "question",
        HumanKind::Escalation => "escalation",
        HumanKind::Breakpoint => "breakpoint",
        HumanKind::Step => "step",
        HumanKind::Pause => "pause",
        HumanKind::StepLimit => "step_limit",
        HumanKind::Budget => "budget",
        HumanKind::Quota => "quota",
        HumanKind::Rounds => "rounds",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_running_time_has_the_time_since_the_last_event_while_a_process_moves_the_run() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let view = RunView {
            status: RunStatus::Running,
            active_ms: 20_000,
            updated_at: Some(at(100)),
            ..RunView::default()
        };
        assert_eq!(Worker::Moving.running_ms(&view, at(110)), 30_000);
        assert_eq!(Worker::None.running_ms(&view, at(110)), 20_000);
        let ended = RunView { status: RunStatus::Completed, ..view };
        assert_eq!(Worker::Moving.running_ms(&ended, at(110)), 20_000);
    }
}
