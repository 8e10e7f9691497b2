//! The teams in `examples/teams`, which the documentation tells people to copy: each runs with its script, ends the same after
//! kills at any moment, and is replayed without a model. And what a run of a team says and asks.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::workflows::{define, exit, killed_until_completed_from, said, state, texts};
use crate::world::World;

/// What is left behind by an example.
pub(crate) struct Example {
    pub(crate) name: &'static str,
    pub(crate) result: &'static str,
    file: Option<(&'static str, &'static str)>,
}

pub(crate) const WRITER_CRITIC: Example =
    Example { name: "writer_critic", result: "Rivers carve valleys and carry soil to the sea.", file: None };
const IN_TURN: Example = Example { name: "in_turn", result: "The Rhine: 1,230 km.", file: None };
const CHECKED: Example = Example {
    name: "checked",
    result: "The file is written.",
    file: Some(("rivers.md", "Rivers flow to the sea.\n")),
};
pub(crate) const RELEASE_STEPS: Example = Example {
    name: "release_steps",
    result: "The script prints a sentence about rivers.",
    file: Some(("rivers.sh", "echo Rivers flow to the sea.\n")),
};
pub(crate) const BOTH_BANKS: Example =
    Example { name: "both_banks", result: "Herons fish where towns stand, and ships pass them.", file: None };
pub(crate) const BRIDGE_BOARD: Example =
    Example { name: "bridge_board", result: "We build a wooden bridge.", file: None };
const LED_DELIVERY: Example = Example {
    name: "led_delivery",
    result: "The script and its page are done.",
    file: Some(("rivers.sh", "echo Rivers flow to the sea.\n")),
};
const NEWSROOM: Example =
    Example { name: "newsroom", result: "RIVERS. Rivers carve valleys and flow to the sea.", file: None };
pub(crate) const GUARDED: Example = Example {
    name: "guarded",
    result: "Ann is on the list of guests.",
    file: Some(("guests.txt", "Ann, ann@example.org\ntoken: AKIAIOSFODNN7EXAMPLE\n")),
};
pub(crate) const SIGN_OFF: Example =
    Example { name: "sign_off", result: "RIVERS FLOW TO THE SEA.", file: None };
pub(crate) const RIVER_REPORT: Example =
    Example { name: "river_report", result: "The report is in documents/report.md.", file: None };
const COUNTED: Example = Example { name: "counted", result: "Rivers carve valleys.", file: None };
const NEWS_DESK: Example =
    Example { name: "news_desk", result: "The Rhine flows 1230 km to the North Sea.", file: None };
const JUDGED: Example = Example { name: "judged", result: "Rivers flow to the sea.", file: None };
pub(crate) const REMEMBERING: Example =
    Example { name: "remembering", result: "The Rhine flows 1230 km to the sea.", file: None };
const RIVER_PLAN: Example = Example {
    name: "river_plan",
    result: "The Rhine (1230 km) is longer than the Elbe (1094 km).",
    file: None,
};
pub(crate) const CREW: Example = Example {
    name: "crew",
    result: "The script prints a sentence about rivers.",
    file: Some(("rivers.sh", "echo Rivers flow to the sea.\n")),
};
const ALL: [Example; 17] = [
    WRITER_CRITIC,
    IN_TURN,
    CHECKED,
    RELEASE_STEPS,
    BOTH_BANKS,
    BRIDGE_BOARD,
    LED_DELIVERY,
    NEWSROOM,
    GUARDED,
    SIGN_OFF,
    RIVER_REPORT,
    COUNTED,
    NEWS_DESK,
    JUDGED,
    REMEMBERING,
    RIVER_PLAN,
    CREW,
];

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/teams")
}

pub(crate) fn read(file: &str) -> String {
    std::fs::read_to_string(examples().join(file)).unwrap()
}

/// A repository with one example, and a model that follows its script.
pub(crate) fn world(example: &Example) -> World {
    with_team(
        example.name,
        &read(&format!("{}.yaml", example.name)),
        &read(&format!("{}.script.yaml", example.name)),
    )
}

