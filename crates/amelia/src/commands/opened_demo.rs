//! `amelia demo --open`: the run is watched and answered in a browser; the terminal only follows. The server stays when the
//! run has ended, so that people can look around.

use std::process::ExitCode;

use amelia_core::id::RunId;
use amelia_core::run::RunStatus;
use anyhow::Result;
use tokio::signal::unix::{SignalKind, signal};

use super::dashboard;
use crate::cli::Global;
use crate::cli_error::exit_of;
use crate::client::Client;
use crate::dashboard::{lasting_link, link};
use crate::follow::{AnsweredBy, Follow, FollowEnd, OnInterrupt, conclude};
use crate::terminal::Terminal;
use crate::ui;

/// Follows the run from a link to its page until Ctrl-C is pressed here. Says whether the run was completed.
pub(super) async fn accompany(client: &Client, run: RunId, global: &Global) -> Result<(bool, ExitCode)> {
    let link = link(client, &format!("runs/{run}")).await?;
    dashboard::show(&link, false, global);
    let terminal = Terminal::new(global);
    let (on_interrupt, who) = (OnInterrupt::LookAway, AnsweredBy::Elsewhere);
    let ended = Follow { client, terminal: &terminal, on_interrupt, who }.whole(run).await?;
    match &ended {
        // Ctrl-C, while it worked or while it waited.
        FollowEnd::LeftAlone(_) | FollowEnd::Interrupted(_) => return Ok((false, ExitCode::SUCCESS)),
        FollowEnd::Rested(row) if matches!(row.view.status, RunStatus::Waiting(_)) => {
            return Ok((false, ExitCode::SUCCESS));
        }
        FollowEnd::Rested(_) => {}
    }
    match conclude(client, &ended, global).await {
        Ok(exit) => Ok((true, exit)),
        Err(error) => {
            ui::say_error(&error);
            Ok((false, exit_of(&error).into()))
        }
    }
}

/// Keeps the server until it is not needed any more.
pub(super) async fn stay(client: &Client, global: &Global) -> Result<()> {
    if !global.json && !global.quiet {
        let told = "the dashboard stays open: press Ctrl-C here to end the demo";
        anstream::println!("\n{} {}", ui::bold(told), ui::dim(lasting_link(&client.base(), &client.token())));
    }
    signal(SignalKind::interrupt())?.recv().await;
    Ok(())
}

/// Ends when `amelia server stop`, or an init system, wants this to end.
pub(super) async fn told_to_end() -> Result<()> {
    signal(SignalKind::terminate())?.recv().await;
    Ok(())
}
