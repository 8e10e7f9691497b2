//! `amelia checkpoints`: every moment a run can be taken back to.

use std::process::ExitCode;

use amelia_core::id::RunId;
use amelia_core::problem::Problem;
use amelia_host::home::Home;
use amelia_wire::rest::Page;
use amelia_wire::rest::travel::{CheckpointDetail, CheckpointSummary};
use anyhow::Result;

use super::which_run::newest;
use crate::cli::{CheckpointsArgs, Global};
use crate::client::Client;
use crate::reach;
use crate::ui;

pub(super) async fn run(args: &CheckpointsArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let client = reach::to_look(home, global).await?;
    let run = newest(&client, args.run.as_deref()).await?.run.id;
    match args.at {
        Some(number) => {
            let found: CheckpointDetail =
                client.get(&format!("/workflows/{run}/checkpoints/{number}")).await?;
            if let Some(warning) = &found.warning {
                ui::say_note(&Problem::new(warning.as_str()));
            }
            anstream::println!("{}", serde_json::to_string_pretty(&found.state)?);
        }
        None => list(&all(&client, &format!("/workflows/{run}/checkpoints")).await?, global)?,
    }
    client.close().await?;
    Ok(ExitCode::SUCCESS)
}

/// All that there are, oldest first.
pub(super) async fn all(client: &Client, path: &str) -> Result<Vec<CheckpointSummary>> {
    let mut found = Vec::new();
    let mut cursor = String::new();
    loop {
        let page: Page<CheckpointSummary> = client.get(&format!("{path}?limit=500{cursor}")).await?;
        found.extend(page.items);
        match page.next_cursor {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return Ok(found),
        }
    }
}

/// The nodes that a run at rest enters next.
pub(super) async fn next_nodes(client: &Client, run: RunId) -> Result<Vec<String>> {
    let mut all = all(client, &format!("/workflows/{run}/checkpoints")).await?;
    Ok(all.pop().map(|last| last.nodes).unwrap_or_default())
}

/// The checkpoint of a run that has ended at which a fork continues it.
pub(super) async fn last_before_end(client: &Client, run: RunId) -> Result<Option<u32>> {
    Ok(before_end(&all(client, &format!("/workflows/{run}/checkpoints")).await?))
}

/// The end itself names no nodes: nothing continues from it. A run that was cancelled while it waited has no checkpoint of
/// its end.
fn before_end(all: &[CheckpointSummary]) -> Option<u32> {
    all.iter().rev().find(|info| !info.nodes.is_empty() && !info.is_damaged).map(|info| info.number)
}

fn list(checkpoints: &[CheckpointSummary], global: &Global) -> Result<()> {
    if global.json {
        anstream::println!("{}", serde_json::to_string(checkpoints)?);
        return Ok(());
    }
    for info in checkpoints {
        let place = match info.nodes.as_slice() {
            _ if info.is_damaged => "damaged".to_owned(),
            [] => "the end".to_owned(),
            nodes => format!("before {}", nodes.join(", ")),
        };
        ui::say!(
            "{} {} {} {}",
            ui::bold(format!("{:>5}", info.number)),
            ui::dim(ui::clock_time(info.created_at)),
            ui::clean(&place),
            ui::dim(format!("(event {})", info.sequence)),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fork_begins_before_the_end() {
        let at = |number, nodes: &[&str]| CheckpointSummary {
            number,
            sequence: 0,
            created_at: jiff::Timestamp::UNIX_EPOCH,
            nodes: nodes.iter().map(|node| (*node).to_owned()).collect(),
            is_snapshot: false,
            bytes: 0,
            is_damaged: false,
        };
        assert_eq!(before_end(&[at(1, &["start"]), at(2, &["develop"]), at(3, &["develop"])]), Some(3));
        assert_eq!(before_end(&[at(1, &["start"]), at(2, &[])]), Some(1));
        let damaged = CheckpointSummary { is_damaged: true, ..at(2, &["develop"]) };
        assert_eq!(before_end(&[at(1, &["start"]), damaged]), Some(1));
        assert_eq!(before_end(&[at(1, &[])]), None);
        assert_eq!(before_end(&[]), None);
    }
}
