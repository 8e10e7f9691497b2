//! Images and sound beside what is said to programs: they reach the model of a program that takes them, and one that does
//! not is told so in words, once.

use std::sync::{Arc, Mutex};

use amelia_core::config::agent::CodexMode;
use amelia_core::message::{AudioPart, ImagePart, Part, Role};
use amelia_drivers::codex::CodexSettings;
use amelia_scripted::ScriptedServer;
use serde_json::Value;

use crate::acp::real::Agent;
use crate::claude::fixture::{Claude, at};
use crate::fixture::{ConversationFixture, TestGate, fake, message, model, notices, result, session};
use crate::{acp, codex, programs};

/// One pixel.
const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const RULES: &str = "
  - when: {system: title}
    reply: {text: A title}
  - when: {last: And this}
    reply: {text: I see both.}
  - reply: {text: I see.}";

pub(crate) fn image() -> Part {
    Part::Image(ImagePart {
        url: format!("data:image/png;base64,{PIXEL}"),
        alt_text: Some("the broken button".to_owned()),
        dimensions: None,
        format: None,
    })
}

fn sound() -> Part {
    Part::Audio(AudioPart {
        url: "data:audio/wav;base64,UklGRgAAAABXQVZF".to_owned(),
        transcript: Some("it beeps".to_owned()),
        duration_seconds: None,
        format: None,
        sample_rate: None,
    })
}

/// How many parts of this kind the model was shown with its last question.
fn shown(server: &ScriptedServer, kind: &str) -> usize {
    fn count(value: &Value, kind: &str) -> usize {
        let inner: usize = match value {
            Value::Array(items) => items.iter().map(|item| count(item, kind)).sum(),
            Value::Object(fields) => fields.values().map(|field| count(field, kind)).sum(),
            _ => 0,
        };
        inner + usize::from(value["type"] == kind)
    }
    let requests = server.requests();
    let asked = requests.iter().rev().find(|request| request.body.to_string().contains("Do it."));
    count(&asked.expect("nothing was asked").body, kind)
}

fn last(server: &ScriptedServer) -> String {
    server.requests().last().unwrap().body.to_string()
}

#[tokio::test]
async fn claude_shows_an_image_to_its_model_and_hears_of_sound_in_words() {
    let Some(program) = programs::find("claude").await else { return };
    let mut fixture = Claude::new(&program);
    let server = model(RULES).await;
    fixture.env = at(&server);
    fixture.media = vec![image(), sound()];
    let (said, ended, _) = fixture.start().all().await;
    assert_eq!((ended, result(&said).as_str()), (Ok(()), "I see."), "{said:?}");
    assert_eq!(shown(&server, "image"), 1, "{}", last(&server));
    assert!(last(&server).contains("[A recording that you cannot hear: it beeps]"), "{}", last(&server));
    assert_eq!(notices(&said), ["claude accepts no sound: it was told so in words"]);
}

#[tokio::test]
async fn claude_sees_what_is_said_in_between_and_with_a_conversation_that_it_has_lost() {
    let Some(program) = programs::find("claude").await else { return };
    let mut fixture = Claude::new(&program);
    let server = model(RULES).await;
    fixture.env = at(&server);
    fixture.words = [(Role::User, "Do it."), (Role::Assistant, "Half of it."), (Role::User, "And this.")]
        .map(|(role, text)| (role, text.to_owned()))
        .to_vec();
    fixture.media = vec![image()];
    fixture.session = Some("01234567-89ab-cdef-0123-456789abcdef".parse().unwrap());
    let (said, ended, _) = fixture.start().all().await;
    assert_eq!((ended, result(&said).as_str()), (Ok(()), "I see both."), "{said:?}");
    assert_eq!(shown(&server, "image"), 1, "{}", last(&server));
}

