//! `amelia trace`: the log of a run as steps with their tool calls, to find out what failed and what took long.

use std::collections::BTreeMap;
use std::process::ExitCode;

use amelia_core::object::Object;
use amelia_host::home::Home;
use amelia_wire::maf::task::SessionStatus;
use amelia_wire::maf::trace::{StepRecord, StepStatus, SubAgentSessionInfo, ToolCallRecord, TraceLog};
use anyhow::Result;

use super::which_run::newest;
use crate::cli::{Global, TraceCommand};
use crate::cli_error::{CliError, Exit};
use crate::reach;
use crate::ui;

/// As much of arguments and results as a line shows.
const LONGEST: usize = 80;

pub(super) async fn run(command: &TraceCommand, home: &Home, global: &Global) -> Result<ExitCode> {
    let run = match command {
        TraceCommand::Show(args) | TraceCommand::Errors(args) | TraceCommand::Summary(args) => &args.run,
        TraceCommand::Search(args) => &args.run,
    };
    let client = reach::to_look(home, global).await?;
    let row = newest(&client, run.as_deref()).await?;
    let trace = client.get(&format!("/tasks/{}/trace", row.run.id)).await;
    client.close().await?;
    let trace: Option<TraceLog> = trace?;
    let Some(trace) = trace else {
        return Err(CliError::new(Exit::NotFound, format!("run {} has no log", row.run.number)).into());
    };
    let trace = match command {
        TraceCommand::Show(_) | TraceCommand::Summary(_) => trace,
        TraceCommand::Errors(_) => with_steps(trace, is_failed),
        TraceCommand::Search(args) => {
            let wanted = args.text.to_lowercase();
            with_steps(trace, |step| contains(step, &wanted))
        }
    };
    match (global.json, command) {
        (true, TraceCommand::Summary(_)) => {
            anstream::println!("{}", serde_json::to_string(&Summary::of(&trace, row.view.active_ms))?);
        }
        (true, _) => anstream::println!("{}", serde_json::to_string(&trace)?),
        (false, TraceCommand::Summary(_)) => {
            Summary::of(&trace, row.view.active_ms).lines().iter().for_each(|line| ui::say!("{line}"));
        }
        (false, TraceCommand::Show(_)) => {
            let sub_agents = sub_agent_lines(&trace);
            lines(&trace).iter().chain(&sub_agents).for_each(|line| ui::say!("{line}"));
        }
        (false, _) => lines(&trace).iter().for_each(|line| ui::say!("{line}")),
    }
    Ok(ExitCode::SUCCESS)
}

fn with_steps(trace: TraceLog, keep: impl Fn(&StepRecord) -> bool) -> TraceLog {
    TraceLog { steps: trace.steps.into_iter().filter(keep).collect(), ..trace }
}

fn is_failed(step: &StepRecord) -> bool {
    step.status == StepStatus::Error || step.tool_calls.iter().any(|call| call.error.is_some())
}

/// Whether a text, in lower case, is anywhere in a step.
fn contains(step: &StepRecord, wanted: &str) -> bool {
    let has = |text: &str| text.to_lowercase().contains(wanted);
    let in_object = |object: &Object| object.values().any(|value| has(&value.to_string()));
    let in_call = |call: &ToolCallRecord| {
        has(&call.name())
            || in_object(&call.arguments)
            || call.result.as_ref().is_some_and(in_object)
            || call.error.as_deref().is_some_and(has)
    };
    has(&step.step_name) || has(&step.message) || has(&step.agent) || step.tool_calls.iter().any(in_call)
}

fn lines(trace: &TraceLog) -> Vec<String> {
    match trace.steps.as_slice() {
        [] => vec!["no steps found".to_owned()],
        steps => steps.iter().flat_map(step_lines).collect(),
    }
}

