//! Answers on their way to a run, and those that others give.

use std::time::Instant;

use amelia_core::event::{EventKind, HumanEvent, RunEvent};
use amelia_core::human::{HumanRequest, asks};
use amelia_core::id::{RequestId, RunId};
use amelia_core::view::RunRow;
use amelia_wire::rest::human::Respond;
use amelia_wire::rest::live::HeardOfLog;
use amelia_wire::rest::request::Accepted;
use anyhow::Result;
use serde_json::json;

use super::deciding::Decision;
use super::follower::{GLANCE, RECONNECT_TIMEOUT};
use crate::cli_error::{Exit, exit_of};
use crate::client::{Client, Socket};

/// Answers, over the death of a server: the first answer counts, so it may be given again.
pub(crate) async fn deliver(
    client: &Client,
    run: RunId,
    request: &HumanRequest,
    decision: &Decision,
) -> Result<()> {
    let since = Instant::now();
    let mut was_lost = false;
    loop {
        match tell(client, run, request, decision).await {
            Err(error) if exit_of(&error) == Exit::Unreachable && since.elapsed() < RECONNECT_TIMEOUT => {
                was_lost = true;
                tokio::time::sleep(GLANCE).await;
                client.look_again();
            }
            // It had arrived before the server died.
            Err(error) if was_lost && exit_of(&error) == Exit::Conflict => return Ok(()),
            answered => return answered,
        }
    }
}

async fn tell(client: &Client, run: RunId, request: &HumanRequest, decision: &Decision) -> Result<()> {
    match decision {
        Decision::Answer(answer) => {
            if request.asks() == Some(asks::MISSING_PROGRAM) {
                use_checks_of_profile(client, run).await?;
            }
            respond(client, run, request, answer).await
        }
        Decision::Resume(limits) => {
            let path = format!("/workflows/{run}/resume");
            client.post::<Accepted>(&path, limits).await.map(|_| ())
        }
        Decision::Step => client.tell(run, "step").await,
        Decision::Continue => client.tell(run, "continue").await,
        Decision::Cancel => client.tell(run, "cancel").await,
    }
}

/// A person who read that a check cannot run may have changed the profile. Without a profile, the checks stay.
async fn use_checks_of_profile(client: &Client, run: RunId) -> Result<()> {
    let taken = client.post::<Accepted>(&format!("/workflows/{run}/checks-from-profile"), &json!({})).await;
    match taken {
        Err(error) if exit_of(&error) != Exit::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Answers one question of a run. Durable when it returns `Ok`.
pub(crate) async fn respond(
    client: &Client,
    run: RunId,
    request: &HumanRequest,
    answer: &Respond,
) -> Result<()> {
    let path = format!("/workflows/{run}/hitl/{}/respond", request.id);
    client.post::<Accepted>(&path, answer).await.map(|_| ())
}

/// Ends when the log has an answer, or the run has ended without one.
pub(crate) async fn answered_elsewhere(client: &Client, row: &RunRow, asked: RequestId) {
    loop {
        if let Ok(mut socket) = client.follow(row.run.id, row.view.seq).await
            && is_over(&mut socket, asked).await
        {
            return;
        }
        // The server was started again, or its token was replaced.
        tokio::time::sleep(GLANCE).await;
        client.look_again();
    }
}

/// Whether the question is answered, or the run cancelled; `false` when the connection ends before.
async fn is_over(socket: &mut Socket, asked: RequestId) -> bool {
    while let Some(heard) = socket.next().await {
        let HeardOfLog::Event { payload } = heard else { continue };
        match &payload.draft.kind {
            EventKind::Human(HumanEvent::Replied(reply)) if reply.request == asked => return true,
            EventKind::Run(RunEvent::Cancelled { .. }) => return true,
            _ => {}
        }
    }
    false
}
