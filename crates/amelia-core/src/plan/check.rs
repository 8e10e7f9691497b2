//! Whether a plan can be shown to a person: the plan validator. Pure; it judges form, never merit.

use std::collections::BTreeSet;

use super::{FileOperation, Plan, PlanTask, markdown};
use crate::review::{PlanVerdict, Severity};

/// No plan that a person can read is larger.
const LARGEST: usize = 512 * 1024;
/// A plan that is shorter than this must be complete: a goal, and tasks with steps.
const SHORT: usize = 200;
/// More than a person can follow.
pub const MOST_TASKS: usize = 100;

/// What a plan in Markdown says, and what is wrong with it.
#[must_use]
pub fn check(text: &str) -> (Plan, PlanVerdict) {
    judge(text, SHORT)
}

/// The same for Markdown that was written from data, which is a plan however short it is.
#[must_use]
pub fn check_written(text: &str) -> (Plan, PlanVerdict) {
    judge(text, 0)
}

fn judge(text: &str, short: usize) -> (Plan, PlanVerdict) {
    if text.len() > LARGEST {
        let issue = format!("the plan has {} bytes; at most {LARGEST} can be read", text.len());
        return (Plan::default(), PlanVerdict { issues: vec![issue], severity: Severity::Critical });
    }
    let plan = markdown::read(text);
    let mut issues = Vec::new();
    let length = text.trim().chars().count();
    if length < short && !is_complete(&plan) {
        issues.push(format!(
            "the plan has {length} characters: write a goal, and for each task the steps that do it"
        ));
    }
    if is_placeholder(&plan.goal) {
        issues.push("there is no goal: write a line `**Goal:** …` before the first task".to_owned());
    }
    if plan.tasks.is_empty() {
        issues
            .push("there are no tasks: write a heading `### Task 1: …` for each, outside of code".to_owned());
    }
    issues.extend(misnumbered(text));
    issues.extend(in_tasks(&plan));
    let severity = if issues.is_empty() { Severity::None } else { Severity::High };
    (plan, PlanVerdict { issues, severity })
}

/// Whether a plan says what is reached and how, however few words it needs.
fn is_complete(plan: &Plan) -> bool {
    let has_steps = |task: &PlanTask| !task.steps.is_empty();
    !is_placeholder(&plan.goal) && !plan.tasks.is_empty() && plan.tasks.iter().all(has_steps)
}

/// What is wrong with a plan that is data, before it becomes Markdown.
#[must_use]
pub fn faults(plan: &Plan) -> Vec<String> {
    let mut faults = Vec::new();
    if is_placeholder(&plan.goal) {
        faults.push("there is no goal".to_owned());
    }
    if plan.tasks.is_empty() {
        faults.push("there are no tasks".to_owned());
    }
    for task in plan.tasks.iter().filter(|task| !markdown::is_number(&task.id)).take(MOST_TASKS) {
        let id: String = task.id.chars().take(80).collect();
        faults.push(format!("`{id}` is not the number of a task: write 1, 2, 3 or 2.1"));
    }
    faults.extend(in_tasks(plan));
    faults
}

fn in_tasks(plan: &Plan) -> Vec<String> {
    let mut issues = Vec::new();
    if plan.tasks.len() > MOST_TASKS {
        issues.push(format!("there are {} tasks; at most {MOST_TASKS} can be followed", plan.tasks.len()));
    }
    for task in plan.tasks.iter().filter(|task| is_placeholder(&task.title)) {
        issues.push(format!("task {} has no title", task.id));
    }
    issues.extend(plan.problems().iter().map(ToString::to_string));
    issues.extend(outside(plan));
    issues
}

/// Tasks whose numbers cannot be read, which would be left out.
fn misnumbered(text: &str) -> impl Iterator<Item = String> + '_ {
    let bad = markdown::unreadable(text).into_iter().take(MOST_TASKS);
    bad.map(|heading| {
        let heading: String = heading.chars().take(80).collect();
        format!("the heading `{heading}` is not read as a task: write `### Task 1: …`, `### Task 2.1: …`")
    })
}

fn outside(plan: &Plan) -> impl Iterator<Item = String> + '_ {
    let files = plan.tasks.iter().flat_map(|task| task.files.iter().map(move |file| (task, file)));
    files.filter(|(_, file)| leaves(&file.path)).map(|(task, file)| {
        format!("task {} names `{}`, which is outside the repository", task.id, file.path)
    })
}

