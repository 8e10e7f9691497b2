//! Jira: issues, comments and transitions, in the Cloud (API v3, rich text as a tree) and on servers of one's own
//! (API v2, wiki text).
//!
//! Opens no pull requests: that is the business of the code host.

pub(crate) mod adf;
mod compose;
mod search;
mod shapes;
mod transition;
pub(crate) mod wiki;

use std::time::Duration;

use amelia_core::config::retry::RetryConfig;
use amelia_core::config::secret::Secret;
use amelia_core::redact::Redactor;
use amelia_core::text::capped;
use amelia_core::tracker::{Issue, IssueProgress, Tracker, TrackerAction, TrackerError};
use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::caller::Caller;
use crate::exchange::TrackerRequest;
use crate::failure::TrackerWords;
use crate::rest::{AuthScheme, RestTransport};
use crate::text::{Comment, description, marker_text};
use shapes::{IssueShape, RemarkShape, Remarks, StatusShape, Transitions};

const NAME: &str = "jira";
/// Jira's own limit is 32767 characters, and a tree has more of them than its text.
const LONGEST_TEXT: usize = 16_000;
const PAGE: usize = 100;
/// Pages of comments that are read for an issue's description, and looked through for a marker.
const PAGES_READ: usize = 5;
const PAGES_SEARCHED: usize = 100;

/// Which kind of Jira, and who asks.
#[derive(Debug, Clone)]
pub enum JiraSite {
    /// `https://NAME.atlassian.net`: an account's address and its API token.
    Cloud { email: String, token: Secret },
    /// Server or Data Center: a personal access token.
    Server { token: Secret },
}

/// The issues of one Jira.
pub struct Jira {
    caller: Caller,
    dialect: Dialect,
    /// For the addresses of pages.
    site: String,
}

/// How this Jira writes text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Tree,
    Wiki,
}

impl Jira {
    /// The Jira at `base_url`, where a person would open it.
    pub fn new(base_url: &str, site: JiraSite, retry: RetryConfig) -> Result<Self, TrackerError> {
        let base = base_url.trim().trim_end_matches('/').to_owned();
        let (version, dialect, auth, redactor) = match site {
            JiraSite::Cloud { email, token } => {
                // What is sent is another text than the token, and as secret.
                let sent = Secret::new(STANDARD.encode(format!("{email}:{}", token.reveal())));
                let redactor = Redactor::new([token.clone(), sent]);
                (3, Dialect::Tree, AuthScheme::Basic { user: email, secret: token }, redactor)
            }
            JiraSite::Server { token } => {
                (2, Dialect::Wiki, AuthScheme::Bearer(token.clone()), Redactor::new([token]))
            }
        };
        let rest = RestTransport::new(&format!("{base}/rest/api/{version}"), auth, Duration::from_secs(60))?;
        let words = TrackerWords {
            tracker: NAME,
            sign_in: match dialect {
                Dialect::Tree => "check JIRA_EMAIL and JIRA_API_TOKEN".to_owned(),
                Dialect::Wiki => "check JIRA_API_TOKEN: a personal access token of this server".to_owned(),
            },
            allow: "ask for the permission in the issue's project".to_owned(),
        };
        let caller = Caller { transport: Box::new(rest), retry, redactor, words };
        Ok(Self { caller, dialect, site: base })
    }

    fn key(&self, text: &str) -> Result<String, TrackerError> {
        key_of(text, &self.site).ok_or_else(|| TrackerError::NotFound {
            tracker: NAME.to_owned(),
            what: text.trim().chars().take(200).collect(),
            detail: "write an issue as PROJ-12 or the address of its page".to_owned(),
        })
    }

    /// Rich text of either kind as Markdown.
    fn markdown(&self, text: &Value) -> String {
        match (text, self.dialect) {
            (Value::String(text), Dialect::Wiki) => wiki::to_markdown(text),
            (Value::String(text), Dialect::Tree) => text.clone(),
            (Value::Null, _) => String::new(),
            (tree, _) => adf::to_markdown(tree),
        }
    }

    async fn page(&self, key: &str, start: usize) -> Result<Remarks, TrackerError> {
        let path = format!("issue/{key}/comment?orderBy=created&startAt={start}&maxResults={PAGE}");
        self.caller.json(key, &TrackerRequest::get(path)).await
    }

    /// The comments of an issue, oldest first. Of very many, the first page and the last ones.
    async fn comments(&self, key: &str) -> Result<Vec<RemarkShape>, TrackerError> {
        let Remarks { comments: mut all, total } = self.page(key, 0).await?;
        let mut start = all.len().max(total.saturating_sub(PAGE * (PAGES_READ - 1)));
        // A server may give fewer than asked for; it is not asked for ever.
        for _ in 0..2 * PAGES_READ {
            if start >= total {
                break;
            }
            let page = self.page(key, start).await?;
            start += page.comments.len();
            all.extend(page.comments);
        }
        Ok(all)
    }

    async fn comment(&self, issue: &str, text: &str, marker: &str) -> Result<Value, TrackerError> {
        let key = self.key(issue)?;
        let text = capped(text.trim_end(), LONGEST_TEXT);
        let marker = marker_text(marker);
        let body = match self.dialect {
            Dialect::Tree => compose::tree(&text, &marker),
            Dialect::Wiki => json!(compose::wiki(&text, &marker)),
        };
        let path = format!("issue/{key}/comment");
        let sent: RemarkShape =
            self.caller.json(&key, &TrackerRequest::post(path, json!({ "body": body }))).await?;
        Ok(self.receipt(&key, &sent))
    }

