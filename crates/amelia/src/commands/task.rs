//! `amelia task export`: a run as the files of document 004, with its artifacts. The database has the truth; the files are made from it.

use std::collections::BTreeMap;
use std::process::ExitCode;

use amelia_core::event::Event;
use amelia_core::id::{RunId, RunNumber};
use amelia_core::run::Run;
use amelia_host::artifacts::tree::{ArtifactRecord, ArtifactTree};
use amelia_host::home::Home;
use amelia_host::task_files::TaskDirectory;
use amelia_wire::agentx::guardrails::GuardrailReport;
use amelia_wire::maf::checkpoint::Checkpoint;
use amelia_wire::maf::task::Task;
use amelia_wire::maf::trace::TraceLog;
use amelia_wire::rest::Page;
use amelia_wire::rest::artifact::ArtifactVersionShown;
use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::artifact;
use super::which_run::newest;
use crate::cli::{Global, TaskCommand, TaskExportArgs};
use crate::cli_error::{Exit, exit_of};
use crate::client::Client;
use crate::reach;
use crate::ui;

pub(super) async fn run(command: &TaskCommand, home: &Home, global: &Global) -> Result<ExitCode> {
    let TaskCommand::Export(args) = command;
    let client = reach::to_look(home, global).await?;
    let exported = export(&client, args, home).await;
    client.close().await?;
    let (run, directory, files) = exported?;
    match global.json {
        true => anstream::println!("{}", json!({"directory": directory, "files": files})),
        false => ui::say!("wrote {files} files of {run} to {}", ui::one_line(&directory)),
    }
    Ok(ExitCode::SUCCESS)
}

/// Of which run the files are, where, and how many.
async fn export(client: &Client, args: &TaskExportArgs, home: &Home) -> Result<(RunNumber, String, usize)> {
    let Run { id: run, number, .. } = newest(client, args.run.as_deref()).await?.run;
    let directory = match &args.to {
        Some(path) => TaskDirectory::at(path.clone(), run),
        None => TaskDirectory::of(home, run),
    };
    let task: Task = client.get(&format!("/tasks/{run}")).await?;
    directory.write_task(&task)?;
    let trace: Option<TraceLog> = client.get(&format!("/tasks/{run}/trace")).await?;
    directory.write_trace(trace.as_ref())?;
    let (mut written, mut cursor) = (2, Some(String::new()));
    while let Some(place) = cursor {
        let page: Page<Checkpoint> =
            client.get(&format!("/tasks/{run}/checkpoints?format=004{place}")).await?;
        for checkpoint in &page.items {
            directory.write_checkpoint(checkpoint)?;
            written += 1;
        }
        cursor = page.next_cursor.map(|next| format!("&cursor={next}"));
    }
    if let Some(plan) = plan_of_team(client, run).await? {
        directory.write_plan(&plan)?;
        written += 1;
    }
    let report = GuardrailReport::of(&warnings(client, run).await?);
    if !report.violations.is_empty() {
        directory.write_guardrails(&report)?;
        written += 1;
    }
    written += export_artifacts(client, run, &directory).await?;
    Ok((number, directory.path().display().to_string(), written))
}

/// The plan of a run of a team, if it has one. Plans of other runs are Markdown.
async fn plan_of_team(client: &Client, run: RunId) -> Result<Option<Value>> {
    match client.get::<Value>(&format!("/tasks/{run}/plan")).await {
        Ok(plan) => Ok(Some(plan).filter(|plan| plan.get("tasks").is_some())),
        Err(error) if exit_of(&error) == Exit::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The events of a run that people should look at; violations of guardrails are among them.
async fn warnings(client: &Client, run: RunId) -> Result<Vec<Event>> {
    let (mut events, mut cursor) = (Vec::new(), Some(String::new()));
    while let Some(place) = cursor {
        let path = format!("/workflows/{run}/events?format=log&level=warning&limit=500{place}");
        let page: Page<Event> = client.get(&path).await?;
        events.extend(page.items);
        cursor = page.next_cursor.map(|next| format!("&cursor={next}"));
    }
    Ok(events)
}

/// The artifacts with all their versions. Returns how many files were written.
async fn export_artifacts(client: &Client, run: RunId, directory: &TaskDirectory) -> Result<usize> {
    let (mut records, mut contents) = (Vec::new(), BTreeMap::new());
    for artifact in artifact::all(client, run, "").await? {
        let history = artifact::versions_of(client, run, &artifact.path).await?;
        for version in &history {
            if !contents.contains_key(&version.checksum) {
                let content = artifact::content(client, run, &artifact.path, Some(&version.version)).await?;
                contents.insert(version.checksum.clone(), content);
            }
        }
        records.push(ArtifactRecord { artifact, history, is_deleted: false });
    }
    if records.is_empty() {
        return Ok(0);
    }
    let content = |_: &ArtifactRecord, version: &ArtifactVersionShown| {
        contents.get(&version.checksum).cloned().context("a version is missing")
    };
    ArtifactTree::open(directory.path())?.write(&records, content)
}
