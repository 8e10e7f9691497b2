use amelia_core::plan::check::check;

use super::lanes::LaneChange;
use super::*;
use crate::role::reviewer::merge;
use crate::testing::finding;

/// A run whose plan has tasks 1 to 4 on files of their own; 4 depends on 1.
fn begun() -> Implementation {
    let mut text = "**Goal:** g\n".to_owned();
    for id in 1..=4 {
        text += &format!("### Task {id}: t{id}\n**Files:**\n- Create: `f{id}`\n");
    }
    text += "**Depends on:** 1\n";
    let draft = PlanDraft { plan: check(&text).0, markdown: text };
    Implementation { draft: Some(draft), is_approved: true, ..Implementation::default() }
}

fn commit(task: &str) -> TaskCommit {
    TaskCommit {
        task: task.to_owned(),
        title: format!("t{task}"),
        commit: Some(task.repeat(40)),
        ..TaskCommit::default()
    }
}

fn apply(state: &mut Implementation, changes: Vec<LaneChange>) {
    changes.into_iter().for_each(|change| state.apply(Update::Lanes(change)));
}

fn inside(lane: u32, update: Update) -> LaneChange {
    LaneChange::In { lane, update: Box::new(update) }
}

#[test]
fn tasks_beside_each_other_come_together_in_any_order_and_the_rest_follows() {
    let mut state = begun();
    assert_eq!(state.batch(9), [0, 1, 2]);
    apply(&mut state, vec![LaneChange::Divided(vec![0, 1, 2])]);
    let check =
        |passed| Update::Checked(vec![amelia_core::check::CheckResult { passed, ..Default::default() }]);
    apply(&mut state, vec![inside(2, check(false)), inside(1, check(true))]);
    assert_eq!(state.lanes.open[&2].progress.failed_checks, 1);
    assert_eq!(state.lanes.open[&1].progress.failed_checks, 0);
    assert_eq!(state.progress, TaskProgress::default(), "the run itself has no task under way");
    let seen = state.seen_from(&state.lanes.open[&2]);
    assert_eq!((seen.task, seen.progress.failed_checks), (1, 1));
    apply(
        &mut state,
        vec![inside(3, Update::Committed(commit("3"))), inside(1, Update::Committed(commit("1")))],
    );
    assert_eq!(state.commits, [], "what is committed in a lane is not yet part of the whole");
    apply(
        &mut state,
        vec![LaneChange::Merged { lane: 1, commit: commit("1") }, LaneChange::Conflicted { lane: 2 }],
    );
    assert_eq!((state.task, state.batch(1)), (1, vec![1]));
    let lane = &state.lanes.open[&2];
    assert!(lane.is_conflicted());
    assert_eq!((lane.part(), lane.part_before()), ("task-2-again-1".to_owned(), Some("task-2".to_owned())));
    apply(&mut state, vec![inside(2, Update::GivenUp), LaneChange::Merged { lane: 3, commit: commit("3") }]);
    assert!(state.lanes.open.is_empty());
    let closing: Vec<(&str, bool)> =
        state.lanes.closing.iter().map(|part| (part.key.as_str(), part.is_given_up)).collect();
    assert_eq!(closing, [("task-1", false), ("task-2", true), ("task-2-again-1", true), ("task-3", false)]);
    assert_eq!(state.batch(9), [1], "given up: with nobody beside it");
    state.apply(Update::Committed(commit("2")));
    assert_eq!((state.task, state.batch(9)), (3, vec![3]));
    state.apply(Update::Committed(commit("4")));
    assert_eq!(state.batch(9), Vec::<usize>::new());
    assert!(state.current().is_none());
}

