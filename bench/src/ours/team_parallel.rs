//! A team of eight agents that work at once, each with a model that takes a second: from the start of the program to its end.

use amelia_scripted::{Script, serve};
use anyhow::{Result, anyhow};
use serde_json::{Value, json};

use super::replayed::timed;
use super::{CaseArgs, repository};

const AGENTS: usize = 8;
/// A second for each.
const SCRIPT: &str = "
rules:
  - when: { model: worker }
    reply: { text: '....................', chunk: 1, chunk_delay_ms: 50 }
";

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    let checkout = args.dir.join("checkout");
    repository::make(&checkout, 1)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let script = Script::parse(SCRIPT).map_err(|error| anyhow!("{error}"))?;
    let model = runtime.block_on(serve(script, ([127, 0, 0, 1], 0).into()))?;
    let teams = checkout.join(".amelia").join("teams");
    std::fs::create_dir_all(&teams)?;
    std::fs::write(teams.join("eight.yaml"), team(&model.url()).to_string())?;
    let mut best = f64::MAX;
    for _ in 0..args.rounds {
        let (took, _) = timed(args, &["team", "run", "eight", "Work", "--quiet"])?;
        best = best.min(took);
    }
    Ok(json!({ "run_ms": best }))
}

/// JSON is YAML, too.
fn team(url: &str) -> Value {
    let names: Vec<String> = (0..AGENTS).map(|number| format!("worker{number}")).collect();
    let agent = |name: &String| json!({ "name": name, "role": "works", "prompt_template": "Work." });
    json!({
        "name": "eight",
        "description": "Eight agents work at once.",
        "default_llm": { "provider": "openai-compatible", "base_url": format!("{url}/v1"), "model": "worker" },
        "agents": names.iter().map(agent).collect::<Vec<_>>(),
        "collaboration_patterns": [{ "name": "all", "type": "parallel", "agents": names }],
    })
}
