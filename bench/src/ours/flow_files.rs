//! Agents and workflows as files of a repository.

use std::path::Path;

use anyhow::Result;

/// An agent without tools, whose model at `url` has its name.
pub(super) fn write_agent(checkout: &Path, name: &str, url: &str) -> Result<()> {
    let text = format!(
        "name: {name}\nrole: {name}\nsystem_prompt: You are the {name}.\ntools: []\n\
         llm_config: {{ endpoint: \"{url}/v1\", model: {name} }}\n"
    );
    write(checkout, "agents", name, &text)
}

pub(super) fn write_workflow(checkout: &Path, name: &str, text: &str) -> Result<()> {
    write(checkout, "workflows", name, text)
}

fn write(checkout: &Path, kind: &str, name: &str, text: &str) -> Result<()> {
    let directory = checkout.join(".amelia").join(kind);
    std::fs::create_dir_all(&directory)?;
    Ok(std::fs::write(directory.join(format!("{name}.yaml")), text)?)
}
