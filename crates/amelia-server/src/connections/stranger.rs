//! A connection on which no request has been authenticated yet. Only so many of them are open at a time: half a request
//! costs a caller nothing, and us a file handle.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OwnedSemaphorePermit;

/// Every request of a connection carries it.
#[derive(Clone)]
pub struct Stranger(Arc<Mutex<Option<OwnedSemaphorePermit>>>);

impl Stranger {
    pub(super) fn new(place: OwnedSemaphorePermit) -> Self {
        Self(Arc::new(Mutex::new(Some(place))))
    }

    /// A request on this connection was authenticated: its place is free for another.
    pub fn known(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    pub(super) fn is_known(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }
}