#[test]
fn one_of_the_tasks_that_finish_the_plan_together_is_the_last_one() {
    let last = |state: &Implementation| {
        let seen = state.lanes.open.values().map(|lane| state.seen_from(lane));
        let last = seen.filter(|seen| seen.is_last_parallel || seen.is_last_task());
        last.map(|seen| (seen.task, seen.is_last_task())).collect::<Vec<_>>()
    };
    let mut state = begun();
    apply(&mut state, vec![LaneChange::Divided(vec![0, 1, 2])]);
    assert_eq!(last(&state), [], "task 4 is still to be done");
    state.commits = vec![commit("1")];
    apply(&mut state, vec![LaneChange::Divided(vec![1, 2, 3])]);
    assert_eq!(last(&state), [(3, false)]);
    let merged = |lane: u32, task: &str| LaneChange::Merged { lane, commit: commit(task) };
    apply(&mut state, vec![merged(1, "2"), LaneChange::Conflicted { lane: 2 }]);
    assert_eq!(last(&state), [(3, false)], "a task in the middle waits for the last one");
    apply(&mut state, vec![merged(2, "3"), LaneChange::Conflicted { lane: 3 }]);
    assert_eq!(last(&state), [(3, true)], "on top of all others");
}

#[test]
fn a_run_without_lanes_is_saved_as_it_always_was() {
    let saved = serde_json::to_value(begun()).unwrap();
    for later in ["lanes", "plan_remarks", "is_edited", "is_last_parallel", "told"] {
        assert!(saved.get(later).is_none(), "{saved}");
    }
    let progress: Vec<&str> = saved["progress"].as_object().unwrap().keys().map(String::as_str).collect();
    for later in ["torn", "refusal", "told", "clarified"] {
        assert!(!progress.contains(&later), "{progress:?}");
    }
}

fn more(words: &str) -> Update {
    Update::GivenMore { guidance: Some(words.to_owned()) }
}

#[test]
fn what_a_person_says_about_a_task_is_kept_to_its_end_with_what_it_was_about() {
    let result = |name: &str, passed| {
        let (name, command) = (name.to_owned(), "./t".to_owned());
        CheckResult { name, command, passed, ..CheckResult::default() }
    };
    let items = vec![finding("Zero", Disposition::Implement), finding("Name", Disposition::Reject)];
    let items = items.into_iter().chain([finding("Tabs", Disposition::Implement)]).collect();
    let mut state = begun();
    for update in [
        Update::StepFailed(result("step 1", false)),
        more("Skip it."),
        Update::Stepped { next: 1 },
        Update::Checked(vec![result("lint", false), result("test", true)]),
        more("Ignore lint."),
        Update::Checked(vec![result("lint", true)]),
        Update::Evaluated(Evaluation { items, summary: String::new() }),
        more("Leave 2."),
        Update::GivenMore { guidance: Some(" ".to_owned()) },
        Update::Checked(Vec::new()),
    ] {
        state.apply(update);
    }
    let told = [
        ("A step without the expected result:\nstep 1: ./t", "Skip it."),
        ("Checks that failed:\nlint", "Ignore lint."),
        ("Open findings:\n1. Zero\n2. Tabs", "Leave 2."),
    ];
    let told: Vec<PersonRemark> =
        told.iter().filter_map(|(asked, words)| PersonRemark::new(asked, words)).collect();
    assert_eq!((state.progress.guidance.as_deref(), &state.progress.told), (None, &told));
    state.apply(Update::Committed(commit("1")));
    let kept: Vec<PersonRemark> = told.into_iter().map(|remark| remark.in_context("Task 1: t1")).collect();
    assert_eq!((&state.progress.told, &state.told), (&Vec::new(), &kept), "the next task needs it, too");
    assert!(kept[0].asked.starts_with("Task 1: t1\nA step without"), "{kept:?}");
}

#[test]
fn a_task_that_met_a_conflict_keeps_what_a_person_said_about_it() {
    let mut state = begun();
    apply(&mut state, vec![LaneChange::Divided(vec![0, 1]), inside(1, more("Use tabs."))]);
    apply(&mut state, vec![LaneChange::Conflicted { lane: 1 }]);
    let told: Vec<PersonRemark> = PersonRemark::new("", "Use tabs.").into_iter().collect();
    assert_eq!(state.lanes.open[&1].progress, TaskProgress { told, ..TaskProgress::default() });
}

