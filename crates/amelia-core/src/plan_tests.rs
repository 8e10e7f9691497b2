use proptest::prelude::*;

use super::*;

fn task(id: &str, status: TaskStatus, dependencies: &[&str]) -> PlanTask {
    PlanTask {
        id: id.to_owned(),
        title: format!("task {id}"),
        status,
        dependencies: dependencies.iter().map(|id| (*id).to_owned()).collect(),
        ..PlanTask::default()
    }
}

fn plan(tasks: Vec<PlanTask>) -> Plan {
    Plan { goal: "ship".to_owned(), tasks, ..Plan::default() }
}

fn ready_ids(plan: &Plan) -> Vec<&str> {
    plan.ready().into_iter().map(|task| task.id.as_str()).collect()
}

#[test]
fn a_task_is_ready_when_all_it_depends_on_is_settled() {
    use TaskStatus::{Completed, Failed, Pending, Skipped};
    let plan = plan(vec![
        task("1", Completed, &[]),
        task("2", Skipped, &[]),
        task("3", Pending, &["1", "2"]),
        task("4", Pending, &["3"]),
        task("5", Failed, &[]),
        task("6", Pending, &["5"]),
        task("7", Pending, &[]),
    ]);
    assert_eq!(ready_ids(&plan), ["3", "7"]);
}

#[test]
fn all_problems_are_reported_at_once() {
    let plan = plan(vec![
        task("1", TaskStatus::Pending, &["3"]),
        task("2", TaskStatus::Pending, &["9"]),
        task("2", TaskStatus::Pending, &[]),
        task("3", TaskStatus::Pending, &["1"]),
    ]);
    let problems: Vec<String> = plan.problems().iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "two tasks have the id `2`",
            "task `2` depends on `9`, which is not in the plan",
            "tasks depend on each other: 1 → 3 → 1",
        ]
    );
}

#[test]
fn a_task_that_depends_on_itself_is_a_cycle() {
    let plan = plan(vec![task("1", TaskStatus::Pending, &["1"])]);
    assert_eq!(plan.problems(), [PlanProblem::Cycle(vec!["1".to_owned(), "1".to_owned()])]);
}

#[test]
fn a_chain_of_a_hundred_thousand_tasks_does_not_overflow_the_stack() {
    let tasks = (0..100_000_u32)
        .map(|n| {
            let after = (n < 99_999).then(|| format!("{:06}", n + 1));
            PlanTask {
                id: format!("{n:06}"),
                dependencies: after.into_iter().collect(),
                ..PlanTask::default()
            }
        })
        .collect();
    assert_eq!(plan(tasks).problems(), []);
}

proptest! {
    /// Edges that only point backwards cannot form a cycle, and working off `ready` settles everything.
    #[test]
    fn a_plan_with_backward_edges_is_valid_and_finishes(
        edges in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..4), 1..30)
    ) {
        let tasks = edges.iter().enumerate().map(|(n, before)| {
            let dependencies = if n == 0 { vec![] } else {
                before.iter().map(|index| index.index(n).to_string()).collect()
            };
            PlanTask { id: n.to_string(), dependencies, ..PlanTask::default() }
        }).collect();
        let mut plan = plan(tasks);
        prop_assert_eq!(plan.problems(), vec![]);
        let mut rounds = 0;
        while let Some(id) = plan.ready().first().map(|task| task.id.clone()) {
            for task in plan.tasks.iter_mut().filter(|task| task.id == id) {
                task.status = TaskStatus::Completed;
            }
            rounds += 1;
        }
        prop_assert_eq!(rounds, plan.tasks.len());
    }

    /// Closing any chain is found, and the reported path really is a cycle of dependencies.
    #[test]
    fn a_closed_chain_is_found(length in 1_usize..20, extra in 0_usize..5) {
        let mut tasks: Vec<PlanTask> = (0..length)
            .map(|n| PlanTask {
                id: format!("c{n}"),
                dependencies: vec![format!("c{}", (n + 1) % length)],
                ..PlanTask::default()
            })
            .collect();
        tasks.extend((0..extra).map(|n| PlanTask {
            id: format!("a{n}"),
            dependencies: vec!["c0".to_owned()],
            ..PlanTask::default()
        }));
        let plan = plan(tasks);
        let problems = plan.problems();
        let [PlanProblem::Cycle(path)] = problems.as_slice() else {
            return Err(TestCaseError::fail(format!("{problems:?}")));
        };
        prop_assert_eq!(path.first(), path.last());
        for pair in path.windows(2) {
            let from = plan.tasks.iter().find(|task| task.id == pair[0]).unwrap();
            prop_assert!(from.dependencies.contains(&pair[1]));
        }
    }
}
