//! What the agents of teams remember: within a run and beyond it, who can read it, and who can remove it.

use serde_json::{Value, json};

use crate::team_examples::{read, result, with_team};
use crate::workflows::{exit, killed_until_completed_from, said};
use crate::world::World;

const RESULT: &str = "The Rhine flows 1230 km to the sea.";

fn remembering() -> World {
    with_team("remembering", &read("remembering.yaml"), &read("remembering.script.yaml"))
}

fn run(world: &World) {
    let run = world.amelia(&["team", "run", "remembering", "About rivers"]);
    assert_eq!((exit(&run), result(world)), (0, json!(RESULT)), "{}", said(&run));
}

fn listed(world: &World, arguments: &[&str]) -> Vec<Value> {
    let output = world.amelia(&[&["memory", "list", "--json"], arguments].concat());
    assert_eq!(exit(&output), 0, "{}", said(&output));
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    list["items"].as_array().unwrap().clone()
}

/// What the model `scout` was told first in the newest run.
fn first_words_of_scout(world: &World) -> String {
    let requests = world.server.requests();
    let mut of_scout = requests.iter().filter(|request| request.body["model"] == "scout");
    of_scout.next_back().map(|request| request.body["messages"].to_string()).unwrap_or_default()
}

#[test]
fn what_one_run_stores_the_next_is_reminded_of_until_it_is_forgotten() {
    let world = remembering();
    run(&world);
    let stored = listed(&world, &[]);
    assert_eq!(stored.len(), 1, "{stored:?}");
    let entry = &stored[0];
    assert_eq!(
        (&entry["key"], &entry["scope"], &entry["created_by"], &entry["version"]),
        (&json!("rivers/rhine"), &json!("repository"), &json!("scout"), &json!(1))
    );
    let log = said(&world.amelia(&["logs", &world.run_id(), "--type", "memory.stored"]));
    assert!(log.contains("remembered m1"), "{log}");
    let asked = world.amelia(&["team", "run", "remembering", "How long is the Rhine?"]);
    assert_eq!(exit(&asked), 0, "{}", said(&asked));
    let told = first_words_of_scout(&world);
    assert!(told.contains("What is in memory about this") && told.contains("m1, rivers/rhine"), "{told}");
    assert_eq!(listed(&world, &[]).len(), 1, "the same value is no new version");
    let found = said(&world.amelia(&["memory", "search", "how", "long", "is", "the", "Rhine"]));
    assert!(found.contains("m1") && found.contains("1230 km"), "{found}");
    // A recording needs no memory: the reminder is a part of the message.
    let last = world.run_id();
    assert_eq!(exit(&world.amelia(&["memory", "forget", "m1"])), 0);
    let replayed = world.amelia(&["replay", &last]);
    assert!(said(&replayed).contains("the same"), "{}", said(&replayed));
    assert!(listed(&world, &[]).is_empty());
    assert_eq!(exit(&world.amelia(&["memory", "show", "m1"])), 4);
    world.amelia(&["team", "run", "remembering", "How long is the Rhine?"]);
    let again = world.amelia(&["memory", "list"]);
    assert!(said(&again).contains("m2"), "a number is given out once: {}", said(&again));
}

#[test]
fn what_people_store_is_read_in_its_repository_only_and_has_versions() {
    let world = remembering();
    let set = |text: &str| world.amelia(&["memory", "set", "rivers/elbe", text]);
    assert!(said(&set("The Elbe is long.")).contains("stored m1 (repository), version 1"));
    assert!(said(&set("The Elbe is 1094 km long.")).contains("version 2"));
    let shown = said(&world.amelia(&["memory", "show", "m1"]));
    assert!(shown.contains("version 2, by user") && shown.contains("The Elbe is long."), "{shown}");
    assert_eq!(said(&world.amelia(&["memory", "show", "rivers/elbe"])), shown, "a key names the entry, too");
    let unknown = world.amelia(&["memory", "show", "rivers/rhone"]);
    assert_eq!(exit(&unknown), 4, "{}", said(&unknown));
    assert!(said(&unknown).contains("there is no memory entry `rivers/rhone`"), "{}", said(&unknown));
    world.amelia(&["team", "run", "remembering", "About the Elbe"]);
    assert!(first_words_of_scout(&world).contains("The Elbe is 1094 km long."));
    // Another repository.
    let elsewhere = world.home().join("../elsewhere");
    for arguments in [
        vec!["clone", "--quiet", world.repository().to_str().unwrap(), elsewhere.to_str().unwrap()],
        vec!["-C", elsewhere.to_str().unwrap(), "checkout", "--quiet", "-b", "own"],
    ] {
        assert!(std::process::Command::new("git").args(arguments).status().unwrap().success());
    }
    let team = elsewhere.join(".amelia/teams");
    std::fs::create_dir_all(&team).unwrap();
    std::fs::copy(world.repository().join(".amelia/teams/remembering.yaml"), team.join("remembering.yaml"))
        .unwrap();
    let mut command = world.command(&["team", "run", "remembering", "About the Elbe"]);
    let run = command.current_dir(&elsewhere).output().unwrap();
    assert_eq!(exit(&run), 0, "{}", said(&run));
    let told = first_words_of_scout(&world);
    assert!(!told.contains("1094"), "{told}");
    for refused in [
        &["memory", "show", "x1"][..],
        &["memory", "forget", "m99"],
        &["memory", "set", "k", " "],
        &["memory", "set", "k", "v", "--scope", "team", "--team", "absent"],
    ] {
        let refused = world.amelia(refused);
        assert!([2, 4].contains(&exit(&refused)), "{}", said(&refused));
    }
}

