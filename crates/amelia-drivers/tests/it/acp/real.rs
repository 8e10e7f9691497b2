//! With real agents: one that does everything itself, and one that leaves the writing of files to us. Skipped loudly where
//! they cannot be installed.

use std::path::Path;

use amelia_core::driver::{AgentMessage, DeltaKind};
use amelia_core::id::SessionId;
use amelia_core::message::Role;
use amelia_core::tool::{Risk, ToolCall, ToolPermission, ToolResult};
use amelia_core::workplace::Rights;
use amelia_scripted::ScriptedServer;
use serde_json::json;

use super::with;
use crate::fixture::{ConversationFixture, calls, message, model, notices, result, session};
use crate::programs;

/// A real agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Agent {
    Claude,
    OpenCode,
}

const BOTH: [Agent; 2] = [Agent::Claude, Agent::OpenCode];

impl Agent {
    /// A call by which it writes `a.txt`, and one by which it copies it.
    fn write(self) -> &'static str {
        match self {
            Self::Claude => r#"{name: Write, args: {file_path: TREE/a.txt, content: "hello\n"}}"#,
            Self::OpenCode => r#"{name: write, args: {filePath: TREE/a.txt, content: "hello\n"}}"#,
        }
    }

    fn copy(self) -> &'static str {
        match self {
            Self::Claude => "{name: Bash, args: {command: cp a.txt b.txt, description: copy}}",
            Self::OpenCode => "{name: bash, args: {command: cp a.txt b.txt, description: copy}}",
        }
    }

    /// In its surroundings, with a model that plays these rules.
    pub(crate) async fn ready(
        self,
        rules: &str,
    ) -> Option<(ConversationFixture, Vec<String>, ScriptedServer)> {
        let mut fixture = ConversationFixture::new();
        let tree = fixture.tree().to_str().unwrap().to_owned();
        let server = model(&rules.replace("TREE", &tree)).await;
        fixture.tool_stub = tool_stub;
        let (program, args, env) = match self {
            Self::Claude => {
                fixture.model = "default";
                let env = vec![
                    ("ANTHROPIC_BASE_URL", server.url()),
                    ("ANTHROPIC_AUTH_TOKEN", "scripted".to_owned()),
                    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
                ];
                ("claude-agent-acp", None, env)
            }
            Self::OpenCode => {
                fixture.model = "here/scripted";
                configure(&fixture, &server);
                let off = [
                    "OPENCODE_DISABLE_MODELS_FETCH",
                    "OPENCODE_DISABLE_AUTOUPDATE",
                    "OPENCODE_DISABLE_LSP_DOWNLOAD",
                ];
                ("opencode", Some("acp".to_owned()), off.map(|name| (name, "1".to_owned())).to_vec())
            }
        };
        let program = programs::find(program).await?;
        fixture.env = env.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let command = std::iter::once(program.to_str().unwrap().to_owned()).chain(args).collect();
        Some((fixture, command, server))
    }
}

/// The one model that `opencode` has, and that it asks before it does something.
fn configure(fixture: &ConversationFixture, server: &ScriptedServer) {
    let folder = fixture.directory.path().join("home/.config/opencode");
    std::fs::create_dir_all(&folder).unwrap();
    let modalities = json!({"input": ["text", "image"], "output": ["text"]});
    let sees = json!({"name": "Scripted", "attachment": true, "modalities": modalities});
    let here = json!({
        "npm": "@ai-sdk/openai-compatible",
        "name": "Here",
        "options": {"baseURL": format!("{}/v1", server.url()), "apiKey": "x"},
        "models": {"scripted": sees, "other": {"name": "Other"}},
    });
    let config = json!({
        "provider": {"here": here},
        "model": "here/other",
        "small_model": "here/other",
        "permission": {"edit": "ask", "bash": "ask"},
    });
    std::fs::write(folder.join("opencode.json"), config.to_string()).unwrap();
}

