//! A server that misbehaves over HTTP: every failure has a name, none takes more than itself with it, and no answer is larger
//! than it may be.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Lines};
use std::process::{Child, ChildStdout, Command, Stdio};

use amelia_core::config::mcp::McpServer;
use amelia_core::tool::ToolCx;
use amelia_core::tool_failure::{RetryableFailure, ToolFailure};
use amelia_mcp::{McpFailure, ResolvedServer};
use serde_json::json;

use crate::bad::{http, sse};
use crate::fixture::{call, pool, resolved, specs, tool};

const LOST: Option<ToolFailure> = Some(ToolFailure::MayPass(RetryableFailure::Connection));

struct BadServer {
    child: Child,
    port: u16,
    lines: Lines<BufReader<ChildStdout>>,
}

impl BadServer {
    fn start() -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/bad_http_server.mjs");
        let mut child = Command::new("node").arg(script).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = lines.next().unwrap().unwrap().parse().unwrap();
        Self { child, port, lines }
    }

    fn http(&self, manner: &str) -> ResolvedServer {
        resolved(McpServer::new("bad", http(&format!("http://127.0.0.1:{}/http/{manner}", self.port))))
    }

    fn sse(&self, manner: &str) -> ResolvedServer {
        resolved(McpServer::new("bad", sse(&format!("http://127.0.0.1:{}/sse/{manner}", self.port))))
    }

    /// Waits until a tool is called.
    fn until_called(&mut self) {
        self.lines.next().unwrap().unwrap();
    }
}

impl Drop for BadServer {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_without_end_is_refused_in_every_form() {
    let bad = BadServer::start();
    for (server, expected) in [
        (bad.http("huge"), "a message of more than 16 MB was refused"),
        (bad.http("huge-event"), "a message of more than 16 MB was refused"),
        (bad.http("huge-error"), "HTTP 500"),
        (bad.sse("huge"), "a message of more than 16 MB was refused"),
    ] {
        let refused = call(&pool(), &server, "work", json!({})).await;
        let error = refused.error.unwrap_or_default();
        assert!(error.contains(expected), "{:?}: {error}", server.server.transport);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_dies_in_a_call_lives_again_in_the_next() {
    let bad = BadServer::start();
    for server in [bad.http("dies"), bad.sse("dies")] {
        let pool = pool();
        let lost = call(&pool, &server, "work", json!({})).await;
        assert_eq!(lost.failure, LOST, "{lost:?}");
        assert_eq!(call(&pool, &server, "work", json!({})).await.output, "second life");
    }
    for server in [bad.http("half"), bad.sse("refuses")] {
        let lost = call(&pool(), &server, "work", json!({})).await;
        assert_eq!(lost.failure, LOST, "{:?}: {lost:?}", server.server.transport);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_message_is_passed_over_or_named() {
    let bad = BadServer::start();
    for server in [bad.http("garbage-events"), bad.sse("garbage")] {
        assert_eq!(call(&pool(), &server, "work", json!({})).await.output, "done");
    }
    let (pool, server) = (pool(), bad.sse("garbage"));
    call(&pool, &server, "work", json!({})).await;
    let log = pool.state(&server, &BTreeMap::new()).log;
    assert!(log.iter().any(|line| line == "Welcome to my server!"), "{log:?}");
    let lost = call(&pool, &bad.http("garbage"), "work", json!({})).await;
    assert!(lost.error.as_ref().unwrap().contains("Welcome to my server!"), "{lost:?}");
    let failure = specs(&pool, &bad.http("page")).await.unwrap_err();
    assert!(matches!(failure, McpFailure::NotStarted { .. }), "{failure:?}");
    assert!(failure.to_string().contains("text/html"), "{failure}");
    let limited = call(&pool, &bad.http("busy"), "work", json!({})).await;
    assert_eq!(limited.failure, Some(ToolFailure::MayPass(RetryableFailure::RateLimit)), "{limited:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_hangs_is_left_when_it_is_cancelled() {
    let mut bad = BadServer::start();
    for server in [bad.http("hangs"), bad.sse("hangs")] {
        let pool = pool();
        let tool = tool(&pool, &server, "work").await;
        let cx = ToolCx::default();
        let cancel = cx.cancel.clone();
        let called = tokio::spawn(async move { tool.call(&cx, &serde_json::Map::new()).await });
        tokio::task::block_in_place(|| bad.until_called());
        cancel.cancel();
        assert_eq!(called.await.unwrap().error.as_deref(), Some("cancelled"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_of_events_must_say_where_messages_go_and_not_to_another_host() {
    let bad = BadServer::start();
    for (manner, expected) in [
        ("no-endpoint", "the server did not say where messages are posted to"),
        ("elsewhere", "the server wants messages to be posted to another host"),
    ] {
        let failure = specs(&pool(), &bad.sse(manner)).await.unwrap_err().to_string();
        assert!(failure.contains(expected), "{failure}");
    }
}
