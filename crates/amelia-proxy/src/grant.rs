//! A grant, as every call that comes with its token sees it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

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

/// A call under way.
pub(crate) trait OpenCall: Send + Sync {
    /// The caller has gone away: settles the call, and tells what it used until now.
    fn leave(&self);
}

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
    /// It got the answer that the upstream cannot be reached.
    pub(crate) is_unreached: AtomicBool,
    /// The grant is gone: every call under way ends.
    pub(crate) ended: CancellationToken,
    /// Calls under way.
    pub(crate) open: Mutex<Vec<Weak<dyn OpenCall>>>,
}

impl Grant {
    pub(crate) fn tell(&self, metered: MeterReport) {
        // The program has ended: no reader is left.
        self.metered.send(metered).ok();
    }

    /// A call begins.
    pub(crate) fn add(&self, call: Weak<dyn OpenCall>) {
        let mut open = self.open.lock();
        open.retain(|call| call.strong_count() > 0);
        open.push(call);
    }

    /// Ends what is under way. All its use is reported when this returns.
    pub(crate) fn end(&self) {
        let open = std::mem::take(&mut *self.open.lock());
        open.iter().filter_map(Weak::upgrade).for_each(|call| call.leave());
        self.ended.cancel();
    }

    /// Tells that the upstream cannot be reached, once.
    pub(crate) fn tell_unreached(&self, detail: &str) {
        if !self.is_unreached.swap(true, Ordering::Relaxed) {
            let address = self.access.upstream.base_url.clone();
            self.tell(MeterReport::Unreached { address, detail: detail.to_owned() });
        }
    }
}
