//! The path of an artifact below the directory of artifacts. It never leads out of it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::media_type::directory;
use crate::problem::Problem;

/// What the addresses of artifacts begin with.
pub const ARTIFACTS_URI: &str = "file://artifacts/";
/// The longest path, in bytes.
const MAX_BYTES: usize = 1000;
/// The longest name of a file or directory, in bytes.
const MAX_NAME_BYTES: usize = 200;
/// Names that the directory of artifacts needs for itself.
const RESERVED: [&str; 2] = [".versions", ".metadata.json"];

/// A relative path with `/` between its parts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ArtifactPath(String);

impl ArtifactPath {
    /// Reads a path, also one that begins with `artifacts/` or as an address.
    pub fn parse(given: &str) -> Result<Self, Problem> {
        let shown: String = given.chars().take(80).collect();
        let refused =
            |why: &str| Err(Problem::new(format!("`{shown}` cannot be the path of an artifact: {why}")));
        let path = given.strip_prefix(ARTIFACTS_URI).unwrap_or(given);
        let path = path.strip_prefix("./").unwrap_or(path);
        let path = path.strip_prefix("artifacts/").unwrap_or(path);
        if path.is_empty() {
            return refused("it is empty");
        }
        if path.len() > MAX_BYTES {
            return refused("it is too long");
        }
        if path.chars().any(|c| c.is_control() || c == '\\') {
            return refused("it has control characters or backslashes");
        }
        for part in path.split('/') {
            match part {
                "" => return refused("it must be relative, without empty parts"),
                "." | ".." => return refused("`.` and `..` are not allowed"),
                name if RESERVED.contains(&name) => {
                    return refused(&format!("`{name}` is a name that Amelia uses itself"));
                }
                name if name.len() > MAX_NAME_BYTES => return refused("a name in it is too long"),
                _ => {}
            }
        }
        Ok(Self(path.to_owned()))
    }

    /// The same; a file name alone is put into the directory of its media type.
    pub fn placed(given: &str, media_type: &str) -> Result<Self, Problem> {
        let path = Self::parse(given)?;
        match path.0.contains('/') {
            true => Ok(path),
            false => Ok(Self(format!("{}/{path}", directory(media_type)))),
        }
    }

    /// The path in the address of an artifact; `None` for addresses of anything else.
    #[must_use]
    pub fn of_uri(uri: &str) -> Option<Self> {
        Self::parse(uri.strip_prefix(ARTIFACTS_URI)?).ok()
    }

    #[must_use]
    pub fn uri(&self) -> String {
        format!("{ARTIFACTS_URI}{}", self.0)
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its last part.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The directory that it is in; empty at the top.
    #[must_use]
    pub fn parent(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(parent, _)| parent)
    }

    /// Every directory that it is in.
    pub fn directories(&self) -> impl Iterator<Item = Self> {
        self.0.match_indices('/').filter_map(|(end, _)| Some(Self(self.0.get(..end)?.to_owned())))
    }
}

impl fmt::Display for ArtifactPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_never_leads_out_of_its_directory() {
        for (given, path) in [
            ("code/main.py", "code/main.py"),
            ("./notes.md", "notes.md"),
            ("artifacts/a/b.txt", "a/b.txt"),
            ("file://artifacts/a/b.txt", "a/b.txt"),
            ("a..b/.hidden", "a..b/.hidden"),
        ] {
            assert_eq!(ArtifactPath::parse(given).unwrap().as_str(), path);
        }
        for given in [
            "",
            "/etc/passwd",
            "..",
            "../a",
            "a/../../b",
            "a//b",
            "a/",
            "a/./b",
            "a\0b",
            "a\\b",
            "artifacts/../x",
            "file://artifacts//etc/passwd",
            ".versions/a/v1",
            "a/.metadata.json",
        ] {
            assert!(ArtifactPath::parse(given).is_err(), "{given}");
        }
        assert!(ArtifactPath::parse(&"a".repeat(201)).is_err());
        assert!(ArtifactPath::parse(&"a/".repeat(600)).is_err());
    }

    #[test]
    fn a_name_alone_goes_to_the_directory_of_its_media_type() {
        let placed = |path: &str, kind: &str| ArtifactPath::placed(path, kind).unwrap().0;
        assert_eq!(placed("main.py", "text/x-python"), "code/main.py");
        assert_eq!(placed("src/main.py", "text/x-python"), "src/main.py");
        let path = ArtifactPath::parse("a/b/c.md").unwrap();
        assert_eq!((path.parent(), path.name()), ("a/b", "c.md"));
        let above: Vec<String> = path.directories().map(|path| path.0).collect();
        assert_eq!(above, ["a", "a/b"]);
    }
}
