//! One event of every kind, for tests. A new kind breaks the build here, in `samples/number.rs`.

mod guardrails;
mod number;
mod outside;
use std::collections::BTreeMap;

use amelia_core::check::CheckResult;
use amelia_core::driver::Usage;
use amelia_core::event::human::{Intervention, InterventionKind};
use amelia_core::event::run::{ResumeReason, RunFailure, Steering};
use amelia_core::event::system::{HealthStatus, SystemError};
use amelia_core::event::task::TaskRef;
use amelia_core::event::team::HandoffKind;
use amelia_core::event::{
    AgentEvent, ArtifactEvent, Draft, Event, EventKind, HumanEvent, IngestEvent, MemoryEvent, NodeEvent,
    PlanEvent, ReviewEvent, RunEvent, SystemEvent, TaskEvent, TeamEvent,
};
use amelia_core::human::{HumanAction, HumanKind, HumanReply, HumanRequest, OnTimeout};
use amelia_core::id::{
    AgentName, CallId, EventId, GraphName, MessageId, NodeId, RequestId, RunId, Seq, SessionId, Step,
};
use amelia_core::message::{
    Artifact, AudioPart, CheckKind, CheckStatus, Dimensions, GuardrailCheck, GuardrailPart, ImagePart,
    MemoryKind, MemoryOperation, MemoryPart, MemoryReference, Message, Object, Part, Role, TextPart,
    ThinkingPart,
};
use amelia_core::review::{
    Disposition, EvaluatedItem, Evaluation, PlanVerdict, Review, ReviewComment, Severity,
};
use amelia_core::run::{Domain, RunSpec};
use amelia_core::tool::{CallOptions, ToolCall, ToolName, ToolResult};
use jiff::Timestamp;
use serde_json::{Value, json};
use uuid::Uuid;

use guardrails::guardrails;
use number::{KINDS, number};
use outside::{check_command, grant, outside, profile_agents, removed_rule};

/// A sample of each kind, in order; several where names depend on more than the kind.
pub(crate) fn kinds() -> Vec<EventKind> {
    let kinds: Vec<EventKind> =
        [runs(), people(), work(), agents(), teams(), files(), guardrails(), system(), outside()]
            .into_iter()
            .flatten()
            .collect();
    let numbers: std::collections::BTreeSet<usize> = kinds.iter().map(number).collect();
    assert_eq!(numbers, (0..KINDS).collect(), "every kind has a sample");
    kinds
}

pub(crate) fn uuid(n: u128) -> Uuid {
    Uuid::from_u128(n)
}

pub(crate) fn agent(name: &str) -> AgentName {
    AgentName::new(name).unwrap()
}

pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_767_225_600 + second).unwrap()
}

pub(crate) fn object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        other => panic!("{other} is not an object"),
    }
}

/// An event of the log, its number giving all ids and times.
pub(crate) fn event(seq: u64, kind: EventKind) -> Event {
    Event {
        run: RunId(uuid(7)),
        seq: Seq(seq),
        trace: amelia_core::store::trace_of(RunId(uuid(7))),
        draft: Draft {
            id: EventId(uuid(1000 + u128::from(seq))),
            at: at(i64::try_from(seq).unwrap()),
            agent: agent("developer"),
            domain: Domain::Workflow,
            session: None,
            step: None,
            cause: Some(EventId(uuid(1000))),
            kind,
        },
    }
}

pub(crate) fn log(kinds: Vec<EventKind>) -> Vec<Event> {
    (1..).zip(kinds).map(|(seq, kind)| event(seq, kind)).collect()
}

pub(crate) fn spec() -> RunSpec {
    let mut spec = RunSpec::new(GraphName::new("implementation").unwrap(), "Fix the parser");
    spec.profile = Some("work".into());
    spec.input = json!({"prompt": "Fix it.", "execution_mode": "step", "team_config": {"name": "news"}});
    spec
}

pub(crate) fn request(n: u128, kind: HumanKind) -> HumanRequest {
    HumanRequest {
        id: RequestId(uuid(n)),
        kind,
        by: agent("architect"),
        at: at(0),
        prompt: "Is this plan right?".into(),
        context: json!({"plan": "…"}),
        deadline: Some(at(86_400)),
        on_timeout: OnTimeout::Reject,
        session: None,
        mode: None,
    }
}

pub(crate) fn reply(n: u128, action: HumanAction) -> HumanReply {
    HumanReply {
        request: RequestId(uuid(n)),
        action,
        at: at(90),
        by: Some("ada".into()),
        message: Some("smaller steps".into()),
        updates: None,
        grant: None,
    }
}

