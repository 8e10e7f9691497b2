//! Why a run is where it is, in a sentence, and the commands that move it on. Pure.

use amelia_core::delivery::MergedChange;
use amelia_core::human::HumanKind;
use amelia_core::problem::Problem;
use amelia_core::quota::ExhaustedQuota;
use amelia_core::run::RunStatus;
use amelia_core::text::short_commit;
use amelia_core::view::RunRow;
use amelia_wire::rest::delivery::UndoneWay;
use amelia_wire::rest::human::Pending;
use amelia_wire::rest::why::{Worker, has_agents_of_profile, has_lost_worktree, why};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::after_failure::{after_failure, with_agents};
use crate::commands::way_out::way_out;
use crate::findings::is_completed_review;
use crate::follow::late_words;
use crate::outcome::undone_merge;
use crate::reviewed::changed_by;
use crate::ui;

/// What is known of a run that has ended besides its row.
#[derive(Debug, Clone, Default)]
pub(super) struct Ending {
    /// It has changed files.
    pub(super) has_changes: bool,
    /// As many of them are in no commit.
    pub(super) uncommitted: usize,
    /// The checkpoint that a fork can begin at.
    pub(super) last_checkpoint: Option<u32>,
    /// It was merged, and that was undone.
    pub(super) undone: Option<UndoneWay>,
    /// The branch that has its commits although Amelia did not merge them.
    pub(super) merged_by_hand: Option<String>,
}

/// The sentence, since when it is so, and what to do next, a line each.
pub(super) fn reason(row: &RunRow, worker: &Worker, ending: &Ending, now: Timestamp, me: &str) -> String {
    let mut lines = vec![sentence(row, worker, ending)];
    let output = row.view.pending.last().and_then(|request| request.context.get("output")?.as_str());
    let output = output.map(|output| ui::quoted_lines(output, 2)).unwrap_or_default();
    lines.extend(output.lines().filter(|line| !line.is_empty()).map(str::to_owned));
    if let Some(since) = why(row, worker).and_then(|told| told.since).or(row.view.ended_at) {
        // What ended it could not write when that was.
        let is_interrupted = row.view.status == RunStatus::Running && *worker == Worker::None;
        let label = if is_interrupted { "last event" } else { "since" };
        lines.push(format!("{} {}", ui::dim(label), ui::day_time(since)));
    }
    lines.extend(late_and_next(row, worker, ending, now, me));
    if is_completed_review(row) {
        lines.push(format!("{} {me} status {}", ui::dim("findings"), row.run.number));
    }
    lines.join("\n")
}

/// The same for a program, of a run that has ended for good: it waits for nothing.
pub(super) fn ended_in_json(row: &RunRow, worker: &Worker, ending: &Ending) -> Value {
    let message = sentence(row, worker, ending);
    json!({"waiting_for": null, "since": row.view.ended_at, "message": message, "unblock": null})
}

/// Words that came too late, and what to do next.
pub(super) fn late_and_next(
    row: &RunRow,
    worker: &Worker,
    ending: &Ending,
    now: Timestamp,
    me: &str,
) -> Vec<String> {
    let late = late_words(row)
        .map(|words| format!("this message came too late for the agents: {}", ui::clean(words)));
    let next = next(row, worker, ending, now, me).map(|next| format!("{} {next}", ui::dim("next")));
    late.chain(not_committed(row, ending)).chain(next).collect()
}

/// Where changes are that only their files have.
fn not_committed(row: &RunRow, ending: &Ending) -> Option<String> {
    let place = row.run.spec.place.as_ref().filter(|_| ending.uncommitted > 0)?;
    let files = ui::counted(ending.uncommitted, "file");
    let place = match place.in_place {
        true if !changed_by(row).has_own() => return None,
        true if place.is_workspace() => {
            format!("in a directory of Amelia's own, {}", ui::path(&place.repository))
        }
        true => format!("in your checkout {}", ui::path(&place.repository)),
        false => "in the worktree of the run".to_owned(),
    };
    Some(format!("{} {files} {place}", ui::dim("not committed")))
}

