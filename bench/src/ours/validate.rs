//! `amelia workflow validate` in a repository with many workflow files, from start to end.

use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};

use super::replayed::timed;
use super::{CaseArgs, repository};

const AGENT: &str = "name: writer\nrole: writes\nsystem_prompt: You write.\ntools: [read_file]\n\
    llm_config: { endpoint: \"http://127.0.0.1:1/v1\", model: writer }\n";

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    let checkout = args.dir.join("checkout");
    repository::make(&checkout, 1)?;
    write(&checkout, args.n)?;
    let mut best = f64::MAX;
    for _ in 0..args.rounds {
        best = best.min(timed(args, &["workflow", "validate"])?.0);
    }
    Ok(json!({ "validate_ms": best, "files": args.n }))
}

/// Every file has a condition, a template, a loop and a person, as those that people write.
fn write(checkout: &Path, files: usize) -> Result<()> {
    let (agents, workflows) = (checkout.join(".amelia/agents"), checkout.join(".amelia/workflows"));
    std::fs::create_dir_all(&agents)?;
    std::fs::create_dir_all(&workflows)?;
    std::fs::write(agents.join("writer.yaml"), AGENT)?;
    for file in 0..files {
        let name = format!("flow_{file}");
        let text = format!(
            "name: {name}\ndescription: Number {file} of many.\nentry_point: write\nnodes:\n  \
             write: {{ type: agent, agent: writer, outputs: [essay] }}\n  \
             review: {{ type: agent, agent: writer, outputs: [score] }}\n  \
             ask: {{ type: human, prompt: \"Publish {{{{ state.essay }}}}?\" }}\nedges:\n  \
             - {{ from: write, to: review }}\n  \
             - {{ from: review, to: write, condition: \"state.score < 0.8\" }}\n  \
             - {{ from: review, to: ask, condition: \"state.score >= 0.8\" }}\n"
        );
        std::fs::write(workflows.join(format!("{name}.yaml")), text)?;
    }
    Ok(())
}
