//! What an agent learns about its workplace: the machine, and the repository as it was at the base commit.
//! Plain data, so that a recording can keep it; nothing here looks at a machine.

mod conventions;
mod skills;

use serde::{Deserialize, Serialize};

pub use self::conventions::{Convention, conventions, is_convention};
pub use self::skills::{Skill, is_skill, skills};

/// Lines of a layout: enough for the shape of a repository, not for its files.
const MAX_LAYOUT_LINES: usize = 40;
/// Names in one line of a layout.
const MAX_LAYOUT_NAMES: usize = 20;

/// The machine and the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Survey {
    /// Operating system and processor.
    pub system: String,
    pub shell: ShellFacts,
    /// The directories of the repository and what is directly in them.
    pub layout: Vec<String>,
    /// Files that say how people work here, in the order of their paths.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conventions: Vec<Convention>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<Skill>,
}

/// How the tool `shell` runs commands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ShellFacts {
    pub program: String,
    /// When no other time is asked for.
    pub timeout_seconds: u64,
    pub max_timeout_seconds: u64,
}

/// The shape of a tree of files, in few lines: what is at the root, then one line for each directory there.
#[must_use]
pub fn layout<'a>(paths: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut files: Vec<&str> = Vec::new();
    let mut directories: Vec<(&str, Vec<String>)> = Vec::new();
    for path in paths {
        let Some((directory, inside)) = path.split_once('/') else {
            files.push(path);
            continue;
        };
        let name = inside.split_once('/').map_or_else(|| inside.to_owned(), |(name, _)| format!("{name}/"));
        match directories.last_mut().filter(|(last, _)| *last == directory) {
            Some((_, names)) if names.last() == Some(&name) => {}
            Some((_, names)) => names.push(name),
            None => directories.push((directory, vec![name])),
        }
    }
    let at_root = (!files.is_empty()).then(|| named(&files));
    let inside = directories.iter().map(|(directory, names)| format!("{directory}/: {}", named(names)));
    let mut lines: Vec<String> = at_root.into_iter().chain(inside).collect();
    let left = lines.len().saturating_sub(MAX_LAYOUT_LINES);
    lines.truncate(MAX_LAYOUT_LINES);
    if left > 0 {
        lines.push(format!("… and {left} more directories"));
    }
    lines
}

fn named<S: AsRef<str>>(names: &[S]) -> String {
    let shown: Vec<&str> = names.iter().take(MAX_LAYOUT_NAMES).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(shown.len()) {
        0 => shown.join(", "),
        left => format!("{}, … and {left} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_has_the_root_and_one_line_for_each_directory() {
        let paths =
            ["Cargo.toml", "README.md", "src/a/deep/x.rs", "src/a/y.rs", "src/main.rs", "tests/it.rs"];
        assert_eq!(layout(paths), ["Cargo.toml, README.md", "src/: a/, main.rs", "tests/: it.rs"]);
        assert_eq!(layout([]), Vec::<String>::new());
    }

    #[test]
    fn a_layout_is_bounded_and_says_what_it_leaves_out() {
        let paths: Vec<String> =
            (0..60).flat_map(|dir| (0..30).map(move |file| format!("d{dir:02}/f{file:02}"))).collect();
        let lines = layout(paths.iter().map(String::as_str));
        assert_eq!(lines.len(), MAX_LAYOUT_LINES + 1);
        assert!(lines[0].ends_with("f19, … and 10 more"), "{}", lines[0]);
        assert_eq!(lines[MAX_LAYOUT_LINES], "… and 20 more directories");
    }
}
