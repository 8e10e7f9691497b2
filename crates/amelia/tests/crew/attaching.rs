//! Files of an issue: agents get them, models see the images, and neither git nor the log has them.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::crew::{ARCHITECT, CONTENT, commits, logs, start, world};
use crate::parallel;
use crate::world::{World, text};

const NOTES: &str = "the sum is wrong since Tuesday\n";
/// Begins as a PNG does; nothing here looks further.
const IMAGE: &[u8] = b"\x89PNG\r\n\x1a\n-a-picture-of-a-wrong-sum-";

/// Reads the notes before anything else.
const READS: &str = r#####"
  - when: { model: developer, turn: 0 }
    reply: { tool_calls: [{ name: read_file, args: { path: .amelia/attachments/notes.txt } }] }
  - when: { model: developer, text: "### Task 1:", turn: 1 }
    reply: { tool_calls: [{ name: edit_file, args: { path: calc.sh, edits: [{ old: '$1 - $2', new: '$1 + $2' }] } }] }
  - when: { model: developer, text: "### Task 2:", turn: 1 }
    reply: { tool_calls: [{ name: write_file, args: { path: README.md, content: "calc.sh A B\n" } }] }
  - when: { model: developer }
    reply: { text: Done. }
"#####;

/// The arguments that attach notes, and an image whose name does not say so.
fn attached(world: &World) -> Vec<String> {
    let dir = world.repository().join("../given");
    std::fs::create_dir_all(&dir).unwrap();
    let files = [("notes.txt", NOTES.as_bytes()), ("shot.dat", IMAGE)];
    let argument = |(name, data): (&str, &[u8])| {
        std::fs::write(dir.join(name), data).unwrap();
        format!("--attach={}", dir.join(name).display())
    };
    files.map(argument).to_vec()
}

fn start_attached(world: &World, more: &[&str]) -> std::process::Output {
    let files = attached(world);
    start(world, &files.iter().map(String::as_str).chain(more.iter().copied()).collect::<Vec<_>>())
}

/// Requests to a model that carry the image as a part of a message.
fn shown(world: &World, model: &str) -> usize {
    let url = format!("data:image/png;base64,{}", STANDARD.encode(IMAGE));
    let requests = world.server.requests();
    let has_image = |messages: &serde_json::Value| {
        let parts = messages.as_array().unwrap().iter().filter_map(|message| message["content"].as_array());
        parts.flatten().any(|part| part["image_url"]["url"] == url.as_str())
    };
    let to_model = requests.iter().filter(|request| request.body["model"] == model);
    to_model.filter(|request| has_image(&request.body["messages"])).count()
}

fn reads(world: &World) -> usize {
    let requests = world.server.requests();
    let told = |body: &serde_json::Value| {
        let last = body["messages"].as_array().unwrap().last().unwrap();
        last["role"] == "tool" && last["content"].to_string().contains(NOTES.trim())
    };
    requests.iter().filter(|request| told(&request.body)).count()
}

fn assert_plays(world: &World, run: &str) {
    let played = world.amelia(&["replay", run]);
    assert!(played.status.success(), "{}{}", text(&played.stdout), text(&played.stderr));
}

#[test]
fn files_reach_the_agents_and_no_commit_and_the_log_has_no_data() {
    let world = world(&[ARCHITECT, READS, CONTENT], "");
    let output = start_attached(&world, &["--auto"]);
    assert!(output.status.success(), "{}\n{}", text(&output.stderr), logs(&world));
    let first = world.server.requests()[0].body["messages"].to_string();
    for line in [
        "- `.amelia/attachments/notes.txt` (text/plain, 31 bytes)",
        "- `.amelia/attachments/shot.dat` (image/png, 34 bytes)",
    ] {
        assert!(first.contains(line), "{first}");
    }
    assert!(!first.contains(NOTES.trim()), "a text file is read with a tool");
    // Once for every turn of the Architect, and for every turn of the Developer in both tasks.
    assert_eq!((shown(&world, "architect"), shown(&world, "developer")), (2, 6));
    assert_eq!((shown(&world, "reviewer"), reads(&world)), (0, 2));
    assert_eq!(commits(&world).len(), 2);
    let files = world.git(&["ls-tree", "-r", "--name-only", "amelia/s-1"]);
    assert_eq!(files.lines().collect::<Vec<_>>(), [".gitignore", "README.md", "calc.sh", "test.sh"]);
    let worktree = world.worktree();
    assert_eq!(world.git(&["-C", worktree.to_str().unwrap(), "status", "--porcelain"]), "");
    let cleaned = text(&world.amelia(&["cleanup", "--dry-run"]).stdout);
    assert!(!cleaned.contains("attachments"), "what Amelia wrote is not a person's: {cleaned}");

    let run = world.run_id();
    let log = text(&world.amelia(&["logs", &run, "--json"]).stdout);
    assert!(log.contains("data:image/png;base64,amelia-attachment-"), "{log}");
    assert!(!log.contains(&STANDARD.encode(IMAGE)));
    let file = world.repository().join("../run.jsonl");
    assert!(world.amelia(&["record", "export", &run, "-o", file.to_str().unwrap()]).status.success());
    assert!(!std::fs::read_to_string(&file).unwrap().contains(&STANDARD.encode(IMAGE)));
    std::fs::remove_dir_all(world.home().join("attachments")).unwrap();
    assert_plays(&world, &run);
    let tested = world.amelia(&["test", file.to_str().unwrap()]);
    assert!(tested.status.success(), "{}", text(&tested.stdout));
}

