//! Conversations that were recorded from the real program (0.166.0), and single decisions.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use amelia_core::clock::TickingClock;
use amelia_core::config::agent::CodexMode;
use amelia_core::driver::{AgentMessage, AgentRequest, AnswerShape, DriverError, ModelOptions, UsageMeter};
use amelia_core::id::{AgentName, SessionId};
use amelia_core::recording::Channel;
use amelia_core::tool::{Risk, ToolName, ToolPermission, ToolResult, ToolSpec, WorkArea};
use amelia_core::workplace::{ListedRights, Rights};
use serde::Deserialize;
use serde_json::json;

use super::approval;
use super::failure::{self, TurnError};
use super::item::{Item, unwrapped};
use super::talk::CodexTalk;
use super::{CodexSettings, launch};
use crate::program::{MessageFactory, Protocol, ProtocolAction};

fn settings() -> CodexSettings {
    CodexSettings { program: "codex".to_owned(), mode: CodexMode::Server, is_proxied: true, asks: false }
}

fn work_area(rights: Rights) -> WorkArea {
    WorkArea::new(PathBuf::from("/tree"), rights)
}

fn request() -> AgentRequest {
    AgentRequest {
        agent: AgentName::new("developer").unwrap(),
        model: "gpt-5".to_owned(),
        system: "You are brief.".to_owned(),
        messages: Vec::new(),
        answer: None,
        options: ModelOptions::default(),
        max_turns: 20,
        session: None,
        unheard: usize::MAX,
        channel: Channel::default(),
        meter: UsageMeter::default(),
    }
}

fn factory() -> MessageFactory {
    MessageFactory { agent: AgentName::new("developer").unwrap(), clock: Arc::new(TickingClock::default()) }
}

fn extras() -> Vec<ToolSpec> {
    vec![ToolSpec {
        name: ToolName::builtin("ask_human"),
        description: "Asks.".to_owned(),
        input_schema: json!({"type": "object"}),
        output_schema: None,
        risk: Risk::External,
        timeout_seconds: 1,
        fallbacks: Vec::new(),
        retry_on: Vec::new(),
    }]
}

/// All that is done when the program says these lines; a person allows edits and nothing else.
fn played(settings: &CodexSettings, request: &AgentRequest, lines: &str) -> String {
    let clock = Arc::new(TickingClock::default());
    let mut talk = CodexTalk::new(settings, request, work_area(Rights::Work), extras(), clock);
    let mut shown = String::new();
    let mut todo = talk.begin().1;
    let mut lines = lines.lines();
    loop {
        for act in std::mem::take(&mut todo) {
            let more = match &act {
                ProtocolAction::Permit { key, risk: Risk::Write, .. } => {
                    talk.permitted(key, ToolPermission::Allow { args: None })
                }
                ProtocolAction::Permit { key, .. } => {
                    talk.permitted(key, ToolPermission::Deny { message: "not now".to_owned() })
                }
                ProtocolAction::Call { key, call } => talk.returned(
                    key,
                    ToolResult {
                        output: "the second".to_owned(),
                        error: None,
                        ..ToolResult::interrupted(call)
                    },
                ),
                _ => Vec::new(),
            };
            show(&mut shown, &act);
            more.iter().for_each(|act| show(&mut shown, act));
        }
        match lines.next() {
            Some(line) => todo = talk.hear(line),
            None => return shown,
        }
    }
}

fn show(shown: &mut String, act: &ProtocolAction) {
    let text = match act {
        ProtocolAction::Say(line) => format!("say {}", line.replace(env!("CARGO_PKG_VERSION"), "VERSION")),
        ProtocolAction::Tell(AgentMessage::Said(said)) => format!("said {}", said.text()),
        ProtocolAction::Tell(message) => format!("tell {}", serde_json::to_string(message).unwrap()),
        ProtocolAction::Used(usage) => format!("used {}", serde_json::to_string(usage).unwrap()),
        ProtocolAction::Permit { call, risk, .. } => {
            format!("permit {risk:?} {} {}", call.tool, json!(call.args))
        }
        ProtocolAction::Call { call, .. } => format!("call {} {}", call.tool, json!(call.args)),
        ProtocolAction::Forget { key } => format!("forget {key}"),
        ProtocolAction::Again { why } => format!("again {}", why.as_deref().unwrap_or_default()),
        ProtocolAction::Retry(retry) => format!("retry {}; {}", retry.failure, retry.again),
        ProtocolAction::Close => "close".to_owned(),
        ProtocolAction::Done => "done".to_owned(),
        ProtocolAction::Fail(error) => format!("fail {error}"),
    };
    writeln!(shown, "{text}").unwrap();
}

#[test]
fn a_turn_with_an_edit_a_command_and_a_question() {
    let asks = CodexSettings { asks: true, ..settings() };
    let request = AgentRequest {
        answer: Some(AnswerShape {
            name: "a".to_owned(),
            schema: json!({"type": "object"}),
            is_binding: true,
        }),
        options: ModelOptions { reasoning: Some("low".to_owned()), ..ModelOptions::default() },
        ..request()
    };
    insta::assert_snapshot!(played(
        &asks,
        &request,
        include_str!("../../tests/fixtures/codex/working.jsonl")
    ));
}

