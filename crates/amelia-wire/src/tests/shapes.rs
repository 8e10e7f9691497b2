//! Everything that is not an event or a configuration.

use amelia_core::checkpoint::{CheckpointInfo, Position, Visit};
use amelia_core::config::team::execution::ExecutionConfig;
use amelia_core::driver::AgentMessage;
use amelia_core::event::run::RunFailure;
use amelia_core::human::{HumanAction, HumanKind};
use amelia_core::id::{NodeId, RequestId, RunId, RunNumber, Seq, Step};
use amelia_core::oracle::{Advice, Consultation};
use amelia_core::plan::{FileOp, FileOperation, Plan, PlanStep, PlanTask};
use amelia_core::review::{PlanVerdict, Severity};
use amelia_core::run::{Run, RunStatus};
use amelia_core::tracker::{Design, DesignSections, Issue};
use amelia_core::view::{RunRow, RunView};
use serde_json::{Value, json};

use crate::agentx::{self, step::TaskStep};
use crate::amelia::driver::{AgenticMessage, agentic_message, token_usage};
use crate::amelia::oracle::OracleConsultation;
use crate::amelia::plan::PlanValidationResult;
use crate::amelia::review::{EvaluationResult, ReviewResult};
use crate::amelia::state::fold::{Extent, StateFold};
use crate::amelia::{self, state, v1};
use crate::error::{Code, ErrorBody, ErrorInfo};
use crate::maf;
use crate::rest::human::Respond;
use crate::samples::{at, call, evaluation, kinds, log, message, request, result, review, spec, usage, uuid};
use crate::status::Status;

pub(super) fn row() -> RunRow {
    let run = Run { id: RunId(uuid(7)), number: RunNumber(7), created_at: at(0), spec: spec() };
    let mut view = RunView::default();
    for event in &log(kinds()) {
        view.apply(event);
    }
    RunRow { run, view }
}

fn consultation() -> Consultation {
    Consultation {
        at: at(3),
        problem: "why?".into(),
        model: "m1".into(),
        session: RunId(uuid(8)),
        asked_by: Some(RunId(uuid(7))),
        tokens: [("input".to_owned(), 10)].into(),
        cost_usd: Some(0.1),
        files: vec!["src/parse.rs".into()],
        outcome: Advice::Given("because".into()),
    }
}

#[test]
fn statuses() {
    use HumanKind::{
        Approval, Breakpoint, Budget, Escalation, Pause, Question, Quota, Rounds, Step, StepLimit,
    };
    for (reason, expected) in [
        (Approval, Status::AwaitingApproval),
        (Question, Status::AwaitingApproval),
        (Escalation, Status::AwaitingApproval),
        (Breakpoint, Status::Paused),
        (Step, Status::Paused),
        (Pause, Status::Paused),
        (StepLimit, Status::Paused),
        (Budget, Status::Paused),
        (Quota, Status::Paused),
        (Rounds, Status::Paused),
    ] {
        assert_eq!(Status::from(RunStatus::Waiting(reason)), expected, "{reason}");
    }
    for status in Status::ALL {
        assert_eq!(Status::parse(status.as_str()), Some(status));
        assert_eq!(serde_json::to_value(status).unwrap(), json!(status.as_str()));
    }
    for (alias, status) in
        [("in_progress", Status::Running), ("success", Status::Completed), ("error", Status::Failed)]
    {
        assert_eq!(Status::parse(alias), Some(status));
        assert_eq!(serde_json::from_value::<Status>(json!(alias)).unwrap(), status);
    }
    assert_eq!(Status::parse("done"), None);
}

#[test]
fn severities_never_under_report() {
    use Severity::{Critical, High, Low, Medium, None};
    let words = |severity: Severity| {
        let amelia = serde_json::to_value(amelia::review::Severity::from(severity)).unwrap();
        let first = serde_json::to_value(agentx::Severity::from(severity)).unwrap();
        format!("{} {}", amelia.as_str().unwrap(), first.as_str().unwrap())
    };
    let all = [None, Low, Medium, High, Critical].map(words);
    assert_eq!(all, ["none low", "minor low", "major medium", "major high", "critical critical"]);
    for (word, expected) in [("low", "minor"), ("medium", "major"), ("high", "major"), ("none", "none")] {
        let read: amelia::review::Severity = serde_json::from_value(json!(word)).unwrap();
        assert_eq!(serde_json::to_value(read).unwrap(), expected, "{word}");
    }
}

#[test]
fn pipeline_states() {
    let given = state::Given {
        issue: Some(
            Issue {
                key: "PROJ-1".into(),
                title: "Parser".into(),
                description: "It panics.".into(),
                status: "open".into(),
            }
            .into(),
        ),
        ..state::Given::default()
    };
    let mut fold = StateFold::of(&log(kinds()), Extent::Recent);
    fold.consultations = vec![consultation()];
    insta::assert_json_snapshot!(state::implementation_state(&row(), &fold, given));
    insta::assert_json_snapshot!("agentic_state", state::agentic_state(&row(), &fold, None));
}

