use amelia_core::check::CheckResult;
use amelia_core::config::profile::Profile;
use amelia_core::plan::check::check;
use amelia_core::review::Evaluation;
use amelia_core::tracker::Issue;
use amelia_core::workplace::ConflictedMerge;

use super::*;
use crate::pipeline::implementation::state::{PlanDraft, TaskCommit, TaskProgress};
use crate::remark::PersonRemark;
use crate::testing::place::{FakeWorkplace, deps};
use crate::testing::{ScriptedDriver, finding, issue, task_commit};

const PLAN: &str = "**Goal:** It adds.\n\n### Task 1: First\n\nOne.\n\n### Task 2: Second\n\nTwo.\n";

/// A run in its second task.
fn state(progress: TaskProgress) -> Implementation {
    let issue = Issue { description: "Badly.".to_owned(), ..issue("S-1", "It fails") };
    Implementation {
        issue: Some(issue),
        plan_path: "docs/plan.md".to_owned(),
        draft: Some(PlanDraft { plan: check(PLAN).0, markdown: PLAN.to_owned() }),
        is_approved: true,
        note: Some("Hurry.".to_owned()),
        task: 1,
        commits: vec![TaskCommit { title: "First".to_owned(), ..task_commit("1", None) }],
        progress,
        ..Implementation::default()
    }
}

fn develop() -> DevelopNode {
    DevelopNode(deps(&Arc::default(), &ScriptedDriver::new([]), Profile::default()))
}

/// What the Developer is told in a conversation that has begun, or has not.
fn word_of(state: &Implementation, told: &[PersonRemark]) -> String {
    develop().news(state).unwrap_or_else(|| develop().task_word(state, told))
}

#[test]
fn the_developer_is_told_one_task_and_where_the_plan_is() {
    let word = word_of(&state(TaskProgress::default()), &[]);
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
    let without = Implementation { plan_path: String::new(), ..state(TaskProgress::default()) };
    assert!(!word_of(&without, &[]).contains("The whole plan"), "a review has no file for its plan");
}

#[test]
fn the_developer_sees_what_the_person_has_said() {
    let told: Vec<PersonRemark> =
        PersonRemark::new("Which formats?", "CSV only, JSON later.").into_iter().collect();
    let word = word_of(&state(TaskProgress::default()), &told);
    let said = "say otherwise:\n\n- CSV only, JSON later.\n  They said this about:\n\n\
                <untrusted source=\"what they were asked\">\nWhich formats?\n</untrusted>\n\n\
                The person who approved the plan adds: Hurry.";
    assert!(word.contains(said), "{word}");
}

fn evaluation() -> Evaluation {
    let items = vec![finding("Zero", Disposition::Implement), finding("Name", Disposition::Reject)];
    Evaluation { items, summary: String::new() }
}

#[test]
fn what_stands_in_the_way_first_is_said_first() {
    let check = |passed| CheckResult { name: "test".to_owned(), passed, ..CheckResult::default() };
    let refused = |refused_by| TaskProgress {
        refusal: Some("no".to_owned()),
        refused_by,
        evaluation: Some(evaluation()),
        ..TaskProgress::default()
    };
    // A person has accepted the checks that failed; then the hook said no.
    let accepted = TaskProgress { checks: vec![check(false)], ..refused(CommitBlocker::Hook) };
    let failed = TaskProgress {
        checks: vec![check(false)],
        evaluation: Some(evaluation()),
        ..TaskProgress::default()
    };
    let conflict = TaskProgress { conflict: Some(ConflictedMerge::default()), ..TaskProgress::default() };
    let revised = TaskProgress {
        checks: vec![check(true)],
        round: 1,
        evaluation: Some(evaluation()),
        ..conflict.clone()
    };
    for (progress, words) in [
        (failed, "Not all passed"),
        (accepted, "a hook of this repository refused"),
        (refused(CommitBlocker::Hook), "a hook of this repository refused"),
        (refused(CommitBlocker::Signature), "a hook of this repository refused"),
        (refused(CommitBlocker::LostCommit), "a hook of this repository refused"),
        (refused(CommitBlocker::Submodule), "you have changed files inside submodules"),
        (refused(CommitBlocker::InnerRepository), "there are git repositories inside it"),
        (revised, "Your work was reviewed (round 1)"),
        (conflict, "your change does not fit with theirs"),
        (TaskProgress::default(), "Your task, number 2 of 2"),
    ] {
        let word = word_of(&state(progress.clone()), &[]);
        assert!(word.contains(words), "{progress:?}:\n{word}");
    }
}

#[test]
fn only_findings_that_are_right_come_back_with_the_base_of_a_foreign_change() {
    let mut state =
        state(TaskProgress { round: 1, evaluation: Some(evaluation()), ..TaskProgress::default() });
    let own = word_of(&state, &[]);
    assert!(own.contains("1. Zero") && !own.contains("Name") && !own.contains("0123"), "{own}");
    state.issue = None;
    let foreign = word_of(&state, &[]);
    assert!(foreign.starts_with("The changes of this worktree since commit 0123 were reviewed"), "{foreign}");
}

#[test]
fn the_developer_sees_what_a_person_said_about_unclear_findings() {
    let clarified = PersonRemark::new("- Zero: where?", "In the sum.");
    let evaluation = Some(evaluation());
    let word =
        word_of(&state(TaskProgress { round: 1, evaluation, clarified, ..TaskProgress::default() }), &[]);
    let said = "asked what unclear findings mean:\n\n<untrusted source=\"what they were asked\">\n- Zero: where?\n\
                </untrusted>\n\nTheir answer: In the sum.";
    assert!(word.contains(said), "{word}");
}

#[test]
fn only_checks_that_failed_come_back() {
    let check = |name: &str, passed| CheckResult { name: name.to_owned(), passed, ..CheckResult::default() };
    let checks = vec![check("lint", true), check("test", false)];
    let word = word_of(&state(TaskProgress { checks, ..TaskProgress::default() }), &[]);
    assert!(word.contains("## test was killed") && !word.contains("## lint"), "{word}");
    assert!(
        word.contains("Fix what your work broke") && word.contains("not your work, change nothing for it"),
        "the system prompt says the same of checks that were broken before:\n{word}"
    );
}

#[test]
fn a_conflict_names_its_worktree_and_its_files() {
    let conflict = ConflictedMerge { files: vec!["a.rs".to_owned()], text: "<<<<<<< ours".to_owned() };
    let place: Arc<FakeWorkplace> = Arc::default();
    let develop = DevelopNode(deps(&place, &ScriptedDriver::new([]), Profile::default()));
    let word =
        develop.news(&state(TaskProgress { conflict: Some(conflict), ..TaskProgress::default() })).unwrap();
    assert!(
        word.contains("in the worktree /tree.") && word.contains("a.rs") && word.contains("<<<<<<< ours")
    );
}
