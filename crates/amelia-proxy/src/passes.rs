//! Who may go through, and to whom: a token is good as long as its pass lives. Tokens are secrets, and never logged.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use amelia_core::config::secret::Secret;
use amelia_core::driver::DriverError;
use amelia_core::loopback::is_plain_loopback_url;
use amelia_core::recording::Strand;
use amelia_drivers::model::{Timeouts, client};
use amelia_drivers::program::{Gate, Pass};
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::access::Access;
use crate::carrier::{Carrier, Near};
use crate::holder::Holder;
use crate::lane::{Lane, Lanes};

/// All passes of a server. Cheap to clone.
#[derive(Clone, Default)]
pub struct Passes(Arc<Inner>);

#[derive(Default)]
struct Inner {
    address: OnceLock<SocketAddr>,
    open: RwLock<HashMap<String, Arc<Holder>>>,
    lanes: Lanes,
    timeouts: Timeouts,
    /// Made when it is needed: reading certificates takes longer than everything else at start.
    client: OnceLock<reqwest::Client>,
    /// By base URL.
    near: Mutex<HashMap<String, Arc<Near>>>,
}

impl Passes {
    /// Nobody may go through yet. How long is too long is given for tests; [`Default`] has what people get.
    #[must_use]
    pub fn patient(timeouts: Timeouts) -> Self {
        Self(Arc::new(Inner { timeouts, ..Inner::default() }))
    }

    /// Says where the server listens. Once; a pass cannot be opened before.
    pub fn listening_on(&self, address: SocketAddr) {
        // A second address is not ours to follow: passes with the first are out.
        self.0.address.set(address).ok();
    }

    /// Passes for the programs of an agent.
    #[must_use]
    pub fn gate(&self, access: Access) -> Arc<dyn Gate> {
        let lane = self.0.lanes.of(access.budget_scope.run());
        Arc::new(Entrance { passes: self.clone(), access: Arc::new(access), lane })
    }

    /// Who holds this token.
    pub(crate) fn holder(&self, token: &str) -> Option<Arc<Holder>> {
        self.0.open.read().unwrap_or_else(PoisonError::into_inner).get(token).cloned()
    }

    pub(crate) fn timeouts(&self) -> Timeouts {
        self.0.timeouts
    }

    fn url(&self) -> Result<String, DriverError> {
        let address = self.0.address.get();
        let address =
            address.ok_or_else(|| DriverError::Setup("the proxy does not listen yet".to_owned()))?;
        // Whoever listens everywhere is found here.
        Ok(match address.ip().is_unspecified() {
            true => format!("http://127.0.0.1:{}/proxy", address.port()),
            false => format!("http://{address}/proxy"),
        })
    }

    fn carrier(&self, base_url: &str) -> Result<Carrier, DriverError> {
        if is_plain_loopback_url(base_url) {
            let mut near = self.0.near.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(near) = near.get(base_url) {
                return Ok(Carrier::Near(Arc::clone(near)));
            }
            let made = Arc::new(Near::new(base_url, self.0.timeouts.connect)?);
            near.insert(base_url.to_owned(), Arc::clone(&made));
            return Ok(Carrier::Near(made));
        }
        if let Some(client) = self.0.client.get() {
            return Ok(Carrier::Far(client.clone()));
        }
        let made = client(self.0.timeouts)?;
        Ok(Carrier::Far(self.0.client.get_or_init(|| made).clone()))
    }

    fn revoke(&self, token: &str) {
        let held = self.0.open.write().unwrap_or_else(PoisonError::into_inner).remove(token);
        if let Some(holder) = held {
            holder.ended.cancel();
        }
    }
}

struct Entrance {
    passes: Passes,
    access: Arc<Access>,
    lane: Arc<Lane>,
}

impl Gate for Entrance {
    fn open(&self, strand: &Strand) -> Result<Pass, DriverError> {
        let url = self.passes.url()?;
        let token = format!("amp-{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
        let (sender, metered) = unbounded_channel();
        let holder = Holder {
            access: Arc::clone(&self.access),
            lane: Arc::clone(&self.lane),
            // A program that prints its environment into a conversation must not give its pass away.
            redactor: self.access.redactor.with(Secret::new(token.clone())),
            carrier: self.passes.carrier(&self.access.upstream.base_url)?,
            strand: strand.clone(),
            metered: sender,
            last: Mutex::default(),
            ended: CancellationToken::new(),
        };
        let mut open = self.passes.0.open.write().unwrap_or_else(PoisonError::into_inner);
        open.insert(token.clone(), Arc::new(holder));
        let kept = Box::new(Revoke { passes: self.passes.clone(), token: token.clone() });
        Ok(Pass { url, token: Secret::new(token), metered, kept })
    }
}

/// The token is good as long as this lives, and so is what is under way with it.
struct Revoke {
    passes: Passes,
    token: String,
}

impl Drop for Revoke {
    fn drop(&mut self) {
        self.passes.revoke(&self.token);
    }
}
