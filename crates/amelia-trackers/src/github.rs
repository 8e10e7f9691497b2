//! GitHub: issues, comments, labels and pull requests, over its REST API with a token or through the `gh` program.
//!
//! "Done" is a comment and never closes an issue: work is done for its tracker when its pull request is merged, and
//! GitHub closes it then. An issue that is closed before looks finished to everybody while its code is nowhere.

mod key;
mod program;
mod pull_request;
mod repository;
mod search;
mod shapes;

use std::time::Duration;

use amelia_core::config::retry::RetryConfig;
use amelia_core::config::secret::Secret;
use amelia_core::redact::Redactor;
use amelia_core::text::capped;
use amelia_core::tracker::{
    Issue, IssueProgress, PullRequest, PullRequestState, Tracker, TrackerAction, TrackerError,
};
use async_trait::async_trait;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::caller::Caller;
use crate::exchange::{TrackerRequest, encoded};
use crate::failure::TrackerWords;
use crate::rest::{AuthScheme, RestTransport};
use crate::text::{Comment, description, marker_text};
use crate::transport::Transport;
use key::IssueKey;
pub use program::Gh;
pub use repository::GitHubRepository;
use shapes::{IssueShape, Label, PullShape, RemarkShape, RepositoryShape};

const NAME: &str = "github";
const MEDIA_TYPE: &str = "application/vnd.github+json";
const DIFF: &str = "application/vnd.github.diff";
/// The label of work under way, where a repository has it.
const IN_PROGRESS: &str = "in progress";
/// GitHub's own limit is 65536 characters; the marker must fit too.
const LONGEST_TEXT: usize = 60_000;
const LONGEST_TITLE: usize = 256;
const PAGE: usize = 100;
/// Pages of comments that are read for an issue's description, and looked through for a marker.
const PAGES_READ: u64 = 5;
const PAGES_SEARCHED: usize = 100;

/// The issues and pull requests of one repository.
pub struct GitHub {
    repository: GitHubRepository,
    caller: Caller,
}

impl GitHub {
    /// Over HTTP, with a token.
    pub fn with_token(
        repository: GitHubRepository,
        token: Secret,
        retry: RetryConfig,
    ) -> Result<Self, TrackerError> {
        let base = repository.api_base();
        Self::at(&base, repository, token, retry)
    }

    /// The same behind another address of the API: a proxy, a test.
    pub fn at(
        api_base: &str,
        repository: GitHubRepository,
        token: Secret,
        retry: RetryConfig,
    ) -> Result<Self, TrackerError> {
        let redactor = Redactor::new([token.clone()]);
        let rest = RestTransport::new(api_base, AuthScheme::Bearer(token), Duration::from_secs(60))?;
        Ok(Self::over(repository, Box::new(rest), redactor, retry))
    }

    /// Through the `gh` program and the account that is signed in there.
    #[must_use]
    pub fn with_program(repository: GitHubRepository, gh: Gh, retry: RetryConfig) -> Self {
        let redactor = Redactor::new(gh.secrets());
        let transport = gh.transport(&repository.host);
        Self::over(repository, Box::new(transport), redactor, retry)
    }

    fn over(
        repository: GitHubRepository,
        transport: Box<dyn Transport>,
        redactor: Redactor,
        retry: RetryConfig,
    ) -> Self {
        let words = TrackerWords {
            tracker: NAME,
            sign_in: format!("set GITHUB_TOKEN, or run `gh auth login --hostname {}`", repository.host),
            allow: "the token needs `issues` and `pull requests` (read and write) for this repository"
                .to_owned(),
        };
        Self { repository, caller: Caller { transport, retry, redactor, words } }
    }

    async fn get<T: DeserializeOwned>(&self, what: &str, path: String) -> Result<T, TrackerError> {
        self.caller.json(what, &TrackerRequest::get(path).accepting(MEDIA_TYPE)).await
    }

    async fn post<T: DeserializeOwned>(
        &self,
        what: &str,
        path: String,
        body: Value,
    ) -> Result<T, TrackerError> {
        self.caller.json(what, &TrackerRequest::post(path, body).accepting(MEDIA_TYPE)).await
    }

