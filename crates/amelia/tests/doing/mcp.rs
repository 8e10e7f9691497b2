//! Tools of real MCP servers in a workflow: called, corrected, replayed without their server, refused by name.

use std::path::Path;

use serde_json::json;

use crate::programs::set_up_here;
use crate::world::{World, orphans, until};

const MODELS: &str = r#"
rules:
  - when: { model: keeper, turn: 0 }
    reply:
      tool_calls:
        - name: wrong__create_entities
          args: { entities: [{ name: river, entityType: water, observations: ["it is long"] }] }
  - when: { model: keeper, text: it is long }
    reply: { text: kept }
"#;

const FLOW: &str = r#"
name: keep
entry_point: remember
nodes:
  remember: { type: agent, agent: keeper }
  read: { type: tool, tool: "memory:read_graph", outputs: [graph] }
  save: { type: tool, tool: write_file, arguments: { path: graph.txt, content: "{{ state.graph.entities[0].name }}" } }
edges:
  - { from: remember, to: read }
  - { from: read, to: save }
"#;

fn world(tools: &str) -> World {
    let world = World::new(MODELS);
    let agent = format!(
        "name: keeper\nrole: keeps\nsystem_prompt: Keep facts.\ntools: [{tools}]\n\
         llm_config: {{ endpoint: {}/v1, model: keeper }}\n",
        world.server.url()
    );
    let write = |file: &str, text: &str| {
        let path = world.repository().join(".amelia").join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("agents/keeper.yaml", &agent);
    write("workflows/keep.yaml", FLOW);
    world
}

/// Describes the memory server in the home.
fn configure(world: &World, installed: &Path) -> std::path::PathBuf {
    let script = installed.join("node_modules/@modelcontextprotocol/server-memory/dist/index.js");
    let memory = world.home().join("memory.json");
    let server = json!({"transport": "stdio", "trusted": true, "scope": "run",
        "config": {"command": "node", "args": [script], "env": {"MEMORY_FILE_PATH": memory}}});
    let file = world.home().join("config/mcp_servers.yaml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, json!({"servers": {"memory": server}}).to_string()).unwrap();
    file
}

fn said(output: &std::process::Output) -> String {
    String::from_utf8([output.stdout.as_slice(), output.stderr.as_slice()].concat()).unwrap()
}

/// The body of a response of the server of a home.
fn download(world: &World, path: &str) -> Vec<u8> {
    use std::io::{Read as _, Write as _};
    let presence = std::fs::read(world.home().join("server.json")).unwrap();
    let presence: serde_json::Value = serde_json::from_slice(&presence).unwrap();
    let host = presence["url"].as_str().unwrap().strip_prefix("http://").unwrap().to_owned();
    let token = said(&world.amelia(&["token", "show"])).trim().to_owned();
    let mut stream = std::net::TcpStream::connect(&host).unwrap();
    let head = format!("Host: {host}\r\nAuthorization: Bearer {token}\r\nConnection: close");
    write!(stream, "GET {path} HTTP/1.1\r\n{head}\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
    answer[end + 4..].to_vec()
}

#[test]
fn an_image_of_a_tool_is_a_file_of_the_run() {
    let Some(installed) = set_up_here("setup-mcp.sh", "the MCP servers") else { return };
    let world = world("");
    let script = installed.join("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    let server = json!({"transport": "stdio", "config": {"command": "node", "args": [script]}});
    std::fs::create_dir_all(world.home().join("config")).unwrap();
    let servers = json!({"servers": {"everything": server}}).to_string();
    std::fs::write(world.home().join("config/mcp_servers.yaml"), servers).unwrap();
    let flow = "name: look\nentry_point: look\nnodes:\n  look: { type: tool, tool: \"everything:get-tiny-image\", \
                outputs: [seen] }\nedges: []\n";
    std::fs::write(world.repository().join(".amelia/workflows/look.yaml"), flow).unwrap();
    let mut serving = world.start(&["server"]);
    until("the server is there", || world.home().join("server.json").exists());
    let done = world.amelia(&["workflow", "run", "look"]);
    assert!(done.status.success(), "{}", said(&done));
    let run = world.run_id();
    let logged = said(&world.amelia(&["logs", &run, "--json"]));
    let (_, named) = logged.split_once("kept as results/").unwrap_or_else(|| panic!("{logged}"));
    let name = named.split(']').next().unwrap();
    assert!(name.ends_with(".png"), "{name}");
    let path = format!("/api/tasks/{run}/files?from=results&path={name}");
    let image = download(&world, &path);
    assert!(image.starts_with(b"\x89PNG"), "{image:?}");
    assert_eq!(
        image,
        std::fs::read(world.home().join("tasks").join(&run).join("results").join(name)).unwrap()
    );
    let replayed = world.amelia(&["replay", &run]);
    assert!(said(&replayed).contains("the same"), "{}", said(&replayed));
    serving.kill().unwrap();
    serving.wait().unwrap();
}

#[test]
fn resources_of_a_server_are_read_by_a_tool_and_its_prompts_are_printed() {
    let Some(installed) = set_up_here("setup-mcp.sh", "the MCP servers") else { return };
    let world = world("\"everything:read_resource\"");
    let script = installed.join("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    let server =
        json!({"transport": "stdio", "trusted": true, "config": {"command": "node", "args": [script]}});
    std::fs::create_dir_all(world.home().join("config")).unwrap();
    let servers = json!({"servers": {"everything": server}}).to_string();
    std::fs::write(world.home().join("config/mcp_servers.yaml"), servers).unwrap();
    let amelia = |arguments: &[&str]| said(&world.amelia(arguments));
    let tools = amelia(&["mcp", "tools", "everything"]);
    assert!(tools.contains("everything:read_resource  reads"), "{tools}");
    let listed = amelia(&["mcp", "call", "everything:read_resource"]);
    let uri = listed.split_whitespace().find(|word| word.starts_with("demo://resource/static/")).unwrap();
    let read = amelia(&["mcp", "call", "everything:read_resource", &json!({"uri": uri}).to_string()]);
    assert!(read.starts_with(uri) && read.len() > uri.len() + 100, "{read}");
    let missing = amelia(&["mcp", "call", "everything:read_resource", r#"{"uri": "demo://nope"}"#]);
    assert!(missing.contains("error:") && missing.contains("demo://nope"), "{missing}");
    let flow = format!(
        "name: look\nentry_point: look\nnodes:\n  look: {{ type: tool, tool: \"everything:read_resource\", \
         arguments: {{ uri: \"{uri}\" }}, outputs: [text] }}\nedges: []\n"
    );
    std::fs::write(world.repository().join(".amelia/workflows/look.yaml"), flow).unwrap();
    let done = world.amelia(&["workflow", "run", "look", "x"]);
    assert!(done.status.success(), "{}", said(&done));
    let replayed = amelia(&["replay", &world.run_id()]);
    assert!(replayed.contains("the same"), "{replayed}");

    let prompts = amelia(&["mcp", "prompt", "everything"]);
    assert!(prompts.contains("everything:args-prompt city=… [state=…]"), "{prompts}");
    let filled = amelia(&["mcp", "prompt", "everything:args-prompt", "city=Lima"]);
    assert!(filled.contains("Lima") && !filled.contains("error"), "{filled}");
    for (arguments, expected) in [
        (["everything:args-prompt", "state=x"], "the argument `city` is missing"),
        (["everything:simple-prompt", "x=1"], "the prompt has no argument `x`"),
        (["everything:nope", "x=1"], "has no prompt `nope`"),
        (["everything:args-prompt", "Lima"], "expected NAME=VALUE"),
    ] {
        let refused = amelia(&[["mcp", "prompt"], arguments].concat());
        assert!(refused.contains(expected), "{refused}");
    }
}

#[test]
fn a_workflow_calls_tools_of_a_server_and_is_replayed_without_it() {
    let Some(installed) = set_up_here("setup-mcp.sh", "the MCP servers") else { return };
    let world = world("\"memory:*\"");
    let file = configure(&world, &installed);
    let done = world.amelia(&["workflow", "run", "keep", "Remember rivers"]);
    assert!(done.status.success(), "{}", said(&done));
    let kept = std::fs::read_to_string(world.home().join("memory.json")).unwrap();
    assert!(kept.contains("river"), "{kept}");
    let logged = said(&world.amelia(&["logs", &world.run_id(), "--json"]));
    assert!(logged.contains("memory:create_entities") && logged.contains("memory:read_graph"), "{logged}");
    assert_eq!(orphans(&world.run_id()), [""; 0], "its server has ended with it");
    // Neither the server nor its description is needed any more.
    std::fs::remove_file(file).unwrap();
    let replayed = world.amelia(&["replay", &world.run_id()]);
    assert!(replayed.status.success(), "{}", said(&replayed));
}

#[test]
fn tools_and_servers_that_do_not_exist_are_named_before_a_model_is_called() {
    let Some(installed) = set_up_here("setup-mcp.sh", "the MCP servers") else { return };
    let run = |world: &World| said(&world.amelia(&["workflow", "run", "keep", "x"]));
    let unknown = world("\"memory:fly\"");
    configure(&unknown, &installed);
    let refused = run(&unknown);
    assert!(refused.contains("the MCP server `memory` has no tool `fly`"), "{refused}");
    assert!(refused.contains("it has create_entities"), "{refused}");
    let nowhere = run(&world("\"memory:*\""));
    let expected = "keep.yaml:6:23: nodes.read.tool: there is no MCP server `memory`";
    assert!(nowhere.contains(expected), "{nowhere}");
}

/// A profile whose agents have the tools of the memory server.
fn profile(world: &World) -> String {
    let agent = json!({"driver": "api", "model": "keeper",
        "options": {"provider": "openai-compatible", "base_url": format!("{}/v1", world.server.url())}});
    let profile = json!({"name": "keeping", "repo_root": world.repository(),
        "agents": {"developer": agent}, "mcp_tools": ["memory:*"]});
    let file = world.home().join("keeping.yaml");
    std::fs::write(&file, profile.to_string()).unwrap();
    let applied = world.amelia(&["config", "profile", "apply", "-f", file.to_str().unwrap()]);
    assert!(applied.status.success(), "{}", said(&applied));
    "keeping".to_owned()
}

#[test]
fn the_agents_of_a_profile_call_tools_of_mcp_servers() {
    let Some(installed) = set_up_here("setup-mcp.sh", "the MCP servers") else { return };
    let world = world("");
    let file = configure(&world, &installed);
    let profile = profile(&world);
    let done = world.amelia(&["do", "--profile", &profile, "Remember rivers"]);
    assert!(done.status.success() && said(&done).contains("kept"), "{}", said(&done));
    let kept = std::fs::read_to_string(world.home().join("memory.json")).unwrap();
    assert!(kept.contains("river"), "{kept}");
    assert_eq!(orphans(&world.run_id()), [""; 0], "its server has ended with it");
    std::fs::remove_file(&file).unwrap();
    let replayed = world.amelia(&["replay", &world.run_id()]);
    assert!(said(&replayed).contains("the same"), "{}", said(&replayed));
    // An agent that only reads gets only the tools that do.
    configure(&world, &installed);
    world.amelia(&["do", "--read-only", "--profile", &profile, "What is known?"]);
    let asked = world.server.requests().last().unwrap().body.to_string();
    assert!(asked.contains("memory__read_graph") && !asked.contains("memory__create_entities"), "{asked}");
}
