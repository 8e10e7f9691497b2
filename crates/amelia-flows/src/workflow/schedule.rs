//! In which order the tasks of a `parallel` node run: what one makes and another needs forces an order, everything else
//! runs at the same time. Pure.

use std::collections::BTreeMap;

use amelia_core::config::problem::{ConfigProblem, find_cycle};
use amelia_core::config::workflow::Workflow;

/// The tasks and their places.
pub(super) struct TaskPlan {
    /// Those that need nothing of the others.
    pub(super) first: Vec<String>,
    pub(super) tasks: BTreeMap<String, TaskPlace>,
    /// Those that nothing else needs.
    pub(super) last: Vec<String>,
}

/// Which tasks come right before and after one.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TaskPlace {
    pub(super) after: Vec<String>,
    pub(super) before: Vec<String>,
}

pub(super) fn plan(
    name: &str,
    tasks: &[String],
    workflow: &Workflow,
) -> Result<TaskPlan, Vec<ConfigProblem>> {
    let names = |task: &String, pick: fn(&amelia_core::config::workflow::NodeDef) -> &Vec<String>| {
        workflow.nodes.get(task).map(|node| pick(node).clone()).unwrap_or_default()
    };
    let mut places: BTreeMap<String, TaskPlace> =
        tasks.iter().map(|task| (task.clone(), TaskPlace::default())).collect();
    for task in tasks {
        let needs = names(task, |node| &node.inputs);
        let makers = tasks.iter().filter(|other| *other != task);
        for maker in
            makers.filter(|other| names(other, |node| &node.outputs).iter().any(|made| needs.contains(made)))
        {
            if let Some(place) = places.get_mut(task) {
                place.after.push(maker.clone());
            }
            if let Some(place) = places.get_mut(maker) {
                place.before.push(task.clone());
            }
        }
    }
    let edges: BTreeMap<&str, Vec<&str>> = places
        .iter()
        .map(|(task, place)| (task.as_str(), place.before.iter().map(String::as_str).collect()))
        .collect();
    if let Some(cycle) = find_cycle(&edges) {
        return Err(vec![ConfigProblem {
            path: format!("nodes.{name}.parallel_tasks"),
            message: format!("{} need each other's outputs", cycle.join(" → ")),
        }]);
    }
    let those = |is_one: fn(&TaskPlace) -> bool| -> Vec<String> {
        tasks.iter().filter(|task| places.get(*task).is_some_and(is_one)).cloned().collect()
    };
    let (first, last) = (those(|place| place.after.is_empty()), those(|place| place.before.is_empty()));
    Ok(TaskPlan { first, tasks: places, last })
}
