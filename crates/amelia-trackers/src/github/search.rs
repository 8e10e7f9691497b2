//! Issues to choose from. Words are words: nothing in them is taken for a qualifier of GitHub's search.

use amelia_core::tracker::{Issue, TrackerError};

use super::shapes::{IssueShape, SearchPage};
use super::{GitHub, PAGE};
use crate::exchange::encoded;

const WHAT: &str = "issues";
/// Pages of a list that are read: pull requests are among them.
const PAGES_LISTED: usize = 3;

impl GitHub {
    pub(super) async fn list(&self, words: &str, most: usize) -> Result<Vec<Issue>, TrackerError> {
        let mut found = match (quoted(words), self.key(words)) {
            (quoted, _) if quoted.is_empty() => self.newest(most).await?,
            (quoted, Err(_)) => self.titled(&quoted, most).await?,
            (quoted, Ok(key)) => match self.get::<IssueShape>(&key.shown, key.path()).await {
                // One of another repository keeps its whole name, or it would be taken for one of this.
                Ok(issue) => issue
                    .listed()
                    .into_iter()
                    .map(|issue| Issue { key: key.shown.clone(), ..issue })
                    .collect(),
                Err(TrackerError::NotFound { .. }) => self.titled(&quoted, most).await?,
                Err(error) => return Err(error),
            },
        };
        found.truncate(most);
        Ok(found)
    }

    async fn newest(&self, most: usize) -> Result<Vec<Issue>, TrackerError> {
        let path = format!("{}/issues?state=open&sort=created&direction=desc", self.repository.path());
        let mut found = Vec::new();
        for page in 1..=PAGES_LISTED {
            let items: Vec<IssueShape> =
                self.get(WHAT, format!("{path}&per_page={PAGE}&page={page}")).await?;
            let is_last = items.len() < PAGE;
            found.extend(items.into_iter().filter_map(IssueShape::listed));
            if is_last || found.len() >= most {
                break;
            }
        }
        Ok(found)
    }

    async fn titled(&self, quoted: &str, most: usize) -> Result<Vec<Issue>, TrackerError> {
        let (owner, name) = (&self.repository.owner, &self.repository.name);
        let query = encoded(&format!("repo:{owner}/{name} is:issue is:open in:title {quoted}"));
        let size = most.clamp(1, PAGE);
        let found: SearchPage = self.get(WHAT, format!("search/issues?q={query}&per_page={size}")).await?;
        Ok(found.items.into_iter().filter_map(IssueShape::listed).collect())
    }
}

/// Each word in quotes of its own.
fn quoted(words: &str) -> String {
    let words = words.split_whitespace().map(|word| word.replace(['"', '\\'], ""));
    let words: Vec<String> =
        words.filter(|word| !word.is_empty()).map(|word| format!("\"{word}\"")).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn no_word_is_a_qualifier() {
        assert_eq!(quoted(r#" add "repo:evil/x"  OR \ "#), r#""add" "repo:evil/x" "OR""#);
        assert_eq!(quoted(" \" "), "");
    }
}
