//! A team of four agents that hand off to each other in turn, as the product compiles it: state, rules, conversations and log.
//! The model answers 1 KiB at once, in this process; every turn is stored before the next one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use amelia_agents::agent::Agent;
use amelia_agents::live::unseen;
use amelia_agents::tool_step::ToolCaller;
use amelia_core::config::problem::ProblemReport;
use amelia_core::config::team::FrozenTeam;
use amelia_core::id::{AgentName, Seq};
use amelia_core::message::Object;
use amelia_drivers::model::Model;
use amelia_flows::chat::Chat;
use amelia_flows::team::{TeamParts, compile};
use amelia_flows::workflow::FlowAgent;
use amelia_wire::agentx::team::TeamConfig;
use amelia_wire::read::Incoming as _;
use anyhow::{Result, anyhow, ensure};
use serde_json::{Value, json};

use super::turns::{AtOnce, EARLY, LATE, cost_us};
use super::{CaseArgs, agent, own};

const AGENTS: usize = 4;

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    let (runs, rounds, n) = (own::open(args)?, args.rounds, args.n);
    own::block_on(async move {
        let (mut best, mut costs) = (0.0_f64, Vec::new());
        for _ in 0..rounds {
            // All its answers are final: it calls no tools.
            let model = Arc::new(AtOnce::new(0));
            let team = circle(n)?;
            let parts = Arc::new(parts(&model)?);
            let graph = compile(&team, Some(&parts)).map_err(|problems| anyhow!("{problems:?}"))?;
            let begin = Chat::begin("go", Object::new(), jiff::Timestamp::now());
            let start = Instant::now();
            let run = own::complete(&runs, &graph, begin).await?;
            best = best.max(own::rate(n, start.elapsed()));
            let stored = runs.store().events(run, Seq::START, usize::MAX).await?;
            let said = stored.iter().filter(|event| event.draft.kind.name() == "agent.finished").count();
            ensure!(said == n, "{said} turns are stored, not {n}");
            costs.push(model.costs());
        }
        runs.store().close().await?;
        let (early, late) = (cost_us(&costs, EARLY), cost_us(&costs, LATE));
        let growth = early.zip(late).map(|(early, late)| late / early);
        Ok(json!({ "turns_s": best, "early_us": early, "late_us": late, "growth": growth }))
    })
}

fn name(number: usize) -> String {
    format!("agent{}", number % AGENTS)
}

/// It ends after so many turns.
fn circle(turns: usize) -> Result<FrozenTeam> {
    let agent = |number| json!({ "name": name(number), "role": "talks", "prompt_template": "Talk." });
    let rule = |number| json!({ "from_agent": name(number), "to_agent": name(number + 1) });
    let document: TeamConfig = serde_json::from_value(json!({
        "name": "circle",
        "default_llm": { "provider": "openai", "model": "scripted" },
        "agents": (0..AGENTS).map(agent).collect::<Vec<_>>(),
        "handoff_rules": (0..AGENTS).map(rule).collect::<Vec<_>>(),
        "execution_config": { "max_steps": turns + 1, "stop_on": [format!("max_messages:{turns}")] },
    }))?;
    let mut report = ProblemReport::default();
    let team = document.into_core(&mut report);
    let problems = report.into_problems();
    ensure!(problems.is_empty(), "{problems:?}");
    Ok(FrozenTeam { team, teams: BTreeMap::new(), policies: BTreeMap::new() })
}

fn parts(model: &Arc<AtOnce>) -> Result<TeamParts> {
    let mut agents = BTreeMap::new();
    for number in 0..AGENTS {
        let single = agent::work(Arc::clone(model) as Arc<dyn Model>, unseen())?;
        let talking = Agent { name: AgentName::new(name(number))?, ..single.agent };
        let (system, tools) = ("Talk.".to_owned(), single.tools);
        agents.insert(name(number), FlowAgent { agent: talking, system, tools });
    }
    let tools = agent::work(Arc::clone(model) as Arc<dyn Model>, unseen())?.tools;
    let tools = ToolCaller { name: AgentName::system(), tools, redactor: Arc::default() };
    let (title, prompt) = ("go".to_owned(), "go".to_owned());
    Ok(TeamParts { agents, tools, place: None, title, prompt, recalls: BTreeMap::new() })
}
