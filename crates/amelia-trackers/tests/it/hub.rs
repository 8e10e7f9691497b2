//! A small GitHub: one repository with issue 12, which keeps what it is sent. Answers in the shapes of the reference.

use std::sync::{Arc, Mutex};

use amelia_core::config::retry::RetryConfig;
use amelia_core::config::secret::Secret;
use amelia_trackers::{GitHub, GitHubRepository};
use serde_json::{Value, json};

use crate::server::{Reply, Seen, Server};

pub(crate) const TOKEN: &str = "ghp_0123456789abcdefghij";
pub(crate) const DIFF: &str = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n";
/// Tries twice more, at once.
pub(crate) const RETRY: RetryConfig = RetryConfig { max_retries: 2, base_delay: 0.0, max_delay: 0.0 };

#[derive(Clone, Default)]
pub(crate) struct Hub {
    kept: Arc<Mutex<HubState>>,
    /// Whether the repository has the label of work under way.
    has_label: bool,
}

#[derive(Default)]
struct HubState {
    comments: Vec<Value>,
    labels: Vec<Value>,
    pulls: Vec<Value>,
}

impl Hub {
    pub(crate) fn new() -> Self {
        let hub = Self::default();
        let comments = serde_json::from_str(include_str!("../fixtures/github/comments.json")).unwrap();
        hub.kept.lock().unwrap().comments = comments;
        hub
    }

    pub(crate) fn with_label() -> Self {
        Self { has_label: true, ..Self::new() }
    }

    pub(crate) async fn serve(&self) -> Server {
        let hub = self.clone();
        Server::new(move |seen| hub.answer(seen)).await
    }

    /// So many comments before those it has.
    pub(crate) fn crowd(&self, many: u64) {
        let old = (100..100 + many).map(|id| comment(id, "noise"));
        self.kept.lock().unwrap().comments.splice(0..0, old);
    }

    pub(crate) fn answer(&self, seen: &Seen) -> Reply {
        let given = seen.header("authorization").unwrap_or_default();
        if ![format!("Bearer {TOKEN}"), format!("token {TOKEN}")].contains(&given.to_owned()) {
            return Reply::json(401, &problem("Bad credentials"));
        }
        let mut kept = self.kept.lock().unwrap();
        let what = seen.what();
        match what.strip_prefix("GET ").or_else(|| what.strip_prefix("POST ")).unwrap_or_default() {
            "/repos/octocat/hello" => Reply::json(200, &json!({ "id": 1, "default_branch": "trunk" })),
            "/repos/octocat/hello/issues" => {
                let mut pull = issue(&kept);
                pull["number"] = json!(13);
                pull["pull_request"] =
                    json!({ "url": "https://api.github.com/repos/octocat/hello/pulls/13" });
                Reply::json(200, &page(seen, &[pull, issue(&kept)]))
            }
            "/search/issues" => {
                let asked = seen.query("q").unwrap();
                let own = "repo%3Aoctocat%2Fhello%20is%3Aissue%20is%3Aopen%20in%3Atitle%20";
                let items: Vec<Value> = match asked.strip_prefix(own) {
                    Some("%22found%22%20%22bug%22") => vec![issue(&kept)],
                    _ => Vec::new(),
                };
                Reply::json(200, &json!({ "total_count": items.len(), "items": items }))
            }
            "/repos/octocat/hello/issues/12" | "/repos/other/repo/issues/12" => {
                Reply::json(200, &issue(&kept))
            }
            "/repos/octocat/hello/issues/12/comments" if seen.method == "POST" => {
                let new = comment(500 + kept.comments.len() as u64, seen.json()["body"].as_str().unwrap());
                kept.comments.push(new.clone());
                Reply::json(201, &new)
            }
            "/repos/octocat/hello/issues/12/comments" => Reply::json(200, &page(seen, &kept.comments)),
            "/repos/octocat/hello/labels/in%20progress" if self.has_label => {
                Reply::json(200, &json!({ "id": 9, "name": "In Progress", "color": "ededed" }))
            }
            "/repos/octocat/hello/issues/12/labels" => {
                kept.labels = seen.json()["labels"].as_array().unwrap().clone();
                let named: Vec<Value> = kept.labels.iter().map(|name| json!({ "name": name })).collect();
                Reply::json(200, &json!(named))
            }
            "/repos/octocat/hello/pulls" if seen.method == "POST" => open(&mut kept, &seen.json()),
            "/repos/octocat/hello/pulls" => {
                let head = seen.query("head").unwrap().replace("%3A", ":").replace("%2F", "/");
                let of_head =
                    |pull: &&Value| format!("octocat:{}", pull["head"]["ref"].as_str().unwrap()) == head;
                let pulls: Vec<Value> = kept.pulls.iter().filter(of_head).cloned().collect();
                Reply::json(200, &page(seen, &pulls))
            }
            "/repos/octocat/hello/pulls/7"
                if seen.header("accept") == Some("application/vnd.github.diff") =>
            {
                Reply::text(200, DIFF)
            }
            _ => Reply::json(404, &problem("Not Found")),
        }
    }
}

pub(crate) fn problem(message: &str) -> Value {
    json!({ "message": message, "documentation_url": "https://docs.github.com/rest", "status": "0" })
}

pub(crate) fn repository() -> GitHubRepository {
    GitHubRepository::from_remote("git@github.com:octocat/hello.git").unwrap()
}

pub(crate) fn github(url: &str) -> GitHub {
    GitHub::at(url, repository(), Secret::new(TOKEN), RETRY).unwrap()
}

fn issue(kept: &HubState) -> Value {
    let mut issue: Value = serde_json::from_str(include_str!("../fixtures/github/issue.json")).unwrap();
    let labels = kept.labels.iter().map(|name| json!({ "name": name }));
    issue["labels"].as_array_mut().unwrap().extend(labels);
    issue["comments"] = json!(kept.comments.len());
    issue
}

fn comment(id: u64, body: &str) -> Value {
    json!({
        "id": id,
        "html_url": format!("https://github.com/octocat/hello/issues/12#issuecomment-{id}"),
        "body": body,
        "user": { "login": "octocat" },
        "created_at": "2026-01-02T03:04:05Z",
    })
}

fn open(kept: &mut HubState, wanted: &Value) -> Reply {
    let number = kept.pulls.len() + 7;
    let same = |pull: &Value| pull["head"]["ref"] == wanted["head"];
    if kept.pulls.iter().any(same) {
        let error = json!({ "resource": "PullRequest", "code": "custom",
            "message": "A pull request already exists for octocat:work." });
        let mut body = problem("Validation Failed");
        body["errors"] = json!([error]);
        return Reply::json(422, &body);
    }
    let pull = json!({
        "number": number,
        "html_url": format!("https://github.com/octocat/hello/pull/{number}"),
        "state": "open",
        "title": wanted["title"],
        "body": wanted["body"],
        "head": { "ref": wanted["head"] },
        "base": { "ref": wanted["base"] },
        "draft": wanted["draft"],
    });
    kept.pulls.push(pull.clone());
    Reply::json(201, &pull)
}

fn page(seen: &Seen, all: &[Value]) -> Value {
    let number = |name: &str| seen.query(name).unwrap().parse::<usize>().unwrap();
    let size = number("per_page");
    let items: Vec<&Value> = all.iter().skip((number("page") - 1) * size).take(size).collect();
    json!(items)
}