    /// All items of a list, up to so many pages; `true` when there are more.
    async fn pages<T: DeserializeOwned>(
        &self,
        what: &str,
        path: &str,
        most: usize,
    ) -> Result<(Vec<T>, bool), TrackerError> {
        let mut all = Vec::new();
        let separator = if path.contains('?') { '&' } else { '?' };
        for page in 1..=most {
            let items: Vec<T> =
                self.get(what, format!("{path}{separator}per_page={PAGE}&page={page}")).await?;
            let is_last = items.len() < PAGE;
            all.extend(items);
            if is_last {
                return Ok((all, false));
            }
        }
        Ok((all, true))
    }

    /// The first page of a list of so many items, and the last ones: what is between is not read.
    async fn ends<T: DeserializeOwned>(
        &self,
        what: &str,
        path: &str,
        items: u64,
    ) -> Result<Vec<T>, TrackerError> {
        let mut all = Vec::new();
        for page in read_pages(items.div_ceil(PAGE as u64)) {
            let items: Vec<T> = self.get(what, format!("{path}?per_page={PAGE}&page={page}")).await?;
            all.extend(items);
        }
        Ok(all)
    }

    fn key(&self, text: &str) -> Result<IssueKey, TrackerError> {
        IssueKey::parse(text, &self.repository)
    }

    async fn comment(&self, issue: &str, text: &str, marker: &str) -> Result<Value, TrackerError> {
        let key = self.key(issue)?;
        let body = json!({ "body": marked(text, marker) });
        let path = format!("{}/comments", key.path());
        let sent: RemarkShape = self.post(&key.shown, path, body).await?;
        Ok(sent.receipt())
    }

    async fn find_comment(&self, issue: &str, marker: &str) -> Result<Option<Value>, TrackerError> {
        let key = self.key(issue)?;
        let path = format!("{}/comments", key.path());
        let (comments, more) = self.pages::<RemarkShape>(&key.shown, &path, PAGES_SEARCHED).await?;
        let tag = tag(marker);
        let found = comments.iter().find(|comment| comment.text().contains(&tag));
        if found.is_none() && more {
            return Err(too_many(&format!("{} has more comments", key.shown)));
        }
        Ok(found.map(RemarkShape::receipt))
    }

    /// The label where the repository has it; nothing otherwise, for labels are a matter of its owners.
    async fn start(&self, issue: &str) -> Result<Value, TrackerError> {
        let key = self.key(issue)?;
        let label = format!("repos/{}/{}/labels/{}", key.owner, key.name, encoded(IN_PROGRESS));
        let existing: Result<Label, TrackerError> = self.get("label", label).await;
        let name = match existing {
            Ok(label) => label.name,
            Err(TrackerError::NotFound { .. }) => {
                return Ok(json!({ "nothing": format!("the repository has no label `{IN_PROGRESS}`") }));
            }
            Err(error) => return Err(error),
        };
        let path = format!("{}/labels", key.path());
        let _labels: Vec<Label> = self.post(&key.shown, path, json!({ "labels": [name] })).await?;
        Ok(json!({ "label": name }))
    }

    /// A label carries no marker: what counts is whether it is there.
    async fn find_start(&self, issue: &str) -> Result<Option<Value>, TrackerError> {
        let key = self.key(issue)?;
        let issue: IssueShape = self.get(&key.shown, key.path()).await?;
        let label = issue.labels().into_iter().find(|label| label.eq_ignore_ascii_case(IN_PROGRESS));
        Ok(label.map(|label| json!({ "label": label })))
    }

    async fn open(&self, request: &PullRequest, marker: &str) -> Result<Value, TrackerError> {
        let at = self.repository.path();
        let what = format!("a pull request of `{}`", request.head);
        let base = match &request.base {
            Some(base) => base.clone(),
            None => self.get::<RepositoryShape>("the repository", at.clone()).await?.default_branch,
        };
        // GitHub refuses an empty one.
        let title = Some(request.title.trim()).filter(|title| !title.is_empty()).unwrap_or(&request.head);
        let title: String = title.lines().next().unwrap_or_default().chars().take(LONGEST_TITLE).collect();
        let body = json!({
            "title": title,
            "head": request.head,
            "base": base,
            "body": marked(&request.body, marker),
            "draft": request.is_draft,
        });
        let opened: PullShape = self.post(&what, format!("{at}/pulls"), body).await?;
        Ok(opened.receipt())
    }

