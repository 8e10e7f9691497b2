//! Tools that a team brings: programs of a repository, which run only after trust, and tools of MCP servers under a name of the
//! team.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::json;

use crate::team_examples::{read, result, with_team};
use crate::workflows::{exit, said};
use crate::world::World;

fn counted() -> World {
    let team = read("counted.yaml");
    with_team("counted", &team, &read("counted.script.yaml"))
}

#[test]
fn programs_of_a_repository_run_only_after_trust_and_again_after_a_change() {
    let world = counted();
    let revoked = world.amelia(&["trust", "--revoke"]);
    assert_eq!(exit(&revoked), 0, "{}", said(&revoked));
    let start = || world.amelia(&["team", "run", "counted", "About rivers"]);
    let refused = said(&start());
    assert!(
        refused.contains("the tool `count_words` of the team `counted` comes with this repository"),
        "{refused}"
    );
    assert!(refused.contains("amelia trust"), "{refused}");
    assert_eq!(world.server.requests().len(), 0, "no model was asked");
    let shown = said(&world.amelia(&["trust"]));
    assert!(shown.contains("count_words of counted  tools/count.py count_words  (risk: read)"), "{shown}");
    assert_eq!(exit(&world.amelia(&["trust", "--yes"])), 0);
    assert!(said(&world.amelia(&["trust"])).contains("already"));
    assert!(said(&world.amelia(&["trust", "--list"])).starts_with("trusted"));
    let run = start();
    assert_eq!((exit(&run), result(&world)), (0, json!("Rivers carve valleys.")), "{}", said(&run));
    let teams = world.repository().join(".amelia/teams");
    // The program itself, and what the team says about it.
    for (file, from, to) in
        [("tools/count.py", "len(", "10 * len("), ("counted.yaml", "risk: read", "risk: write")]
    {
        let before = std::fs::read_to_string(teams.join(file)).unwrap();
        std::fs::write(teams.join(file), before.replace(from, to)).unwrap();
        let refused = said(&start());
        assert!(refused.contains("has changed since you trusted it"), "{file}: {refused}");
        assert!(said(&world.amelia(&["trust", "--list"])).starts_with("changed"), "{file}");
        std::fs::write(teams.join(file), before).unwrap();
    }
    assert_eq!(exit(&start()), 0, "all is as it was");
}

#[test]
fn a_result_that_is_not_what_the_program_promises_is_an_error_that_the_model_reads() {
    let script = "\
rules:
  - when: { model: writer, last: does not match the output schema }
    reply: { text: It counts no words. }
  - when: { model: writer }
    reply: { tool_calls: [{ name: count_words, args: { text: Rivers } }] }
";
    let team = read("counted.yaml").replace("words: { type: integer }", "words: { type: string }");
    let world = with_team("counted", &team, script);
    let run = world.amelia(&["team", "run", "counted", "About rivers"]);
    assert_eq!((exit(&run), result(&world)), (0, json!("It counts no words.")), "{}", said(&run));
}

#[test]
fn a_team_that_has_no_directory_cannot_have_programs() {
    let world = counted();
    let file = world.repository().join(".amelia/teams/counted.yaml");
    let run = world.amelia(&["team", "run", file.to_str().unwrap(), "About rivers"]);
    assert_eq!(exit(&run), 2, "{}", said(&run));
    assert!(said(&run).contains("only a team file in `.amelia/teams` or in the home"), "{}", said(&run));
    let program = world.repository().join(".amelia/teams/tools/count.sh");
    std::fs::write(&program, "#!/bin/sh\ncat\n").unwrap();
    let team = std::fs::read_to_string(&file).unwrap().replace("count.py", "count.sh");
    std::fs::write(&file, team).unwrap();
    let checked = world.amelia(&["team", "validate", "counted"]);
    assert!(said(&checked).contains("`tools/count.sh` is not executable"), "{}", said(&checked));
}

/// A server with three tools, on a port that it prints.
const SERVER: &str = r#"
import { createServer } from 'node:http';
const answers = {
  initialize: () => ({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'own', version: '1' } }),
  'tools/list': () => ({ tools: ['read_page', 'read_index', 'write_page'].map((name) => ({ name,
    inputSchema: { type: 'object' },
    outputSchema: { type: 'object', properties: { page: { type: 'integer' } }, required: ['page'] } })) }),
  'tools/call': ({ name }) => ({ content: [{ type: 'text', text: `${name} was called` }],
    structuredContent: { page: name === 'read_page' ? 7 : 'seven' } }),
};
const server = createServer((request, response) => {
  let text = '';
  request.on('data', (piece) => { text += piece; });
  request.on('end', () => {
    const { id, method, params } = text ? JSON.parse(text) : {};
    if (request.method !== 'POST') return response.writeHead(405).end();
    if (id === undefined) return response.writeHead(202).end();
    const result = answers[method]?.(params);
    const error = { code: -32601, message: 'no such method' };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }));
  });
}).listen(0, '127.0.0.1', () => console.log(server.address().port));
"#;

