//! A model that cannot be reached: who waits is told at once, not when all retries are used up.

use std::process::Stdio;

use crate::crew::{ARCHITECT, CONTENT, DEVELOPER, logs, start, world};
use crate::world::{World, text, until};

/// A free address on which nothing listens.
fn closed() -> String {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    format!("http://{free}/v1")
}

/// A world whose Architect is played so, and which waits long before it tries again.
fn world_with(architect: &str) -> World {
    let world = World::new("rules: [{ reply: { text: x } }]");
    let api = format!("{{ driver: api, model: m, options: {{ base_url: '{}/v1' }} }}", world.server.url());
    let profile = format!(
        "name: crew\nrepo_root: {}\nretry: {{ max_retries: 3, base_delay: 30, max_delay: 60 }}\nagents:\n    architect: {architect}\n    developer: {api}\n    reviewer: {api}\n    evaluator: {api}\n",
        world.repository().display()
    );
    let file = world.repository().join("../crew.yaml");
    std::fs::write(&file, profile).unwrap();
    let kept = world.amelia(&["config", "profile", "apply", "-f", file.to_str().unwrap()]);
    assert!(kept.status.success(), "{}", text(&kept.stderr));
    world
}

#[test]
fn who_waits_for_a_run_is_told_of_a_model_that_cannot_be_reached() {
    let url = closed();
    let world = world_with(&format!("{{ driver: api, model: big, options: {{ base_url: '{url}' }} }}"));
    let said = std::fs::File::create(world.said()).unwrap();
    let mut command = world.command(&["start", "--title", "It does not add", "--wait"]);
    let mut waiting = command.stdout(Stdio::null()).stderr(said).spawn().unwrap();
    let reason = format!("cannot reach big at {url}: Connection refused");
    until("the cause is told", || std::fs::read_to_string(world.said()).unwrap().contains(&reason));
    let said = std::fs::read_to_string(world.said()).unwrap();
    assert!(said.contains("trying again in") && said.contains("(2 of 4)"), "{said}");
    let next = text(&world.amelia(&["why", "r1"]).stdout);
    assert!(
        next.contains("pause r1, correct the profile, then") && next.contains("--agents-from-profile"),
        "{next}"
    );
    for command in [&["status", "r1"][..], &["why", "r1"], &["why", "r1", "--json"]] {
        let shown = text(&world.amelia(command).stdout);
        assert!(shown.contains(&reason) && shown.contains("(2 of 4)"), "{command:?}: {shown}");
    }
    assert!(text(&world.amelia(&["status"]).stdout).contains("retrying"));
    waiting.kill().unwrap();
    waiting.wait().unwrap();
}

/// The profile `crew` again, with something else in it.
fn change(world: &World, from: &str, to: &str) {
    let file = world.repository().join("../crew.yaml");
    let profile = std::fs::read_to_string(&file).unwrap();
    assert!(profile.contains(from), "{profile}");
    std::fs::write(&file, profile.replace(from, to)).unwrap();
    let kept = world.amelia(&["config", "profile", "apply", "-f", file.to_str().unwrap()]);
    assert!(kept.status.success(), "{}", text(&kept.stderr));
}

#[test]
fn a_run_takes_the_agents_that_its_profile_has_now_and_plays_again() {
    let url = closed();
    let reviewer =
        format!("    reviewer: {{ driver: api, model: reviewer, options: {{ base_url: '{url}' }} }}");
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], &reviewer);
    let failed = start(&world, &["--auto"]);
    assert_eq!(failed.status.code(), Some(1), "{}", text(&failed.stderr));
    let run = world.run_id();
    let way = "resume r1 --agents-from-profile";
    assert!(text(&failed.stderr).contains(way), "{}", text(&failed.stderr));
    let why = text(&world.amelia(&["why", &run]).stdout);
    assert!(why.contains(way), "{why}");
    change(&world, &url, &format!("{}/v1", world.server.url()));
    // The profile alone changes nothing: what a run needs is fixed when it is created.
    let again = world.amelia(&["resume", &run, "--wait"]);
    assert_eq!(again.status.code(), Some(1), "{}", text(&again.stderr));
    let resumed = world.amelia(&["resume", &run, "--agents-from-profile", "--wait"]);
    assert!(resumed.status.success(), "{}\n{}", text(&resumed.stderr), logs(&world));
    let log = logs(&world);
    let told = "uses these agents from now on: architect (api architect), developer (api developer)";
    assert!(log.contains(told), "{log}");
    let played = world.amelia(&["replay", &run]);
    assert!(played.status.success(), "{}", text(&played.stderr));
    let refused = world.amelia(&["resume", &run, "--agents-from-profile"]);
    assert_eq!(refused.status.code(), Some(5), "{}", text(&refused.stderr));
}

#[test]
fn one_agent_alone_is_replaced_too_if_it_is_of_a_profile() {
    let url = closed();
    let alone = "  - when: { model: good }\n    reply: { text: Nothing to do. }\n";
    let developer = format!("    developer: {{ driver: api, model: bad, options: {{ base_url: '{url}' }} }}");
    let world = world(&[alone], &developer);
    let failed = world.amelia(&["do", "look around"]);
    assert_eq!(failed.status.code(), Some(1), "{}", text(&failed.stderr));
    change(&world, &url, &format!("{}/v1", world.server.url()));
    change(&world, "model: bad", "model: good");
    let resumed = world.amelia(&["resume", "r1", "--agents-from-profile", "--wait"]);
    assert!(resumed.status.success(), "{}", text(&resumed.stderr));
    let other = world.amelia(&["do", "look", "--model", "m", "--base-url", &url]);
    assert_eq!(other.status.code(), Some(1), "{}", text(&other.stderr));
    let refused = world.amelia(&["resume", "r2", "--agents-from-profile"]);
    assert_eq!(refused.status.code(), Some(5), "{}", text(&refused.stderr));
    let refused = text(&refused.stderr);
    assert!(
        refused.contains("are not those of a profile") && refused.contains("another --model"),
        "{refused}"
    );
}