    async fn find_comment(&self, issue: &str, marker: &str) -> Result<Option<Value>, TrackerError> {
        let key = self.key(issue)?;
        let marker = marker_text(marker);
        let mut start = 0;
        for _ in 0..PAGES_SEARCHED {
            let Remarks { comments, total } = self.page(&key, start).await?;
            if let Some(found) = comments.iter().find(|comment| comment.body.to_string().contains(&marker)) {
                return Ok(Some(self.receipt(&key, found)));
            }
            start += comments.len();
            if comments.is_empty() || start >= total {
                return Ok(None);
            }
        }
        // "It is not there" would send it a second time.
        let detail = format!("{key} has more comments than can be looked through for a marker");
        Err(TrackerError::Unavailable { tracker: NAME.to_owned(), detail })
    }

    fn receipt(&self, key: &str, comment: &RemarkShape) -> Value {
        let url = format!("{}/browse/{key}?focusedCommentId={}", self.site, comment.id);
        json!({ "id": comment.id, "url": url })
    }

    async fn progress(&self, issue: &str, to: IssueProgress) -> Result<Value, TrackerError> {
        let key = self.key(issue)?;
        if let Some(there) = self.find_progress(&key, to).await? {
            return Ok(there);
        }
        let path = format!("issue/{key}/transitions");
        let Transitions { transitions } = self.caller.json(&key, &TrackerRequest::get(path.clone())).await?;
        let chosen = transition::choose(&transitions, to).map_err(|why| TrackerError::Refused {
            tracker: NAME.to_owned(),
            detail: format!("{key}: {why}"),
        })?;
        let body = json!({ "transition": { "id": chosen.id } });
        // Answers 204, without a text.
        self.caller.answer(&key, &TrackerRequest::post(path, body)).await?;
        Ok(json!({ "status": chosen.to.name, "transition": chosen.name }))
    }

    /// Transitions carry no marker: what counts is where the issue is.
    async fn find_progress(&self, key: &str, to: IssueProgress) -> Result<Option<Value>, TrackerError> {
        let request = TrackerRequest::get(format!("issue/{key}?fields=status"));
        let StatusShape { fields } = self.caller.json(key, &request).await?;
        let is_there = transition::is_at(&fields.status, to);
        Ok(is_there.then(|| json!({ "status": fields.status.name })))
    }
}

#[async_trait]
impl Tracker for Jira {
    async fn issue(&self, key: &str) -> Result<Issue, TrackerError> {
        let key = self.key(key)?;
        let request = TrackerRequest::get(format!("issue/{key}?fields=summary,description,status,labels"));
        let IssueShape { key, fields } = self.caller.json(&key, &request).await?;
        let comments = self.comments(&key).await?;
        let comments: Vec<Comment> = comments
            .into_iter()
            .map(|comment| Comment {
                text: self.markdown(&comment.body),
                author: comment.author.map_or_else(|| "nobody".to_owned(), |author| author.display_name),
                at: comment.created,
            })
            .collect();
        Ok(Issue {
            key,
            title: fields.summary,
            description: description(&self.markdown(&fields.description), &fields.labels, &comments),
            status: fields.status.name,
        })
    }

    async fn search(&self, words: &str, most: usize) -> Result<Vec<Issue>, TrackerError> {
        self.list(words, most).await
    }

    async fn send(&self, what: &TrackerAction, marker: &str) -> Result<Value, TrackerError> {
        match what {
            TrackerAction::Comment { issue, text } => self.comment(issue, text, marker).await,
            TrackerAction::Progress { issue, to } => self.progress(issue, *to).await,
            TrackerAction::PullRequest(_) => {
                let detail = "pull requests are opened where the code is: it needs a remote on GitHub and a \
                              GITHUB_TOKEN, or `gh`"
                    .to_owned();
                Err(TrackerError::Unsupported { tracker: NAME.to_owned(), detail })
            }
        }
    }

    async fn find(&self, what: &TrackerAction, marker: &str) -> Result<Option<Value>, TrackerError> {
        match what {
            TrackerAction::Comment { issue, .. } => self.find_comment(issue, marker).await,
            TrackerAction::Progress { issue, to } => {
                let key = self.key(issue)?;
                self.find_progress(&key, *to).await
            }
            TrackerAction::PullRequest(_) => Ok(None),
        }
    }
}

/// `PROJ-12`, or the page of it on this site.
fn key_of(text: &str, site: &str) -> Option<String> {
    let text = text.trim();
    let text = match text.strip_prefix(site).and_then(|rest| rest.strip_prefix("/browse/")) {
        Some(page) => page.split(['?', '#', '/']).next()?,
        None => text,
    };
    let (project, number) = text.rsplit_once('-')?;
    let starts = project.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_project = project.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_number =
        !number.is_empty() && number.len() < 16 && number.bytes().all(|byte| byte.is_ascii_digit());
    (starts && is_project && is_number && text.len() < 100).then(|| text.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_a_project_and_a_number_or_a_page() {
        let site = "https://acme.atlassian.net";
        for (text, expected) in [
            ("PROJ-12", Some("PROJ-12")),
            (" proj-12 ", Some("PROJ-12")),
            ("A_1-2", Some("A_1-2")),
            ("https://acme.atlassian.net/browse/PROJ-12?focusedCommentId=3", Some("PROJ-12")),
            ("https://evil.example/browse/PROJ-12", None),
            ("PROJ", None),
            ("12", None),
            ("PROJ-", None),
            ("PROJ-1/../../x", None),
            ("1A-2", None),
            ("", None),
        ] {
            assert_eq!(key_of(text, site).as_deref(), expected, "{text}");
        }
    }
}
