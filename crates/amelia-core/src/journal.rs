//! A store narrowed to one run and its single writer: what the engine and its nodes hold.

use std::sync::Arc;

use async_trait::async_trait;

use crate::event::Event;
use crate::id::{RunId, Seq, Step};
use crate::store::{Commit, StoreError};

/// The only way a run writes to its log. Commits first, publishes after.
#[async_trait]
pub trait Journal: Send + Sync {
    /// Durable when it returns. Says where the log ends now.
    async fn commit(&self, commit: Commit) -> Result<Seq, StoreError>;

    /// What the node visit `step`, entered after `since`, has recorded so far.
    async fn past(&self, since: Seq, step: Step) -> Result<Vec<Event>, StoreError>;

    /// Everything that a child run has recorded so far, in whichever visits.
    async fn session(&self, session: RunId) -> Result<Arc<Vec<Event>>, StoreError>;

    /// Returns when a visit may come to its end; see [`crate::store::Store::turn_of`].
    async fn turn_of(&self, step: Step) {
        let _ = step;
    }

    /// Where the log ends.
    fn end(&self) -> Seq;
}
