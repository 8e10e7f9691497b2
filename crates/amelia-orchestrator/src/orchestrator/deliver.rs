//! A run's change goes somewhere: it is done outside, and then written into the log, which the run may have ended before.

use amelia_core::event::{DeliveryEvent, EventKind};
use amelia_core::id::RunId;
use amelia_core::view::RunRow;

use super::{CommandError, Orchestrator};

impl Orchestrator {
    /// Does what delivers the change of a run at rest, and writes what it returns into the log. One at a time per run.
    pub async fn deliver<T, E: From<CommandError>>(
        &self,
        run: RunId,
        work: impl AsyncFnOnce(&RunRow) -> Result<(DeliveryEvent, T), E>,
    ) -> Result<T, E> {
        let at_rest = self.at_rest(run).await?.ok_or(CommandError::AtWork(run))?;
        let (event, answer) = work(&at_rest.row).await?;
        self.write(&at_rest, vec![EventKind::Delivery(event)]).await?;
        Ok(answer)
    }
}
