//! The reference servers of the protocol, as anyone installs them.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use amelia_core::config::mcp::{McpServer, McpTransport};
use amelia_core::elicitation::{ElicitationAnswer, Elicited};
use amelia_core::tool::{Elicit, KeepFile, ToolCx};
use amelia_mcp::ResolvedServer;
use serde_json::json;

use crate::fixture::{call, pool, process, resolved, specs, tool};
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_gets_the_answers_to_its_questions_and_images_are_not_shown() {
    let Some(installed) = set_up("setup-mcp.sh", "the MCP servers").await else { return };
    let (pool, server) = (pool(), process("everything", "node", &[&script(&installed, "everything")]));
    let asks = tool(&pool, &server, "trigger-elicitation-request").await;
    let accept = json!({"name": "Ada"}).as_object().unwrap().clone();
    for (elicited, expected) in [
        (Elicited::Answered(ElicitationAnswer::Accept(accept)), "- Name: Ada"),
        (Elicited::Answered(ElicitationAnswer::Decline), "User declined"),
        (Elicited::Answered(ElicitationAnswer::Cancel), "User cancelled"),
        (Elicited::Later, "User cancelled"),
        (Elicited::Declined("not now".to_owned()), "which was declined: not now: Please provide inputs"),
    ] {
        let fields = Arc::new(Mutex::new(String::new()));
        let seen = Arc::clone(&fields);
        let elicit: Elicit = Arc::new(move |asked| {
            *seen.lock().unwrap() = asked.prompt();
            elicited.clone()
        });
        let cx = ToolCx { elicit, ..ToolCx::default() };
        let output = asks.call(&cx, &serde_json::Map::new()).await;
        assert!(output.output.contains(expected), "{output:?}");
        let prompt = fields.lock().unwrap().clone();
        assert!(prompt.contains("- integer (integer, default 42): Your favorite integer"), "{prompt}");
        assert!(prompt.contains("hero-1 | hero-2 | hero-3"), "{prompt}");
    }
    let image = call(&pool, &server, "get-tiny-image", json!({})).await.output;
    assert!(image.contains("[image image/png, ") && image.len() < 500, "{image}");
    let args = json!({"resourceType": "Blob", "resourceId": 1});
    let files = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&files);
    let keep: KeepFile = Arc::new(move |file| {
        let mut kept = kept.lock().unwrap();
        kept.push((file.media_type.to_owned(), file.data.to_vec()));
        Ok(format!("{}.bin", kept.len()))
    });
    let cx = ToolCx { keep: Some(keep), ..ToolCx::default() };
    let image = tool(&pool, &server, "get-tiny-image").await.call(&cx, &serde_json::Map::new()).await;
    assert!(image.output.contains(", kept as results/1.bin]"), "{image:?}");
    assert_eq!(image.artifacts, ["results/1.bin"]);
    let shown: Vec<(&str, &str)> =
        image.images.iter().map(|one| (one.path.as_str(), one.media_type.as_str())).collect();
    assert_eq!(shown, [("results/1.bin", "image/png")], "what it is follows from its content");
    let of_resource = tool(&pool, &server, "get-resource-reference").await;
    let resource = of_resource.call(&cx, args.as_object().unwrap()).await;
    assert!(resource.output.contains("kept as results/2.bin]"), "{resource:?}");
    let links = tool(&pool, &server, "get-resource-links").await;
    let links = links.call(&cx, json!({"count": 2}).as_object().unwrap()).await;
    assert_eq!(links.artifacts, ["results/3.bin", "results/4.bin"], "{links:?}");
    let files = files.lock().unwrap().clone();
    assert_eq!((files[0].0.as_str(), &files[0].1[..4]), ("image/png", b"\x89PNG".as_slice()));
    let resource = call(&pool, &server, "get-resource-reference", args).await.output;
    assert!(resource.contains("demo://resource/dynamic/blob/1 [resource text/plain, "), "{resource}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_works_in_the_root_that_it_is_offered() {
    let Some(installed) = set_up("setup-mcp.sh", "the MCP servers").await else { return };
    let workplace = tempfile::tempdir().unwrap();
    let here = workplace.path().canonicalize().unwrap().join("a place with blanks");
    std::fs::create_dir(&here).unwrap();
    std::fs::write(here.join("note.txt"), "kept").unwrap();
    let pool = pool();
    let of_run = |owner: &str, root: Option<&Path>| {
        let server = process("filesystem", "node", &[&script(&installed, "filesystem")]);
        ResolvedServer { owner: owner.to_owned(), root: root.map(Path::to_owned), ..server }
    };
    // The first call connects, as in a run: it comes right after the handshake.
    let known = specs(&pool, &of_run("listing", Some(&here))).await.unwrap();
    let server = of_run("run", Some(&here));
    let named = |name: &str| known.iter().filter(|spec| spec.name.name == name).cloned().collect();
    let read = pool.tools(&server, named("read_text_file")).pop().unwrap();
    let args = json!({"path": here.join("note.txt")});
    let output = read.call(&ToolCx::default(), args.as_object().unwrap()).await;
    assert!(output.output.contains("kept"), "{output:?}");
    let allowed = call(&pool, &server, "list_allowed_directories", json!({})).await.output;
    assert!(allowed.contains(&here.display().to_string()), "{allowed}");
    let outside = call(&pool, &server, "list_directory", json!({"path": workplace.path()})).await;
    assert!(format!("{outside:?}").contains("outside allowed directories"), "{outside:?}");
    // Without a root it has no directory.
    let shared = of_run("shared", None);
    let refused = call(&pool, &shared, "read_text_file", args).await;
    assert!(!refused.output.contains("kept"), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_newest_protocol_of_a_real_server_is_spoken() {
    let Some(installed) = set_up("setup-mcp.sh", "the MCP servers").await else { return };
    let server = process("everything", "node", &[&script(&installed, "everything")]);
    let offered = pool().offered(&server, &BTreeMap::new()).await.unwrap();
    assert_eq!(offered.protocol.as_deref(), Some("2025-11-25"));
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
        assert_eq!(specs(&pool, &server).await.unwrap().len(), 15, "{manner}: with `read_resource`");
        let output = call(&pool, &server, "get-sum", json!({"a": 2, "b": 40})).await;
        assert!(output.output.contains("42"), "{manner}: {output:?}");
    }
    // Nothing listens there any more.
    let failure = specs(&pool, &at("sse", 9)).await.unwrap_err().to_string();
    assert!(failure.contains("`sse` cannot be reached at http://"), "{failure}");
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
