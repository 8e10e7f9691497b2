//! What we say and hear, against the schema that the installed program itself has.

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use amelia_core::message::Role;
use amelia_core::tool::{Risk, ToolPermission};
use amelia_drivers::codex::{CodexDriver, CodexSettings, spoken};
use serde_json::Value;

use super::settings;
use crate::ear::{Ear, Speaker};
use crate::fixture::{ConversationFixture, TestGate, model, session};
use crate::media::image;
use crate::programs;

/// The schema of one thing, by its name.
fn schema(folder: &Path, name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(folder.join(name)).unwrap()).unwrap()
}

fn methods(folder: &Path, name: &str) -> Vec<String> {
    let all = schema(folder, name);
    let method = |one: &Value| one["properties"]["method"]["enum"][0].as_str().unwrap().to_owned();
    all["oneOf"].as_array().unwrap().iter().map(method).collect()
}

/// Fits, and has no field that the program does not know.
fn check_request(requests: &Value, said: &Value) {
    jsonschema::validate(requests, said).unwrap_or_else(|error| panic!("{error}: {said}"));
    let one = requests["oneOf"].as_array().unwrap().iter();
    let mut one = one.filter(|one| one["properties"]["method"]["enum"][0] == said["method"]);
    let params = &one.next().unwrap()["properties"]["params"];
    let Some(name) = params["$ref"].as_str() else { return };
    let known = &requests["definitions"][name.rsplit('/').next().unwrap()]["properties"];
    for field in said["params"].as_object().unwrap().keys() {
        assert!(!known[field].is_null(), "{} has no field {field}", said["method"]);
    }
}

/// A conversation in which all is said that we can say: started, asked, allowed, refused, called, steered, taken up again.
async fn overheard(program: &str) -> Vec<(Speaker, Value)> {
    let rules = r#"
  - when: {last: And now?}
    reply: {text: Still here.}
  - when: {turn: 0}
    reply: {tool_calls: [{name: exec_command, args: {cmd: "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.txt\n+hello\n*** End Patch\nEOF"}}]}
  - when: {turn: 1}
    reply: {tool_calls: [{name: exec_command, args: {cmd: "touch b.txt"}}]}
  - when: {turn: 2}
    reply: {tool_calls: [{name: submit, args: {result: fine}}]}
  - reply: {text: Done.}
"#;
    let server = model(rules).await;
    let mut fixture = ConversationFixture::new();
    fixture.options.reasoning = Some("low".to_owned());
    fixture.gate = Some(Arc::new(TestGate { url: server.url(), metered: Mutex::default() }));
    fixture.opinion = |_, risk| {
        let deny = ToolPermission::Deny { message: "no".to_owned() };
        Some(if risk == Risk::Execute { deny } else { ToolPermission::Allow { args: None } })
    };
    let ear = Ear::default();
    let settings = CodexSettings { asks: true, ..settings(program) };
    let listening = |stage| CodexDriver { stage: ear.at(stage), settings: settings.clone() };
    let (said, ended, _) = fixture.start(listening).all().await;
    assert_eq!(ended, Ok(()), "{said:?}");
    fixture.session = Some(session(&said));
    fixture.words.push((Role::User, "And now?".to_owned()));
    fixture.media = vec![image()];
    let (said, ended, _) = fixture.start(listening).all().await;
    assert_eq!(ended, Ok(()), "{said:?}");
    ear.lines()
}

#[tokio::test]
async fn every_word_of_ours_is_in_the_programs_own_schema() {
    let Some(program) = programs::find("codex").await else { return };
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let folder = folder.path();
    let made = Command::new(&program)
        .args(["app-server", "generate-json-schema", "--experimental", "--out"])
        .arg(folder)
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");

    let asked = methods(folder, "ServerRequest.json");
    let ours = [spoken::COMMAND, spoken::FILES, spoken::PERMISSIONS, spoken::ELICITATION, spoken::CALL];
    for method in ours {
        assert!(asked.iter().any(|known| known == method), "{method} is never asked");
    }
    let told = methods(folder, "ServerNotification.json");
    for method in spoken::HEARD {
        assert!(told.iter().any(|known| known == method), "{method} is never told");
    }

    let requests = schema(folder, "ClientRequest.json");
    let notifications = schema(folder, "ClientNotification.json");
    let lines = overheard(program.to_str().unwrap()).await;
    let mut said: Vec<String> = Vec::new();
    for (index, (speaker, line)) in lines.iter().enumerate() {
        let method = line["method"].as_str().map(str::to_owned);
        match (speaker, method) {
            (Speaker::They, _) => {}
            (Speaker::We, Some(method)) if line["id"].is_null() => {
                jsonschema::validate(&notifications, line).unwrap();
                said.push(method);
            }
            (Speaker::We, Some(method)) => {
                check_request(&requests, line);
                said.push(method);
            }
            (Speaker::We, None) => {
                let question = lines[..index].iter().rev().find(|(speaker, asked)| {
                    *speaker == Speaker::They && asked["id"] == line["id"] && !asked["method"].is_null()
                });
                let method = question.unwrap().1["method"].as_str().unwrap();
                let name = match method {
                    spoken::COMMAND => "CommandExecutionRequestApprovalResponse.json",
                    spoken::FILES => "FileChangeRequestApprovalResponse.json",
                    spoken::CALL => "DynamicToolCallResponse.json",
                    other => panic!("an answer to {other}"),
                };
                jsonschema::validate(&schema(folder, name), &line["result"]).unwrap();
                said.push(method.to_owned());
            }
        }
    }
    said.sort();
    said.dedup();
    let expected = [
        "initialize",
        "initialized",
        spoken::COMMAND,
        spoken::FILES,
        spoken::CALL,
        "thread/resume",
        "thread/start",
        "turn/start",
        "turn/steer",
    ];
    assert_eq!(said, expected);
}
