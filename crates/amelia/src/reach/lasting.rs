//! The server for a command that lasts longer than a server may: it is looked for at every use.

use std::sync::Arc;

use amelia_host::home::Home;
use amelia_host::presence::Presence;
use anyhow::Result;
use tokio::sync::Mutex;

use super::to_work;
use crate::cli::Global;
use crate::client::Client;

/// A connection that is made when it is needed, and again when its server is gone.
pub(crate) struct LastingClient {
    home: Home,
    global: Global,
    client: Mutex<Option<Arc<Client>>>,
}

impl LastingClient {
    pub(crate) fn new(home: &Home, global: &Global) -> Self {
        Self { home: home.clone(), global: global.clone(), client: Mutex::default() }
    }

    pub(crate) fn global(&self) -> &Global {
        &self.global
    }

    /// The server that is running now, or one that is started for this.
    pub(crate) async fn get(&self) -> Result<Arc<Client>> {
        let mut kept = self.client.lock().await;
        let is_named = self.global.server.is_some();
        let is_there = |client: &Arc<Client>| {
            is_named || Presence::of(&self.home).is_some_and(|found| found.url == client.base())
        };
        if let Some(client) = kept.as_ref().filter(|client| is_there(client)) {
            client.look_again();
            return Ok(Arc::clone(client));
        }
        let client = Arc::new(to_work(&self.home, &self.global).await?);
        *kept = Some(Arc::clone(&client));
        Ok(client)
    }
}