fn sentence(row: &RunRow, worker: &Worker, ending: &Ending) -> String {
    let view = &row.view;
    let told = || why(row, worker).map(|told| told.message).unwrap_or_default();
    let text = match view.status {
        _ if matches!(worker, Worker::Stalled(_)) => format!("It {}", told()),
        RunStatus::Running if *worker == Worker::None => {
            "It was interrupted: no server is running it.".to_owned()
        }
        RunStatus::Pending | RunStatus::Running => format!("It {}.", told()),
        RunStatus::Waiting(HumanKind::Pause) => "It is paused.".to_owned(),
        RunStatus::Waiting(kind) if kind.is_asked_by_node() || kind == HumanKind::Approval => {
            format!("It asks: {}", told())
        }
        RunStatus::Waiting(_) => format!("It is waiting: {}", told()),
        RunStatus::Failed if view.lacks_key() => {
            format!("It is waiting for a key: {}", Problem::parse(&told()).message)
        }
        RunStatus::Failed => format!("It failed: {}", Problem::parse(&told()).message),
        RunStatus::Cancelled => "It was cancelled.".to_owned(),
        RunStatus::Completed => {
            let end = match (&view.merged, ending.undone) {
                _ if let Some(into) = &ending.merged_by_hand => {
                    format!("It is completed, and {into} has its changes")
                }
                (Some(MergedChange { into, commit, .. }), Some(how)) => {
                    format!("It is completed; {}", undone_merge(into, commit, how))
                }
                (Some(MergedChange { into, commit, .. }), None) => {
                    format!("It is completed, and was merged into {into} ({})", short_commit(commit))
                }
                (None, _) => "It is completed".to_owned(),
            };
            match view.summary.as_deref().map(str::trim).filter(|summary| !summary.is_empty()) {
                Some(summary) => format!("{end}: {summary}"),
                None => format!("{end}."),
            }
        }
    };
    ui::clean(&text)
}

/// The commands that move it on; nothing if there is nothing to do.
pub(super) fn next(
    row: &RunRow,
    worker: &Worker,
    ending: &Ending,
    now: Timestamp,
    me: &str,
) -> Option<String> {
    let run = row.run.number;
    let resets_at = ExhaustedQuota::waited_for(&row.view).map(|(_, used_up)| used_up.resets_at);
    Some(match (row.view.status, resets_at) {
        _ if matches!(worker, Worker::Stalled(_)) => {
            format!("{}; then {me} resume {run}", worker.way_out().unwrap_or_default())
        }
        (RunStatus::Running, _) if *worker == Worker::None => format!("{me} resume {run}"),
        (RunStatus::Pending, _) if row.view.queued_at.is_none() => format!("{me} run {run}"),
        (RunStatus::Running, _) if let Some(retry) = &row.view.retry => {
            let other = match has_agents_of_profile(row) {
                true => format!("{me} pause {run}, correct the profile, then {}", with_agents(row, me)),
                false => format!("{me} cancel {run}"),
            };
            let ago = ui::ago(retry.at, now);
            format!(
                "it continues when the model answers (last failure {ago}); if the address is wrong, {other}"
            )
        }
        (RunStatus::Pending | RunStatus::Running, _) => "wait: nothing is needed from you".to_owned(),
        (RunStatus::Waiting(HumanKind::Quota), Some(at)) => {
            let left = ui::left(at, now);
            format!("nothing: a server resumes it {left}; {me} resume {run} tries now")
        }
        (RunStatus::Waiting(kind), _) => {
            let asked = row.view.pending.iter().find(|request| request.kind == kind);
            asked.map_or_else(
                || format!("{me} resume {run}"),
                |request| way_out(&Pending::new(row, request), row.view.pending.len() > 1, me),
            )
        }
        (RunStatus::Failed, _) if has_lost_worktree(row) => {
            format!("{me} worktree restore {run}; then {me} resume {run}")
        }
        (RunStatus::Failed, _) => after_failure(row, me),
        // They were there before it, and may be gone.
        (RunStatus::Completed, _) if !changed_by(row).has_own() => return None,
        (RunStatus::Completed, _) => {
            let is_in_place = row.run.spec.place.as_ref().is_some_and(|place| place.in_place);
            let is_merged = match &row.view.merged {
                Some(_) => ending.undone != Some(UndoneWay::Removed),
                None => ending.merged_by_hand.is_some(),
            };
            match (ending.has_changes, is_merged || is_in_place) {
                (false, _) => return None,
                (true, true) => format!("{me} diff {run}"),
                (true, false) => format!("{me} diff {run}; {me} merge {run}"),
            }
        }
        (RunStatus::Cancelled, _) => {
            let diff = ending.has_changes.then(|| format!("{me} diff {run}"));
            let fork = ending
                .last_checkpoint
                .map(|number| format!("{me} fork {run} --at {number} (a new run that continues from there)"));
            let ways: Vec<String> = diff.into_iter().chain(fork).collect();
            return (!ways.is_empty()).then(|| ways.join("; "));
        }
    })
}

