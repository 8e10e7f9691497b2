use amelia_core::check::CheckResult;
use amelia_core::config::profile::Profile;
use amelia_core::plan::check::check;
use amelia_core::review::Evaluation;
use amelia_core::tracker::Issue;
use amelia_core::workplace::Torn;

use super::*;
use crate::pipeline::implementation::state::{Draft, Progress, TaskCommit};
use crate::testing::place::{Place, deps};
use crate::testing::{Script, finding, issue, task_commit};

const PLAN: &str = "**Goal:** It adds.\n\n### Task 1: First\n\nOne.\n\n### Task 2: Second\n\nTwo.\n";

/// A run in its second task.
fn state(progress: Progress) -> Implementation {
    let issue = Issue { description: "Badly.".to_owned(), ..issue("S-1", "It fails") };
    Implementation {
        issue: Some(issue),
        plan_path: "docs/plan.md".to_owned(),
        draft: Some(Draft { plan: check(PLAN).0, markdown: PLAN.to_owned() }),
        is_approved: true,
        note: Some("Hurry.".to_owned()),
        task: 1,
        commits: vec![TaskCommit { title: "First".to_owned(), ..task_commit("1", None) }],
        progress,
        ..Implementation::default()
    }
}

fn develop() -> Develop {
    Develop(deps(&Arc::default(), &Script::new([]), Profile::default()))
}

#[test]
fn the_developer_is_told_one_task_and_where_the_plan_is() {
    let word = develop().word(&state(Progress::default()));
    for words in [
        "It fails",
        "Badly.",
        "It adds.",
        "<untrusted source=\"plan\">\nFirst\n</untrusted>",
        "number 2 of 2",
        "Two.",
        "The whole plan is in the file `docs/plan.md`.",
        "The person who approved the plan adds: Hurry.",
    ] {
        assert!(word.contains(words), "`{words}` is missing:\n{word}");
    }
    assert!(!word.contains("One."), "another task:\n{word}");
    let without = Implementation { plan_path: String::new(), ..state(Progress::default()) };
    assert!(!develop().word(&without).contains("The whole plan"), "a review has no file for its plan");
}

fn evaluation() -> Evaluation {
    let items = vec![finding("Zero", Disposition::Implement), finding("Name", Disposition::Reject)];
    Evaluation { items, summary: String::new() }
}

#[test]
fn what_stands_in_the_way_first_is_said_first() {
    let check = |passed| CheckResult { name: "test".to_owned(), passed, ..CheckResult::default() };
    let refused = |refused_by| Progress {
        refusal: Some("no".to_owned()),
        refused_by,
        evaluation: Some(evaluation()),
        ..Progress::default()
    };
    let all = Progress { checks: vec![check(false)], ..refused(RefusedBy::Hook) };
    let torn = Progress { torn: Some(Torn::default()), ..Progress::default() };
    let revised =
        Progress { checks: vec![check(true)], round: 1, evaluation: Some(evaluation()), ..torn.clone() };
    for (progress, words) in [
        (all, "Not all passed"),
        (refused(RefusedBy::Hook), "a hook of this repository refused"),
        (refused(RefusedBy::Signature), "a hook of this repository refused"),
        (refused(RefusedBy::LostCommit), "a hook of this repository refused"),
        (refused(RefusedBy::Submodule), "you have changed files inside submodules"),
        (refused(RefusedBy::InnerRepository), "there are git repositories inside it"),
        (revised, "Your work was reviewed (round 1)"),
        (torn, "your change does not fit with theirs"),
        (Progress::default(), "Your task, number 2 of 2"),
    ] {
        let word = develop().word(&state(progress.clone()));
        assert!(word.contains(words), "{progress:?}:\n{word}");
    }
}

#[test]
fn only_findings_that_are_right_come_back_with_the_base_of_a_foreign_change() {
    let mut state = state(Progress { round: 1, evaluation: Some(evaluation()), ..Progress::default() });
    let own = develop().word(&state);
    assert!(own.contains("1. Zero") && !own.contains("Name") && !own.contains("0123"), "{own}");
    state.issue = None;
    let foreign = develop().word(&state);
    assert!(foreign.starts_with("The changes of this worktree since commit 0123 were reviewed"), "{foreign}");
}

#[test]
fn only_checks_that_failed_come_back() {
    let check = |name: &str, passed| CheckResult { name: name.to_owned(), passed, ..CheckResult::default() };
    let checks = vec![check("lint", true), check("test", false)];
    let word = develop().word(&state(Progress { checks, ..Progress::default() }));
    assert!(word.contains("## test was killed") && !word.contains("## lint"), "{word}");
}

#[test]
fn a_conflict_names_its_worktree_and_its_files() {
    let torn = Torn { files: vec!["a.rs".to_owned()], text: "<<<<<<< ours".to_owned() };
    let place: Arc<Place> = Arc::default();
    let develop = Develop(deps(&place, &Script::new([]), Profile::default()));
    let word = develop.word(&state(Progress { torn: Some(torn), ..Progress::default() }));
    assert!(
        word.contains("in the worktree /tree.") && word.contains("a.rs") && word.contains("<<<<<<< ours")
    );
}
