//! What a merge brings together that the run has not seen. Pure.

pub(super) fn counted(commits: usize) -> String {
    match commits {
        1 => "1 commit".to_owned(),
        commits => format!("{commits} commits"),
    }
}

/// What the target has besides the branch of the run: so many commits, and so many of them with a change that is not in
/// the branch. The others are merges, or copies of commits of the run.
pub(super) fn about_unseen(into: &str, new: usize, all: usize) -> Option<String> {
    let tests = "run your tests on the result";
    match (new, all) {
        (0, _) => None,
        (new, all) if new >= all => {
            Some(format!("`{into}` has {} that the run has not seen: {tests}", counted(new)))
        }
        (new, all) => Some(format!(
            "`{into}` has {} that the branch of the run does not have, {new} of them with changes that the run has \
             not seen: {tests}",
            counted(all)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::about_unseen;

    #[test]
    fn the_commits_that_a_run_has_not_seen_are_told_from_merges_and_copies() {
        assert_eq!(about_unseen("main", 0, 3), None);
        let alone = about_unseen("main", 1, 1).unwrap();
        assert_eq!(alone, "`main` has 1 commit that the run has not seen: run your tests on the result");
        let some = about_unseen("main", 1, 3).unwrap();
        let expected = "`main` has 3 commits that the branch of the run does not have, 1 of them with changes that \
                        the run has not seen: run your tests on the result";
        assert_eq!(some, expected);
    }
}
