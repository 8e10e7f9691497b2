//! `amelia checkpoints`: every moment a run can be taken back to.

use std::process::ExitCode;

use amelia_core::checkpoint::CheckpointInfo;
use amelia_core::id::NodeId;
use amelia_core::store::Store;
use amelia_graph::position::requests;
use amelia_graph::travel;
use anyhow::Result;

use crate::cli::{Checkpoints, Global};
use crate::home::{Home, find_run};
use crate::known::Known;
use crate::ui;

pub(super) async fn run(args: &Checkpoints, home: &Home, global: &Global) -> Result<ExitCode> {
    let store = home.look()?;
    let run = find_run(&*store, &args.run).await?.run;
    match args.at {
        Some(number) => {
            let loaded = travel::read(&*store, run.id, number).await?;
            let state = Known::named(&run.spec.graph)?.state(&loaded)?;
            anstream::println!("{}", serde_json::to_string_pretty(&state)?);
        }
        None => list(&store.checkpoints(run.id).await?, global)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list(checkpoints: &[CheckpointInfo], global: &Global) -> Result<()> {
    if global.json {
        anstream::println!("{}", serde_json::to_string(checkpoints)?);
        return Ok(());
    }
    for info in checkpoints {
        let nodes: Vec<&str> = info.position.entered.keys().map(NodeId::as_str).collect();
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
