//! Which tasks of a plan may be worked on at the same time. Pure.

use std::collections::BTreeSet;

use super::PlanTask;

/// Places of the tasks to do next, in order: the first one that is not done, and up to `most` in all that are ready and
/// touch nothing that another of them touches. Empty when everything is done. `tasks` are in the order in which they
/// would be done one after the other; those in `alone` run alone.
#[must_use]
pub fn batch(
    tasks: &[&PlanTask],
    done: impl Fn(usize) -> bool,
    alone: &BTreeSet<usize>,
    most: usize,
) -> Vec<usize> {
    let open: Vec<(usize, &PlanTask)> =
        tasks.iter().copied().enumerate().filter(|(place, _)| !done(*place)).collect();
    let is_ready = |task: &PlanTask| {
        !open.iter().any(|(_, other)| task.dependencies.contains(&other.id) && other.id != task.id)
    };
    let mut chosen: Vec<(usize, &PlanTask)> = open.first().copied().into_iter().collect();
    for (place, task) in open.iter().copied().skip(1) {
        let fits = |(other, beside): &(usize, &PlanTask)| !alone.contains(other) && !overlap(task, beside);
        if chosen.len() < most && !alone.contains(&place) && is_ready(task) && chosen.iter().all(fits) {
            chosen.push((place, task));
        }
    }
    chosen.into_iter().map(|(place, _)| place).collect()
}

/// Whether two tasks may touch the same file. A task that does not say what it touches may touch everything.
fn overlap(one: &PlanTask, other: &PlanTask) -> bool {
    let is_silent = one.files.is_empty() || other.files.is_empty();
    is_silent
        || one.id == other.id
        || one.files.iter().any(|file| other.files.iter().any(|beside| collide(&file.path, &beside.path)))
}

/// The same path, or one inside the other. File systems that ignore case exist, and a pattern may mean anything.
fn collide(one: &str, other: &str) -> bool {
    let parts = |path: &str| -> Vec<String> {
        let parts = path.split(['/', '\\']).map(str::trim).filter(|part| !matches!(*part, "" | "."));
        parts.map(str::to_lowercase).collect()
    };
    let is_pattern = |path: &str| path.contains(['*', '?', '[', '{']);
    is_pattern(one)
        || is_pattern(other)
        || parts(one).iter().zip(&parts(other)).all(|(one, other)| one == other)
}

#[cfg(test)]
#[path = "batch_tests.rs"]
mod tests;
