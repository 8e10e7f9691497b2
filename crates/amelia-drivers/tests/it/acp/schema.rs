//! What we say, against the schema of the protocol as an installed agent brings it.

use amelia_core::message::Role;
use amelia_drivers::acp::{AcpDriver, AcpSettings};
use serde_json::{Value, json};

use super::real::{Agent, work};
use crate::ear::{Ear, Speaker};
use crate::fixture::session;
use crate::media::image;
use crate::programs;

/// Fits the part of the schema that is for this method, and has no field that is not in it.
fn check(schema: &Value, method: &str, side: &str, ending: &str, value: &Value) {
    let all = schema["$defs"].as_object().unwrap();
    let (name, part) = all
        .iter()
        .find(|(name, part)| part["x-method"] == method && part["x-side"] == side && name.ends_with(ending))
        .unwrap_or_else(|| panic!("{method} is not in the schema"));
    let whole = json!({"$ref": format!("#/$defs/{name}"), "$defs": schema["$defs"]});
    jsonschema::validate(&whole, value).unwrap_or_else(|error| panic!("{method}: {error}: {value}"));
    for field in value.as_object().unwrap().keys() {
        let is_known = part["properties"].get(field).is_some() || part["properties"].is_null();
        assert!(is_known || part.get("anyOf").is_some(), "{method} has no field {field}");
    }
}

#[tokio::test]
async fn every_word_of_ours_is_in_the_protocols_schema() {
    let Some(program) = programs::find("opencode").await else { return };
    let file = program.parent().unwrap().join("../node_modules/@agentclientprotocol/sdk/schema/schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let rules =
        format!("  - when: {{last: And now?}}\n    reply: {{text: Still here.}}\n{}", work(Agent::OpenCode));
    let Some((mut fixture, command, _server)) = Agent::OpenCode.ready(&rules).await else { return };
    let ear = Ear::default();
    let listening =
        |stage| AcpDriver { stage: ear.at(stage), settings: AcpSettings { command: command.clone() } };
    let (said, ended, _) = fixture.start(listening).all().await;
    assert_eq!(ended, Ok(()), "{said:?}");
    fixture.session = Some(session(&said));
    fixture.words.push((Role::User, "And now?".to_owned()));
    fixture.media = vec![image()];
    let (said, ended, _) = fixture.start(listening).all().await;
    assert_eq!(ended, Ok(()), "{said:?}");

    let lines = ear.lines();
    let mut said: Vec<String> = Vec::new();
    for (index, (speaker, line)) in lines.iter().enumerate() {
        if *speaker == Speaker::They {
            continue;
        }
        assert_eq!(line["jsonrpc"], "2.0");
        let method = if let Some(method) = line["method"].as_str() {
            check(&schema, method, "agent", "Request", &line["params"]);
            method
        } else {
            let is_it = |(speaker, asked): &&(Speaker, Value)| {
                *speaker == Speaker::They && asked["id"] == line["id"] && !asked["method"].is_null()
            };
            let method = lines[..index].iter().rfind(is_it).unwrap().1["method"].as_str().unwrap();
            check(&schema, method, "client", "Response", &line["result"]);
            method
        };
        said.push(method.to_owned());
    }
    said.sort();
    said.dedup();
    let expected = [
        "fs/write_text_file",
        "initialize",
        "session/new",
        "session/prompt",
        "session/request_permission",
        "session/resume",
        "session/set_config_option",
    ];
    assert_eq!(said, expected);
}
