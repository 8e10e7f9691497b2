//! With the real program. Skipped loudly where it cannot be installed.

use std::sync::{Arc, Mutex};

use amelia_core::budget::{Budget, BudgetExceeded, LimitOwner, LimitReached};
use amelia_core::config::agent::CodexMode;
use amelia_core::driver::{AgentMessage, DeltaKind, DriverError, Usage};
use amelia_core::id::SessionId;
use amelia_core::message::Role;
use amelia_core::tool::{Risk, ToolPermission};
use amelia_core::workplace::{ListedRights, Rights};
use amelia_drivers::codex::CodexSettings;
use amelia_drivers::program::MeterReport;
use amelia_scripted::ScriptedServer;
use futures_util::StreamExt;

use super::{settings, with};
use crate::fixture::{ConversationFixture, TestGate, calls, message, model, notices, result, session};
use crate::programs;

/// Writes a file by a patch, runs a command, hands in, and says so.
const WORK: &str = r#"
  - when: {turn: 0}
    reply:
      thinking: Let me write it.
      text: I write the file.
      tool_calls: [{name: exec_command, args: {cmd: "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.txt\n+hello\n*** End Patch\nEOF"}}]
      usage: {input: 1000, output: 20, cache_read: 400}
  - when: {turn: 1}
    reply: {tool_calls: [{name: exec_command, args: {cmd: "cp a.txt b.txt && env > env.txt && echo copied"}}]}
  - when: {turn: 2}
    reply: {tool_calls: [{name: submit, args: {result: fine}}]}
  - when: {turn: 3}
    reply: {text: All done., usage: {input: 2000, output: 5}}
"#;

/// The program, its settings, and its surroundings with a model that plays these rules.
async fn ready(rules: &str) -> Option<(ConversationFixture, CodexSettings, ScriptedServer)> {
    let program = programs::find("codex").await?;
    let server = model(rules).await;
    let mut fixture = ConversationFixture::new();
    fixture.gate = Some(gate(&server));
    Some((fixture, settings(program.to_str().unwrap()), server))
}

fn gate(server: &ScriptedServer) -> Arc<TestGate> {
    Arc::new(TestGate { url: server.url(), metered: Mutex::default() })
}

#[tokio::test]
async fn it_works_with_its_own_tools_and_hands_in_with_ours() {
    let Some((fixture, settings, _server)) = ready(WORK).await else { return };
    let (said, ended, tools) = fixture.start(with(settings)).all().await;
    assert_eq!(ended, Ok(()), "{said:?}");
    assert_eq!(result(&said), "All done.");
    assert_eq!(fixture.file("b.txt").as_deref(), Some("hello\n"));
    assert!(!fixture.file("env.txt").unwrap().contains("TOKEN"), "its commands have its token");
    assert_eq!(calls(&said), [("apply_patch".to_owned(), true), ("shell".to_owned(), true)]);
    assert_eq!(tools.called.lock().unwrap()[0].args["result"], "fine");
    assert_eq!(*tools.asked.lock().unwrap(), [], "nobody wanted to be asked");
    let output = said.iter().find_map(|message| match message {
        AgentMessage::ToolResult(result) if result.tool.name == "shell" => Some(result.clone()),
        _ => None,
    });
    let output = output.unwrap();
    assert_eq!((output.output.as_str(), output.exit_code), ("copied\n", Some(0)));
    assert!(said.iter().any(|m| matches!(m, AgentMessage::Thinking { text } if text == "Let me write it.")));
    assert!(said.iter().any(|m| matches!(m, AgentMessage::Delta { kind: DeltaKind::Text, .. })));
    let used = said.iter().filter(|m| matches!(m, AgentMessage::Usage(_))).count();
    assert_eq!(used, 0, "the gate meters, and it did not");
}

