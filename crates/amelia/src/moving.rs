//! Moving a run in the foreground: shown as it happens, paused by one Ctrl-C, cancelled by a second.

use std::future::Future;

use amelia_core::id::{RunId, Seq};
use amelia_graph::control::{Inbox, control};
use amelia_graph::engine::{EngineError, Stop};
use amelia_orchestrator::runs::Runs;
use anyhow::Result;
use tokio_util::sync::CancellationToken;

use crate::terminal::Terminal;

/// What the engine is given to listen to.
pub(crate) struct Reins {
    pub(crate) cancel: CancellationToken,
    pub(crate) inbox: Inbox,
}

/// Runs `work` to its rest and shows every event of the run after `after`.
pub(crate) async fn watched<W>(
    runs: &Runs,
    run: RunId,
    after: Seq,
    terminal: &Terminal,
    work: impl FnOnce(Reins) -> W,
) -> Result<Stop>
where
    W: Future<Output = Result<Stop, EngineError>>,
{
    let (handle, inbox) = control();
    let cancel = CancellationToken::new();
    let moving = work(Reins { cancel: cancel.clone(), inbox });
    tokio::pin!(moving);
    let halting = async {
        // Too late is fine: then the run has come to rest by itself.
        handle.halt().await.ok();
        std::future::pending::<()>().await;
    };
    tokio::pin!(halting);
    let mut watch = runs.watch(run, after);
    let mut interrupts = 0_u32;
    let stop = loop {
        tokio::select! {
            stop = &mut moving => break stop?,
            event = watch.next() => terminal.event(&*event?)?,
            () = &mut halting, if interrupts > 0 => {}
            pressed = tokio::signal::ctrl_c() => {
                pressed?;
                interrupts += 1;
                if interrupts > 1 {
                    cancel.cancel();
                }
            }
        }
    };
    let end = runs.store().run(run).await?.map(|row| row.view.seq).unwrap_or_default();
    while watch.seen() < end {
        terminal.event(&*watch.next().await?)?;
    }
    Ok(stop)
}
