//! With the real program. Skipped loudly where it cannot be installed.

use std::path::PathBuf;
use std::sync::Arc;

use amelia_core::budget::Budget;
use amelia_core::driver::{AgentMessage, DeltaKind, DriverError};
use amelia_core::id::SessionId;
use amelia_core::message::Role;
use amelia_core::tool::{Risk, ToolPermission};
use amelia_core::workplace::{ListedRights, Rights};
use futures_util::StreamExt;

use super::fixture::{Claude, at};
use crate::fixture::{message, model, result};
use crate::programs;

async fn program() -> Option<PathBuf> {
    programs::find("claude").await
}

fn sessions(said: &[AgentMessage]) -> Vec<SessionId> {
    let sessions = said.iter().filter_map(|message| match message {
        AgentMessage::Session(session) => Some(session.clone()),
        _ => None,
    });
    sessions.collect()
}

fn calls(said: &[AgentMessage]) -> Vec<String> {
    let calls = said.iter().filter_map(|message| match message {
        AgentMessage::ToolCall(call) => Some(call.tool.to_string()),
        _ => None,
    });
    calls.collect()
}

fn work(tree: &std::path::Path) -> String {
    format!(
        "  - when: {{turn: 0}}
    reply:
      thinking: Let me write it.
      text: I write the file.
      tool_calls: [{{name: Write, args: {{file_path: {0}/a.txt, content: \"hello\\n\"}}}}]
      usage: {{input: 1000, output: 20, cache_read: 400}}
  - when: {{turn: 1}}
    reply:
      tool_calls: [{{name: Bash, args: {{command: 'cp a.txt b.txt && echo copied', description: copy}}}}]
  - when: {{turn: 2}}
    reply:
      tool_calls: [{{name: mcp__amelia__submit, args: {{result: fine}}}}]
  - when: {{turn: 3}}
    reply: {{text: All done., usage: {{input: 2000, output: 5}}}}
",
        tree.display()
    )
}

#[tokio::test]
async fn it_works_with_its_own_tools_and_hands_in_with_ours() {
    let Some(program) = program().await else { return };
    let mut fixture = Claude::new(&program);
    let server = model(&work(&fixture.tree())).await;
    fixture.env = at(&server);
    let (said, ended, tools) = fixture.start().all().await;
    assert_eq!(ended, Ok(()), "{said:?}");
    assert_eq!(result(&said), "All done.");
    assert_eq!(std::fs::read_to_string(fixture.tree().join("b.txt")).unwrap(), "hello\n");
    assert_eq!(
        *tools.asked.lock().unwrap(),
        [("Write".to_owned(), Risk::Write), ("Bash".to_owned(), Risk::Execute)]
    );
    assert_eq!(tools.called.lock().unwrap()[0].args["result"], "fine");
    assert_eq!(calls(&said), ["Write", "Bash"]);
    assert_eq!(sessions(&said).len(), 1);
    let returned =
        said.iter().filter(|m| matches!(m, AgentMessage::ToolResult(result) if result.is_success())).count();
    assert_eq!(returned, 2);
    assert!(said.iter().any(|m| matches!(m, AgentMessage::Thinking { text } if text == "Let me write it.")));
    assert!(said.iter().any(|m| matches!(m, AgentMessage::Delta { kind: DeltaKind::Text, .. })));
    let used: Vec<_> = said
        .iter()
        .filter_map(|m| match m {
            AgentMessage::Usage(usage) => Some(usage),
            _ => None,
        })
        .collect();
    assert_eq!(used.len(), 4);
    assert_eq!(
        (used[0].input_tokens, used[0].cache_read_tokens, used[0].output_tokens),
        (Some(1000), Some(400), Some(20))
    );
    assert!(used.iter().all(|usage| usage.cost_usd.is_some()));
}

#[tokio::test]
async fn a_call_that_is_not_allowed_is_not_made_and_the_model_hears_why() {
    let Some(program) = program().await else { return };
    let mut fixture = Claude::new(&program);
    fixture.opinion = |_, _| Some(ToolPermission::Deny { message: "not on a Sunday".to_owned() });
    let rules = format!(
        "  - when: {{turn: 0}}
    reply: {{tool_calls: [{{name: Write, args: {{file_path: {}/a.txt, content: x}}}}]}}
  - when: {{turn: 1, last: not on a Sunday}}
    reply: {{text: Then not.}}
",
        fixture.tree().display()
    );
    let server = model(&rules).await;
    fixture.env = at(&server);
    let (said, ended, _) = fixture.start().all().await;
    assert_eq!(ended, Ok(()), "{said:?}");
    assert_eq!(result(&said), "Then not.");
    assert!(!fixture.tree().join("a.txt").exists());
    assert!(!said.iter().any(|m| matches!(m, AgentMessage::Notice { .. })), "{said:?}");
}

#[tokio::test]
async fn a_person_may_change_what_is_done() {
    let Some(program) = program().await else { return };
    let mut fixture = Claude::new(&program);
    fixture.opinion = |call, _| {
        let mut args = call.args.clone();
        args.insert("content".to_owned(), "better".into());
        Some(ToolPermission::Allow { args: Some(args) })
    };
    let rules = format!(
        "  - when: {{turn: 0}}
    reply: {{tool_calls: [{{name: Write, args: {{file_path: {}/a.txt, content: worse}}}}]}}
  - when: {{turn: 1}}
    reply: {{text: Done.}}
",
        fixture.tree().display()
    );
    let server = model(&rules).await;
    fixture.env = at(&server);
    let (_, ended, _) = fixture.start().all().await;
    assert_eq!(ended, Ok(()));
    assert_eq!(std::fs::read_to_string(fixture.tree().join("a.txt")).unwrap(), "better");
}

#[tokio::test]
async fn who_only_reads_has_nothing_to_write_with_and_reads_only_here() {
    let Some(program) = program().await else { return };
    let mut fixture = Claude::new(&program);
    fixture.rights = Rights::Read;
    std::fs::write(fixture.tree().join("in.txt"), "inside").unwrap();
    std::fs::write(fixture.directory.path().join("out.txt"), "outside").unwrap();
    let rules = format!(
        "  - when: {{turn: 0}}
    reply:
      tool_calls:
        - {{name: Write, args: {{file_path: {0}/a.txt, content: x}}}}
        - {{name: Bash, args: {{command: touch b.txt, description: x}}}}
  - when: {{turn: 1}}
    reply:
      tool_calls:
        - {{name: Read, args: {{file_path: {0}/in.txt}}}}
        - {{name: Read, args: {{file_path: {1}/out.txt}}}}
  - when: {{turn: 2, last: outside of}}
    reply: {{text: I have read.}}
",
        fixture.tree().display(),
        fixture.directory.path().display()
    );
    let server = model(&rules).await;
    fixture.env = at(&server);
    let (said, ended, _) = fixture.start().all().await;
    assert_eq!(ended, Ok(()), "{said:?}");
    assert!(!fixture.tree().join("a.txt").exists() && !fixture.tree().join("b.txt").exists());
    assert_eq!(result(&said), "I have read.");
}

#[tokio::test]
async fn it_has_the_tools_of_its_own_that_do_what_the_listed_ones_do() {
    let Some(program) = program().await else { return };
    for (names, own) in [
        (&[][..], &[][..]),
        (&["search"], &[]),
        (&["read_file", "search"], &["Read"]),
        (&["write_file"], &["Edit", "NotebookEdit", "Read", "Write"]),
        (&["shell"], &["Bash", "TaskOutput", "TaskStop"]),
    ] {
        let mut fixture = Claude::new(&program);
        fixture.listed = Some(ListedRights::of(names.iter().copied()));
        let server = model("  - reply: {text: Done.}\n").await;
        fixture.env = at(&server);
        let (said, ended, _) = fixture.start().all().await;
        assert_eq!(ended, Ok(()), "{said:?}");
        let asked = server.requests();
        let tools =
            asked.iter().flat_map(|request| request.body["tools"].as_array().cloned().unwrap_or_default());
        let mut offered: Vec<String> =
            tools.filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect();
        offered.sort();
        offered.dedup();
        let expected: Vec<&str> = own.iter().copied().chain(["mcp__amelia__submit"]).collect();
        assert_eq!(offered, expected, "{names:?}");
    }
}

/// Until the program has written down its conversation; it does so a moment later than it speaks.
async fn kept(fixture: &Claude) {
    let projects = fixture.directory.path().join("home/.claude/projects");
    let is_kept = || {
        let folders = std::fs::read_dir(&projects).into_iter().flatten().flatten();
        let mut files =
            folders.filter_map(|folder| std::fs::read_dir(folder.path()).ok()).flatten().flatten();
        files.any(|file| file.path().extension().is_some_and(|ending| ending == "jsonl"))
    };
    while !is_kept() {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn it_goes_on_with_its_own_conversation_after_it_was_killed() {
    let Some(program) = program().await else { return };
    let mut fixture = Claude::new(&program);
    let rules = "  - when: {text: and now the second}
    reply: {text: Both are done.}
  - when: {turn: 0}
    reply: {text: The first is done., tool_calls: [{name: Bash, args: {command: sleep 600, description: wait}}]}
";
    let server = model(rules).await;
    fixture.env = at(&server);
    let mut work = fixture.start();
    let AgentMessage::Session(session) = work.until(|m| matches!(m, AgentMessage::Session(_))).await else {
        unreachable!()
    };
    work.until(|m| matches!(m, AgentMessage::ToolCall(_))).await;
    kept(&fixture).await;
    // Dropping it kills it, in the middle of its command.
    drop(work);
    fixture.session = Some(session.clone());
    fixture.words =
        [(Role::User, "Do it."), (Role::Assistant, "The first is done."), (Role::User, "and now the second")]
            .map(|(role, text)| (role, text.to_owned()))
            .to_vec();
    let (said, ended, _) = fixture.start().all().await;
    assert_eq!(ended, Ok(()), "{said:?}");
    assert_eq!(result(&said), "Both are done.");
    assert_eq!(sessions(&said), [session]);
    let last = server.requests().into_iter().next_back().unwrap();
    assert!(last.body.to_string().contains("Do it."), "the history came along");
}

#[tokio::test]
async fn it_remembers_its_own_last_words() {
    let Some(program) = program().await else { return };
    let mut fixture = Claude::new(&program);
    let rules = "  - when: {last: And now?}
    reply: {text: Both are done.}
  - when: {turn: 0}
    reply: {text: The first is done.}
";
    let server = model(rules).await;
    fixture.env = at(&server);
    let (said, ended, _) = fixture.start().all().await;
    assert_eq!(ended, Ok(()), "{said:?}");
    fixture.go_on(&said, "And now?");
    let (said, ended, _) = fixture.start().all().await;
    assert_eq!(ended, Ok(()), "{said:?}");
    assert_eq!(result(&said), "Both are done.");
    let last = server.requests().into_iter().next_back().unwrap().body.to_string();
    assert!(last.contains("The first is done."), "{last}");
}

#[tokio::test]
async fn it_remembers_what_it_did_last_before_its_turns_were_used_up() {
    let Some(program) = program().await else { return };
    let mut fixture = Claude::new(&program);
    let rules = "  - when: {last: And now?}
    reply: {text: It is done.}
  - when: {}
    reply: {tool_calls: [{name: Bash, args: {command: 'echo begun > a.txt; echo it has begun', description: begin}}]}
";
    let server = model(rules).await;
    fixture.env = at(&server);
    fixture.max_turns = 1;
    let (said, ended, _) = fixture.start().all().await;
    assert!(matches!(ended, Err(DriverError::Turns { .. })), "{ended:?}");
    fixture.max_turns = 20;
    fixture.go_on(&said, "And now?");
    let (said, ended, _) = fixture.start().all().await;
    assert_eq!(ended, Ok(()), "{said:?}");
    let last = server.requests().into_iter().next_back().unwrap().body;
    let results = last.to_string().matches("\"it has begun\"").count();
    assert_eq!(results, 1, "{last}");
}

#[tokio::test]
async fn a_conversation_that_it_has_lost_is_told_again() {
    let Some(program) = program().await else { return };
    let mut fixture = Claude::new(&program);
    let rules = "  - when: {text: begun before}
    reply: {text: I see.}
";
    let server = model(rules).await;
    fixture.env = at(&server);
    fixture.session = Some(SessionId::new("01234567-89ab-cdef-0123-456789abcdef").unwrap());
    fixture.words = [(Role::User, "Do it."), (Role::Assistant, "Half of it."), (Role::User, "Go on.")]
        .map(|(role, text)| (role, text.to_owned()))
        .to_vec();
    let is_notice = |said: &AgentMessage| matches!(said, AgentMessage::Notice { .. });
    let (said, ended, _) = fixture.start().all().await;
    assert_eq!(ended, Ok(()), "{said:?}");
    assert_eq!(result(&said), "I see.");
    assert!(!said.iter().any(is_notice), "that is nothing special: {said:?}");
    // Who resumes work that was interrupted is told.
    fixture.is_heard = true;
    let (said, ended, _) = fixture.start().all().await;
    assert_eq!(ended, Ok(()), "{said:?}");
    assert!(
        matches!(&said[0], AgentMessage::Notice { text } if text.contains("starts again with everything that was said")),
        "{said:?}"
    );
}

#[tokio::test]
async fn a_person_is_heard_in_the_middle_of_the_work() {
    let Some(program) = program().await else { return };
    let mut fixture = Claude::new(&program);
    let rules = "  - when: {text: in blue}
    reply: {text: Blue it is.}
  - when: {turn: 0}
    reply: {tool_calls: [{name: Bash, args: {command: 'while [ ! -e go ]; do sleep 0.05; done', description: wait}}]}
  - when: {turn: 1}
    reply: {text: Grey it is.}
";
    let server = model(rules).await;
    fixture.env = at(&server);
    let mut work = fixture.start();
    work.until(|m| matches!(m, AgentMessage::ToolCall(_))).await;
    work.say.send(message(Role::User, "Make it in blue.")).unwrap();
    work.a_moment().await;
    std::fs::write(fixture.tree().join("go"), "").unwrap();
    let (said, ended, _) = work.all().await;
    assert_eq!(ended, Ok(()), "{said:?}");
    let delivered = said.iter().filter(|m| matches!(m, AgentMessage::Said(said) if said.role == Role::User));
    assert_eq!(delivered.count(), 1, "{said:?}");
    assert_eq!(result(&said), "Blue it is.");
}

/// How often these words stand in the last question to its model.
fn words_in_last_call(server: &amelia_scripted::ScriptedServer, words: &str) -> usize {
    let last = server.requests().into_iter().next_back().unwrap();
    last.body.get("messages").unwrap().to_string().matches(words).count()
}

#[tokio::test]
async fn words_that_it_had_not_taken_when_it_was_stopped_are_not_said_to_be_delivered() {
    let Some(program) = program().await else { return };
    let mut fixture = Claude::new(&program);
    let rules = "  - when: {turn: 0}
    reply: {text: 'I think slowly about this, word for word.', chunk: 4, chunk_delay_ms: 100, tool_calls: [{name: Bash, args: {command: sleep 600, description: wait}}]}
  - when: {text: zebra}
    reply: {text: I heard about it.}
  - when: {}
    reply: {text: I heard nothing.}
";
    let server = model(rules).await;
    fixture.env = at(&server);
    let mut work = fixture.start();
    let AgentMessage::Session(session) = work.until(|m| matches!(m, AgentMessage::Session(_))).await else {
        unreachable!()
    };
    work.until(|m| matches!(m, AgentMessage::Delta { kind: DeltaKind::Text, .. })).await;
    let word = message(Role::User, "Draw a zebra.");
    work.say.send(word.clone()).unwrap();
    // Until its command runs. It has read the word by then, and keeps it only in memory.
    loop {
        let next = work.messages.next().await.unwrap().unwrap();
        assert!(!matches!(&next, AgentMessage::Said(said) if said.role == Role::User), "not yet");
        if matches!(next, AgentMessage::ToolCall(_)) {
            break;
        }
    }
    kept(&fixture).await;
    drop(work);
    // It goes on, and is given the same word again.
    (fixture.session, fixture.is_heard) = (Some(session), true);
    let work = fixture.start();
    work.say.send(word.clone()).unwrap();
    let (said, ended, _) = work.all().await;
    assert_eq!(ended, Ok(()), "{said:?}");
    assert_eq!(result(&said), "I heard about it.");
    let delivered = said.iter().filter(|m| matches!(m, AgentMessage::Said(said) if said.id == word.id));
    assert_eq!(delivered.count(), 1, "{said:?}");
    assert_eq!(words_in_last_call(&server, "Draw a zebra."), 1);
}

#[tokio::test]
async fn words_in_the_middle_of_an_answer_reach_the_next_call_once() {
    let Some(program) = program().await else { return };
    let mut fixture = Claude::new(&program);
    let rules = "  - when: {turn: 0}
    reply: {text: 'I think slowly about this, word for word.', chunk: 4, chunk_delay_ms: 100, tool_calls: [{name: Bash, args: {command: 'true; echo done', description: work}}]}
  - when: {text: zebra}
    reply: {text: I heard about it.}
";
    let server = model(rules).await;
    fixture.env = at(&server);
    let mut work = fixture.start();
    work.until(|m| matches!(m, AgentMessage::Delta { kind: DeltaKind::Text, .. })).await;
    work.say.send(message(Role::User, "Draw a zebra.")).unwrap();
    let (said, ended, _) = work.all().await;
    assert_eq!(ended, Ok(()), "{said:?}");
    assert_eq!(result(&said), "I heard about it.");
    let place = |fits: fn(&AgentMessage) -> bool| said.iter().position(fits);
    let delivered = place(|m| matches!(m, AgentMessage::Said(said) if said.role == Role::User));
    let returned = place(|m| matches!(m, AgentMessage::ToolResult(_)));
    assert!(returned.is_some() && returned < delivered, "{said:?}");
    assert_eq!(words_in_last_call(&server, "Draw a zebra."), 1);
}

#[tokio::test]
async fn a_budget_stops_it_after_the_call_that_reached_it() {
    let Some(program) = program().await else { return };
    let mut fixture = Claude::new(&program);
    fixture.budget = Budget { usd: Some(0.01), ..Budget::default() };
    let rules = "  - when: {}
    reply:
      tool_calls: [{name: Bash, args: {command: 'true; echo more', description: work}}]
      usage: {input: 2000, output: 10}
";
    let server = model(rules).await;
    fixture.env = at(&server);
    let (said, ended, _) = fixture.start().all().await;
    assert!(matches!(ended, Err(DriverError::Budget(_))), "{ended:?}");
    let used = said.iter().filter(|m| matches!(m, AgentMessage::Usage(_))).count();
    // 0.00615 USD each: the second one goes beyond 0.01, and none is made after it. One may have begun meanwhile.
    assert_eq!(used, 2);
    let asked = server.requests().len();
    assert!(asked <= 3, "{asked}");
}

#[tokio::test]
async fn a_refusal_of_its_model_has_a_name() {
    let Some(program) = program().await else { return };
    let mut fixture = Claude::new(&program);
    for (status, is_named) in [
        (400, (|e| matches!(e, DriverError::Refused { status: Some(400), .. })) as fn(&DriverError) -> bool),
        (404, |e| matches!(e, DriverError::UnknownModel { .. })),
    ] {
        let server =
            model(&format!("  - when: {{}}\n    reply: {{error: {{status: {status}, message: no}}}}\n"))
                .await;
        fixture.env = at(&server);
        let (_, ended, _) = fixture.start().all().await;
        assert!(ended.as_ref().is_err_and(is_named), "{status}: {ended:?}");
    }
}

#[tokio::test]
async fn nobody_is_signed_in() {
    let Some(program) = program().await else { return };
    let fixture = Claude::new(&program);
    let (said, ended, _) = fixture.start().all().await;
    assert!(matches!(ended, Err(DriverError::Unauthorised { .. })), "{ended:?} {said:?}");
}

#[tokio::test]
async fn dropping_it_leaves_nothing_behind() {
    let Some(program) = program().await else { return };
    let mut fixture = Claude::new(&program);
    let rules = "  - when: {}
    reply: {tool_calls: [{name: Bash, args: {command: 'echo $$ > pid; sleep 987', description: wait}}]}
";
    let server = model(rules).await;
    fixture.env = at(&server);
    let mut work = fixture.start();
    work.until(|m| matches!(m, AgentMessage::ToolCall(_))).await;
    let pid = loop {
        tokio::select! {
            _ = work.messages.next() => {}
            () = tokio::time::sleep(std::time::Duration::from_millis(20)) => {}
        }
        if let Some(pid) =
            std::fs::read_to_string(fixture.tree().join("pid")).ok().filter(|pid| pid.ends_with('\n'))
        {
            break pid.trim().to_owned();
        }
    };
    drop(work);
    let gone = Arc::new(format!("/proc/{pid}"));
    while std::path::Path::new(gone.as_str()).exists() {
        let state = std::fs::read_to_string(format!("{gone}/stat")).unwrap_or_default();
        if state.contains(") Z ") {
            break;
        }
        tokio::task::yield_now().await;
    }
}
