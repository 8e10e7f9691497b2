//! Guardrails of teams, over the command line: what is found at each point, what becomes of it, and what is in the log. The
//! example `guarded` also runs with the other examples of teams, where it is killed and replayed.

use serde_json::Value;

use crate::team_examples::{read, result, with_team};
use crate::workflows::{define, exit, said};
use crate::world::World;

fn guarded() -> World {
    with_team("guarded", &read("guarded.yaml"), &read("guarded.script.yaml"))
}

fn check_replay(world: &World) {
    let replayed = world.amelia(&["replay", &world.run_id()]);
    assert!(said(&replayed).contains("the same"), "{}", said(&replayed));
}

/// Action, policy and point of every violation in the log.
fn violations(world: &World) -> Vec<String> {
    let log = said(&world.amelia(&["logs", &world.run_id(), "--type", "guardrail.violated", "--json"]));
    let lines = log.lines().filter(|line| line.starts_with('{'));
    let line = |line: &str| {
        let event: Value = serde_json::from_str(line).unwrap();
        let found = event.pointer("/kind/guardrail/violated").unwrap_or_else(|| panic!("{event}")).clone();
        let word = |key: &str| found[key].as_str().unwrap_or_default().to_owned();
        format!("{} {} {}", word("action"), word("policy"), word("point"))
    };
    lines.map(line).collect()
}

