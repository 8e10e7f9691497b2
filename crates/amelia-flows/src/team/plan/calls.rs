//! What the plan tools do to a plan. A call depends on nothing but the plan and its arguments, so the log of the calls is the
//! log of the plan. Pure.

use amelia_core::id::AgentName;
use amelia_core::object::Object;
use amelia_core::plan::check::MOST_TASKS;
use amelia_core::plan::{Plan, PlanTask, TaskStatus};
use serde_json::{Value, json};

use crate::plan_values::{shown_task, shown_tasks};

pub(super) const READ: &str = "plan_read";
const ADD: &str = "plan_add_task";
pub(super) const UPDATE: &str = "plan_update_task";

/// Bytes of the arguments of a call.
const MAX_ARGS: usize = 16 * 1024;
/// Letters of an id, and of an estimate.
const MAX_WORD: usize = 64;

/// A plan tool, and the fields of a task that it takes.
pub(in crate::team) struct PlanToolSpec {
    pub(in crate::team) name: &'static str,
    pub(super) words: &'static str,
    pub(super) required: &'static [&'static str],
    pub(super) optional: &'static [&'static str],
}

pub(in crate::team) static TOOLS: [PlanToolSpec; 6] = [
    PlanToolSpec { name: READ, words: "Read the team's plan with all tasks.", required: &[], optional: &[] },
    PlanToolSpec {
        name: ADD,
        words: "Add a task to the team's plan.",
        required: &["description"],
        optional: &[
            "task_id",
            "assigned_agent",
            "dependencies",
            "priority",
            "estimated_duration",
            "metadata",
        ],
    },
    PlanToolSpec {
        name: UPDATE,
        words: "Change a task of the plan: its status, description, priority or metadata.",
        required: &["task_id"],
        optional: &["status", "description", "priority", "metadata"],
    },
    PlanToolSpec {
        name: "plan_assign_task",
        words: "Say which agent works on a pending task of the plan.",
        required: &["task_id", "assigned_agent"],
        optional: &[],
    },
    PlanToolSpec {
        name: "plan_estimate_duration",
        words: "Say how long a task of the plan will take.",
        required: &["task_id", "estimated_duration"],
        optional: &[],
    },
    PlanToolSpec {
        name: "plan_set_dependencies",
        words: "Say which tasks must be done before a pending task of the plan.",
        required: &["task_id", "dependencies"],
        optional: &[],
    },
];

/// What calls of an agent may be about.
#[derive(Debug, Clone, Default)]
pub(in crate::team) struct PlanScope {
    /// Agents that tasks can be assigned to.
    pub(in crate::team) agents: Vec<String>,
    /// The only task that it may change: the one that it works on.
    pub(in crate::team) own: Option<String>,
}

/// Makes a call: what the agent reads, or why the plan stays as it is.
pub(super) fn called(
    plan: &mut Plan,
    scope: &PlanScope,
    tool: &str,
    args: &Object,
) -> Result<String, String> {
    let spec = TOOLS.iter().find(|spec| spec.name == tool);
    let spec = spec.ok_or_else(|| format!("there is no tool `{tool}` for plans"))?;
    check_fields(spec, args)?;
    if tool == READ {
        return Ok(json!({"goal": plan.goal, "tasks": shown_tasks(plan)}).to_string());
    }
    let mut new = plan.clone();
    let id = match tool {
        ADD => added(&mut new, args)?,
        _ => text(args, "task_id")?.unwrap_or_default().to_owned(),
    };
    if let Some(own) = scope.own.as_ref().filter(|own| **own != id) {
        return Err(format!("you work on the task `{own}`, and can change only this one"));
    }
    change(&mut new, &id, args, scope)?;
    if let Some(problem) = new.problems().first() {
        return Err(problem.to_string());
    }
    let changed = new.task(&id).map(|task| shown_task(task).to_string()).unwrap_or_default();
    *plan = new;
    Ok(changed)
}

/// The fields that a tool does not take, and those that are missing.
fn check_fields(spec: &PlanToolSpec, args: &Object) -> Result<(), String> {
    let known: Vec<&str> = spec.required.iter().chain(spec.optional).copied().collect();
    if let Some(unknown) = args.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(format!("there is no field `{unknown}`; there are: {}", known.join(", ")));
    }
    if let Some(missing) = spec.required.iter().find(|field| !is_given(args, field)) {
        return Err(format!("`{missing}` is missing"));
    }
    match json!(args).to_string().len() > MAX_ARGS {
        true => Err(format!("the call is larger than {} KB", MAX_ARGS / 1024)),
        false => Ok(()),
    }
}

fn is_given(args: &Object, field: &str) -> bool {
    args.get(field).is_some_and(|value| !value.is_null())
}

/// Adds an empty task, with the next number when the agent gives no id.
fn added(plan: &mut Plan, args: &Object) -> Result<String, String> {
    if plan.tasks.len() >= MOST_TASKS {
        return Err(format!("the plan has {MOST_TASKS} tasks, which is the most that can be followed"));
    }
    let free = || (1..).map(|number: usize| number.to_string()).find(|id| plan.task(id).is_none());
    let id = match text(args, "task_id")? {
        Some(id) if plan.task(id).is_some() => return Err(format!("there is a task `{id}` already")),
        Some(id) if id.chars().count() > MAX_WORD => {
            return Err(format!("`task_id` has more than {MAX_WORD} letters"));
        }
        Some(id) => id.to_owned(),
        None => free().unwrap_or_default(),
    };
    plan.tasks.push(PlanTask { id: id.clone(), ..PlanTask::default() });
    Ok(id)
}