#[test]
fn a_file_that_was_removed_is_there_again_when_the_run_continues() {
    let world = world(&[ARCHITECT, READS, CONTENT], "");
    let output = start_attached(&world, &[]);
    assert_eq!(output.status.code(), Some(6), "{}", text(&output.stderr));
    let dir = world.worktree().join(".amelia");
    std::fs::remove_dir_all(&dir).unwrap();
    let done = world.amelia(&["approve", &world.run_id(), "--follow"]);
    assert!(done.status.success(), "{}\n{}", text(&done.stderr), logs(&world));
    assert_eq!(reads(&world), 2);
    assert_eq!(std::fs::read(dir.join("attachments/shot.dat")).unwrap(), IMAGE);
    assert_plays(&world, &world.run_id());
}

#[test]
fn content_that_is_gone_stops_the_run_with_the_reason() {
    let world = world(&[ARCHITECT, READS, CONTENT], "");
    start_attached(&world, &[]);
    std::fs::remove_dir_all(world.home().join("attachments")).unwrap();
    let stopped = world.amelia(&["approve", &world.run_id(), "--follow"]);
    let said = text(&stopped.stderr);
    assert!(said.contains("the content of the attachment `notes.txt` is gone"), "{said}");
    assert!(!stopped.status.success());
}

#[test]
fn a_fork_has_the_files_and_its_developer_sees_the_image() {
    let world = world(&[ARCHITECT, READS, CONTENT], "");
    assert!(start_attached(&world, &["--auto"]).status.success());
    let run = world.run_id();
    let list = text(&world.amelia(&["checkpoints", &run, "--json"]).stdout);
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    let planned =
        list.as_array().unwrap().iter().find(|one| one.to_string().contains("\"develop\"")).unwrap();
    let before = (shown(&world, "developer"), reads(&world));
    let forked = world.amelia(&["fork", &run, "--at", &planned["number"].to_string()]);
    let fork = text(&forked.stdout).lines().next().unwrap().trim().to_owned();
    let done = world.amelia(&["resume", &fork, "--follow"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert_eq!((shown(&world, "developer"), reads(&world)), (before.0 + 6, before.1 + 2));
    assert_plays(&world, &fork);
}

#[test]
fn tasks_at_the_same_time_have_the_files_in_each_worktree() {
    let world = world(&[parallel::ARCHITECT, READS, CONTENT], "parallel_tasks: 3");
    let output = start_attached(&world, &["--auto"]);
    assert_eq!(reads(&world), 3, "{}\n{}", text(&output.stderr), logs(&world));
    let files = world.git(&["ls-tree", "-r", "--name-only", "amelia/s-1"]);
    assert!(!files.contains(".amelia"), "{files}");
    assert_plays(&world, &world.run_id());
}

#[test]
fn in_place_the_checkout_stays_clean() {
    let world = world(&[ARCHITECT, READS, CONTENT], "");
    let output = start_attached(&world, &["--auto", "--in-place"]);
    assert!(output.status.success(), "{}\n{}", text(&output.stderr), logs(&world));
    assert_eq!((reads(&world), world.git(&["status", "--porcelain"])), (2, String::new()));
    assert!(!world.git(&["ls-tree", "-r", "--name-only", "HEAD"]).contains(".amelia"));
}

#[test]
fn a_repository_with_rules_of_its_own_there_keeps_them() {
    let world = world(&[ARCHITECT, READS, CONTENT], "");
    let own = world.repository().join(".amelia/attachments");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join(".gitignore"), "*.tmp\n").unwrap();
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "-m", "Rules"]);
    let output = start_attached(&world, &["--auto"]);
    assert!(output.status.success(), "{}\n{}", text(&output.stderr), logs(&world));
    let files = world.git(&["ls-tree", "-r", "--name-only", "amelia/s-1", ".amelia"]);
    assert_eq!(files.trim(), ".amelia/attachments/.gitignore");
    assert_eq!(world.git(&["show", "amelia/s-1:.amelia/attachments/.gitignore"]), "*.tmp\n");
}

#[test]
fn a_file_that_git_tracks_is_not_replaced() {
    let world = world(&[ARCHITECT, READS, CONTENT], "");
    let own = world.repository().join(".amelia/attachments");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("notes.txt"), "ours\n").unwrap();
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "-m", "Notes"]);
    let output = start_attached(&world, &["--auto"]);
    assert!(!output.status.success());
    let said = text(&output.stderr);
    assert!(said.contains("git tracks `.amelia/attachments/notes.txt`"), "{said}");
}

