//! A step of a team's own that is a command: it passes or fails, and agents read what it printed. No agent's word counts.

use std::sync::Arc;

use amelia_agents::pipeline::limits;
use amelia_core::check::{CheckCommand, CheckResult};
use amelia_core::event::task::TaskRef;
use amelia_core::event::{EventKind, TaskEvent};
use amelia_core::human::{HumanKind, HumanRequest};
use amelia_core::id::AgentName;
use amelia_core::tool::ToolCx;
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;
use serde_json::json;

use super::rules::TeamRules;
use super::step_end::StepEnd;
use super::{TeamParts, parts_of};
use crate::chat::{Chat, ChatRole, ChatUpdate};

pub(super) struct CheckStepNode {
    /// By its name in the team.
    pub(super) step: String,
    pub(super) command: String,
    pub(super) rules: Arc<TeamRules>,
    pub(super) parts: Option<Arc<TeamParts>>,
}

#[async_trait]
impl Node<Chat> for CheckStepNode {
    async fn run(&self, cx: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        limits::check_answer(cx)?;
        let parts = parts_of(self.parts.as_ref())?;
        let result = self.check(cx, parts).await?;
        if let Some(program) = result.missing_program() {
            return Ok(Outcome::ask(about_setup(cx, &result, program)));
        }
        let outcome = if result.passed { "pass" } else { "fail" };
        let text = report(&result);
        // The step is not a task of a plan, so it has no place among others.
        let task =
            TaskRef { id: self.rules.full(&self.step), title: parts.title.clone(), index: 0, total: 0 };
        let checked = EventKind::Task(TaskEvent::Checked { task, checks: vec![result] });
        cx.note(vec![cx.draft(&AgentName::system(), checked)]);
        let end = StepEnd { rules: &self.rules, cx, state, step: &self.step };
        Ok(Outcome::Done(end.updates(outcome, ChatRole::Tool, text)))
    }
}

impl CheckStepNode {
    async fn check(&self, cx: &NodeCx, parts: &TeamParts) -> Result<CheckResult, NodeError> {
        let place = parts.place.as_ref().ok_or_else(|| {
            NodeError::new("check", format!("the step `{}` needs the files of a run", self.step))
        })?;
        let (name, command) = (self.step.clone(), self.command.clone());
        let check = CheckCommand { name, command, timeout: CheckCommand::DEFAULT_TIMEOUT };
        let tool_cx = ToolCx { cancel: cx.cancel().child_token(), ..ToolCx::default() };
        Ok(parts.tools.redactor.clean(place.check(&tool_cx, &check).await))
    }
}

/// A program that is not on this machine: no work of an agent would install it.
fn about_setup(cx: &NodeCx, result: &CheckResult, program: &str) -> HumanRequest {
    let prompt = format!(
        "the check `{}` cannot run: `{program}` is not installed on this machine. Install it, and continue?",
        result.name
    );
    let context = json!({"command": result.command, "output": result.tail()});
    HumanRequest { context, ..cx.request(HumanKind::Rounds, prompt) }
}

/// What agents read about it.
fn report(result: &CheckResult) -> String {
    let tail = result.tail().map(|tail| format!(":\n{tail}")).unwrap_or_default();
    format!("The check `{}` (`{}`) {}{tail}", result.name, result.command, result.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_read_how_the_command_ended_and_what_a_failing_one_printed() {
        let mut result = CheckResult {
            name: "check".to_owned(),
            command: "make test".to_owned(),
            exit_code: Some(2),
            output: "expected 5\n".to_owned(),
            ..CheckResult::default()
        };
        assert_eq!(report(&result), "The check `check` (`make test`) failed with exit code 2:\nexpected 5");
        result.passed = true;
        assert_eq!(report(&result), "The check `check` (`make test`) passed");
    }
}
