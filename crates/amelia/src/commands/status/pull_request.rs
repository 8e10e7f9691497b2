//! The pull request of a run as its host has it now: merged or not, its checks and reviews. Asked for a short time only: a
//! status is shown without a host, too.

use std::time::{Duration, Instant};

use amelia_core::text::short_commit;
use amelia_core::view::RunRow;
use amelia_wire::rest::delivery::PullRequestDetail;
use serde_json::{Value, json};

use crate::cli_error::problem_of;
use crate::client::Client;
use crate::commands::delivery::check_lines;
use crate::ui;

/// How long the host may take.
const LOOK_TIMEOUT: Duration = Duration::from_secs(3);
/// How long `--watch` shows what the host said.
const SHOWN_FOR: Duration = Duration::from_secs(30);

/// What the host said, and when.
#[derive(Default)]
pub(super) struct PullRequestLook(Option<(Instant, Result<PullRequestDetail, String>)>);

impl PullRequestLook {
    /// Asks the host of a run that has a pull request, unless it did so a moment ago.
    pub(super) async fn renew(&mut self, client: &Client, row: &RunRow) {
        let is_new = self.0.as_ref().is_some_and(|(at, _)| at.elapsed() < SHOWN_FOR);
        if row.view.pull_request.is_none() || is_new {
            return;
        }
        let path = format!("/workflows/{}/pull-request", row.run.id);
        let said = match tokio::time::timeout(LOOK_TIMEOUT, client.get(&path)).await {
            Ok(said) => said.map_err(|error| problem_of(&error).message),
            Err(_) => Err(format!("no answer in {} s", LOOK_TIMEOUT.as_secs())),
        };
        self.0 = Some((Instant::now(), said));
    }

    /// For people, below the line that names the pull request.
    pub(super) fn lines(&self, row: &RunRow, me: &str) -> Vec<String> {
        match &self.0 {
            None => Vec::new(),
            Some((_, Ok(detail))) => {
                let checks = check_lines(detail);
                std::iter::once(state(detail)).chain(checks).map(|line| format!("  {line}")).collect()
            }
            Some((_, Err(why))) => {
                let again = ui::dim(format!("{me} pr show {} tries again", row.run.number));
                vec![format!("  its state is unknown: {}; {again}", ui::one_line(why))]
            }
        }
    }

    /// For scripts: two more fields of the run.
    pub(super) fn to_json(&self, mut run: Value) -> Value {
        let (detail, error) = match &self.0 {
            None => (Value::Null, Value::Null),
            Some((_, Ok(detail))) => (json!(detail), Value::Null),
            Some((_, Err(why))) => (Value::Null, why.as_str().into()),
        };
        if let Value::Object(fields) = &mut run {
            fields.insert("pull_request_detail".to_owned(), detail);
            fields.insert("pull_request_error".to_owned(), error);
        }
        run
    }
}

fn state(detail: &PullRequestDetail) -> String {
    let base = ui::one_line(&detail.base);
    match (detail.status.as_str(), detail.has_conflicts) {
        ("merged", _) => {
            let commit = detail.merge_commit.as_deref().map(|commit| format!(" ({})", short_commit(commit)));
            format!("{} into {base}{}", ui::painted(ui::GOOD, "merged"), commit.unwrap_or_default())
        }
        ("closed", _) => ui::painted(ui::WAITS, "closed without a merge"),
        (status, Some(true)) => {
            format!("{status}, {}", ui::painted(ui::BAD, format!("conflicts with {base}")))
        }
        (status, _) => format!("{status}, not merged"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pull_request_says_whether_it_was_merged() {
        let detail = |status: &str, has_conflicts: Option<bool>| PullRequestDetail {
            number: 5,
            url: "https://example.org/5".to_owned(),
            title: "It adds".to_owned(),
            status: status.to_owned(),
            base: "main".to_owned(),
            has_conflicts,
            checks: Vec::new(),
            reviews: Vec::new(),
            merge_commit: (status == "merged").then(|| "0123456789abcdef".to_owned()),
        };
        for (status, has_conflicts, expected) in [
            ("open", Some(false), "open, not merged"),
            ("draft", None, "draft, not merged"),
            ("open", Some(true), "open, conflicts with main"),
            ("merged", None, "merged into main (0123456)"),
            ("closed", Some(true), "closed without a merge"),
        ] {
            let shown = state(&detail(status, has_conflicts));
            assert_eq!(anstream::adapter::strip_str(&shown).to_string(), expected);
        }
    }
}