#[test]
fn what_a_person_said_in_a_lane_is_kept_when_the_lane_ends() {
    let mut state = begun();
    let lanes =
        vec![LaneChange::Divided(vec![0, 1]), inside(1, more("Use tabs.")), inside(2, more("Skip it."))];
    apply(&mut state, lanes);
    let merged = LaneChange::Merged { lane: 1, commit: commit("1") };
    apply(&mut state, vec![merged, inside(2, Update::GivenUp)]);
    let told: Vec<PersonRemark> = [("Task 1: t1", "Use tabs."), ("", "Skip it.")]
        .iter()
        .filter_map(|(asked, words)| PersonRemark::new(asked, words))
        .collect();
    assert_eq!(state.told, told);
}

#[test]
fn what_agents_have_heard_is_kept_once() {
    let mut state = begun();
    let heard = PersonRemark { id: "1".to_owned(), words: "Use tabs.".to_owned(), ..PersonRemark::default() };
    let again = PersonRemark { id: "2".to_owned(), ..heard.clone() };
    state.apply(Update::Told(vec![heard.clone()]));
    state.apply(Update::Told(vec![heard.clone(), again.clone()]));
    assert_eq!(state.told, [heard, again]);
}

#[test]
fn what_made_findings_clear_is_known_until_the_next_review_and_to_those_who_judge() {
    let mut state = begun();
    state.apply(Update::Clarified { asked: "- Zero: where?".to_owned(), words: "In the sum.".to_owned() });
    let remark = PersonRemark::new("- Zero: where?", "In the sum.");
    let told: Vec<PersonRemark> = remark.clone().into_iter().collect();
    assert_eq!(state.progress.clarification.as_deref(), Some("In the sum."));
    state.apply(Update::Evaluated(Evaluation::default()));
    assert_eq!((state.progress.clarification.as_deref(), &state.progress.clarified), (None, &remark));
    state.apply(Update::Reviewed(merge(&[])));
    assert_eq!((&state.progress.clarified, &state.progress.told), (&None, &told));
    let stored: Update = serde_json::from_str(r#"{"clarified": {"words": "It leaks."}}"#).unwrap();
    assert_eq!(stored, Update::Clarified { asked: String::new(), words: "It leaks.".to_owned() });
}

#[test]
fn what_persons_said_who_sent_the_plan_back_is_kept_and_silence_is_not() {
    let mut state = begun();
    let back = |words: &str, is_unexplained| Update::SentBack { feedback: words.to_owned(), is_unexplained };
    let judged = Update::Judged { problems: Vec::new(), is_out_of_revisions: false };
    for update in [back("CSV only.", false), judged.clone(), back("No reason was given.", true), judged] {
        state.apply(update);
    }
    let kept: Vec<PersonRemark> =
        PersonRemark::new("An earlier draft of the plan", "CSV only.").into_iter().collect();
    assert_eq!((&state.plan_remarks, &state.feedback), (&kept, &None));
    let stored: Update = serde_json::from_str(r#"{"sent_back": {"feedback": "CSV only."}}"#).unwrap();
    assert_eq!(stored, back("CSV only.", false));
}

#[test]
fn a_plan_is_the_persons_when_they_gave_or_changed_it() {
    let stored: Update = serde_json::from_str(r#"{"approved": {"note": null}}"#).unwrap();
    let mut state = begun();
    state.apply(stored);
    assert!(!state.is_persons_plan(), "the Architect wrote it");
    state.wanted.plan = Some("another one, before the Architect revised it".to_owned());
    assert!(!state.is_persons_plan());
    state.wanted.plan = state.draft.as_ref().map(|draft| draft.markdown.clone());
    assert!(state.is_persons_plan());
    state.wanted.plan = None;
    state.apply(Update::Approved { note: None, is_edited: true });
    assert!(state.is_persons_plan());
    assert!(!Implementation::default().is_persons_plan(), "a review has no plan");
}

#[test]
fn what_a_person_takes_as_it_is_is_kept_for_later_tasks_with_what_was_open() {
    let mut state = begun();
    let check = CheckResult { name: "lint".to_owned(), passed: false, ..CheckResult::default() };
    state.apply(Update::Checked(vec![check]));
    state.apply(Update::TakenAsItIs { asked: "continue?".to_owned(), words: None });
    state.apply(Update::Committed(commit("1")));
    let told = &state.told[0];
    assert_eq!(told.words, "Leave this as it is.");
    assert!(told.asked.contains("Task 1") && told.asked.contains("lint"), "{}", told.asked);
}
