//! An issue from a tracker, through the whole program. The trackers themselves are tested in their own crate.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;

use crate::crew::{ARCHITECT, CONTENT, DEVELOPER, world};
use crate::world::text;

/// Answers everything with `status` and `body`; says where it is.
fn fake(status: &'static str, body: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let lines = BufReader::new(&stream).lines().map_while(Result::ok);
            lines.take_while(|line| !line.is_empty()).for_each(drop);
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
            );
            stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).ok();
        }
    });
    url
}

const ISSUE: &str = r#"{"comments": [], "total": 0, "startAt": 0, "maxResults": 50, "key": "CALC-7", "fields": {"summary": "It does not add", "description": "h2. Steps\n# run it with 2 and 3", "status": {"name": "Open"}, "labels": [], "comment": {"comments": [], "total": 0}}}"#;

fn start(url: &str) -> (crate::world::World, std::process::Output) {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "tracker: jira");
    let mut command = world.command(&["start", "CALC-7", "--auto"]);
    let output =
        command.env("JIRA_BASE_URL", url).env("JIRA_API_TOKEN", "planted-jira-token-1").output().unwrap();
    (world, output)
}

#[test]
fn a_jira_issue_with_a_description_is_planned_and_done() {
    let (world, output) = start(&fake("200 OK", ISSUE));
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
    let asked = format!("{:?}", world.server.requests().first().unwrap());
    assert!(asked.contains("It does not add") && asked.contains("## Steps"), "{asked}");
    let branches = world.git(&["branch", "--list", "amelia/*"]);
    assert!(branches.contains("amelia/calc-7"), "{branches}");
}

#[test]
fn a_tracker_is_set_up_in_the_file_of_keys_too() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "tracker: jira");
    let config = world.home().join("config");
    std::fs::create_dir_all(&config).unwrap();
    let keys = config.join("keys.env");
    let url = fake("200 OK", ISSUE);
    std::fs::write(&keys, format!("JIRA_BASE_URL={url}\nJIRA_API_TOKEN=planted-jira-token-1\n")).unwrap();
    std::fs::set_permissions(&keys, std::fs::Permissions::from_mode(0o600)).unwrap();
    let output = world.command(&["start", "CALC-7", "--auto"]).output().unwrap();
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
    let asked = format!("{:?}", world.server.requests().first().unwrap());
    assert!(asked.contains("It does not add"), "{asked}");
}

#[test]
fn a_tracker_that_refuses_or_has_no_such_issue_fails_the_run_with_its_reason() {
    for (status, expected) in [
        ("404 Not Found", "CALC-7"),
        ("401 Unauthorized", "credentials"),
        ("403 Forbidden", "allow"),
        ("429 Too Many Requests", "allows no more requests"),
        ("503 Service Unavailable", "503"),
    ] {
        let (world, output) = start(&fake(status, r#"{"errorMessages": ["planted-jira-token-1 is wrong"]}"#));
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{status}: {message}");
        assert!(message.contains(expected), "{status}: {message}");
        assert!(!message.contains("planted-jira-token-1"), "{status}: {message}");
        assert_eq!(world.run().unwrap()["view"]["status"], "failed");
    }
}

#[test]
fn a_tracker_that_is_down_fails_the_run_and_it_goes_on_when_it_is_back() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", nobody.local_addr().unwrap());
    drop(nobody);
    let (world, output) = start(&url);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("jira"), "{message}");
    assert_eq!(world.run().unwrap()["view"]["status"], "failed");
    // The server has the environment of the command that started it.
    assert!(world.amelia(&["server", "stop"]).status.success());
    let mut again = world.command(&["resume", "--follow", &world.run_id()]);
    let again =
        again.env("JIRA_BASE_URL", fake("200 OK", ISSUE)).env("JIRA_API_TOKEN", "planted-jira-token-1");
    let again = again.output().unwrap();
    assert_eq!(again.status.code(), Some(0), "it was started with --auto: {}", text(&again.stderr));
    assert_eq!(world.run().unwrap()["view"]["status"], "completed");
}

#[test]
fn ten_megabytes_of_issue_are_cut_visibly_and_the_run_goes_on() {
    let long = format!("begin {} end", "lorem ipsum ".repeat(850_000));
    let body = ISSUE.replace("h2. Steps", &long);
    assert!(body.len() > 10_000_000);
    let (world, output) = start(&fake("200 OK", body.leak()));
    assert!(output.status.success(), "{}\n{}", text(&output.stdout), text(&output.stderr));
    for request in world.server.requests() {
        let asked = request.body.to_string();
        assert!(asked.len() < 500_000, "{} bytes were sent", asked.len());
    }
    let first = world.server.requests().first().unwrap().body.to_string();
    assert!(first.contains("begin lorem") && first.contains("bytes left out"), "what is missing is said");
}