fn sub_agent_lines(trace: &TraceLog) -> Vec<String> {
    let line = |session: &SubAgentSessionInfo| {
        let status = match session.status {
            SessionStatus::Running => ui::painted(ui::BUSY, "running"),
            SessionStatus::Completed => ui::painted(ui::GOOD, "completed"),
            SessionStatus::Failed => ui::painted(ui::BAD, "failed"),
        };
        let messages = ui::counted(usize::try_from(session.message_count).unwrap_or(usize::MAX), "message");
        format!("sub-agent {} {status} {}", ui::one_line(&session.agent), ui::dim(messages))
    };
    trace.sub_agent_sessions.values().map(line).collect()
}

fn step_lines(step: &StepRecord) -> Vec<String> {
    let mark = match step.status {
        StepStatus::Info => ui::dim("•"),
        StepStatus::Warning => ui::painted(ui::WAITS, "!"),
        StepStatus::Error => ui::painted(ui::BAD, "✗"),
    };
    let (time, who) = (ui::dim(ui::clock_time(step.timestamp)), ui::bold(ui::one_line(&step.agent)));
    let name = ui::dim(&step.step_name);
    let message = ui::cut(&ui::one_line(&step.message), LONGEST);
    let first = format!("{time} {mark} {who} {name} {message}{}", took(step.duration_ms));
    [first].into_iter().chain(step.tool_calls.iter().map(call_line)).collect()
}

fn call_line(call: &ToolCallRecord) -> String {
    let name = ui::one_line(&call.name());
    let arguments = serde_json::Value::Object(call.arguments.clone()).to_string();
    let arguments = ui::dim(ui::cut(&ui::one_line(&arguments), LONGEST));
    let outcome = match (&call.error, &call.result) {
        (Some(error), _) => format!("{} {}", ui::painted(ui::BAD, "✗"), ui::one_line(error)),
        (None, Some(_)) => ui::painted(ui::GOOD, "✓"),
        (None, None) => ui::painted(ui::WAITS, "no result"),
    };
    format!("    {name} {arguments} {outcome}{}", took(call.duration_ms))
}

fn took(duration_ms: Option<u64>) -> String {
    duration_ms.map(|ms| ui::dim(format!(" {:.1} s", ms as f64 / 1e3))).unwrap_or_default()
}

/// What a trace adds up to.
#[derive(Debug, PartialEq, serde::Serialize)]
struct Summary {
    steps: usize,
    warnings: usize,
    errors: usize,
    sub_agents: usize,
    /// In which the run was at work.
    seconds: f64,
    /// In which it waited for a person, or was interrupted.
    waited_seconds: f64,
    tools: BTreeMap<String, ToolUse>,
}

#[derive(Debug, Default, PartialEq, serde::Serialize)]
struct ToolUse {
    calls: usize,
    failed: usize,
    /// Of the calls that say it.
    duration_ms: Option<u64>,
}

impl Summary {
    fn of(trace: &TraceLog, active_ms: u64) -> Self {
        let seconds = active_ms as f64 / 1e3;
        let whole = trace.updated_at.duration_since(trace.created_at).as_secs_f64();
        let with = |status| trace.steps.iter().filter(|step| step.status == status).count();
        let mut tools: BTreeMap<String, ToolUse> = BTreeMap::new();
        for call in trace.steps.iter().flat_map(|step| &step.tool_calls) {
            let used = tools.entry(call.name()).or_default();
            used.calls += 1;
            used.failed += usize::from(call.error.is_some());
            let known = [used.duration_ms, call.duration_ms].into_iter().flatten();
            used.duration_ms = known.reduce(u64::saturating_add);
        }
        Self {
            steps: trace.steps.len(),
            warnings: with(StepStatus::Warning),
            errors: trace.steps.iter().filter(|step| is_failed(step)).count(),
            sub_agents: trace.sub_agent_sessions.len(),
            seconds,
            waited_seconds: (whole - seconds).max(0.0),
            tools,
        }
    }