#[cfg(test)]
mod tests {
    use amelia_core::clock::{Clock as _, SystemClock};
    use amelia_core::human::HumanRequest;
    use amelia_core::id::{GraphName, NodeId, RunId, RunNumber};
    use amelia_core::run::{Run, RunSpec};
    use amelia_core::view::{NodeView, RunView};

    use super::*;

    fn row(view: RunView) -> RunRow {
        let run = Run {
            id: RunId(SystemClock.new_id()),
            number: RunNumber(4),
            spec: RunSpec::new(GraphName::new("implementation").unwrap(), "Fix the sum"),
            created_at: Timestamp::UNIX_EPOCH,
        };
        RunRow { run, view }
    }

    fn told(view: RunView, worker: &Worker, ending: &Ending) -> String {
        let view = RunView { updated_at: None, ..view };
        let told = reason(&row(view), worker, ending, Timestamp::UNIX_EPOCH, "amelia");
        anstream::adapter::strip_str(&told).to_string()
    }

    fn of(status: RunStatus) -> RunView {
        RunView { status, ..RunView::default() }
    }

    fn asking(kind: HumanKind, prompt: &str, context: &Value) -> String {
        let request: HumanRequest = serde_json::from_value(json!({
            "id": uuid::Uuid::nil(), "kind": kind, "by": "engine", "at": "2026-01-01T00:00:00Z",
            "prompt": prompt, "context": context,
        }))
        .unwrap();
        told(
            RunView { pending: vec![request], ..of(RunStatus::Waiting(kind)) },
            &Worker::None,
            &Ending::default(),
        )
    }

    #[test]
    fn a_run_that_has_not_ended_is_described_in_whole_sentences() {
        let plain = &Ending::default();
        let created = told(of(RunStatus::Pending), &Worker::None, plain);
        assert!(created.starts_with("It was created, but not started.\n"), "{created}");
        let mut running = of(RunStatus::Running);
        running.nodes.insert(NodeId::new("develop").unwrap(), NodeView { visits: 1, active: 1 });
        let at_work = told(running.clone(), &Worker::Moving, plain);
        assert_eq!(at_work, "It is at develop.\nnext wait: nothing is needed from you");
        let interrupted = told(running.clone(), &Worker::None, plain);
        assert_eq!(interrupted, "It was interrupted: no server is running it.\nnext amelia resume r4");
        let at = RunView { updated_at: Some(Timestamp::UNIX_EPOCH), ..running };
        let dated = |worker| reason(&row(at.clone()), &worker, plain, Timestamp::UNIX_EPOCH, "amelia");
        assert!(dated(Worker::None).contains("last event"), "it is not known when it was killed");
        assert!(dated(Worker::Moving).contains("since"), "{}", dated(Worker::Moving));
        let paused = asking(HumanKind::Pause, "paused: continue?", &json!({}));
        assert!(
            paused.starts_with("It is paused.\n") && paused.contains("next amelia resume r4;"),
            "{paused}"
        );
        let failure = serde_json::from_value(json!({"code": "x", "message": "the model is gone"})).unwrap();
        let failed = told(RunView { failure: Some(failure), ..of(RunStatus::Failed) }, &Worker::None, plain);
        assert_eq!(failed, "It failed: the model is gone\nnext amelia resume r4");
        let message = "the variable `A_KEY` is not set\n  hint: set it; then amelia resume r4";
        let failure = serde_json::from_value(json!({"code": "missing_key", "message": message})).unwrap();
        let lacking = told(RunView { failure: Some(failure), ..of(RunStatus::Failed) }, &Worker::None, plain);
        let expected =
            "It is waiting for a key: the variable `A_KEY` is not set\nnext set it; then amelia resume r4";
        assert_eq!(lacking, expected);
    }

