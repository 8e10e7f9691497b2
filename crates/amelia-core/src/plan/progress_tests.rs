use super::*;

fn plan(tasks: &[(&str, &[&str])]) -> Plan {
    let task = |(id, dependencies): &(&str, &[&str])| PlanTask {
        id: (*id).to_owned(),
        dependencies: dependencies.iter().map(|id| (*id).to_owned()).collect(),
        ..PlanTask::default()
    };
    Plan { tasks: tasks.iter().map(task).collect(), ..Plan::default() }
}

fn statuses(plan: &Plan) -> Vec<&'static str> {
    plan.tasks.iter().map(|task| task.status.as_str()).collect()
}

#[test]
fn a_task_that_fails_or_is_cancelled_skips_those_behind_it_until_it_is_opened_again() {
    for status in [TaskStatus::Failed, TaskStatus::Cancelled] {
        let mut plan = plan(&[("3", &["2"]), ("1", &[]), ("2", &["1"]), ("4", &[])]);
        plan.set_status("1", status);
        assert_eq!(statuses(&plan), ["skipped", status.as_str(), "skipped", "pending"]);
        assert_eq!(plan.tasks[0].metadata["skipped_because"], "1");
        plan.set_status("1", TaskStatus::Pending);
        assert_eq!(statuses(&plan), ["pending"; 4]);
        assert!(plan.tasks.iter().all(|task| task.metadata.is_empty()));
    }
}

#[test]
fn a_task_behind_two_that_failed_stays_skipped_until_both_are_opened_again() {
    let mut plan = plan(&[("1", &[]), ("2", &[]), ("3", &["1", "2"])]);
    plan.set_status("1", TaskStatus::Failed);
    plan.set_status("2", TaskStatus::Failed);
    plan.set_status("1", TaskStatus::Pending);
    assert_eq!(statuses(&plan), ["pending", "failed", "skipped"]);
    plan.set_status("2", TaskStatus::Pending);
    assert_eq!(statuses(&plan), ["pending"; 3]);
}

#[test]
fn what_is_done_or_skipped_on_purpose_skips_nothing() {
    for status in [TaskStatus::Completed, TaskStatus::Skipped, TaskStatus::InProgress] {
        let mut plan = plan(&[("1", &[]), ("2", &["1"])]);
        plan.set_status("1", status);
        assert_eq!(statuses(&plan), [status.as_str(), "pending"]);
    }
}

#[test]
fn a_task_that_has_ended_can_only_be_opened_again() {
    use TaskStatus::{Cancelled, Completed, Failed, InProgress, Pending, Skipped};
    for open in [Pending, InProgress] {
        assert!(TaskStatus::ALL.into_iter().all(|next| open.may_become(next)));
    }
    for ended in [Completed, Failed, Skipped, Cancelled] {
        let next: Vec<TaskStatus> =
            TaskStatus::ALL.into_iter().filter(|next| *next != ended && ended.may_become(*next)).collect();
        assert_eq!(next, [Pending]);
    }
    assert!(TaskStatus::ALL.into_iter().all(|status| TaskStatus::named(status.as_str()) == Some(status)));
}
