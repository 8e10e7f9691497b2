//! A real MCP server asks a person in the middle of a tool call: the run waits, survives, and the server gets the answer.

use std::path::Path;

use serde_json::json;

use crate::programs::set_up_here;
use crate::world::{World, until};

const MODELS: &str = r#"
rules:
  - when: { model: asker, turn: 0 }
    reply: { tool_calls: [{ name: everything__trigger-elicitation-request, args: {} }] }
  - when: { model: asker, text: "Name: Ada" }
    reply: { text: she is Ada }
  - when: { model: asker, text: "User declined" }
    reply: { text: she will not say }
"#;

const SAMPLED_MODELS: &str = r#"
rules:
  - when: { model: asker, text: "LLM sampling result" }
    reply: { text: the server knows }
  - when: { model: asker, text: "What colour is the sea?" }
    reply: { text: Blue as ink. }
  - when: { model: asker, text: "Ask it" }
    reply:
      tool_calls:
        - name: everything__trigger-sampling-request
          args: { prompt: "What colour is the sea?", maxTokens: 50 }
"#;

fn world(installed: &Path) -> World {
    world_with(installed, MODELS, "everything:trigger-elicitation-request", false)
}

/// The server, described in the home, and a profile that offers its tool.
fn world_with(installed: &Path, models: &str, tool: &str, sampling: bool) -> World {
    let world = World::new(models);
    let script = installed.join("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    let server = json!({"transport": "stdio", "sampling": sampling,
        "config": {"command": "node", "args": [script]}});
    let write = |path: std::path::PathBuf, text: String| {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write(
        world.home().join("config/mcp_servers.yaml"),
        json!({"servers": {"everything": server}}).to_string(),
    );
    let agent = json!({"driver": "api", "model": "asker",
        "options": {"provider": "openai-compatible", "base_url": format!("{}/v1", world.server.url())}});
    let profile = json!({"name": "asking", "repo_root": world.repository(), "agents": {"developer": agent},
        "mcp_tools": [tool]});
    let file = world.home().join("asking.yaml");
    write(file.clone(), profile.to_string());
    let applied = world.amelia(&["config", "profile", "apply", "-f", file.to_str().unwrap()]);
    assert!(applied.status.success(), "{}", said(&applied));
    world
}

fn said(output: &std::process::Output) -> String {
    String::from_utf8([output.stdout.as_slice(), output.stderr.as_slice()].concat()).unwrap()
}

#[test]
fn a_server_asks_the_person_and_the_run_is_replayed_without_it() {
    let Some(installed) = set_up_here("setup-mcp.sh", "the MCP servers") else { return };
    let world = world(&installed);
    let asked = said(&world.amelia(&["do", "--profile", "asking", "Who is she?"]));
    assert!(asked.contains("The MCP server `everything` asks: Please provide inputs"), "{asked}");
    let inbox = said(&world.amelia(&["inbox"]));
    assert!(inbox.contains("everything"), "{inbox}");
    let run = world.run_id();
    let refused = said(&world.amelia(&["answer", &run, "name=Ada\ninteger=1000"]));
    assert!(refused.contains("`integer` must be at most 100"), "{refused}");
    let done = said(&world.amelia(&["answer", &run, "name=Ada"]));
    assert!(done.contains("she is Ada"), "{done}");
    let logged = said(&world.amelia(&["logs", &run, "--json"]));
    assert!(logged.contains("Favorite Integer: 42"), "{logged}");
    std::fs::remove_file(world.home().join("config/mcp_servers.yaml")).unwrap();
    let replayed = said(&world.amelia(&["replay", &run]));
    assert!(replayed.contains("the same"), "{replayed}");
}

#[test]
fn a_question_survives_a_kill_and_its_call_is_made_again_once() {
    let Some(installed) = set_up_here("setup-mcp.sh", "the MCP servers") else { return };
    let world = world(&installed);
    let presence = || {
        let text = std::fs::read(world.home().join("server.json")).ok()?;
        serde_json::from_slice::<serde_json::Value>(&text).ok()?["pid"].as_u64()
    };
    let serve = || {
        let server = world.start(&["server"]);
        until("the server is there", || presence() == Some(u64::from(server.id())));
        server
    };
    let question = || {
        let open = world.amelia(&["inbox", "--json"]);
        let open: serde_json::Value = serde_json::from_slice(&open.stdout).unwrap();
        assert_eq!(open.as_array().unwrap().len(), 1, "{open}");
        open[0]["request_id"].as_str().unwrap().to_owned()
    };
    let mut server = serve();
    let asked = said(&world.amelia(&["do", "--profile", "asking", "Who is she?"]));
    assert!(asked.contains("The MCP server `everything` asks: Please provide inputs"), "{asked}");
    let before = question();
    server.kill().unwrap();
    server.wait().unwrap();
    let mut server = serve();
    assert_eq!(question(), before, "it is the same question, asked once");
    let run = world.run_id();
    let done = said(&world.amelia(&["answer", &run, "name=Ada", "--wait"]));
    assert!(done.contains("she is Ada"), "{done}");
    let again = world.amelia(&["answer", &run, "name=Eve"]);
    assert!(!again.status.success(), "{}", said(&again));
    let logged = said(&world.amelia(&["logs", &run, "--json"]));
    let count = |words: &str| logged.lines().filter(|line| line.contains(words)).count();
    assert_eq!(count("Favorite Integer: 42"), 1, "the call has one result: {logged}");
    assert!(!logged.contains("outcome unknown"), "{logged}");
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn a_call_of_a_person_is_not_asked_back() {
    let Some(installed) = set_up_here("setup-mcp.sh", "the MCP servers") else { return };
    let world = world(&installed);
    let called = said(&world.amelia(&["mcp", "call", "everything:trigger-elicitation-request", "{}"]));
    assert!(called.contains("User declined"), "{called}");
    assert!(called.contains("which was declined: there is no person to ask"), "{called}");
}

#[test]
fn a_server_that_may_is_answered_by_the_model_of_the_agent_and_replayed_without_both() {
    let Some(installed) = set_up_here("setup-mcp.sh", "the MCP servers") else { return };
    let tool = "everything:trigger-sampling-request";
    let world = world_with(&installed, SAMPLED_MODELS, tool, true);
    let done = said(&world.amelia(&["do", "--profile", "asking", "Ask it"]));
    assert!(done.contains("the server knows"), "{done}");
    let run = world.run_id();
    let logged = said(&world.amelia(&["logs", &run, "--json"]));
    let returned = logged.lines().find(|line| line.contains("LLM sampling result")).unwrap();
    assert!(returned.contains("Blue as ink."), "{returned}");
    std::fs::remove_file(world.home().join("config/mcp_servers.yaml")).unwrap();
    let replayed = said(&world.amelia(&["replay", &run]));
    assert!(replayed.contains("the same"), "{replayed}");

    let refused = world_with(&installed, SAMPLED_MODELS, tool, false);
    let done = refused.amelia(&["do", "--profile", "asking", "Ask it"]);
    assert!(!done.status.success() && said(&done).contains("trigger-sampling-request"), "{}", said(&done));
}