#[test]
fn the_first_versions_state() {
    let profile = amelia_core::config::profile::Profile::new("work", "/repo");
    let given = v1::state::Given { plan: Some(plan()), ..v1::state::Given::default() };
    let state = v1::state::execution_state(&row(), &log(kinds()), (&profile).into(), given);
    insta::assert_json_snapshot!(state);
}

#[test]
fn a_state_at_its_beginning_has_the_documents_defaults() {
    let row = RunRow {
        run: Run { id: RunId(uuid(7)), number: RunNumber(7), created_at: at(0), spec: spec() },
        view: RunView::default(),
    };
    let state = state::implementation_state(&row, &StateFold::new(Extent::Recent), state::Given::default());
    insta::assert_json_snapshot!(state);
}

#[test]
fn reviews_and_plans() {
    let verdict = PlanVerdict { issues: vec!["no tasks".into()], severity: Severity::High };
    insta::assert_json_snapshot!(json!({
        "review": ReviewResult::from(review()),
        "evaluation": EvaluationResult::from(evaluation()),
        "validation": PlanValidationResult::from(verdict),
        "consultation": OracleConsultation::from(consultation()),
    }));
    let failed = Consultation { outcome: Advice::Failed("gone".into()), ..consultation() };
    let shown = OracleConsultation::from(failed);
    assert_eq!((shown.advice, shown.error_message.as_deref()), (None, Some("gone")));
}

#[test]
fn driver_messages() {
    let session = Some(amelia_core::id::SessionId::new("s").unwrap());
    let plain_call = amelia_core::tool::ToolCall {
        at: None,
        options: amelia_core::tool::CallOptions::default(),
        ..call()
    };
    let plain_result = amelia_core::tool::ToolResult {
        exit_code: None,
        artifacts: vec![],
        duration_ms: None,
        resources: None,
        ..result()
    };
    let failed = amelia_core::tool::ToolResult {
        output: String::new(),
        error: Some("no".into()),
        ..plain_result.clone()
    };
    let messages = [
        AgentMessage::Thinking { text: "hm".into() },
        AgentMessage::ToolCall(plain_call),
        AgentMessage::ToolResult(plain_result),
        AgentMessage::ToolResult(failed),
        AgentMessage::Usage(usage()),
        AgentMessage::Result { text: "done".into(), session, is_error: true },
    ];
    let wire: Vec<AgenticMessage> = messages.iter().cloned().filter_map(agentic_message).collect();
    insta::assert_json_snapshot!(wire);
    assert_eq!(agentic_message(AgentMessage::Notice { text: "x".into() }), None);
}

#[test]
fn usage_rows() {
    let events = log(kinds());
    let rows: Vec<_> = events.iter().filter_map(token_usage).collect();
    insta::assert_json_snapshot!(json!(rows));
}

fn plan() -> Plan {
    let task = PlanTask {
        id: "1".into(),
        title: "Check the length".into(),
        files: vec![FileOp {
            operation: FileOperation::Modify,
            path: "src/parse.rs".into(),
            line_range: Some("10-20".into()),
        }],
        steps: vec![PlanStep {
            description: "test".into(),
            code: None,
            command: Some("cargo test".into()),
            expected_output: Some("ok".into()),
        }],
        commit_message: Some("fix: check the length".into()),
        ..PlanTask::default()
    };
    let second = PlanTask {
        id: "2".into(),
        title: "Document".into(),
        dependencies: vec!["1".into()],
        ..PlanTask::default()
    };
    Plan { issue: "It panics.".into(), tasks: vec![task, second], ..Plan::default() }
}

#[test]
fn the_task_graph_comes_in_and_goes_out() {
    let wire = v1::plan::TaskDAG::from(plan());
    insta::assert_json_snapshot!(wire);
    let read = v1::plan::plan(serde_json::to_value(wire).unwrap()).unwrap();
    assert_eq!(read, Plan { goal: "It panics.".into(), ..plan() });
}