fn leaves(path: &str) -> bool {
    path.starts_with(['/', '~']) || path.split(['/', '\\']).any(|part| part == ".." || part == ".git")
}

/// Empty, or what templates leave behind.
fn is_placeholder(text: &str) -> bool {
    let bare = text.trim().trim_matches(['[', ']', '<', '>', '.', '…', '*', '_']).trim().to_lowercase();
    bare.is_empty() || ["tbd", "todo", "goal", "title", "goal here", "n/a", "none"].contains(&bare.as_str())
}

/// The files that must exist before a plan is carried out: it modifies them, and neither an earlier task nor the same one
/// creates them.
#[must_use]
pub fn needed_files(plan: &Plan) -> Vec<String> {
    let files = needed(plan).into_iter().map(|(_, path)| path.to_owned());
    files.collect::<BTreeSet<_>>().into_iter().collect()
}

/// What is wrong with a plan in a repository that does not have these files.
#[must_use]
pub fn absent(plan: &Plan, missing: &[String]) -> Vec<String> {
    let absent = needed(plan).into_iter().filter(|(_, path)| missing.iter().any(|one| one == path));
    absent
        .map(|(task, path)| {
            format!("task {task} modifies `{path}`, which does not exist: write `Create` for a new file")
        })
        .collect()
}

/// Each with its task. A pattern is no file, and what is outside the repository is refused as such.
fn needed(plan: &Plan) -> Vec<(&str, &str)> {
    let mut made = BTreeSet::new();
    let mut needed = Vec::new();
    for task in &plan.tasks {
        // A test may be new or not.
        let new = task.files.iter().filter(|file| file.operation != FileOperation::Modify);
        made.extend(new.map(|file| plain(&file.path)));
        for file in task.files.iter().filter(|file| file.operation == FileOperation::Modify) {
            let path = plain(&file.path);
            if !leaves(path) && !path.contains(['*', '?', '{', '<']) && !made.contains(path) {
                needed.push((task.id.as_str(), path));
            }
        }
    }
    needed
}

/// A path without what changes nothing about it.
fn plain(path: &str) -> &str {
    path.trim().trim_start_matches("./")
}

/// The files that a plan names, each once, in its order.
#[must_use]
pub fn key_files(plan: &Plan) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let files = plan.tasks.iter().flat_map(|task| &task.files);
    files.filter(|file| seen.insert(&file.path)).map(|file| file.path.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_plan_is_judged_by_what_it_says() {
        let issues = |text: &str| check(text).1.issues;
        let short = "**Goal:** Add numbers.\n### Task 1: Add\n**Step 1:** Use + in calc.sh\n";
        assert!(short.len() < SHORT);
        assert_eq!(issues(short), Vec::<String>::new());
        for (incomplete, complaints) in [
            ("", 3),
            ("**Goal:** Add numbers.\n### Task 1: Add\n", 1),
            ("### Task 1: Add\n**Step 1:** Use + in calc.sh\n", 2),
        ] {
            let issues = issues(incomplete);
            assert_eq!(issues.len(), complaints, "{issues:?}");
            assert!(issues[0].contains("characters: write a goal"), "{issues:?}");
        }
    }

    #[test]
    fn a_file_that_is_modified_exists_or_is_created_first() {
        let plan = markdown::read(
            "**Goal:** g\n### Task 1: a\n**Files:**\n- Create: `new.sh`\n- Modify: `new.sh`\n- Modify: `./old.sh:2-3`\n\
             - Modify: `/etc/passwd`\n- Modify: `src/*.rs`\n- Test: `t.sh`\n\
             ### Task 2: b\n**Files:**\n- Modify: `new.sh`\n- Modify: `t.sh`\n- Modify: `later.sh`\n\
             ### Task 3: c\n**Files:**\n- Create: `later.sh`\n",
        );
        assert_eq!(needed_files(&plan), ["later.sh", "old.sh"]);
        let expected = "task 2 modifies `later.sh`, which does not exist: write `Create` for a new file";
        assert_eq!(absent(&plan, &["later.sh".to_owned()]), [expected]);
        assert!(absent(&plan, &[]).is_empty());
    }
}
