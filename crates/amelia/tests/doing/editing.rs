//! The state of a run, changed by a person while it waits or has failed.

use serde_json::Value;

use crate::workflows::{ESSAY, define, exit, killed_until_completed, said, state, world};
use crate::world::World;

/// A run of `essay` that waits at its gate.
fn waiting() -> (World, String) {
    let world = world();
    let asked = world.amelia(&["workflow", "run", "essay", "About rivers", "--input", "topic=rivers"]);
    assert_eq!(exit(&asked), 6, "{}", said(&asked));
    let run = world.run_id();
    (world, run)
}

fn shown(world: &World, run: &str) -> Value {
    let shown = world.amelia(&["state", run]);
    serde_json::from_slice(&shown.stdout).unwrap_or_else(|_| panic!("{}", said(&shown)))
}

fn note(world: &World) -> String {
    std::fs::read_to_string(world.worktree().join("note.txt")).unwrap()
}

#[test]
fn a_run_continues_with_what_a_person_has_changed() {
    let (world, run) = waiting();
    let set = world.amelia(&["state", &run, "--set", "feedback=better", "--set", "metadata.score=1"]);
    assert_eq!(exit(&set), 0, "{}", said(&set));
    assert!(said(&set).contains("metadata.feedback: \"good\" → \"better\""), "{}", said(&set));
    assert!(said(&set).contains("metadata.score: 0.9 → 1"), "{}", said(&set));
    let logs = said(&world.amelia(&["logs", &run, "--type", "run.state_edited"]));
    assert!(logs.contains("state changed: metadata.feedback from \"good\" to \"better\""), "{logs}");
    let approved = world.amelia(&["approve"]);
    assert_eq!(exit(&approved), 0, "{}", said(&approved));
    assert_eq!(
        (note(&world).as_str(), &state(&world)["metadata"]["score"]),
        ("rivers: better", &Value::from(1))
    );
    let replayed = world.amelia(&["replay", &run]);
    assert!(said(&replayed).contains("the same"), "{}", said(&replayed));
    let late = world.amelia(&["state", &run, "--set", "score=0.1"]);
    assert!(exit(&late) == 5 && said(&late).contains("has ended"), "{}", said(&late));

    // A fork begins with it, and with changes of its own, which its log names.
    let forked = world.amelia(&["fork", &run, "--set", "topic=seas", "--json"]);
    let forked: Value =
        serde_json::from_slice(&forked.stdout).unwrap_or_else(|_| panic!("{}", said(&forked)));
    let fork = forked["run"].as_str().unwrap();
    let known = shown(&world, fork);
    assert_eq!(
        (&known["metadata"]["feedback"], &known["metadata"]["topic"]),
        (&"better".into(), &"seas".into())
    );
    let logs = said(&world.amelia(&["logs", fork]));
    assert!(logs.contains("state changed: metadata.topic from \"rivers\" to \"seas\""), "{logs}");
}

#[test]
fn what_does_not_fit_is_refused_and_nothing_changes() {
    let (world, run) = waiting();
    let before = shown(&world, &run);
    for (set, message) in [
        ("scor=1", "`scor` cannot be set: there is no such field; there are current_agent, feedback"),
        ("messages=[]x", "`messages` cannot be set: invalid type: string \"[]x\", expected a sequence"),
        ("messages.0.colour=blue", "`messages.0.colour` cannot be set: there is no such field"),
        ("visits.write.count=-1", "`visits.write.count` cannot be set: invalid value: integer `-1`"),
        ("score", "`score` is not PATH=VALUE"),
    ] {
        let refused = world.amelia(&["state", &run, "--set", "feedback=x", "--set", set]);
        assert!(exit(&refused) == 2 && said(&refused).contains(message), "{set}: {}", said(&refused));
    }
    assert_eq!(shown(&world, &run), before);
    let nobody = world.amelia(&["state", "r9", "--set", "score=1"]);
    assert_eq!(exit(&nobody), 4, "{}", said(&nobody));
}

#[test]
fn a_file_sets_everything_that_is_different_in_it() {
    let (world, run) = waiting();
    let mut edited = shown(&world, &run);
    edited["metadata"]["feedback"] = "from a file".into();
    edited["messages"][1]["text"] = "third draft".into();
    let file = world.home().join("state.json");
    std::fs::write(&file, edited.to_string()).unwrap();
    let set = world.amelia(&["state", &run, "--file", file.to_str().unwrap(), "--json"]);
    let changed: Value = serde_json::from_slice(&set.stdout).unwrap_or_else(|_| panic!("{}", said(&set)));
    let paths: Vec<&str> =
        changed["changed"].as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["messages.1.text", "metadata.feedback"]);
    assert_eq!(shown(&world, &run), edited);
    let again = world.amelia(&["state", &run, "--file", file.to_str().unwrap()]);
    assert!(exit(&again) == 0 && said(&again).contains("nothing has changed"), "{}", said(&again));
    std::fs::write(&file, "{\"messages\": ").unwrap();
    let broken = world.amelia(&["state", &run, "--file", file.to_str().unwrap()]);
    assert!(exit(&broken) == 2 && said(&broken).contains("at line 1 column"), "{}", said(&broken));
    let mut editor = world.command(&["state", &run, "--edit"]);
    let edited = editor.env("VISUAL", "sed -i s/third/fourth/").output().unwrap();
    assert!(
        said(&edited).contains("messages.1.text: \"third draft\" → \"fourth draft\""),
        "{}",
        said(&edited)
    );
}

#[test]
fn a_failed_condition_is_decided_again_with_the_changed_state() {
    let world = world();
    define(
        &world,
        "workflows/essay.yaml",
        &ESSAY.replace("state['score'] >= 0.8", "state['score'] >= state.limit"),
    );
    let failed = world.amelia(&["workflow", "run", "essay", "About rivers", "--input", "topic=rivers"]);
    assert_eq!(exit(&failed), 1, "{}", said(&failed));
    let (run, asked_before) = (world.run_id(), world.server.requests().len());
    let set = world.amelia(&["state", &run, "--set", "limit=0.3"]);
    assert_eq!(exit(&set), 0, "{}", said(&set));
    let resumed = world.amelia(&["resume", &run]);
    assert_eq!((exit(&resumed), world.server.requests().len()), (6, asked_before), "{}", said(&resumed));
    assert!(said(&resumed).contains("Publish with 0.4?"), "{}", said(&resumed));
    assert_eq!(exit(&world.amelia(&["approve"])), 0);
    let replayed = world.amelia(&["replay", &run]);
    assert!(said(&replayed).contains("the same"), "{}", said(&replayed));
}

#[test]
fn whatever_the_moment_of_the_kill_a_change_is_kept() {
    let mut seed = 0xA076_1D64_78BD_642F_u64;
    let (world, run) = waiting();
    let set = world.amelia(&["state", &run, "--set", "feedback=kept"]);
    assert_eq!(exit(&set), 0, "{}", said(&set));
    killed_until_completed(&world, "essay", &[], 5, &mut seed);
    assert_eq!(note(&world), "rivers: kept");
    let replayed = world.amelia(&["replay", &run]);
    assert!(said(&replayed).contains("the same"), "{}", said(&replayed));
}
