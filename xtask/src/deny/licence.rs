//! SPDX licence expressions: `MIT OR (Apache-2.0 AND Zlib)`, and the older `MIT/Apache-2.0`.

const ACCEPTED: [&str; 15] = [
    "0BSD",
    "Apache-2.0",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Exceptions that only widen what the licence permits.
const EXCEPTIONS: [&str; 1] = ["LLVM-exception"];

/// False for what does not parse: an unreadable licence is not a permission.
pub(crate) fn is_accepted(expression: &str) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut words = Words { rest: spaced.split_whitespace().collect::<Vec<_>>().into_iter().peekable() };
    words.any_of() == Some(true) && words.rest.next().is_none()
}

struct Words<'a> {
    rest: std::iter::Peekable<std::vec::IntoIter<&'a str>>,
}

/// Recursive descent, `AND` binding tighter than `OR`. `None` means that the expression is malformed.
impl Words<'_> {
    fn any_of(&mut self) -> Option<bool> {
        let mut accepted = self.all_of()?;
        while self.rest.next_if_eq(&"OR").is_some() {
            accepted |= self.all_of()?;
        }
        Some(accepted)
    }

    fn all_of(&mut self) -> Option<bool> {
        let mut accepted = self.one()?;
        while self.rest.next_if_eq(&"AND").is_some() {
            accepted &= self.one()?;
        }
        Some(accepted)
    }

    fn one(&mut self) -> Option<bool> {
        let word = self.rest.next()?;
        if word == "(" {
            let accepted = self.any_of()?;
            return (self.rest.next() == Some(")")).then_some(accepted);
        }
        if matches!(word, ")" | "AND" | "OR" | "WITH") {
            return None;
        }
        let accepted = ACCEPTED.contains(&word);
        if self.rest.next_if_eq(&"WITH").is_some() {
            let exception = self.rest.next()?;
            return Some(accepted && EXCEPTIONS.contains(&exception));
        }
        Some(accepted)
    }
}

#[cfg(test)]
mod tests {
    use super::is_accepted;

    #[test]
    fn accepted_expressions() {
        for expression in [
            "MIT",
            "MIT/Apache-2.0",
            "GPL-3.0 OR MIT",
            "(MIT OR GPL-3.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR MIT",
            "Apache-2.0 WITH LLVM-exception",
        ] {
            assert!(is_accepted(expression), "{expression}");
        }
    }

    #[test]
    fn refused_and_malformed_expressions() {
        for expression in [
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "MIT AND (GPL-3.0 OR AGPL-3.0)",
            "Apache-2.0 WITH Other-exception",
            "",
            "(MIT",
            "MIT OR",
            "MIT Apache-2.0",
            "MIT)",
        ] {
            assert!(!is_accepted(expression), "{expression}");
        }
    }
}
