//! People in the loop of teams: agents that ask, places where a person approves, steps, and interventions. Each run is replayed.

use serde_json::{Value, json};

use crate::team_examples::{SIGN_OFF, read, result, with_team, world};
use crate::workflows::{exit, said, state, texts};
use crate::world::World;

/// Runs a command, which must end like this.
pub(crate) fn tell(world: &World, arguments: &[&str], expected: i32) -> String {
    let output = world.amelia(arguments);
    assert_eq!(exit(&output), expected, "{arguments:?}: {}", said(&output));
    said(&output)
}

fn inbox(world: &World) -> Vec<Value> {
    let items = world.amelia(&["inbox", "--json"]);
    serde_json::from_slice(&items.stdout).unwrap_or_else(|_| panic!("{}", said(&items)))
}

pub(crate) fn check_replay(world: &World) {
    let replayed = said(&world.amelia(&["replay", &world.run_id()]));
    assert!(replayed.contains("the same"), "{replayed}");
}

/// The writer and the critic of the examples, with other settings.
fn writer_critic(execution: &str, script: &str) -> World {
    let team = read("writer_critic.yaml");
    let (before, _) = team.split_once("execution_config:").unwrap();
    with_team("writer_critic", &format!("{before}execution_config:\n{execution}"), script)
}

fn start(world: &World, expected: i32) -> String {
    tell(world, &["team", "run", "writer_critic", "About rivers"], expected)
}

#[test]
fn an_agent_asks_for_an_approval_and_for_advice_that_it_does_not_wait_for() {
    let world = world(&SIGN_OFF);
    tell(&world, &["team", "run", "sign_off", "About rivers"], 6);
    let items = inbox(&world);
    assert_eq!(items.len(), 2, "{items:?}");
    let (advice, approval) = (&items[0], &items[1]);
    assert_eq!((&advice["kind"], &advice["mode"]), (&json!("question"), &json!("advisory")));
    assert_eq!((&approval["kind"], &approval["mode"]), (&json!("approval"), &json!("synchronous")));
    assert_eq!((&approval["on_timeout"], &approval["agent"]), (&json!("escalate"), &json!("writer")));
    assert!(approval["deadline"].is_string() && advice["deadline"].is_string(), "{items:?}");
    assert_eq!(approval["context"]["action"], "publish \"Rivers flow.\"");
    let run = world.run_id();
    let shown = tell(&world, &["inbox"], 0);
    assert!(shown.contains("it is asked again") && shown.contains("nothing waits for the answer"), "{shown}");
    assert!(tell(&world, &["why", &run], 0).contains("without an answer until"), "{shown}");
    // The answer to the advice becomes a message, and the run still waits.
    let question = advice["request_id"].as_str().unwrap();
    let sent = tell(&world, &["answer", &run, question, "--message", "It is too short."], 0);
    assert!(sent.contains("`writer` gets the answer as a message"), "{sent}");
    assert_eq!(inbox(&world).len(), 1);
    let twice = world.amelia(&["answer", &run, question, "--message", "Longer."]);
    assert_ne!(exit(&twice), 0, "the first answer counts: {}", said(&twice));
    tell(&world, &["reject", &run, "--feedback", "Say where", "--wait"], 6);
    assert_eq!(inbox(&world)[0]["context"]["action"], "publish \"Rivers flow to the sea.\"");
    let bodies: Vec<String> =
        world.server.requests().iter().map(|request| request.body.to_string()).collect();
    let last = bodies.last().unwrap();
    assert!(last.contains("Say where") && last.contains("It is too short."), "{last}");
    tell(&world, &["approve", &run, "--wait"], 6);
    let handoff = &inbox(&world)[0];
    assert_eq!(handoff["context"]["to"], "printer", "{handoff}");
    tell(&world, &["approve", &run, "--wait"], 0);
    assert_eq!(result(&world), SIGN_OFF.result);
    check_replay(&world);
}

#[test]
fn a_rejected_handoff_returns_to_who_handed_over_and_a_rejected_end_continues_the_work() {
    let script = "\
rules:
  - when: { model: critic }
    reply: { tool_calls: [{ name: finish, args: { result: Done. } }] }
  - when: { model: writer, last: Longer }
    reply: { text: A longer text. }
  - when: { model: writer }
    reply: { text: A text. }
";
    let world = writer_critic("  mode: hitl\n  human_intervention_points: [handoff, end]\n", script);
    assert!(start(&world, 6).contains("`writer` hands off to `critic`: approve it?"));
    let run = world.run_id();
    tell(&world, &["reject", &run, "--feedback", "Longer, please", "--wait"], 6);
    assert!(texts(&state(&world)).contains(&"A longer text."), "{}", state(&world));
    let log = tell(&world, &["logs", &run, "--type", "team.handed_off"], 0);
    assert!(!log.contains("hands off to"), "it has not happened: {log}");
    let asked = tell(&world, &["approve", &run, "--wait"], 6);
    assert!(asked.contains("approve its result"), "{asked}");
    let log = tell(&world, &["logs", &run, "--type", "team.handed_off"], 0);
    assert!(log.contains("writer hands off to critic"), "{log}");
    tell(&world, &["reject", &run, "--feedback", "Once more", "--wait"], 6);
    tell(&world, &["approve", &run, "--wait"], 0);
    assert_eq!(result(&world), "Done.");
    check_replay(&world);
}