#[test]
fn a_task_graph_that_is_none_is_refused_with_the_place() {
    let refused = |document| v1::plan::plan(document).unwrap_err().to_string();
    let task = |id: &str, dependencies: &[&str]| json!({"id": id, "description": "do", "dependencies": dependencies});
    let with = |tasks: &[serde_json::Value]| refused(json!({"original_issue": "x", "tasks": tasks}));
    assert_eq!(refused(json!({"tasks": []})), "missing field `original_issue`");
    assert_eq!(
        refused(json!({"original_issue": " ", "tasks": []})),
        "original_issue: must not be empty\ntasks: must not be empty"
    );
    assert_eq!(with(&[json!({"id": "a"})]), "tasks[0]: missing field `description`");
    assert_eq!(with(&[json!({"id": "a", "description": ""})]), "tasks[0].description: must not be empty");
    assert_eq!(
        with(&[json!({"id": "a", "description": "d", "files": [{"operation": "delete", "path": "p"}]})]),
        "tasks[0].files[0].operation: unknown value `delete`, expected one of `create`, `modify`, `test`"
    );
    assert_eq!(with(&[task("a", &[]), task("a", &[])]), "tasks[1].id: two tasks have the id `a`");
    assert_eq!(
        with(&[task("a", &[]), task("b", &["a", "c"])]),
        "tasks[1].dependencies[1]: task `b` depends on `c`, which is not in the plan"
    );
    assert_eq!(
        with(&[task("x", &[]), task("a", &["b"]), task("b", &["a"])]),
        "tasks[1].dependencies: tasks depend on each other: a → b → a"
    );
}

#[test]
fn a_structured_design_keeps_its_sections() {
    let design = Design {
        content: "# Parser".into(),
        source: "import".into(),
        sections: Some(DesignSections {
            title: "Parser".into(),
            goal: "no panic".into(),
            ..DesignSections::default()
        }),
    };
    let wire = crate::amelia::sectioned_design::SectionedDesign::from(design.clone());
    insta::assert_json_snapshot!(wire);
    assert_eq!(Design::from(wire), design);
    let plain: amelia::plan::Design = serde_json::from_value(json!({"content": "x"})).unwrap();
    assert_eq!(plain.source, "import");
}

#[test]
fn a_step_with_every_part() {
    insta::assert_json_snapshot!(TaskStep::from(message()));
}

#[test]
fn tasks_and_checkpoints() {
    let mut waiting = Visit::new(Step(3), Seq(9));
    waiting.ask(vec![request(41, HumanKind::Approval)]);
    let info = CheckpointInfo {
        number: 2,
        seq: Seq(9),
        at: at(9),
        position: Position {
            entered: [(NodeId::new("approve").unwrap(), waiting)].into(),
            ..Position::default()
        },
        is_snapshot: true,
        bytes: 10,
        is_damaged: false,
    };
    let mut row = row();
    row.view.failure = Some(RunFailure { code: "x".into(), message: "gone".into(), node: None });
    let state = maf::message::State {
        messages: vec![(&message()).into()],
        next_action: None,
        current_agent: "writer".into(),
        routing_key: None,
        metadata: Default::default(),
    };
    insta::assert_json_snapshot!(json!({
        "task": maf::task::Task::new(&row, Some(30)),
        "checkpoint": maf::checkpoint::checkpoint(RunId(uuid(7)), &info, serde_json::to_value(state).unwrap()),
    }));
    let ended = CheckpointInfo { position: Position { ended: true, ..Position::default() }, ..info };
    let wire = maf::checkpoint::checkpoint(RunId(uuid(7)), &ended, json!({}));
    assert_eq!((wire.position.as_str(), wire.awaiting_human), ("__end__", false));
}

#[test]
fn feedback_becomes_a_reply() {
    let feedback: Respond =
        serde_json::from_value(json!({"action": "modify", "message": "m", "state_updates": {"score": 1}}))
            .unwrap();
    let reply = feedback.reply(RequestId(uuid(41)), at(90));
    assert_eq!(reply.action, HumanAction::Modify);
    assert_eq!(reply.updates, Some(json!({"score": 1})));
    let unknown = json!({"action": "approve", "mesage": "m"});
    assert!(serde_json::from_value::<Respond>(unknown).is_err());
}

#[test]
fn files_lie_where_the_document_says() {
    let run = RunId(uuid(7));
    let paths = [maf::files::task(run), maf::files::trace(run), maf::files::checkpoint(run, 12)];
    let id = "00000000-0000-0000-0000-000000000007";
    assert_eq!(
        paths.map(|path| path.to_string_lossy().into_owned()),
        ["task.json", "trace.json", "checkpoint_012.json"].map(|name| format!("tasks/{id}/{name}"))
    );
    assert_eq!(maf::files::agent("writer").unwrap().to_str(), Some("agents/writer.json"));
    assert_eq!(maf::files::workflow("my loop").unwrap().to_str(), Some("workflows/my loop.json"));
    for name in ["", "../x", ".hidden", "a/b", "a\\b", "c:x"] {
        assert_eq!(maf::files::workflow(name), None, "{name}");
    }
}

