//! The reference servers of the protocol, as anyone installs them.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use amelia_core::config::mcp::{McpServer, McpTransport};
use amelia_mcp::ResolvedServer;
use serde_json::json;

use crate::fixture::{call, pool, process, resolved, specs};
use crate::programs::set_up;

fn script(installed: &Path, name: &str) -> String {
    let file = format!("node_modules/@modelcontextprotocol/server-{name}/dist/index.js");
    installed.join(file).display().to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_are_started_and_their_tools_called() {
    let Some(installed) = set_up("setup-mcp.sh", "the MCP servers").await else { return };
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path().display().to_string();
    std::fs::write(directory.path().join("note.txt"), "kept").unwrap();
    let venv = |name: &str| installed.join("venv/bin").join(name).display().to_string();
    let node = |name: &str, more: &[&str]| {
        let script = script(&installed, name);
        process(name, "node", &[&[script.as_str()], more].concat())
    };
    let note = directory.path().join("note.txt");
    let cases = [
        (node("everything", &[]), "echo", json!({"message": "hello"}), "Echo: hello"),
        (node("filesystem", &[&here]), "read_text_file", json!({"path": note}), "kept"),
        (node("memory", &[]), "read_graph", json!({}), "\"entities\": []"),
        (
            process("git", &venv("mcp-server-git"), &[]),
            "git_status",
            json!({"repo_path": env!("CARGO_MANIFEST_DIR").trim_end_matches("/crates/amelia-mcp")}),
            "Repository status",
        ),
        (
            process("time", &venv("mcp-server-time"), &[]),
            "get_current_time",
            json!({"timezone": "UTC"}),
            "UTC",
        ),
    ];
    let pool = pool();
    for (server, tool, args, expected) in cases {
        let output = call(&pool, &server, tool, args).await;
        assert!(output.output.contains(expected), "{tool}: {output:?}");
        let specs = specs(&pool, &server).await.unwrap();
        assert!(specs.iter().all(|spec| spec.name.server.as_deref() == Some(server.server.name.as_str())));
    }
}

/// A server that listens. Ends with the test.
struct Listening(Child);

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

async fn listening(installed: &Path, manner: &str) -> (Listening, u16) {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = Command::new("node");
    command.arg(script(installed, "everything")).arg(manner).env("PORT", port.to_string());
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let started = Listening(child);
    for _ in 0..600 {
        if tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
            return (started, port);
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("server-everything does not listen");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_at_a_url_are_spoken_to_over_both_transports() {
    let Some(installed) = set_up("setup-mcp.sh", "the MCP servers").await else { return };
    let pool = pool();
    for manner in ["sse", "streamableHttp"] {
        let (_server, port) = listening(&installed, manner).await;
        let server = at(manner, port);
        assert_eq!(specs(&pool, &server).await.unwrap().len(), 13, "{manner}");
        let output = call(&pool, &server, "get-sum", json!({"a": 2, "b": 40})).await;
        assert!(output.output.contains("42"), "{manner}: {output:?}");
    }
    // Nothing listens there any more.
    let failure = specs(&pool, &at("sse", 9)).await.unwrap_err().to_string();
    assert!(failure.contains("`sse` could not be started"), "{failure}");
}

fn at(manner: &str, port: u16) -> ResolvedServer {
    let headers = BTreeMap::from([("X-Of-The-Test".to_owned(), "1".to_owned())]);
    resolved(match manner {
        "sse" => {
            let url = format!("http://127.0.0.1:{port}/sse");
            McpServer::new("sse", McpTransport::Sse { url, headers })
        }
        _ => {
            let url = format!("http://127.0.0.1:{port}/mcp");
            McpServer::new("http", McpTransport::StreamableHttp { url, headers })
        }
    })
}
