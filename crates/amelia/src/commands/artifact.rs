//! `amelia artifact`: the files that the agents of a run have kept, with their versions.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use amelia_core::id::RunId;
use amelia_host::home::Home;
use amelia_wire::rest::Page;
use amelia_wire::rest::artifact::{ArtifactDiff, ArtifactShown, ArtifactVersionShown};
use anyhow::{Context as _, Result};
use serde_json::json;

use super::which_run::newest;
use crate::cli::{
    ArtifactArgs, ArtifactCommand, ArtifactDiffArgs, ArtifactGetArgs, ArtifactListArgs, ArtifactRestoreArgs,
    Global,
};
use crate::cli_error::{CliError, Exit};
use crate::client::Client;
use crate::reach;
use crate::ui;

pub(super) async fn run(command: &ArtifactCommand, home: &Home, global: &Global) -> Result<ExitCode> {
    let client = match command {
        ArtifactCommand::Restore(_) => reach::to_work_here(home, global, Vec::new()).await?,
        ArtifactCommand::List(_)
        | ArtifactCommand::Get(_)
        | ArtifactCommand::Versions(_)
        | ArtifactCommand::Diff(_) => reach::to_look(home, global).await?,
    };
    let done = match command {
        ArtifactCommand::List(args) => list(&client, args, global).await,
        ArtifactCommand::Get(args) => get(&client, args).await,
        ArtifactCommand::Versions(args) => versions(&client, args, global).await,
        ArtifactCommand::Diff(args) => diff(&client, args, global).await,
        ArtifactCommand::Restore(args) => restore(&client, args, global).await,
    };
    client.close().await?;
    done.map(|()| ExitCode::SUCCESS)
}

/// Every artifact of a run that a query asks for.
pub(super) async fn all(client: &Client, run: RunId, query: &str) -> Result<Vec<ArtifactShown>> {
    let (mut items, mut cursor) = (Vec::new(), Some(String::new()));
    while let Some(place) = cursor {
        let page: Page<ArtifactShown> =
            client.get(&format!("/tasks/{run}/artifacts?limit=500{query}{place}")).await?;
        items.extend(page.items);
        cursor = page.next_cursor.map(|next| format!("&cursor={next}"));
    }
    Ok(items)
}

/// The versions of an artifact.
pub(super) async fn versions_of(
    client: &Client,
    run: RunId,
    path: &str,
) -> Result<Vec<ArtifactVersionShown>> {
    let page: Page<ArtifactVersionShown> = client.get(&format!("{}/versions", address(run, path))).await?;
    Ok(page.items)
}

/// Where an artifact is.
pub(super) fn address(run: RunId, path: &str) -> String {
    format!("/tasks/{run}/artifacts/{}", encoded(path))
}

fn encoded(path: &str) -> String {
    let mut text = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                text.push(char::from(byte));
            }
            other => text.push_str(&format!("%{other:02X}")),
        }
    }
    text
}

async fn list(client: &Client, args: &ArtifactListArgs, global: &Global) -> Result<()> {
    let row = newest(client, args.run.as_deref()).await?;
    let term = |name: &str, value: &Option<String>| {
        value.as_ref().map(|value| format!("&{name}={}", encoded(value))).unwrap_or_default()
    };
    let query = format!("{}{}", term("tag", &args.tag), term("prefix", &args.prefix));
    let items = all(client, row.run.id, &query).await?;
    if global.json {
        anstream::println!("{}", json!({"items": items}));
        return Ok(());
    }
    if items.is_empty() {
        ui::say!("run {} has no artifacts", row.run.number);
    }
    let width = items.iter().map(|item| item.path.chars().count()).max().unwrap_or_default();
    for item in &items {
        let by = item.created_by.as_deref().unwrap_or("-");
        let size = ui::counted(usize::try_from(item.size_bytes).unwrap_or(usize::MAX), "byte");
        let conflict = if item.has_conflict { "  conflict" } else { "" };
        let tags = if item.tags.is_empty() { String::new() } else { format!("  [{}]", item.tags.join(", ")) };
        let line = format!(
            "{:width$}  {:4} {size}  {}  {by}{conflict}{tags}",
            item.path, item.version, item.mime_type
        );
        anstream::println!("{}", ui::one_line(&line));
    }
    Ok(())
}