/// Our tool for writing files.
fn tool_stub(work_area: &Path, call: &ToolCall) -> Option<ToolResult> {
    if call.tool.name != "write_file" {
        return None;
    }
    let text = |name: &str| call.args[name].as_str().unwrap().to_owned();
    std::fs::write(work_area.join(text("path")), text("content")).unwrap();
    Some(ToolResult { output: "written".to_owned(), error: None, ..ToolResult::interrupted(call) })
}

/// Writes a file, runs a command, hands in, and says so. A request for a title gets one.
pub(super) fn work(agent: Agent) -> String {
    format!(
        r#"
  - when: {{system: title}}
    reply: {{text: A title}}
  - when: {{turn: 0}}
    reply: {{text: I write the file., tool_calls: [{}]}}
  - when: {{turn: 1}}
    reply: {{tool_calls: [{}]}}
  - when: {{turn: 2}}
    reply: {{text: "I hand it in.\n<tool_call>\n{{\"name\": \"submit\", \"arguments\": {{\"result\": \"fine\"}}}}\n</tool_call>"}}
  - when: {{turn: 3, last: accepted}}
    reply: {{text: All done., usage: {{input: 1000, output: 20, cache_read: 400}}}}
"#,
        agent.write(),
        agent.copy()
    )
}

#[tokio::test]
async fn they_work_with_their_own_tools_and_hand_in_with_words() {
    for agent in BOTH {
        let Some((fixture, command, _server)) = agent.ready(&work(agent)).await else { return };
        let (said, ended, tools) = fixture.start(with(&command)).all().await;
        assert_eq!(ended, Ok(()), "{said:?}");
        assert_eq!(result(&said), "All done.", "{said:?}");
        assert_eq!(fixture.file("b.txt").as_deref(), Some("hello\n"), "{agent:?}");
        assert_eq!(calls(&said), [("edit".to_owned(), true), ("shell".to_owned(), true)], "{agent:?}");
        let asked = tools.asked.lock().unwrap().clone();
        assert_eq!(asked, [("edit".to_owned(), Risk::Write), ("shell".to_owned(), Risk::Execute)]);
        let called: Vec<String> =
            tools.called.lock().unwrap().iter().map(|call| call.tool.to_string()).collect();
        let expected: &[&str] =
            if agent == Agent::OpenCode { &["write_file", "submit"] } else { &["submit"] };
        assert_eq!(called, expected, "{agent:?}");
        let words: Vec<String> = said
            .iter()
            .filter_map(|m| match m {
                AgentMessage::Said(said) => Some(said.text()),
                _ => None,
            })
            .collect();
        assert_eq!(words, ["I write the file.", "I hand it in.", "All done."], "{agent:?}");
        assert!(said.iter().any(|m| matches!(m, AgentMessage::Delta { kind: DeltaKind::Text, .. })));
        let used = said.iter().rev().find_map(|m| match m {
            AgentMessage::Usage(usage) => Some((usage.input_tokens, usage.cache_read_tokens)),
            _ => None,
        });
        assert_eq!(used, Some((Some(1000), Some(400))), "{agent:?}");
    }
}

#[tokio::test]
async fn a_refusal_keeps_them_from_it_and_reaches_the_model() {
    for agent in BOTH {
        let rules =
            format!("  - when: {{last: not on a Sunday}}\n    reply: {{text: Then not.}}\n{}", work(agent))
                .replace("{turn: 2}", "{turn: 9}");
        let rules = format!("{rules}\n  - reply: {{text: Hm.}}");
        let Some((mut fixture, command, _server)) = agent.ready(&rules).await else { return };
        fixture.opinion = |_, risk| {
            let deny = ToolPermission::Deny { message: "not on a Sunday".to_owned() };
            Some(if risk == Risk::Execute { deny } else { ToolPermission::Allow { args: None } })
        };
        let (said, ended, _) = fixture.start(with(&command)).all().await;
        assert_eq!(ended, Ok(()), "{said:?}");
        assert_eq!(result(&said), "Then not.", "{agent:?} {said:?}");
        assert_eq!((fixture.file("a.txt").as_deref(), fixture.file("b.txt")), (Some("hello\n"), None));
        assert_eq!(calls(&said), [("edit".to_owned(), true), ("shell".to_owned(), false)], "{agent:?}");
    }
}

