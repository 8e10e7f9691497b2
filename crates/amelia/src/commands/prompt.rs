//! `amelia prompt`: the prompts of the roles, with versions.

use std::process::ExitCode;

use amelia_host::home::Home;
use amelia_wire::rest::Page;
use amelia_wire::rest::prompt::{NewPrompt, PromptShown, PromptVersion};
use anyhow::Result;

use super::edit::{edited, text_of};
use crate::cli::{Global, PromptCommand};
use crate::client::Client;
use crate::reach;
use crate::ui;

pub(super) async fn run(command: &PromptCommand, home: &Home, global: &Global) -> Result<ExitCode> {
    let client = reach::to_work_here(home, global, Vec::new()).await?;
    let outcome = with(&client, command, global).await;
    client.close().await?;
    outcome.map(|()| ExitCode::SUCCESS)
}

async fn with(client: &Client, command: &PromptCommand, global: &Global) -> Result<()> {
    match command {
        PromptCommand::List => list(client, global).await,
        PromptCommand::Show { name } => show(&found(client, name).await?, global),
        PromptCommand::Set { name, file } => set(client, name, text_of(file)?, global).await,
        PromptCommand::Edit { name } => {
            let before = found(client, name).await?.text;
            let after = edited(&before, "prompt-", ".md")?;
            if after == before {
                say(global, "nothing has changed");
                return Ok(());
            }
            set(client, name, after, global).await
        }
        PromptCommand::History { name } => history(client, name, global).await,
        PromptCommand::Reset { name } => {
            client.delete(&format!("/prompts/{name}")).await?;
            say(global, &format!("{name} is the built-in prompt again"));
            Ok(())
        }
    }
}

async fn found(client: &Client, name: &str) -> Result<PromptShown> {
    client.get(&format!("/prompts/{name}")).await
}

async fn list(client: &Client, global: &Global) -> Result<()> {
    let Page { items, .. }: Page<PromptShown> = client.get("/prompts?limit=500").await?;
    if global.json {
        anstream::println!("{}", serde_json::to_string(&items)?);
        return Ok(());
    }
    for prompt in &items {
        match prompt.version {
            Some(version) => {
                let mark = ui::painted(ui::WAITS, format!("yours, version {version}"));
                ui::say!("{} {mark}", ui::bold(&prompt.name));
            }
            None => anstream::println!("{}", prompt.name),
        }
    }
    Ok(())
}

fn show(prompt: &PromptShown, global: &Global) -> Result<()> {
    match global.json {
        true => anstream::println!("{}", serde_json::to_string(prompt)?),
        false => anstream::print!("{}", prompt.text),
    }
    Ok(())
}

async fn set(client: &Client, name: &str, text: String, global: &Global) -> Result<()> {
    let kept = client.put(&format!("/prompts/{name}"), &NewPrompt { text }).await?;
    let kept: PromptShown = serde_json::from_value(kept)?;
    if let Some(problem) = &kept.problem {
        say(global, &format!("{} {problem}; the text is used as it is", ui::painted(ui::WAITS, "note:")));
    }
    let version = kept.version.unwrap_or_default();
    say(global, &format!("{name} is saved as version {version}"));
    Ok(())
}

async fn history(client: &Client, name: &str, global: &Global) -> Result<()> {
    let Page { items, .. }: Page<PromptVersion> =
        client.get(&format!("/prompts/{name}/versions?limit=500")).await?;
    if global.json {
        anstream::println!("{}", serde_json::to_string(&items)?);
        return Ok(());
    }
    for version in &items {
        let what = match &version.text {
            Some(text) => format!("{} lines", text.lines().count()),
            None => "reset to the built-in prompt".to_owned(),
        };
        ui::say!("{:>4} {} {what}", version.version, ui::dim(ui::day_time(version.created_at)));
    }
    Ok(())
}

fn say(global: &Global, text: &str) {
    if !global.quiet && !global.json {
        ui::say!("{text}");
    }
}
