//! Who may go through, and to whom: a token is good as long as its pass lives. Tokens are secrets, and never logged.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use amelia_core::config::secret::Secret;
use amelia_core::driver::DriverError;
use amelia_core::loopback::is_plain_loopback_url;
use amelia_core::recording::Channel;
use amelia_drivers::model::{Timeouts, client};
use amelia_drivers::program::{GatewayToken, ModelGateway};
use parking_lot::{Mutex, RwLock};
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::access::Access;
use crate::call_limiter::{CallLimiter, CallLimiters};
use crate::grant::Grant;
use crate::upstream_client::{LocalPool, UpstreamClient};

/// All tokens of a server. Cheap to clone.
#[derive(Clone, Default)]
pub struct TokenRegistry(Arc<Inner>);

#[derive(Default)]
struct Inner {
    address: OnceLock<SocketAddr>,
    open: RwLock<HashMap<String, Arc<Grant>>>,
    limiters: CallLimiters,
    timeouts: Timeouts,
    /// Made when it is needed: reading certificates takes longer than everything else at start.
    client: OnceLock<reqwest::Client>,
    /// By base URL.
    pool: Mutex<HashMap<String, Arc<LocalPool>>>,
}

impl TokenRegistry {
    /// No token is valid yet. How long is too long is given for tests; [`Default`] has the value of the product.
    #[must_use]
    pub fn patient(timeouts: Timeouts) -> Self {
        Self(Arc::new(Inner { timeouts, ..Inner::default() }))
    }

    /// Says where the server listens. Once; a pass cannot be opened before.
    pub fn listening_on(&self, address: SocketAddr) {
        // A second address is not ours to follow: tokens with the first are out.
        self.0.address.set(address).ok();
    }

    /// Passes for the programs of an agent.
    #[must_use]
    pub fn gate(&self, access: Access) -> Arc<dyn ModelGateway> {
        let limiter = self.0.limiters.of(access.budget_scope.run());
        Arc::new(GrantIssuer { token_registry: self.clone(), access: Arc::new(access), limiter })
    }

    /// Who holds this token.
    pub(crate) fn grant(&self, token: &str) -> Option<Arc<Grant>> {
        self.0.open.read().get(token).cloned()
    }

    pub(crate) fn timeouts(&self) -> Timeouts {
        self.0.timeouts
    }

    fn url(&self) -> Result<String, DriverError> {
        let address = self.0.address.get();
        let address =
            address.ok_or_else(|| DriverError::Setup("the proxy does not listen yet".to_owned()))?;
        // A server that listens on every address is found here.
        Ok(match address.ip().is_unspecified() {
            true => format!("http://127.0.0.1:{}/proxy", address.port()),
            false => format!("http://{address}/proxy"),
        })
    }

    fn client(&self, base_url: &str) -> Result<UpstreamClient, DriverError> {
        if is_plain_loopback_url(base_url) {
            let mut pool = self.0.pool.lock();
            if let Some(pool) = pool.get(base_url) {
                return Ok(UpstreamClient::Local(Arc::clone(pool)));
            }
            let made = Arc::new(LocalPool::new(base_url, self.0.timeouts.connect)?);
            pool.insert(base_url.to_owned(), Arc::clone(&made));
            return Ok(UpstreamClient::Local(made));
        }
        if let Some(client) = self.0.client.get() {
            return Ok(UpstreamClient::Remote(client.clone()));
        }
        let made = client(self.0.timeouts)?;
        Ok(UpstreamClient::Remote(self.0.client.get_or_init(|| made).clone()))
    }

    fn revoke(&self, token: &str) {
        let held = self.0.open.write().remove(token);
        if let Some(grant) = held {
            grant.end();
        }
    }
}

struct GrantIssuer {
    token_registry: TokenRegistry,
    access: Arc<Access>,
    limiter: Arc<CallLimiter>,
}

impl ModelGateway for GrantIssuer {
    fn open(&self, channel: &Channel) -> Result<GatewayToken, DriverError> {
        let url = self.token_registry.url()?;
        let token = format!("amp-{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
        let (sender, metered) = unbounded_channel();
        let grant = Grant {
            access: Arc::clone(&self.access),
            limiter: Arc::clone(&self.limiter),
            // A program that prints its environment into a conversation must not give its pass away.
            redactor: self.access.redactor.with(Secret::new(token.clone())),
            client: self.token_registry.client(&self.access.upstream.base_url)?,
            channel: channel.clone(),
            metered: sender,
            last: Mutex::default(),
            is_unreached: AtomicBool::new(false),
            ended: CancellationToken::new(),
            open: Mutex::default(),
        };
        let mut open = self.token_registry.0.open.write();
        open.insert(token.clone(), Arc::new(grant));
        let kept = Box::new(Revoke { token_registry: self.token_registry.clone(), token: token.clone() });
        Ok(GatewayToken { url, token: Secret::new(token), metered, kept })
    }
}

/// The token is good as long as this lives, and so is what is under way with it.
struct Revoke {
    token_registry: TokenRegistry,
    token: String,
}

impl Drop for Revoke {
    fn drop(&mut self) {
        self.token_registry.revoke(&self.token);
    }
}