#[tokio::test]
async fn a_reader_cannot_write() {
    for agent in BOTH {
        let rules =
            format!("{}\n  - reply: {{text: I could not.}}", work(agent)).replace("{turn: 2}", "{turn: 9}");
        let Some((mut fixture, command, _server)) = agent.ready(&rules).await else { return };
        fixture.rights = Rights::Read;
        fixture.opinion = |_, risk| {
            let deny = ToolPermission::Deny { message: "this role only reads".to_owned() };
            Some(if risk == Risk::Read { ToolPermission::Allow { args: None } } else { deny })
        };
        let (said, ended, tools) = fixture.start(with(&command)).all().await;
        assert_eq!(ended, Ok(()), "{agent:?} {said:?}");
        let files: Vec<_> =
            std::fs::read_dir(fixture.tree()).unwrap().map(|f| f.unwrap().file_name()).collect();
        assert!(files.is_empty(), "{agent:?} {files:?}");
        assert!(tools.called.lock().unwrap().is_empty(), "{agent:?}");
    }
}

#[tokio::test]
async fn killed_in_the_middle_they_go_on_where_they_were() {
    for agent in BOTH {
        let rules =
            format!("  - when: {{last: And now?}}\n    reply: {{text: Where was I.}}\n{}", work(agent));
        let Some((mut fixture, command, server)) = agent.ready(&rules).await else { return };
        let mut work = fixture.start(with(&command));
        let AgentMessage::Session(session) = work.until(|m| matches!(m, AgentMessage::Session(_))).await
        else {
            panic!("no session")
        };
        work.until(|m| matches!(m, AgentMessage::ToolCall(call) if call.tool.name == "shell")).await;
        drop(work);
        fixture.session = Some(session.clone());
        fixture.words.push((Role::User, "And now?".to_owned()));
        let (said, ended, _) = fixture.start(with(&command)).all().await;
        assert_eq!(ended, Ok(()), "{agent:?} {said:?}");
        assert_eq!(result(&said), "Where was I.", "{agent:?} {said:?}");
        // Claude keeps nothing of a first turn that it could not end; it was told all again.
        let is_same = crate::fixture::session(&said) == session;
        assert!(is_same || notices(&said)[0].contains("a new one starts"), "{agent:?} {said:?}");
        fixture.session = Some(crate::fixture::session(&said));
        let (said, ended, _) = fixture.start(with(&command)).all().await;
        assert_eq!(ended, Ok(()), "{agent:?} {said:?}");
        assert_eq!(Some(crate::fixture::session(&said)), fixture.session, "{agent:?} {said:?}");
        let last = server.requests().last().unwrap().body.to_string();
        assert!(last.contains("Do it."), "{agent:?} has forgotten what it was told: {last}");
    }
}

#[tokio::test]
async fn a_conversation_that_is_gone_is_begun_anew_and_words_in_between_are_said_after_the_turn() {
    let rules = "
  - when: {system: title}
    reply: {text: A title}
  - when: {last: Make it blue}
    reply: {text: Blue it is.}
  - when: {text: Half of it is done}
    reply: {text: A new start.}";
    for agent in BOTH {
        let Some((mut fixture, command, _server)) = agent.ready(rules).await else { return };
        fixture.session = Some(SessionId::new("3fa4f45b-736a-4c7c-80a7-909818b964ba").unwrap());
        fixture.words.push((Role::Assistant, "Half of it is done.".to_owned()));
        let mut work = fixture.start(with(&command));
        let told = work.until(|m| matches!(m, AgentMessage::Notice { .. })).await;
        assert!(notices(&[told]).iter().any(|text| text.contains("a new one starts")));
        work.say.send(message(Role::User, "Make it blue.")).unwrap();
        let (said, ended, _) = work.all().await;
        assert_eq!(ended, Ok(()), "{agent:?} {said:?}");
        assert_eq!(result(&said), "Blue it is.", "{agent:?} {said:?}");
        assert!(!session(&said).to_string().is_empty());
    }
}
