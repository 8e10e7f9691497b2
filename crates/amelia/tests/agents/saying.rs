//! A person speaks to an agent at work, whoever plays it; what was said is durable, and heard once.

use crate::crew::{By, Cast};
use crate::world::{text, until};

#[test]
fn claude_hears_a_person_in_the_middle_of_its_work() {
    heard(By::Claude);
}

#[test]
fn codex_hears_a_person_in_the_middle_of_its_work() {
    heard(By::Codex);
}

#[test]
fn a_model_over_http_hears_a_person_between_its_turns() {
    heard(By::Api);
}

fn heard(by: By) {
    let Some(cast) = Cast::new([By::Api, by, By::Api], "") else { return };
    let world = &cast.world;
    let mut server = cast.serving();
    let order = world.amelia(&["start", "S-1", "--title", "It does not add", "--no-autostart"]);
    assert!(order.status.success(), "{}", text(&order.stderr));
    let run = world.run_id();
    let early = world.amelia(&["say", &run, "early words", "--no-autostart"]);
    assert!(early.status.success(), "{}", text(&early.stderr));
    until("the plan is there", || cast.status()["waiting"] == "approval");
    assert!(world.amelia(&["approve", "--no-autostart"]).status.success());

    let log = world.worktree().join("runs.log");
    until("the command has begun", || std::fs::read_to_string(&log).is_ok_and(|text| text.contains("begun")));
    let said = world.amelia(&["say", &run, "Mind the blue door.", "--no-autostart"]);
    assert!(text(&said.stdout).contains("gets the message as soon as the current"), "{}", text(&said.stderr));
    std::fs::write(world.worktree().join("go"), "").unwrap();
    until("it is done", || cast.status() == "completed");
    server.kill().unwrap();
    server.wait().unwrap();

    let requests = world.server.requests();
    let bodies: Vec<String> = requests.iter().map(|request| request.body.to_string()).collect();
    assert!(bodies.iter().any(|body| body.contains("early words")), "the Architect has heard it");
    assert!(bodies.iter().any(|body| body.contains("Mind the blue door.")), "the Developer has heard it");
    let logs = text(&world.amelia(&["logs", &run, "--json"]).stdout);
    assert_eq!(logs.matches("\"heard\"").count(), 2, "each once: {logs}");
    let played = world.amelia(&["replay", &run]);
    assert!(played.status.success(), "{}{}", text(&played.stdout), text(&played.stderr));
    let late = world.amelia(&["say", &run, "too late"]);
    assert!(!late.status.success() && text(&late.stderr).contains("has ended"), "{}", text(&late.stderr));
}
