//! Names that git and file systems take, made from names that people give. Pure.

/// Long enough to be recognised.
const LONGEST: usize = 60;

/// A branch for this key that is not among the existing ones: `amelia/<key>`, else `amelia/<key>-2`, …
pub(super) fn free(key: &str, existing: &[String]) -> String {
    // A branch called `amelia` leaves no room for one below it.
    let separator = if existing.iter().any(|branch| branch == "amelia") { '-' } else { '/' };
    let first = format!("amelia{separator}{}", safe(key));
    let is_taken = |name: &str| {
        let below = format!("{name}/");
        existing.iter().any(|branch| branch == name || branch.starts_with(&below))
    };
    let names = std::iter::once(first.clone()).chain((2_u64..).map(|number| format!("{first}-{number}")));
    names.into_iter().find(|name| !is_taken(name)).unwrap_or(first)
}

/// Letters, digits, `_`, `-` and single dots inside; never empty, never an option, never a lock.
pub(super) fn safe(text: &str) -> String {
    let mut safe = String::new();
    for c in text.chars() {
        let c = if c.is_ascii_alphanumeric() || matches!(c, '_' | '.') { c } else { '-' };
        let doubles = matches!(c, '-' | '.') && safe.ends_with(['-', '.']);
        if !doubles && safe.len() < LONGEST {
            safe.push(c);
        }
    }
    let safe = safe.trim_matches(['-', '.']);
    let safe = safe.trim_end_matches(".lock");
    if safe.is_empty() { "run".to_owned() } else { safe.to_owned() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keys_become_branches_and_taken_ones_get_a_number() {
        let existing = ["amelia/PROJ-1", "amelia/PROJ-1-2", "amelia/deep/er"].map(str::to_owned);
        for (key, branch) in [
            ("PROJ-1", "amelia/PROJ-1-3"),
            ("PROJ-2", "amelia/PROJ-2"),
            ("deep", "amelia/deep-2"),
            ("Fix: the ../../x!", "amelia/Fix-the-x"),
            ("a.lock.lock", "amelia/a"),
            ("--force", "amelia/force"),
            ("日本", "amelia/run"),
            ("", "amelia/run"),
        ] {
            assert_eq!(free(key, &existing), branch, "{key}");
        }
        assert_eq!(free("x", &["amelia".to_owned()]), "amelia-x");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn git_accepts_every_branch_name(key in "\\PC{0,80}|[./~^:?*@{\\\\a-]{0,8}(\\.lock)?(\\.lock)?") {
            let branch = free(&key, &[]);
            let mut git = std::process::Command::new("git");
            prop_assert!(git.args(["check-ref-format", "--branch", &branch]).output().unwrap().status.success(), "{branch}");
        }
    }
}