struct HttpServer {
    process: Child,
    url: String,
}

impl HttpServer {
    fn start() -> Self {
        let mut command = Command::new("node");
        command.args(["--input-type=module", "-e", SERVER]).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut port = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut port).unwrap();
        Self { process, url: format!("http://127.0.0.1:{}/mcp", port.trim()) }
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

const PAGES: &str = "\
rules:
  - when: { model: writer, turn: 0 }
    reply: { tool_calls: [{ name: pages__read_page, args: {} }] }
  - when: { model: writer, last: read_page was called }
    reply: { tool_calls: [{ name: pages__read_index, args: {} }] }
  - when: { model: writer, last: does not match the output schema }
    reply: { text: Both pages are read. }
";

fn pages_team(tool: &str, listed: &str) -> String {
    let agent = "tools: [count_words]";
    let team = read("counted.yaml");
    let team = team.replace(agent, &format!("tools: [{listed}]"));
    let (before, _) = team.split_once("tools:\n").unwrap();
    format!("{before}tools:\n  - {tool}\n")
}

#[test]
fn a_team_names_a_server_by_its_address_and_chooses_among_its_tools() {
    let server = HttpServer::start();
    let tool = format!(
        "{{ name: pages, type: mcp, server_url: \"{}\", config: {{ tools: [read_*] }} }}",
        server.url
    );
    let world = with_team("counted", &pages_team(&tool, "pages"), PAGES);
    let revoked = world.amelia(&["trust", "--revoke"]);
    assert_eq!(exit(&revoked), 0, "{}", said(&revoked));
    let refused = said(&world.amelia(&["team", "run", "counted", "Read"]));
    assert!(refused.contains("the tool `pages` of the team `counted` comes with"), "{refused}");
    let shown = said(&world.amelia(&["trust", "--yes"]));
    assert!(shown.contains(&server.url), "{shown}");
    let run = world.amelia(&["team", "run", "counted", "Read"]);
    assert_eq!((exit(&run), result(&world)), (0, json!("Both pages are read.")), "{}", said(&run));
    let request = world.server.requests()[0].body.to_string();
    assert!(request.contains("pages__read_page") && request.contains("pages__read_index"), "{request}");
    assert!(!request.contains("write_page"), "config.tools leaves it out: {request}");
    drop(server);
    let replayed = world.amelia(&["replay", &world.run_id()]);
    assert!(said(&replayed).contains("the same"), "{}", said(&replayed));
}

#[test]
fn a_team_gives_tools_of_a_configured_server_a_name() {
    let server = HttpServer::start();
    let script = "\
rules:
  - when: { model: writer, turn: 0 }
    reply: { tool_calls: [{ name: pages__read_page, args: {} }] }
  - when: { model: writer, last: read_page was called }
    reply: { text: One page is read. }
";
    let tool = "{ name: books, type: mcp, config: { server: pages, tools: [read_*] } }";
    let world = with_team("counted", &pages_team(tool, "'books:read_page'"), script);
    let pages = json!({"transport": "streamable-http", "config": {"url": server.url}});
    let servers = json!({"servers": {"pages": pages}});
    std::fs::create_dir_all(world.home().join("config")).unwrap();
    std::fs::write(world.home().join("config/mcp_servers.yaml"), servers.to_string()).unwrap();
    let run = world.amelia(&["team", "run", "counted", "Read"]);
    assert_eq!((exit(&run), result(&world)), (0, json!("One page is read.")), "{}", said(&run));
    let request = world.server.requests()[0].body.to_string();
    assert!(request.contains("pages__read_page") && !request.contains("read_index"), "{request}");
    let file = world.repository().join(".amelia/teams/counted.yaml");
    let team = std::fs::read_to_string(&file).unwrap().replace("books:read_page", "books:write_page");
    std::fs::write(&file, team).unwrap();
    let checked = world.amelia(&["team", "validate", "counted"]);
    assert!(said(&checked).contains("`books` does not offer `write_page`"), "{}", said(&checked));
}
