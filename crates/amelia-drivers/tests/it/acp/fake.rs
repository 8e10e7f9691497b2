//! With programs that misbehave: a few lines of shell in the place of a real agent.

use std::time::Duration;

use amelia_core::driver::{AgentMessage, DriverError};
use amelia_core::id::SessionId;
use amelia_core::problem::Problem;
use amelia_core::tool::{Risk, ToolPermission, ToolResult};
use amelia_core::workplace::{ListedRights, Rights};

use super::with;
use crate::fixture::{ConversationFixture, fake, notices, result};

const HELLO: &str =
    r#"read hello; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{}}}'"#;
const OPEN: &str = r#"read open; echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s1"}}'; read prompt"#;
const SAID: &str = r#"echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"ok"}}}}'"#;
const DONE: &str = r#"echo '{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}'"#;

fn plain() -> ConversationFixture {
    let mut fixture = ConversationFixture::new();
    fixture.model = "default";
    fixture
}

async fn ended(fixture: &ConversationFixture, body: &str) -> (Vec<AgentMessage>, Result<(), DriverError>) {
    let program = fake(fixture, body);
    let (said, ended, _) = fixture.start(with(&[program])).all().await;
    (said, ended)
}

/// How it ends when the agent greets, opens, hears the first words, and then does this.
async fn in_a_turn(
    fixture: &ConversationFixture,
    then: &str,
) -> (Vec<AgentMessage>, Result<(), DriverError>) {
    ended(fixture, &format!("{HELLO}; {OPEN}; {then}")).await
}

fn problem(ended: &Result<(), DriverError>) -> String {
    Problem::from(ended.as_ref().unwrap_err()).to_text()
}

#[tokio::test]
async fn it_is_not_there() {
    let (_, ended, _) = plain().start(with(&["no-such-program-anywhere".to_owned()])).all().await;
    assert!(problem(&ended).contains("not installed"), "{ended:?}");
}

#[tokio::test]
async fn it_speaks_another_version() {
    let other =
        r#"read hello; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":2}}'; cat >/dev/null"#;
    let (_, ended) = ended(&plain(), other).await;
    assert!(problem(&ended).contains("speaks version 2"), "{ended:?}");
}

#[tokio::test]
async fn it_is_not_signed_in() {
    let hello = r#"read hello; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"authMethods":[{"id":"x","name":"Log in","description":"Run the agent once and log in"}]}}'"#;
    let refused = r#"read open; echo '{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Authentication required"}}'; cat >/dev/null"#;
    let (_, ended) = ended(&plain(), &format!("{hello}; {refused}")).await;
    let problem = problem(&ended);
    assert!(
        problem.contains("not signed in") && problem.contains("Run the agent once and log in"),
        "{problem}"
    );
}

