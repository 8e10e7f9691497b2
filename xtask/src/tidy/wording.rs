//! Comments are written in the plain words of the field. A few words that read as translated are refused, each with those
//! to write in its place.
//!
//! Strings are not checked: some of them are stored, or belong to a test of what a person reads. Neither are tests.

use super::finding::Finding;
use super::source::{SourceFile, words};

/// A word, and what to write in its place.
const WORDS: [(&str, &str); 8] = [
    ("nobody", "`no one` or `nothing`, or who does not"),
    ("somebody", "who it is: a person, an agent, another process"),
    ("whoever", "who it is: the caller, the reader, a client"),
    ("whatever", "`any`, `all` or `what`"),
    ("mend", "`fix`"),
    ("mends", "`fixes`"),
    ("mended", "`fixed`"),
    ("mending", "`fixing`"),
];

/// The forms of a first word, the word after it, and what to write in their place.
const PHRASES: [(&[&str], &str, &str); 3] = [
    (&["is", "are", "was", "were", "be", "been", "being"], "told", "`reads`, `learns` or `gets`"),
    (&["go", "goes", "going", "gone", "went"], "on", "`continues` or `resumes`"),
    (&["take", "takes", "taking", "taken", "took"], "up", "`resumes` or `starts`"),
];

pub(crate) fn check(source: &SourceFile) -> Vec<Finding> {
    if source.is_test_file() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (index, comment) in source.comments.iter().enumerate() {
        if source.is_test_line(comment.line) {
            continue;
        }
        let below = source.comments.get(index + 1).filter(|below| below.line == comment.line + 1);
        let below = below.and_then(|below| words(&below.text).next());
        for (written, instead) in avoided(&comment.text, below) {
            let message = format!("`{written}` in a comment: write {instead}");
            found.push(Finding::error(&source.path, comment.line, message));
        }
    }
    found
}

/// What a line says that it should not, with the words to write in its place. `below` is the first word of the line below:
/// a phrase may be broken there.
fn avoided(line: &str, below: Option<&str>) -> Vec<(String, &'static str)> {
    let line: Vec<String> = words(line).map(str::to_ascii_lowercase).collect();
    let below = below.map(str::to_ascii_lowercase);
    let followers = line.iter().skip(1).chain(&below);
    let is_word = |word: &String| WORDS.iter().find(|(avoided, _)| avoided == word);
    let is_phrase = |first: &String, second: &String| {
        PHRASES.iter().find(|(forms, then, _)| then == second && forms.contains(&first.as_str()))
    };
    let single = line.iter().filter_map(|word| Some((word.clone(), is_word(word)?.1)));
    let pairs = line.iter().zip(followers);
    let phrases =
        pairs.filter_map(|(first, second)| Some((format!("{first} {second}"), is_phrase(first, second)?.2)));
    single.chain(phrases).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&SourceFile::parse(path, text)).into_iter().map(|finding| finding.line).collect()
    }

    const AVOIDED: &str =
        "//! Nobody's file.\nlet a = 1; // whatever it is\n// The run is\n// told, and goes\n// on.\n";

    #[test]
    fn an_avoided_word_or_phrase_is_found() {
        assert_eq!(lines("crates/a/src/b.rs", AVOIDED), [1, 2, 3, 4]);
    }

    #[test]
    fn a_finding_says_what_to_write() {
        let file = SourceFile::parse("crates/a/src/b.rs", "// To be mended.");
        let messages: Vec<String> = check(&file).into_iter().map(|finding| finding.message).collect();
        assert_eq!(messages, ["`mended` in a comment: write `fixed`"]);
    }

    #[test]
    fn code_strings_tests_and_other_words_may() {
        let none: [usize; 0] = [];
        let other = "// As told, see `go_on`: amended, on top.\nlet nobody = \"whoever goes on\";";
        assert_eq!(lines("crates/a/src/b.rs", other), none);
        assert_eq!(lines("crates/a/tests/b.rs", AVOIDED), none);
        let test = "#[cfg(test)]\nmod tests {\n    // Nobody.\n}";
        assert_eq!(lines("crates/a/src/b.rs", test), none);
    }
}
