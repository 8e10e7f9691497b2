//! `amelia demo --open`: watched and answered over HTTP, as a browser does it.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::process::{Home, Server, text};

struct Browser {
    server: Server,
    token: String,
    run: String,
}

impl Browser {
    /// A demo in `demo` of this directory, and what else it says.
    fn open(home: &Home) -> (Self, impl Iterator<Item = String> + use<>) {
        let mut command = home.command(&["demo", "--open", "--fast", "--dir"]);
        command.arg("demo").current_dir(home.path());
        command.env("BROWSER", "false").stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let link = lines.find(|line| line.contains("/session?code=")).unwrap();
        let (address, rest) = link.strip_prefix("http://").unwrap().split_once("/session?code=").unwrap();
        let (_, run) = rest.split_once("&next=/ui/runs/").unwrap();
        let token = std::fs::read_to_string(home.path().join("demo/token")).unwrap();
        let server = Server { child, address: address.to_owned() };
        (Self { server, token, run: run.to_owned() }, lines)
    }

    fn get(&self, path: &str) -> Value {
        self.ask(&format!("/workflows/{}{path}", self.run))
    }

    fn ask(&self, path: &str) -> Value {
        let head = format!("authorization: Bearer {}\r\n", self.token);
        self.server.ask("GET", &format!("/api{path}"), &head).1
    }