#[tokio::test]
async fn each_failure_is_named() {
    for (error, expected) in [
        (
            r#"{"code":-32603,"message":"Internal error","data":{"details":"API Error: 429 rate limit"}}"#,
            "usage limit",
        ),
        (r#"{"code":-32603,"message":"prompt is too long"}"#, "too long"),
        (r#"{"code":-32603,"message":"model not found: x"}"#, "does not know the model"),
        (r#"{"code":-32603,"message":"overloaded"}"#, "not available"),
        (r#"{"code":-32603,"message":"something else"}"#, "refused the request: something else"),
    ] {
        let failed = format!(r#"echo '{{"jsonrpc":"2.0","id":3,"error":{error}}}'"#);
        let (_, ended) = in_a_turn(&plain(), &failed).await;
        assert!(problem(&ended).contains(expected), "{error}: {ended:?}");
    }
    for (reason, expected) in [
        ("max_turn_requests", "1 turns are used up"),
        ("refusal", "declined to answer"),
        ("max_tokens", "cut off"),
        ("cancelled", "before it was done: cancelled"),
        ("brand_new", "before it was done: brand_new"),
    ] {
        let stopped = format!(r#"echo '{{"jsonrpc":"2.0","id":3,"result":{{"stopReason":"{reason}"}}}}'"#);
        let (_, ended) = in_a_turn(&plain(), &stopped).await;
        assert!(problem(&ended).contains(expected), "{reason}: {ended:?}");
    }
}

#[tokio::test]
async fn it_ends_in_the_middle() {
    for (how, expected) in [
        ("echo 'about to die' >&2; kill -9 $$", "it was killed before it had finished: about to die"),
        ("exit 0", "code 0 before it had finished"),
        (r#"printf '{"jsonrpc":"2.0","id":3,"resu'"#, "before it had finished"),
    ] {
        let (said, ended) = in_a_turn(&plain(), how).await;
        assert!(matches!(said.first(), Some(AgentMessage::Session(_))), "{said:?}");
        assert!(problem(&ended).contains(expected), "{how}: {ended:?}");
    }
}

#[tokio::test]
async fn it_hangs() {
    let mut fixture = plain();
    fixture.silence = Duration::from_millis(50);
    let (_, ended) = in_a_turn(&fixture, "cat >/dev/null").await;
    assert!(problem(&ended).contains("printed nothing"), "{ended:?}");
}

#[tokio::test]
async fn it_prints_what_is_no_message() {
    let noise = r#"echo 'Warning: old node'; echo '{"jsonrpc":"2.0","method":"brand/new","params":{}}'; echo '{broken'; printf '\377\376\n'; echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"hologram"}}}'; echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call","toolCallId":7}}}'; echo '{"jsonrpc":"2.0","method":"session/update"}'; echo '[]'"#;
    let (said, ended) = in_a_turn(&plain(), &format!("{noise}; {SAID}; {DONE}")).await;
    assert_eq!(ended, Ok(()), "{said:?}");
    assert_eq!(result(&said), "ok");
    assert_eq!(notices(&said).len(), 1, "{said:?}");
}

#[tokio::test]
async fn it_prints_a_line_of_megabytes() {
    let long = r#"printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"'; head -c 5000000 /dev/zero | tr '\0' x; echo '"}}}}'"#;
    let (said, ended) = in_a_turn(&plain(), &format!("{long}; {DONE}")).await;
    assert_eq!(ended, Ok(()));
    assert_eq!(result(&said).len(), 5_000_000);
}

#[tokio::test]
async fn one_that_cannot_take_a_conversation_up_is_told_all_again() {
    let mut fixture = plain();
    fixture.session = Some(SessionId::new("s0").unwrap());
    let (said, ended) = in_a_turn(&fixture, &format!("{SAID}; {DONE}")).await;
    assert_eq!(ended, Ok(()), "{said:?}");
    assert!(notices(&said)[0].contains("a new one starts"), "{said:?}");
}

#[tokio::test]
async fn what_it_says_again_of_the_past_is_not_new() {
    let hello = r#"read hello; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}}'"#;
    let load = r#"read load; case "$load" in *session/load*) ;; *) exit 9;; esac"#;
    let past = SAID.replace("ok", "old words");
    let open = r#"echo '{"jsonrpc":"2.0","id":2,"result":{}}'; read prompt"#;
    let mut fixture = plain();
    fixture.session = Some(SessionId::new("s1").unwrap());
    let (said, ended) = ended(&fixture, &format!("{hello}; {load}; {past}; {open}; {SAID}; {DONE}")).await;
    assert_eq!(ended, Ok(()), "{said:?}");
    assert_eq!(result(&said), "ok");
    assert!(!format!("{said:?}").contains("old words"));
}

/// Answers by which a request of the agent was met: `id` of the request, and words of the answer.
fn checked(request: &str, answer: &str) -> String {
    format!(
        r#"echo '{request}'; read answer; case "$answer" in {answer}) ;; *) echo "$answer" >&2; exit 9;; esac"#
    )
}

#[tokio::test]
async fn a_command_that_it_leaves_to_us_is_run_by_our_tool() {
    let create = checked(
        r#"{"jsonrpc":"2.0","id":"a","method":"terminal/create","params":{"sessionId":"s1","command":"echo","args":["it is"],"env":[{"name":"A","value":"b c"}]}}"#,
        r#"*'"terminalId":"terminal-1"'*"#,
    );
    let wait = checked(
        r#"{"jsonrpc":"2.0","id":"b","method":"terminal/wait_for_exit","params":{"sessionId":"s1","terminalId":"terminal-1"}}"#,
        r#"*'"exitCode":3'*"#,
    );
    let output = checked(
        r#"{"jsonrpc":"2.0","id":"c","method":"terminal/output","params":{"sessionId":"s1","terminalId":"terminal-1"}}"#,
        r#"*'"output":"shown"'*"#,
    );
    let release = checked(
        r#"{"jsonrpc":"2.0","id":"d","method":"terminal/release","params":{"sessionId":"s1","terminalId":"terminal-1"}}"#,
        r#"*'"result":{}'*"#,
    );
    let gone = checked(
        r#"{"jsonrpc":"2.0","id":"e","method":"terminal/output","params":{"sessionId":"s1","terminalId":"terminal-1"}}"#,
        r#"*'no such terminal'*"#,
    );
    let mut fixture = plain();
    fixture.tool_stub = |_, call| {
        let error = Some("it ended with code 3".to_owned());
        Some(ToolResult {
            output: "shown".to_owned(),
            error,
            exit_code: Some(3),
            ..ToolResult::interrupted(call)
        })
    };
    let body = format!("{HELLO}; {OPEN}; {create}; {wait}; {output}; {release}; {gone}; {SAID}; {DONE}");
    let program = fake(&fixture, &body);
    let (said, ended, tools) = fixture.start(with(&[program])).all().await;
    assert_eq!(ended, Ok(()), "{said:?}");
    let called = tools.called.lock().unwrap().clone();
    assert_eq!(called[0].args["command"], "export A='b c'; echo 'it is'");
    assert_eq!(*tools.asked.lock().unwrap(), [("shell".to_owned(), Risk::Execute)]);
}

/// Asks for leave to do something under this id, says that it is over when it is, and leaves the doing to us before.
const WISH: &str = r#"{"jsonrpc":"2.0","id":"w","method":"session/request_permission","params":{"sessionId":"s1","toolCall":CALL,"options":[{"kind":"allow_always","optionId":"ever"},{"kind":"allow_once","optionId":"once"}]}}"#;

#[tokio::test]
async fn leave_is_given_for_one_call_and_ends_with_it() {
    let over = r#"echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}}}'"#;
    let once = r#"*'"optionId":"once"'*"#;
    let wish = |call: &str| checked(&WISH.replace("CALL", call), once);
    let write = |id: &str| {
        checked(
            &format!(
                r#"{{"jsonrpc":"2.0","id":"{id}","method":"fs/write_text_file","params":{{"sessionId":"s1","path":"a.txt","content":"{id}"}}}}"#
            ),
            r#"*'"result":{}'*"#,
        )
    };
    let command = |id: &str| {
        checked(
            &format!(
                r#"{{"jsonrpc":"2.0","id":"{id}","method":"terminal/create","params":{{"sessionId":"s1","command":"ls"}}}}"#
            ),
            "*terminal-*",
        )
    };
    let edit = wish(r#"{"toolCallId":"t","kind":"edit","title":"a","locations":[{"path":"a.txt"}]}"#);
    let shell = wish(r#"{"toolCallId":"t","kind":"execute","title":"ls"}"#);
    let mut fixture = plain();
    fixture.tool_stub = |_, call| Some(ToolResult { error: None, ..ToolResult::interrupted(call) });
    for (wish, work, expected) in [
        (&edit, write as fn(&str) -> String, [("edit", Risk::Write), ("write_file", Risk::Write)]),
        (&shell, command as fn(&str) -> String, [("shell", Risk::Execute), ("shell", Risk::Execute)]),
    ] {
        let body =
            format!("{HELLO}; {OPEN}; {wish}; {}; {over}; {}; {SAID}; {DONE}", work("first"), work("later"));
        let program = fake(&fixture, &body);
        let (said, ended, tools) = fixture.start(with(&[program])).all().await;
        assert_eq!(ended, Ok(()), "{said:?}");
        let asked = tools.asked.lock().unwrap().clone();
        assert_eq!(asked, expected.map(|(tool, risk)| (tool.to_owned(), risk)), "the later one is asked for");
        assert_eq!(tools.called.lock().unwrap().len(), 2);
        assert_eq!(notices(&said), Vec::<&str>::new());
    }
}

#[tokio::test]
async fn what_is_not_allowed_is_not_done_for_it() {
    let write = |id: &str, answer: &str| {
        checked(
            &format!(
                r#"{{"jsonrpc":"2.0","id":"{id}","method":"fs/write_text_file","params":{{"sessionId":"s1","path":"a.txt","content":"x"}}}}"#
            ),
            answer,
        )
    };
    let mut fixture = plain();
    fixture.opinion = |_, _| Some(ToolPermission::Deny { message: "not now".to_owned() });
    let denied = write("a", "*'not allowed: not now'*");
    let (said, done) = in_a_turn(&fixture, &format!("{denied}; {SAID}; {DONE}")).await;
    assert_eq!(done, Ok(()), "{said:?}");
    // Who only reads is not even heard.
    fixture.rights = Rights::Read;
    let unknown = write("a", "*'is not known here'*");
    let (said, done) = in_a_turn(&fixture, &format!("{unknown}; {SAID}; {DONE}")).await;
    assert_eq!(done, Ok(()), "{said:?}");
}

#[tokio::test]
async fn a_list_without_writing_tools_leaves_nothing_to_write_or_run_with() {
    let mut fixture = plain();
    fixture.listed = Some(ListedRights::of(["read_file"]));
    let ask = |method: &str, params: &str| {
        checked(
            &format!(
                r#"{{"jsonrpc":"2.0","id":"a","method":"{method}","params":{{"sessionId":"s1",{params}}}}}"#
            ),
            "*'is not known here'*",
        )
    };
    let write = ask("fs/write_text_file", r#""path":"a.txt","content":"x""#);
    let run = ask("terminal/create", r#""command":"ls""#);
    let (said, done) = in_a_turn(&fixture, &format!("{write}; {run}; {SAID}; {DONE}")).await;
    assert_eq!(done, Ok(()), "{said:?}");
    let wrote = r#"echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"write","kind":"edit","status":"completed"}}}'; cat >/dev/null"#;
    let (_, ended) = in_a_turn(&fixture, wrote).await;
    assert!(problem(&ended).contains("it changed a file without asking"), "{ended:?}");
}

#[tokio::test]
async fn what_a_list_does_not_allow_ends_the_work_when_it_is_done_unasked() {
    let done = |kind: &str| {
        format!(
            r#"echo '{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s1","update":{{"sessionUpdate":"tool_call","toolCallId":"t","title":"it","kind":"{kind}","locations":[{{"path":"a.txt"}}],"status":"completed"}}}}}}'"#
        )
    };
    let mut fixture = plain();
    for (tools, kind, expected) in [
        (&["read_file"][..], "edit", Some("it changed a file without asking")),
        (&["read_file", "edit_file"], "execute", Some("it ran a command without asking")),
        (&["read_file", "edit_file"], "fetch", Some("it used the network without asking")),
        (&["read_file", "edit_file"], "edit", None),
        (&["read_file"], "read", None),
        (&["read_file"], "other", None),
        (&["read_file", "shell"], "execute", None),
    ] {
        fixture.listed = Some(ListedRights::of(tools.iter().copied()));
        let then = match expected {
            Some(_) => format!("{}; cat >/dev/null", done(kind)),
            None => format!("{}; {SAID}; {DONE}", done(kind)),
        };
        let (said, ended) = in_a_turn(&fixture, &then).await;
        match expected {
            Some(expected) => assert!(problem(&ended).contains(expected), "{tools:?} {kind}: {ended:?}"),
            None => assert_eq!(ended, Ok(()), "{tools:?} {kind}: {said:?}"),
        }
    }
}

#[tokio::test]
async fn a_list_says_what_is_left_to_us_and_what_may_not_be_tried() {
    let words = |capabilities: &str, limits: &str| {
        let hello = HELLO.replace(
            "read hello;",
            &format!(
                r#"read hello; case "$hello" in {capabilities}) ;; *) echo "$hello" >&2; exit 9;; esac;"#
            ),
        );
        let open = OPEN.replace(
            "read prompt",
            &format!(r#"read prompt; case "$prompt" in {limits}) ;; *) echo "$prompt" >&2; exit 9;; esac"#),
        );
        format!("{hello}; {open}; {SAID}; {DONE}")
    };
    let mut fixture = plain();
    for (listed, capabilities, limits) in [
        (
            None,
            r#"*'"terminal":true'*'"writeTextFile":true'*|*'"writeTextFile":true'*'"terminal":true'*"#,
            "*Do*",
        ),
        (
            Some(ListedRights::of(["read_file"])),
            r#"*'"terminal":false'*'"writeTextFile":false'*|*'"writeTextFile":false'*'"terminal":false'*"#,
            "*'may only read files'*",
        ),
        (
            Some(ListedRights::of(["read_file", "edit_file"])),
            r#"*'"terminal":false'*'"writeTextFile":false'*|*'"writeTextFile":false'*'"terminal":false'*"#,
            "*'may not run commands'*",
        ),
    ] {
        fixture.listed = listed;
        let (said, done) = ended(&fixture, &words(capabilities, limits)).await;
        assert_eq!(done, Ok(()), "{listed:?}: {said:?}");
    }
}

#[tokio::test]
async fn a_reader_that_writes_unasked_is_not_let_go_on() {
    let mut fixture = plain();
    fixture.rights = Rights::Read;
    let wrote = r#"echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"write","kind":"edit","status":"completed"}}}'; cat >/dev/null"#;
    let (_, ended) = in_a_turn(&fixture, wrote).await;
    assert!(problem(&ended).contains("its role may only read"), "{ended:?}");
}

#[tokio::test]
async fn a_model_is_chosen_where_there_is_a_choice() {
    let open = r#"read open; echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s1","configOptions":[{"id":"m","category":"model","currentValue":"a","options":[{"value":"a","name":"A"},{"value":"b","name":"B"}]}]}}'"#;
    let choose = r#"read choice; case "$choice" in *set_config_option*'"value":"b"'*) ;; *) exit 9;; esac; echo '{"jsonrpc":"2.0","id":3,"result":{}}'; read prompt"#;
    let done = DONE.replace("\"id\":3", "\"id\":4");
    let mut fixture = plain();
    fixture.model = "b";
    let (said, chosen) = ended(&fixture, &format!("{HELLO}; {open}; {choose}; {SAID}; {done}")).await;
    assert_eq!(chosen, Ok(()), "{said:?}");
    fixture.model = "z";
    let (said, other) = ended(&fixture, &format!("{HELLO}; {open}; read prompt; {SAID}; {DONE}")).await;
    assert_eq!(other, Ok(()), "{said:?}");
    assert!(notices(&said)[0].contains("does not offer the model `z`"), "{said:?}");
}
