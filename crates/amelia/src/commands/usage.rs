//! `amelia usage`: tokens and cost. An unknown cost is shown as unknown, never as nothing.

mod table;

use std::process::ExitCode;

use amelia_host::home::Home;
use amelia_wire::rest::usage::Usage;
use anyhow::Result;

use self::table::{csv, document, rows, table};
use crate::cli::{Global, UsageArgs as Args};
use crate::reach;
use crate::ui;

pub(super) async fn run(args: &Args, home: &Home, global: &Global) -> Result<ExitCode> {
    let usage = match home.has_runs() || global.server.is_some() {
        true => asked(args, home, global).await?,
        false => Usage::default(),
    };
    let rows = rows(&usage, args.by);
    if global.json {
        anstream::println!("{}", document(&rows, &usage.total, args.by));
    } else if args.csv {
        anstream::print!("{}", csv(&rows, args.by));
    } else if rows.is_empty() {
        ui::say!("nothing was spent");
    } else {
        ui::say_lines(table(&rows, &usage.total, args.by, ui::columns()).trim_end());
    }
    Ok(ExitCode::SUCCESS)
}

async fn asked(args: &Args, home: &Home, global: &Global) -> Result<Usage> {
    let client = reach::to_look(home, global).await?;
    let since = args.since.map(|since| format!("?since={since}")).unwrap_or_default();
    let usage = client.get(&format!("/usage{since}")).await;
    client.close().await?;
    usage
}
