//! A plan in a worktree that git does not see: neither Amelia nor an agent that commits by itself can commit it.

use amelia_core::workplace::WorkplaceError;
use amelia_git::ignoring::PLAN_RULES;

use super::{GitWorkplace, broken};

impl GitWorkplace {
    /// Writes the plan if it is missing, and makes git ignore it. What git tracks already stays tracked.
    pub(super) async fn keep_plan(&self, path: &str, text: &str) -> Result<(), WorkplaceError> {
        if !self.worktree.path.join(path).exists() {
            drop(self.put(path, text)?);
        }
        if self.repository.is_ignored_or_tracked(&self.worktree, path).await.map_err(broken)? {
            return Ok(());
        }
        let (directory, name) =
            path.rsplit_once('/').map_or(("", path), |(directory, name)| (directory, name));
        let rules =
            if directory.is_empty() { ".gitignore".to_owned() } else { format!("{directory}/.gitignore") };
        match self.text_of(&rules)? {
            None => drop(self.put(&rules, &format!("{PLAN_RULES}{}\n", rule("", name)))?),
            Some(ours) if ours.starts_with(PLAN_RULES) => {
                drop(self.put(&rules, &format!("{ours}{}\n", rule("", name)))?);
            }
            // The rules beside it are the repository's own, and a change of them would be committed.
            Some(_) => {
                self.repository.exclude(&self.worktree, &rule(directory, name)).await.map_err(broken)?;
            }
        }
        // The snapshot that was made when the plan was written has it: a fork would begin with it, and without the rule.
        self.keep().await;
        Ok(())
    }
}

/// The rule for exactly this file.
fn rule(directory: &str, name: &str) -> String {
    let path = if directory.is_empty() { format!("/{name}") } else { format!("/{directory}/{name}") };
    path.chars().flat_map(|c| "\\*?[".contains(c).then_some('\\').into_iter().chain([c])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_for_one_file() {
        assert_eq!(rule("", "2026-01-02-S-1.md"), "/2026-01-02-S-1.md");
        assert_eq!(rule("docs/plans", "a*[b].md"), r"/docs/plans/a\*\[b].md");
    }
}
