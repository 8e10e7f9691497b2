//! What only HTTP says.

use amelia_core::check::CheckResult;
use amelia_core::event::run::{MISSING_KEY, RunFailure, WORKTREE_LOST};
use amelia_core::event::task::TaskRef;
use amelia_core::event::{Draft, Event, EventKind, HumanEvent, ReviewEvent, RunEvent, TaskEvent};
use amelia_core::human::HumanKind;
use amelia_core::id::{GraphName, RequestId, RunId, RunNumber, Seq};
use amelia_core::problem::Problem;
use amelia_core::run::{Domain, Run, RunSpec, RunStatus};
use amelia_core::store::trace_of;
use amelia_core::view::{RunRow, RunView};
use amelia_core::{clock::TickingClock, human::HumanRequest, id::AgentName};
use serde_json::json;
use uuid::Uuid;

use crate::error::{Code, ErrorInfo};
use crate::read::query;
use crate::rest::compare::{Compared, ComparedRun, JudgedWork};
use crate::rest::log::{Format, LogQuery};
use crate::rest::run::RunQuery;
use crate::rest::why::{Worker, why};
use crate::rest::{ListQuery, Page};
use crate::samples;

fn row(kinds: Vec<EventKind>) -> RunRow {
    let clock = TickingClock::default();
    let run = RunId(Uuid::from_u128(7));
    let spec = RunSpec::new(GraphName::new("toy").unwrap(), "a toy");
    let mut view = RunView::default();
    let created = EventKind::Run(RunEvent::Created { spec: Box::new(spec.clone()) });
    for (seq, kind) in (1..).zip([vec![created], kinds].concat()) {
        let draft = Draft::of_system(&clock, Domain::Workflow, kind);
        view.apply(&Event { run, seq: Seq(seq), trace: trace_of(run), draft });
    }
    RunRow { run: Run { id: run, number: RunNumber(7), created_at: jiff::Timestamp::UNIX_EPOCH, spec }, view }
}

fn asked(kind: HumanKind) -> Vec<EventKind> {
    let request = HumanRequest {
        id: RequestId(Uuid::from_u128(9)),
        kind,
        by: AgentName::system(),
        at: jiff::Timestamp::UNIX_EPOCH,
        prompt: "well?".to_owned(),
        context: json!(null),
        deadline: None,
        on_timeout: Default::default(),
        mode: None,
        session: None,
    };
    vec![
        EventKind::Run(RunEvent::Started),
        EventKind::Human(HumanEvent::Requested(request)),
        EventKind::Run(RunEvent::Paused { reason: kind }),
    ]
}

#[test]
fn every_run_that_has_not_ended_says_why_and_what_moves_it() {
    let run = |event| EventKind::Run(event);
    let cases = [
        (vec![], "start", "/start"),
        (vec![run(RunEvent::Queued)], "turn", "by itself"),
        (vec![run(RunEvent::Started)], "work", "nothing is needed"),
        (asked(HumanKind::Approval), "approval", "/approve"),
        (asked(HumanKind::Question), "question", "/respond"),
        (asked(HumanKind::Rounds), "rounds", "/respond"),
        (asked(HumanKind::Pause), "pause", "/resume"),
        (asked(HumanKind::Budget), "budget", "/resume"),
    ];
    for (kinds, waiting_for, way_out) in cases {
        let why = why(&row(kinds), &Worker::Moving).unwrap();
        assert_eq!(why.waiting_for, waiting_for);
        assert!(why.unblock.contains(way_out), "{why:?}");
        assert!(why.since.is_some(), "{why:?}");
    }
    let full = Worker::Stalled("no space left for x\n  hint: free some space".to_owned());
    let stalled = why(&row(vec![run(RunEvent::Started)]), &full).unwrap();
    assert_eq!(stalled.waiting_for, "storage");
    assert!(stalled.message.contains("no space left for x"), "{stalled:?}");
    assert!(stalled.unblock.starts_with("free some space; then POST"), "{stalled:?}");
    let left = why(&row(vec![run(RunEvent::Started)]), &Worker::None).unwrap();
    assert!(left.waiting_for == "resume" && left.unblock.contains("/resume"), "{left:?}");
    let mut lost = row(vec![run(RunEvent::Started)]);
    let id = lost.run.id;
    lost.view.status = RunStatus::Failed;
    for (code, expected) in [
        ("setup", format!("POST /api/workflows/{id}/resume")),
        (WORKTREE_LOST, format!("amelia worktree restore {id}; then POST /api/workflows/{id}/resume")),
    ] {
        lost.view.failure = Some(RunFailure::new(code, "it is gone"));
        assert_eq!(why(&lost, &Worker::None).unwrap().unblock, expected);
    }
    lost.view.failure = Some(RunFailure::new(MISSING_KEY, "`A_KEY` is not set"));
    assert_eq!(why(&lost, &Worker::None).unwrap().waiting_for, "key");
    for end in [RunEvent::Completed { summary: None }, RunEvent::Cancelled { by: None }] {
        assert_eq!(why(&row(vec![run(end)]), &Worker::None), None);
    }
}