pub(crate) fn with_team(name: &str, team: &str, script: &str) -> World {
    let world = World::new(script);
    let text = team.replace("http://127.0.0.1:8899", &world.server.url());
    define(&world, &format!("teams/{name}.yaml"), &text);
    // The team that takes the place of an agent.
    if team.contains("team: writer_critic") {
        let inner = read("writer_critic.yaml").replace("http://127.0.0.1:8899", &world.server.url());
        define(&world, "teams/writer_critic.yaml", &inner);
    }
    if team.contains("tools/count.py") || team.contains("server_url") {
        define(&world, "teams/tools/count.py", &read("tools/count.py"));
        let trusted = world.amelia(&["trust", "--yes"]);
        assert!(trusted.status.success(), "{}", said(&trusted));
    }
    world
}

pub(crate) fn result(world: &World) -> Value {
    world.run().unwrap()["view"]["summary"].clone()
}

fn check_end(world: &World, example: &Example) {
    let name = example.name;
    assert_eq!(result(world), example.result, "{name}: {:?}", world.run());
    if let Some((file, text)) = example.file {
        assert_eq!(std::fs::read_to_string(world.worktree().join(file)).unwrap(), text, "{name}");
    }
    if name == RIVER_REPORT.name {
        check_report(world);
    }
    let replayed = world.amelia(&["replay", &world.run_id()]);
    assert!(said(&replayed).contains("the same"), "{name}: {}", said(&replayed));
}

/// Two versions, whatever was killed in between.
fn check_report(world: &World) {
    let get = |arguments: &[&str]| said(&world.amelia(&[&["artifact"], arguments].concat()));
    let run = world.run_id();
    let versions = get(&["versions", &run, "documents/report.md"]);
    assert_eq!(versions.lines().count(), 2, "{versions}");
    assert!(versions.contains("v2") && versions.contains("what rivers do"), "{versions}");
    assert_eq!(
        get(&["get", &run, "documents/report.md"]),
        "# Rivers\n\nRivers are long, and carve valleys.\n"
    );
    assert_eq!(
        get(&["get", &run, "documents/report.md", "--version", "v1"]),
        "# Rivers\n\nRivers are long.\n"
    );
}

