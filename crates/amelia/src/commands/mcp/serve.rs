//! `amelia mcp serve`: the tools of [`RunTools`] for a program that has started this one. Standard output carries only the
//! protocol.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use amelia_host::home::Home;
use amelia_mcp::{Handshake, McpResponder, cancelled_request};
use anyhow::{Context as _, Result};
use serde_json::Value;
use tokio::task::{AbortHandle, JoinSet};

use super::run_tools::RunTools;
use crate::cli::Global;
use crate::rpc::{RpcInput, RpcOutput, failed};

/// Calls under way. More than a client has a use for.
const MOST_CALLS: usize = 64;
/// How long calls may take when the client has closed our input. Runs continue without us.
const GOODBYE: Duration = Duration::from_secs(10);

pub(super) async fn run(home: &Home, global: &Global) -> Result<ExitCode> {
    let here = std::env::current_dir().context("the current directory is gone")?;
    let tools = RunTools::new(home, global, Some(here));
    let responder = Arc::new(McpResponder::new(Arc::new(tools), Handshake::Required));
    let (output, writing) = RpcOutput::to_stdout();
    let mut input = RpcInput::of_stdin("an MCP client");
    let mut calls = Calls::default();
    while let Some(message) = input.next().await {
        match message {
            Err(refusal) => output.send(refusal).await,
            Ok(message) => calls.take(message, &responder, &output).await,
        }
    }
    calls.finish().await;
    drop(output);
    writing.await?;
    Ok(ExitCode::SUCCESS)
}

/// What is being answered.
#[derive(Default)]
struct Calls {
    tasks: JoinSet<()>,
    /// By the id of the request.
    by_id: BTreeMap<String, AbortHandle>,
}

impl Calls {
    async fn take(&mut self, message: Value, responder: &Arc<McpResponder>, output: &RpcOutput) {
        while self.tasks.try_join_next().is_some() {}
        self.by_id.retain(|_, task| !task.is_finished());
        if let Some(id) = cancelled_request(&message) {
            // Nothing is said to a request that was taken back.
            if let Some(task) = self.by_id.remove(&id.to_string()) {
                task.abort();
            }
            return;
        }
        // Only a call takes long; everything else is answered in the order in which it came.
        if !is_call(&message) {
            if let Some(answer) = responder.answer(message, output.queue()).await {
                output.send(answer).await;
            }
            return;
        }
        let id = message.get("id").cloned().unwrap_or_default();
        if self.tasks.len() >= MOST_CALLS {
            let text = format!("{MOST_CALLS} calls are under way: wait for one of them");
            return output.send(failed(&id, -32000, &text)).await;
        }
        let (responder, output) = (Arc::clone(responder), output.clone());
        let task = self.tasks.spawn(async move {
            if let Some(answer) = responder.answer(message, output.queue()).await {
                output.send(answer).await;
            }
        });
        self.by_id.insert(id.to_string(), task);
    }

    async fn finish(mut self) {
        let all = async { while self.tasks.join_next().await.is_some() {} };
        tokio::time::timeout(GOODBYE, all).await.ok();
        self.tasks.shutdown().await;
    }
}

fn is_call(message: &Value) -> bool {
    message.is_array() || message.get("method").is_some_and(|method| method == "tools/call")
}
