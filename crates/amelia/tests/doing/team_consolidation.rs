//! Entries about one topic become a summary, which takes their place until it is forgotten.

use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::checkpoints::request;
use crate::team_examples::{read, with_team};
use crate::workflows::{exit, said};
use crate::world::{World, text, until};

const SUMMARY: &str = "The Rhine has 1230 km, the Elbe 1094 km, the Main 525 km.";

const SCRIPT: &str = "\
rules:
  - when: { model: scout, last: '# The entries' }
    reply: { text: 'The Rhine has 1230 km, the Elbe 1094 km, the Main 525 km.' }
  - when: { model: writer }
    reply: { text: Done. }
  - when: { model: scout, turn: 0 }
    reply:
      tool_calls:
        - { name: store_memory, args: { key: rivers/rhine, value: 'The Rhine has 1230 km. It is long.', scope: repository } }
        - { name: store_memory, args: { key: rivers/elbe, value: 'The Elbe has 1094 km.', scope: repository } }
        - { name: store_memory, args: { key: rivers/main, value: 'The Main has 525 km.', scope: repository } }
  - when: { model: scout }
    reply: { text: Write. }
";

/// A team that has stored three entries, and its run.
fn scouted() -> (World, String) {
    let world = with_team("remembering", &read("remembering.yaml"), SCRIPT);
    let run = world.amelia(&["team", "run", "remembering", "About rivers"]);
    assert_eq!(exit(&run), 0, "{}", said(&run));
    let team = world.run_id();
    (world, team)
}

fn listed(world: &World) -> Vec<Value> {
    let output = world.amelia(&["memory", "list", "--json"]);
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    list["items"].as_array().unwrap().clone()
}

fn found(world: &World, more: &[&str]) -> Vec<String> {
    let output = world.amelia(&[&["memory", "search", "--json", "Elbe"], more].concat());
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    let ids = list["items"].as_array().unwrap().iter();
    ids.map(|item| item["memory_id"].as_str().unwrap().to_owned()).collect()
}

/// The lines of a log that contain all of these words.
fn logged(world: &World, run: &str, words: &[&str]) -> usize {
    let log = text(&world.amelia(&["logs", run, "--json"]).stdout);
    log.lines().filter(|line| words.iter().all(|word| line.contains(word))).count()
}

/// What there is after a summary was written, whatever happened on the way.
fn check_summary(world: &World, run: &str) {
    let all = listed(world);
    assert_eq!(all.len(), 4, "{all:?}");
    let of = |entry: &Value| (entry["memory_id"].clone(), entry["part_of"].clone(), entry["version"].clone());
    let parts: Vec<_> = all.iter().skip(1).map(of).collect();
    assert_eq!(parts, ["m3", "m2", "m1"].map(|id| (json!(id), json!("m4"), json!(1))));
    let summary = &all[0];
    assert_eq!(
        (&summary["key"], &summary["content"], &summary["method"], &summary["version"]),
        (&json!("consolidated/rivers"), &json!(SUMMARY), &json!("model"), &json!(1))
    );
    assert_eq!(logged(world, run, &["\"consolidated\"", "summary_length"]), 1);
    assert_eq!(logged(world, run, &["\"assistant\"", "1230 km, the Elbe"]), 1, "the turn is recorded once");
}

