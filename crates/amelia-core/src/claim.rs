//! Names of what one run has for itself until it ends: a checkout, a new branch. They are kept by the store, and people
//! read them in refusals.

use std::path::Path;

const BRANCH: &str = "branch `";
/// No branch has a space in its name.
const OF: &str = "` of ";

/// The user's checkout of a repository.
#[must_use]
pub fn checkout(repository: &Path) -> String {
    repository.display().to_string()
}

/// A branch of a repository.
#[must_use]
pub fn branch(repository: &Path, name: &str) -> String {
    format!("{BRANCH}{name}{OF}{}", repository.display())
}

/// What of another run is in the way of a claim, in words; `None` when both can be had.
#[must_use]
pub fn collision(wanted: &str, taken: &str) -> Option<String> {
    if wanted == taken {
        return Some(taken.to_owned());
    }
    let ((name, at), (other, beside)) = (branch_of(wanted)?, branch_of(taken)?);
    let collide = at == beside && branches_collide(name, other);
    collide.then(|| format!("{taken}, which git cannot have together with `{name}`,"))
}

fn branch_of(claim: &str) -> Option<(&str, &str)> {
    claim.strip_prefix(BRANCH)?.split_once(OF)
}

/// Git keeps a branch as a file: there is no `feat/x` beside `feat`.
#[must_use]
pub fn branches_collide(one: &str, other: &str) -> bool {
    let is_below =
        |long: &str, short: &str| long.strip_prefix(short).is_some_and(|rest| rest.starts_with('/'));
    one == other || is_below(one, other) || is_below(other, one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_collides_with_its_name_and_with_what_is_below_it_in_one_repository() {
        let (here, there) = (Path::new("/here"), Path::new("/there"));
        let beside = "branch `feat/x` of /here, which git cannot have together with `feat`,";
        for (wanted, taken, expected) in [
            (branch(here, "feat"), branch(here, "feat"), Some("branch `feat` of /here")),
            (branch(here, "feat"), branch(here, "feat/x"), Some(beside)),
            (branch(here, "feat"), branch(here, "feature"), None),
            (branch(here, "feat/x"), branch(here, "feat/y"), None),
            (branch(here, "feat"), branch(there, "feat/x"), None),
            (branch(here, "feat"), checkout(here), None),
            (checkout(here), checkout(here), Some("/here")),
            (checkout(here), checkout(Path::new("/here/below")), None),
        ] {
            assert_eq!(collision(&wanted, &taken).as_deref(), expected, "{wanted}, {taken}");
        }
        assert!(branches_collide("feat/x/y", "feat/x"));
    }
}
