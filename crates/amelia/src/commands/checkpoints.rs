//! `amelia checkpoints`: every moment a run can be taken back to.

use std::process::ExitCode;

use amelia_core::checkpoint::CheckpointInfo;
use amelia_core::id::RunId;
use amelia_core::store::Store;
use amelia_graph::position::requests;
use amelia_graph::state::rebuild;
use amelia_graph::travel;
use anyhow::Result;

use crate::cli::{Checkpoints, Global};
use crate::home::{Home, find_run};
use crate::synthetic::state::Work;
use crate::ui;

pub(super) async fn run(args: &Checkpoints, home: &Home, global: &Global) -> Result<ExitCode> {
    let store = home.open_existing()?;
    let run = find_run(&*store, &args.run).await?.run.id;
    match args.at {
        Some(number) => show(&*store, run, number).await?,
        None => list(&store.checkpoints(run).await?, global)?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn show(store: &dyn Store, run: RunId, number: u32) -> Result<()> {
    let loaded = travel::read(store, run, number).await?;
    let state: Work = rebuild(&loaded)?;
    println!("{}", serde_json::to_string_pretty(&state)?);
    Ok(())
}

fn list(checkpoints: &[CheckpointInfo], global: &Global) -> Result<()> {
    if global.json {
        println!("{}", serde_json::to_string(checkpoints)?);
        return Ok(());
    }
    for info in checkpoints {
        let nodes: Vec<&str> = info.position.entered.keys().map(amelia_core::id::NodeId::as_str).collect();
        let open = requests(&info.position).count();
        let asks =
            if open == 0 { String::new() } else { ui::painted(ui::WAITS, format!(" {open} questions open")) };
        let place = if info.position.ended { "the end".to_owned() } else { nodes.join(", ") };
        let kind = if info.is_snapshot { "snapshot" } else { "updates" };
        anstream::println!(
            "{} {} {}{asks} {}",
            ui::bold(format!("{:>5}", info.number)),
            ui::dim(ui::clock_time(info.at)),
            ui::clean(&place),
            ui::dim(format!("(event {}, {} bytes of {kind})", info.seq, info.bytes)),
        );
    }
    Ok(())
}
