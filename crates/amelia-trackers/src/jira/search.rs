//! Issues to choose from. A person's words never become JQL: only letters and digits of them are sent, in quotes.

use amelia_core::tracker::{Issue, TrackerError};

use super::shapes::{IssueShape, SearchPage};
use super::{Dialect, Jira, PAGE};
use crate::exchange::{TrackerRequest, encoded};
use crate::text::description;

const FIELDS: &str = "summary,description,status,labels";

impl Jira {
    pub(super) async fn list(&self, words: &str, most: usize) -> Result<Vec<Issue>, TrackerError> {
        if let Ok(key) = self.key(words) {
            let request = TrackerRequest::get(format!("issue/{key}?fields={FIELDS}"));
            match self.caller.json::<IssueShape>(&key, &request).await {
                Ok(issue) => return Ok(vec![self.listed(issue)]),
                Err(TrackerError::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        // The Cloud has another path than servers, which never got the new one.
        let path = match self.dialect {
            Dialect::Tree => "search/jql",
            Dialect::Wiki => "search",
        };
        let (jql, size) = (encoded(&jql(words)), most.clamp(1, PAGE));
        let request = TrackerRequest::get(format!("{path}?jql={jql}&maxResults={size}&fields={FIELDS}"));
        let SearchPage { issues } = self.caller.json("issues", &request).await?;
        Ok(issues.into_iter().take(most).map(|issue| self.listed(issue)).collect())
    }

    fn listed(&self, IssueShape { key, fields }: IssueShape) -> Issue {
        Issue {
            key,
            title: fields.summary,
            description: description(&self.markdown(&fields.description), &fields.labels, &[]),
            status: fields.status.name,
        }
    }
}

/// Open issues with all of the words in their titles, newest first.
fn jql(words: &str) -> String {
    let words = words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let wanted: String = words.map(|word| format!("summary ~ \"{word}*\" AND ")).collect();
    format!("{wanted}statusCategory != Done ORDER BY created DESC")
}

#[cfg(test)]
mod tests {
    use super::jql;

    #[test]
    fn words_are_never_taken_for_jql() {
        assert_eq!(jql(""), "statusCategory != Done ORDER BY created DESC");
        assert_eq!(
            jql(r#"größer" OR project = "X\"#),
            "summary ~ \"größer*\" AND summary ~ \"OR*\" AND summary ~ \"project*\" AND summary ~ \"X*\" AND statusCategory != Done ORDER BY created DESC"
        );
    }
}
