//! The server as a process: a run over HTTP from order to commit, over the death of the server.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::crew::{ARCHITECT, CONTENT, DEVELOPER, commits, world};
use crate::world::{World, until};

pub(crate) struct Server {
    child: Child,
    address: String,
    token: String,
}

impl Server {
    pub(crate) fn start(world: &World) -> Self {
        Self::start_with(world, &[])
    }

    fn start_with(world: &World, more: &[&str]) -> Self {
        let mut command = world.command(&["server", "--port", "0", "--json"]);
        command.args(more);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        let address = said["url"].as_str().unwrap().trim_start_matches("http://").to_owned();
        let token = std::fs::read_to_string(world.home().join("token")).unwrap();
        Self { child, address, token }
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn token(&self) -> &str {
        self.token.trim()
    }

    /// Status and body of one request.
    pub(crate) fn ask(&self, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head = format!(
            "{method} /api{path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            self.address,
            self.token,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        let text = answer.split_once("\r\n\r\n").map(|(_, body)| body).unwrap_or_default();
        let json =
            text.find('{').and_then(|start| serde_json::from_str(&text[start..=text.rfind('}')?]).ok());
        (status, json.unwrap_or_default())
    }

    /// An order for the sample.
    pub(crate) fn order(&self, world: &World) -> String {
        let order = json!({"issue_id": "S-1", "title": "It does not add", "profile": "crew", "worktree_path": world.repository()});
        let (status, made) = self.ask("POST", "/workflows", Some(order));
        assert_eq!(status, 201, "{made}");
        made["id"].as_str().unwrap().to_owned()
    }

    /// What is shown of a run, which must be there.
    pub(crate) fn shown(&self, run: &str, what: &str) -> Value {
        let (status, shown) = self.ask("GET", &format!("/workflows/{run}{what}"), None);
        assert_eq!(status, 200, "{what}: {shown}");
        shown
    }

    /// Tells it something, which is accepted.
    pub(crate) fn tell(&self, run: &str, what: &str, body: Value) {
        let (status, answer) = self.ask("POST", &format!("/workflows/{run}/{what}"), Some(body));
        assert_eq!(status, 202, "{what}: {answer}");
    }

    pub(crate) fn status(&self, run: &str) -> String {
        self.ask("GET", &format!("/workflows/{run}"), None).1["status"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
fn a_server_lets_out_only_the_keys_it_was_told_and_holds_runs_to_its_budget() {
    let named = "options: { base_url: 'http://127.0.0.1:1/v1', api_key_env: SAMPLE_KEY }";
    let world = world(&[ARCHITECT], &format!("    oracle: {{ driver: api, model: o, {named} }}"));
    let order = json!({"title": "It does not add", "worktree_path": world.repository(), "queue": true, "budget": {"usd": 5, "calls": 3}});
    let server = Server::start(&world);
    let (status, answer) = server.ask("POST", "/workflows", Some(order.clone()));
    assert_eq!(status, 422, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("`SAMPLE_KEY` is not among"), "{answer}");
    drop(server);
    let more = ["--set", "api_key_envs=SAMPLE_KEY", "--set", "budgets.per_run={usd: 2, tokens: 1000}"];
    let server = Server::start_with(&world, &more);
    let (status, made) = server.ask("POST", "/workflows", Some(order));
    assert_eq!(status, 201, "{made}");
    let run = made["id"].as_str().unwrap();
    let budget = server.ask("GET", &format!("/workflows/{run}"), None).1["budget"].clone();
    assert_eq!(budget, json!({"usd": 2.0, "tokens": 1000, "calls": 3, "wall_seconds": null}));
    let graph = server.ask("GET", &format!("/workflows/{run}/graph"), None).1;
    assert_eq!(graph["graph"]["nodes"].as_array().unwrap().len(), 10, "all of them, though none was visited");
    let edges = graph["graph"]["edges"].as_array().unwrap();
    assert!(edges.contains(&json!({"from": "approve", "to": "develop", "kind": "route"})), "{edges:?}");
    assert_eq!((&graph["active"], &graph["stages"]), (&json!([]), &json!({})));
}

#[test]
fn a_refusal_names_the_field_of_the_request_that_it_is_about() {
    let world = world(&[ARCHITECT], "");
    let server = Server::start(&world);
    let outside = tempfile::tempdir().unwrap();
    let (repository, plain) = (world.repository(), outside.path());
    for (field, value, status) in [
        ("worktree_path", json!(plain), 409),
        ("worktree_path", json!(plain.join("missing")), 409),
        ("profile", json!("absent"), 404),
        ("base", json!("nowhere"), 409),
        ("branch", json!("a..b"), 409),
        ("branch", json!("refs/heads/x"), 409),
        ("plan_file", json!("missing.md"), 422),
    ] {
        let mut order = json!({"title": "It does not add", "worktree_path": repository, "queue": true});
        order[field] = value;
        let (answered, body) = server.ask("POST", "/workflows", Some(order.clone()));
        let problems = &body["error"]["details"]["problems"];
        assert_eq!((answered, &problems[0]["path"]), (status, &json!(field)), "{order}: {body}");
        assert!(problems[0]["message"].is_string() && problems[1].is_null(), "{body}");
    }
    let review = json!({"worktree_path": repository, "base": "nowhere"});
    let (_, body) = server.ask("POST", "/workflows/review", Some(review));
    assert_eq!(body["error"]["details"]["problems"][0]["path"], "base", "{body}");
    std::fs::write(repository.join("calc.sh"), "changed").unwrap();
    let order = json!({"title": "It does not add", "worktree_path": repository, "in_place": true});
    let (_, body) = server.ask("POST", "/workflows", Some(order));
    assert_eq!(body["error"]["details"]["problems"][0]["path"], "in_place", "{body}");
}

#[test]
fn the_limits_of_a_run_are_the_lower_ones_of_profile_and_server() {
    let profile = "budgets: { per_run: { usd: 2.0, tokens: 500, calls: 7, wall_seconds: 60 } }";
    let world = world(&[ARCHITECT], profile);
    let order = json!({"title": "It does not add", "worktree_path": world.repository(), "queue": true});
    for (ceiling, expected) in [
        ("{}", json!({"usd": 2.0, "tokens": 500, "calls": 7, "wall_seconds": 60})),
        (
            "{usd: 1, tokens: 400, calls: 6, wall_seconds: 50}",
            json!({"usd": 1.0, "tokens": 400, "calls": 6, "wall_seconds": 50}),
        ),
    ] {
        let server = Server::start_with(&world, &["--set", &format!("budgets.per_run={ceiling}")]);
        let (status, made) = server.ask("POST", "/workflows", Some(order.clone()));
        assert_eq!(status, 201, "{made}");
        assert_eq!(server.shown(made["id"].as_str().unwrap(), "")["budget"], expected, "{ceiling}");
    }
}

#[test]
fn a_server_works_on_as_many_runs_at_once_as_it_was_told() {
    let busy = "  - when: { model: architect }\n    reply: { delay_ms: 600000, text: x }\n";
    let world = world(&[busy], "");
    for room in [1, 2] {
        let server = Server::start_with(&world, &["--set", &format!("max_concurrent={room}")]);
        let runs = [server.order(&world), server.order(&world)];
        let waiting_for = |run: &String| server.shown(run, "")["why"]["waiting_for"].clone();
        until("they are at work, or wait for their turn", || {
            let at_work = runs.iter().filter(|run| waiting_for(run) == "work").count();
            let waiting = runs.iter().filter(|run| waiting_for(run) == "turn").count();
            (at_work, waiting) == (room, 2 - room)
        });
        for run in &runs {
            server.tell(run, "cancel", json!({}));
        }
    }
}

#[test]
fn an_order_over_http_is_approved_and_committed_though_the_server_is_killed() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let server = Server::start(&world);
    let run = server.order(&world);
    until("it waits for an approval", || server.status(&run) == "awaiting_approval");
    drop(server);
    let server = Server::start(&world);
    assert_eq!(server.status(&run), "awaiting_approval", "the same after a kill");
    let (status, answer) = server.ask("POST", &format!("/workflows/{run}/approve"), Some(json!({})));
    assert_eq!(status, 202, "{answer}");
    until("it is done", || server.status(&run) == "completed");
    assert_eq!(commits(&world).len(), 2);
    assert_eq!(server.ask("POST", &format!("/workflows/{run}/approve"), Some(json!({}))).0, 409);
}
