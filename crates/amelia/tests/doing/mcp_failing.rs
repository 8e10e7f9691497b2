//! A tool of an MCP server that never answers: another one answers in its place, in time, and the trace says why.

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
    let server = world.home().join("server.mjs");
    let config = world.home().join("config");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(&server, SERVER).unwrap();
    let servers = json!({
        "servers": {"own": {"transport": "stdio", "config": {"command": "node", "args": [server]}}},
        "tool_overrides": {
            "own:slow": {"timeout_seconds": 1, "risk": "read", "fallback_tools": ["own:quick"]},
            "own:quick": {"risk": "read"},
        },
    });
    std::fs::write(config.join("mcp_servers.yaml"), servers.to_string()).unwrap();
    let agent = json!({"driver": "api", "model": "helper",
        "options": {"provider": "openai-compatible", "base_url": format!("{}/v1", world.server.url())}});
    let profile = json!({"name": "own", "repo_root": world.repository(), "agents": {"developer": agent},
        "mcp_tools": ["own:*"]});
    let file = world.home().join("own.yaml");
    std::fs::write(&file, profile.to_string()).unwrap();
    let applied = world.amelia(&["config", "profile", "apply", "-f", file.to_str().unwrap()]);
    assert!(applied.status.success(), "{}", said(&applied));
    world
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
