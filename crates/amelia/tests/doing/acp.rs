//! A real agent of the Agent Client Protocol at work for a person: it asks before it writes, and leaves the writing to us.
//! Skipped loudly where it cannot be installed.

use std::process::Output;

use serde_json::json;

use crate::programs;
use crate::world::{World, text};

const MEND: &str = r##"
rules:
  - when: { system: title }
    reply: { text: A title }
  - when: { last: "The answer is: a sum" }
    reply: { tool_calls: [{ name: write, args: { filePath: calc.sh, content: "#!/bin/sh\necho $(($1 + $2))\n" } }] }
  - when: { last: make the failing test pass }
    reply: { text: "I must know more.\n<tool_call>\n{\"name\": \"ask_human\", \"arguments\": {\"question\": \"Sum or product?\"}}\n</tool_call>" }
  - when: { last: "A person has allowed this call" }
    reply: { tool_calls: [{ name: bash, args: { command: ./test.sh, description: test } }] }
  - when: { last: ok }
    reply: { text: The test passes now. }
  - reply: { tool_calls: [{ name: bash, args: { command: ./test.sh, description: test } }] }
"##;

fn amelia(world: &World, home: &std::path::Path, arguments: &[&str]) -> Output {
    world.command(arguments).env("HOME", home).env_remove("XDG_CONFIG_HOME").output().unwrap()
}

#[test]
fn it_asks_is_answered_asks_for_leave_and_mends_the_sample() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let Some(program) = runtime.block_on(programs::find("opencode")) else { return };
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let world = World::new(MEND);
    let folder = home.path().join(".config/opencode");
    std::fs::create_dir_all(&folder).unwrap();
    let here = json!({
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": format!("{}/v1", world.server.url()), "apiKey": "x"},
        "models": {"scripted": {}},
    });
    let config = json!({
        "provider": {"here": here}, "model": "here/scripted", "small_model": "here/scripted",
        "permission": {"edit": "ask", "bash": "ask"},
    });
    std::fs::write(folder.join("opencode.json"), config.to_string()).unwrap();
    let profile = format!(
        "active_profile: work\nprofiles:\n  work:\n    repo_root: {}\n    agents:\n      developer: {{ driver: acp, model: default, options: {{ command: [{}, acp], permissions: commands, env: [OPENCODE_DISABLE_MODELS_FETCH] }} }}\n",
        world.repository().display(),
        program.display()
    );
    let file = home.path().join("profile.yaml");
    std::fs::write(&file, profile).unwrap();
    let applied = amelia(&world, home.path(), &["config", "profile", "apply", "-f", file.to_str().unwrap()]);
    assert!(applied.status.success(), "{}", text(&applied.stderr));

    let asked = amelia(&world, home.path(), &["do", "make the failing test pass"]);
    let message = text(&asked.stderr);
    assert_eq!(asked.status.code(), Some(6), "{message}");
    assert!(message.contains("the run asks: Sum or product?"), "{message}");

    let run = world.run_id();
    let asked = amelia(&world, home.path(), &["answer", &run, "--message", "a sum"]);
    let message = text(&asked.stderr);
    assert!(message.contains("wants to use shell: ./test.sh"), "{message}");
    let mended = std::fs::read_to_string(world.worktree().join("calc.sh")).unwrap();
    assert!(mended.contains("$1 + $2"), "an edit needs no leave: {mended}");

    let done = amelia(&world, home.path(), &["approve", &run, "--follow"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(text(&done.stdout).contains("The test passes now."), "{}", text(&done.stdout));
    assert_eq!(crate::world::orphans(&run), Vec::<String>::new());
}
