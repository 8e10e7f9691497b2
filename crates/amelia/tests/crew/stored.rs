//! A home that an earlier version left behind, killed in the middle of its work: it opens, resumes, forks and replays.
//!
//! `tests/stored/home.tar.gz` was made by the commit 38ec83b. It holds a repository and four runs: one completed, one
//! that waits for approval of its plan, and two that a SIGKILL of the server interrupted after their first edit. Runs
//! remember absolute paths, so the copy is unpacked where it was made.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use amelia_scripted::{Script, ScriptedServer, serve};

use crate::world::{text, until};

const DIRECTORY: &str = "/tmp/amelia-stored-home";
const COMPLETED: &str = "01a1e3a3-79d8-76c9-86f2-74acf7220c36";
const WAITING: &str = "01a1e3a3-81b7-7346-a070-da4847b39938";
const INTERRUPTED: [&str; 2] =
    ["01a1e3a3-8448-750f-903e-05ac62291c21", "01a1e3a3-96b0-7275-85bb-134c711eaf77"];

/// What the model of that home answers from where the runs stopped.
const SCRIPT: &str = r#####"
rules:
  - when: { model: developer, text: "### Task 1:", turn: 0 }
    reply: { tool_calls: [{ name: write_file, args: { path: calc.sh, content: "#!/bin/sh\necho $(($1 + $2))\n" } }] }
  - when: { model: developer, text: "### Task 1:", turn: 1 }
    reply: { text: It adds now. }
  - when: { model: developer, text: "### Task 2:", turn: 0 }
    reply: { tool_calls: [{ name: write_file, args: { path: README.md, content: "calc.sh A B\n" } }] }
  - when: { model: developer, text: "### Task 2:", turn: 1 }
    reply: { text: It says so now. }
  - when: { model: reviewer, turn: 0 }
    reply: { tool_calls: [{ name: submit_review, args: { approved: true, severity: none, comments: [] } }] }
  - when: { model: solo, turn: 1 }
    reply: { text: It adds now. }
"#####;

/// The unpacked copy. One test at a time on this machine may have it.
struct Stored {
    /// Stands in for `http://model.invalid`, the address that the runs know, as an HTTP proxy.
    model: ScriptedServer,
    _runtime: tokio::runtime::Runtime,
    _lock: File,
}

impl Stored {
    fn unpack() -> Self {
        let lock = File::create(format!("{DIRECTORY}.lock")).unwrap();
        lock.lock().unwrap();
        std::fs::remove_dir_all(DIRECTORY).ok();
        std::fs::create_dir(DIRECTORY).unwrap();
        let archive = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/stored/home.tar.gz");
        let mut unpack = Command::new("tar");
        let unpacked = unpack.args(["-xzf", archive, "-C", DIRECTORY, "--no-same-owner"]).status().unwrap();
        assert!(unpacked.success());
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let script = Script::parse(SCRIPT).unwrap_or_else(|error| panic!("{error}"));
        let model = runtime.block_on(serve(script, ([127, 0, 0, 1], 0).into())).unwrap();
        Self { model, _runtime: runtime, _lock: lock }
    }

    fn amelia(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_amelia"));
        command.args(arguments).current_dir(Path::new(DIRECTORY).join("sample"));
        command.env("AMELIA_HOME", Path::new(DIRECTORY).join("home")).env("AMELIA_PORT", "0");
        command.env_remove("AMELIA_SERVER").env_remove("AMELIA_TOKEN").env_remove("no_proxy");
        command.env("http_proxy", self.model.url()).stdin(Stdio::null());
        command.output().unwrap()
    }

    fn succeeds(&self, arguments: &[&str]) -> String {
        let output = self.amelia(arguments);
        assert!(output.status.success(), "{arguments:?}: {}{}", text(&output.stdout), text(&output.stderr));
        text(&output.stdout)
    }

    fn status(&self, run: &str) -> String {
        let rows: serde_json::Value =
            serde_json::from_str(&self.succeeds(&["runs", "--json", "--stored"])).unwrap();
        let is_it =
            |row: &&serde_json::Value| row["run"]["id"] == run || format!("r{}", row["run"]["number"]) == run;
        rows.as_array().unwrap().iter().find(is_it).unwrap()["view"]["status"].to_string()
    }

    fn subjects(&self, branch: &str) -> String {
        let mut git = Command::new("git");
        let range = format!("main..{branch}");
        let log = git.args(["-C", &format!("{DIRECTORY}/sample"), "log", "--format=%s", "--reverse", &range]);
        text(&log.output().unwrap().stdout)
    }
}

impl Drop for Stored {
    fn drop(&mut self) {
        let mut stop = Command::new(env!("CARGO_BIN_EXE_amelia"));
        stop.args(["server", "stop", "--home", &format!("{DIRECTORY}/home")]).stdin(Stdio::null());
        stop.output().ok();
        std::fs::remove_dir_all(DIRECTORY).ok();
    }
}

#[test]
fn a_home_of_an_earlier_version_opens_resumes_forks_and_replays() {
    let stored = Stored::unpack();
    assert_eq!(stored.status(COMPLETED), "\"completed\"");
    stored.succeeds(&["replay", COMPLETED]);

    // The server that this starts also resumes what was interrupted.
    stored.succeeds(&["approve", WAITING, "--follow"]);
    assert_eq!(
        stored.subjects("amelia/s-2"),
        "feat(S-2): Add instead of subtract\ndocs: say how it is used\n"
    );
    for run in INTERRUPTED {
        until("an interrupted run completes", || stored.status(run) == "\"completed\"");
        stored.succeeds(&["replay", run]);
    }
    assert_eq!(
        stored.subjects("amelia/s-3"),
        "feat(S-3): Add instead of subtract\ndocs: say how it is used\n"
    );

    let listed: serde_json::Value =
        serde_json::from_str(&stored.succeeds(&["checkpoints", COMPLETED, "--json"])).unwrap();
    let begins_a_task = |checkpoint: &&serde_json::Value| checkpoint.to_string().contains("\"develop\"");
    let chosen = listed.as_array().unwrap().iter().rfind(begins_a_task).unwrap();
    let forked = stored.succeeds(&["fork", COMPLETED, "--at", &chosen["number"].to_string()]);
    let fork = forked.lines().next().unwrap().trim();
    stored.succeeds(&["resume", fork, "--follow"]);
    assert_eq!(stored.status(fork), "\"completed\"");
}