#[test]
fn a_query_names_the_field_that_is_wrong() {
    let path = |text: &str| query::<RunQuery>(text).unwrap_err().0.remove(0).path;
    assert_eq!(path("limit=0"), "limit");
    assert_eq!(path("limit=501"), "limit");
    assert_eq!(path("since=soon"), "since");
    assert_eq!(path("colour=red"), "colour");
    let read: LogQuery = query("after=3&limit=2&type=run.started&format=agentx").unwrap();
    assert_eq!((read.begin(), read.limit.get(), read.format), (3, 2, Format::Agentx));
    assert_eq!(query::<RunQuery>("").unwrap(), RunQuery::default());
    assert_eq!(query::<RunQuery>("q=a%20b+c").unwrap().q.as_deref(), Some("a b c"));
}

#[test]
fn a_slice_ends_without_a_cursor() {
    let part = |text: &str| {
        let page = Page::slice(vec![1, 2, 3], &query::<ListQuery>(text).unwrap());
        (page.items, page.next_cursor)
    };
    assert_eq!(part("limit=2"), (vec![1, 2], Some("2".to_owned())));
    assert_eq!(part("limit=2&cursor=2"), (vec![3], None));
    assert_eq!(part("cursor=9"), (vec![], None));
    assert_eq!(part(""), (vec![1, 2, 3], None));
}

#[test]
fn a_message_of_ours_is_split_from_its_hint() {
    let info = ErrorInfo::of_problem(Code::Conflict, Problem::new("taken").with_hint("wait"));
    assert_eq!((info.message.as_str(), info.hint.as_deref()), ("taken", Some("wait")));
    assert_eq!(ErrorInfo::of_problem(Code::Conflict, "taken").hint, None);
    // These share their status with a more common code.
    let is_common = |code: &Code| !matches!(code, Code::WrongState | Code::Guardrail);
    for code in Code::ALL.into_iter().filter(is_common) {
        assert_eq!(Code::of_status(code.http_status()), code);
    }
}

#[test]
fn two_runs_are_compared_by_all_tasks_and_not_by_how_long_a_check_took() {
    let task = |index: u32| TaskRef { id: index.to_string(), title: "t".to_owned(), index, total: 2 };
    let judged = |duration_ms, passed| {
        let check = CheckResult { name: "test".to_owned(), passed, duration_ms, ..CheckResult::default() };
        let review =
            |round, index| ReviewEvent::Requested { round, personas: vec![], task: Some(task(index)) };
        let kinds = [
            EventKind::Review(review(1, 0)),
            EventKind::Review(review(2, 0)),
            EventKind::Task(TaskEvent::Checked { task: task(1), checks: vec![check] }),
            EventKind::Review(review(1, 1)),
        ];
        let mut judged = JudgedWork::default();
        (1..).zip(kinds).for_each(|(seq, kind)| judged.apply(&samples::event(seq, kind)));
        judged
    };
    // What is left in the state when the last task is committed.
    let state = json!({"task": 2, "progress": {"checks": []}});
    let run = |judged| ComparedRun::new(&row(vec![]), &Worker::None, &state, &judged, None);
    let compared = Compared::new(run(judged(10, true)), run(judged(20, true)));
    assert_eq!((compared.a.review_rounds, compared.a.checks.as_array().map(Vec::len)), (3, Some(1)));
    assert_eq!(compared.different, [""; 0]);
    assert_eq!(Compared::new(run(judged(10, true)), run(judged(10, false))).different, ["checks"]);
    assert_eq!(run(JudgedWork::default()).checks, json!([]), "the state, where the log says nothing");
}
