use proptest::prelude::*;

use super::*;
use crate::plan::{FileOp, FileOperation};

fn task(id: &str, dependencies: &[&str], files: &[&str]) -> PlanTask {
    let file =
        |path: &&str| FileOp { operation: FileOperation::Modify, path: (*path).to_owned(), line_range: None };
    PlanTask {
        id: id.to_owned(),
        dependencies: dependencies.iter().map(|id| (*id).to_owned()).collect(),
        files: files.iter().map(file).collect(),
        ..PlanTask::default()
    }
}

fn next(tasks: &[PlanTask], done: &[usize], alone: &[usize], most: usize) -> Vec<usize> {
    let tasks: Vec<&PlanTask> = tasks.iter().collect();
    batch(&tasks, |place| done.contains(&place), &alone.iter().copied().collect(), most)
}

#[test]
fn tasks_go_together_when_they_are_ready_and_touch_different_files() {
    let tasks = [
        task("1", &[], &["src/a.rs"]),
        task("2", &["1"], &["src/b.rs"]),
        task("3", &[], &["src/c.rs"]),
        task("4", &[], &["src"]),
        task("5", &[], &[]),
        task("6", &[], &["docs/a.md"]),
        task("7", &[], &["./SRC/A.rs"]),
    ];
    assert_eq!(
        next(&tasks, &[], &[], 9),
        [0, 2, 5],
        "4 holds all of src, 5 does not say, 7 is the file of 1"
    );
    assert_eq!(next(&tasks, &[], &[], 2), [0, 2]);
    assert_eq!(next(&tasks, &[], &[], 1), [0]);
    assert_eq!(next(&tasks, &[0, 2, 5], &[], 9), [1, 6], "what it depends on is done");
    assert_eq!(next(&tasks, &[0, 1, 2, 3], &[], 9), [4], "one that does not say what it touches is alone");
    assert_eq!(next(&tasks, &[], &[2], 9), [0, 5], "one that is to be alone does not join");
    assert_eq!(next(&tasks, &[], &[0], 9), [0], "nor is it joined");
    assert_eq!(next(&tasks, &[0, 1, 2, 3, 4, 5, 6], &[], 9), Vec::<usize>::new());
}

#[test]
fn a_pattern_may_touch_everything() {
    let tasks = [task("1", &[], &["src/*.rs"]), task("2", &[], &["docs/a.md"])];
    assert_eq!(next(&tasks, &[], &[], 2), [0]);
}

proptest! {
    /// Working off batches does every task once, in an order that its dependencies allow.
    #[test]
    fn batches_come_to_an_end_and_keep_the_order(
        shape in prop::collection::vec((prop::collection::vec(any::<prop::sample::Index>(), 0..3), 0..4_u8), 1..20),
        most in 1_usize..5,
    ) {
        let tasks: Vec<PlanTask> = shape.iter().enumerate().map(|(n, (before, file))| {
            let dependencies: Vec<String> =
                if n == 0 { vec![] } else { before.iter().map(|index| index.index(n).to_string()).collect() };
            let dependencies: Vec<&str> = dependencies.iter().map(String::as_str).collect();
            task(&n.to_string(), &dependencies, &[&format!("f{file}")])
        }).collect();
        let mut done: Vec<usize> = Vec::new();
        loop {
            let together = next(&tasks, &done, &[], most);
            if together.is_empty() {
                break;
            }
            prop_assert!(together.len() <= most);
            for place in &together {
                let ready = tasks[*place].dependencies.iter().all(|id| done.contains(&id.parse().unwrap()));
                prop_assert!(ready, "{place} of {together:?} after {done:?}");
            }
            let mut files: Vec<&str> = together.iter().map(|place| tasks[*place].files[0].path.as_str()).collect();
            files.sort_unstable();
            files.dedup();
            prop_assert_eq!(files.len(), together.len());
            done.extend(together);
        }
        done.sort_unstable();
        prop_assert_eq!(done, (0..tasks.len()).collect::<Vec<_>>());
    }
}
