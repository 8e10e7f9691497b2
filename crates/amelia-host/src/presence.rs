//! Where the server of a home is: written down when it listens, taken away when it has ended. What a killed server left
//! is found to be old, because no process owns the home any more, or another one does. A command that executes a run by itself is
//! found in the same way by those that control its run.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use amelia_core::config::secret::Secret;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::home::Home;
use crate::key_marks::KeyMarks;

/// Bytes of a program that are compared at a time.
const COMPARED_BYTES: usize = 1 << 20;

/// A server that listens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Presence {
    pub url: String,
    pub pid: u32,
    pub version: String,
    /// The keys that it was started with, not readable.
    #[serde(default)]
    pub keys: KeyMarks,
}

/// Told to others until it is dropped.
pub struct PresenceFile(PathBuf);

impl Presence {
    /// This process.
    pub fn here(url: String) -> Self {
        Self {
            url,
            pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").into(),
            keys: KeyMarks::here(),
        }
    }

    /// Tells commands of this home where to go.
    pub fn announce(&self, home: &Home) -> Result<PresenceFile> {
        self.announce_in(file(home))
    }

    /// Tells commands of this home where the run is controlled that this process executes.
    pub(crate) fn announce_command(&self, home: &Home) -> Result<PresenceFile> {
        self.announce_in(command_file(home))
    }

    fn announce_in(&self, path: PathBuf) -> Result<PresenceFile> {
        write_private(&path, serde_json::to_string(self)?.as_bytes())?;
        Ok(PresenceFile(path))
    }

    /// Where a server listened that was killed: one that ended by itself has taken that away.
    pub fn last_port(home: &Home) -> Option<u16> {
        let text = std::fs::read_to_string(file(home)).ok()?;
        let found: Self = serde_json::from_str(&text).ok()?;
        found.url.rsplit(':').next()?.parse().ok()
    }

    /// The server of a home, if one is at work there.
    pub fn of(home: &Home) -> Option<Self> {
        Self::of_owner(home, &file(home))
    }

    /// The command that executes a run in a home by itself, if one does. It ends with its run.
    pub fn of_command(home: &Home) -> Option<Self> {
        Self::of_owner(home, &command_file(home)).filter(|found| found.version == env!("CARGO_PKG_VERSION"))
    }

    fn of_owner(home: &Home, file: &Path) -> Option<Self> {
        let owner = home.owner()?;
        let found: Self = serde_json::from_str(&std::fs::read_to_string(file).ok()?).ok()?;
        (found.pid == owner).then_some(found)
    }
}

impl Presence {
    /// Whether the server runs another program than this process: it was built or installed again. `false` where a system
    /// does not tell.
    pub fn is_other_build(&self) -> bool {
        let theirs = PathBuf::from(format!("/proc/{}/exe", self.pid));
        is_other_file(&theirs, Path::new("/proc/self/exe")).unwrap_or(false)
    }
}

/// Compares what is in two files, unless they are one.
fn is_other_file(one: &Path, other: &Path) -> std::io::Result<bool> {
    let (mut one, mut other) = (File::open(one)?, File::open(other)?);
    let (about, about_other) = (one.metadata()?, other.metadata()?);
    if (about.dev(), about.ino()) == (about_other.dev(), about_other.ino()) {
        return Ok(false);
    }
    if about.len() != about_other.len() {
        return Ok(true);
    }
    let (mut piece, mut other_piece) = (vec![0; COMPARED_BYTES], vec![0; COMPARED_BYTES]);
    let mut left = about.len();
    while left > 0 {
        let length = usize::try_from(left).unwrap_or(COMPARED_BYTES).min(COMPARED_BYTES);
        let (Some(piece), Some(other_piece)) = (piece.get_mut(..length), other_piece.get_mut(..length))
        else {
            break;
        };
        one.read_exact(piece)?;
        other.read_exact(other_piece)?;
        if piece != other_piece {
            return Ok(true);
        }
        left -= length as u64;
    }
    Ok(false)
}

impl Drop for PresenceFile {
    fn drop(&mut self) {
        // Another server may have come after us; and a reader of our file finds out that it is old.
        let found =
            std::fs::read(&self.0).ok().and_then(|text| serde_json::from_slice::<Presence>(&text).ok());
        if found.is_some_and(|found| found.pid == std::process::id()) {
            std::fs::remove_file(&self.0).ok();
        }
    }
}

fn file(home: &Home) -> PathBuf {
    home.path().join("server.json")
}

fn command_file(home: &Home) -> PathBuf {
    home.path().join("command.json")
}

/// The token of a home; made at the first start, for its owner alone.
pub fn token(home: &Home) -> Result<Secret> {
    let path = home.path().join("token");
    match std::fs::read_to_string(&path) {
        Ok(text) if !text.trim().is_empty() => return Ok(Secret::new(text.trim())),
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(|| format!("{} cannot be read", path.display())),
    }
    renew_token(home)
}

/// A new token for a home, in the place of the one that it has.
pub fn renew_token(home: &Home) -> Result<Secret> {
    let token = new_token();
    // With a store elsewhere nothing has made the home yet.
    std::fs::create_dir_all(home.path())?;
    write_private(&home.path().join("token"), token.reveal().as_bytes())?;
    Ok(token)
}

/// The token of a home that has one.
pub fn known_token(home: &Home) -> Secret {
    Secret::new(std::fs::read_to_string(home.path().join("token")).unwrap_or_default().trim())
}

/// A token that no one can guess.
pub fn new_token() -> Secret {
    Secret::new(format!("{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple()))
}

/// Whole or not at all, and for its owner alone.
fn write_private(path: &Path, bytes: &[u8]) -> Result<()> {
    let made = path.with_extension("new");
    let write = || -> std::io::Result<()> {
        let mut file =
            std::fs::File::options().write(true).create(true).truncate(true).mode(0o600).open(&made)?;
        file.write_all(bytes)?;
        std::fs::rename(&made, path)
    };
    write().with_context(|| format!("{} cannot be written", path.display()))
}