fn runs() -> Vec<EventKind> {
    let (code, message) = ("node_failed".into(), "the model is gone".into());
    let failure = RunFailure { code, message, node: Some(NodeId::new("develop").unwrap()) };
    let node = || NodeId::new("plan").unwrap();
    vec![
        EventKind::Run(RunEvent::Created { spec: Box::new(spec()) }),
        EventKind::Run(RunEvent::Queued),
        EventKind::Run(RunEvent::Started),
        EventKind::Run(RunEvent::Limited { budget: spec().budget }),
        EventKind::Run(RunEvent::ChecksReplaced { checks: vec![check_command()] }),
        EventKind::Run(RunEvent::AgentsReplaced { agents: profile_agents() }),
        EventKind::Run(RunEvent::Archived { is_archived: true }),
        EventKind::Run(RunEvent::PermissionGranted(grant())),
        EventKind::Run(RunEvent::Steered(Steering::Breakpoints([node()].into()))),
        EventKind::Run(RunEvent::Steered(removed_rule())),
        EventKind::Run(RunEvent::Paused { reason: HumanKind::Approval }),
        EventKind::Run(RunEvent::Paused { reason: HumanKind::Step }),
        EventKind::Run(RunEvent::Resumed { reason: ResumeReason::Replied }),
        EventKind::Run(RunEvent::Completed { summary: Some("parser fixed".into()) }),
        EventKind::Run(RunEvent::Failed { failure }),
        EventKind::Run(RunEvent::Cancelled { by: Some("ada".into()) }),
        EventKind::Node(NodeEvent::Entered { node: node(), step: Step(1) }),
        EventKind::Node(NodeEvent::Left { node: node(), step: Step(1), duration_ms: 1200 }),
    ]
}

fn people() -> Vec<EventKind> {
    let intervention = Intervention {
        id: "i1".into(),
        kind: InterventionKind::PlanUpdate,
        details: object(json!({"task": "2"})),
        by: Some("ada".into()),
    };
    vec![
        EventKind::Human(HumanEvent::Requested(request(41, HumanKind::Approval))),
        EventKind::Human(HumanEvent::Requested(request(42, HumanKind::Breakpoint))),
        EventKind::Human(HumanEvent::Requested(request(43, HumanKind::Step))),
        EventKind::Human(HumanEvent::Requested(request(44, HumanKind::Budget))),
        EventKind::Human(HumanEvent::Replied(reply(41, HumanAction::Approve))),
        EventKind::Human(HumanEvent::Replied(reply(41, HumanAction::Reject))),
        EventKind::Human(HumanEvent::Replied(reply(41, HumanAction::TimedOut))),
        EventKind::Human(HumanEvent::Replied(reply(42, HumanAction::Approve))),
        EventKind::Human(HumanEvent::Intervened(intervention)),
    ]
}

pub(crate) fn review() -> Review {
    Review {
        persona: "Security".into(),
        approved: false,
        severity: Severity::Medium,
        comments: vec![
            ReviewComment {
                text: "unchecked length".into(),
                file: Some("src/parse.rs".into()),
                line: Some(12),
                suggestion: Some("check it".into()),
            },
            ReviewComment { text: "no test".into(), ..ReviewComment::default() },
        ],
    }
}

pub(crate) fn evaluation() -> Evaluation {
    let item = |number, disposition| EvaluatedItem {
        number,
        title: "unchecked length".into(),
        file: "src/parse.rs".into(),
        line: 12,
        disposition,
        reason: "it is".into(),
        issue: "the length is not checked".into(),
        suggestion: "check it".into(),
    };
    Evaluation {
        items: vec![
            item(1, Disposition::Implement),
            item(2, Disposition::Reject),
            item(3, Disposition::Defer),
            item(4, Disposition::Clarify),
        ],
        summary: "one to fix".into(),
    }
}

