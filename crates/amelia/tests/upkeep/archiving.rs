//! Runs that lists no longer show.

use crate::crew::{ARCHITECT, CONTENT, DEVELOPER, start, world};
use crate::serving::Server;
use crate::world::{World, text};

fn said(world: &World, arguments: &[&str]) -> (Option<i32>, String) {
    let output = world.amelia(arguments);
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

#[test]
fn an_archived_run_is_in_no_list_and_stays_as_it_is() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let _server = Server::start(&world);
    assert_eq!(start(&world, &[]).status.code(), Some(6), "the plan waits");
    let (code, refused) = said(&world, &["archive", "r1"]);
    assert!(code == Some(5) && refused.contains("has not ended"), "{refused}");
    assert_eq!(said(&world, &["cancel", "r1"]).0, Some(0));
    let before = said(&world, &["logs", "r1"]).1;

    let (code, done) = said(&world, &["archive", "r1"]);
    assert!(code == Some(0) && done.contains("run r1 is archived"), "{done}");
    assert!(!said(&world, &["status"]).1.contains("r1 "), "it is hidden");
    assert!(!said(&world, &["status", "--here"]).1.contains("r1 "), "it is hidden");
    assert!(said(&world, &["status", "--archived"]).1.contains("r1 "));
    assert!(said(&world, &["status", "--archived", "--here"]).1.contains("r1 "));
    assert!(said(&world, &["status", "r1"]).1.contains("cancelled"), "its name still finds it");
    let after = said(&world, &["logs", "r1"]).1;
    assert!(after.starts_with(&before) && after.contains("archived"), "{after}");

    assert_eq!(said(&world, &["archive", "r1", "--undo"]).0, Some(0));
    assert!(said(&world, &["status", "--here"]).1.contains("r1 "));
    assert!(said(&world, &["status", "--archived"]).1.contains("no run is archived"));
    let elsewhere = world.command(&["status", "--here"]).current_dir("/").output().unwrap();
    assert!(!elsewhere.status.success(), "{}", text(&elsewhere.stderr));
}
