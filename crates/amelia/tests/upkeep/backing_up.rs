//! A home in one file, and a home from it.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::crew::{ARCHITECT, CONTENT, DEVELOPER, start, world};
use crate::serving::Server;
use crate::world::{World, text};

fn at(world: &World, home: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let home = world.home().with_file_name(home);
    let output = world.command(arguments).env("AMELIA_HOME", home).output().unwrap();
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

#[test]
fn a_home_is_saved_while_it_works_and_a_run_goes_on_in_another() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let server = Server::start(&world);
    assert_eq!(start(&world, &[]).status.code(), Some(6), "the plan waits");
    std::fs::create_dir_all(world.home().join("config")).unwrap();
    std::fs::write(world.home().join("config/keys.env"), "MY_KEY=planted-1234567\n").unwrap();
    let file = world.home().with_file_name("saved.tar.gz");
    let name = file.to_str().unwrap();
    let saved = world.amelia(&["backup", name]);
    assert!(saved.status.success(), "{}", text(&saved.stderr));
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let inside = world.home().join("config/x.tar.gz");
    let refused = world.amelia(&["backup", inside.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    let again = world.amelia(&["backup", name]);
    assert_eq!(again.status.code(), Some(5), "{}", text(&again.stderr));
    drop(server);

    let (code, said) = at(&world, "new", &["restore", name]);
    assert_eq!(code, Some(0), "{said}");
    let new = world.home().with_file_name("new");
    assert!(!new.join("config/keys.env").exists() && !new.join("token").exists(), "they are not in it");
    assert_eq!(at(&world, "new", &["restore", name]).0, Some(5), "it has runs now");
    let (_, listed) = at(&world, "new", &["status", "--json"]);
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(
        (&listed[0]["title"], &listed[0]["status"]),
        (&json!("It does not add"), &json!("awaiting_approval"))
    );
    let (code, said) = at(&world, "new", &["config", "profile", "show", "crew"]);
    assert!(code == Some(0) && said.contains("name: crew"), "{said}");
    // Its worktree is that of the old home: it is made again here.
    world.git(&["worktree", "remove", "--force", world.worktree().to_str().unwrap()]);
    let (code, said) = at(&world, "new", &["worktree", "restore", "r1"]);
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = at(&world, "new", &["approve", "r1", "--wait"]);
    assert_eq!(code, Some(0), "{said}");
    at(&world, "new", &["server", "stop"]);
}

#[test]
fn what_is_no_backup_makes_no_home() {
    let world = World::new("rules: [{ reply: { text: Fine. } }]");
    let file = world.home().with_file_name("no.tar.gz");
    std::fs::write(&file, "not a tar").unwrap();
    let (code, said) = at(&world, "new", &["restore", file.to_str().unwrap()]);
    assert!(code != Some(0) && said.contains("is not a backup of Amelia"), "{said}");
    assert!(!world.home().with_file_name("new").exists(), "nothing is left of it");
    let kept = world.home().with_file_name("kept");
    std::fs::create_dir(&kept).unwrap();
    assert_ne!(at(&world, "kept", &["restore", file.to_str().unwrap()]).0, Some(0));
    assert!(kept.exists(), "it was there before");
    let (code, said) = at(&world, "new", &["restore", "/nowhere/x"]);
    assert!(code != Some(0) && said.contains("/nowhere/x"), "{said}");
    assert_eq!(at(&world, "new", &["backup", "x.tar.gz"]).0, Some(4), "there is nothing to save");
}