    async fn find_pull(&self, request: &PullRequest, marker: &str) -> Result<Option<Value>, TrackerError> {
        let GitHubRepository { owner, .. } = &self.repository;
        let head = encoded(&format!("{owner}:{}", request.head));
        let path = format!("{}/pulls?state=all&head={head}", self.repository.path());
        let (pulls, more) = self.pages::<PullShape>("pull requests", &path, PAGES_SEARCHED).await?;
        let tag = tag(marker);
        let found = pulls.iter().find(|pull| pull.text().contains(&tag));
        if found.is_none() && more {
            return Err(too_many(&format!("`{}` has more pull requests", request.head)));
        }
        Ok(found.map(PullShape::receipt))
    }
}

#[async_trait]
impl Tracker for GitHub {
    async fn issue(&self, key: &str) -> Result<Issue, TrackerError> {
        let key = self.key(key)?;
        let issue: IssueShape = self.get(&key.shown, key.path()).await?;
        let comments = if issue.comments > 0 {
            let path = format!("{}/comments", key.path());
            self.ends::<RemarkShape>(&key.shown, &path, issue.comments).await?
        } else {
            Vec::new()
        };
        let comments: Vec<Comment> = comments.into_iter().map(RemarkShape::comment).collect();
        Ok(Issue {
            description: description(issue.body.as_deref().unwrap_or_default(), &issue.labels(), &comments),
            key: key.shown,
            title: issue.title,
            status: issue.state,
        })
    }

    async fn search(&self, words: &str, most: usize) -> Result<Vec<Issue>, TrackerError> {
        self.list(words, most).await
    }

    async fn send(&self, what: &TrackerAction, marker: &str) -> Result<Value, TrackerError> {
        match what {
            TrackerAction::Comment { issue, text } => self.comment(issue, text, marker).await,
            TrackerAction::Progress { issue, to: IssueProgress::Started } => self.start(issue).await,
            TrackerAction::Progress { issue, to: IssueProgress::Done } => {
                let text = "The work on this issue is finished. It stays open until its changes are merged.";
                self.comment(issue, text, marker).await
            }
            TrackerAction::PullRequest(request) => self.open(request, marker).await,
        }
    }

    async fn find(&self, what: &TrackerAction, marker: &str) -> Result<Option<Value>, TrackerError> {
        match what {
            TrackerAction::Comment { issue, .. }
            | TrackerAction::Progress { issue, to: IssueProgress::Done } => {
                self.find_comment(issue, marker).await
            }
            TrackerAction::Progress { issue, to: IssueProgress::Started } => self.find_start(issue).await,
            TrackerAction::PullRequest(request) => self.find_pull(request, marker).await,
        }
    }

    async fn pull_request(&self, number: u64) -> Result<PullRequestState, TrackerError> {
        self.pull_request_state(number).await
    }

    async fn pull_request_diff(&self, number: u64) -> Result<String, TrackerError> {
        let what = format!("pull request {number}");
        let path = format!("{}/pulls/{number}", self.repository.path());
        let answer = self.caller.answer(&what, &TrackerRequest::get(path).accepting(DIFF)).await?;
        // Files of other encodings are in diffs too.
        Ok(String::from_utf8_lossy(&answer.body).into_owned())
    }
}

/// Which of so many pages are read: how it began, and where it stands.
fn read_pages(pages: u64) -> impl Iterator<Item = u64> {
    let first_of_last = pages.saturating_sub(PAGES_READ - 2).max(2);
    std::iter::once(1).chain(first_of_last..=pages)
}

/// "It is not there" would send it a second time.
fn too_many(what: &str) -> TrackerError {
    let detail = format!("{what} than can be looked through for a marker");
    TrackerError::Unavailable { tracker: NAME.to_owned(), detail }
}

/// Not shown by GitHub, and kept by it.
fn tag(marker: &str) -> String {
    format!("<!-- {} -->", marker_text(marker))
}

fn marked(text: &str, marker: &str) -> String {
    format!("{}\n\n{}", capped(text.trim_end(), LONGEST_TEXT), tag(marker))
}