    fn post(&self, what: &str, body: &Value) {
        let body = body.to_string();
        let (token, length) = (&self.token, body.len());
        let head = format!(
            "authorization: Bearer {token}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        let (status, answer) = self.server.ask("POST", &format!("/api/workflows/{}/{what}", self.run), &head);
        assert_eq!(status, 202, "{what}: {answer}");
    }

    /// The run, once it is as it should be.
    fn until(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        let since = Instant::now();
        loop {
            let run = self.get("");
            if wanted(&run) {
                return run;
            }
            assert!(since.elapsed() < Duration::from_secs(60), "{run}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

fn plan(run: &Value) -> &str {
    run["state"]["draft"]["markdown"].as_str().unwrap_or_default()
}

#[test]
fn the_demo_is_decided_in_the_browser_and_its_crew_has_other_plans_and_hears_people() {
    let home = Home::new();
    let (browser, mut lines) = Browser::open(&home);
    let mut seen = Vec::new();
    for _ in 0..2 {
        let asked = browser
            .until(|run| run["status"] == "awaiting_approval" && !seen.contains(&plan(run).to_owned()));
        seen.push(plan(&asked).to_owned());
        browser.post("reject", &json!({"feedback": "show me more"}));
    }
    let asked =
        browser.until(|run| run["status"] == "awaiting_approval" && !seen.contains(&plan(run).to_owned()));
    assert!(plan(&asked).contains("Each step of this plan ends with a command"), "{}", plan(&asked));
    assert!(seen.iter().all(|plan| !plan.contains("your feedback")), "a script has understood nothing");
    browser.post("say", &json!({"message": "call it \"plus\",\nplease"}));
    browser.post("approve", &json!({}));
    browser.until(|run| run["status"] == "completed");
    let diff = browser.get("/diff")["diff"].as_str().unwrap().to_owned();
    assert!(diff.contains("+call it \"plus\",\n+please"), "{diff}");
    let told: Vec<String> = lines.by_ref().take_while(|line| !line.contains("press Ctrl-C here")).collect();
    assert!(told.iter().any(|line| line.contains("The test now")), "{told:?}");
    assert_eq!(browser.get("")["status"], "completed", "the server is still there");
    let mut browser = browser;
    let pid = browser.server.child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert!(browser.server.child.wait().unwrap().success());
    let output = home.command(&["demo", "--open", "--auto"]).output().unwrap();
    assert!(text(&output.stderr).contains("cannot be used with"), "{}", text(&output.stderr));
}

/// In another terminal, with the demo's home.
fn amelia(home: &Home, args: &[&str]) -> String {
    let dir = home.path().join("demo");
    let mut command = home.command(args);
    command.arg("--home").arg(&dir).current_dir(dir.join("sample")).env("BROWSER", "false");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout).trim().to_owned()
}

#[test]
fn commands_with_the_home_of_a_demo_reach_its_server_for_as_long_as_it_is_there() {
    let home = Home::new();
    let (mut browser, _lines) = Browser::open(&home);
    browser.until(|run| run["status"] == "awaiting_approval");
    assert_eq!(amelia(&home, &["token", "show"]), browser.token);
    let status: Value = serde_json::from_str(&amelia(&home, &["status", "--json", "--stored"])).unwrap();
    assert!(status.to_string().contains(&browser.run), "{status}");
    let rotated = amelia(&home, &["token", "rotate"]);
    assert_ne!(rotated, browser.token);
    let link = amelia(&home, &["dashboard"]);
    let address = &browser.server.address;
    assert!(
        link.starts_with(&format!("http://{address}/session?code=")) && !link.contains(&rotated),
        "{link}"
    );
    browser.token = rotated;
    amelia(&home, &["approve", &browser.run]);
    browser.until(|run| run["status"] == "completed");
    amelia(&home, &["server", "stop"]);
    assert!(browser.server.child.wait().unwrap().success(), "it has ended by itself");
    assert!(!home.path().join("demo/server.json").exists());
}

#[test]
fn a_wish_of_somebodys_own_is_not_taken_for_understood() {
    let home = Home::new();
    let (mut browser, _lines) = Browser::open(&home);
    let ordered = amelia(&home, &["start", "--title", "Write a web server"]);
    browser.run = ordered.lines().next().unwrap().to_owned();
    browser.until(|run| run["status"] == "awaiting_approval");
    let log = amelia(&home, &["logs", &browser.run]);
    assert!(log.contains("I follow a script that knows only one issue"), "{log}");
}

#[test]
fn a_demo_that_is_left_waiting_says_that_its_run_cannot_continue() {
    let home = Home::new();
    let mut command = home.command(&["demo", "--open", "--fast", "--dir", "demo"]);
    command.current_dir(home.path()).env("BROWSER", "false").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    lines.find(|line| line.contains("this is waiting for you in the browser")).unwrap();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    lines.for_each(drop);
    let output = child.wait_with_output().unwrap();
    let told = text(&output.stderr);
    assert!(told.contains("its run cannot continue: the scripted model ended with this command"), "{told}");
    assert!(told.contains("hint: `amelia demo` starts a new one"), "{told}");
}

#[test]
fn what_a_killed_demo_has_left_misleads_nobody() {
    let home = Home::new();
    let (mut browser, _lines) = Browser::open(&home);
    browser.until(|run| run["status"] == "awaiting_approval");
    browser.server.child.kill().unwrap();
    browser.server.child.wait().unwrap();
    assert!(home.path().join("demo/server.json").exists(), "nobody could take it away");
    let status: Value = serde_json::from_str(&amelia(&home, &["status", "--json", "--stored"])).unwrap();
    assert!(status.to_string().contains(&browser.run), "{status}");
    assert_eq!(amelia(&home, &["token", "show"]), browser.token);
}

#[test]
fn a_demo_says_that_it_is_one_and_where_its_home_is_and_its_doctor_knows_the_server() {
    let home = Home::new();
    let (browser, _lines) = Browser::open(&home);
    let dir = home.path().join("demo");
    let (_, stranger) = browser.server.ask("GET", "/api/session/state", "");
    assert_eq!(stranger["is_signed_in"], false);
    assert_eq!(
        (&stranger["is_demo"], &stranger["home"], &stranger["is_default_home"]),
        (&json!(true), &json!(dir), &json!(false))
    );
    let checks = browser.ask("/doctor")["checks"].as_array().unwrap().clone();
    let server = checks.iter().find(|check| check["name"] == "server").unwrap();
    assert_eq!(server["state"], "ok");
    let told = format!("running: http://{}, version ", browser.server.address);
    assert!(server["message"].as_str().unwrap().starts_with(&told), "{server}");
}

#[test]
fn a_server_knows_whether_commands_find_it_without_being_told_its_home() {
    let user = Home::new();
    for (dir, is_default) in [(".amelia", true), ("elsewhere", false)] {
        let mut command = user.command(&["server", "--port", "0"]);
        command.env("HOME", user.path()).env("AMELIA_HOME", user.path().join(dir));
        let mut server = Server::start(&user, &mut command);
        let (_, state) = server.ask("GET", "/api/session/state", "");
        assert_eq!(
            (&state["is_demo"], &state["home"], &state["is_default_home"]),
            (&json!(false), &Value::Null, &json!(is_default))
        );
        server.stop();
    }
}
