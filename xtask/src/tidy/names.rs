//! A type that other files can use has its name for itself, in the whole workspace: then a search for the name finds the
//! type, and a reader need not ask which one is meant.

use std::collections::BTreeMap;

use super::finding::Finding;
use super::source::{SourceFile, words};

/// Where names may be repeated, and why.
const EXEMPT: [(&str, &str); 1] =
    [("crates/amelia-wire/", "its types have the names that the documents of the dialects give them")];

const KINDS: [&str; 4] = ["struct", "enum", "trait", "type"];

pub(super) fn check(sources: &[SourceFile]) -> Vec<Finding> {
    let mut places: BTreeMap<&str, Vec<(&str, usize)>> = BTreeMap::new();
    for source in sources.iter().filter(|source| is_checked(source)) {
        for (line, code) in source.numbered_code().filter(|(line, _)| !source.is_test_line(*line)) {
            if let Some(name) = public_type(code) {
                places.entry(name).or_default().push((&source.path, line));
            }
        }
    }
    places.iter().flat_map(|(name, places)| repetitions(name, places)).collect()
}

fn is_checked(source: &SourceFile) -> bool {
    let is_exempt = EXEMPT.iter().any(|(place, _)| source.path.starts_with(place));
    source.path.contains("src/") && !is_exempt && !source.is_test_file()
}

/// The name of the type that a line declares for the crate or for everyone. `pub(super)` is the business of one folder.
fn public_type(code: &str) -> Option<&str> {
    let declared = code.trim_start().strip_prefix("pub")?;
    let declared = declared.strip_prefix("(crate)").unwrap_or(declared).strip_prefix(' ')?;
    let mut words = words(declared);
    let (kind, name) = (words.next()?, words.next()?);
    // A macro declares types of many names at one place.
    (KINDS.contains(&kind) && name.starts_with(char::is_uppercase)).then_some(name)
}

fn repetitions(name: &str, places: &[(&str, usize)]) -> Vec<Finding> {
    let Some(((first, _), others)) = places.split_first() else { return Vec::new() };
    let message = format!("`{name}` is the name of a type in {first}, too: give one of them another name");
    others.iter().map(|(path, line)| Finding::error(path, *line, message.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<SourceFile> =
            files.iter().map(|(path, text)| SourceFile::parse(path, text)).collect();
        check(&sources).iter().map(|finding| format!("{}:{}", finding.path, finding.line)).collect()
    }

    #[test]
    fn a_second_type_of_the_same_name_is_found() {
        let one = ("crates/a/src/lib.rs", "pub struct Answer;\npub enum Other {}");
        let two = ("crates/b/src/x.rs", "\npub(crate) type Answer<T> = Option<T>;");
        let three = ("xtask/src/main.rs", "pub trait Answer {}");
        assert_eq!(found(&[one, two, three]), ["crates/b/src/x.rs:2", "xtask/src/main.rs:1"]);
    }

    #[test]
    fn private_types_tests_and_the_wire_may() {
        let files = [
            ("crates/a/src/lib.rs", "pub struct Answer;\nstruct Inner;"),
            ("crates/a/src/b.rs", "struct Answer;\npub(super) struct Answer2;"),
            ("crates/a/src/c.rs", "pub(super) struct Answer;\nstruct Inner;"),
            ("crates/a/tests/it/d.rs", "pub struct Answer;"),
            ("crates/a/src/e.rs", "#[cfg(test)]\nmod tests {\n    pub struct Answer;\n}"),
            ("crates/amelia-wire/src/f.rs", "pub struct Answer;"),
            ("crates/a/src/h.rs", "pub struct $name;\npub struct $name;"),
            ("crates/a/src/g.rs", "/// pub struct Answer;\nconst TEXT: &str = \"pub struct Answer;\";"),
        ];
        assert_eq!(found(&files), [""; 0]);
    }
}
