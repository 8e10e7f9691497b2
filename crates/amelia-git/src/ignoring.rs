//! Files of a worktree that git is not to see.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;

use crate::error::GitError;
use crate::repository::Repository;
use crate::worktree::Worktree;

/// How a file of rules begins that Amelia has written for the plan of a run. It ignores itself, too.
pub const PLAN_RULES: &str =
    "# Written by Amelia: the plan of a run is committed only with `commit_plan: true`.\n/.gitignore\n";

/// The same for the files that are attached to an issue.
pub const ATTACHMENT_RULES: &str =
    "# Written by Amelia: the files that are attached to an issue are not committed.\n/.gitignore\n";

impl Repository {
    /// Whether git does not see a file as new: it ignores it, or has it already.
    pub async fn is_ignored_or_tracked(&self, worktree: &Worktree, path: &str) -> Result<bool, GitError> {
        let git = self.git.at(&worktree.path);
        let (code, _) = git.exit(&["check-ignore", "--quiet", "--", path], &[1]).await?;
        Ok(code == 0 || self.is_tracked(worktree, path).await?)
    }

    /// Whether git has a file of this path.
    pub async fn is_tracked(&self, worktree: &Worktree, path: &str) -> Result<bool, GitError> {
        let path = format!(":(literal){path}");
        Ok(!self.git.at(&worktree.path).text(&["ls-files", "--", &path]).await?.is_empty())
    }

    /// Makes git ignore what a rule names, in this repository and in no other.
    pub async fn exclude(&self, worktree: &Worktree, rule: &str) -> Result<(), GitError> {
        let git = self.git.at(&worktree.path);
        let file = git.path(&["rev-parse", "--path-format=absolute", "--git-path", "info/exclude"]).await?;
        let added = file.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| {
            let mut rules = std::fs::OpenOptions::new().create(true).append(true).open(&file)?;
            writeln!(rules, "{rule}")
        });
        added.map_err(GitError::io(&file))
    }
}

/// What of these ignored paths is a person's: no plan, no attachment, no rules for them, and no directory whose content is
/// listed besides.
pub(crate) fn without_plans(root: &Path, mut ignored: Vec<String>) -> Vec<String> {
    let mut plans = BTreeSet::new();
    for rules in ignored.iter().filter(|path| path.ends_with(".gitignore")) {
        let text = std::fs::read_to_string(root.join(rules)).unwrap_or_default();
        let directory = rules.strip_suffix(".gitignore").unwrap_or_default();
        if text.starts_with(PLAN_RULES) || text.starts_with(ATTACHMENT_RULES) {
            plans.extend(
                text.lines().filter_map(|line| Some(format!("{directory}{}", line.strip_prefix('/')?))),
            );
        }
    }
    let all = ignored.clone();
    let is_parent = |path: &String| {
        path.ends_with('/') && all.iter().any(|other| other != path && other.starts_with(path.as_str()))
    };
    ignored.retain(|path| !plans.contains(path) && !is_parent(path));
    ignored
}
