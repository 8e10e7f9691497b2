//! A tool of an MCP server over standard input and output that only echoes: what a call takes with our client. The server
//! is this program (`amelia-bench mcp-echo`), for the official Python client as well (`mcp_echo.py`).

use std::collections::BTreeMap;
use std::io::{BufRead as _, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use amelia_core::config::mcp::{McpServer, McpTransport};
use amelia_core::message::Object;
use amelia_core::tool::ToolCx;
use amelia_mcp::{McpPool, ResolvedServer};
use amelia_process::HostSpawner;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::tool_failures::{Fault, fault_of};
use super::{CaseArgs, own};
use crate::load::percentile;

/// Not counted: the first calls.
const WARM_UP: usize = 50;

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    let own = std::env::current_exe().context("while looking for this program")?;
    let command = own.to_string_lossy().into_owned();
    let calls = args.n;
    own::block_on(async move {
        let transport =
            McpTransport::Stdio { command, args: vec!["mcp-echo".to_owned()], env: BTreeMap::new() };
        let server = ResolvedServer {
            sign_ins: None,
            server: McpServer::new("echo", transport),
            directory: None,
            root: None,
            vars: std::env::vars_os().collect(),
            owner: "bench".to_owned(),
            client: None,
        };
        let pool = McpPool::new(Arc::new(HostSpawner));
        let offered = pool.offered(&server, &BTreeMap::new()).await?;
        let tools = pool.tools(&server, offered.tools);
        let tool = tools.first().context("the server has no tool")?;
        let given = Object::from_iter([("message".to_owned(), json!("hello"))]);
        let mut took = Vec::with_capacity(calls);
        for call in 0..calls + WARM_UP {
            let start = Instant::now();
            let said = tool.call(&ToolCx::default(), &given).await;
            if call >= WARM_UP {
                took.push(1e3 * start.elapsed().as_secs_f64());
            }
            ensure!(
                said.error.is_none() && said.output.contains("hello"),
                "{:?} {}",
                said.error,
                said.output
            );
        }
        took.sort_unstable_by(f64::total_cmp);
        Ok(
            json!({ "p50_ms": percentile(&took, 0.5), "p99_ms": percentile(&took, 0.99), "calls": took.len() }),
        )
    })
}

#[derive(clap::Args)]
pub(crate) struct McpEcho {
    /// Fail each call once; calls that have failed are files of this directory
    #[arg(long, value_name = "DIRECTORY")]
    failing: Option<PathBuf>,
}

/// The server: one line in, one line out.
pub(crate) fn serve(args: &McpEcho) -> Result<()> {
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let asked = message.pointer("/params/arguments/message").and_then(Value::as_str);
        match args.failing.as_ref().zip(asked).and_then(|(failed, asked)| fault_of(asked, failed)) {
            None => {}
            Some(Fault::Silence) => continue,
            Some(Fault::Death) => return Ok(()),
            Some(Fault::RateLimit) => {
                let error = json!({"code": -32000, "message": "rate limit exceeded"});
                writeln!(output, "{}", json!({"jsonrpc": "2.0", "id": message.get("id"), "error": error}))?;
                output.flush()?;
                continue;
            }
        }
        if let Some(answer) = answer(&message) {
            writeln!(output, "{answer}")?;
            output.flush()?;
        }
    }
    Ok(())
}

fn answer(message: &Value) -> Option<Value> {
    let id = message.get("id")?;
    let result = match message.get("method")?.as_str()? {
        "initialize" => json!({
            "protocolVersion": message.pointer("/params/protocolVersion"),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "echo", "version": "1"},
        }),
        "tools/list" => json!({"tools": [{
            "name": "echo",
            "description": "Returns its message",
            "inputSchema": {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]},
        }]}),
        "tools/call" => json!({
            "content": [{"type": "text", "text": message.pointer("/params/arguments/message")}],
        }),
        "ping" => json!({}),
        // Clients ask for what newer protocols have, and take this for a no.
        _ => {
            let error = json!({"code": -32601, "message": "method not found"});
            return Some(json!({"jsonrpc": "2.0", "id": id, "error": error}));
        }
    };
    Some(json!({"jsonrpc": "2.0", "id": id, "result": result}))
}
