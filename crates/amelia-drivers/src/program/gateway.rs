//! The way of a program to its model, when it does not go by the program's own sign-in: through our proxy.

use std::any::Any;

use amelia_core::config::secret::Secret;
use amelia_core::driver::DriverError;
use amelia_core::recording::Channel;
use tokio::sync::mpsc::UnboundedReceiver;

use super::MeterReport;

/// Lets programs through to a model. The key stays on this side.
pub trait ModelGateway: Send + Sync {
    /// A pass for one program.
    fn open(&self, channel: &Channel) -> Result<GatewayToken, DriverError>;
}

/// As long as it lives, its token is good.
pub struct GatewayToken {
    /// The address of the proxy, without a slash at its end.
    pub url: String,
    pub token: Secret,
    pub metered: UnboundedReceiver<MeterReport>,
    /// Dropped with the pass.
    pub kept: Box<dyn Any + Send>,
}