async fn get(client: &Client, args: &ArtifactGetArgs) -> Result<()> {
    let run = client.find(&args.artifact.run).await?.run.id;
    let content = content(client, run, &args.artifact.path, args.version.as_deref()).await?;
    if let Some(file) = &args.output {
        return std::fs::write(file, content).with_context(|| format!("cannot write {}", file.display()));
    }
    let text = std::str::from_utf8(&content);
    match text {
        // Without the power to steer the terminal.
        Ok(text) if std::io::stdout().is_terminal() => {
            text.lines().for_each(|line| anstream::println!("{}", ui::clean(line)));
        }
        Err(_) if std::io::stdout().is_terminal() => {
            let error = CliError::new(Exit::Usage, format!("`{}` is not text", args.artifact.path));
            return Err(error.with_hint("write it to a file with --output FILE").into());
        }
        // A reader that was closed early is not an error.
        _ => drop(std::io::stdout().write_all(&content).ok()),
    }
    Ok(())
}

/// The content of a version.
pub(super) async fn content(
    client: &Client,
    run: RunId,
    path: &str,
    version: Option<&str>,
) -> Result<Vec<u8>> {
    let version = version.map(|version| format!("&version={}", encoded(version))).unwrap_or_default();
    client.bytes(&format!("{}?file=1{version}", address(run, path))).await
}

async fn versions(client: &Client, args: &ArtifactArgs, global: &Global) -> Result<()> {
    let run = client.find(&args.run).await?.run.id;
    let items = versions_of(client, run, &args.path).await?;
    if global.json {
        anstream::println!("{}", json!({"items": items}));
        return Ok(());
    }
    for item in &items {
        let by = item.created_by.as_deref().unwrap_or("-");
        let reason = item.reason.as_deref().unwrap_or_default();
        let conflict = item.conflicts_with.as_ref().map(|other| format!("  conflicts with {other}"));
        let (at, conflict) = (ui::day_time(item.created_at), conflict.unwrap_or_default());
        let size = ui::counted(usize::try_from(item.size_bytes).unwrap_or(usize::MAX), "byte");
        let line = format!("{:4} {at}  {size}  {by}  {reason}{conflict}", item.version);
        anstream::println!("{}", ui::one_line(line.trim_end()));
    }
    Ok(())
}

async fn diff(client: &Client, args: &ArtifactDiffArgs, global: &Global) -> Result<()> {
    let run = client.find(&args.artifact.run).await?.run.id;
    let term = |name: &str, value: &Option<String>| {
        value.as_ref().map(|value| format!("{name}={}&", encoded(value))).unwrap_or_default()
    };
    let query = format!("{}{}", term("from", &args.from), term("to", &args.to));
    let found: ArtifactDiff =
        client.get(&format!("{}/diff?{query}", address(run, &args.artifact.path))).await?;
    if global.json {
        anstream::println!("{}", serde_json::to_string(&found)?);
        return Ok(());
    }
    let ArtifactDiff { from, to, diff, is_binary, is_too_long, .. } = found;
    match (is_binary, is_too_long, diff.is_empty()) {
        (true, ..) => ui::say!("{from} and {to} differ, and at least one of them is not text"),
        (_, true, _) => ui::say!("{from} and {to} are too long to compare: use `amelia artifact get`"),
        (_, _, true) => ui::say!("{from} and {to} are the same"),
        _ => diff.lines().for_each(|line| anstream::println!("{}", ui::clean(line))),
    }
    Ok(())
}

async fn restore(client: &Client, args: &ArtifactRestoreArgs, global: &Global) -> Result<()> {
    let run = client.find(&args.artifact.run).await?.run.id;
    let address = address(run, &args.artifact.path);
    let path = format!("{address}/restore/{}", encoded(&args.version));
    let newest: ArtifactVersionShown = client.post(&path, &json!({})).await?;
    match global.json {
        true => anstream::println!("{}", serde_json::to_string(&newest)?),
        false => {
            let (path, version) = (ui::one_line(&args.artifact.path), &newest.version);
            ui::say!("{path}: {version} has the content of {}", ui::one_line(&args.version));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_written_as_a_part_of_an_address() {
        assert_eq!(encoded("a b/ä?.md"), "a%20b/%C3%A4%3F.md");
    }
}