#[test]
fn an_error_has_one_shape() {
    let error = ErrorInfo::new(Code::NotFound, "there is no run `x`").hint("amelia status lists all runs");
    let body = ErrorBody { error, request_id: "r1".into() };
    assert_eq!(
        serde_json::to_value(&body).unwrap(),
        json!({
            "error": {
                "code": "NOT_FOUND",
                "message": "there is no run `x`",
                "hint": "amelia status lists all runs",
            },
            "request_id": "r1",
        })
    );
    let statuses: Vec<u16> = Code::ALL.into_iter().map(Code::http_status).collect();
    assert_eq!(statuses, [400, 401, 403, 404, 405, 409, 409, 413, 415, 422, 422, 429, 500, 503]);
}

#[test]
fn a_plan_document_comes_in_and_goes_out() {
    let document = json!({"goal": "no panic", "tasks": [
        {"task_id": "1", "description": "write", "status": "in_progress", "assigned_agent": "writer",
         "priority": 2, "dependencies": [], "metadata": {"progress": 10}},
        {"task_id": "2", "description": "check", "status": "pending", "assigned_agent": null,
         "priority": null, "dependencies": ["1"], "metadata": {}},
    ]});
    let config =
        ExecutionConfig { success_criteria: vec!["file:a".to_owned()], ..ExecutionConfig::default() };
    let read = |document: Value| agentx::plan::plan(document, &["writer", "critic"], &config);
    let plan = read(document.clone()).unwrap();
    assert_eq!(serde_json::to_value(agentx::plan::PlanDocument::from(plan.clone())).unwrap(), document);
    let of_team = serde_json::to_value(agentx::plan::PlanDocument::of_team(plan.clone(), &config)).unwrap();
    assert_eq!(
        (&of_team["success_criteria"], &of_team["execution_mode"]),
        (&json!(["file:a"]), &json!("autonomous"))
    );
    assert_eq!(read(of_team).unwrap(), plan, "it may come back as it is");
    let bad = json!({"execution_mode": "hitl", "success_criteria": [], "tasks": [
        {"task_id": "1", "description": "x", "assigned_agent": "ghost", "dependencies": ["1"]},
        {"task_id": " ", "description": "", "dependencies": ["9"]},
    ]});
    assert_eq!(
        read(bad).unwrap_err().to_string(),
        "execution_mode: is set by the team: change it with `team_modification`\n\
         success_criteria: is set by the team: change it with `team_modification`\n\
         tasks[0].assigned_agent: no agent `ghost` can work on tasks; use one of: writer, critic\n\
         tasks[1].task_id: must not be empty\ntasks[1].description: must not be empty\n\
         tasks[1]: task ` ` depends on `9`, which is not in the plan\n\
         tasks[0]: tasks depend on each other: 1 → 1"
    );
    let word = json!({"tasks": [{"task_id": "1", "description": "x", "priority": "low", "estimated_duration": "15m"}]});
    let task = read(word).unwrap().tasks.remove(0);
    assert_eq!((task.priority, task.estimated_duration.as_deref()), (Some(3), Some("15m")));
}

#[test]
fn tasks_of_a_plan_are_changed_by_their_ids() {
    let document = json!({"goal": "g", "tasks": [
        {"task_id": "1", "description": "look", "status": "failed", "metadata": {"a": 1}},
        {"task_id": "2", "description": "write", "status": "skipped", "dependencies": ["1"],
         "metadata": {"skipped_because": "1"}},
    ]});
    let plan = agentx::plan::plan(document, &[], &ExecutionConfig::default()).unwrap();
    let patched = |changes: Value| agentx::plan::patched(plan.clone(), changes, &["writer"]);
    let changed = patched(json!([
        {"task_id": "1", "status": "pending", "assigned_agent": "writer", "metadata": {"a": null, "b": 2}},
        {"task_id": "3", "description": "check", "dependencies": ["2"], "priority": "high"},
    ]));
    let shown = serde_json::to_value(agentx::plan::PlanDocument::from(changed.unwrap())).unwrap();
    assert_eq!(shown["tasks"][0]["assigned_agent"], "writer");
    assert_eq!(shown["tasks"][0]["metadata"], json!({"b": 2}));
    assert_eq!(shown["tasks"][1]["status"], "pending", "the one behind it is done, too");
    assert_eq!(
        (&shown["tasks"][2]["priority"], &shown["tasks"][2]["status"]),
        (&json!(1), &json!("pending"))
    );
    assert_eq!(
        patched(
            json!([{"task_id": "7"}, {"task_id": "1", "assigned_agent": "ghost", "dependencies": ["2"]}])
        )
        .unwrap_err()
        .to_string(),
        "tasks[0].description: must not be empty\n\
         tasks[1].assigned_agent: no agent `ghost` can work on tasks; use one of: writer\n\
         tasks[0]: tasks depend on each other: 1 → 2 → 1"
    );
    assert_eq!(patched(json!([{"task_id": "1", "state": "x"}])).unwrap_err().0[0].path, "tasks[0].state");
}
