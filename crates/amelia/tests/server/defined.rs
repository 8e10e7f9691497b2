//! Definitions and MCP servers of a real home, over HTTP.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::looked_at::signed_in;
use crate::process::{Home, Server, text};
use crate::programs::set_up_here;

const AGENT: &str = "name: writer\nrole: writes\nsystem_prompt: Write.\n\
                     llm_config: { endpoint: http://127.0.0.1:1/v1, model: m }\n";
const FLOW: &str = "name: essay\ndescription: Writes an essay.\nentry_point: write\nnodes:\n  \
                    write: { type: agent, agent: writer, inputs: [topic], outputs: [essay] }\n  \
                    save: { type: tool, tool: write_file, arguments: { path: a.txt, content: \"{{ state.essay }}\" } }\n\
                    edges:\n  - { from: write, to: save }\n";

fn repository(home: &Home) -> String {
    let sample = home.path().join("sample");
    assert!(Command::new("git").args(["init", "--quiet"]).arg(&sample).status().unwrap().success());
    sample.display().to_string()
}

/// A repository in which runs can start.
fn committed(home: &Home) -> String {
    let sample = repository(home);
    let commit =
        ["-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "--quiet", "--allow-empty", "-m", "first"];
    assert!(Command::new("git").args(["-C", &sample]).args(commit).status().unwrap().success());
    sample
}

#[test]
fn workflows_and_agents_are_shown_with_their_problems_and_checked_as_they_are_typed() {
    let home = Home::new();
    let sample = repository(&home);
    home.write("agents/writer.yaml", AGENT);
    home.write("workflows/essay.yaml", FLOW);
    home.write("sample/.amelia/workflows/broken.yaml", &FLOW.replace("agent: writer", "agent: wrter"));
    let server = Server::start(&home, &mut home.command(&["server", "--port", "0"]));
    let get = |path: &str| server.ask("GET", path, &signed_in(&home)).1;

    let listed = get("/api/graphs");
    assert_eq!(listed["items"].as_array().unwrap().len(), 1, "{listed}");
    let essay = get("/api/graphs/essay");
    assert_eq!((&essay["source"], &essay["problems"]), (&json!("home"), &json!([])), "{essay}");
    assert_eq!((&essay["description"], &essay["inputs"]), (&json!("Writes an essay."), &json!(["topic"])));
    assert_eq!((&essay["text"], &essay["graph"]["nodes"]), (&json!(FLOW), &json!(["save", "write"])));
    assert_eq!(essay["definition"]["nodes"]["write"]["agent"], "writer");

    let of_sample = format!("worktree_path={sample}");
    let listed = get(&format!("/api/graphs?{of_sample}"));
    let names: Vec<&Value> = listed["items"].as_array().unwrap().iter().map(|item| &item["name"]).collect();
    assert_eq!(names, ["broken", "essay"]);
    let broken = &listed["items"][0];
    assert_eq!((&broken["source"], &broken["graph"]), (&json!("repository"), &json!(null)));
    let problems = broken["problems"].as_array().unwrap();
    let at = |path: &str| problems.iter().find(|problem| problem["path"] == path).unwrap();
    assert_eq!((at("name")["line"].clone(), at("name")["column"].clone()), (json!(1), json!(1)));
    assert_eq!(at("nodes.write.agent")["line"], 5, "{broken}");

    let check = |name: &str, text: &str| {
        let body = json!({"text": text, "worktree_path": sample});
        server.send("POST", &format!("/api/graphs/{name}/validate"), &signed_in(&home), &body).1
    };
    assert_eq!(check("essay", FLOW)["graph"]["nodes"], json!(["save", "write"]));
    let typed = check("essay", &FLOW.replace("from: write", "from: wrte"));
    assert_eq!((&typed["problems"][0]["line"], &typed["definition"]), (&json!(8), &json!(null)), "{typed}");
    assert_eq!(check("new", &FLOW.replace("name: essay", "name: new"))["problems"], json!([]));
    assert!(check("new", "a: [")["problems"][0]["line"].is_u64());

    // A problem of an agent is told with its file.
    home.write("agents/writer.yaml", &format!("{AGENT}temperature: 9\n"));
    let essay = get("/api/graphs/essay");
    let file = home.path().join("agents/writer.yaml").display().to_string();
    assert_eq!(essay["problems"][0]["file"], json!(file), "{essay}");
    let agent = get("/api/agents/writer");
    assert_eq!(
        (&agent["problems"][0]["file"], &agent["problems"][0]["line"]),
        (&json!(null), &json!(5)),
        "{agent}"
    );
    assert_eq!(server.ask("GET", "/api/graphs/gone", &signed_in(&home)).0, 404);
    assert_eq!(server.ask("GET", "/api/graphs?worktree_path=sample", &signed_in(&home)).0, 422);
    assert_eq!(server.ask("GET", "/api/graphs", "").0, 401);
}

#[test]
fn workflows_and_agents_are_sent_to_the_server_and_run() {
    let home = Home::new();
    let sample = committed(&home);
    let mut server = Server::start(&home, &mut home.command(&["server", "--port", "0"]));
    let send = |method: &str, path: &str, body: &Value| server.send(method, path, &signed_in(&home), body);
    let model = json!({"endpoint": "http://127.0.0.1:1/v1", "model": "m"});
    let agent = json!({"role": "writes", "system_prompt": "Write.", "llm_config": model});
    let save = json!({"type": "tool", "tool": "write_file", "arguments": {"path": "a.txt", "content": "{{ state.text }}"}});
    let write = json!({"type": "agent", "agent": "writer", "outputs": ["text"]});
    let note = json!({"name": "note", "entry_point": "save", "nodes": {"save": save}});
    let essay = json!({"name": "essay", "entry_point": "write", "nodes": {"write": write}});

    let (status, refused) = send("POST", "/api/graphs", &essay);
    let path = &refused["error"]["details"]["problems"][0]["path"];
    assert_eq!((status, path), (422, &json!("nodes.write.agent")), "{refused}");
    let (status, sent) = send("PUT", "/api/agents/writer", &agent);
    assert_eq!(
        (status, &sent["source"], &sent["path"]),
        (200, &json!("api"), &json!("api:agents/writer")),
        "{sent}"
    );
    assert_eq!(send("POST", "/api/graphs", &essay).0, 201);
    let (status, sent) = send("POST", "/api/graphs", &note);
    assert_eq!((status, &sent["graph"]["nodes"]), (201, &json!(["save"])), "{sent}");
    assert_eq!(send("POST", "/api/graphs", &note).0, 409);

    let command = |arguments: &[&str]| home.command(arguments).current_dir(&sample).output().unwrap();
    let listed = text(&command(&["workflow", "list"]).stdout);
    assert!(listed.contains("api:workflows/note"), "{listed}");
    let ran = command(&["workflow", "run", "note", "--input", "text=hello"]);
    assert!(ran.status.success(), "{}{}", text(&ran.stdout), text(&ran.stderr));
    let saved = command(&["diff"]);
    assert!(text(&saved.stdout).contains("+hello"), "{}{}", text(&saved.stdout), text(&saved.stderr));

    assert_eq!(server.ask("DELETE", "/api/graphs/note", &signed_in(&home)).0, 204);
    assert_eq!(command(&["workflow", "run", "note"]).status.code(), Some(4));
    server.stop();
    // Without a server, too.
    let listed = text(&command(&["agent", "list"]).stdout);
    assert!(listed.contains("api:agents/writer"), "{listed}");
}

/// Describes the memory server, one that cannot be started, and one that is off.
fn configure(home: &Home, installed: &Path) {
    let script = installed.join("node_modules/@modelcontextprotocol/server-memory/dist/index.js");
    let env = json!({"MEMORY_FILE_PATH": home.path().join("memory.json"), "PASS": "hunter-2-hunter-2"});
    let memory = json!({"transport": "stdio", "description": "keeps facts",
        "config": {"command": "node", "args": [script], "env": env}});
    let talks = json!({"transport": "stdio", "config": {"command": "sh",
        "args": ["-c", "echo \"no licence for $PASS\" >&2; exit 3"], "env": env}});
    let off = json!({"transport": "streamable-http", "enabled": false,
        "config": {"url": "https://me:pw@example.org/mcp?key=query-key-5", "headers": {"Authorization": "Bearer zzz-999-zzz"}}});
    let servers = json!({"servers": {"memory": memory, "talks": talks, "off": off}});
    home.write("config/mcp_servers.yaml", &servers.to_string());
}

#[test]
fn mcp_servers_start_when_they_are_asked_and_show_no_secret() {
    let Some(installed) = set_up_here("setup-mcp.sh", "the MCP servers") else { return };
    let home = Home::new();
    configure(&home, &installed);
    let mut server = Server::start(&home, &mut home.command(&["server", "--port", "0"]));
    let get = |path: &str| server.ask("GET", path, &signed_in(&home));
    let status = |listed: &Value| {
        let items = listed["items"].as_array().unwrap().clone();
        let of = |item: &Value| (item["name"].as_str().unwrap().to_owned(), item.clone());
        items.iter().map(of).collect::<std::collections::BTreeMap<_, _>>()
    };
    let first = status(&get("/api/mcp/servers").1);
    assert_eq!(
        (&first["memory"]["status"], &first["off"]["status"]),
        (&json!("not_connected"), &json!("disabled"))
    );
    assert_eq!(first["off"]["target"], "https://example.org/mcp");
    assert_eq!(first["memory"]["tools"], json!(null), "listing starts nothing");

    let (_, tools) = get("/api/mcp/tools?server=memory");
    let names: Vec<&str> =
        tools["items"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"memory:read_graph"), "{tools}");
    let (code, refused) = get("/api/mcp/tools?server=talks");
    assert_eq!(code, 422, "{refused}");
    assert!(refused.to_string().contains("no licence for [redacted]"), "{refused}");
    assert_eq!(get("/api/mcp/tools?server=off").0, 404);

    let call = |tool: &str, arguments: Value| {
        let body = json!({"tool": tool, "arguments": arguments});
        server.send("POST", "/api/mcp/tools/call", &signed_in(&home), &body)
    };
    let entity = json!({"entities": [{"name": "river", "entityType": "water", "observations": ["hunter-2-hunter-2"]}]});
    let (code, made) = call("memory:create_entities", entity);
    assert_eq!((code, &made["error"]), (200, &json!(null)), "{made}");
    let (_, read) = call("memory:read_graph", json!({}));
    assert!(read["output"].as_str().unwrap().contains("river"), "{read}");
    let (code, wrong) = call("memory:create_entities", json!({"entities": 3}));
    assert!(code == 200 && wrong["error"].is_string(), "{wrong}");
    assert_eq!(call("memory:fly", json!({})).0, 404);
    assert_eq!(call("fly", json!({})).0, 422);

    let last = status(&get("/api/mcp/servers").1);
    assert_eq!(
        (&last["memory"]["status"], &last["talks"]["status"]),
        (&json!("connected"), &json!("failed"))
    );
    assert_eq!(last["memory"]["tools"].as_array().unwrap().len(), names.len());
    assert!(!last["talks"]["log"].as_array().unwrap().is_empty());
    for shown in [json!(first), json!(last), made, read, refused] {
        let text = shown.to_string();
        assert!(
            !text.contains("hunter") && !text.contains("zzz-999") && !text.contains("query-key"),
            "{text}"
        );
    }
    server.stop();
}

