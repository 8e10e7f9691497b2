//! `amelia doctor`: it finds what is missing, and changes nothing.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::crew::{CHECKED, CONTENT, world};
use crate::world::{KEY, World, text};

/// Exit code and, by its name, what was found about each thing.
fn found(command: &mut Command) -> (i32, Vec<Value>) {
    let output = command.arg("--json").output().unwrap();
    let checks =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    (output.status.code().unwrap(), checks)
}

fn named<'a>(checks: &'a [Value], name: &str) -> &'a Value {
    checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("no {name}: {checks:?}"))
}

fn doctor(world: &World) -> (i32, Vec<Value>) {
    found(&mut world.command(&["doctor"]))
}

#[test]
fn a_machine_with_a_profile_that_can_work_is_fine_and_every_check_is_a_line() {
    let world = world(&[CONTENT], CHECKED);
    let (code, checks) = doctor(&world);
    assert_eq!(code, 0, "{checks:?}");
    for name in ["git", "identity", "home", "database", "server", "profile", "agents", "checks"] {
        assert_eq!(named(&checks, name)["state"], "ok", "{checks:?}");
    }
    assert_eq!(named(&checks, "checks")["message"], "./test.sh");
    assert_eq!(named(&checks, "identity")["message"], "commits are by Sample <sample@example.org>");
    let disks = checks.iter().filter(|check| check["name"] == "disk").count();
    assert_eq!(disks, 2, "that of the home, and that of the repository");
    let lines = text(&world.amelia(&["doctor"]).stdout);
    assert_eq!(lines.lines().count(), checks.len(), "{lines}");
    assert!(lines.lines().all(|line| line.starts_with(['✓', '!', '✗'])), "{lines}");
}

#[test]
fn it_works_without_a_home_and_outside_of_a_repository_and_makes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_amelia"));
    command.arg("doctor").current_dir(dir.path()).env("AMELIA_HOME", dir.path().join("none"));
    let (code, checks) = found(command.env_remove("AMELIA_SERVER").env_remove("AMELIA_DATABASE_PATH"));
    assert_eq!(code, 0, "{checks:?}");
    assert!(named(&checks, "home")["message"].as_str().unwrap().ends_with("is made at the first use"));
    assert_eq!(named(&checks, "profile")["message"], "none is active");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "nothing is made");
}

#[test]
fn a_missing_git_a_damaged_database_and_keys_for_everybody_are_errors() {
    let world = world(&[CONTENT], CHECKED);
    let (code, checks) = found(world.command(&["doctor"]).env("PATH", world.home()));
    assert_eq!((code, &named(&checks, "git")["state"]), (1, &"error".into()));
    std::fs::create_dir_all(world.home().join("config")).unwrap();
    let file = world.home().join("config/keys.env");
    std::fs::write(&file, format!("OPENAI_API_KEY={KEY}\n")).unwrap();
    allow(&file, 0o644);
    let (code, checks) = doctor(&world);
    assert_eq!((code, &named(&checks, "keys")["state"]), (1, &"error".into()));
    assert!(named(&checks, "keys")["hint"].as_str().unwrap().starts_with("chmod 600 "), "{checks:?}");
    allow(&file, 0o600);
    let (code, checks) = doctor(&world);
    assert_eq!(code, 0, "{checks:?}");
    let message = named(&checks, "keys")["message"].as_str().unwrap();
    assert_eq!(message, "OPENAI_API_KEY in config/keys.env of the home");
    assert!(!format!("{checks:?}").contains(KEY), "what a key is stays unsaid");
    std::fs::write(world.home().join("amelia.db"), "somebody's text that is no database at all").unwrap();
    let (code, checks) = doctor(&world);
    assert_eq!((code, &named(&checks, "database")["state"]), (1, &"error".into()));
    assert_eq!(named(&checks, "profile")["state"], "warning", "{checks:?}");
}

#[test]
fn a_profile_whose_key_is_missing_names_the_role_and_the_variable() {
    let agent = "    oracle: { driver: api, model: o, options: { provider: openai } }\n";
    let world = world(&[CONTENT], &format!("{agent}{CHECKED}"));
    let (code, checks) = doctor(&world);
    assert_eq!(code, 1, "{checks:?}");
    let agents = named(&checks, "agents");
    assert_eq!(agents["message"], "crew: oracle: the variable `OPENAI_API_KEY` is not set", "{agents}");
    let (code, checks) = found(world.command(&["doctor"]).env("OPENAI_API_KEY", KEY));
    assert_eq!(code, 0, "{checks:?}");
}

fn allow(file: &Path, mode: u32) {
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(mode)).unwrap();
}
