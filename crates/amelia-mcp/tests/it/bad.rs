//! A server that misbehaves: every failure has a name, and none takes more than itself with it.

use std::collections::BTreeMap;
use std::path::Path;

use amelia_core::config::mcp::McpTransport;
use amelia_core::tool::ToolCx;
use amelia_core::tool_failure::{RetryableFailure, ToolFailure};
use amelia_mcp::{ConnectionStatus, McpFailure, ResolvedServer};
use serde_json::json;

use crate::fixture::{call, pool, process, specs, tool};

fn bad(manner: &str, directory: &Path) -> ResolvedServer {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/bad_server.mjs");
    let notes = directory.join("calls").display().to_string();
    process("bad", "node", &[script, manner, &notes])
}

fn calls(directory: &Path) -> usize {
    std::fs::read(directory.join("calls")).map_or(0, |calls| calls.len())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_does_not_start_says_why() {
    let directory = tempfile::tempdir().unwrap();
    let (pool, server) = (pool(), bad("dies", directory.path()));
    let status = || pool.state(&server, &BTreeMap::new()).status;
    assert_eq!(status(), ConnectionStatus::NotConnected);
    let failure = specs(&pool, &server).await.unwrap_err();
    assert_eq!(status(), ConnectionStatus::Failed(failure.to_string()));
    assert!(matches!(&failure, McpFailure::NotStarted { .. }), "{failure:?}");
    assert!(failure.to_string().contains("it wrote: no licence found"), "{failure}");
    let failure = specs(&pool, &process("gone", "/does/not/exist", &[])).await.unwrap_err().to_string();
    assert!(failure.contains("`gone` could not be started: `/does/not/exist`: No such file"), "{failure}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lines_that_are_no_messages_are_kept_and_passed_over() {
    let directory = tempfile::tempdir().unwrap();
    let (pool, server) = (pool(), bad("garbage", directory.path()));
    assert_eq!(call(&pool, &server, "work", json!({})).await.output, "done");
    let state = pool.state(&server, &BTreeMap::new());
    assert_eq!((state.status, state.tools.unwrap().len()), (ConnectionStatus::Connected, 1));
    assert!(state.log.iter().any(|line| line == "Welcome to my server!"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_oldest_protocol_and_the_newest_are_spoken() {
    let directory = tempfile::tempdir().unwrap();
    for (manner, expected) in [("plain", "2024-11-05"), ("newest", "2026-07-28")] {
        let (pool, server) = (pool(), bad(manner, directory.path()));
        let offered = pool.offered(&server, &BTreeMap::new()).await.unwrap();
        assert_eq!((offered.protocol.as_deref(), offered.tools.len()), (Some(expected), 1));
        assert_eq!(call(&pool, &server, "work", json!({})).await.output, "done", "{manner}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_prints_something_else_is_no_server_and_one_that_is_not_there_is_not_reached() {
    let begun = std::time::Instant::now();
    let failure = specs(&pool(), &process("chatty", "yes", &["hello there"])).await.unwrap_err();
    let expected =
        "the MCP server `chatty` does not speak MCP: it printed `hello there` in the place of a message";
    assert_eq!(failure.to_string(), expected);
    assert!(begun.elapsed() < std::time::Duration::from_secs(20), "{:?}", begun.elapsed());
    for transport in [http as fn(&str) -> McpTransport, sse] {
        // Nothing listens on the port of a listener that was dropped.
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let url = format!("http://127.0.0.1:{port}/mcp?key=secret");
        let mut server = process("far", "true", &[]);
        server.server.transport = transport(&url);
        server.client = Some(reqwest::Client::new());
        let failure = specs(&pool(), &server).await.unwrap_err();
        let expected = format!(
            "the MCP server `far` cannot be reached at http://127.0.0.1:{port}/mcp: connection refused"
        );
        assert_eq!(failure.to_string(), expected);
    }
}

pub(crate) fn http(url: &str) -> McpTransport {
    McpTransport::StreamableHttp { url: url.to_owned(), headers: BTreeMap::new() }
}

pub(crate) fn sse(url: &str) -> McpTransport {
    McpTransport::Sse { url: url.to_owned(), headers: BTreeMap::new() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_dies_in_a_call_lives_again_in_the_next() {
    let directory = tempfile::tempdir().unwrap();
    let (pool, server) = (pool(), bad("dies-in-call", directory.path()));
    let lost = call(&pool, &server, "work", json!({})).await;
    assert_eq!(lost.failure, Some(ToolFailure::MayPass(RetryableFailure::Connection)), "{lost:?}");
    assert_eq!(call(&pool, &server, "work", json!({})).await.output, "second life");
    assert_eq!(calls(directory.path()), 2);
    // Unless it may not.
    let mut server = bad("dies-in-call", tempfile::tempdir().unwrap().path());
    server.server.auto_reconnect.enabled = false;
    let tool = tool(&pool, &server, "work").await;
    for _ in 0..2 {
        let lost = tool.call(&ToolCx::default(), &serde_json::Map::new()).await;
        assert_eq!(lost.failure, Some(ToolFailure::MayPass(RetryableFailure::Connection)));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_without_end_closes_the_connection_and_not_the_program() {
    let directory = tempfile::tempdir().unwrap();
    let (pool, server) = (pool(), bad("huge", directory.path()));
    let lost = call(&pool, &server, "work", json!({})).await;
    assert!(lost.error.unwrap().contains("a message of more than 16 MB was refused"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_hangs_is_left_when_it_is_cancelled() {
    let directory = tempfile::tempdir().unwrap();
    let (pool, server) = (pool(), bad("hangs", directory.path()));
    let tool = tool(&pool, &server, "work").await;
    let cx = ToolCx::default();
    let cancel = cx.cancel.clone();
    let called = tokio::spawn(async move { tool.call(&cx, &serde_json::Map::new()).await });
    while calls(directory.path()) == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    cancel.cancel();
    assert_eq!(called.await.unwrap().error.as_deref(), Some("cancelled"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_changes_and_questions_are_understood() {
    let directory = tempfile::tempdir().unwrap();
    let pool = pool();
    let limited = call(&pool, &bad("limits", directory.path()), "work", json!({})).await;
    assert_eq!(limited.failure, Some(ToolFailure::MayPass(RetryableFailure::RateLimit)));
    let changing = bad("changes", directory.path());
    assert_eq!(call(&pool, &changing, "work", json!({})).await.output, "changed");
    let names = || async {
        let specs = specs(&pool, &changing).await.unwrap();
        specs.into_iter().map(|spec| spec.name.to_string()).collect::<Vec<_>>()
    };
    // The notice comes before the answer, and is taken beside it.
    let changed = async {
        while names().await != ["bad:other"] {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(30), changed).await.unwrap();
    // A question that no one can answer is declined, and the call goes on.
    let declined = call(&pool, &bad("asks", directory.path()), "work", json!({})).await.output;
    let note = "[the server asked a question, which was declined: there is no person to ask: Sure?]";
    assert_eq!(declined, format!("{{\"action\":\"decline\"}}\n{note}"));
    let odd = specs(&pool, &bad("names", directory.path())).await.unwrap();
    assert!(odd.iter().all(|spec| spec.name.for_models().len() <= 64));
}
