//! `amelia logs`: what happened in a run, and with `--follow` what happens.

use std::process::ExitCode;

use amelia_core::event::Event;
use amelia_core::id::RunId;
use amelia_wire::rest::Page;
use anyhow::Result;

use super::watching::{Watching, watch};
use crate::cli::{Global, Logs};
use crate::client::Client;
use crate::follow::Told;
use crate::home::Home;
use crate::reach;
use crate::ui;

const PAGE: usize = 500;

pub(super) async fn run(args: &Logs, home: &Home, global: &Global) -> Result<ExitCode> {
    let client = reach::to_look(home, global).await?;
    let outcome = show(&client, args, global).await;
    client.close().await?;
    outcome
}

async fn show(client: &Client, args: &Logs, global: &Global) -> Result<ExitCode> {
    let row = client.find(&args.run).await?;
    let is_at_work = !row.view.status.is_final() && row.view.pending.is_empty();
    if args.follow && is_at_work && !client.is_hosted() {
        let run = row.run.id;
        return watch(
            client,
            run,
            (args.since > 0).then(|| Told::to_go_on(row)),
            Watching::following(),
            global,
        )
        .await;
    }
    past(client, row.run.id, args, global).await
}

async fn past(client: &Client, run: RunId, args: &Logs, global: &Global) -> Result<ExitCode> {
    let mut after = args.since;
    let level = args.level.as_ref().map(|level| format!("&level={level}")).unwrap_or_default();
    loop {
        let path = format!("/workflows/{run}/events?format=log&limit={PAGE}&after={after}{level}");
        let page: Page<Event> = client.get(&path).await?;
        for event in page.items.iter().filter(|event| is_wanted(event, args)) {
            if global.json {
                anstream::println!("{}", serde_json::to_string(event)?);
            } else {
                anstream::println!("{}", ui::event_line(event));
            }
        }
        match page.next_cursor.and_then(|next| next.parse().ok()) {
            Some(next) => after = next,
            None => return Ok(ExitCode::SUCCESS),
        }
    }
}

fn is_wanted(event: &Event, args: &Logs) -> bool {
    let name = event.draft.kind.name();
    args.name.as_ref().is_none_or(|wanted| name.starts_with(wanted.as_str()))
        && args.agent.as_ref().is_none_or(|wanted| event.draft.agent.as_str() == wanted)
}
