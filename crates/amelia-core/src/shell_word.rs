//! A word of a command line that a person pastes into a shell, or that a shell runs.

use std::borrow::Cow;
use std::path::Path;

/// Any text as one word, quoted where that is needed.
#[must_use]
pub fn shell_word(text: &str) -> String {
    // No argument of a program can have a NUL character.
    let text = text.replace('\0', "");
    shlex::try_quote(&text).map(Cow::into_owned).unwrap_or_default()
}

/// The same for a path.
#[must_use]
pub fn path_word(path: &Path) -> String {
    shell_word(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_quoted_only_where_a_shell_would_read_something_else() {
        assert_eq!(shell_word("/a-b/c_d.txt"), "/a-b/c_d.txt");
        assert_eq!(shell_word("https://example.org:8420"), "https://example.org:8420");
        assert_eq!(path_word(Path::new("/my repo")), "'/my repo'");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("a\0b"), "ab");
    }

    #[test]
    fn a_shell_reads_every_text_as_one_word() {
        for text in ["it's", "$HOME", "a\"b'c", "~", "!x", "a\\b", "{{a}}", "-n", "é ü", "a\nb", "`id`", "*"]
        {
            assert_eq!(shlex::split(&shell_word(text)), Some(vec![text.to_owned()]), "{text}");
        }
    }
}