#[test]
fn every_point_is_checked_and_what_is_found_is_told_to_the_model_and_to_people() {
    let world = guarded();
    let run = world.amelia(&["team", "run", "guarded", "About the guests"]);
    assert_eq!(exit(&run), 0, "{}", said(&run));
    assert_eq!(
        violations(&world),
        [
            "blocked no_deletions tool_call",
            "warned no_keys tool_result",
            "blocked few_reads tool_call",
            "blocked no_addresses answer"
        ]
    );
    let told: Vec<String> = world.server.requests().iter().map(|request| request.body.to_string()).collect();
    let last = told.last().unwrap();
    assert!(
        last.contains("the guardrail policy `no_deletions` does not allow it: nothing may be deleted"),
        "{last}"
    );
    assert!(last.contains("at most 1 call of read_file is allowed in 3600 s"), "{last}");
    assert!(last.contains("was not shown: leave out the addresses of people"), "{last}");
    let read_back = last.rsplit("[key]").next().unwrap();
    assert!(last.contains("[key]") && !read_back.contains("AKIA"), "{last}");
    assert!(
        !last.contains("Ann is on the list: ann"),
        "an answer that was taken back is no part of the conversation"
    );
    let tasks = world.home().join("tasks").join(world.run().unwrap()["run"]["id"].as_str().unwrap());
    let report = std::fs::read_to_string(tasks.join(".amelia/guardrails.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["totals"]["blocked"], 3, "{report}");
    assert_eq!(report["totals"]["by_policy"]["no_keys"], 1, "{report}");
    assert_eq!(report["violations"][3]["type"], "event_guardrail_violation", "{report}");
    let sample = report["violations"][3]["content_sample"].as_str().unwrap();
    assert_eq!(sample, "Ann is on the list: [redacted].");
    check_replay(&world);
}

#[test]
fn an_answer_that_is_taken_back_again_and_again_is_for_a_person() {
    let script = "\
rules:
  - when: { model: writer, last: without }
    reply: { text: Ann is there. }
  - when: { model: writer }
    reply: { text: ann@example.org is there. }
";
    let world = with_team("guarded", &read("guarded.yaml"), script);
    let asked = world.amelia(&["team", "run", "guarded", "About the guests"]);
    assert_eq!(exit(&asked), 6, "{}", said(&asked));
    assert!(
        said(&asked).contains("the guardrail policy `no_addresses` blocked 4 answers"),
        "{}",
        said(&asked)
    );
    assert_eq!(violations(&world), ["blocked no_addresses answer"; 4]);
    let done = world.amelia(&["answer", &world.run_id(), "--message", "Write it without them", "--wait"]);
    assert_eq!(exit(&done), 0, "{}", said(&done));
    assert_eq!(result(&world), "Ann is there.");
    check_replay(&world);
}

#[test]
fn what_a_person_says_is_refused_and_no_run_is_made() {
    let world = guarded();
    let long = "a".repeat(1001);
    let refused = world.amelia(&["team", "run", "guarded", &long]);
    assert_eq!(exit(&refused), 2, "{}", said(&refused));
    assert!(
        said(&refused)
            .contains("refused by the guardrail policy `short_prompts`: its length in characters is 1001"),
        "{}",
        said(&refused)
    );
    assert!(world.run().is_none(), "no run was made");
}

#[test]
fn words_that_are_said_to_a_run_are_checked_and_what_is_found_is_in_its_log() {
    let team = read("guarded.yaml").replace("few_reads", "rare_reads");
    let script = "rules:\n  - when: { model: writer }\n    reply: { text: ann@example.org is there. }\n";
    let world = with_team("guarded", &team, script);
    world.amelia(&["team", "run", "guarded", "About the guests"]);
    let long = "a".repeat(1001);
    for command in [["say"].as_slice(), &["answer", "--message"]] {
        let mut arguments = vec![command[0]];
        let run = world.run_id();
        arguments.push(&run);
        arguments.extend(&command[1..]);
        arguments.push(&long);
        let refused = world.amelia(&arguments);
        assert_ne!(exit(&refused), 0, "{}", said(&refused));
        assert!(
            said(&refused).contains("refused by the guardrail policy `short_prompts`"),
            "{}",
            said(&refused)
        );
    }
    assert_eq!(violations(&world)[4..], ["blocked short_prompts user_input"; 2]);
}

const SHARED: &str = "\
name: no_names
type: content_filter
severity: low
action: block
rules:
  - { patterns: ['(?i)heron'], on: [prompt, answer], message: name no birds }
";

#[test]
fn a_shared_policy_is_named_by_an_agent_and_a_blocked_prompt_is_replaced() {
    let script = "\
rules:
  - when: { model: writer, last: was withheld }
    reply: { text: I was told nothing. }
";
    let team = "\
name: press
default_llm: { provider: openai-compatible, base_url: 'http://127.0.0.1:8899/v1', model: writer }
agents:
  - { name: writer, role: writes, prompt_template: Write., guardrail_policies: [no_names] }
";
    let world = with_team("press", team, script);
    let unknown = world.amelia(&["team", "validate", "press"]);
    assert!(said(&unknown).contains("there is no guardrail policy `no_names`"), "{}", said(&unknown));
    define(&world, "guardrails/no_names.yaml", SHARED);
    let run = world.amelia(&["team", "run", "press", "About a heron"]);
    assert_eq!(exit(&run), 0, "{}", said(&run));
    assert_eq!(result(&world), "I was told nothing.");
    assert_eq!(violations(&world), ["blocked no_names prompt"]);
    check_replay(&world);
    // The run has its own copy.
    define(&world, "guardrails/no_names.yaml", &SHARED.replace("heron", "stork"));
    check_replay(&world);
}

#[test]
fn policies_are_listed_shown_checked_and_tried_on_past_runs() {
    let world = with_team("in_turn", &read("in_turn.yaml"), &read("in_turn.script.yaml"));
    let none = said(&world.amelia(&["guardrail", "list"]));
    assert!(none.contains("no guardrails yet: write one to .amelia/guardrails/NAME.yaml"), "{none}");
    define(&world, "guardrails/no_names.yaml", &SHARED.replace("heron", "rhine"));
    define(
        &world,
        "guardrails/broken.yaml",
        "name: broken\ntype: content_filter\nrules:\n  - { paterns: [a] }\n",
    );
    let list = said(&world.amelia(&["guardrail", "list"]));
    assert!(list.contains("no_names  content_filter, block") && list.contains("broken"), "{list}");
    let shown: Value =
        serde_json::from_slice(&world.amelia(&["guardrail", "show", "no_names"]).stdout).unwrap();
    assert_eq!(shown["action"], "block", "{shown}");
    let checked = world.amelia(&["guardrail", "validate"]);
    assert_eq!(exit(&checked), 2, "{}", said(&checked));
    assert!(said(&checked).contains("broken.yaml:4:"), "{}", said(&checked));
    assert!(
        said(&checked).contains("needs `patterns`, `secrets: true` or `personal_data`"),
        "{}",
        said(&checked)
    );
    let run = world.amelia(&["team", "run", "in_turn", "About rivers"]);
    assert_eq!(exit(&run), 0, "{}", said(&run));
    let tried = said(&world.amelia(&["guardrail", "test", "no_names"]));
    assert!(tried.contains("blocked  answer") && tried.contains("name no birds"), "{tried}");
    assert!(tried.contains("in 1 of 1 run"), "{tried}");
    let of_run = world.amelia(&["guardrail", "test", "no_names", &world.run_id(), "--json"]);
    let tried: Value = serde_json::from_slice(&of_run.stdout).unwrap();
    assert!(tried["violations"].as_u64().unwrap() > 0, "{tried}");
    assert_eq!(tried["runs"][0]["violations"][0]["action"], "blocked", "{tried}");
    let schema = world.amelia(&["schema", "policy"]);
    assert!(said(&schema).contains("\"rate_limit\""), "{}", said(&schema));
}
