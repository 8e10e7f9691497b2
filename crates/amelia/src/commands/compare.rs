//! `amelia compare`: two runs side by side.

mod side;

use std::process::ExitCode;

use amelia_host::home::Home;
use amelia_wire::rest::compare::Compared;
use anyhow::Result;

use self::side::table;
use crate::cli::{CompareArgs, Global};
use crate::client::Client;
use crate::reach;
use crate::ui;

pub(super) async fn run(args: &CompareArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let client = reach::to_look(home, global).await?;
    let compared = compared(args, &client).await;
    client.close().await?;
    let compared = compared?;
    match global.json {
        true => anstream::println!("{}", serde_json::to_string(&compared)?),
        false => anstream::print!("{}", table(&compared, ui::columns())),
    }
    Ok(ExitCode::SUCCESS)
}

async fn compared(args: &CompareArgs, client: &Client) -> Result<Compared> {
    let (a, b) = (client.find(&args.a).await?.run.id, client.find(&args.b).await?.run.id);
    client.get(&format!("/compare?a={a}&b={b}")).await
}
