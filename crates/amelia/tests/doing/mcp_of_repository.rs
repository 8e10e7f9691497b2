//! MCP servers that a repository describes: refused until a person trusts them, and again after a change. And a server
//! whose tools change in the middle of a run.

use serde_json::json;

use crate::world::World;

const MODELS: &str = r#"
rules:
  - when: { model: helper, turn: 0 }
    reply: { tool_calls: [{ name: own__first, args: {} }] }
  - when: { model: helper, turn: 1 }
    reply: { tool_calls: [{ name: own__second, args: {} }] }
  - when: { model: helper, text: second was called }
    reply: { text: both are called }
"#;

/// A server with one tool, which brings a second one.
const SERVER: &str = r#"
import { createInterface } from 'node:readline';
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
let names = ['first'];
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') {
    const serverInfo = { name: 'own', version: '1' };
    say({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: { listChanged: true } }, serverInfo } });
  } else if (method === 'tools/list') {
    say({ id, result: { tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) } });
  } else if (method === 'tools/call') {
    names = ['second'];
    if (params.name === 'first') say({ method: 'notifications/tools/list_changed' });
    say({ id, result: { content: [{ type: 'text', text: `${params.name} was called` }] } });
  } else if (id !== undefined) {
    say({ id, error: { code: -32601, message: 'no such method' } });
  }
});
"#;

fn said(output: &std::process::Output) -> String {
    String::from_utf8([output.stdout.as_slice(), output.stderr.as_slice()].concat()).unwrap()
}

/// A repository that describes a server, and a profile whose agents use it.
fn world(scope: &str) -> World {
    let world = World::new(MODELS);
    let servers = json!({"servers": {"own": {"transport": "stdio", "scope": scope,
        "config": {"command": "node", "args": ["tools/server.mjs"]}}}});
    for (file, text) in [("tools/server.mjs", SERVER), (".amelia/mcp_servers.yaml", &servers.to_string())] {
        let path = world.repository().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let agent = json!({"driver": "api", "model": "helper",
        "options": {"provider": "openai-compatible", "base_url": format!("{}/v1", world.server.url())}});
    let profile = json!({"name": "own", "repo_root": world.repository(), "agents": {"developer": agent},
        "mcp_tools": ["own:*"]});
    let file = world.home().join("own.yaml");
    std::fs::create_dir_all(world.home()).unwrap();
    std::fs::write(&file, profile.to_string()).unwrap();
    let applied = world.amelia(&["config", "profile", "apply", "-f", file.to_str().unwrap()]);
    assert!(applied.status.success(), "{}", said(&applied));
    world
}

#[test]
fn the_servers_of_a_repository_run_only_after_trust() {
    let world = world("run");
    let start = || said(&world.amelia(&["do", "--profile", "own", "Call both"]));
    let refused = start();
    assert!(refused.contains("`own` is described in this repository, and not trusted"), "{refused}");
    assert!(refused.contains("amelia trust"), "{refused}");
    assert_eq!(world.server.requests().len(), 0, "no model was asked");
    let listed = said(&world.amelia(&["mcp", "list"]));
    assert!(listed.contains("own") && listed.contains("(not trusted: amelia trust)"), "{listed}");
    // Without a terminal, no person can be asked.
    let asked = world.amelia(&["trust"]);
    assert!(!asked.status.success());
    let shown = said(&asked);
    assert!(shown.contains("node ") && shown.contains("uses the file tools/server.mjs"), "{shown}");
    assert!(start().contains("not trusted"));
    assert!(world.amelia(&["trust", "--yes"]).status.success());
    let listed = said(&world.amelia(&["trust", "--list"]));
    assert!(listed.starts_with("trusted"), "{listed}");
    let done = start();
    assert!(done.contains("both are called"), "{done}");
    std::fs::write(world.repository().join("tools/server.mjs"), format!("{SERVER}// changed")).unwrap();
    let changed = start();
    assert!(changed.contains("has changed since you trusted it"), "{changed}");
    assert!(said(&world.amelia(&["trust", "--list"])).starts_with("changed"));
    assert!(world.amelia(&["trust", "--revoke"]).status.success());
    assert!(start().contains("not trusted"));
}

#[test]
fn a_server_of_a_repository_gets_only_variables_that_the_home_names() {
    let world = world("run");
    let config = world.repository().join(".amelia/mcp_servers.yaml");
    let mut servers: serde_json::Value = serde_json::from_slice(&std::fs::read(&config).unwrap()).unwrap();
    servers["servers"]["own"]["config"]["env"] = json!({"TOKEN": "${SAMPLE_KEY}"});
    std::fs::write(&config, servers.to_string()).unwrap();
    assert!(world.amelia(&["trust", "--yes"]).status.success());
    let start = || said(&world.amelia(&["do", "--profile", "own", "Call both"]));
    let refused = start();
    assert!(refused.contains("the MCP server `own` may not use `${SAMPLE_KEY}`"), "{refused}");
    assert!(refused.contains("add SAMPLE_KEY to `mcp_envs` in config/mcp_servers.yaml"), "{refused}");
    std::fs::create_dir_all(world.home().join("config")).unwrap();
    std::fs::write(world.home().join("config/mcp_servers.yaml"), "mcp_envs: [SAMPLE_KEY]\n").unwrap();
    let done = start();
    assert!(done.contains("both are called"), "{done}");
    servers["mcp_envs"] = json!(["SAMPLE_KEY"]);
    std::fs::write(&config, servers.to_string()).unwrap();
    let refused = start();
    assert!(refused.contains("`mcp_envs` has a meaning only in the home"), "{refused}");
}

#[test]
fn the_next_turn_has_the_tools_that_a_server_has_then_and_so_has_a_replay() {
    for scope in ["run", "server"] {
        let world = world(scope);
        assert!(world.amelia(&["trust", "--yes"]).status.success());
        let done = said(&world.amelia(&["do", "--profile", "own", "Call both"]));
        assert!(done.contains("both are called"), "{scope}: {done}");
        let offered =
            |request: usize, tool: &str| world.server.requests()[request].body.to_string().contains(tool);
        assert!(offered(0, "own__first") && !offered(0, "own__second"), "{scope}");
        assert!(offered(1, "\"own__second\"") && offered(2, "\"own__second\""), "{scope}");
        let logged = said(&world.amelia(&["logs", &world.run_id(), "--json"]));
        assert!(
            logged.contains("the tools of MCP servers have changed: added own:second; removed own:first"),
            "{logged}"
        );
        std::fs::remove_file(world.repository().join(".amelia/mcp_servers.yaml")).unwrap();
        let replayed = said(&world.amelia(&["replay", &world.run_id()]));
        assert!(replayed.contains("the same"), "{scope}: {replayed}");
    }
}