#[test]
fn mcp_servers_that_are_sent_are_used_by_runs_and_can_be_changed_and_removed() {
    let Some(installed) = set_up_here("setup-mcp.sh", "the MCP servers") else { return };
    let home = Home::new();
    let sample = committed(&home);
    configure(&home, &installed);
    let mut server = Server::start(&home, &mut home.command(&["server", "--port", "0"]));
    let send = |method: &str, path: &str, body: &Value| server.send(method, path, &signed_in(&home), body);
    let script = installed.join("node_modules/@modelcontextprotocol/server-memory/dist/index.js");
    let env = json!({"MEMORY_FILE_PATH": home.path().join("facts.json"), "PASS": "hunter-2-hunter-2"});
    let facts = json!({"name": "facts", "transport": "stdio",
        "config": {"command": "node", "args": [script], "env": env}});

    let (status, sent) = send("POST", "/api/mcp/servers", &facts);
    assert_eq!(
        (status, &sent["source"], &sent["status"]),
        (201, &json!("api"), &json!("not_connected")),
        "{sent}"
    );
    assert!(!sent.to_string().contains("hunter"), "{sent}");
    assert_eq!(send("POST", "/api/mcp/servers", &facts).0, 409);
    let of_file = json!({"name": "memory", "transport": "stdio", "config": {"command": "node"}});
    for (method, path) in [("POST", "/api/mcp/servers"), ("PUT", "/api/mcp/servers/memory")] {
        let (status, refused) = send(method, path, &of_file);
        assert_eq!(status, 409, "{refused}");
        assert!(refused.to_string().contains("mcp_servers.yaml"), "{refused}");
    }
    let wrong = json!({"name": "web", "transport": "sse", "config": {"command": "node", "url": "ftp://x"}});
    let (status, refused) = send("POST", "/api/mcp/servers", &wrong);
    assert_eq!(status, 422, "{refused}");
    assert!(refused.to_string().contains("config.command"), "{refused}");

    let recall = json!({"name": "recall", "entry_point": "read",
        "nodes": {"read": {"type": "tool", "tool": "facts:read_graph", "arguments": {}, "outputs": ["graph"]}}});
    let (status, sent) = send("POST", "/api/graphs", &recall);
    assert_eq!((status, &sent["problems"]), (201, &json!([])), "{sent}");
    let command = |arguments: &[&str]| home.command(arguments).current_dir(&sample).output().unwrap();
    let ran = command(&["workflow", "run", "recall"]);
    assert!(ran.status.success(), "{}{}", text(&ran.stdout), text(&ran.stderr));
    let listed = text(&command(&["mcp", "list", "--json"]).stdout);
    assert!(listed.contains(r#""name":"facts","signed_in":null,"source":"api""#), "{listed}");
    assert_eq!(server.ask("DELETE", "/api/mcp/servers/memory", &signed_in(&home)).0, 409);

    let off =
        json!({"transport": "stdio", "enabled": false, "config": {"command": "node", "args": [script]}});
    let (status, changed) = send("PUT", "/api/mcp/servers/facts", &off);
    assert_eq!((status, &changed["status"]), (200, &json!("disabled")), "{changed}");
    let refused = command(&["workflow", "run", "recall"]);
    assert!(!refused.status.success());
    assert_eq!(server.ask("DELETE", "/api/mcp/servers/facts", &signed_in(&home)).0, 204);
    assert_eq!(server.ask("GET", "/api/mcp/servers/facts", &signed_in(&home)).0, 404);
    server.stop();
}