    fn lines(&self) -> Vec<String> {
        let (steps, errors) = (ui::counted(self.steps, "step"), ui::counted(self.errors, "error"));
        let warnings = ui::counted(self.warnings, "warning");
        let agents = ui::counted(self.sub_agents, "sub-agent");
        let waited = match self.waited_seconds {
            // The moment before a worker took it.
            ..1.0 => String::new(),
            waited => format!(" of work and {waited:.1} s of waiting"),
        };
        let time = format!("{:.1} s{waited}", self.seconds);
        let mut lines = vec![format!("{steps} in {time}: {errors}, {warnings}, {agents}")];
        lines.extend(self.tools.iter().map(|(name, used)| {
            let calls = ui::counted(used.calls, "call");
            let failed = match used.failed {
                0 => String::new(),
                failed => format!(", {}", ui::painted(ui::BAD, format!("{failed} failed"))),
            };
            format!("  {} {calls}{failed}{}", ui::one_line(name), took(used.duration_ms))
        }));
        lines
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn trace() -> TraceLog {
        let call = |tool: &str, error: Option<&str>| {
            let result = error.is_none().then(|| json!({"output": "80"}));
            json!({"server": "builtin", "tool": tool, "arguments": {"path": "a.rs"}, "result": result,
                "error": error, "duration_ms": 1500})
        };
        let step = |name: &str, status: &str, calls: serde_json::Value| {
            json!({"step_name": name, "message": "It\nworks.", "timestamp": "2026-01-01T00:00:00Z",
                "status": status, "agent": "writer", "tool_calls": calls, "duration_ms": null})
        };
        let session = json!({"session_id": "s", "agent": "scout", "message_count": 2, "status": "failed"});
        serde_json::from_value(json!({
            "task_id": "t", "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:02Z",
            "steps": [
                step("agent.started", "info", json!([call("read_file", None), call("shell", Some("not found"))])),
                step("run.failed", "error", json!([])),
                step("node.left", "info", json!([])),
            ],
            "sub_agent_sessions": {"s": session},
        }))
        .unwrap()
    }

    fn plain(lines: &[String]) -> Vec<String> {
        lines.iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect()
    }

    #[test]
    fn steps_are_shown_with_their_calls_and_the_sub_agents_last() {
        let lines = plain(&lines(&trace()));
        assert!(lines[0].ends_with("• writer agent.started It ⏎ works."), "{}", lines[0]);
        assert_eq!(lines[1], "    read_file {\"path\":\"a.rs\"} ✓ 1.5 s");
        assert_eq!(lines[2], "    shell {\"path\":\"a.rs\"} ✗ not found 1.5 s");
        assert_eq!(plain(&sub_agent_lines(&trace())), ["sub-agent scout failed 2 messages"]);
    }

    #[test]
    fn errors_and_words_are_found_in_steps_and_in_their_calls() {
        assert_eq!(with_steps(trace(), is_failed).steps.len(), 2);
        let found = |text: &str| with_steps(trace(), |step| contains(step, text)).steps.len();
        assert_eq!((found("a.rs"), found("not found"), found("works"), found("duration_ms")), (1, 1, 3, 0));
    }

    #[test]
    fn a_summary_counts_calls_by_tool() {
        let lines = plain(&Summary::of(&trace(), 2000).lines());
        let expected = [
            "3 steps in 2.0 s: 2 errors, 0 warnings, 1 sub-agent",
            "  read_file 1 call 1.5 s",
            "  shell 1 call, 1 failed 1.5 s",
        ];
        assert_eq!(lines, expected);
        let waited = plain(&Summary::of(&trace(), 500).lines());
        let mut unknown = trace();
        unknown
            .steps
            .iter_mut()
            .flat_map(|step| &mut step.tool_calls)
            .for_each(|call| call.duration_ms = None);
        assert_eq!(plain(&Summary::of(&unknown, 2000).lines())[1], "  read_file 1 call");
        let first = "3 steps in 0.5 s of work and 1.5 s of waiting: 2 errors, 0 warnings, 1 sub-agent";
        assert_eq!(waited.first().map(String::as_str), Some(first));
    }
}
