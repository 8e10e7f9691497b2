//! Notifications to other programs, over real requests.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::Value;

use crate::crew::{ARCHITECT, CONTENT, DEVELOPER, start, world};
use crate::serving::Server;
use crate::world::{World, text};

/// How long a notification may take.
const LONG: Duration = Duration::from_secs(30);

/// What a program that listens was sent.
struct Heard {
    headers: String,
    body: Value,
}

fn heard(stream: &TcpStream) -> Heard {
    let mut reader = BufReader::new(stream);
    let mut headers = String::new();
    while !headers.ends_with("\r\n\r\n") {
        assert!(reader.read_line(&mut headers).unwrap() > 0, "{headers}");
    }
    let headers = headers.to_ascii_lowercase();
    let length = headers.split("content-length: ").nth(1).unwrap().lines().next().unwrap().parse().unwrap();
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    Heard { headers, body: serde_json::from_slice(&body).unwrap() }
}

/// Listens on a free port, and refuses the first request.
fn listening() -> (String, Receiver<Heard>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let (tell, told) = channel();
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let mut stream = stream.unwrap();
            let heard = heard(&stream);
            let status = if number == 0 { "503 Service Unavailable" } else { "200 OK" };
            let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            stream.write_all(answer.as_bytes()).unwrap();
            if tell.send(heard).is_err() {
                break;
            }
        }
    });
    (url, told)
}

fn configured(world: &World, yaml: &str) {
    let config = world.home().join("config");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("webhooks.yaml"), yaml).unwrap();
}

#[test]
fn a_webhook_hears_that_a_run_needs_a_person_and_how_it_ended_and_is_tried_again() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let (url, told) = listening();
    configured(&world, &format!("- url: {url}\n  secret_env: SAMPLE_KEY\n"));
    let next = || told.recv_timeout(LONG).unwrap();
    let server = Server::start(&world);
    assert_eq!(start(&world, &[]).status.code(), Some(6));
    let (refused, again) = (next(), next());
    assert_eq!(refused.body, again.body);
    assert_eq!(
        (&again.body["event"], &again.body["run"]["status"]),
        (&"needs_you".into(), &"awaiting_approval".into())
    );
    let words = again.body["text"].as_str().unwrap();
    assert!(words.contains("r1 needs you: It does not add\napprove the plan"), "{words}");
    assert!(again.headers.contains("x-amelia-signature: sha256="), "{}", again.headers);
    let delivery = again.body["delivery"].as_str().unwrap();
    assert!(again.headers.contains(&format!("x-amelia-delivery: {delivery}")), "{}", again.headers);
    // It is not told again by the next server, and hears of what happens then.
    drop(server);
    let _server = Server::start(&world);
    let approved = world.amelia(&["approve", "--wait"]);
    assert!(approved.status.success(), "{}", text(&approved.stderr));
    let done = next();
    assert_eq!(
        (&done.body["event"], &done.body["run"]["branch"]),
        (&"completed".into(), &"amelia/s-1".into())
    );
    let words = done.body["text"].as_str().unwrap();
    assert!(words.starts_with("r1 is done: It does not add\n") && words.contains("amelia/s-1"), "{words}");
    assert!(done.body["url"].as_str().unwrap().contains("/ui/runs/"), "{}", done.body);
}

#[test]
fn a_failure_is_told_to_those_who_want_failures_as_an_object_or_as_slack_reads_it() {
    // No rule answers the developer.
    let world = world(&[ARCHITECT, CONTENT], "");
    let ((json, objects), (slack, texts)) = (listening(), listening());
    let only_failures = "  on: [failed]\n";
    configured(
        &world,
        &format!("- url: {json}\n{only_failures}- url: {slack}\n  format: slack\n{only_failures}"),
    );
    let _server = Server::start(&world);
    assert_eq!(start(&world, &[]).status.code(), Some(6), "the plan waits, which they do not want to hear");
    assert_eq!(world.amelia(&["do", "look"]).status.code(), Some(1));
    // Each refuses the first request.
    let next = |told: &Receiver<Heard>| {
        let (refused, again) = (told.recv_timeout(LONG).unwrap(), told.recv_timeout(LONG).unwrap());
        assert_eq!(refused.body, again.body);
        again.body
    };
    let object = next(&objects);
    assert_eq!(
        (&object["event"], &object["run"]["status"], &object["run"]["short_id"]),
        (&"failed".into(), &"failed".into(), &"r2".into())
    );
    let words = object["text"].as_str().unwrap();
    assert!(words.starts_with("r2 failed: look\n"), "{words}");
    let slack = next(&texts);
    let text = slack["text"].as_str().unwrap();
    assert!(text.starts_with("r2 failed: look\n") && text.ends_with("|Open in Amelia>"), "{text}");
    assert_eq!(slack.as_object().unwrap().len(), 1, "{slack}");
}

#[test]
fn a_webhook_that_cannot_work_is_refused_when_the_server_starts() {
    let world = World::new("rules: [{ reply: { text: Fine. } }]");
    for (yaml, expected) in [
        ("- format: slack", "[0].url: is missing"),
        ("- url_env: NOT_SET_ANYWHERE", "`NOT_SET_ANYWHERE`, which is not set"),
        ("- url: https://example.org\n  secret: x", "webhooks.yaml:2:3: [0].secret: unknown field"),
    ] {
        configured(&world, yaml);
        let refused = world.amelia(&["server", "--port", "0"]);
        let message = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{yaml}: {message}");
        assert!(message.contains(expected), "{yaml}: {message}");
    }
}
