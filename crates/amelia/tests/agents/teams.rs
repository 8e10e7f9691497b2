//! Teams whose agents are real programs: the `tools` of an agent are all that it may use.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Output;

use serde_json::Value;

use crate::programs;
use crate::world::{World, text};

/// Tries to write, to run a command, and to read; then says that it is done.
const TRIES: &str = r#"
rules:
  - when: { turn: 0 }
    reply:
      tool_calls:
        - { name: Write, args: { file_path: made.txt, content: x } }
        - { name: Bash, args: { command: echo x > ran.txt, description: x } }
        - { name: mcp__amelia__write_file, args: { path: ours.txt, content: x } }
        - { name: mcp__amelia__shell, args: { command: echo x > shell.txt } }
  - when: { turn: 1 }
    reply: { tool_calls: [{ name: Read, args: { file_path: calc.sh } }, { name: mcp__amelia__search, args: { pattern: echo } }] }
  - when: { turn: 2 }
    reply: { text: Done. }
"#;

/// A repository with a team of one agent, which is the real program.
struct ProgramTeam {
    world: World,
    path: OsString,
}

impl ProgramTeam {
    fn new(script: &str, tools: &str) -> Option<Self> {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let program: PathBuf = runtime.block_on(programs::find("claude"))?;
        let world = World::lasting(script);
        let team = format!(
            "name: looks\ndescription: It looks around.\ndefault_llm: {{ provider: claude, model: claude-sonnet-4-5, base_url: \"{}/v1\", api_key_env: SAMPLE_KEY }}\nagents:\n  - {{ name: reader, role: reads, prompt_template: You read., tools: {tools} }}\n",
            world.server.url()
        );
        let file = world.home().join("teams/looks.yaml");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, team).unwrap();
        let old = std::env::var_os("PATH").unwrap();
        let own = [program.parent().unwrap().to_owned()];
        let path = std::env::join_paths(own.into_iter().chain(std::env::split_paths(&old))).unwrap();
        Some(Self { world, path })
    }

    fn amelia(&self, arguments: &[&str]) -> Output {
        self.world.command(arguments).env("PATH", &self.path).output().unwrap()
    }

    /// Runs it to its end and says what was made.
    fn made(&self) -> Vec<String> {
        let done = self.amelia(&["team", "run", "looks", "Look around"]);
        assert!(done.status.success(), "{}{}", text(&done.stdout), text(&done.stderr));
        let log = text(&self.amelia(&["logs", "r1", "--json"]).stdout);
        let created = |line: &str| {
            let event: Value = serde_json::from_str(line).unwrap();
            Some(event.pointer("/kind/artifact/created/uri")?.as_str()?.to_owned())
        };
        let mut made: Vec<String> = log.lines().filter_map(created).collect();
        made.sort();
        made
    }
}

#[test]
fn a_member_that_lists_tools_for_reading_cannot_write_or_run_anything() {
    for tools in ["[read_file, search]", "[]", "[ask_human]"] {
        let Some(team) = ProgramTeam::new(TRIES, tools) else { return };
        assert_eq!(team.made(), Vec::<String>::new(), "{tools}");
        let last = team.world.server.requests().pop().unwrap().body.to_string();
        let may_read = tools.contains("read_file");
        assert_eq!(last.contains("#!/bin/sh"), may_read, "{tools}: {last}");
    }
}

#[test]
fn a_member_with_a_shell_runs_commands_and_one_that_edits_runs_none() {
    for (tools, expected) in [
        ("[shell]", &["ran.txt"][..]),
        ("[write_file]", &["made.txt"]),
        ("[edit_file, shell]", &["made.txt", "ran.txt"]),
    ] {
        let Some(team) = ProgramTeam::new(TRIES, tools) else { return };
        assert_eq!(team.made(), expected, "{tools}");
    }
}
