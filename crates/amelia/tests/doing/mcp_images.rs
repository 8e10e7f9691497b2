//! Images that tools of a real MCP server return reach the model, on every wire, and neither the log nor the recording.

use serde_json::{Value, json};

use crate::programs::set_up_here;
use crate::world::{World, text};

const MODELS: &str = r#"
rules:
  - when: { turn: 0 }
    reply: { tool_calls: [{ name: everything__get-tiny-image, args: {} }] }
  - when: { turn: 1 }
    reply: { tool_calls: [{ name: shell, args: { command: ls } }] }
  - when: { turn: 2 }
    reply: { text: I have seen it. }
"#;

/// How the base64 of the image of the server begins.
const IMAGE: &str = "iVBORw0KGgo";

fn world(wire: &str) -> Option<World> {
    let installed = set_up_here("setup-mcp.sh", "the MCP servers")?;
    let world = World::new(MODELS);
    let program = installed.join("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    let server = json!({"transport": "stdio", "config": {"command": "node", "args": [program]}});
    std::fs::create_dir_all(world.home().join("config")).unwrap();
    let servers = json!({"servers": {"everything": server}}).to_string();
    std::fs::write(world.home().join("config/mcp_servers.yaml"), servers).unwrap();
    let options = json!({"provider": "openai-compatible", "base_url": format!("{}/v1", world.server.url()),
        "wire": wire});
    let agent = json!({"driver": "api", "model": "looker", "options": options});
    let profile = json!({"name": "look", "repo_root": world.repository(), "agents": {"developer": agent},
        "mcp_tools": ["everything:get-tiny-image"]});
    let file = world.home().join("look.yaml");
    std::fs::write(&file, profile.to_string()).unwrap();
    succeeds(&world, &["config", "profile", "apply", "-f", file.to_str().unwrap()]);
    Some(world)
}

fn succeeds(world: &World, arguments: &[&str]) -> String {
    let output = world.amelia(arguments);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// The text of the result in a request, and the data of its image.
fn shown(wire: &str, body: &Value) -> (String, String) {
    let items = body.get("messages").or_else(|| body.get("input")).unwrap().as_array().unwrap();
    let found = |is_it: &dyn Fn(&Value) -> bool| items.iter().rfind(|item| is_it(item)).unwrap().clone();
    let (result, image) = match wire {
        "chat" => {
            let result = found(&|item| item["role"] == "tool");
            let images = found(&|item| item["role"] == "user");
            assert_eq!(images["content"][0]["text"], "What the tool everything__get-tiny-image returned:");
            (result["content"].clone(), images["content"][1]["image_url"]["url"].clone())
        }
        "responses" => {
            let result = found(&|item| item["type"] == "function_call_output");
            (result["output"][0]["text"].clone(), result["output"][1]["image_url"].clone())
        }
        _ => {
            let result = found(&|item| item["role"] == "user")["content"][0].clone();
            assert_eq!(result["content"][1]["source"]["media_type"], "image/png");
            (result["content"][0]["text"].clone(), result["content"][1]["source"]["data"].clone())
        }
    };
    let data = image.as_str().unwrap();
    let data = data.strip_prefix("data:image/png;base64,").unwrap_or(data).to_owned();
    (result.as_str().unwrap().to_owned(), data)
}

#[test]
fn a_model_sees_the_image_that_a_tool_returned() {
    for wire in ["chat", "responses", "messages"] {
        let Some(world) = world(wire) else { return };
        let done = succeeds(&world, &["do", "--profile", "look", "Look at it"]);
        assert!(done.contains("I have seen it."), "{done}");
        let requests = world.server.requests();
        let (said, data) = shown(wire, &requests[1].body);
        assert!(said.contains("[image image/png, ") && said.contains("kept as results/"), "{said}");
        assert!(data.starts_with(IMAGE) && data.len() > 1000, "{wire}: {data}");
        let later = requests[2].body.to_string();
        assert!(later.contains(&data), "it is still there in the next turn");
        let run = world.run_id();
        let log = succeeds(&world, &["logs", &run, "--json"]);
        assert!(!log.contains(IMAGE), "{log}");
        let results = world.home().join("tasks").join(&run).join("results");
        let checkpoints = succeeds(&world, &["checkpoints", &run]);
        assert!(results.is_dir(), "{checkpoints}");
        std::fs::remove_dir_all(results).unwrap();
        let replayed = succeeds(&world, &["replay", &run]);
        assert!(replayed.contains("the same"), "{replayed}");
    }
}
