//! `amelia task export`: a run as the files of document 004. The database has the truth; the files are made from it.

use std::process::ExitCode;

use amelia_core::id::RunNumber;
use amelia_core::run::Run;
use amelia_host::home::Home;
use amelia_host::task_files::TaskDirectory;
use amelia_wire::maf::checkpoint::Checkpoint;
use amelia_wire::maf::task::Task;
use amelia_wire::maf::trace::TraceLog;
use amelia_wire::rest::Page;
use anyhow::Result;
use serde_json::json;

use super::which_run::newest;
use crate::cli::{Global, TaskCommand, TaskExportArgs};
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
    Ok((number, directory.path().display().to_string(), written))
}