fn work() -> Vec<EventKind> {
    let task = || TaskRef { id: "1".into(), title: "Check the length".into(), index: 0, total: 2 };
    let verdict = PlanVerdict { issues: vec!["no tasks".into()], severity: Severity::High };
    vec![
        EventKind::Plan(PlanEvent::Validated {
            goal: "a parser that does not panic".into(),
            tasks: 2,
            key_files: vec!["src/parse.rs".into()],
        }),
        EventKind::Plan(PlanEvent::Refused { verdict, revision: 1 }),
        EventKind::Task(TaskEvent::Started(task())),
        EventKind::Task(TaskEvent::Checked { task: task(), checks: vec![check()] }),
        EventKind::Task(TaskEvent::Committed {
            task: task(),
            commit: "4b825dc642cb6eb9a060e54bf8d69288fbee4904".into(),
            message: "feat: parse numbers".into(),
        }),
        EventKind::Task(TaskEvent::Completed(task())),
        EventKind::Task(TaskEvent::Failed { task: task(), error: "does not build".into() }),
        EventKind::Review(ReviewEvent::Requested { round: 1, personas: vec!["Security".into()], task: None }),
        EventKind::Review(ReviewEvent::Completed { round: 1, review: review(), task: None }),
        EventKind::Review(ReviewEvent::Evaluated { round: 1, evaluation: evaluation(), task: None }),
        EventKind::Review(ReviewEvent::RevisionRequested { round: 1, evaluation: evaluation(), task: None }),
    ]
}
pub(crate) fn call() -> ToolCall {
    ToolCall {
        id: CallId::new("tc_1").unwrap(),
        tool: ToolName::parse("files.read").unwrap(),
        args: object(json!({"path": "src/parse.rs"})),
        at: Some(at(5)),
        options: CallOptions {
            timeout_seconds: Some(60),
            retry: Some(object(json!({"max": 2}))),
            expects: Some("text".into()),
        },
    }
}

pub(crate) fn result() -> ToolResult {
    ToolResult {
        call: CallId::new("tc_1").unwrap(),
        tool: ToolName::parse("files.read").unwrap(),
        output: "fn parse() {}".into(),
        error: None,
        exit_code: Some(0),
        artifacts: vec!["file://artifacts/a.txt".into()],
        duration_ms: Some(8),
        resources: Some(object(json!({"cpu": 0.1}))),
        ..ToolResult::interrupted(&call())
    }
}

pub(crate) fn usage() -> Usage {
    Usage {
        input_tokens: Some(1000),
        output_tokens: Some(50),
        cache_read_tokens: Some(400),
        cache_creation_tokens: Some(10),
        cost_usd: Some(0.01),
        duration_ms: Some(900),
        num_turns: Some(1),
        model: Some("m1".into()),
        ..Usage::default()
    }
}

pub(crate) fn artifact() -> Artifact {
    Artifact {
        uri: "file://artifacts/main.py".into(),
        mime_type: "text/x-python".into(),
        size_bytes: Some(10),
        description: Some("the program".into()),
        version: Some("v1".into()),
        checksum: Some("sha256:0".into()),
        metadata: object(json!({"lines": 1})),
        created_by: Some("developer".into()),
        tags: vec!["code".into()],
    }
}

/// A message with every part.
pub(crate) fn message() -> Message {
    Message {
        id: MessageId(uuid(0xabc)),
        at: at(1),
        role: Role::User,
        agent: agent("writer"),
        task: Some("2".into()),
        parent: Some(MessageId(uuid(0xabb))),
        mode: amelia_core::message::ExecutionMode::Hitl,
        memory: object(json!({"recalled": 2})),
        parts: vec![
            Part::Text(TextPart { text: "Hello".into(), language: Some("en".into()), confidence: Some(0.9) }),
            Part::Thinking(ThinkingPart { text: "hm".into(), signature: Some("s".into()) }),
            Part::ToolCall(call()),
            Part::ToolResult(result()),
            Part::Artifact(artifact()),
            Part::Image(ImagePart {
                url: "data:image/png;base64,".into(),
                alt_text: Some("a cat".into()),
                dimensions: Some(Dimensions { width: 4, height: 3 }),
                format: Some("png".into()),
            }),
            Part::Audio(AudioPart {
                url: "file://artifacts/a.mp3".into(),
                transcript: Some("hello".into()),
                duration_seconds: Some(1.5),
                format: Some("mp3".into()),
                sample_rate: Some(44_100),
            }),
            Part::Memory(MemoryPart {
                operation: MemoryOperation::Retrieve,
                references: vec![MemoryReference {
                    memory: "m1".into(),
                    kind: MemoryKind::LongTerm,
                    relevance: Some(0.8),
                    query: Some("cats".into()),
                }],
                content: Some(object(json!({"k": "v"}))),
            }),
            Part::Guardrail(GuardrailPart {
                checks: vec![GuardrailCheck {
                    id: "c1".into(),
                    kind: CheckKind::ContentFilter,
                    status: CheckStatus::Warning,
                    message: Some("a name".into()),
                    policy: Some("pii".into()),
                    severity: Some(Severity::Medium),
                }],
                overall: CheckStatus::Warning,
            }),
        ],
        metadata: object(json!({"source": "cli"})),
    }
}

pub(crate) fn finished(is_error: bool) -> EventKind {
    EventKind::Agent(AgentEvent::Finished {
        text: "done".into(),
        is_error,
        session: Some(SessionId::new("vendor-1").unwrap()),
        tokens: Some(1050),
        duration_ms: Some(2000),
        memories_stored: Some(1),
    })
}

