//! What the scripted model says to each program in each role, and profiles that cast them.

use std::process::Child;

use crate::programs;
use crate::world::{World, text, until};

/// Who plays a role.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    Claude,
    Codex,
    Api,
}

const PLAN: &str = r#"{ goal: "The sample adds its two numbers and says how it is used, as the issue asks.", architecture: "It stays one shell script with one test beside it, nothing is added to that.", tasks: [{ number: "1", title: Add instead of subtract, files: [{ operation: modify, path: calc.sh }], steps: [{ description: Replace the minus }] }, { number: "2", title: Say how it is used, depends_on: ["1"], files: [{ operation: create, path: README.md }], steps: [{ description: Write it }], commit_message: "docs: say how it is used" }] }"#;

fn architect(by: By) -> String {
    let (read, plan) = match by {
        By::Claude => ("mcp__amelia__read_file", "mcp__amelia__write_plan"),
        By::Codex => ("exec_command", "write_plan"),
        By::Api => ("read_file", "write_plan"),
    };
    let args = if by == By::Codex { "{ cmd: cat calc.sh }" } else { "{ path: calc.sh }" };
    format!(
        r#####"
  - when: {{ model: architect, turn: 0 }}
    reply: {{ text: I look first., tool_calls: [{{ name: {read}, args: {args} }}] }}
  - when: {{ model: architect }}
    reply: {{ tool_calls: [{{ name: {plan}, args: {PLAN} }}] }}
"#####
    )
}

