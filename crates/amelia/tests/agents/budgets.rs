//! Limits in money hold over every driver: one call beyond at most, then the run waits, and goes on when it may.

use crate::crew::{By, named};
use crate::world::{World, text};

/// Each call costs 0.0063 USD with the prices of this model.
const MODEL: &str = "claude-sonnet-4-5";

/// Works on and on, until somebody has given it more.
fn script(by: By) -> String {
    let call = match by {
        By::Claude => r#"{ name: Bash, args: { command: "echo more; true", description: work } }"#,
        By::Codex => r#"{ name: exec_command, args: { cmd: "echo more" } }"#,
        By::Api => r#"{ name: shell, args: { command: "echo more" } }"#,
    };
    format!(
        "rules:
  - when: {{ last_regex: 'Continue\\.|You were interrupted' }}
    reply: {{ text: It is done., usage: {{ input: 2000, output: 20 }} }}
  - when: {{}}
    reply: {{ tool_calls: [{call}], usage: {{ input: 2000, output: 20 }} }}
"
    )
}

fn stopped(by: By) {
    let Some(world) = world(by) else { return };
    let out = world.amelia(&["do", "work", "--budget", "0.01"]);
    let message = text(&out.stderr);
    assert_eq!(out.status.code(), Some(6), "{message}");
    assert!(message.contains("budget of 0.0100 USD"), "{message}");
    let row = world.run().unwrap();
    assert_eq!(row["view"]["status"]["waiting"], "budget", "{row}");
    let spent = row["view"]["spend"]["usd"].as_f64().unwrap();
    assert!(spent <= 0.01 + 0.0064, "at most one call beyond: {spent}");
    assert!(world.server.requests().len() <= 3, "{}", world.server.requests().len());

    let more = world.amelia(&["resume", &world.run_id(), "--approve", "--budget", "1"]);
    assert!(more.status.success(), "{}", text(&more.stderr));
    assert_eq!(world.run().unwrap()["view"]["status"], "completed");
    let played = world.amelia(&["replay", &world.run_id()]);
    assert!(played.status.success(), "{}{}", text(&played.stdout), text(&played.stderr));
}

fn world(by: By) -> Option<World> {
    let agent = |world: &World| named(world, "developer", by, MODEL, "");
    let world = World::lasting(&script(by));
    let agent = agent(&world)?;
    let profile = format!(
        "active_profile: work\nprofiles:\n  work:\n    repo_root: {}\n    agents:\n  {agent}",
        world.repository().display()
    );
    let file = world.repository().join("../profile.yaml");
    std::fs::write(&file, profile).unwrap();
    let kept = world.amelia(&["config", "profile", "apply", "-f", file.to_str().unwrap()]);
    assert!(kept.status.success(), "{}", text(&kept.stderr));
    Some(world)
}

#[test]
fn claude_is_stopped_by_its_budget() {
    stopped(By::Claude);
}

#[test]
fn codex_is_stopped_by_its_budget() {
    stopped(By::Codex);
}

#[test]
fn a_model_over_http_is_stopped_by_its_budget() {
    stopped(By::Api);
}
