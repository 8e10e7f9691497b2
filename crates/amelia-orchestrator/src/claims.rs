//! Who writes a run's log now: an engine that moves it, or a command that writes to it at rest. Never both: a command that
//! met a start would make the engine's first commit a conflict, and fail the run. In this process only; the store
//! refuses a second writer from elsewhere.

use std::collections::BTreeMap;
use std::sync::Arc;

use amelia_core::id::RunId;
use parking_lot::Mutex;
use tokio::sync::Notify;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writer {
    Engine,
    Command,
}

/// The runs that have a writer.
#[derive(Clone, Default)]
pub(crate) struct Claims(Arc<Inner>);

#[derive(Default)]
struct Inner {
    writers: Mutex<BTreeMap<RunId, Writer>>,
    freed: Notify,
}

/// The right to write a run's log, until it is dropped.
pub struct Claim {
    claims: Claims,
    run: RunId,
}

/// An engine moves the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moving;

impl Claims {
    /// For an engine. Waits for commands, which take milliseconds; a second engine is refused.
    pub(crate) async fn for_engine(&self, run: RunId) -> Result<Claim, Moving> {
        self.claim(run, Writer::Engine).await
    }

    /// For a command. Commands wait for each other; while an engine moves the run, the engine must be asked instead.
    pub(crate) async fn for_command(&self, run: RunId) -> Result<Claim, Moving> {
        self.claim(run, Writer::Command).await
    }

    async fn claim(&self, run: RunId, writer: Writer) -> Result<Claim, Moving> {
        loop {
            let mut freed = std::pin::pin!(self.0.freed.notified());
            // Registered before the look: a claim that is dropped in between is not missed.
            freed.as_mut().enable();
            match self.try_claim(run, writer) {
                None => return Ok(Claim { claims: self.clone(), run }),
                Some(Writer::Engine) => return Err(Moving),
                Some(Writer::Command) => freed.await,
            }
        }
    }

    /// The writer that is there already, or `None` when the claim was made.
    fn try_claim(&self, run: RunId, writer: Writer) -> Option<Writer> {
        let mut writers = self.0.writers.lock();
        let found = writers.get(&run).copied();
        if found.is_none() {
            writers.insert(run, writer);
        }
        found
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.claims.0.writers.lock().remove(&self.run);
        self.claims.0.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::clock::{Clock as _, SystemClock};

    use super::*;

    #[tokio::test]
    async fn an_engine_waits_for_commands_and_refuses_everybody_else() {
        let (claims, run) = (Claims::default(), RunId(SystemClock.new_id()));
        let command = claims.for_command(run).await.ok().unwrap();
        let waiting = tokio::spawn({
            let claims = claims.clone();
            async move { claims.for_engine(run).await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(command);
        let engine = waiting.await.unwrap().ok().unwrap();
        assert_eq!(claims.for_command(run).await.err(), Some(Moving));
        assert_eq!(claims.for_engine(run).await.err(), Some(Moving));
        drop(engine);
        assert!(claims.for_command(run).await.is_ok());
        assert!(claims.0.writers.lock().is_empty());
    }
}
