//! The real `codex` program at work for a person, with a sign-in of its own: here, a configuration that names the scripted
//! model. Skipped loudly where it cannot be installed.

use std::path::PathBuf;
use std::process::Output;

use tempfile::TempDir;

use crate::programs;
use crate::world::{World, text};

const MEND: &str = r#"
rules:
  - when: { last: "The answer is: a sum" }
    reply: { tool_calls: [{ name: exec_command, args: { cmd: "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: calc.sh\n@@\n-echo $(($1 - $2))\n+echo $(($1 + $2))\n*** End Patch\nEOF" } }] }
  - when: { turn: 0 }
    reply: { text: I must know more., tool_calls: [{ name: ask_human, args: { question: "Sum or product?" } }] }
  - when: { last: "A person has allowed this call" }
    reply: { tool_calls: [{ name: exec_command, args: { cmd: "./test.sh && echo ran >> runs.log" } }] }
  - when: { last: Process exited with code 0 }
    reply: { text: "The test passes now.", usage: { input: 1000, output: 50, cache_read: 400 } }
  - when: { text: "The answer is: a sum" }
    reply: { tool_calls: [{ name: exec_command, args: { cmd: "./test.sh && echo ran >> runs.log" } }] }
"#;

/// A repository, a model, and a codex that is signed in to it.
struct Codex {
    world: World,
    /// Not below a temporary directory: the program refuses to keep its things there.
    home: TempDir,
    program: PathBuf,
}

impl Codex {
    fn new(script: &str) -> Option<Self> {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let program = runtime.block_on(programs::find("codex"))?;
        let world = World::new(script);
        let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let config = format!(
            "model_provider = \"here\"\n[model_providers.here]\nname = \"Here\"\nbase_url = \"{}/v1\"\nwire_api = \"responses\"\nrequest_max_retries = 0\n[features]\napps = false\nplugins = false\n",
            world.server.url()
        );
        std::fs::create_dir(home.path().join(".codex")).unwrap();
        std::fs::write(home.path().join(".codex/config.toml"), config).unwrap();
        Some(Self { world, home, program })
    }

    fn amelia(&self, arguments: &[&str]) -> Output {
        self.world.command(arguments).env("HOME", self.home.path()).output().unwrap()
    }

    fn apply(&self, options: &str) -> Output {
        let profile = format!(
            "active_profile: work\nprofiles:\n  work:\n    repo_root: {}\n    agents:\n      developer: {{ driver: codex, model: gpt-5, options: {{ program: {}, {options} }} }}\n",
            self.world.repository().display(),
            self.program.display()
        );
        let file = self.home.path().join("profile.yaml");
        std::fs::write(&file, profile).unwrap();
        self.amelia(&["config", "profile", "apply", "-f", file.to_str().unwrap()])
    }
}

#[test]
fn it_asks_is_answered_asks_for_leave_and_mends_the_sample() {
    let Some(codex) = Codex::new(MEND) else { return };
    let applied = codex.apply("permissions: commands");
    assert!(applied.status.success(), "{}", text(&applied.stderr));

    let asked = codex.amelia(&["do", "make the failing test pass"]);
    let message = text(&asked.stderr);
    assert_eq!(asked.status.code(), Some(6), "{message}");
    assert!(message.contains("the run asks: Sum or product?"), "{message}");

    let run = codex.world.run_id();
    let asked = codex.amelia(&["answer", &run, "--message", "a sum"]);
    let message = text(&asked.stderr);
    assert!(message.contains("wants to use shell: ./test.sh && echo ran >> runs.log"), "{message}");
    let mended = std::fs::read_to_string(codex.world.worktree().join("calc.sh")).unwrap();
    assert!(mended.contains("$1 + $2"), "an edit needs no leave: {mended}");
    assert!(!codex.world.worktree().join("runs.log").exists(), "a command does");

    let done = codex.amelia(&["approve", &run, "--follow"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(text(&done.stdout).contains("The test passes now."), "{}", text(&done.stdout));
    let ran = std::fs::read_to_string(codex.world.worktree().join("runs.log")).unwrap();
    assert_eq!(ran, "ran\n", "once");
    assert_eq!(crate::world::orphans(&run), Vec::<String>::new());
}

#[test]
fn options_that_cannot_work_are_refused_before_anything_starts() {
    let Some(codex) = Codex::new(MEND) else { return };
    for (options, expected) in [
        ("temperature: 1", "is not an option of the codex driver"),
        ("mode: exec, permissions: commands", "it cannot ask"),
        ("allow: [shell]", "has no effect unless permissions is commands or changes"),
    ] {
        let refused = codex.apply(options);
        assert_eq!(refused.status.code(), Some(2), "{options}");
        assert!(text(&refused.stderr).contains(expected), "{options}: {}", text(&refused.stderr));
    }
}

#[test]
fn without_a_sign_in_it_reaches_a_model_through_us_and_never_sees_the_key() {
    let script = r#"
rules:
  - when: { turn: 0 }
    reply: { tool_calls: [{ name: exec_command, args: { cmd: "env > seen.txt; cat ~/.codex/config.toml; echo done" } }] }
  - reply: { text: All seen., usage: { input: 1000, output: 50, cache_read: 400 } }
"#;
    let Some(codex) = Codex::new(script) else { return };
    std::fs::remove_dir_all(codex.home.path().join(".codex")).unwrap();
    let base_url = format!("{}/v1", codex.world.server.url());
    let options =
        format!("permissions: commands, base_url: '{base_url}', api_key_env: SAMPLE_KEY, allow: [shell]");
    let applied = codex.apply(&options);
    assert!(applied.status.success(), "{}", text(&applied.stderr));
    let done = codex.amelia(&["do", "look around"]);
    assert!(done.status.success(), "{} {}", text(&done.stdout), text(&done.stderr));
    assert!(text(&done.stdout).contains("All seen."), "{}", text(&done.stdout));
    let seen = std::fs::read_to_string(codex.world.worktree().join("seen.txt")).unwrap();
    assert!(!seen.contains("SAMPLE_KEY") && !seen.contains("PROXY_TOKEN"), "{seen}");
    let spent = codex.world.run().unwrap()["view"]["spend"]["tokens"].as_u64();
    assert!(spent.is_some_and(|tokens| tokens >= 1050), "{spent:?}");
}
