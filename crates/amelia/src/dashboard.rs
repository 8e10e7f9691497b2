//! The dashboard that is in this program, and the link that leads to it.

use std::path::Path;

use amelia_core::config::secret::Secret;
use amelia_server::Ui;
use amelia_wire::rest::health::NewLink;
use anyhow::{Context, Result};
use serde_json::json;

use crate::client::Client;

/// Names and contents; empty when the program was built without it.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/dashboard.rs"));

/// As it was built in.
pub(crate) fn embedded() -> Ui {
    Ui::new(FILES.iter().map(|(name, body)| ((*name).to_owned(), (*body).into())))
}

/// As it is in a directory now: for who works on the dashboard.
pub(crate) fn read(dir: &Path) -> Result<Ui> {
    let mut files = Vec::new();
    let mut open = vec![dir.to_owned()];
    while let Some(next) = open.pop() {
        let entries =
            std::fs::read_dir(&next).with_context(|| format!("{} cannot be read", next.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let body = std::fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
            let name = path.strip_prefix(dir).unwrap_or(&path).to_string_lossy().into_owned();
            files.push((name, body.into()));
        }
    }
    Ok(Ui::new(files))
}

/// A link that signs one browser in, once, and leads to a page of the dashboard. The token is not in it: arguments of a
/// browser can be read by others on this machine.
pub(crate) async fn link(client: &Client, page: &str) -> Result<String> {
    let NewLink { path } = client.post("/session/link", &json!({})).await?;
    Ok(format!("{}{path}&next=/ui/{page}", client.base().trim_end_matches('/')))
}

/// The same for a terminal: it may be followed later, and again.
pub(crate) fn lasting_link(base: &str, token: &Secret) -> String {
    format!("{}/session?token={}&next=/ui/", base.trim_end_matches('/'), token.reveal())
}