fn change(plan: &mut Plan, id: &str, args: &Object, scope: &PlanScope) -> Result<(), String> {
    let before = plan.task(id).cloned();
    let mut task = before.ok_or_else(|| {
        let ids: Vec<&str> = plan.tasks.iter().map(|task| task.id.as_str()).collect();
        format!("there is no task `{id}`; there are: {}", ids.join(", "))
    })?;
    if let Some(description) = text(args, "description")? {
        description.clone_into(&mut task.title);
    }
    if let Some(duration) = text(args, "estimated_duration")? {
        if duration.chars().count() > MAX_WORD {
            return Err(format!(
                "`estimated_duration` has more than {MAX_WORD} letters: write it like `15m`"
            ));
        }
        task.estimated_duration = Some(duration.to_owned());
    }
    if let Some(agent) = text(args, "assigned_agent")? {
        check_pending(&task)?;
        let known = scope.agents.iter().any(|known| known == agent);
        let name = AgentName::new(agent).ok().filter(|_| known);
        task.agent = Some(name.ok_or_else(|| {
            format!("no agent `{agent}` can work on tasks; use one of: {}", scope.agents.join(", "))
        })?);
    }
    if is_given(args, "dependencies") {
        check_pending(&task)?;
        task.dependencies = dependencies(plan, args)?;
    }
    if let Some(priority) = args.get("priority").filter(|value| !value.is_null()) {
        task.priority = Some(priority_of(priority)?);
    }
    if let Some(metadata) = args.get("metadata").filter(|value| !value.is_null()) {
        let values = metadata.as_object().ok_or("`metadata` must be an object")?;
        task.metadata.extend(values.clone());
        task.metadata.retain(|_, value| !value.is_null());
    }
    let status = text(args, "status")?.map(|name| next_status(plan, &task, name)).transpose()?;
    if let Some(old) = plan.tasks.iter_mut().find(|old| old.id == id) {
        *old = task;
    }
    if let Some(status) = status {
        plan.set_status(id, status);
    }
    Ok(())
}

/// A text that says something.
fn text<'a>(args: &'a Object, field: &str) -> Result<Option<&'a str>, String> {
    let Some(value) = args.get(field).filter(|value| !value.is_null()) else { return Ok(None) };
    let text = value.as_str().ok_or_else(|| format!("`{field}` must be a text"))?.trim();
    if text.is_empty() { Err(format!("`{field}` must not be empty")) } else { Ok(Some(text)) }
}

fn check_pending(task: &PlanTask) -> Result<(), String> {
    match task.status {
        TaskStatus::Pending => Ok(()),
        other => Err(format!(
            "the task `{}` is {}: only the agent and the dependencies of a pending task can change",
            task.id,
            other.as_str()
        )),
    }
}

/// Each once. What depends on a task that failed or was cancelled would never be done.
fn dependencies(plan: &Plan, args: &Object) -> Result<Vec<String>, String> {
    let list = args.get("dependencies").and_then(Value::as_array);
    let list = list.ok_or("`dependencies` must be a list of task ids")?;
    let mut ids: Vec<String> = Vec::new();
    for id in list {
        let id = id.as_str().ok_or("`dependencies` must be a list of task ids")?;
        if let Some(blocking) = plan.task(id).filter(|task| task.status.blocks()) {
            return Err(format!(
                "the task `{id}` is {}, so nothing can wait for it",
                blocking.status.as_str()
            ));
        }
        if !ids.iter().any(|known| known == id) {
            ids.push(id.to_owned());
        }
    }
    Ok(ids)
}

/// A number, 1 first; or a word for one of the first three.
fn priority_of(value: &Value) -> Result<i64, String> {
    let word = value.as_str().map(|word| ["high", "medium", "low"].iter().position(|known| *known == word));
    let number = word.flatten().and_then(|place| i64::try_from(place).ok()).map(|place| place + 1);
    let number = number.or_else(|| value.as_i64());
    number.ok_or_else(|| "`priority` must be a whole number, high, medium or low".to_owned())
}

/// A task begins and is completed only after those that it depends on.
fn next_status(plan: &Plan, task: &PlanTask, name: &str) -> Result<TaskStatus, String> {
    let next = TaskStatus::named(name).ok_or_else(|| {
        let names = TaskStatus::ALL.map(TaskStatus::as_str).join(", ");
        format!("`{name}` is no status; use one of: {names}")
    })?;
    let (id, now) = (&task.id, task.status.as_str());
    if !task.status.may_become(next) {
        return Err(format!("the task `{id}` is {now}: set it to pending first, to work on it again"));
    }
    let waits = matches!(next, TaskStatus::InProgress | TaskStatus::Completed);
    match plan.open_dependencies(task).first().filter(|_| waits) {
        Some(open) => {
            Err(format!("the task `{id}` depends on `{}`, which is {}", open.id, open.status.as_str()))
        }
        None => Ok(next),
    }
}

#[cfg(test)]
#[path = "calls_tests.rs"]
mod tests;
