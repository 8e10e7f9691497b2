//! How a pull request stands: its state, the checks of its newest commit, and the last word of each reviewer.

use amelia_core::tracker::{
    PullRequestCheck, PullRequestCheckOutcome, PullRequestReview, PullRequestState, PullRequestStatus,
    PullRequestVerdict, TrackerError,
};
use serde::Deserialize;

use super::GitHub;

/// Pages of reviews and checks that are read.
const PAGES: usize = 3;

#[derive(Debug, Deserialize)]
struct PullState {
    number: u64,
    html_url: String,
    title: String,
    state: String,
    #[serde(default)]
    draft: bool,
    #[serde(default)]
    merged: bool,
    mergeable: Option<bool>,
    merge_commit_sha: Option<String>,
    head: Tip,
    base: Tip,
}

#[derive(Debug, Deserialize)]
struct Tip {
    #[serde(rename = "ref")]
    name: String,
    sha: String,
}

#[derive(Debug, Deserialize)]
struct CheckRuns {
    check_runs: Vec<CheckRun>,
}

#[derive(Debug, Deserialize)]
struct CheckRun {
    name: String,
    status: String,
    conclusion: Option<String>,
    html_url: Option<String>,
}

/// What older services report in the place of check runs.
#[derive(Debug, Deserialize)]
struct Combined {
    statuses: Vec<CommitStatus>,
}

#[derive(Debug, Deserialize)]
struct CommitStatus {
    context: String,
    state: String,
    target_url: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ReviewShape {
    user: Option<Reviewer>,
    state: String,
}

#[derive(Debug, Deserialize)]
struct Reviewer {
    login: String,
}

impl GitHub {
    pub(super) async fn pull_request_state(&self, number: u64) -> Result<PullRequestState, TrackerError> {
        let what = format!("pull request {number}");
        let at = self.repository.path();
        let pull: PullState = self.get(&what, format!("{at}/pulls/{number}")).await?;
        let (reviews, _) =
            self.pages::<ReviewShape>(&what, &format!("{at}/pulls/{number}/reviews"), PAGES).await?;
        let commit = format!("{at}/commits/{}", pull.head.sha);
        let runs: CheckRuns = self.get(&what, format!("{commit}/check-runs?per_page=100")).await?;
        let statuses: Combined = self.get(&what, format!("{commit}/status?per_page=100")).await?;
        let checks = runs.check_runs.into_iter().map(CheckRun::into_check);
        let checks = checks.chain(statuses.statuses.into_iter().map(CommitStatus::into_check));
        Ok(PullRequestState {
            status: status(&pull),
            number: pull.number,
            url: pull.html_url,
            title: pull.title,
            base: pull.base.name,
            has_conflicts: pull.mergeable.map(|mergeable| !mergeable),
            checks: checks.collect(),
            reviews: last_words(&reviews),
            // GitHub also names the commit of a test merge there.
            merge_commit: pull.merge_commit_sha.filter(|_| pull.merged),
        })
    }
}

fn status(pull: &PullState) -> PullRequestStatus {
    match pull.state.as_str() {
        _ if pull.merged => PullRequestStatus::Merged,
        "open" if pull.draft => PullRequestStatus::Draft,
        "open" => PullRequestStatus::Open,
        _ => PullRequestStatus::Closed,
    }
}

impl CheckRun {
    fn into_check(self) -> PullRequestCheck {
        let outcome = match (self.status.as_str(), self.conclusion.as_deref()) {
            ("completed", Some("success")) => PullRequestCheckOutcome::Passed,
            ("completed", Some("neutral" | "skipped")) => PullRequestCheckOutcome::Skipped,
            ("completed", _) => PullRequestCheckOutcome::Failed,
            _ => PullRequestCheckOutcome::Running,
        };
        PullRequestCheck { name: self.name, outcome, url: self.html_url }
    }
}

impl CommitStatus {
    fn into_check(self) -> PullRequestCheck {
        let outcome = match self.state.as_str() {
            "success" => PullRequestCheckOutcome::Passed,
            "pending" => PullRequestCheckOutcome::Running,
            _ => PullRequestCheckOutcome::Failed,
        };
        PullRequestCheck { name: self.context, outcome, url: self.target_url }
    }
}

/// A comment after an approval does not take it back.
fn last_words(reviews: &[ReviewShape]) -> Vec<PullRequestReview> {
    let mut words: Vec<PullRequestReview> = Vec::new();
    for review in reviews {
        let author = review.user.as_ref().map_or("ghost", |user| &user.login);
        let Some(verdict) = verdict(&review.state) else { continue };
        match words.iter_mut().find(|word| word.author == author) {
            Some(_) if verdict == PullRequestVerdict::Commented => {}
            Some(word) => word.verdict = verdict,
            None => words.push(PullRequestReview { author: author.to_owned(), verdict }),
        }
    }
    words
}

/// Nothing for a review that was not sent yet.
fn verdict(state: &str) -> Option<PullRequestVerdict> {
    match state {
        "APPROVED" => Some(PullRequestVerdict::Approved),
        "CHANGES_REQUESTED" => Some(PullRequestVerdict::ChangesRequested),
        "COMMENTED" => Some(PullRequestVerdict::Commented),
        "DISMISSED" => Some(PullRequestVerdict::Dismissed),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_of_a_reviewer_counts_but_a_comment_takes_nothing_back() {
        let review = |login: &str, state: &str| ReviewShape {
            user: Some(Reviewer { login: login.to_owned() }),
            state: state.to_owned(),
        };
        let said = [
            review("ann", "CHANGES_REQUESTED"),
            review("bob", "COMMENTED"),
            review("ann", "APPROVED"),
            review("ann", "COMMENTED"),
            review("cy", "PENDING"),
        ];
        let word = |author: &str, verdict| PullRequestReview { author: author.to_owned(), verdict };
        let expected =
            [word("ann", PullRequestVerdict::Approved), word("bob", PullRequestVerdict::Commented)];
        assert_eq!(last_words(&said), expected);
    }
}