fn agents() -> Vec<EventKind> {
    vec![
        EventKind::Agent(AgentEvent::Started { context_tokens: Some(900), memories: Some(2), session: None }),
        EventKind::Agent(AgentEvent::Thought(ThinkingPart { text: "hm".into(), signature: None })),
        EventKind::Agent(AgentEvent::Called(call())),
        EventKind::Agent(AgentEvent::Returned(result())),
        EventKind::Agent(AgentEvent::Said(Box::new(message()))),
        EventKind::Agent(AgentEvent::Used(usage())),
        finished(false),
        finished(true),
    ]
}

fn teams() -> Vec<EventKind> {
    let (writer, editor) = (|| agent("writer"), || agent("editor"));
    vec![
        EventKind::Team(TeamEvent::HandedOff {
            from: writer(),
            to: editor(),
            reason: "draft is done".into(),
            context: object(json!({"draft": 1})),
            kind: HandoffKind::Sequential,
        }),
        EventKind::Team(TeamEvent::Forked {
            agents: vec![writer(), editor()],
            coordinator: Some(editor()),
            sync_points: vec!["draft".into()],
        }),
        EventKind::Team(TeamEvent::Joined {
            sync_point: "draft".into(),
            completed: vec![writer()],
            waiting: vec![editor()],
        }),
        EventKind::Team(TeamEvent::Proposed {
            proposal: "p1".into(),
            by: writer(),
            decision: "publish".into(),
            stakeholders: vec![editor()],
        }),
        EventKind::Team(TeamEvent::Voted {
            proposal: "p1".into(),
            by: editor(),
            vote: "yes".into(),
            reasoning: "good".into(),
        }),
        EventKind::Team(TeamEvent::Agreed {
            proposal: "p1".into(),
            decision: "publish".into(),
            votes: BTreeMap::from([(editor(), "yes".into())]),
        }),
    ]
}

fn files() -> Vec<EventKind> {
    let uri = || "file://artifacts/main.py".to_owned();
    vec![
        EventKind::Artifact(ArtifactEvent::Created(artifact())),
        EventKind::Artifact(ArtifactEvent::Modified {
            uri: uri(),
            version: "v2".into(),
            changes: object(json!({"added": 3})),
            artifact: Some(Box::new(artifact())),
        }),
        EventKind::Artifact(ArtifactEvent::Deleted { uri: uri() }),
        EventKind::Artifact(ArtifactEvent::Versioned {
            uri: uri(),
            old: "v1".into(),
            new: "v2".into(),
            reason: "restore".into(),
        }),
        EventKind::Memory(MemoryEvent::Stored { memory: "m1".into(), kind: MemoryKind::Semantic, size: 20 }),
        EventKind::Memory(MemoryEvent::Retrieved { query: "cats".into(), results: 3, threshold: Some(0.5) }),
        EventKind::Memory(MemoryEvent::Consolidated { topic: "cats".into(), items: 9, summary_length: 80 }),
    ]
}

fn system() -> Vec<EventKind> {
    vec![
        EventKind::Ingest(IngestEvent::Progressed {
            document: "guide.pdf".into(),
            stage: "embedding".into(),
            done: 3,
            total: 9,
        }),
        EventKind::System(SystemEvent::Failed(SystemError {
            id: "e1".into(),
            code: "disk_full".into(),
            message: "no space left".into(),
            context: object(json!({"path": "/tmp"})),
            recoverable: true,
            recovery: Some("wait".into()),
            stack: Some("…".into()),
        })),
        EventKind::System(SystemEvent::Recovered {
            error: "e1".into(),
            strategy: "wait".into(),
            success: true,
            details: object(json!({"tries": 2})),
        }),
        EventKind::System(SystemEvent::Warned {
            message: "slow disk".into(),
            details: object(json!({"ms": 900})),
        }),
        EventKind::System(SystemEvent::Checked {
            component: "store".into(),
            status: HealthStatus::Degraded,
            metrics: object(json!({"ms": 900})),
        }),
        EventKind::System(SystemEvent::Measured {
            name: "latency".into(),
            value: 1.5,
            unit: "ms".into(),
            component: "store".into(),
            tags: BTreeMap::from([("op".into(), "commit".into())]),
        }),
    ]
}

fn check() -> CheckResult {
    CheckResult {
        name: "tests".into(),
        command: "cargo test".into(),
        passed: false,
        exit_code: Some(101),
        timed_out: false,
        interrupted: false,
        output: "1 failed".into(),
        duration_ms: 1200,
    }
}
