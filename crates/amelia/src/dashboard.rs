//! The dashboard that is in this program, and the link that leads to it.

use std::path::Path;

use amelia_core::config::secret::Secret;
use amelia_server::Ui;
use anyhow::{Context, Result};

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

/// A link that signs a browser in, and leads to a page of the dashboard.
pub(crate) fn link(base: &str, token: &Secret, page: &str) -> String {
    format!("{}/session?token={}&next=/ui/{page}", base.trim_end_matches('/'), token.reveal())
}
