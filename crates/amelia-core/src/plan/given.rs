//! A plan that was given as data, as far as it is still to do and Markdown can say it: tasks have numbers there. Pure.

use std::collections::BTreeMap;

use super::{Plan, PlanTask, TaskStatus, markdown};

impl Plan {
    /// The tasks that are to do, each with its number: its own id when all ids are numbers, else its place.
    #[must_use]
    pub fn numbered(&self) -> Vec<(String, &PlanTask)> {
        let open: Vec<&PlanTask> = self.tasks.iter().filter(|task| !task.status.is_settled()).collect();
        let has_numbers = open.iter().all(|task| markdown::is_number(&task.id));
        let number = |(place, task): (usize, &PlanTask)| {
            if has_numbers { task.id.clone() } else { place.to_string() }
        };
        (1..).zip(open).map(|(place, task)| (number((place, task)), task)).collect()
    }

    /// The plan of what is to do. Nothing waits for a task that is done.
    #[must_use]
    pub fn to_do(&self) -> Self {
        let numbered = self.numbered();
        let numbers: BTreeMap<&str, &str> =
            numbered.iter().map(|(number, task)| (task.id.as_str(), number.as_str())).collect();
        let number = |id: &String| numbers.get(id.as_str()).map(|number| (*number).to_owned());
        let task = |(id, task): &(String, &PlanTask)| PlanTask {
            id: id.clone(),
            status: TaskStatus::Pending,
            dependencies: task.dependencies.iter().filter_map(number).collect(),
            ..(*task).clone()
        };
        Self { tasks: numbered.iter().map(task).collect(), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(tasks: &[(&str, TaskStatus, &[&str])]) -> Plan {
        let task = |(id, status, dependencies): &(&str, TaskStatus, &[&str])| PlanTask {
            id: (*id).to_owned(),
            title: format!("do {id}"),
            status: *status,
            dependencies: dependencies.iter().map(|id| (*id).to_owned()).collect(),
            ..PlanTask::default()
        };
        Plan { goal: "g".to_owned(), tasks: tasks.iter().map(task).collect(), ..Plan::default() }
    }

    #[test]
    fn what_is_done_is_left_out_and_the_rest_has_numbers() {
        use TaskStatus::{Completed, Failed, InProgress, Pending};
        let given = plan(&[
            ("look", Completed, &[]),
            ("build", Failed, &["look"]),
            ("test", InProgress, &["build", "look"]),
        ]);
        let expected = plan(&[("1", Pending, &[]), ("2", Pending, &["1"])]);
        let to_do = given.to_do();
        let titles: Vec<&str> = to_do.tasks.iter().map(|task| task.title.as_str()).collect();
        assert_eq!(titles, ["do build", "do test"]);
        let shape = |plan: &Plan| -> Vec<_> {
            plan.tasks.iter().map(|task| (task.id.clone(), task.status, task.dependencies.clone())).collect()
        };
        assert_eq!(shape(&to_do), shape(&expected));
    }

    #[test]
    fn numbers_stay_as_they_are() {
        let given = plan(&[("2.1", TaskStatus::Pending, &[]), ("7", TaskStatus::Pending, &["2.1"])]);
        assert_eq!(given.to_do(), given);
    }
}
