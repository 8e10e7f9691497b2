//! The three answers to a real program that asks before a call: once, for the run, always. The same questions, rules and
//! storage as for a model that Amelia calls itself. Skipped loudly where a program cannot be installed.

use std::process::Output;

use serde_json::{Value, json};

use crate::programs;
use crate::world::{World, text};

/// A program that asks, signed in to the scripted model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Program {
    Codex,
    OpenCode,
    ClaudeAcp,
}

const ALL: [Program; 3] = [Program::Codex, Program::OpenCode, Program::ClaudeAcp];

impl Program {
    fn name(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::OpenCode => "opencode",
            Self::ClaudeAcp => "claude-agent-acp",
        }
    }

    /// A call of its own tool for commands.
    fn command(self, command: &str) -> String {
        match self {
            Self::Codex => format!(r#"{{ name: exec_command, args: {{ cmd: "{command}" }} }}"#),
            Self::OpenCode => {
                format!(r#"{{ name: bash, args: {{ command: "{command}", description: d }} }}"#)
            }
            Self::ClaudeAcp => {
                format!(r#"{{ name: Bash, args: {{ command: "{command}", description: d }} }}"#)
            }
        }
    }
}

/// Every command of a program's script, and what its model does with the answers: told of a yes, it makes the call again;
/// told of a no, it ends; `later` follows one result after the other.
fn script(program: Program, first: &str, later: &[&str]) -> String {
    let mut calls = vec![first];
    calls.extend(later.iter().filter(|call| **call != first));
    calls.sort_unstable();
    calls.dedup();
    let again = calls.iter().map(|call| {
        let mark = format!("{call:?}");
        format!("  - when: {{ last: {mark} }}\n    reply: {{ tool_calls: [{}] }}\n", program.command(call))
    });
    let later = later.iter().map(|call| {
        format!("  - when: {{ times: 1 }}\n    reply: {{ tool_calls: [{}] }}\n", program.command(call))
    });
    format!(
        "rules:\n  - when: {{ system: title }}\n    reply: {{ text: A title }}\n  - when: {{ last: did not allow this call }}\n    reply: {{ text: Then not. }}\n{}  - when: {{ last: make it }}\n    reply: {{ tool_calls: [{}] }}\n{}  - reply: {{ text: It is made. }}\n",
        again.collect::<String>(),
        program.command(first),
        later.collect::<String>()
    )
}

struct Asking {
    world: World,
    /// Not below a temporary directory: codex refuses to keep its things there.
    home: tempfile::TempDir,
    program: Program,
}

impl Asking {
    fn new(program: Program, script: &str, permissions: &str) -> Option<Self> {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let path = runtime.block_on(programs::find(program.name()))?;
        let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let asking = Self { world: World::new(script), home, program };
        asking.sign_in();
        asking.apply(&path, permissions);
        Some(asking)
    }

    /// What the program needs to know of its model.
    fn sign_in(&self) {
        let url = self.world.server.url();
        match self.program {
            Program::Codex => {
                let config = format!(
                    "model_provider = \"here\"\n[model_providers.here]\nname = \"Here\"\nbase_url = \"{url}/v1\"\nwire_api = \"responses\"\nrequest_max_retries = 0\n[features]\napps = false\nplugins = false\n"
                );
                self.keep(".codex/config.toml", &config);
            }
            Program::OpenCode => {
                let here = json!({
                    "npm": "@ai-sdk/openai-compatible",
                    "options": {"baseURL": format!("{url}/v1"), "apiKey": "x"},
                    "models": {"scripted": {}},
                });
                let config = json!({
                    "provider": {"here": here}, "model": "here/scripted", "small_model": "here/scripted",
                    "permission": {"edit": "ask", "bash": "ask"},
                });
                self.keep(".config/opencode/opencode.json", &config.to_string());
            }
            Program::ClaudeAcp => {}
        }
    }

    fn keep(&self, file: &str, content: &str) {
        let file = self.home.path().join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, content).unwrap();
    }

    fn apply(&self, program: &std::path::Path, permissions: &str) {
        let (driver, model, options) = match self.program {
            Program::Codex => ("codex", "gpt-5", format!("program: {}", program.display())),
            Program::OpenCode => (
                "acp",
                "default",
                format!("command: [{}, acp], env: [OPENCODE_DISABLE_MODELS_FETCH]", program.display()),
            ),
            Program::ClaudeAcp => (
                "acp",
                "default",
                format!(
                    "command: [{}], env: [ANTHROPIC_BASE_URL, ANTHROPIC_AUTH_TOKEN, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC]",
                    program.display()
                ),
            ),
        };
        let profile = format!(
            "active_profile: work\nprofiles:\n  work:\n    repo_root: {}\n    agents:\n      developer: {{ driver: {driver}, model: {model}, options: {{ {options}, permissions: {permissions} }} }}\n",
            self.world.repository().display()
        );
        let file = self.home.path().join("profile.yaml");
        std::fs::write(&file, profile).unwrap();
        if self.program == Program::ClaudeAcp {
            let names =
                "[ANTHROPIC_BASE_URL, ANTHROPIC_AUTH_TOKEN, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC]";
            succeeds(&self.amelia(&["config", "server", "set", "api_key_envs", names]));
        }
        succeeds(&self.amelia(&["config", "profile", "apply", "-f", file.to_str().unwrap()]));
    }

    fn amelia(&self, arguments: &[&str]) -> Output {
        let mut command = self.world.command(arguments);
        command.env("HOME", self.home.path()).env_remove("XDG_CONFIG_HOME");
        if self.program == Program::ClaudeAcp {
            command.env("ANTHROPIC_BASE_URL", self.world.server.url());
            command.env("ANTHROPIC_AUTH_TOKEN", "scripted");
            command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
        }
        command.output().unwrap()
    }

    /// The run waits for leave to do this.
    fn asks(&self, output: &Output, wish: &str) {
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(6), "{:?}: {message}", self.program);
        assert!(message.contains(&format!("Developer wants to use {wish}")), "{:?}: {message}", self.program);
    }

    fn is_made(&self, name: &str) -> bool {
        self.world.worktree().join(name).exists()
    }

    fn rules(&self) -> Vec<String> {
        let listed = succeeds(&self.amelia(&["permission", "list", "--json"]));
        let listed: Value = serde_json::from_str(&listed).unwrap();
        let rule =
            |one: &Value| format!("{} {}", one["lasts"].as_str().unwrap(), one["rule"].as_str().unwrap());
        listed.as_array().unwrap().iter().map(rule).collect()
    }
}

