//! A tool of an MCP server that never answers: another one answers in its place, in time, and the trace says why.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::world::World;

const MODELS: &str = r#"
rules:
  - when: { model: helper, turn: 0 }
    reply: { tool_calls: [{ name: own__slow, args: {} }] }
  - when: { model: helper, last: quick was called }
    reply: { text: it is found }
"#;

/// `slow` hangs, `quick` does not.
const SERVER: &str = r#"
import { createInterface } from 'node:readline';
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const tools = ['slow', 'quick'].map((name) => ({ name, inputSchema: { type: 'object' } }));
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') {
    const serverInfo = { name: 'own', version: '1' };
    say({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } });
  } else if (method === 'tools/list') {
    say({ id, result: { tools } });
  } else if (method === 'tools/call' && params.name === 'quick') {
    say({ id, result: { content: [{ type: 'text', text: 'quick was called' }] } });
  } else if (method !== 'tools/call' && id !== undefined) {
    say({ id, error: { code: -32601, message: 'no such method' } });
  }
});
"#;

fn said(output: &std::process::Output) -> String {
    String::from_utf8([output.stdout.as_slice(), output.stderr.as_slice()].concat()).unwrap()
}

fn world() -> World {
    let world = World::new(MODELS);
    configure(&world, SERVER, |script| {
        json!({
            "servers": {"own": {"transport": "stdio", "config": {"command": "node", "args": [script]}}},
            "tool_overrides": {
                "own:slow": {"timeout_seconds": 1, "risk": "read", "fallback_tools": ["own:quick"]},
                "own:quick": {"risk": "read"},
            },
        })
    });
    apply(&world, &["own:*"]);
    world
}

/// Describes servers of this program in the home.
fn configure(world: &World, program: &str, servers: impl FnOnce(&Path) -> serde_json::Value) {
    let script = world.home().join("server.mjs");
    let config = world.home().join("config");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(&script, program).unwrap();
    std::fs::write(config.join("mcp_servers.yaml"), servers(&script).to_string()).unwrap();
}

/// Keeps a profile whose agents have these tools.
fn apply(world: &World, tools: &[&str]) {
    let agent = json!({"driver": "api", "model": "helper",
        "options": {"provider": "openai-compatible", "base_url": format!("{}/v1", world.server.url())}});
    let profile = json!({"name": "own", "repo_root": world.repository(), "agents": {"developer": agent},
        "mcp_tools": tools});
    let file = world.home().join("own.yaml");
    std::fs::write(&file, profile.to_string()).unwrap();
    let applied = world.amelia(&["config", "profile", "apply", "-f", file.to_str().unwrap()]);
    assert!(applied.status.success(), "{}", said(&applied));
}

#[test]
fn two_servers_with_one_tool_name_are_told_apart() {
    let script = "\
rules:
  - when: { model: helper, turn: 0 }
    reply: { tool_calls: [{ name: left__look, args: {} }, { name: right__look, args: {} }] }
  - when: { model: helper, turn: 1 }
    reply: { tool_calls: [{ name: middle__look, args: {} }] }
  - when: { model: helper, last: there is no tool }
    reply: { text: there are two of them }
";
    let world = World::new(script);
    let text = SERVER
        .replace("'slow', 'quick'", "'look'")
        .replace("params.name === 'quick'", "params.name === 'look'")
        .replace("'quick was called'", "`${process.argv[2]} looked`");
    configure(&world, &text, |script| {
        let server =
            |name: &str| json!({"transport": "stdio", "config": {"command": "node", "args": [script, name]}});
        json!({"servers": {"left": server("left"), "right": server("right")}})
    });
    apply(&world, &["left:*", "right:look"]);
    let done = said(&world.amelia(&["do", "--profile", "own", "Look"]));
    assert!(done.contains("there are two of them"), "{done}");
    let bodies: Vec<String> =
        world.server.requests().iter().map(|request| request.body.to_string()).collect();
    assert!(bodies[0].contains("left__look") && bodies[0].contains("right__look"), "{}", bodies[0]);
    let (left, right) = (bodies[1].find("left looked"), bodies[1].find("right looked"));
    assert!(left.is_some() && right.is_some() && left < right, "each has its own: {}", bodies[1]);
    let last = bodies.last().unwrap();
    assert!(
        last.matches("looked").count() == 2,
        "a call that names neither of them is not guessed at: {last}"
    );
}

#[test]
fn a_tool_that_times_out_is_replaced_and_the_trace_says_why() {
    let world = world();
    let begun = Instant::now();
    let done = said(&world.amelia(&["do", "--profile", "own", "Find it"]));
    assert!(done.contains("it is found"), "{done}");
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    let trace = said(&world.amelia(&["trace", "show", "r1"]));
    assert!(trace.contains("own:slow {} ✓") && !trace.contains("✓ 0."), "it took its time: {trace}");
    let traced: serde_json::Value =
        serde_json::from_slice(&world.amelia(&["trace", "show", "r1", "--json"]).stdout).unwrap();
    let traced = traced.to_string();
    assert!(traced.contains("own:slow: timed out after 1 s (tried 3 times)"), "{traced}");
    assert!(traced.contains("(answered by own:quick)"), "{traced}");
    let replayed = said(&world.amelia(&["replay", "r1"]));
    assert!(replayed.contains("the same"), "{replayed}");
}
