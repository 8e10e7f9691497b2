//! Connections on which no request has been authenticated yet. Only so many of them are open at a time: half a request
//! costs a caller nothing, and us a file handle. One more ends the oldest, so that no caller is kept out.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio_util::sync::CancellationToken;

/// Every request of a connection carries it.
#[derive(Clone, Default)]
pub struct Stranger {
    is_known: Arc<AtomicBool>,
    ended: CancellationToken,
}

impl Stranger {
    /// A request on this connection was authenticated: it is a stranger no more.
    pub fn known(&self) {
        self.is_known.store(true, Ordering::Release);
    }

    pub(super) fn is_known(&self) -> bool {
        self.is_known.load(Ordering::Acquire)
    }

    /// Returns when the connection has to make room.
    pub(super) async fn ended(&self) {
        self.ended.cancelled().await;
        if self.is_known() {
            // It was authenticated in this moment.
            std::future::pending::<()>().await;
        }
    }
}

/// Those that are open, oldest first.
pub(super) struct Strangers {
    open: VecDeque<Stranger>,
    most: usize,
}

impl Strangers {
    pub(super) fn new(most: usize) -> Self {
        Self { open: VecDeque::new(), most: most.max(1) }
    }

    /// One more. The oldest goes when there are too many.
    pub(super) fn admit(&mut self) -> Stranger {
        // The last handle is ours: its connection has ended.
        self.open.retain(|stranger| !stranger.is_known() && Arc::strong_count(&stranger.is_known) > 1);
        while self.open.len() >= self.most {
            if let Some(oldest) = self.open.pop_front() {
                oldest.ended.cancel();
            }
        }
        let stranger = Stranger::default();
        self.open.push_back(stranger.clone());
        stranger
    }
}