    #[test]
    fn a_question_has_the_same_ways_out_as_in_the_inbox() {
        let prompt = "approve the plan (1 task)?";
        let valid = asking(HumanKind::Approval, prompt, &json!({"plan_path": "p"}));
        assert!(valid.starts_with("It asks: approve the plan (1 task)?\n"), "{valid}");
        assert!(valid.contains("next amelia plan show r4; amelia approve r4; amelia reject r4"), "{valid}");
        let invalid =
            asking(HumanKind::Approval, prompt, &json!({"plan_path": "p", "problems": ["no task"]}));
        assert!(!invalid.contains("approve r4") && invalid.contains("reject r4"), "{invalid}");
        let rounds = asking(HumanKind::Rounds, "3 rounds", &json!({}));
        assert!(rounds.contains("--approve") && rounds.ends_with("amelia cancel r4"), "{rounds}");
    }

    #[test]
    fn the_changes_that_a_review_looked_at_are_not_its_own() {
        let place = json!({"repository": "/r", "key": "k", "base_commit": "c", "in_place": true});
        let of = |graph: &str, view: RunView| {
            let mut row = row(view);
            row.run.spec.graph = GraphName::new(graph).unwrap();
            row.run.spec.place = Some(serde_json::from_value(place.clone()).unwrap());
            not_committed(&row, &Ending { uncommitted: 2, ..Ending::default() })
        };
        assert_eq!(of("review", of_completed()), None);
        assert!(of("single", of_completed()).is_some());
        let mut fixed = of_completed();
        fixed.nodes.insert(NodeId::new("develop").unwrap(), NodeView { visits: 1, active: 0 });
        assert!(of("review", fixed).is_some());
    }

    #[test]
    fn the_directory_of_a_run_outside_of_a_repository_is_no_checkout() {
        let place = json!({
            "repository": "/a/workspaces/018f0000-0000-7000-8000-000000000000", "key": "k", "base_commit": "c",
            "in_place": true,
        });
        let mut row = row(of_completed());
        row.run.spec.place = Some(serde_json::from_value(place).unwrap());
        let told = not_committed(&row, &Ending { uncommitted: 2, ..Ending::default() }).unwrap();
        assert!(told.contains("in a directory of Amelia's own, /a/workspaces/018f"), "{told}");
    }

    fn of_completed() -> RunView {
        of(RunStatus::Completed)
    }

    #[test]
    fn a_run_that_has_ended_says_how_and_what_can_still_be_done() {
        let known = &Ending { has_changes: true, last_checkpoint: Some(7), ..Ending::default() };
        let cancelled = told(of(RunStatus::Cancelled), &Worker::None, known);
        let fork = "amelia fork r4 --at 7 (a new run that continues from there)";
        assert_eq!(cancelled, format!("It was cancelled.\nnext amelia diff r4; {fork}"));
        let at_once = told(of(RunStatus::Cancelled), &Worker::None, &Ending::default());
        assert_eq!(at_once, "It was cancelled.");
        let completed = told(of(RunStatus::Completed), &Worker::None, known);
        assert_eq!(completed, "It is completed.\nnext amelia diff r4; amelia merge r4");
        let by_hand = Ending { merged_by_hand: Some("main".to_owned()), ..known.clone() };
        let by_hand = told(of(RunStatus::Completed), &Worker::None, &by_hand);
        assert_eq!(by_hand, "It is completed, and main has its changes.\nnext amelia diff r4");
        let change: Option<MergedChange> = serde_json::from_value(json!({
            "branch": "amelia/x", "into": "main", "method": "squash", "before": "b",
            "commit": "fedcba9876543210", "branch_deleted": false,
        }))
        .unwrap();
        let merged =
            told(RunView { merged: change.clone(), ..of(RunStatus::Completed) }, &Worker::None, known);
        assert_eq!(merged, "It is completed, and was merged into main (fedcba9).\nnext amelia diff r4");
        let replaced = Ending { merged_by_hand: Some("main".to_owned()), ..known.clone() };
        let replaced =
            told(RunView { merged: change.clone(), ..of(RunStatus::Completed) }, &Worker::None, &replaced);
        assert_eq!(replaced, by_hand, "its merge is gone, and another has its changes");
        let undone = |how| {
            let view = RunView { merged: change.clone(), ..of(RunStatus::Completed) };
            told(view, &Worker::None, &Ending { undone: Some(how), ..known.clone() })
        };
        let removed = undone(UndoneWay::Removed);
        assert!(
            removed.starts_with("It is completed; its merge into main (fedcba9) was undone."),
            "{removed}"
        );
        assert!(removed.ends_with("next amelia diff r4; amelia merge r4"), "{removed}");
        let reverted = undone(UndoneWay::Reverted);
        assert!(reverted.contains("was reverted.") && !reverted.contains("amelia merge"), "{reverted}");
    }
}