fn succeeds(output: &Output) -> String {
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn once_is_for_one_call_and_for_the_run_holds_in_its_later_calls_only() {
    for program in ALL {
        // The first again at the end: what was allowed once is asked again.
        let script = script(program, "touch one.txt", &["touch two.txt", "touch two.txt", "touch one.txt"]);
        let Some(asking) = Asking::new(program, &script, "commands") else { return };
        asking.asks(&asking.amelia(&["do", "make it"]), "shell: touch one.txt");
        assert!(!asking.is_made("one.txt"));
        let run = asking.world.run_id();
        let shown = succeeds(&asking.amelia(&["inbox"]));
        assert!(shown.contains("rule: shell(touch one.txt)"), "{program:?}: {shown}");

        asking.asks(&asking.amelia(&["approve", &run, "--follow"]), "shell: touch two.txt");
        assert!(asking.is_made("one.txt") && !asking.is_made("two.txt"), "{program:?}");
        assert_eq!(asking.rules(), Vec::<String>::new(), "{program:?}");

        let misfit = asking.amelia(&["approve", &run, "--for-run", "shell(rm *)"]);
        assert_eq!(misfit.status.code(), Some(2), "{}", text(&misfit.stderr));
        // Its second call fits the rule; then comes the one that was allowed only once.
        asking.asks(&asking.amelia(&["approve", &run, "--for-run", "--follow"]), "shell: touch one.txt");
        assert!(asking.is_made("two.txt"), "{program:?}");
        assert_eq!(asking.rules(), ["run shell(touch two.txt)"], "{program:?}");

        let done = succeeds(&asking.amelia(&["reject", &run, "--feedback", "once is enough", "--follow"]));
        assert!(done.contains("Then not."), "{program:?}: {done}");
        succeeds(&asking.amelia(&["replay", &run]));
        assert_eq!(crate::world::orphans(&run), Vec::<String>::new());
        // Another run was granted nothing.
        asking.asks(&asking.amelia(&["do", "make it"]), "shell: touch one.txt");
    }
}

#[test]
fn always_holds_at_once_and_in_later_runs_until_the_rule_is_removed() {
    for program in ALL {
        let script = script(program, "touch one.txt", &["touch two.txt"]);
        let Some(asking) = Asking::new(program, &script, "commands") else { return };
        asking.asks(&asking.amelia(&["do", "make it"]), "shell: touch one.txt");
        let run = asking.world.run_id();
        let done = succeeds(&asking.amelia(&["approve", &run, "--always", "shell(touch *)", "--follow"]));
        assert!(done.contains("developer may always use shell(touch *)"), "{program:?}: {done}");
        assert!(done.contains("It is made."), "{program:?}: {done}");
        assert!(asking.is_made("one.txt") && asking.is_made("two.txt"), "{program:?}");
        succeeds(&asking.amelia(&["replay", &run]));
        assert_eq!(asking.rules(), ["always shell(touch *)"], "{program:?}");
        succeeds(&asking.amelia(&["do", "make it"]));

        succeeds(&asking.amelia(&["permission", "remove", "work", "developer", "shell(touch *)"]));
        asking.asks(&asking.amelia(&["do", "make it"]), "shell: touch one.txt");
    }
}

#[test]
fn a_rule_for_the_run_that_is_removed_is_asked_again() {
    for program in ALL {
        let script = script(program, "touch one.txt", &["rm one.txt", "touch one.txt"]);
        let Some(asking) = Asking::new(program, &script, "commands") else { return };
        asking.asks(&asking.amelia(&["do", "make it"]), "shell: touch one.txt");
        let run = asking.world.run_id();
        asking.asks(&asking.amelia(&["approve", &run, "--for-run", "--follow"]), "shell: rm one.txt");
        assert!(asking.is_made("one.txt"), "{program:?}");
        let rule = "shell(touch one.txt)";
        succeeds(&asking.amelia(&["permission", "remove", &run, "developer", rule]));
        asking.asks(&asking.amelia(&["approve", &run, "--follow"]), "shell: touch one.txt");
        assert!(!asking.is_made("one.txt"), "{program:?}: it was not made again");
    }
}

#[test]
fn a_rule_for_edits_holds_in_the_worktree_and_outside_of_it_each_is_asked_about() {
    let elsewhere = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let outside = elsewhere.path().join("outside.txt");
    let edit = |path: &str| {
        let patch = format!("*** Begin Patch\\n*** Add File: {path}\\n+hello\\n*** End Patch");
        format!(
            r#"reply: {{ tool_calls: [{{ name: exec_command, args: {{ cmd: "apply_patch <<'EOF'\n{patch}\nEOF" }} }}] }}"#
        )
    };
    let (one, two, three) = (edit("one.txt"), edit("two.txt"), edit(outside.to_str().unwrap()));
    let script = format!(
        "rules:\n  - when: {{ last: 'outside.txt\"' }}\n    {three}\n  - when: {{ last: 'one.txt\"' }}\n    {one}\n  - when: {{ last: make it }}\n    {one}\n  - when: {{ times: 1 }}\n    {two}\n  - when: {{ times: 1 }}\n    {three}\n  - reply: {{ text: It is made. }}\n"
    );
    let Some(asking) = Asking::new(Program::Codex, &script, "changes") else { return };
    asking.asks(&asking.amelia(&["do", "make it"]), "apply_patch: {\"changes\":[{\"diff\":\"hello");
    let run = asking.world.run_id();
    asking.asks(&asking.amelia(&["approve", &run, "--for-run", "--follow"]), "apply_patch: ");
    assert!(asking.is_made("one.txt") && asking.is_made("two.txt"), "the second fits the rule");
    assert!(!outside.exists());
    assert_eq!(asking.rules(), ["run apply_patch"]);

    for lasts in ["--for-run", "--always"] {
        let refused = asking.amelia(&["approve", &run, lasts]);
        let message = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{message}");
        assert!(message.contains("no rule allows an edit outside of the worktree"), "{message}");
    }
    let done = succeeds(&asking.amelia(&["approve", &run, "--follow"]));
    assert!(done.contains("It is made."), "{done}");
    assert!(outside.exists());
}
