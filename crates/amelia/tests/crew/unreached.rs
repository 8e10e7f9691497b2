//! A model that cannot be reached: who waits is told at once, not when all retries are used up.

use std::process::Stdio;

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
    for command in [&["status", "r1"][..], &["why", "r1"], &["why", "r1", "--json"]] {
        let shown = text(&world.amelia(command).stdout);
        assert!(shown.contains(&reason) && shown.contains("(2 of 4)"), "{command:?}: {shown}");
    }
    assert!(text(&world.amelia(&["status"]).stdout).contains("retrying"));
    waiting.kill().unwrap();
    waiting.wait().unwrap();
}
