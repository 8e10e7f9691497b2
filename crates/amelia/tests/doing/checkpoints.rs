//! Checkpoints of a workflow: changes that do not fit the state, and one that is damaged.

use std::io::{Read as _, Write as _};
use std::process::Command;

use serde_json::{Value, json};

use crate::workflows::{exit, said, world};
use crate::world::{World, until};

/// Status and body of a response of the server of a home.
pub(crate) fn request(world: &World, method: &str, path: &str, body: &str) -> (u16, Value) {
    let presence = std::fs::read(world.home().join("server.json")).unwrap();
    let presence: Value = serde_json::from_slice(&presence).unwrap();
    let host = presence["url"].as_str().unwrap().strip_prefix("http://").unwrap().to_owned();
    let token = said(&world.amelia(&["token", "show"])).trim().to_owned();
    let mut stream = std::net::TcpStream::connect(&host).unwrap();
    let head = format!(
        "Host: {host}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close",
        body.len()
    );
    write!(stream, "{method} {path} HTTP/1.1\r\n{head}\r\n\r\n{body}").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).unwrap_or_else(|_| panic!("{answer}")))
}

pub(crate) fn open_request(world: &World, run: &str) -> String {
    let (_, shown) = request(world, "GET", &format!("/api/workflows/{run}/hitl/requests"), "");
    shown["items"][0]["request_id"].as_str().unwrap_or_else(|| panic!("{shown}")).to_owned()
}

#[test]
fn changes_of_a_wrong_type_are_refused_when_they_are_sent() {
    let world = world();
    let mut serving = world.start(&["server"]);
    until("the server is there", || world.home().join("server.json").exists());
    let asked = world.amelia(&["workflow", "run", "essay", "About rivers", "--input", "topic=rivers"]);
    assert_eq!(exit(&asked), 6, "{}", said(&asked));
    let run = world.run_id();
    let open = open_request(&world, &run);
    let respond = |updates: Value| {
        let body = json!({"action": "modify", "state_updates": updates}).to_string();
        request(&world, "POST", &format!("/api/tasks/{run}/hitl/{open}/respond"), &body)
    };
    for (updates, expected) in [
        (json!({"score": "high"}), "`score` must be a number, but \"high\" is not"),
        (json!({"routing_key": 7}), "`routing_key` must be text"),
        (json!({"messages": []}), "messages can only be added"),
        (json!([1]), "`state_updates` must be an object"),
    ] {
        let (status, body) = respond(updates);
        let message = body["error"]["message"].as_str().unwrap_or_default();
        assert!(status == 422 && message.contains(expected), "{status}: {body}");
    }
    assert_eq!(open_request(&world, &run), open, "the same question waits");
    let (status, body) = respond(json!({"score": 0.95}));
    assert!(status == 422 && body.to_string().contains("no edge of the node is for `modify`"), "{body}");
    let (status, body) = respond(json!({"score": 0.95, "routing_key": "approve"}));
    assert_eq!(status, 202, "{body}");
    until("it has asked or ended", || open_is_gone(&world, &run, &open));
    let child = |parent: &str| {
        let order = json!({"assigned_agent": "left", "description": "Look", "parent_task_id": parent,
            "worktree_path": world.repository()});
        request(&world, "POST", "/api/tasks", &order.to_string())
    };
    let (status, accepted) = child(&run);
    assert_eq!(status, 201, "{accepted}");
    let id = accepted["id"].as_str().unwrap();
    let (_, shown) = request(&world, "GET", &format!("/api/tasks/{id}"), "");
    assert_eq!(
        (&shown["parent_task_id"], &shown["assigned_agent"]),
        (&json!(run), &json!("left")),
        "{shown}"
    );
    let (status, refused) = child("00000000-0000-0000-0000-000000000007");
    assert!(status == 422 && refused.to_string().contains("parent_task_id"), "{status}: {refused}");
    serving.kill().unwrap();
    serving.wait().unwrap();
}

pub(crate) fn open_is_gone(world: &World, run: &str, open: &str) -> bool {
    let (_, shown) = request(world, "GET", &format!("/api/workflows/{run}/hitl/requests"), "");
    shown["items"].as_array().is_some_and(|items| items.iter().all(|item| item["request_id"] != open))
}

#[test]
fn a_run_whose_last_checkpoint_is_damaged_goes_on_as_a_fork() {
    let world = world();
    let asked = world.amelia(&["workflow", "run", "essay", "About rivers", "--input", "topic=rivers"]);
    assert_eq!(exit(&asked), 6, "{}", said(&asked));
    let numbers = || -> Vec<Value> {
        let all = world.amelia(&["checkpoints", "r1", "--json"]);
        serde_json::from_slice(&all.stdout).unwrap_or_else(|_| panic!("{}", said(&all)))
    };
    let last = numbers().last().unwrap()["number"].as_u64().unwrap();
    let whole = last - 1;
    // From outside: no other program writes this file.
    let damage = "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); \
                  db.execute('update checkpoints set state = state || char(32) where number = ?', (sys.argv[2],)); \
                  db.commit()";
    let database = world.home().join("amelia.db");
    let damaged =
        Command::new("python3").args(["-c", damage]).arg(database).arg(last.to_string()).status().unwrap();
    assert!(damaged.success());

    let failed = world.amelia(&["approve", "r1"]);
    let (way, message) = (format!("amelia fork r1 --at {whole}"), said(&failed));
    assert_ne!(exit(&failed), 0, "{message}");
    assert!(message.contains(&format!("checkpoint {last} of run r1 is damaged")), "{message}");
    assert!(message.contains(&way) && !message.contains("resume r1"), "{message}");
    let row = world.run().unwrap();
    assert_eq!(row["view"]["failure"]["code"], "damaged", "{row}");
    let why = said(&world.amelia(&["why", "r1"]));
    assert!(why.contains(&way) && !why.contains("resume r1"), "{why}");

    let listed = said(&world.amelia(&["checkpoints", "r1"]));
    assert_eq!(listed.matches("damaged").count(), 1, "{listed}");
    assert_eq!(numbers().last().unwrap()["is_damaged"], true);
    let shown = world.amelia(&["checkpoints", "r1", "--at", &last.to_string()]);
    let warning = format!("checkpoint {last} is damaged: this is the state of checkpoint {whole}");
    assert!(said(&shown).contains(&warning), "{}", said(&shown));
    let intact = world.amelia(&["checkpoints", "r1", "--at", &whole.to_string()]);
    assert_eq!(shown.stdout, intact.stdout);
    let refused = world.amelia(&["fork", "r1", "--at", &last.to_string()]);
    assert!(exit(&refused) != 0 && said(&refused).contains(&format!("--at {whole}")), "{}", said(&refused));

    let forked = world.amelia(&["fork", "r1", "--at", &whole.to_string()]);
    assert_eq!(exit(&forked), 0, "{}", said(&forked));
    let asked = world.amelia(&["resume", "r2"]);
    assert_eq!(exit(&asked), 6, "{}", said(&asked));
    let approved = world.amelia(&["approve", "r2"]);
    assert_eq!(exit(&approved), 0, "{}", said(&approved));
}