#[tokio::test]
async fn a_person_is_asked_before_everything_and_a_refusal_reaches_the_model() {
    let rules = format!("{WORK}\n  - when: {{last: not on a Sunday}}\n    reply: {{text: Then not.}}");
    let Some((mut fixture, settings, server)) = ready(&rules).await else { return };
    fixture.opinion = |_, risk| {
        let deny = ToolPermission::Deny { message: "not on a Sunday".to_owned() };
        Some(if risk == Risk::Execute { deny } else { ToolPermission::Allow { args: None } })
    };
    let settings = CodexSettings { asks: true, ..settings };
    let (said, ended, tools) = fixture.start(with(settings)).all().await;
    assert_eq!(ended, Ok(()), "{said:?}");
    let asked = tools.asked.lock().unwrap().clone();
    assert_eq!(asked, [("apply_patch".to_owned(), Risk::Write), ("shell".to_owned(), Risk::Execute)]);
    assert_eq!(calls(&said), [("apply_patch".to_owned(), true), ("shell".to_owned(), false)]);
    assert_eq!((fixture.file("a.txt").as_deref(), fixture.file("b.txt")), (Some("hello\n"), None));
    let heard = server.requests().iter().any(|request| request.body.to_string().contains("not on a Sunday"));
    assert!(heard, "the model was not told why");
}

#[tokio::test]
async fn what_leaves_the_sandbox_is_asked_for() {
    let rules = r#"
  - when: {turn: 0}
    reply: {tool_calls: [{name: exec_command, args: {cmd: "touch ../outside.txt"}}]}
  - when: {turn: 1}
    reply: {tool_calls: [{name: exec_command, args: {cmd: "touch ../outside.txt", sandbox_permissions: require_escalated, justification: it must be there}}]}
  - when: {turn: 2}
    reply: {text: Done.}
"#;
    let Some((fixture, settings, _server)) = ready(rules).await else { return };
    let (said, ended, tools) = fixture.start(with(settings)).all().await;
    assert_eq!(ended, Ok(()), "{said:?}");
    assert_eq!(*tools.asked.lock().unwrap(), [("shell".to_owned(), Risk::External)]);
    assert!(fixture.directory.path().join("outside.txt").exists(), "it was allowed");
}

#[tokio::test]
async fn a_reader_cannot_write() {
    let rules = r#"
  - when: {turn: 0}
    reply: {tool_calls: [{name: exec_command, args: {cmd: "cat seen.txt"}}]}
  - when: {turn: 1, last: look at me}
    reply: {tool_calls: [{name: exec_command, args: {cmd: "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\nEOF"}}]}
  - when: {turn: 2}
    reply: {tool_calls: [{name: exec_command, args: {cmd: "echo x > b.txt"}}]}
  - when: {turn: 3}
    reply: {tool_calls: [{name: exec_command, args: {cmd: "echo x > c.txt", sandbox_permissions: require_escalated, justification: please}}]}
  - when: {turn: 4}
    reply: {text: I could not.}
"#;
    for mode in [CodexMode::Server, CodexMode::Exec] {
        let Some((mut fixture, settings, _server)) = ready(rules).await else { return };
        std::fs::write(fixture.tree().join("seen.txt"), "look at me").unwrap();
        fixture.rights = Rights::Read;
        let (said, ended, tools) = fixture.start(with(CodexSettings { mode, ..settings })).all().await;
        assert_eq!(ended, Ok(()), "{said:?}");
        assert_eq!(result(&said), "I could not.");
        let files: Vec<_> =
            std::fs::read_dir(fixture.tree()).unwrap().map(|f| f.unwrap().file_name()).collect();
        assert_eq!(files, ["seen.txt"]);
        assert_eq!(*tools.asked.lock().unwrap(), [], "there is nothing to allow");
    }
}

