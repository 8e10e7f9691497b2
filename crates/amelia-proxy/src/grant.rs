//! A grant, as every call that comes with its token sees it.

use std::sync::Arc;

use amelia_core::recording::Channel;
use amelia_core::redact::Redactor;
use amelia_drivers::program::MeterReport;
use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use crate::access::Access;
use crate::call_limiter::CallLimiter;
use crate::upstream_client::UpstreamClient;

/// A grant.
pub(crate) struct Grant {
    pub(crate) access: Arc<Access>,
    pub(crate) limiter: Arc<CallLimiter>,
    pub(crate) redactor: Redactor,
    pub(crate) client: UpstreamClient,
    pub(crate) channel: Channel,
    pub(crate) metered: UnboundedSender<MeterReport>,
    /// The request before, as it was kept: the next one is written down as what is different.
    pub(crate) last: Mutex<Bytes>,
    /// The grant is gone: whatever is under way ends.
    pub(crate) ended: CancellationToken,
}

impl Grant {
    pub(crate) fn tell(&self, metered: MeterReport) {
        // The program has ended: no reader is left.
        self.metered.send(metered).ok();
    }
}