#[tokio::test]
async fn codex_shows_an_image_to_its_model() {
    let Some(program) = programs::find("codex").await else { return };
    let server = model(RULES).await;
    let mut fixture = ConversationFixture::new();
    fixture.gate = Some(Arc::new(TestGate { url: server.url(), metered: Mutex::default() }));
    fixture.media = vec![image()];
    let settings = codex::settings(program.to_str().unwrap());
    let (said, ended, _) = fixture.start(codex::with(settings.clone())).all().await;
    assert_eq!((ended, result(&said).as_str()), (Ok(()), "I see."), "{said:?}");
    assert_eq!(shown(&server, "input_image"), 1, "{}", last(&server));

    // In a conversation that it still has, only what is new is said.
    fixture.session = Some(session(&said));
    fixture.words.push((Role::User, "And this.".to_owned()));
    let (said, ended, _) = fixture.start(codex::with(settings)).all().await;
    assert_eq!((ended, result(&said).as_str()), (Ok(()), "I see both."), "{said:?}");
    assert_eq!(shown(&server, "input_image"), 2, "{}", last(&server));
}

#[tokio::test]
async fn codex_exec_is_told_in_words() {
    let Some(program) = programs::find("codex").await else { return };
    let server = model(RULES).await;
    let mut fixture = ConversationFixture::new();
    fixture.gate = Some(Arc::new(TestGate { url: server.url(), metered: Mutex::default() }));
    fixture.media = vec![image(), image()];
    let settings = CodexSettings { mode: CodexMode::Exec, ..codex::settings(program.to_str().unwrap()) };
    let (said, ended, _) = fixture.start(codex::with(settings)).all().await;
    assert_eq!(ended, Ok(()), "{said:?}");
    assert!(last(&server).contains("[An image that you cannot see: the broken button]"), "{}", last(&server));
    let told = notices(&said).iter().filter(|notice| notice.contains("told so in words")).count();
    assert_eq!(told, 1, "{said:?}");
}

#[tokio::test]
async fn agents_show_an_image_to_their_model() {
    for agent in [Agent::Claude, Agent::OpenCode] {
        let Some((mut fixture, command, server)) = agent.ready(RULES).await else { return };
        fixture.media = vec![image()];
        let (said, ended, _) = fixture.start(acp::with(&command)).all().await;
        assert_eq!((ended, result(&said).as_str()), (Ok(()), "I see."), "{agent:?} {said:?}");
        let kind = if agent == Agent::Claude { "image" } else { "image_url" };
        assert_eq!(shown(&server, kind), 1, "{agent:?} {}", last(&server));
    }
}

/// An agent that says what it can do, and answers everything with one word. What it is told is kept in `heard`.
const PLAIN_AGENT: &str = r#"
while read -r line; do
  printf '%s\n' "$line" >> "$HOME/heard"
  id=$(printf '%s\n' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  case "$line" in
    *'"initialize"'*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":1,\"agentCapabilities\":{\"promptCapabilities\":{\"audio\":true}}}}" ;;
    *'"session/new"'*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"sessionId\":\"s\"}}" ;;
    *'"session/prompt"'*)
      echo "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"ok\"}}}}"
      echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"stopReason\":\"end_turn\"}}" ;;
  esac
done"#;

#[tokio::test]
async fn an_agent_gets_what_it_has_said_that_it_takes_and_hears_of_the_rest_once() {
    let mut fixture = ConversationFixture { model: "default", ..ConversationFixture::new() };
    fixture.media = vec![image(), sound()];
    let command = vec![fake(&fixture, PLAIN_AGENT)];
    let work = fixture.start(acp::with(&command));
    let mut steered = message(Role::User, "And this.");
    steered.parts.push(image());
    work.say.send(steered).unwrap();
    let (said, ended, _) = work.all().await;
    assert_eq!(ended, Ok(()), "{said:?}");
    let heard = std::fs::read_to_string(fixture.directory.path().join("home/heard")).unwrap();
    let lines = heard.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let prompts: Vec<Value> = lines
        .filter(|line| line["method"] == "session/prompt")
        .map(|mut line| line["params"]["prompt"].take())
        .collect();
    let blocks: Vec<&Value> = prompts.iter().flat_map(|prompt| prompt.as_array().unwrap()).collect();
    let of_kind = |kind: &str| blocks.iter().filter(|block| block["type"] == kind).count();
    assert_eq!((of_kind("image"), of_kind("audio")), (0, 1), "{heard}");
    assert_eq!(heard.matches("[An image that you cannot see: the broken button]").count(), 2, "{heard}");
    assert_eq!(notices(&said), ["the agent accepts no images: it was told so in words"], "{said:?}");
}
