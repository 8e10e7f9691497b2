use amelia_core::plan::{Plan, PlanTask};

use super::*;
use crate::pipeline::implementation::state::PlanDraft;
use crate::testing::issue;

#[test]
fn the_developer_gets_back_what_it_can_do_something_about() {
    let tries = [
        CommitBlocker::Hook,
        CommitBlocker::InnerRepository,
        CommitBlocker::Submodule,
        CommitBlocker::Signature,
        CommitBlocker::LostCommit,
    ]
    .map(allowed);
    assert_eq!(tries, [2, 1, 1, 0, 0]);
}

#[test]
fn a_message_names_a_few_files_and_counts_the_rest() {
    let files = |count: usize| (1..=count).map(|number| format!("f{number}")).collect::<Vec<_>>();
    for (count, names) in [(1, "f1"), (5, "f1, f2, f3, f4, f5"), (7, "f1, f2, f3, f4, f5 and 2 more files")] {
        assert_eq!(listed(&files(count)), names);
    }
}

#[test]
fn the_message_of_a_commit_is_that_of_the_plan_or_has_the_usual_form() {
    let message_of = |key: &str, commit_message: Option<&str>| {
        let task = PlanTask {
            id: "1".to_owned(),
            title: "Add it".to_owned(),
            commit_message: commit_message.map(str::to_owned),
            ..PlanTask::default()
        };
        let plan = Plan { tasks: vec![task], ..Plan::default() };
        let draft = Some(PlanDraft { markdown: String::new(), plan });
        message(&Implementation { draft, issue: Some(issue(key, "")), ..Implementation::default() })
    };
    assert_eq!(message_of("S-1", Some("fix: it")), "fix: it");
    assert_eq!(message_of("S-1", None), "feat(S-1): Add it");
    assert_eq!(message_of("", None), "feat: Add it");
    assert_eq!(message(&Implementation::default()), "", "there is no task");
}

mod in_a_visit {
    use std::sync::{Arc, Mutex};

    use amelia_core::config::profile::Profile;
    use amelia_core::human::HumanAction;
    use amelia_core::plan::check::check;
    use amelia_core::workplace::ContentHashes;
    use serde_json::Value;

    use super::*;
    use crate::pipeline::implementation::state::TaskProgress;
    use crate::testing::place::{FakeWorkplace, deps};
    use crate::testing::{ScriptedDriver, answered, only, request, visit, visit_after};

    fn contents(text: &str) -> ContentHashes {
        ContentHashes { on: "0".to_owned(), files: [("a.rs".to_owned(), text.to_owned())].into() }
    }

    /// What a commit of one task comes to.
    async fn tried(progress: TaskProgress, commit: CommitOutcome, answer: Option<HumanAction>) -> String {
        let plan = "### Task 1: Add it\n";
        let draft = Some(PlanDraft { plan: check(plan).0, markdown: plan.to_owned() });
        let state = Implementation { draft, progress, ..Implementation::default() };
        let place = FakeWorkplace { contents: contents("new"), ..FakeWorkplace::default() };
        let place = Arc::new(FakeWorkplace { commits: Mutex::new([commit].into()), ..place });
        let node = CommitNode::whole(deps(&place, &ScriptedDriver::new([]), Profile::default()));
        let cx = match answer {
            None => visit(&Arc::default()).await,
            Some(action) => {
                let given = answered(request(HumanKind::Escalation, Value::Null), action, None);
                visit_after(&Arc::default(), given).await
            }
        };
        match node.run(&cx, &state).await {
            Ok(Outcome::Done(updates)) => match updates.as_slice() {
                [Update::Late] => "late".to_owned(),
                [Update::Refused { output, by }] => format!("refused by {by:?}: {output}"),
                [Update::Committed(done)] => {
                    assert_eq!(place.done(), ["commit feat: Add it"]);
                    format!("{:?} after {:?}", done.commit.as_deref(), done.own)
                }
                other => panic!("{other:?}"),
            },
            Ok(Outcome::Wait(requests)) => format!("asks {}", only(requests).context["asks"]),
            Err(error) => error.code,
        }
    }

    fn made(commit: &str, own: &[&str]) -> CommitOutcome {
        let one = |commit: &&str| OwnCommit { commit: (*commit).to_owned(), subject: "s".to_owned() };
        let own = own.iter().map(one).collect();
        CommitOutcome::Made { commit: commit.to_owned(), own, unpublished: Vec::new() }
    }

    #[tokio::test]
    async fn a_task_has_its_commit_and_those_of_the_developer_before_it() {
        for (commit, outcome) in [
            (made("c", &[]), r#"Some("c") after []"#),
            (made("c", &["a", "b"]), r#"Some("c") after ["a", "b"]"#),
            (made("b", &["a", "b"]), r#"Some("b") after ["a"]"#),
            (CommitOutcome::Nothing, "None after []"),
        ] {
            assert_eq!(tried(TaskProgress::default(), commit, None).await, outcome);
        }
    }

    #[tokio::test]
    async fn what_is_refused_goes_back_as_often_as_it_helps_and_then_to_a_person() {
        for (by, refusals, outcome) in [
            (CommitBlocker::Hook, 0, "refused by Hook: no"),
            (CommitBlocker::Hook, 1, "refused by Hook: no"),
            (CommitBlocker::Hook, 2, r#"asks "commit_hook""#),
            (CommitBlocker::Submodule, 0, "refused by Submodule: no"),
            (CommitBlocker::Submodule, 1, r#"asks "commit_hook""#),
            (CommitBlocker::Signature, 0, r#"asks "commit_hook""#),
        ] {
            let refused = CommitOutcome::Refused { output: " no\n".to_owned(), by };
            let progress = TaskProgress { refusals, ..TaskProgress::default() };
            assert_eq!(tried(progress, refused, None).await, outcome, "{by:?} {refusals}");
        }
        let refused = CommitOutcome::Refused { output: String::new(), by: CommitBlocker::Hook };
        assert_eq!(
            tried(TaskProgress::default(), refused, Some(HumanAction::Reject)).await,
            "commit_refused"
        );
    }

    #[tokio::test]
    async fn what_changed_after_the_review_is_reviewed_once_more_and_then_asked_about() {
        let seen = |text: &str| TaskProgress { seen: Some(contents(text)), ..TaskProgress::default() };
        let committed = r#"Some("c") after []"#;
        for (progress, answer, outcome) in [
            (seen("new"), None, committed),
            (seen("old"), None, "late"),
            (TaskProgress { late: 1, ..seen("old") }, None, r#"asks "changed_after_review""#),
            (TaskProgress { late: 1, ..seen("old") }, Some(HumanAction::Approve), committed),
            (TaskProgress { is_accepted: true, ..seen("old") }, None, committed),
        ] {
            assert_eq!(tried(progress.clone(), made("c", &[]), answer).await, outcome, "{progress:?}");
        }
    }
}
