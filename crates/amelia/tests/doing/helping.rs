//! Whom an agent can turn to: a person, the Oracle; and models that know only text.

use serde_json::Value;

use crate::world::{FIX, World, text};

const ASKS: &str = r#"
rules:
  - when: { turn: 0 }
    reply:
      tool_calls:
        - { name: ask_human, args: { question: "Sum or product?", options: [sum, product] } }
        - { name: ask_human, args: { question: "Really?" } }
  - when: { last: "a sum, please" }
    reply: { text: "I heard: a sum, and: Yes." }
"#;

#[test]
fn a_question_to_a_person_waits_durably_and_the_answer_is_the_calls_result() {
    let world = World::new(ASKS);
    let output = world.run_do("chat", &[]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(6), "{message}");
    assert!(message.contains("the run asks: Sum or product?"), "{message}");
    assert!(message.contains("--message"), "{message}");
    let run = world.run_id();
    let again = world.amelia(&["resume", &run]);
    assert_eq!(
        again.status.code(),
        Some(6),
        "a question is not answered by looking: {}",
        text(&again.stderr)
    );
    let silent = world.amelia(&["answer", &run]);
    assert_eq!(silent.status.code(), Some(2), "{}", text(&silent.stderr));
    let second = world.amelia(&["answer", &run, "--message", "a sum, please"]);
    assert!(text(&second.stderr).contains("Really?"), "{}", text(&second.stderr));
    let end = world.amelia(&["do", "--resume", &run]);
    assert_eq!(end.status.code(), Some(6));
    let end = world.amelia(&["resume", &run, "--approve"]);
    assert!(end.status.success(), "{}", text(&end.stderr));
    assert!(text(&end.stdout).contains("I heard: a sum, and: Yes."));
    let log = text(&world.amelia(&["logs", &run, "--json"]).stdout);
    assert_eq!(log.matches("\"returned\"").count(), 2, "each question is answered once: {log}");
}

fn profile(world: &World) -> String {
    let url = world.server.url();
    format!(
        "active_profile: work
profiles:
  work:
    repo_root: {}
    agents:
      developer: {{ driver: api, model: worker, options: {{ base_url: '{url}/v1', api_key_env: SAMPLE_KEY }} }}
      oracle: {{ driver: api, model: wise, options: {{ base_url: '{url}/v1', api_key_env: SAMPLE_KEY }} }}
",
        world.repository().display()
    )
}

const CONSULTS: &str = r#"
rules:
  - when: { model: wise, turn: 0 }
    reply: { tool_calls: [{ name: read_file, args: { path: calc.sh } }] }
  - when: { model: wise }
    reply: { text: "Use a plus sign.", usage: { input: 10, output: 5 } }
  - when: { model: worker, turn: 0 }
    reply: { tool_calls: [{ name: consult_oracle, args: { problem: "what is wrong?", files: [calc.sh] } }] }
  - when: { model: worker, last: "Use a plus sign." }
    reply: { text: "The Oracle says: plus." }
"#;