#[test]
fn a_backup_has_the_files() {
    let world = world(&[ARCHITECT, READS, CONTENT], "");
    start_attached(&world, &["--auto"]);
    let archive = world.repository().join("../backup.tar.gz");
    let archive = archive.to_str().unwrap();
    assert!(world.amelia(&["backup", archive]).status.success());
    let other = world.repository().join("../other");
    let restored = world.command(&["restore", archive]).env("AMELIA_HOME", &other).output().unwrap();
    assert!(restored.status.success(), "{}", text(&restored.stderr));
    let contents = |home: &Path| {
        let found = std::fs::read_dir(home.join("attachments")).unwrap();
        let mut found: Vec<PathBuf> = found.map(|entry| entry.unwrap().path()).collect();
        found.sort();
        let read = |path: &PathBuf| {
            let mode = std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            (path.file_name().unwrap().to_owned(), std::fs::read(path).unwrap(), mode)
        };
        found.iter().map(read).collect::<Vec<_>>()
    };
    let kept = contents(&world.home());
    assert_eq!((kept.len(), kept[0].2), (2, 0o600));
    assert_eq!(contents(&other), kept);
}

#[test]
fn files_that_cannot_be_attached_are_refused_before_anything_is_sent() {
    let world = world(&[ARCHITECT, READS, CONTENT], "");
    let dir = world.repository().join("../given");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("small"), "x").unwrap();
    std::fs::File::create(dir.join("large")).unwrap().set_len(10 * 1024 * 1024 + 1).unwrap();
    let at = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    let (small, large, missing) = (at("small"), at("large"), at("missing"));
    let eleven: Vec<&str> = std::iter::repeat_n(["--attach", &small], 11).flatten().collect();
    let cases: [(&[&str], i32, &str); 4] = [
        (&["--attach", &missing], 1, "the file cannot be read"),
        (&["--attach", dir.to_str().unwrap()], 2, "is a directory"),
        (&["--attach", &large], 2, "`large` is larger than 10 MB"),
        (&eleven, 2, "there are 11 attachments"),
    ];
    for command in ["start", "plan"] {
        for (arguments, code, problem) in cases {
            let refused = world.amelia(&[&[command, "--title", "t"], arguments].concat());
            assert_eq!(refused.status.code(), Some(code), "{}", text(&refused.stderr));
            assert!(text(&refused.stderr).contains(problem), "{}", text(&refused.stderr));
        }
    }
    assert!(world.run().is_none() && !world.home().join("attachments").exists());
}

#[test]
fn a_program_sees_the_image_and_its_recording_has_no_data() {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("claude");
    // What it is told is kept in a file beside it.
    let script = r#"#!/bin/sh
read hello; read words; printf '%s\n' "$words" >> "$0.told"
echo '{"type":"system","subtype":"init","session_id":"s1","claude_code_version":"2.1.0"}'
echo x >> work.txt
echo '{"type":"result","subtype":"success","is_error":false,"result":"It is done.","session_id":"s1"}'; cat > /dev/null
"#;
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let developer = format!(
        "    developer: {{ driver: claude, model: best, options: {{ program: '{}' }} }}",
        program.display()
    );
    let world = world(&[ARCHITECT, CONTENT], &developer);
    let output = start_attached(&world, &["--auto"]);
    assert!(output.status.success(), "{}\n{}", text(&output.stderr), logs(&world));
    let told = std::fs::read_to_string(dir.path().join("claude.told")).unwrap();
    assert_eq!(told.lines().filter(|line| line.contains(&STANDARD.encode(IMAGE))).count(), 2, "{told}");
    let (run, file) = (world.run_id(), world.repository().join("../run.jsonl"));
    assert!(world.amelia(&["record", "export", &run, "-o", file.to_str().unwrap()]).status.success());
    assert!(!std::fs::read_to_string(&file).unwrap().contains(&STANDARD.encode(IMAGE)));
    std::fs::remove_dir_all(world.home().join("attachments")).unwrap();
    assert_plays(&world, &run);
}

#[test]
fn cleanup_removes_attached_files_that_no_run_refers_to() {
    let world = world(&[ARCHITECT, READS, CONTENT], "");
    let output = start_attached(&world, &["--auto"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let dir = world.home().join("attachments");
    let orphan = dir.join("0".repeat(64));
    std::fs::write(&orphan, "left by a run that was removed").unwrap();
    let files = || std::fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    for path in files() {
        let day = std::time::Duration::from_hours(24);
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.set_modified(std::time::SystemTime::now() - day).unwrap();
    }
    let looked = text(&world.amelia(&["cleanup", "--all", "--dry-run"]).stdout);
    assert!(looked.contains("1 attached file that no run refers to would be removed (30 B)"), "{looked}");
    assert!(orphan.exists(), "it only looked");
    let cleaned = text(&world.amelia(&["cleanup", "--all"]).stdout);
    assert!(cleaned.contains("1 attached file that no run refers to removed (30 B)"), "{cleaned}");
    assert!(!orphan.exists());
    assert_eq!(files().len(), 2, "those of the run stay");
}
