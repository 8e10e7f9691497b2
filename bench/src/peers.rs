//! Where the peers are: our scripts in the repository, their venvs in the cache. Installing is `setup.sh`'s work.

use std::path::{Path, PathBuf};

pub(crate) fn scripts() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/peers"))
}

/// The same rule as in `setup.sh`.
pub(crate) fn default_installed() -> PathBuf {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = variable("AMELIA_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|cache| cache.join("amelia")))
        .or_else(|| variable("HOME").map(|home| home.join(".cache").join("amelia")))
        .unwrap_or_else(|| PathBuf::from(".cache"));
    cache.join("peers")
}

/// The interpreter of a peer, or why there is none: `setup.sh` leaves its reason beside.
pub(crate) fn python(installed: &Path, venv: &str) -> Result<PathBuf, String> {
    let python = installed.join(venv).join("bin").join("python");
    if python.is_file() {
        return Ok(python);
    }
    let reason = std::fs::read_to_string(installed.join(format!("{venv}.absent"))).unwrap_or_default();
    match reason.trim() {
        "" => Err(format!("{venv} is not installed; run bench/peers/setup.sh")),
        reason => Err(reason.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_that_was_never_installed_says_how_to() {
        let reason = python(Path::new("nowhere"), "dbos").unwrap_err();
        assert_eq!(reason, "dbos is not installed; run bench/peers/setup.sh");
    }
}