#[test]
fn what_was_declined_is_said_so() {
    let asks = CodexSettings { asks: true, ..settings() };
    insta::assert_snapshot!(played(
        &asks,
        &request(),
        include_str!("../../tests/fixtures/codex/declined.jsonl")
    ));
}

#[test]
fn a_busy_model_is_a_notice_first_and_then_the_end() {
    let request = AgentRequest { session: Some(SessionId::new("t1").unwrap()), ..request() };
    insta::assert_snapshot!(played(
        &settings(),
        &request,
        include_str!("../../tests/fixtures/codex/busy.jsonl")
    ));
}

#[test]
fn how_it_is_started() {
    let own = CodexSettings { is_proxied: false, ..settings() };
    let told = CodexSettings { mode: CodexMode::Exec, ..settings() };
    let options = ModelOptions { reasoning: Some("high".to_owned()), ..ModelOptions::default() };
    let request = AgentRequest { options, ..request() };
    let (reads, works) = (work_area(Rights::Read), work_area(Rights::Work));
    insta::assert_debug_snapshot!([
        launch::server(&settings(), &works),
        launch::server(&own, &reads),
        launch::exec(&told, &request, &works, None, "Do it."),
        launch::exec(&told, &request, &reads, Some("t1"), "Go on."),
    ]);
}

#[test]
fn what_holds_it_back_follows_from_its_role() {
    let asks = CodexSettings { asks: true, ..settings() };
    for (rights, settings, expected) in [
        (Rights::Read, settings(), ("never", "read-only")),
        (Rights::Read, asks.clone(), ("never", "read-only")),
        (Rights::Work, settings(), ("on-request", "workspace-write")),
        (Rights::Work, asks, ("untrusted", "danger-full-access")),
    ] {
        let work_area = work_area(rights);
        let held = (launch::policy(&work_area, &settings), launch::sandbox(&work_area, &settings));
        assert_eq!(held, expected, "{rights:?} {settings:?}");
    }
}

#[test]
fn a_list_of_tools_without_a_shell_leaves_it_the_read_only_sandbox_and_no_commands() {
    let asks = CodexSettings { asks: true, ..settings() };
    for (names, expected) in [
        (&[][..], ("never", "read-only")),
        (&["read_file", "git_log"], ("never", "read-only")),
        (&["write_file"], ("never", "read-only")),
        (&["shell"], ("on-request", "workspace-write")),
    ] {
        let listed = Some(ListedRights::of(names.iter().copied()));
        let work_area = WorkArea { listed, ..work_area(Rights::Work) };
        let held = (launch::policy(&work_area, &settings()), launch::sandbox(&work_area, &settings()));
        assert_eq!(held, expected, "{names:?}");
        let args = launch::server(&settings(), &work_area).args;
        let has_commands = !args.contains(&"features.shell_tool=false".to_owned());
        assert_eq!(has_commands, names.contains(&"shell"), "{args:?}");
        if !has_commands {
            let sandbox = launch::sandbox(&work_area, &asks);
            assert_eq!(sandbox, "read-only", "also for a person who wants to be asked");
        }
    }
}

#[test]
fn a_question_has_the_risk_of_what_it_is_about() {
    let edit = |path: &str| {
        let item =
            json!({"type": "fileChange", "id": "c", "changes": [{"path": path, "kind": {"type": "add"}}]});
        Item::deserialize(item).unwrap()
    };
    let command = |command: &str| json!({"itemId": "c", "command": command, "cwd": "/tree"});
    let beyond = json!({"itemId": "c", "command": "ls", "reason": "it must leave"});
    let grant = json!({"itemId": "c", "grantRoot": "/"});
    let (inside, outside, above) = (edit("/tree/a.txt"), edit("/etc/a.txt"), edit("/tree/../a.txt"));
    for (method, params, item, expected) in [
        (approval::COMMAND, command("/bin/bash -lc 'ls -la src'"), None, Risk::Read),
        (approval::COMMAND, command("/bin/bash -lc 'ls; rm -rf x'"), None, Risk::Execute),
        (approval::COMMAND, command("/bin/bash -lc 'cat $(evil)'"), None, Risk::Execute),
        (approval::COMMAND, command("/bin/bash -lc 'cargo test'"), None, Risk::Execute),
        (approval::COMMAND, beyond, None, Risk::External),
        (approval::FILES, json!({"itemId": "c"}), Some(&inside), Risk::Write),
        (approval::FILES, json!({"itemId": "c"}), Some(&outside), Risk::External),
        (approval::FILES, json!({"itemId": "c"}), Some(&above), Risk::External),
        (approval::FILES, json!({"itemId": "c"}), None, Risk::External),
        (approval::FILES, grant, Some(&inside), Risk::External),
        (approval::PERMISSIONS, json!({"itemId": "c", "permissions": {}}), None, Risk::External),
        (approval::ELICITATION, json!({"serverName": "files", "message": "May I?"}), None, Risk::External),
    ] {
        let asked = approval::read(method, &params, item, &factory(), Path::new("/tree")).unwrap();
        assert_eq!(asked.risk, expected, "{method} {params}");
    }
    let form = json!({"serverName": "s", "requestedSchema": {"properties": {"key": {"type": "string"}}}});
    assert_eq!(approval::read(approval::ELICITATION, &form, None, &factory(), Path::new("/tree")), None);
}

