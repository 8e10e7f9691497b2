//! Servers for tests, and calls of their tools.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use amelia_core::config::mcp::{McpServer, McpTransport};
use amelia_core::tool::{Tool, ToolCx, ToolOutput, ToolSpec};
use amelia_mcp::{McpFailure, McpPool, ResolvedServer};
use amelia_process::HostSpawner;
use serde_json::Value;

pub(crate) fn pool() -> McpPool {
    McpPool::new(Arc::new(HostSpawner))
}

pub(crate) fn process(name: &str, command: &str, args: &[&str]) -> ResolvedServer {
    let args = args.iter().map(|arg| (*arg).to_owned()).collect();
    let transport = McpTransport::Stdio { command: command.to_owned(), args, env: BTreeMap::new() };
    resolved(McpServer::new(name, transport))
}

pub(crate) fn resolved(mut server: McpServer) -> ResolvedServer {
    server.auto_reconnect.backoff_seconds = 0.01;
    let vars = ["PATH", "HOME"].map(|name| (name.into(), std::env::var_os(name).unwrap_or_default()));
    rustls::crypto::aws_lc_rs::default_provider().install_default().ok();
    let client = Some(reqwest::Client::builder().no_proxy().tls_certs_only([]).build().unwrap());
    ResolvedServer {
        server,
        directory: None,
        root: None,
        vars: vars.into(),
        owner: "test".to_owned(),
        client,
        sign_ins: None,
    }
}

pub(crate) async fn specs(pool: &McpPool, server: &ResolvedServer) -> Result<Vec<ToolSpec>, McpFailure> {
    Ok(pool.offered(server, &BTreeMap::new()).await?.tools)
}

pub(crate) async fn tool(pool: &McpPool, server: &ResolvedServer, name: &str) -> Arc<dyn Tool> {
    let mut specs = specs(pool, server).await.unwrap();
    specs.retain(|spec| spec.name.name == name);
    pool.tools(server, specs).pop().unwrap()
}

pub(crate) async fn call(pool: &McpPool, server: &ResolvedServer, name: &str, args: Value) -> ToolOutput {
    let tool = tool(pool, server, name).await;
    let cx = ToolCx::default();
    let called = tool.call(&cx, args.as_object().unwrap());
    tokio::time::timeout(Duration::from_secs(60), called).await.unwrap()
}