#[test]
fn a_summary_takes_the_place_of_its_entries_until_it_is_forgotten() {
    let (world, team) = scouted();
    assert_eq!(found(&world, &[]), ["m2"]);
    let done = world.amelia(&["memory", "consolidate", "--run", &team, "--wait"]);
    assert_eq!(exit(&done), 0, "{}", said(&done));
    assert!(said(&done).contains("r2 summarises rivers"), "{}", said(&done));
    let run = world.run_id();
    check_summary(&world, &run);
    assert_eq!(found(&world, &[]), ["m4"]);
    assert_eq!(found(&world, &["--with-sources"]).len(), 2);
    let shown = said(&world.amelia(&["memory", "show", "m4"]));
    assert!(shown.contains("summary of m1, m2, m3\n"), "{shown}");
    let (status, totals) = request(&world, "GET", &format!("/api/tasks/{team}/memory"), "");
    assert_eq!((status, &totals["consolidated"][0]["topic"]), (200, &json!("rivers")), "{totals}");
    assert_eq!(totals["consolidated"][0]["items"], 3, "{totals}");
    let (_, steps) = request(&world, "GET", &format!("/api/tasks/{team}/history?limit=500"), "");
    let parts = steps["items"].as_array().unwrap().iter().flat_map(|step| step["parts"].as_array().unwrap());
    let stored: Vec<&Value> = parts.filter(|part| part["operation"] == "store").collect();
    assert_eq!((stored.len(), &stored[0]["references"][0]["memory_id"]), (3, &json!("m1")), "{steps}");
    let (status, nothing) = request(&world, "POST", "/api/memory/consolidate", "");
    assert_eq!((status, nothing), (200, json!({"topics": [], "runs": []})));
    let (status, refused) = request(&world, "POST", "/api/memory/consolidate", r#"{"topic": " / "}"#);
    assert_eq!(status, 422, "{refused}");
    let replayed = world.amelia(&["replay", &run]);
    assert!(said(&replayed).contains("the same"), "{}", said(&replayed));
    assert_eq!(listed(&world).len(), 4, "a replay writes nothing");
    assert_eq!(exit(&world.amelia(&["memory", "forget", "m4"])), 0);
    assert_eq!(found(&world, &[]), ["m2"]);
}

#[test]
fn what_only_people_have_written_is_summarised_without_a_model() {
    let world = with_team("remembering", &read("remembering.yaml"), SCRIPT);
    for name in ["rhine", "elbe", "main"] {
        let value = format!("The {name} is long. It is wet.");
        world.amelia(&["memory", "set", &format!("rivers/{name}"), &value]);
    }
    let done = world.amelia(&["memory", "consolidate", "--topic", "rivers", "--wait"]);
    assert_eq!(exit(&done), 0, "{}", said(&done));
    assert!(said(&done).contains("without a model"), "{}", said(&done));
    let summary = &listed(&world)[0];
    assert_eq!(summary["method"], "extractive");
    let lines = ["rhine", "elbe", "main"].map(|name| format!("- rivers/{name}: The {name} is long."));
    assert_eq!(summary["content"], lines.join("\n"));
    assert!(world.server.requests().is_empty());
}

fn serve(world: &World, die_after: Option<u32>) -> Child {
    let mut command = world.command(&["server"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    if let Some(commits) = die_after {
        command.env("AMELIA_DIE_AFTER_COMMITS", commits.to_string());
    }
    std::fs::remove_file(world.home().join("server.json")).ok();
    let serving = command.spawn().unwrap();
    until("the server is there", || world.home().join("server.json").exists());
    serving
}

/// The runs cannot be listed in the moment in which a server ends.
fn is_summarised(world: &World) -> bool {
    let is_it =
        |run: Value| run["run"]["spec"]["graph"] == "consolidation" && run["view"]["status"] == "completed";
    world.run().is_some_and(is_it)
}

/// The server ends after a commit and before it hears of it, and the next one continues: at every commit.
#[test]
fn whatever_the_commit_after_which_the_server_dies_a_summary_is_written_once() {
    for last in 1.. {
        let (world, team) = scouted();
        let mut serving = serve(&world, Some(last));
        // Its answer may not come any more.
        world.amelia(&["memory", "consolidate", "--run", &team]);
        until("the server or the run ends", || {
            serving.try_wait().unwrap().is_some() || is_summarised(&world)
        });
        let has_died = serving.try_wait().unwrap().is_some();
        if has_died {
            serving = serve(&world, None);
            until("the next server writes the summary", || is_summarised(&world));
        }
        serving.kill().unwrap();
        serving.wait().unwrap();
        check_summary(&world, &world.run_id());
        if !has_died {
            assert!(last > 4, "it makes several commits");
            break;
        }
    }
}
