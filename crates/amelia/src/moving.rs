//! Moving a run in the foreground: shown as it happens, paused by one Ctrl-C, cancelled by a second.

use std::future::Future;

use amelia_core::id::{RunId, Seq};
use amelia_graph::control::{Inbox, control};
use amelia_graph::engine::{EngineError, Stop};
use amelia_orchestrator::runs::Runs;
use anyhow::Result;
use tokio::signal::unix::{SignalKind, signal};
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
    // One listener for all the time, or a press between two looks would be lost.
    let mut pressed = signal(SignalKind::interrupt())?;
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
            // Facts before words: what was written down came before what is being said.
            biased;
            _ = pressed.recv() => {
                interrupts += 1;
                if interrupts > 1 {
                    cancel.cancel();
                }
            }
            event = watch.next() => terminal.event(&*event?)?,
            () = terminal.show_said() => {}
            stop = &mut moving => break stop?,
            () = &mut halting, if interrupts > 0 => {}
        }
    };
    terminal.show_all_said();
    let end = runs.store().run(run).await?.map(|row| row.view.seq).unwrap_or_default();
    while watch.seen() < end {
        terminal.event(&*watch.next().await?)?;
    }
    Ok(stop)
}

/// Does what is only for people, unless they do not want to wait for it. After a run was watched, nothing else ends the
/// program at Ctrl-C.
pub(crate) async fn unless_interrupted(shown: impl Future<Output = Result<()>>) -> Result<()> {
    let mut pressed = signal(SignalKind::interrupt())?;
    tokio::select! {
        shown = shown => shown,
        _ = pressed.recv() => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use amelia_core::id::GraphName;
    use amelia_core::run::RunSpec;
    use amelia_store::memory::MemoryStore;
    use clap::Parser;

    use super::*;
    use crate::home::runs_on;

    /// Work that does not obey: it ends only when it is cancelled.
    #[tokio::test]
    async fn pressed_twice_it_is_cancelled_whatever_the_pause_does() {
        let runs = runs_on(Arc::new(MemoryStore::new()));
        let spec = RunSpec::new(GraphName::new("deaf").unwrap(), "work that does not obey");
        let run = runs.create(spec).await.unwrap();
        let terminal = Terminal::new(&crate::cli::Cli::parse_from(["amelia", "--quiet", "runs"]).global);
        // From here on the signal does not end the test.
        let mut seen = signal(SignalKind::interrupt()).unwrap();
        let moving = watched(&runs, run, Seq::START, &terminal, |reins| async move {
            reins.cancel.cancelled().await;
            drop(reins.inbox);
            Ok(Stop::Cancelled)
        });
        let pressing = async {
            for _ in 0..2 {
                let me = rustix::process::getpid();
                rustix::process::kill_process(me, rustix::process::Signal::INT).unwrap();
                // Two that come together count as one.
                seen.recv().await;
            }
        };
        let (stop, ()) = tokio::join!(moving, pressing);
        assert_eq!(stop.unwrap(), Stop::Cancelled);
    }
}