#[tokio::test]
async fn a_list_without_a_shell_takes_its_commands_away() {
    let rules = r#"
  - when: {turn: 0}
    reply: {tool_calls: [{name: exec_command, args: {cmd: "cat seen.txt > a.txt"}}, {name: shell_command, args: {command: "cat seen.txt"}}]}
  - when: {turn: 1}
    reply: {tool_calls: [{name: submit, args: {result: fine}}]}
  - when: {turn: 2}
    reply: {text: I could not.}
"#;
    for names in [&[][..], &["read_file", "search"]] {
        let Some((mut fixture, settings, server)) = ready(rules).await else { return };
        std::fs::write(fixture.tree().join("seen.txt"), "look at me").unwrap();
        fixture.listed = Some(ListedRights::of(names.iter().copied()));
        let (said, ended, tools) = fixture.start(with(settings)).all().await;
        assert_eq!(ended, Ok(()), "{said:?}");
        assert_eq!(result(&said), "I could not.");
        assert_eq!(fixture.file("a.txt"), None);
        assert_eq!(*tools.asked.lock().unwrap(), [], "there is nothing to allow");
        assert_eq!(tools.called.lock().unwrap().len(), 1, "it has our tools");
        let asked = server.requests();
        assert!(!asked.last().unwrap().body.to_string().contains("look at me"), "it has read");
        let offered = asked.first().unwrap().body["tools"].as_array().cloned().unwrap_or_default();
        let names = offered.iter().filter_map(|tool| tool["name"].as_str());
        // It asks its own person with this one, in a mode that we do not use.
        let names: Vec<&str> = names.filter(|name| *name != "request_user_input").collect();
        assert_eq!(names, ["submit"], "{offered:?}");
    }
}

#[tokio::test]
async fn killed_in_the_middle_it_goes_on_where_it_was() {
    let rules = r#"
  - when: {last: And now?}
    reply: {text: Where was I.}
  - when: {turn: 0}
    reply: {tool_calls: [{name: exec_command, args: {cmd: "echo begun > a.txt; sleep 600"}}]}
  - when: {text: You said}
    reply: {text: A new start.}
"#;
    let Some((mut fixture, settings, server)) = ready(rules).await else { return };
    let mut work = fixture.start(with(settings.clone()));
    let AgentMessage::Session(session) = work.until(|m| matches!(m, AgentMessage::Session(_))).await else {
        panic!("no session")
    };
    work.until(|m| matches!(m, AgentMessage::ToolCall(_))).await;
    drop(work);
    fixture.session = Some(session.clone());
    fixture.words.push((Role::User, "And now?".to_owned()));
    let (said, ended, _) = fixture.start(with(settings.clone())).all().await;
    assert_eq!(ended, Ok(()), "{said:?}");
    assert_eq!((result(&said).as_str(), crate::fixture::session(&said)), ("Where was I.", session));
    let last = server.requests().last().unwrap().body.to_string();
    assert!(last.contains("Do it."), "it has forgotten what it was told: {last}");
}

#[tokio::test]
async fn it_remembers_its_own_last_words() {
    let rules = r#"
  - when: {last: And now?}
    reply: {text: Where was I.}
  - when: {}
    reply: {text: All done.}
"#;
    for mode in [CodexMode::Server, CodexMode::Exec] {
        let Some((mut fixture, settings, server)) = ready(rules).await else { return };
        let settings = CodexSettings { mode, ..settings };
        let (said, ended, _) = fixture.start(with(settings.clone())).all().await;
        assert_eq!((result(&said).as_str(), ended), ("All done.", Ok(())), "{said:?}");
        fixture.go_on(&said, "And now?");
        let (said, ended, _) = fixture.start(with(settings)).all().await;
        assert_eq!((result(&said).as_str(), ended), ("Where was I.", Ok(())), "{said:?}");
        let last = server.requests().last().unwrap().body.to_string();
        assert!(last.contains("All done."), "it has forgotten what it said: {last}");
    }
}

