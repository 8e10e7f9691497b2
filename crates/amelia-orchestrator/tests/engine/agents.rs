//! Agents on the engine: what their conversations leave in the log, and how often they are asked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use amelia_agents::agent::Agent;
use amelia_agents::helpers::Helpers;
use amelia_agents::live::unseen;
use amelia_agents::pipeline::single::{Single, SingleAgentParts, graph};
use amelia_core::config::agent::DriverType;
use amelia_core::config::retry::RetryConfig;
use amelia_core::driver::{
    AgentMessage, AgentMessageStream, AgentRequest, Driver, DriverError, ModelOptions,
};
use amelia_core::id::{AgentName, RunId, SessionId};
use amelia_core::recording::NoTape;
use amelia_core::redact::Redactor;
use amelia_core::tool::{ToolBox, ToolCall, ToolCx, ToolResult, ToolSpec};
use amelia_graph::engine::Stop;
use amelia_orchestrator::runs::Move;
use async_trait::async_trait;

use crate::toy::World;

/// Says what it was given, one conversation after the other, and keeps what it was asked.
#[derive(Default)]
struct Script {
    lives: Mutex<VecDeque<Vec<Result<AgentMessage, DriverError>>>>,
    asked: Mutex<Vec<AgentRequest>>,
}

impl Driver for Script {
    fn run(&self, request: AgentRequest, _: Arc<dyn ToolBox>, _: ToolCx) -> AgentMessageStream {
        self.asked.lock().unwrap().push(request);
        let said = self.lives.lock().unwrap().pop_front().unwrap_or_default();
        Box::pin(futures_util::stream::iter(said))
    }
}

/// No tools.
struct Nothing;

#[async_trait]
impl ToolBox for Nothing {
    fn specs(&self) -> Vec<ToolSpec> {
        Vec::new()
    }

    async fn call(&self, _: &ToolCx, call: &ToolCall) -> ToolResult {
        ToolResult::interrupted(call)
    }
}

fn unavailable() -> Result<AgentMessage, DriverError> {
    let (provider, detail) = ("claude".to_owned(), "overloaded".to_owned());
    Err(DriverError::Unavailable { provider, tries: 1, retry_after: None, detail })
}

/// The program has asked again itself, for minutes.
fn given_up() -> Result<AgentMessage, DriverError> {
    unavailable().map_err(|error| error.after_retries(10))
}

fn done() -> Result<AgentMessage, DriverError> {
    Ok(AgentMessage::Result { text: "done".to_owned(), session: None, is_error: false })
}

/// Runs an agent with this script; how it came out, and what it was asked.
async fn run(
    lives: Vec<Vec<Result<AgentMessage, DriverError>>>,
    max_retries: u32,
) -> (World, RunId, Stop, Vec<AgentRequest>) {
    let world = World::new();
    let driver = Arc::new(Script { lives: Mutex::new(lives.into()), ..Script::default() });
    let agent = Agent {
        name: AgentName::new("developer").unwrap(),
        driver: Arc::clone(&driver) as Arc<dyn Driver>,
        driver_type: DriverType::Claude,
        model: "m".to_owned(),
        options: ModelOptions::default(),
        max_turns: 5,
        helpers: Helpers::default(),
        more_tools: None,
        live: unseen(),
        tape: Arc::new(NoTape),
        redactor: Arc::new(Redactor::default()),
        threads: Arc::default(),
        retry: RetryConfig { max_retries, ..RetryConfig::default() },
    };
    let work = SingleAgentParts { agent, tools: Arc::new(Nothing), place: None, system: "s".to_owned() };
    let graph = graph(work).unwrap();
    let run = world.create().await;
    let initial = Single { goal: "Fix it.".to_owned(), answer: None };
    let stop = world.runs.run(run, &graph, initial, Move::default()).await.unwrap();
    let asked = driver.asked.lock().unwrap().clone();
    (world, run, stop, asked)
}

#[tokio::test(start_paused = true)]
async fn a_program_that_is_not_available_is_asked_again_as_the_profile_says() {
    let session = AgentMessage::Session(SessionId::new("s-1").unwrap());
    let begun = vec![Ok(session), Ok(AgentMessage::Thinking { text: "hm".to_owned() }), unavailable()];
    let (world, run, stop, asked) = run(vec![vec![unavailable()], begun, vec![done()]], 2).await;
    assert_eq!(stop, Stop::Completed);
    let heard: Vec<(Option<String>, bool)> = asked
        .iter()
        .map(|request| (request.session.as_ref().map(ToString::to_string), request.is_heard()))
        .collect();
    assert_eq!(heard, [(None, false), (None, false), (Some("s-1".to_owned()), true)], "it goes on, not anew");
    let log = world.log(run).await;
    assert!(log.contains("claude: overloaded; trying again in 1.0 s (2 of 3)"), "{log}");
    assert!(log.contains("claude: overloaded; trying again in 2.0 s (3 of 3)"), "{log}");
}

#[tokio::test(start_paused = true)]
async fn retries_of_a_program_are_not_multiplied_by_ours() {
    let (_, _, stop, asked) = run(vec![vec![given_up()], vec![done()]], 3).await;
    assert!(matches!(&stop, Stop::Failed(_)), "{stop:?}");
    assert_eq!(asked.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_agent_without_retries_fails_at_once() {
    let (_, _, stop, asked) = run(vec![vec![unavailable()], vec![done()]], 0).await;
    assert!(matches!(stop, Stop::Failed(_)), "{stop:?}");
    assert_eq!(asked.len(), 1);
}