#[test]
fn an_agent_stores_only_where_its_team_may_and_its_run_ends_with_its_entries() {
    let script = "\
rules:
  - when: { model: writer }
    reply: { text: Done. }
  - when: { model: scout, turn: 1, last: may not store }
    reply: { tool_calls: [{ name: store_memory, args: { key: a, value: Rivers are long. } }] }
  - when: { model: scout, turn: 2, last: stored as }
    reply: { tool_calls: [{ name: retrieve_memory, args: { key: a } }] }
  - when: { model: scout, turn: 3, last: Rivers are long }
    reply: { tool_calls: [{ name: search_memory, args: { query: long rivers } }] }
  - when: { model: scout, turn: 0 }
    reply: { tool_calls: [{ name: store_memory, args: { key: a, value: x, scope: global } }] }
  - when: { model: scout }
    reply: { text: Write. }
";
    let team = read("remembering.yaml").replace("share: [repository]", "share: []");
    let world = with_team("remembering", &team, script);
    let run = world.amelia(&["team", "run", "remembering", "About lakes"]);
    assert_eq!((exit(&run), result(&world)), (0, json!("Done.")), "{}", said(&run));
    let log = said(&world.amelia(&["logs", &world.run_id()]));
    assert!(log.contains("this team may not store with the scope `global`"), "{log}");
    assert_eq!(listed(&world, &["--scope", "run"]).len(), 1);
    let removed = world.amelia(&["memory", "list", "--scope", "global"]);
    assert!(said(&removed).contains("nothing is stored"), "{}", said(&removed));
    let world = with_team("remembering", &team.replace("share: []", "share: [global]"), script);
    let refused = world.amelia(&["team", "run", "remembering", "About lakes"]);
    assert_eq!(exit(&refused), 2, "{}", said(&refused));
    assert!(said(&refused).contains("`global` is only for teams in the home"), "{}", said(&refused));
    let off = team.replace("share: []", "long_term_enabled: false, semantic_search_enabled: false");
    let off = off
        .replace("memory_config:\n  ", "memory_config: { ")
        .replace("enabled: false\n", "enabled: false }\n");
    let world = with_team("remembering", &off, "rules: [{ reply: { text: Done. } }]");
    world.amelia(&["team", "run", "remembering", "About lakes"]);
    let offered = world.server.requests()[0].body["tools"].to_string();
    assert!(offered.contains("handoff") && !offered.contains("memory"), "{offered}");
}

/// Two agents that take six turns each, with a limit of a few messages.
fn talking() -> World {
    let team = "\
name: talking
description: Two agents talk.
default_llm: { provider: openai-compatible, base_url: 'http://127.0.0.1:8899/v1', model: talker }
agents:
  - { name: one, role: talks, prompt_template: Talk. }
  - { name: two, role: talks, prompt_template: Talk. }
handoff_rules:
  - { from_agent: one, to_agent: two }
  - { from_agent: two, to_agent: one }
execution_config: { stop_on: ['max_messages:12'] }
memory_config: { short_term_limit: 100 }
";
    // Each answer is another one: agents that repeat themselves are stopped.
    let answer = |number: u32| {
        let text = format!(
            "Fact {number}: rivers carve valleys, carry soil, flow to the sea, and people build towns there."
        );
        format!("  - when: {{ times: 1 }}\n    reply: {{ delay_ms: 10, text: '{text}' }}\n")
    };
    let answers: String = (1..=60).map(answer).collect();
    let script = format!(
        "rules:\n  - when: {{ last: Summarise this earlier part }}\n    \
         reply: {{ delay_ms: 10, text: They have talked about rivers. }}\n{answers}"
    );
    with_team("talking", team, &script)
}

/// Later turns see the summary, and a replay asks for nothing else.
fn check_talk(world: &World) {
    let replayed = world.amelia(&["replay", &world.run_id()]);
    assert!(said(&replayed).contains("the same"), "{}", said(&replayed));
    let requests = world.server.requests();
    let last = requests.last().unwrap().body["messages"].to_string();
    assert!(last.contains("which is left out") && last.contains("They have talked about rivers."), "{last}");
    let longest = requests.iter().map(|request| request.body["messages"].as_array().unwrap().len()).max();
    assert!(longest.unwrap() <= 11, "{longest:?} messages");
}

#[test]
fn the_oldest_part_of_a_long_conversation_becomes_a_summary_of_the_log() {
    let world = talking();
    let run = world.amelia(&["team", "run", "talking", "About rivers"]);
    assert_eq!(exit(&run), 0, "{}", said(&run));
    check_talk(&world);
}

#[test]
fn whatever_the_moment_of_the_kill_a_summary_of_a_conversation_is_the_same() {
    let mut seed = 0x5851_F42D_4C95_7F2D_u64;
    let world = talking();
    let start = ["team", "run", "talking", "About rivers", "--quiet"];
    killed_until_completed_from(&world, &start, 6, &mut seed);
    check_talk(&world);
}
