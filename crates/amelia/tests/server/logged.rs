//! The server's log.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::process::{Home, Server};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

fn lines(home: &Home) -> Vec<Value> {
    let log = std::fs::read_to_string(home.path().join("server.log")).unwrap();
    log.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect()
}

#[test]
fn every_request_is_a_line_of_json_with_its_id_and_without_a_secret() {
    let home = Home::new();
    let mut server =
        Server::start(&home, &mut home.command(&["server", "--port", "0", "--log-format", "json"]));
    let token = std::fs::read_to_string(home.path().join("token")).unwrap();
    let signed = format!("authorization: Bearer {token}\r\n");
    let run = "0199a0de-0000-7000-8000-000000000000";
    let head = format!("{signed}x-request-id: r-1\r\ntraceparent: 00-{TRACE}-b7ad6b7169203331-01\r\n");
    assert_eq!(server.ask("GET", &format!("/api/workflows/{run}?format=row"), &head).0, 404);
    assert_eq!(server.ask("GET", &format!("/session?token={token}"), "x-request-id: r-2\r\n").0, 204);
    assert_eq!(server.ask("GET", "/health", "").0, 200);
    server.stop();
    let lines = lines(&home);
    let of = |id: &str| lines.iter().find(|line| line["request_id"] == id).unwrap();
    let names: BTreeSet<&str> = of("r-1").as_object().unwrap().keys().map(String::as_str).collect();
    let expected = [
        "duration_ms",
        "level",
        "message",
        "method",
        "path",
        "request_id",
        "run",
        "status",
        "target",
        "time",
        "trace_id",
    ];
    assert_eq!(names, BTreeSet::from(expected));
    assert_eq!(
        json!([
            of("r-1")["method"],
            of("r-1")["path"],
            of("r-1")["run"],
            of("r-1")["status"],
            of("r-1")["trace_id"]
        ]),
        json!(["GET", format!("/api/workflows/{run}"), run, 404, TRACE])
    );
    assert_eq!(of("r-2")["path"], "/session");
    assert!(lines.iter().all(|line| line["path"] != "/health"), "not news");
    let all = std::fs::read_to_string(home.path().join("server.log")).unwrap();
    assert!(!all.contains(&token), "{all}");
}

#[test]
fn the_level_says_how_much() {
    let said = |more: &[&str]| {
        let home = Home::new();
        let arguments = [&["server", "--port", "0", "--log-format", "json"], more].concat();
        let mut server = Server::start(&home, &mut home.command(&arguments));
        server.ask("GET", "/health", "");
        server.ask("GET", "/nothing", "");
        server.stop();
        let paths = lines(&home).into_iter().filter_map(|line| line["path"].as_str().map(str::to_owned));
        paths.collect::<Vec<_>>()
    };
    assert_eq!(said(&["-v"]), ["/health", "/nothing"]);
    assert_eq!(said(&[]), ["/nothing"]);
    assert_eq!(said(&["--log-level", "error"]), Vec::<String>::new());
    assert_eq!(said(&["--quiet"]), Vec::<String>::new());
}
