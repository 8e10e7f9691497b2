//! What another program can do with runs, as tools and resources of the Model Context Protocol: the requests that
//! commands make, to the same servers.

mod changing;
mod descriptions;
mod looking;
mod resources;
mod shown;
mod waiting;

use std::path::PathBuf;
use std::sync::Arc;

use amelia_core::object::Object;
use amelia_core::problem::Problem;
use amelia_host::home::Home;
use amelia_mcp::{CallAnswer, McpProvider, ProgressReporter, ResourceText};
use anyhow::Result;
use async_trait::async_trait;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::cli::Global;
use crate::cli_error::{CliError, Exit, exit_of, problem_of};
use crate::client::Client;
use crate::reach::LastingClient;

/// Runs of the server of a home, or of one that was named.
pub(in crate::commands) struct RunTools {
    server: LastingClient,
    /// Where runs work when a call does not say it.
    directory: Option<PathBuf>,
}

impl RunTools {
    pub(in crate::commands) fn new(home: &Home, global: &Global, directory: Option<PathBuf>) -> Self {
        Self { server: LastingClient::new(home, global), directory }
    }

    async fn client(&self) -> Result<Arc<Client>> {
        self.server.get().await
    }

    async fn called(
        &self,
        tool: &str,
        args: Object,
        progress: &ProgressReporter,
    ) -> Option<Result<CallAnswer>> {
        Some(match tool {
            "start" => self.start(args, progress).await,
            "status" => self.status(args, progress).await,
            "plan" => self.plan(args).await,
            "approve" => self.approve(args, progress).await,
            "reject" => self.reject(args, progress).await,
            "answer" => self.answer(args, progress).await,
            "resume" => self.resume(args, progress).await,
            "cancel" => self.cancel(args).await,
            "diff" => self.diff(args).await,
            "events" => self.events(args).await,
            "artifacts" => self.artifacts(args).await,
            "merge" => self.merge(args).await,
            _ => return None,
        })
    }
}

#[async_trait]
impl McpProvider for RunTools {
    fn instructions(&self) -> &str {
        descriptions::INSTRUCTIONS
    }

    fn tools(&self) -> Vec<Value> {
        descriptions::tools(self.directory.is_some())
    }

    async fn call(&self, tool: &str, args: Object, progress: &ProgressReporter) -> Option<CallAnswer> {
        let answer = self.called(tool, args, progress).await?;
        Some(answer.unwrap_or_else(|error| refused(&error)))
    }

    async fn resources(&self) -> Result<Vec<Value>, String> {
        self.listed_resources().await.map_err(|error| problem_of(&error).to_text())
    }

    fn resource_templates(&self) -> Vec<Value> {
        resources::templates()
    }

    async fn read(&self, uri: &str) -> Result<Option<ResourceText>, String> {
        match self.read_resource(uri).await {
            Err(error) if exit_of(&error) == Exit::NotFound => Ok(None),
            read => read.map_err(|error| problem_of(&error).to_text()),
        }
    }
}

/// The arguments of a call.
fn arguments<T: DeserializeOwned>(args: Object) -> Result<T> {
    serde_json::from_value(Value::Object(args)).map_err(|error| {
        let refusal = CliError::new(Exit::Usage, format!("the arguments are not valid: {error}"));
        refusal.with_hint("see `inputSchema` of the tool").into()
    })
}

/// What is said instead of a result: what went wrong, and what to do about it.
fn refused(error: &anyhow::Error) -> CallAnswer {
    let problem = problem_of(error);
    let text = problem.to_text();
    let Problem { message, hint } = problem;
    let structured = json!({"error": {"code": exit_of(error).code(), "message": message, "hint": hint}});
    CallAnswer { text, structured: Some(structured), is_error: true }
}
