//! No key and no pass is shown or kept, whatever a provider or a program says about it.

use crate::crew::{By, named};
use crate::world::{KEY, World, text};

#[test]
fn a_key_that_a_provider_repeats_to_claude_is_shown_to_nobody() {
    kept_secret(By::Claude);
}

#[test]
fn a_key_that_a_provider_repeats_to_codex_is_shown_to_nobody() {
    kept_secret(By::Codex);
}

fn kept_secret(by: By) {
    let refusal = format!(
        "rules:\n  - when: {{}}\n    reply: {{ error: {{ status: 400, message: 'bad key {KEY} given' }} }}\n"
    );
    let world = World::lasting(&refusal);
    let Some(agent) = named(&world, "developer", by, "some-model", "api_key_env: SAMPLE_KEY") else { return };
    let profile = format!(
        "active_profile: work\nprofiles:\n  work:\n    repo_root: {}\n    agents:\n  {agent}",
        world.repository().display()
    );
    let file = world.repository().join("../profile.yaml");
    std::fs::write(&file, profile).unwrap();
    let kept = world.amelia(&["config", "profile", "apply", "-f", file.to_str().unwrap()]);
    assert!(kept.status.success(), "{}", text(&kept.stderr));
    let out = world.amelia(&["do", "work"]);
    assert!(!out.status.success());
    let run = world.run_id();
    let logs = world.amelia(&["logs", &run, "--json", "--level", "debug"]);
    let recording = world.amelia(&["record", "export", &run]);
    let shown = [&out.stdout, &out.stderr, &logs.stdout, &recording.stdout].map(|bytes| text(bytes)).concat();
    assert!(shown.contains("[redacted]"), "{shown}");
    assert!(!shown.contains(KEY), "{shown}");
}
