//! The commands, as processes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests"
)]

use std::path::Path;
use std::process::{Command, Output};

use amelia_store::sqlite::{SqliteOptions, SqliteStore};
use serde_json::Value;
use tempfile::TempDir;

struct Home(TempDir);

impl Home {
    fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A home with one run that was killed twice and completed.
    fn with_a_run() -> (Self, String) {
        let home = Self::empty();
        let events = home.json_lines(&["demo", "--crash", "--pace", "0"]);
        let run = events.first().unwrap()["run"].as_str().unwrap().to_owned();
        (home, run)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn amelia(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_amelia"))
            .args(arguments)
            .env("AMELIA_HOME", self.path())
            .env_remove("NO_COLOR")
            .output()
            .unwrap()
    }

    fn json_lines(&self, arguments: &[&str]) -> Vec<Value> {
        let output = self.amelia(&[arguments, &["--json"]].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let lines = String::from_utf8(output.stdout).unwrap();
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Exit code and message of a command that is refused. Paths are left out.
    fn refusal(&self, arguments: &[&str]) -> (i32, String) {
        let output = self.amelia(arguments);
        assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
        let message = String::from_utf8(output.stderr).unwrap();
        (output.status.code().unwrap(), message.replace(&self.path().display().to_string(), "HOME"))
    }
}

#[test]
fn the_demo_kills_its_worker_and_completes() {
    let home = Home::empty();
    // At full speed, a worker on a busy machine ends before its killer has seen where it is.
    let output = home.amelia(&["demo", "--crash", "--pace", "100"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    assert_eq!(text.matches("killed with SIGKILL").count(), 2, "{text}");
    assert!(text.contains("Completed after 2 kills: "), "{text}");
    assert!(text.contains(" events without a gap, ") && text.contains("published once"), "{text}");
    assert!(!text.contains('\u{1b}'), "no colours when piped");
}

/// Fails after a change of prompts, tools or the log, and then says how the recording is made anew.
#[test]
fn the_recorded_demo_is_played_by_the_code_of_today_without_git_and_without_a_network() {
    let isolated: &[&str] = match Command::new("unshare").args(["-rn", "true"]).status() {
        Ok(status) if status.success() => &["unshare", "-rn", "env"],
        _ => &["env"],
    };
    let dir = tempfile::tempdir().unwrap();
    let play = |more: &[&str]| {
        let output = Command::new(isolated[0])
            .args(&isolated[1..])
            .args([
                "PATH=/nonexistent",
                "HOME=/nonexistent",
                env!("CARGO_BIN_EXE_amelia"),
                "demo",
                "--replay",
            ])
            .args(more)
            .current_dir(dir.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let text = play(&["--fast"]);
    assert!(text.contains("task 1: review round 1: changes requested"), "{text}");
    assert!(text.contains("events as in the recording, replayed in "), "{text}");
    let lines = play(&["--json"]);
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert!(last["kind"].to_string().contains("completed"), "{last}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "nothing is made");
}

#[test]
fn the_recorded_demo_names_nothing_of_the_machine_it_was_made_on() {
    let recording = include_str!("../demo/recording.jsonl");
    let own = std::env::var("HOME").unwrap_or_default();
    for place in ["/home/", "/Users/", &format!("{own}/"), env!("CARGO_MANIFEST_DIR")] {
        assert!(place.len() < 2 || !recording.contains(place), "{place}");
    }
    assert!(recording.contains("\"/tmp/amelia-demo/sample\""));
}

#[test]
fn runs_logs_and_checkpoints_show_what_is_there() {
    let (home, run) = Home::with_a_run();
    let [rows] = home.json_lines(&["runs"]).try_into().unwrap();
    assert_eq!((&rows[0]["id"], &rows[0]["status"]), (&run.clone().into(), &"completed".into()));
    let events = home.json_lines(&["logs", &run]);
    // How many there are depends on what the kills interrupted.
    let last = u64::try_from(events.len()).unwrap();
    assert_eq!(events.last().unwrap()["seq"], last);
    let asked = home.json_lines(&["logs", &run, "--type", "human.requested"]);
    assert_eq!(asked.len(), 2);
    let since = (last - 5).to_string();
    assert_eq!(home.json_lines(&["logs", &run, "--since", &since]).len(), 5);
    let [checkpoints] = home.json_lines(&["checkpoints", &run]).try_into().unwrap();
    let end = checkpoints.as_array().unwrap().last().unwrap();
    assert_eq!((&end["sequence"], &end["nodes"]), (&last.into(), &serde_json::json!([])));
    let state = home.amelia(&["checkpoints", &run, "--at", "3"]);
    let state: Value = serde_json::from_slice(&state.stdout).unwrap();
    assert_eq!(state["notes"]["plan"], serde_json::json!(["three rounds"]));
}

#[test]
fn a_fork_goes_on_from_the_past() {
    let (home, run) = Home::with_a_run();
    let [forked] = home.json_lines(&["fork", &run, "--at", "4", "--set", "rounds=1"]).try_into().unwrap();
    let forked = forked["run"].as_str().unwrap();
    let (code, message) = home.refusal(&["resume", forked, "--quiet"]);
    assert_eq!(code, 6, "{message}");
    let output = home.amelia(&["resume", forked, "--approve"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    assert_eq!(text.matches("review done").count(), 1, "one round, as it was set: {text}");
}

#[test]
fn refusals_name_the_thing_and_the_way_out() {
    let (home, run) = Home::with_a_run();
    let check = |arguments: &[&str], expected: (i32, &str)| {
        let (code, message) = home.refusal(arguments);
        assert_eq!((code, message.trim_end()), expected, "{arguments:?}");
    };
    check(&["logs", "zzz"], (4, "error: no run is called `zzz`\n  hint: `amelia status` lists the runs"));
    let (code, message) = home.refusal(&["fork", &run, "--at", "99"]);
    assert!(
        code == 4
            && message
                .starts_with("error: there is no checkpoint 99\n  hint: the run has checkpoints up to "),
        "{message}"
    );
    check(
        &["fork", &run, "--at", "4", "--set", "x"],
        (2, "error: `x` is not PATH=VALUE\n  hint: for example --set 'rounds=3'"),
    );
    check(
        &["fork", &run, "--at", "4", "--set", "x=1"],
        (2, "error: `x` cannot be set: there is no such field; there are notes, rounds"),
    );
    for arguments in [&["resume", &run][..], &["pause", &run], &["cancel", &run], &["say", &run, "use tabs"]]
    {
        let (code, message) = home.refusal(arguments);
        assert_eq!(code, 5, "{message}");
        assert!(message.starts_with("error: run r1 has ended: it is completed\n  hint: "), "{message}");
        assert!(message.trim_end().ends_with("status r1 shows its result"), "{message}");
    }
}

#[test]
fn a_home_without_runs_says_so() {
    let home = Home::empty();
    let output = home.amelia(&["status"]);
    assert!(output.status.success() && String::from_utf8_lossy(&output.stdout).starts_with("no runs in "));
    let shown = |arguments: &[&str]| String::from_utf8(home.amelia(arguments).stdout).unwrap();
    assert!(shown(&["status"]).contains("init creates a profile"));
    assert!(shown(&["inbox"]).contains("there are no runs yet"));
    assert!(shown(&[]).contains(" doctor "));
    assert_eq!(home.json_lines(&["status"]), [serde_json::json!([])]);
    let (code, message) = home.refusal(&["logs", "0"]);
    assert_eq!(
        (code, message.as_str()),
        (
            4,
            "error: there are no runs in HOME\n  hint: `amelia do` starts one; use --home or AMELIA_HOME for another home\n"
        )
    );
}

#[test]
fn a_home_that_is_in_use_can_be_looked_at_and_names_its_owner() {
    let (home, run) = Home::with_a_run();
    let owner = SqliteStore::open(&home.path().join("amelia.db"), SqliteOptions::default()).unwrap();
    assert!(home.amelia(&["runs"]).status.success(), "anybody may look");
    let (code, message) = home.refusal(&["fork", &run, "--at", "4"]);
    let expected = format!(
        "error: another command (process {}) executes a run in this home by itself",
        std::process::id()
    );
    assert!(code == 5 && message.starts_with(&expected), "{code}: {message}");
    assert!(message.contains("`amelia server start`"), "it says how to avoid it: {message}");
    drop(owner);
}

#[test]
fn a_damaged_database_is_refused_and_left_alone() {
    let home = Home::empty();
    let file = home.path().join("amelia.db");
    std::fs::write(&file, "not a database, but somebody's text of some length").unwrap();
    let (code, message) = home.refusal(&["runs"]);
    assert_eq!(code, 1);
    assert!(
        message.contains("is damaged: it is not an SQLite database\n  hint: move the file away"),
        "{message}"
    );
    assert!(std::fs::read_to_string(file).unwrap().starts_with("not a database"));
}

#[test]
fn a_second_demo_in_the_same_home_is_a_new_run() {
    let (home, first) = Home::with_a_run();
    std::thread::sleep(std::time::Duration::from_millis(1100));
    let second = home.json_lines(&["demo", "--crash", "--pace", "0"]).first().unwrap()["run"].clone();
    assert_ne!(second, first);
}

#[test]
fn a_reader_that_goes_away_early_is_no_error() {
    let (home, run) = Home::with_a_run();
    for arguments in [&["logs", &run, "--json"][..], &["runs", "--json"], &["checkpoints", &run, "--json"]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_amelia"))
            .args(arguments)
            .env("AMELIA_HOME", home.path())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!complaint.contains("panicked"), "{arguments:?}: {complaint}");
    }
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let home = Home::empty();
    for arguments in [&["frobnicate"][..], &["selftest"], &["demo", "--crash", "--kills", "9"], &["fork"]] {
        assert_eq!(home.refusal(arguments).0, 2, "{arguments:?}");
    }
}

#[test]
fn a_home_that_was_named_and_does_not_exist_is_an_error() {
    let home = Home::empty();
    let (code, message) = home.refusal(&["--home", "/no/such/home", "status"]);
    assert_eq!(code, 4, "{message}");
    assert!(message.contains("the home /no/such/home does not exist"), "{message}");
}

#[test]
fn json_is_all_there_is_also_for_version_and_help() {
    let home = Home::empty();
    for (arguments, field) in [
        (&["--version"][..], "version"),
        (&["--help"], "help"),
        (&["help", "merge"], "help"),
        (&["merge", "-h"], "help"),
    ] {
        let lines = home.json_lines(arguments);
        assert!(lines[0][field].as_str().is_some_and(|text| !text.is_empty()), "{arguments:?}: {lines:?}");
        assert_eq!(lines.len(), 1, "{arguments:?}");
    }
}

#[test]
fn every_command_has_a_man_page() {
    let home = Home::empty();
    let pages = tempfile::tempdir().unwrap();
    let written = home.amelia(&["man", pages.path().to_str().unwrap()]);
    assert!(written.status.success(), "{written:?}");
    for (page, words) in [
        ("amelia.1", "Run coding agents"),
        ("amelia-start.1", "Plan, implement and review an issue"),
        ("amelia-config-profile-apply.1", "amelia"),
    ] {
        let text = std::fs::read_to_string(pages.path().join(page)).unwrap();
        assert!(text.contains(words), "{page}: {text}");
    }
    let nowhere = home.amelia(&["man", "/nowhere/at/all"]);
    let said = String::from_utf8_lossy(&nowhere.stderr);
    assert!(!nowhere.status.success() && said.contains("/nowhere/at/all"), "{said}");
}
