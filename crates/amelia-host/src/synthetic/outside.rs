//! The outside world: files that are appended to, and so remember what was done to them by which life of the
//! worker, however it ended.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Three lists: nodes that were started, tools that wrote, effects that were performed.
#[derive(Debug, Clone)]
pub struct Outside(PathBuf);

#[derive(Debug, Clone, Copy)]
pub enum Deed {
    Started,
    Wrote,
    Performed,
}

impl Deed {
    fn file(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Wrote => "wrote",
            Self::Performed => "performed",
        }
    }
}

impl Outside {
    pub fn at(home: &Path) -> Self {
        Self(home.join("outside"))
    }

    /// Adds a line, in one write.
    pub fn add(&self, deed: Deed, line: &str) -> io::Result<()> {
        fs::create_dir_all(&self.0)?;
        let mut file = OpenOptions::new().create(true).append(true).open(self.0.join(deed.file()))?;
        file.write_all(format!("{line}\n").as_bytes())
    }

    /// All lines so far.
    pub fn lines(&self, deed: Deed) -> io::Result<Vec<String>> {
        match fs::read_to_string(self.0.join(deed.file())) {
            Ok(text) => Ok(text.lines().map(str::to_owned).collect()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// How often each line is there.
    pub fn counts(&self, deed: Deed) -> io::Result<BTreeMap<String, u32>> {
        let mut counts = BTreeMap::new();
        for line in self.lines(deed)? {
            *counts.entry(line).or_default() += 1;
        }
        Ok(counts)
    }
}
