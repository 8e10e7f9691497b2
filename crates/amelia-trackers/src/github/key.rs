//! How people write the key of an issue: `12`, `#12`, `GH-12`, `owner/name#12`, the address of its page.

use amelia_core::tracker::TrackerError;

use super::NAME;
use super::repository::{GitHubRepository, is_name};

/// One issue, in this repository or another one of the same host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IssueKey {
    pub(super) owner: String,
    pub(super) name: String,
    number: u64,
    /// As GitHub writes it: short in its own repository.
    pub(super) shown: String,
}

impl IssueKey {
    pub(super) fn parse(text: &str, home: &GitHubRepository) -> Result<Self, TrackerError> {
        let text = text.trim();
        let refuse = |detail: String| TrackerError::NotFound {
            tracker: NAME.to_owned(),
            what: text.chars().take(200).collect(),
            detail,
        };
        if let Some((_, page)) = text.split_once("://") {
            let (host, path) = page.split_once('/').unwrap_or((page, ""));
            if !host.eq_ignore_ascii_case(&home.host) {
                return Err(refuse(format!("the repository of this run is on {}", home.host)));
            }
            return Self::of_page(path, home)
                .ok_or_else(|| refuse("it is not the page of an issue".to_owned()));
        }
        Self::of_short(text, home).ok_or_else(|| {
            refuse("write an issue as 12, #12, owner/name#12 or the address of its page".to_owned())
        })
    }

    fn of_page(path: &str, home: &GitHubRepository) -> Option<Self> {
        let path = path.split(['?', '#']).next()?;
        let mut parts = path.split('/');
        let (owner, name, kind) = (parts.next()?, parts.next()?, parts.next()?);
        let is_issue = matches!(kind, "issues" | "pull");
        if is_issue { Self::new(owner, name, parts.next()?, home) } else { None }
    }

    fn of_short(text: &str, home: &GitHubRepository) -> Option<Self> {
        if let Some((place, number)) = text.split_once('#')
            && !place.is_empty()
        {
            let (owner, name) = place.split_once('/')?;
            return Self::new(owner, name, number, home);
        }
        let lower = text.to_ascii_lowercase();
        let number = lower.strip_prefix('#').or_else(|| lower.strip_prefix("gh-")).unwrap_or(&lower);
        Self::new(&home.owner, &home.name, number, home)
    }

    fn new(owner: &str, name: &str, number: &str, home: &GitHubRepository) -> Option<Self> {
        let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        let number = number.parse().ok().filter(|number| digits && *number > 0)?;
        if !is_name(owner) || !is_name(name) {
            return None;
        }
        let at_home = owner.eq_ignore_ascii_case(&home.owner) && name.eq_ignore_ascii_case(&home.name);
        let shown = if at_home { format!("#{number}") } else { format!("{owner}/{name}#{number}") };
        Some(Self { owner: owner.to_owned(), name: name.to_owned(), number, shown })
    }

    pub(super) fn path(&self) -> String {
        format!("repos/{}/{}/issues/{}", self.owner, self.name, self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<(String, String), String> {
        let home = GitHubRepository::new("github.com", "o", "r").unwrap();
        let key = IssueKey::parse(text, &home).map_err(|error| error.to_string())?;
        Ok((key.shown.clone(), key.path()))
    }

    #[test]
    fn an_issue_can_be_written_in_many_ways() {
        for text in [
            "12",
            " #12 ",
            "GH-12",
            "o/r#12",
            "O/R#12",
            "https://github.com/o/r/issues/12",
            "https://GitHub.com/o/r/issues/12#issuecomment-1",
            "https://github.com/o/r/pull/12/files?w=1",
        ] {
            let (shown, path) = parse(text).unwrap();
            assert_eq!(shown, "#12", "{text}");
            assert_eq!(path.to_lowercase(), "repos/o/r/issues/12", "{text}");
        }
        assert_eq!(parse("a/b#3"), Ok(("a/b#3".to_owned(), "repos/a/b/issues/3".to_owned())));
    }

    #[test]
    fn what_is_no_issue_is_said_so() {
        for text in
            ["", "#", "0", "-1", "+1", "twelve", "o/r", "a/b/c#1", "../x#1", "99999999999999999999999"]
        {
            let error = parse(text).unwrap_err();
            assert!(error.contains("write an issue as 12, #12"), "{text}: {error}");
        }
        let error = parse("https://evil.example/o/r/issues/12").unwrap_err();
        assert!(error.contains("the repository of this run is on github.com"), "{error}");
        assert!(parse("https://github.com/o/r/wiki/12").unwrap_err().contains("not the page of an issue"));
    }
}