/// With its sandbox and without: what it has started goes with it.
#[tokio::test]
async fn dropped_it_takes_its_commands_with_it() {
    let rules = r#"
  - reply: {tool_calls: [{name: exec_command, args: {cmd: "mkfifo held && echo held > begun && exec 3<>held && cat held"}}]}
"#;
    for asks in [false, true] {
        let Some((fixture, settings, _server)) = ready(rules).await else { return };
        let mut work = fixture.start(with(CodexSettings { asks, ..settings }));
        work.until(|m| matches!(m, AgentMessage::ToolCall(_))).await;
        while fixture.file("begun").is_none() {
            tokio::select! {
                next = work.messages.next() => assert!(matches!(next, Some(Ok(_))), "{next:?}"),
                () = tokio::task::yield_now() => {}
            }
        }
        drop(work);
        // Nobody reads from it any more as soon as its reader is gone.
        let tree = fixture.tree();
        let is_held = move || {
            let flags = rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::NONBLOCK;
            rustix::fs::open(tree.join("held"), flags, rustix::fs::Mode::empty()).is_ok()
        };
        while is_held() {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn a_conversation_that_is_gone_is_begun_anew() {
    let rules = "  - when: {text: Half of it is done}\n    reply: {text: A new start.}";
    for mode in [CodexMode::Server, CodexMode::Exec] {
        let Some((mut fixture, settings, _server)) = ready(rules).await else { return };
        fixture.session = Some(SessionId::new("01a1df17-5148-7dc0-ae03-000000000000").unwrap());
        fixture.words.push((Role::Assistant, "Half of it is done.".to_owned()));
        let (said, ended, _) = fixture.start(with(CodexSettings { mode, ..settings })).all().await;
        assert_eq!(ended, Ok(()), "{said:?}");
        assert_eq!(result(&said), "A new start.");
        assert!(notices(&said).iter().any(|text| text.contains("a new one starts")), "{said:?}");
    }
}

#[tokio::test]
async fn a_person_can_say_something_in_between() {
    let rules = r#"
  - when: {text: Make it blue}
    reply: {text: Blue it is.}
  - when: {turn: 0}
    reply: {tool_calls: [{name: exec_command, args: {cmd: "until [ -e go ]; do :; done"}}]}
  - when: {turn: 1}
    reply: {text: Nobody said a word.}
"#;
    let Some((fixture, settings, _server)) = ready(rules).await else { return };
    let mut work = fixture.start(with(settings));
    work.until(|m| matches!(m, AgentMessage::ToolCall(_))).await;
    work.say.send(message(Role::User, "Make it blue.")).unwrap();
    work.a_moment().await;
    std::fs::write(fixture.tree().join("go"), "").unwrap();
    let (said, ended, _) = work.all().await;
    assert_eq!(ended, Ok(()), "{said:?}");
    let delivered = said.iter().filter(|m| matches!(m, AgentMessage::Said(said) if said.role == Role::User));
    assert_eq!(delivered.count(), 1, "{said:?}");
    assert_eq!(result(&said), "Blue it is.");
}

#[tokio::test]
async fn its_own_account_of_what_it_used_ends_it_at_a_limit() {
    let Some((mut fixture, settings, server)) = ready(WORK).await else { return };
    // As with a sign-in of its own: nobody meters, and it says itself what it used.
    fixture.gate = None;
    let home = fixture.directory.path().join("home/.codex");
    std::fs::create_dir_all(&home).unwrap();
    let provider = format!(
        "model_provider = \"here\"\n[model_providers.here]\nname = \"Here\"\nbase_url = \"{}/v1\"\nwire_api = \"responses\"\n[features]\napps = false\nplugins = false\n",
        server.url()
    );
    std::fs::write(home.join("config.toml"), &provider).unwrap();
    fixture.budget = Budget { tokens: Some(1000), ..Budget::default() };
    let settings = CodexSettings { is_proxied: false, ..settings };
    let (said, ended, _) = fixture.start(with(settings)).all().await;
    assert!(
        matches!(ended, Err(DriverError::Budget(LimitReached { limit: BudgetExceeded::Tokens { .. }, .. }))),
        "{ended:?}"
    );
    let used: Vec<&Usage> = said
        .iter()
        .filter_map(|m| match m {
            AgentMessage::Usage(usage) => Some(usage),
            _ => None,
        })
        .collect();
    let [used] = used.as_slice() else { panic!("{used:?}") };
    assert_eq!(
        (used.input_tokens, used.output_tokens, used.cache_read_tokens),
        (Some(1000), Some(20), Some(400))
    );
    assert!(used.cost_usd.is_some());
    let config = std::fs::read_to_string(home.join("config.toml")).unwrap();
    assert_eq!(config, provider, "the user's own configuration was changed");
}

#[tokio::test]
async fn a_limit_at_the_gate_ends_it() {
    let Some((mut fixture, settings, server)) = ready(WORK).await else { return };
    let limit =
        LimitReached { whose: LimitOwner::Run, limit: BudgetExceeded::Calls { limit: 1, would_be: 2 } };
    let metered = Mutex::new(vec![MeterReport::Exceeded(limit.clone())]);
    fixture.gate = Some(Arc::new(TestGate { url: server.url(), metered }));
    let (_, ended, _) = fixture.start(with(settings)).all().await;
    assert_eq!(ended, Err(DriverError::Budget(limit)));
}

#[tokio::test]
async fn turns_are_limited() {
    let Some((mut fixture, settings, _server)) = ready(WORK).await else { return };
    fixture.max_turns = 1;
    let (said, ended, _) = fixture.start(with(settings)).all().await;
    assert_eq!(ended, Err(DriverError::Turns { turns: 1 }), "{said:?}");
}

#[tokio::test]
async fn each_failure_of_the_model_is_named() {
    let cases = [
        ("{status: 429, message: slow down}", "the usage limit of codex is reached"),
        (
            r#"{status: 429, body: '{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"plus","resets_at":1990000000}}'}"#,
            "the usage limit of codex is reached",
        ),
        ("{status: 401, message: bad key}", "codex refused the key"),
        (
            r#"{status: 404, body: '{"error":{"message":"The model `gpt-5` does not exist","code":"model_not_found"}}'}"#,
            "codex does not know the model `gpt-5`",
        ),
        (
            r#"{status: 400, body: '{"error":{"message":"Your input exceeds the context window of this model.","code":"context_length_exceeded"}}'}"#,
            "the conversation is too long for `gpt-5`",
        ),
        ("{status: 400, message: bad field}", "codex refused the request: bad field"),
    ];
    for (error, expected) in cases {
        let rules = format!("  - reply: {{error: {error}}}");
        let Some((fixture, settings, _server)) = ready(&rules).await else { return };
        let (said, ended, _) = fixture.start(with(settings)).all().await;
        let problem = ended.expect_err(&format!("{said:?}")).to_string();
        assert!(problem.starts_with(expected), "{error}: {problem}");
    }
}

#[tokio::test]
async fn told_once_it_works_too_and_can_be_taken_up_again() {
    let rules = format!("  - when: {{last: And now?}}\n    reply: {{text: Still here.}}\n{WORK}")
        .replace("{name: submit, args: {result: fine}}", "{name: exec_command, args: {cmd: exit 3}}");
    let Some((mut fixture, settings, _server)) = ready(&rules).await else { return };
    let settings = CodexSettings { mode: CodexMode::Exec, ..settings };
    let (said, ended, _) = fixture.start(with(settings.clone())).all().await;
    assert_eq!(ended, Ok(()), "{said:?}");
    assert_eq!(result(&said), "All done.");
    assert_eq!(fixture.file("b.txt").as_deref(), Some("hello\n"));
    let expected = [("apply_patch", true), ("shell", true), ("shell", false)];
    assert_eq!(calls(&said), expected.map(|(name, is_success)| (name.to_owned(), is_success)));
    assert!(notices(&said).iter().any(|text| text.contains("cannot be given these tools: submit")));
    fixture.session = Some(session(&said));
    fixture.words.push((Role::User, "And now?".to_owned()));
    let (again, ended, _) = fixture.start(with(settings)).all().await;
    assert_eq!(ended, Ok(()), "{again:?}");
    assert_eq!((result(&again).as_str(), session(&again)), ("Still here.", session(&said)));
}