/// Edits, runs a command that a person is asked about and that waits for `go`, and says what it did.
fn developer(by: By) -> String {
    let edit = match by {
        By::Claude => {
            r#"{ name: Edit, args: { file_path: calc.sh, old_string: "$1 - $2", new_string: "$1 + $2" } }"#
        }
        By::Codex => {
            r#"{ name: exec_command, args: { cmd: "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: calc.sh\n@@\n-echo $(($1 - $2))\n+echo $(($1 + $2))\n*** End Patch\nEOF" } }"#
        }
        By::Api => {
            r#"{ name: edit_file, args: { path: calc.sh, edits: [{ old: '$1 - $2', new: '$1 + $2' }] } }"#
        }
    };
    let run = |command: &str| match by {
        By::Claude => format!(r#"{{ name: Bash, args: {{ command: "{command}", description: work }} }}"#),
        By::Codex => {
            format!(r#"{{ name: exec_command, args: {{ cmd: "{command}" }} }}"#)
        }
        By::Api => format!(r#"{{ name: shell, args: {{ command: "{command}" }} }}"#),
    };
    let read = match by {
        By::Claude => r#"{ name: Read, args: { file_path: calc.sh } }"#.to_owned(),
        By::Codex | By::Api => run("cat calc.sh"),
    };
    let wait = run(
        "echo begun >> runs.log; while [ ! -e go ]; do sleep 0.05; done; rm go; ./test.sh && echo tested >> runs.log",
    );
    let write = run("echo 'calc.sh A B' > README.md; echo written >> runs.log");
    format!(
        r#####"
  - when: {{ model: developer, last: "You were interrupted" }}
    reply: {{ text: "I was interrupted; the sum is mended." }}
  - when: {{ model: developer, last: "interrupted, outcome unknown" }}
    reply: {{ text: "I was interrupted; the sum is mended." }}
  - when: {{ model: developer, text: "### Task 2:", last: "A person has allowed" }}
    reply: {{ tool_calls: [{write}] }}
  - when: {{ model: developer, last: "A person has allowed" }}
    reply: {{ tool_calls: [{wait}] }}
  - when: {{ model: developer, text: "### Task 2:", last: "### Task 2:" }}
    reply: {{ tool_calls: [{write}] }}
  - when: {{ model: developer, text: "### Task 2:" }}
    reply: {{ text: It says so now. }}
  - when: {{ model: developer, turn: 0 }}
    reply: {{ text: I read it., tool_calls: [{read}] }}
  - when: {{ model: developer, turn: 1 }}
    reply: {{ tool_calls: [{edit}] }}
  - when: {{ model: developer, turn: 2 }}
    reply: {{ tool_calls: [{wait}] }}
  - when: {{ model: developer }}
    reply: {{ text: It adds now. }}
"#####
    )
}

fn reviewer(by: By) -> String {
    let submit = if by == By::Claude { "mcp__amelia__submit_review" } else { "submit_review" };
    format!(
        r#####"
  - when: {{ model: reviewer }}
    reply: {{ tool_calls: [{{ name: {submit}, args: {{ approved: true, severity: none, comments: [] }} }}] }}
"#####
    )
}

/// A cast: who is architect, developer, reviewer.
pub(crate) struct Cast {
    pub(crate) world: World,
}

impl Cast {
    /// `None` when the programs cannot be had; the reason was said.
    pub(crate) fn new(roles: [By; 3], options: &str) -> Option<Self> {
        let [first, second, third] = roles;
        let script = format!("rules:\n{}{}{}", architect(first), developer(second), reviewer(third));
        let checks = "checks: [{ name: tests, command: ./test.sh, timeout: 30 }]\n";
        Self::with(&script, roles, options, checks)
    }

    /// The same with a script of one's own, and no checks.
    pub(crate) fn playing(script: &str, roles: [By; 3], options: &str) -> Option<Self> {
        Self::with(script, roles, options, "")
    }

    fn with(script: &str, [first, second, third]: [By; 3], options: &str, checks: &str) -> Option<Self> {
        let world = World::lasting(script);
        let agents = [
            named(&world, "architect", first, "architect", "")?,
            named(&world, "developer", second, "developer", options)?,
            named(&world, "reviewer", third, "reviewer", "")?,
            named(&world, "evaluator", third, "evaluator", "")?,
        ];
        let profile = format!(
            "name: crew\nrepo_root: {}\nretry: {{ max_retries: 0 }}\nagents:\n{}{checks}",
            world.repository().display(),
            agents.concat()
        );
        let file = world.repository().join("../crew.yaml");
        std::fs::write(&file, profile).unwrap();
        let kept = world.amelia(&["config", "profile", "apply", "-f", file.to_str().unwrap()]);
        assert!(kept.status.success(), "{}", text(&kept.stderr));
        Some(Self { world })
    }

    pub(crate) fn status(&self) -> serde_json::Value {
        self.world.run().map(|row| row["view"]["status"].clone()).unwrap_or_default()
    }

    /// What the run asks, if it asks for leave.
    pub(crate) fn permission(&self) -> Option<String> {
        let row = self.world.run()?;
        let asked = row["view"]["pending"].as_array()?.last()?.clone();
        asked["context"].get("permission")?;
        Some(asked["prompt"].as_str()?.to_owned())
    }

    /// A server that listens.
    pub(crate) fn serving(&self) -> Child {
        let mut server = self.world.start(&["server"]);
        until("it listens", || {
            assert!(server.try_wait().unwrap().is_none(), "it ended by itself");
            let told = std::fs::read_to_string(self.world.home().join("server.json")).unwrap_or_default();
            told.contains(&format!("\"pid\":{},", server.id()))
        });
        server
    }
}

/// A role of a profile; `None` when its program cannot be had.
pub(crate) fn named(world: &World, role: &str, by: By, model: &str, more: &str) -> Option<String> {
    let url = world.server.url();
    let more = if more.is_empty() { String::new() } else { format!(", {more}") };
    let program = |name: &'static str| {
        let found = tokio::runtime::Runtime::new().unwrap().block_on(programs::find(name))?;
        Some(format!("program: {}, ", found.display()))
    };
    let (driver, program, more) = match by {
        By::Claude => ("claude", program("claude")?, more),
        By::Codex => ("codex", program("codex")?, more),
        By::Api => ("api", String::new(), String::new()),
    };
    Some(format!(
        "    {role}: {{ driver: {driver}, model: {model}, options: {{ {program}base_url: '{url}/v1'{more} }} }}\n"
    ))
}

impl Drop for Cast {
    /// What happened, for whoever looks into a failure.
    fn drop(&mut self) {
        if std::thread::panicking() {
            let run = self.world.run_id();
            let log = self.world.amelia(&["logs", &run, "--level", "debug", "--no-autostart"]);
            eprintln!("{}{}", text(&log.stdout), text(&log.stderr));
        }
    }
}
