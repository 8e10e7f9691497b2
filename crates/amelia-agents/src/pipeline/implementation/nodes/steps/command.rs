//! The command of a step, run at most once in a visit: written down before, looked up after a crash or an answer. One that
//! was interrupted may have written, so it is not repeated; its outcome is unknown, and said to be.

use amelia_core::check::{CheckCommand, CheckResult};
use amelia_core::event::task::TaskRef;
use amelia_core::event::{AgentEvent, Event, EventKind, TaskEvent};
use amelia_core::id::{AgentName, CallId};
use amelia_core::message::Object;
use amelia_core::plan::steps::is_expected;
use amelia_core::tool::{CallOptions, ToolCall, ToolName, ToolResult};
use amelia_graph::journaled::{Interrupted, JournalState, JournaledWork, journaled};
use amelia_graph::node::{NodeCx, NodeError};
use serde_json::json;

use crate::pipeline::implementation::deps::Deps;

/// What came of it, compared with what the plan expects.
pub(super) async fn run(
    deps: &Deps,
    cx: &NodeCx,
    task: TaskRef,
    check: &CheckCommand,
    expected: Option<&str>,
) -> Result<CheckResult, NodeError> {
    let redactor = &deps.roles.developer.redactor;
    let call = ToolCall {
        id: CallId::repaired(&format!("{} of visit {}", check.name, cx.step())),
        tool: ToolName::builtin("shell"),
        args: Object::from_iter([("command".to_owned(), json!(check.command))]),
        at: Some(cx.now()),
        options: CallOptions::default(),
    };
    let name = check.name.clone();
    let entry = Command { agent: AgentName::system(), task, name, call: redactor.clean(call) };
    journaled(cx, &entry, |_| async {
        let result = deps.place.check(&Deps::tool_cx(cx), check).await;
        Ok(compared(redactor.clean(result), expected))
    })
    .await
}

fn compared(result: CheckResult, expected: Option<&str>) -> CheckResult {
    let passed = is_expected(expected, result.exit_code, &result.output);
    let mut output = result.output;
    if let Some(expected) = expected.filter(|_| !passed) {
        output.push_str(&expectation(expected));
    }
    CheckResult { passed, output, ..result }
}

/// What people see below the output of a command that did not do what is expected.
fn expectation(expected: &str) -> String {
    format!("\n[expected: {expected}]")
}

/// What the command itself printed.
pub(super) fn printed<'a>(output: &'a str, expected: Option<&str>) -> &'a str {
    expected.and_then(|expected| output.strip_suffix(&expectation(expected))).unwrap_or(output)
}

struct Command {
    agent: AgentName,
    task: TaskRef,
    name: String,
    /// As it is written down.
    call: ToolCall,
}

impl JournaledWork for Command {
    type Value = CheckResult;

    fn agent(&self) -> &AgentName {
        &self.agent
    }

    fn begun(&self) -> Option<EventKind> {
        Some(EventKind::Agent(AgentEvent::Called(self.call.clone())))
    }

    /// The end of the call, for those who watch calls, and what it says about the task.
    fn ended(&self, result: &CheckResult) -> Vec<EventKind> {
        let returned = ToolResult {
            output: result.output.clone(),
            error: (!result.passed).then(|| result.end()),
            exit_code: result.exit_code,
            duration_ms: Some(result.duration_ms),
            ..ToolResult::interrupted(&self.call)
        };
        let checked = TaskEvent::Checked { task: self.task.clone(), checks: vec![result.clone()] };
        vec![EventKind::Agent(AgentEvent::Returned(returned)), EventKind::Task(checked)]
    }

    fn find(&self, past: &[Event]) -> JournalState<CheckResult> {
        let mut found = JournalState::Nothing;
        for event in past {
            match &event.draft.kind {
                EventKind::Agent(AgentEvent::Called(call)) if call.id == self.call.id => {
                    found = JournalState::Begun;
                }
                EventKind::Task(TaskEvent::Checked { checks, .. }) => {
                    let own = checks.iter().find(|check| check.name == self.name);
                    found = own.cloned().map_or(found, JournalState::Ended);
                }
                _ => {}
            }
        }
        found
    }

    fn interrupted(&self) -> Interrupted<CheckResult> {
        let command = self.call.args.get("command").and_then(|command| command.as_str());
        Interrupted::Assume(CheckResult {
            name: self.name.clone(),
            command: command.unwrap_or_default().to_owned(),
            interrupted: true,
            ..CheckResult::default()
        })
    }
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;