#[test]
fn a_profile_brings_its_own_models_and_an_oracle_that_only_reads() {
    let world = World::new(CONSULTS);
    let file = world.repository().join("../settings.yaml");
    std::fs::write(&file, profile(&world)).unwrap();
    let kept = world.amelia(&["config", "profile", "apply", "-f", file.to_str().unwrap()]);
    assert!(kept.status.success(), "{}", text(&kept.stderr));
    let output = world.amelia(&["do", "mend it"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.contains("The Oracle says: plus."), "{shown}");
    assert!(shown.contains("this is a scripted model"), "{shown}");
    let log = text(&world.amelia(&["logs", &world.run_id(), "--json"]).stdout);
    let events: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_oracle = |event: &&Value| event.to_string().contains("\"agent\":\"oracle\"");
    let oracle: Vec<&Value> = events.iter().filter(of_oracle).collect();
    assert!(oracle.len() >= 5, "{log}");
    assert!(oracle.iter().all(|event| event.to_string().contains("\"session\"")), "{oracle:?}");
    let row = world.run().unwrap();
    assert_eq!(row["view"]["spend_by_agent"]["oracle"]["calls"], 2, "{row}");
    let unknown = world.amelia(&["do", "mend it", "--profile", "home"]);
    assert_eq!(unknown.status.code(), Some(4));
    assert!(text(&unknown.stderr).contains("the profiles are: work"), "{}", text(&unknown.stderr));
}

#[test]
fn profiles_are_shown_as_they_were_given_and_bad_ones_are_refused_with_every_problem() {
    let world = World::new(FIX);
    let file = world.repository().join("../settings.yaml");
    std::fs::write(&file, profile(&world)).unwrap();
    let path = file.to_str().unwrap();
    assert!(world.amelia(&["config", "profile", "apply", "-f", path]).status.success());
    let exported = world.amelia(&["config", "profile", "export"]);
    std::fs::write(&file, &exported.stdout).unwrap();
    assert!(world.amelia(&["config", "profile", "apply", "-f", path]).status.success());
    assert_eq!(world.amelia(&["config", "profile", "export"]).stdout, exported.stdout, "nothing is lost");
    let bad = "name: x\nrepo_root: ''\nagents: { developer: { driver: api, model: m, options: { colour: red } } }\n";
    std::fs::write(&file, bad).unwrap();
    let refused = world.amelia(&["config", "profile", "apply", "-f", path]);
    let message = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{message}");
    assert!(
        message.contains("repo_root") && message.contains("agents.developer.options.colour"),
        "{message}"
    );
    assert!(message.contains("settings.yaml:2:1: repo_root: "), "{message}");
    let misshapen = "name: x\nrepo_root: /r\nagents:\n  developer: { driver: kodex, model: m, colour: red }\n  reviewer:\n    driver: clod\nretry:\n  max_retries: many\n";
    std::fs::write(&file, misshapen).unwrap();
    let refused = text(&world.amelia(&["config", "profile", "apply", "-f", path]).stderr);
    for expected in [
        "settings.yaml:4:16: agents.developer.driver: unknown value `kodex`",
        "settings.yaml:4:41: agents.developer.colour: unknown field `colour`",
        "settings.yaml:6:5: agents.reviewer.driver: unknown value `clod`",
        "settings.yaml:5:3: agents.reviewer: missing field `model`",
        "settings.yaml:8:3: retry.max_retries: invalid type: string \"many\", expected a whole number",
    ] {
        assert!(refused.contains(expected), "{expected}: {refused}");
    }
    std::fs::write(&file, "profiles: [").unwrap();
    let refused = world.amelia(&["config", "profile", "apply", "-f", path]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    assert!(world.amelia(&["config", "profile", "delete", "work"]).status.success());
    assert_eq!(world.amelia(&["config", "profile", "show"]).status.code(), Some(4));
}

#[test]
fn a_model_without_tool_calls_mends_the_sample_in_text() {
    let script = r#"
rules:
  - when: { tools: [edit_file] }
    reply: { error: { status: 400, message: "this model does not support tools" } }
  - when: { turn: 0, system: "Arguments (JSON Schema)" }
    reply:
      text: "I mend it.\n<tool_call>\n{\"name\": \"edit_file\", \"arguments\": {\"path\": \"calc.sh\", \"edits\": [{\"old\": \"$1 - $2\", \"new\": \"$1 + $2\"}]}}\n</tool_call>"
  - when: { last: "<tool_result name=\"edit_file\">" }
    reply: { text: "It is a sum now." }
"#;
    let world = World::new(script);
    let output = world.run_do("chat", &[]);
    let shown = text(&output.stdout);
    assert!(output.status.success(), "{}\n{shown}", text(&output.stderr));
    assert!(shown.contains("the model accepts no tools"), "{shown}");
    assert!(!shown.contains("<tool_call>"), "{shown}");
    assert!(shown.contains("calc.sh +1 -1"), "{shown}");
}
