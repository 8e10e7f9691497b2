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
    fn get(&self, path: &str) -> Value {
        let head = format!("authorization: Bearer {}\r\n", self.token);
        self.server.ask("GET", &format!("/api/workflows/{}{path}", self.run), &head).1
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
fn the_demo_is_decided_in_the_browser_and_its_crew_knows_feedback_and_hears_people() {
    let home = Home::new();
    let dir = home.path().join("demo");
    let mut command = home.command(&["demo", "--open", "--fast", "--dir"]);
    command.arg(&dir).env("BROWSER", "false").stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let link = lines.find(|line| line.contains("/session?token=")).unwrap();
    let (address, rest) = link.strip_prefix("http://").unwrap().split_once("/session?token=").unwrap();
    let (token, run) = rest.split_once("&next=/ui/runs/").unwrap();
    let browser = Browser {
        server: Server { child, address: address.to_owned() },
        token: token.to_owned(),
        run: run.to_owned(),
    };
    let mut seen = Vec::new();
    for _ in 0..2 {
        let asked = browser
            .until(|run| run["status"] == "awaiting_approval" && !seen.contains(&plan(run).to_owned()));
        seen.push(plan(&asked).to_owned());
        browser.post("reject", &json!({"feedback": "show me more"}));
    }
    let asked =
        browser.until(|run| run["status"] == "awaiting_approval" && !seen.contains(&plan(run).to_owned()));
    assert!(plan(&asked).contains("every step ends with a command"), "{}", plan(&asked));
    browser.post("say", &json!({"message": "call it \"plus\",\nplease"}));
    browser.post("approve", &json!({}));
    browser.until(|run| run["status"] == "completed");
    let diff = browser.get("/diff")["diff"].as_str().unwrap().to_owned();
    assert!(diff.contains("+call it \"plus\",\n+please"), "{diff}");
    let told: Vec<String> = lines.by_ref().take_while(|line| !line.contains("press Ctrl-C here")).collect();
    assert!(told.iter().any(|line| line.contains("The test, now")), "{told:?}");
    assert_eq!(browser.get("")["status"], "completed", "the server is still there");
    let mut browser = browser;
    let pid = browser.server.child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert!(browser.server.child.wait().unwrap().success());
    let output = home.command(&["demo", "--open", "--auto"]).output().unwrap();
    assert!(text(&output.stderr).contains("cannot be used with"), "{}", text(&output.stderr));
}
