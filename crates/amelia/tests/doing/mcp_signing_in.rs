//! Signing in to a remote MCP server (OAuth 2.1), which is made of the official Python package.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::programs::set_up_here;
use crate::world::{World, text};

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doing/mcp_oauth_server.py");

/// No model is asked.
const MODELS: &str = "rules: [{ when: { turn: 0 }, reply: { text: nothing } }]";

/// The server, ended with the test.
struct Notes {
    process: Child,
    url: String,
}

impl Notes {
    fn start(arguments: &[&str]) -> Option<Self> {
        let installed = set_up_here("setup-mcp.sh", "the MCP servers")?;
        let mut command = Command::new(installed.join("venv/bin/python"));
        let mut process = command.arg(SERVER).args(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Some(Self { process, url: format!("{}/mcp", line.trim()) })
    }
}

impl Drop for Notes {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

fn world(notes: &Notes) -> World {
    let world = World::new(MODELS);
    let server = json!({"transport": "streamable-http", "config": {"url": notes.url}});
    let file = world.home().join("config/mcp_servers.yaml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, json!({"servers": {"notes": server}}).to_string()).unwrap();
    world
}

/// Signs in as a person would: opens the address that the command prints, and lets the browser come back.
fn login(world: &World, arguments: &[&str]) -> (bool, String) {
    let mut command = world.command(&[&["--json", "mcp", "login", "notes", "--print"], arguments].concat());
    let mut process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
    let mut said = String::new();
    for line in lines.by_ref() {
        if line.starts_with("http") {
            let browser =
                Command::new("curl").args(["--silent", "--show-error", "--location", &line]).output();
            said.push_str(&text(&browser.unwrap().stdout));
            break;
        }
        said.push_str(&line);
    }
    lines.for_each(|line| said.push_str(&line));
    let output = process.wait_with_output().unwrap();
    (output.status.success(), said + &text(&output.stdout))
}

fn said(world: &World, arguments: &[&str]) -> String {
    let output = world.amelia(arguments);
    text(&output.stdout) + &text(&output.stderr)
}

#[test]
fn a_person_signs_in_tokens_are_refreshed_and_deleted() {
    let Some(notes) = Notes::start(&[]) else { return };
    let world = world(&notes);
    let before = said(&world, &["mcp", "tools", "notes"]);
    assert!(
        before.contains("requires you to sign in") && before.contains("amelia mcp login notes"),
        "{before}"
    );

    let (is_in, told) = login(&world, &[]);
    assert!(is_in && told.contains("Amelia has your answer"), "{told}");
    let listed: Value = serde_json::from_str(&said(&world, &["--json", "mcp", "list"])).unwrap();
    assert_eq!(listed["items"][0]["signed_in"], true, "{listed}");

    // Each of these refreshes the token, which works once.
    for _ in 0..3 {
        let called = said(&world, &["mcp", "call", "notes:note"]);
        assert!(called.contains("buy milk"), "{called}");
        assert!(!called.contains("access-"), "a token is shown: {called}");
    }
    let directory = world.home().join("mcp-sign-ins");
    let files: Vec<_> = std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    for path in files.iter().chain([&directory]) {
        let mode = std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert!(matches!(mode, 0o600 | 0o700), "{} has {mode:o}", path.display());
    }

    let out = said(&world, &["mcp", "logout", "notes"]);
    assert!(out.contains("signed out of notes"), "{out}");
    assert!(said(&world, &["mcp", "call", "notes:note"]).contains("requires you to sign in"));
    assert!(said(&world, &["mcp", "logout", "notes"]).contains("you were not signed in to notes"));
}

#[test]
fn a_sign_in_that_is_refused_says_why() {
    let Some(notes) = Notes::start(&[]) else { return };
    let world = world(&notes);
    let (is_in, told) = login(&world, &["--scope", "refused"]);
    assert!(!is_in && told.contains("You may not come in (access_denied)"), "{told}");
    assert!(said(&world, &["mcp", "tools", "notes"]).contains("requires you to sign in"));
}

#[test]
fn a_site_that_registers_no_clients_needs_a_client_id() {
    let Some(notes) = Notes::start(&["--closed"]) else { return };
    let told = login(&world(&notes), &[]).1;
    assert!(told.contains("does not register Amelia as a client") && told.contains("--client-id"), "{told}");
}

#[test]
fn a_server_without_sign_in_says_so() {
    let world = World::new(MODELS);
    let url = format!("{}/mcp", world.server.url());
    let servers = json!({"servers": {
        "notes": {"transport": "streamable-http", "config": {"url": url}},
        "local": {"transport": "stdio", "config": {"command": "true", "args": []}}}});
    let file = world.home().join("config/mcp_servers.yaml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, servers.to_string()).unwrap();
    let told = said(&world, &["mcp", "login", "notes"]);
    assert!(told.contains("has no sign-in"), "{told}");
    let told = said(&world, &["mcp", "login", "local"]);
    assert!(told.contains("is a program: there is no sign-in"), "{told}");
}
