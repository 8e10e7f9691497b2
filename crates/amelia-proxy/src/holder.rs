//! An open pass, as every call that comes with its token sees it.

use std::sync::{Arc, Mutex};

use amelia_core::recording::Strand;
use amelia_core::redact::Redactor;
use amelia_drivers::program::Metered;
use bytes::Bytes;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use crate::access::Access;
use crate::carrier::Carrier;
use crate::lane::Lane;

/// An open pass.
pub(crate) struct Holder {
    pub(crate) access: Arc<Access>,
    pub(crate) lane: Arc<Lane>,
    pub(crate) redactor: Redactor,
    pub(crate) carrier: Carrier,
    pub(crate) strand: Strand,
    pub(crate) metered: UnboundedSender<Metered>,
    /// The request before, as it was kept: the next one is written down as what is different.
    pub(crate) last: Mutex<Bytes>,
    /// The pass is gone: whatever is under way ends.
    pub(crate) ended: CancellationToken,
}

impl Holder {
    pub(crate) fn tell(&self, metered: Metered) {
        // The program has ended: no reader is left.
        self.metered.send(metered).ok();
    }
}