#[test]
fn a_call_of_a_tool_of_its_own_servers_has_the_name_that_rules_have_for_it() {
    let asked = |params| {
        let asked = approval::read(approval::ELICITATION, &params, None, &factory(), Path::new("/tree"));
        let call = asked.unwrap().call;
        (call.tool.to_string(), json!(call.args))
    };
    let meta =
        json!({"codex_approval_kind": "mcp_tool_call", "tool_name": "add", "tool_params": {"text": "a"}});
    let of_tool = json!({"serverName": "notes", "message": "Allow it?", "_meta": meta});
    assert_eq!(asked(of_tool), ("notes:add".to_owned(), json!({"text": "a"})));
    let other = json!({"serverName": "notes", "message": "May I?", "_meta": {"tool_name": "add"}});
    assert_eq!(asked(other), ("notes:request".to_owned(), json!({"message": "May I?"})));
}

#[test]
fn changed_arguments_are_told_to_the_model() {
    let params = json!({"itemId": "c", "command": "/bin/bash -lc 'rm -rf x'", "cwd": "/tree"});
    let asked = approval::read(approval::COMMAND, &params, None, &factory(), Path::new("/tree")).unwrap();
    let args = json!({"command": "rm -r x/old"}).as_object().cloned();
    let (answer, words) = asked.answer(&ToolPermission::Allow { args });
    assert_eq!(answer, json!({"decision": "decline"}));
    assert!(words.unwrap().contains("rm -r x/old"));
    let (answer, words) = asked.answer(&ToolPermission::Allow { args: Some(asked.call.args.clone()) });
    assert_eq!((answer, words), (json!({"decision": "accept"}), None));
}

#[test]
fn a_command_is_shown_without_the_shell_around_it() {
    for (command, expected) in [
        (r"/bin/bash -lc 'echo a; echo b'", "echo a; echo b"),
        (r#"/bin/bash -lc "echo 'a'""#, "echo 'a'"),
        (r"/bin/zsh -c ls", "ls"),
        (r"git status", "git status"),
        (r"/bin/bash -lc 'a' 'b'", r"/bin/bash -lc 'a' 'b'"),
        (r"/bin/bash -lc 'open", r"/bin/bash -lc 'open"),
    ] {
        assert_eq!(unwrapped(command), expected);
    }
}

#[test]
fn a_failure_is_named_by_what_can_be_done() {
    let name = |error: &DriverError| match error {
        DriverError::Quota { .. } => "quota",
        DriverError::TooLong { .. } => "too long",
        DriverError::UnknownModel { .. } => "unknown model",
        DriverError::Unauthorised { .. } => "unauthorised",
        DriverError::Unavailable { .. } => "unavailable",
        DriverError::Refused { .. } => "refused",
        other => panic!("{other:?}"),
    };
    for (error, expected) in [
        (json!({"message": "x", "codexErrorInfo": "usageLimitExceeded"}), "quota"),
        (json!({"message": "x", "codexErrorInfo": "contextWindowExceeded"}), "too long"),
        (json!({"message": "x", "codexErrorInfo": "modelNotFound"}), "unknown model"),
        (json!({"message": "x", "codexErrorInfo": "unauthorized"}), "unauthorised"),
        (json!({"message": "x", "codexErrorInfo": "serverOverloaded"}), "unavailable"),
        (json!({"message": "x", "codexErrorInfo": "cyberPolicy"}), "refused"),
        (
            json!({"message": "x", "codexErrorInfo": {"httpConnectionFailed": {"httpStatusCode": 503}}}),
            "unavailable",
        ),
        (
            json!({"message": "x", "codexErrorInfo": {"httpConnectionFailed": {"httpStatusCode": null}}}),
            "unavailable",
        ),
        (
            json!({"message": "x", "codexErrorInfo": {"httpConnectionFailed": {"httpStatusCode": 401}}}),
            "unauthorised",
        ),
        (json!({"message": "exceeded retry limit, last status: 429 Too Many Requests"}), "quota"),
        (json!({"message": "unexpected status 503 Service Unavailable: down"}), "unavailable"),
        (json!({"message": "a new thing", "codexErrorInfo": {"brandNew": {}}}), "refused"),
    ] {
        let error = TurnError::deserialize(&error).unwrap();
        assert_eq!(name(&failure::of_turn(&error, "m", None)), expected, "{error:?}");
    }
    for (agent, is_new_enough) in [
        ("amelia/0.166.0 (x)", true),
        ("amelia/0.149.9 (x)", false),
        ("amelia/0.150.0-alpha.1 (x)", true),
        ("amelia", true),
        ("amelia/next", true),
    ] {
        assert_eq!(failure::of_version(agent).is_ok(), is_new_enough, "{agent}");
    }
}