#[test]
fn a_person_approves_calls_and_turns_before_they_happen() {
    let script = "\
rules:
  - when: { model: critic }
    reply: { tool_calls: [{ name: finish, args: { result: Done. } }] }
  - when: { model: writer, last: not run }
    reply: { text: Without a file. }
  - when: { model: writer }
    reply: { tool_calls: [{ name: write_file, args: { path: a.md, content: text } }] }
";
    let team = read("writer_critic.yaml")
        .replace("role: writes and revises the text", "role: writes\n    tools: [write_file]");
    let execution =
        "execution_config:\n  mode: hitl\n  human_intervention_points: [\"tool:write_*\", before_critic]\n";
    let (before, _) = team.split_once("execution_config:").unwrap();
    let world = with_team("writer_critic", &format!("{before}{execution}"), script);
    assert!(start(&world, 6).contains("Writer wants to use write_file"));
    let run = world.run_id();
    tell(&world, &["reject", &run, "--feedback", "No files", "--wait"], 6);
    assert!(inbox(&world)[0]["prompt"].as_str().unwrap().contains("node:critic"), "{:?}", inbox(&world));
    let refused = world.amelia(&["continue", &run]);
    assert_ne!(exit(&refused), 0, "an approval is no breakpoint: {}", said(&refused));
    tell(&world, &["breakpoint", &run, "--clear"], 0);
    tell(&world, &["approve", &run, "--wait"], 0);
    assert_eq!(result(&world), "Done.");
    check_replay(&world);
}

#[test]
fn a_team_in_step_mode_takes_one_step_at_a_time_until_it_is_told_to_continue() {
    let script = read("writer_critic.script.yaml");
    let world = writer_critic("  mode: step\n", &script);
    assert!(start(&world, 6).contains("step by step, before the next turn of writer"));
    assert_eq!(world.server.requests().len(), 0);
    let run = world.run_id();
    for steps in 1..3 {
        tell(&world, &["step", &run, "--wait"], 6);
        assert_eq!(world.server.requests().len(), steps);
    }
    tell(&world, &["continue", &run, "--wait"], 0);
    check_replay(&world);
}

#[test]
fn breakpoints_of_the_file_hold_and_unknown_places_are_refused_where_they_are() {
    let script = read("writer_critic.script.yaml");
    let world = writer_critic("  breakpoints: [critic, handoff]\n", &script);
    assert!(start(&world, 6).contains("breakpoint"));
    let run = world.run_id();
    assert!(tell(&world, &["breakpoint", &run], 0).contains("node:critic"));
    tell(&world, &["breakpoint", &run, "--clear"], 0);
    tell(&world, &["continue", &run, "--wait"], 0);
    check_replay(&world);
    for (execution, expected) in [
        ("  breakpoints: [\"node:ghost\"]\n", "execution_config.breakpoints[0]"),
        ("  mode: hitl\n  human_intervention_points: [plan]\n", "human_intervention_points[0]"),
        ("  mode: hitl\n  human_intervention_points: [\"teleport\"]\n", "human_intervention_points[0]"),
        ("  mode: hitl\n  human_intervention_points: [end, before_lawer]\n", "there is no node `lawer`"),
        ("  mode: hitl\n  human_intervention_points: [\"tool:shel\"]\n", "there is no tool `shel`"),
    ] {
        let world = writer_critic(execution, &script);
        assert!(start(&world, 2).contains(expected), "{expected}");
        assert!(world.run().is_none(), "no run was made");
    }
}

#[test]
fn a_person_instructs_an_agent_chooses_the_next_one_and_changes_the_team() {
    let script = "\
rules:
  - when: { model: critic, last: in capitals }
    reply: { tool_calls: [{ name: finish, args: { result: DONE. } }] }
  - when: { model: critic }
    reply: { tool_calls: [{ name: finish, args: { result: Done. } }] }
  - when: { model: writer }
    reply: { text: A text. }
";
    let world = writer_critic("  breakpoints: [critic]\n", script);
    start(&world, 6);
    let run = world.run_id();
    let unknown = tell(&world, &["say", &run, "Hello", "--agent", "ghost"], 2);
    assert!(unknown.contains("no agent `ghost`") && unknown.contains("critic, writer"), "{unknown}");
    tell(&world, &["say", &run, "Write in capitals", "--agent", "critic"], 0);
    let unknown = tell(&world, &["team", "next", &run, "ghost"], 2);
    assert!(unknown.contains("no agent `ghost`"), "{unknown}");
    tell(&world, &["team", "next", &run, "writer"], 0);
    let changes = world.repository().join("changes.yaml");
    let change = |text: &str, expected: i32| {
        std::fs::write(&changes, text).unwrap();
        tell(&world, &["team", "change", &run, changes.to_str().unwrap()], expected)
    };
    assert!(change("remove_agents: [ghost]", 2).contains("details.remove_agents[0]"));
    assert!(
        change("remove_agents: [writer]\nhandoff_rules: []", 5).contains("still needs: the node `writer`")
    );
    let editor = world.server.url();
    change(
        &format!(
            "add_agents:\n  - name: editor\n    role: edits\n    prompt_template: Edit.\n    llm_config: \
             {{ provider: openai-compatible, base_url: \"{editor}/v1\", model: critic }}\n\
             handoff_rules:\n  - {{ from_agent: writer, to_agent: editor }}\nexecution_config: {{ max_steps: 9 }}\n"
        ),
        0,
    );
    let row = world.run().unwrap();
    assert_eq!(row["view"]["team"]["team_config"]["agents"][2]["name"], "editor");
    tell(&world, &["continue", &run, "--wait"], 0);
    // The writer had the turn, then the new agent, which is not told what was said to the critic.
    assert_eq!(result(&world), "Done.");
    let log = tell(&world, &["logs", &run, "--type", "team.handed_off"], 0);
    assert!(log.contains("hands off to writer: a person has chosen"), "{log}");
    assert!(log.contains("writer hands off to editor"), "{log}");
    check_replay(&world);
    let checkpoints = tell(&world, &["checkpoints", &run], 0);
    assert!(checkpoints.contains("editor"), "{checkpoints}");
}
