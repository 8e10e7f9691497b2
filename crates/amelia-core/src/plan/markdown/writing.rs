//! Writes a plan as Markdown. Pure.

use std::fmt::Write;

use crate::plan::{FileOperation, Plan, PlanStep, PlanTask};
use crate::text::squeezed;

/// Writes a plan. Reading it again gives the same plan, as far as Markdown can say it.
#[must_use]
pub fn write(plan: &Plan, title: &str) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let mut line = |text: &str| writeln!(out, "{text}").ok();
    line(&format!("# {}\n", squeezed(title)));
    line(&format!("**Goal:** {}\n", squeezed(&plan.goal)));
    if !plan.architecture.trim().is_empty() {
        line(&format!("**Architecture:** {}\n", squeezed(&plan.architecture)));
    }
    if !plan.tech_stack.is_empty() {
        line(&format!("**Tech stack:** {}\n", plan.tech_stack.join(", ")));
    }
    for task in &plan.tasks {
        write_task(task, &mut line);
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

fn write_task(task: &PlanTask, line: &mut impl FnMut(&str) -> Option<()>) {
    line(&format!("### Task {}: {}\n", task.id, squeezed(&task.title)));
    if !task.dependencies.is_empty() {
        let ids: Vec<String> = task.dependencies.iter().map(|id| format!("Task {id}")).collect();
        line(&format!("**Depends on:** {}\n", ids.join(", ")));
    }
    if !task.files.is_empty() {
        line("**Files:**");
        for file in &task.files {
            let range = file.line_range.as_deref().map(|range| format!(":{range}")).unwrap_or_default();
            line(&format!("- {}: `{}{range}`", operation_name(file.operation), squeezed(&file.path)));
        }
        line("");
    }
    for (number, step) in (1..).zip(&task.steps) {
        write_step(number, step, line);
    }
    if !task.acceptance.is_empty() {
        line("**Done when:**");
        task.acceptance.iter().for_each(|check| {
            line(&format!("- {}", squeezed(check)));
        });
        line("");
    }
    if let Some(message) = &task.commit_message {
        line(&format!("**Commit:** `{}`\n", squeezed(message)));
    }
}

fn write_step(number: u32, step: &PlanStep, line: &mut impl FnMut(&str) -> Option<()>) {
    line(&format!("**Step {number}:** {}\n", squeezed(&step.description)));
    if let Some(code) = &step.code {
        let fence = fence_around(code);
        line(&format!("{fence}\n{}\n{fence}\n", code.trim_end_matches('\n')));
    }
    if let Some(command) = &step.command {
        match is_plain(command) {
            true => line(&format!("Run: `{command}`\n")),
            false => {
                let fence = fence_around(command);
                line(&format!("Run:\n\n{fence}\n{command}\n{fence}\n"))
            }
        };
    }
    if let Some(expected) = &step.expected_output {
        line(&format!("Expected: {}\n", squeezed(expected)));
    }
}

/// Stays what it is between two backticks on one line. Every other command has a fence, because one that is changed in
/// any way is another command.
fn is_plain(command: &str) -> bool {
    let has_sign = command.contains(|c: char| c == '`' || c.is_control());
    !has_sign && squeezed(command) == command
}

/// Longer than any row of backticks inside.
fn fence_around(code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    "`".repeat(longest.saturating_add(1).max(3))
}

fn operation_name(operation: FileOperation) -> &'static str {
    match operation {
        FileOperation::Create => "Create",
        FileOperation::Modify => "Modify",
        FileOperation::Test => "Test",
    }
}
