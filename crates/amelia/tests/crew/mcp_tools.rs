//! Tools of MCP servers in the main job and in a review: for agents that work all of them, for agents that look those that only
//! read.

use serde_json::{Value, json};

use crate::crew::{ARCHITECT, DEVELOPER, ROLES, cast_profile, logs, start};
use crate::world::{World, text};

/// A server with a tool that reads and one that does not.
const SERVER: &str = r#"
import { createInterface } from 'node:readline';
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const inputSchema = { type: 'object' };
const tools = [{ name: 'read', inputSchema, annotations: { readOnlyHint: true } }, { name: 'write', inputSchema }];
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') {
    const serverInfo = { name: 'notes', version: '1' };
    say({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } });
  } else if (method === 'tools/list') {
    say({ id, result: { tools } });
  } else if (method === 'tools/call') {
    say({ id, result: { content: [{ type: 'text', text: `${params.name} was called` }] } });
  } else if (id !== undefined) {
    say({ id, error: { code: -32601, message: 'no such method' } });
  }
});
"#;

const WRITES: &str = r#####"
  - when: { model: developer, text: "### Task 1:", turn: 0 }
    reply: { tool_calls: [{ name: notes__write, args: {} }] }
  - when: { model: developer, text: "### Task 1:", turn: 1, last: write was called }
    reply: { tool_calls: [{ name: edit_file, args: { path: calc.sh, edits: [{ old: '$1 - $2', new: '$1 + $2' }] } }] }
  - when: { model: developer, text: "### Task 1:", turn: 2 }
    reply: { text: It adds now. }
"#####;

const READS: &str = r#####"
  - when: { model: reviewer, turn: 0 }
    reply: { tool_calls: [{ name: notes__read, args: {} }] }
  - when: { model: reviewer, turn: 1, last: read was called }
    reply: { tool_calls: [{ name: submit_review, args: { approved: true, severity: none, comments: [] } }] }
"#####;

/// A world whose home has the server, and whose profile gives its tools to all agents.
fn world() -> World {
    let world = World::new(&format!("rules:\n{}", [ARCHITECT, WRITES, DEVELOPER, READS].concat()));
    let config = world.home().join("config");
    std::fs::create_dir_all(&config).unwrap();
    let script = config.join("notes.mjs");
    std::fs::write(&script, SERVER).unwrap();
    let servers = json!({"servers": {"notes": {"transport": "stdio", "trusted": true,
        "config": {"command": "node", "args": [script]}}}});
    std::fs::write(config.join("mcp_servers.yaml"), servers.to_string()).unwrap();
    cast_profile(&world, &ROLES, "repo_root", "mcp_tools: [\"notes:*\"]");
    world
}

/// Which tools of the server the agents of a role were offered: that which reads, that which writes.
fn offered(world: &World, role: &str) -> (bool, bool) {
    let requests = world.server.requests();
    let mut of_role = requests.iter().map(|request| &request.body).filter(|body| body["model"] == role);
    let tools = of_role.next_back().unwrap()["tools"].to_string();
    (tools.contains("notes__read"), tools.contains("notes__write"))
}

fn results(world: &World) -> Vec<String> {
    let logged = text(&world.amelia(&["logs", &world.run_id(), "--json"]).stdout);
    let events = logged.lines().map(|line| serde_json::from_str::<Value>(line).unwrap().to_string());
    events.filter(|event| event.contains(" was called")).collect()
}

#[test]
fn agents_of_the_main_job_have_the_tools_of_servers_and_a_replay_needs_no_server() {
    let world = world();
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}\n{}", text(&output.stderr), logs(&world));
    assert_eq!(offered(&world, "developer"), (true, true));
    for role in ["architect", "reviewer"] {
        assert_eq!(offered(&world, role), (true, false), "{role}");
    }
    let results = results(&world);
    assert!(results.iter().any(|result| result.contains("write was called")), "{results:#?}");
    assert!(results.iter().any(|result| result.contains("read was called")), "{results:#?}");
    assert!(world.git(&["show", "amelia/s-1:calc.sh"]).contains("$1 + $2"));
    std::fs::remove_file(world.home().join("config/mcp_servers.yaml")).unwrap();
    let asked = world.server.requests().len();
    let replayed = text(&world.amelia(&["replay", &world.run_id()]).stdout);
    assert!(replayed.contains("the same"), "{replayed}");
    assert_eq!(world.server.requests().len(), asked, "no model is asked");
}

#[test]
fn a_reviewer_of_local_changes_has_the_tools_that_read() {
    let world = world();
    std::fs::write(world.repository().join("note.txt"), "new\n").unwrap();
    let reviewed = world.amelia(&["review"]);
    assert!(reviewed.status.success(), "{}{}", text(&reviewed.stdout), text(&reviewed.stderr));
    assert_eq!(offered(&world, "reviewer"), (true, false));
    assert!(results(&world).iter().any(|result| result.contains("read was called")));
}
