//! One agent as the product puts it together: driver, funnel, journaled tools, graph. Only the model and the tools
//! are the benchmark's own.

use std::sync::Arc;

use amelia_agents::agent::Agent;
use amelia_agents::helpers::Helpers;
use amelia_agents::live::Live;
use amelia_agents::pipeline::single::{Single, SingleAgentParts};
use amelia_core::budget::BudgetGate;
use amelia_core::clock::SystemClock;
use amelia_core::config::agent::DriverType;
use amelia_core::config::retry::RetryConfig;
use amelia_core::driver::ModelOptions;
use amelia_core::id::AgentName;
use amelia_core::recording::NoTape;
use amelia_core::tool::{Risk, ToolBox, ToolCall, ToolCx, ToolResult, ToolSpec};
use amelia_drivers::api::ApiDriver;
use amelia_drivers::model::{Model, Prices};
use amelia_drivers::quota::QuotaGate;
use amelia_drivers::user_messages::LiveUserMessages;
use anyhow::{Result, anyhow};
use async_trait::async_trait;
use serde_json::json;

/// Nothing is left out of the conversation: what is measured is the whole of it.
const CONTEXT_TOKENS: u64 = 100_000_000;

/// The node in which the agent works, on `model`.
pub(super) fn work(model: Arc<dyn Model>, live: Live) -> Result<SingleAgentParts> {
    let driver = ApiDriver {
        model,
        clock: Arc::new(SystemClock),
        retry: RetryConfig::default(),
        prices: Arc::new(Prices::shipped().map_err(|error| anyhow!(error))?),
        budget_gate: BudgetGate::default(),
        quota: QuotaGate::default(),
        breaker: Arc::default(),
        user_messages: Arc::new(LiveUserMessages(Arc::default())),
        context_tokens: Arc::new(CONTEXT_TOKENS.into()),
        fallbacks: Vec::new(),
    };
    let agent = Agent {
        name: AgentName::new("developer")?,
        driver: Arc::new(driver),
        driver_type: DriverType::Api,
        model: "scripted".to_owned(),
        options: ModelOptions::default(),
        max_turns: u32::MAX,
        helpers: Helpers::default(),
        more_tools: None,
        live,
        tape: Arc::new(NoTape),
        redactor: Arc::default(),
        threads: Arc::default(),
        retry: RetryConfig::default(),
    };
    let system = "You are a benchmark.".to_owned();
    Ok(SingleAgentParts { agent, tools: Arc::new(Trivial), place: None, system })
}

/// What the agent is asked.
pub(super) fn goal() -> Single {
    Single { goal: "go".to_owned(), answer: None }
}

/// The names of the two tools: both only read, so they run at the same time.
pub(super) const TOOLS: [&str; 2] = ["look", "list"];

/// Tools that do nothing.
struct Trivial;

#[async_trait]
impl ToolBox for Trivial {
    fn specs(&self) -> Vec<ToolSpec> {
        let schema = || json!({"type": "object", "properties": {"path": {"type": "string"}}});
        let spec = |name: &str| ToolSpec::builtin(name, "Does nothing.", Risk::Read, schema());
        TOOLS.map(spec).into()
    }

    async fn call(&self, _: &ToolCx, call: &ToolCall) -> ToolResult {
        ToolResult { output: "nothing".to_owned(), error: None, ..ToolResult::interrupted(call) }
    }
}