#[test]
fn every_example_is_short_and_has_a_test_and_a_place_in_the_documentation() {
    let page = examples().join("../../docs/teams.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, listed) = page.split_once("`examples/teams` contains ").unwrap();
    let (listed, _) = listed.split_once("\n\n").unwrap();
    for Example { name, .. } in ALL {
        assert!(listed.contains(&format!("`{name}`")), "{name} is not in docs/teams.md: {listed}");
    }
    let entries = std::fs::read_dir(examples()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    for file in names.filter(|name| name.ends_with(".yaml") && !name.ends_with(".script.yaml")) {
        assert!(ALL.iter().any(|example| format!("{}.yaml", example.name) == file), "{file} has no test");
        assert!(read(&file).lines().count() < 60, "{file}");
    }
}

#[test]
fn every_example_runs_and_is_replayed() {
    for example in ALL {
        let world = world(&example);
        let mut run = world.amelia(&["team", "run", example.name, "About rivers"]);
        // What it asks for is approved.
        while exit(&run) == 6 {
            run = world.amelia(&["approve", &world.run_id(), "--wait"]);
        }
        assert_eq!(exit(&run), 0, "{}: {}", example.name, said(&run));
        check_end(&world, &example);
    }
}

#[test]
fn whatever_the_moment_of_the_kill_a_team_ends_the_same() {
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    for example in ALL {
        let world = world(&example);
        let start = ["team", "run", example.name, "About rivers", "--quiet"];
        killed_until_completed_from(&world, &start, 4, &mut seed);
        check_end(&world, &example);
    }
}

/// The process ends after a commit and before it hears of it, then it is resumed: at every fifth commit, or at every one with
/// `AMELIA_EVERY_COMMIT`.
#[test]
fn whatever_the_commit_after_which_it_dies_a_team_ends_the_same() {
    let is_every = std::env::var_os("AMELIA_EVERY_COMMIT").is_some();
    for (place, example) in (1..).zip(ALL).filter(|(_, example)| example.name != CREW.name) {
        let distance = if is_every { 1 } else { 5 };
        let mut moments = (0..).map(|round| 1 + place % distance + round * distance);
        assert!(moments.any(|last| !dies_and_ends(&example, last, false)), "{} does not end", example.name);
    }
}

/// The longest example: all roles of the main job, before and after a person has approved the plan.
#[test]
fn a_crew_that_dies_after_any_commit_ends_the_same() {
    let begun = (1..).take_while(|last| dies_and_ends(&CREW, *last, false)).count();
    let approved = (1..).take_while(|last| dies_and_ends(&CREW, *last, true)).count();
    assert!(begun + approved >= 30, "{begun} commits until the approval, and {approved} after it");
}

/// A process that ends after this many commits, and the run that is resumed after it. Whether there were so many.
fn dies_and_ends(example: &Example, last: u32, is_approved: bool) -> bool {
    let world = world(example);
    let start = ["team", "run", example.name, "About rivers", "--quiet"];
    let mut command = world.command(&start);
    if is_approved {
        command.output().unwrap();
        command = world.command(&["approve", &world.run_id(), "--quiet"]);
    }
    let run = command.env("AMELIA_DIE_AFTER_COMMITS", last.to_string()).output().unwrap();
    if exit(&run) != -1 {
        return false;
    }
    killed_until_completed_from(&world, &start, 0, &mut 0);
    check_end(&world, example);
    true
}

#[test]
fn handoffs_are_told_with_their_reasons_and_each_agent_hears_what_is_new() {
    let world = self::world(&WRITER_CRITIC);
    world.amelia(&["team", "run", "writer_critic", "About rivers"]);
    let log = said(&world.amelia(&["logs", &world.run_id(), "--type", "team.handed_off"]));
    let handoffs: Vec<&str> = log.lines().filter(|line| line.contains("hands off to")).collect();
    assert_eq!(handoffs.len(), 3, "{log}");
    assert!(handoffs[0].contains("writer hands off to critic: rule"), "{log}");
    assert!(handoffs[1].contains("critic hands off to writer: say what rivers do"), "{log}");
    let starts = said(&world.amelia(&["logs", &world.run_id(), "--type", "agent.started", "--json"]));
    assert_eq!(starts.matches("\"started\"").count(), 4, "one for each turn: {starts}");
    assert_eq!(
        texts(&state(&world)),
        ["About rivers", "Rivers are long.", "It is too short.", WRITER_CRITIC.result, WRITER_CRITIC.result]
    );
    let bodies: Vec<Value> = world.server.requests().iter().map(|request| request.body.clone()).collect();
    let second = bodies.iter().rfind(|body| body["model"] == "writer").unwrap().to_string();
    assert!(
        second.contains("`critic` has handed off to you") && second.contains("It is too short."),
        "{second}"
    );
    assert!(
        second.contains("You are writer in the team writer_critic."),
        "the template is filled in: {second}"
    );
    assert!(second.contains("\"handoff\"") && second.contains("\"finish\""), "{second}");
}

#[test]
fn a_handoff_to_an_agent_that_is_not_there_is_an_error_that_the_model_reads() {
    let script = "\
rules:
  - when: { model: writer, last: there is no agent }
    reply: { tool_calls: [{ name: handoff, args: { destination_agent: writer, reason: me } }] }
  - when: { model: writer, last: is you }
    reply: { tool_calls: [{ name: finish, args: { result: Alone then. } }] }
  - when: { model: writer }
    reply: { tool_calls: [{ name: handoff, args: { destination_agent: nobody, reason: go } }] }
";
    let world = with_team("writer_critic", &read("writer_critic.yaml"), script);
    let run = world.amelia(&["team", "run", "writer_critic", "About rivers"]);
    assert_eq!(exit(&run), 0, "{}", said(&run));
    assert_eq!(result(&world), "Alone then.");
}

#[test]
fn agents_that_only_hand_over_to_each_other_are_stopped_and_a_person_decides() {
    let script = "\
rules:
  - when: { model: critic }
    reply: { tool_calls: [{ name: handoff, args: { destination_agent: writer, reason: again } }] }
  - when: { model: writer, last: Shorter }
    reply: { tool_calls: [{ name: finish, args: { result: Short. } }] }
  - when: { model: writer }
    reply: { tool_calls: [{ name: handoff, args: { destination_agent: critic, reason: look } }] }
";
    let world = with_team("writer_critic", &read("writer_critic.yaml"), script);
    let asked = world.amelia(&["team", "run", "writer_critic", "About rivers"]);
    assert_eq!(exit(&asked), 6, "{}", said(&asked));
    assert!(said(&asked).contains("keep handing off to each other"), "{}", said(&asked));
    let done = world.amelia(&["answer", &world.run_id(), "--message", "Shorter, please", "--wait"]);
    assert_eq!(exit(&done), 0, "{}", said(&done));
    assert_eq!(result(&world), "Short.");
    let replayed = world.amelia(&["replay", &world.run_id()]);
    assert!(said(&replayed).contains("the same"), "{}", said(&replayed));
}

#[test]
fn at_its_limit_of_steps_a_team_asks_and_a_failure_criterion_ends_it() {
    let limited = read("writer_critic.yaml").replace("max_steps: 20", "max_steps: 2");
    let world = with_team("writer_critic", &limited, &read("writer_critic.script.yaml"));
    let asked = world.amelia(&["team", "run", "writer_critic", "About rivers"]);
    assert_eq!(exit(&asked), 6, "{}", said(&asked));
    assert!(said(&asked).contains("has taken 2 steps, which is its limit"), "{}", said(&asked));
    let done = world.amelia(&["answer", &world.run_id(), "--message", "Continue", "--wait"]);
    assert_eq!(exit(&done), 0, "{}", said(&done));
    assert_eq!(result(&world), WRITER_CRITIC.result);
    let script = "rules:\n  - when: { model: writer }\n    reply: { text: I give up. }\n";
    let world = with_team("checked", &read("checked.yaml"), script);
    let failed = world.amelia(&["team", "run", "checked", "About rivers"]);
    assert_eq!(exit(&failed), 1, "{}", said(&failed));
    assert!(
        said(&failed).contains("the failure criterion `text_mention:I give up` holds"),
        "{}",
        said(&failed)
    );
}

#[test]
fn a_model_that_is_silent_for_longer_than_its_timeout_has_failed() {
    let script = "rules:\n  - when: { model: writer }\n    reply: { delay_ms: 5000, text: Late. }\n";
    let limits = "model: writer, timeout: 1, retry_policy: { max_retries: 0 } }";
    let team = read("checked.yaml").replacen("model: writer }", limits, 1);
    let world = with_team("checked", &team, script);
    let failed = world.amelia(&["team", "run", "checked", "About rivers"]);
    assert_ne!(exit(&failed), 0, "{}", said(&failed));
    assert!(said(&failed).contains("no data for 1 s"), "{}", said(&failed));
}

#[test]
fn what_does_not_run_yet_is_refused_before_a_run_is_made() {
    let policy =
        "guardrail_policies:\n  - { name: polite, type: compliance, rules: [{ judge: It is polite. }] }\n";
    let team = format!("{}{policy}", read("in_turn.yaml"));
    let world = with_team("in_turn", &team, &read("in_turn.script.yaml"));
    let refused = world.amelia(&["team", "run", "in_turn", "About rivers"]);
    assert_eq!(exit(&refused), 2, "{}", said(&refused));
    assert!(said(&refused).contains("a rule that a model judges is not supported yet"), "{}", said(&refused));
    assert!(world.run().is_none(), "no run was made");
}

#[test]
fn validate_notes_the_parts_that_are_not_supported_yet() {
    let team = format!("{}memory_config: {{ vector_db_config: {{ kind: any }} }}\n", read("in_turn.yaml"));
    let world = with_team("in_turn", &team, &read("in_turn.script.yaml"));
    let checked = world.amelia(&["team", "validate", "in_turn"]);
    assert_eq!(exit(&checked), 0, "{}", said(&checked));
    assert!(
        said(&checked).contains("memory_config.vector_db_config: is not supported yet"),
        "{}",
        said(&checked)
    );
}

#[test]
fn a_team_is_drawn_run_from_any_file_and_frozen_in_its_run() {
    let world = self::world(&WRITER_CRITIC);
    let drawn = said(&world.amelia(&["team", "draw", "writer_critic"]));
    assert!(
        drawn.contains("writer") && drawn.contains("critic") && drawn.contains("last.contains"),
        "{drawn}"
    );
    let elsewhere = world.repository().join("writer_critic.yaml");
    let file = world.repository().join(".amelia/teams/writer_critic.yaml");
    std::fs::rename(&file, &elsewhere).unwrap();
    let run = world.amelia(&["team", "run", elsewhere.to_str().unwrap(), "About rivers"]);
    assert_eq!(exit(&run), 0, "{}", said(&run));
    let input = world.run().unwrap()["run"]["spec"]["input"].clone();
    assert_eq!(
        (&input["prompt"], &input["team_config"]["name"]),
        (&json!("About rivers"), &json!("writer_critic"))
    );
    assert_eq!(input["team_config"]["execution_config"]["max_steps"], 20);
}
