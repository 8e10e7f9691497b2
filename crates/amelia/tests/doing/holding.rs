//! A provider's usage limit: every run on the account waits without calling it, and after the reset they go on by
//! themselves, one after the other.

use std::process::{Output, Stdio};

use serde_json::Value;

use crate::world::{FIX, World, text, until};

/// Used up at first, for long enough that a second run begins in the meantime.
fn script(seconds: u32) -> String {
    let limit = format!(
        "rules:
  - when: {{ times: 1 }}
    reply: {{ error: {{ status: 429, message: usage limit reached, retry_after: {seconds} }} }}
"
    );
    FIX.replacen("\nrules:\n", &limit, 1)
}

fn rows(world: &World) -> Vec<Value> {
    let output = world.amelia(&["runs", "--json", "--stored"]);
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

fn waits(out: &Output) {
    let message = text(&out.stderr);
    assert_eq!(out.status.code(), Some(6), "{message}");
    assert!(message.contains("the usage limit of openai-compatible is reached until"), "{message}");
    assert!(message.contains("a server resumes it after that time"), "{message}");
}

#[test]
fn runs_on_an_account_that_is_used_up_wait_and_go_on_by_themselves() {
    let world = World::new(&script(6));
    let mut server = world.command(&["server"]);
    let allowed = server.env("AMELIA_API_KEY_ENVS", "SAMPLE_KEY");
    let quiet = allowed.stdout(Stdio::null()).stderr(Stdio::null());
    let mut server = quiet.spawn().unwrap();
    until("the server is there", || world.home().join("server.json").exists());

    waits(&world.run_do("chat", &[]));
    waits(&world.run_do("chat", &[]));
    assert_eq!(world.server.requests().len(), 1, "the second run made no call");
    let first = world.run_id();
    let why = text(&world.amelia(&["why", &first]).stdout);
    assert!(why.contains("usage limit") && why.contains("a server resumes it"), "{why}");

    until("both are done", || {
        let rows = rows(&world);
        rows.len() == 2 && rows.iter().all(|row| row["view"]["status"] == "completed")
    });
    assert_eq!(world.server.requests().len(), 9, "four calls each, and the one that was refused");
    server.kill().unwrap();
    server.wait().unwrap();
    for row in rows(&world) {
        let run = row["run"]["id"].as_str().unwrap();
        let played = world.amelia(&["replay", run]);
        assert!(played.status.success(), "{}{}", text(&played.stdout), text(&played.stderr));
    }
}

#[test]
fn a_person_may_try_the_account_before_its_reset() {
    let world = World::new(&script(3600));
    waits(&world.run_do("chat", &[]));
    waits(&world.run_do("chat", &[]));
    assert_eq!(world.server.requests().len(), 1, "another process knows of it, too");
    let out = world.amelia(&["resume", &world.run_id()]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert_eq!(world.server.requests().len(), 5);
}
