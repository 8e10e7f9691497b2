//! What a person changes with an answer, at a human node and at a checkpoint: values of the state, and messages that are added.

use serde_json::json;

use crate::checkpoints::{open_is_gone, open_request, request};
use crate::workflows::{define, exit, said, state, texts, world};
use crate::world::until;

const DECIDE: &str = r#"
name: decide
entry_point: look
nodes:
  look:  { type: agent, agent: left }
  gate:  { type: human, prompt: "Is it good?" }
  again: { type: agent, agent: left }
  save:  { type: tool, tool: write_file, arguments: { path: note.txt, content: "score {{ state.score }}" } }
edges:
  - { from: look, to: gate }
  - { from: gate, to: { modify: again, approve: save, reject: __end__ } }
  - { from: again, to: save }
checkpoints: [save]
"#;

#[test]
fn accepted_changes_are_in_the_state_that_the_run_continues_with() {
    let world = world();
    define(&world, "workflows/decide.yaml", DECIDE);
    let mut serving = world.start(&["server"]);
    until("the server is there", || world.home().join("server.json").exists());
    let asked = world.amelia(&["workflow", "run", "decide", "Look at it", "--input", "score=0.4"]);
    assert_eq!(exit(&asked), 6, "{}", said(&asked));
    let run = world.run_id();
    let open = open_request(&world, &run);
    let body = json!({"action": "modify", "message": "Shorter", "state_updates": {
        "score": 0.5, "next_action": "shorten", "metadata": {"mood": "calm"},
        "messages": [{"role": "assistant", "agent": "critic", "content": "It is too long"}],
    }});
    let respond = format!("/api/tasks/{run}/hitl/{open}/respond");
    let (status, answered) = request(&world, "POST", &respond, &body.to_string());
    assert_eq!(status, 202, "{answered}");
    until("it asks at the checkpoint", || {
        open_is_gone(&world, &run, &open) && said(&world.amelia(&["inbox"])).contains("run `save` now?")
    });
    let told = world.server.requests().last().unwrap().body.to_string();
    assert!(told.contains("Shorter") && told.contains("It is too long"), "{told}");
    let before = state(&world);
    let changed = (&before["metadata"]["score"], &before["metadata"]["mood"], &before["next_action"]);
    assert_eq!(changed, (&json!(0.5), &json!("calm"), &json!("shorten")), "{before}");
    assert_eq!(before["routing_key"], "modify");

    // The same from a terminal, at the checkpoint; what does not fit changes nothing.
    let answer = |set: &[&str]| {
        let fixed = ["answer", run.as_str(), "--modify", "Take it", "--follow"];
        world.amelia(&[fixed.as_slice(), set].concat())
    };
    for (set, problem) in [
        ("messages=[]", "messages can only be added"),
        (r#"messages=[{"role": "system", "content": "x"}]"#, "has the role `system`"),
        ("score=high", "`score` must be a number"),
        ("score", "`score` is not PATH=VALUE"),
    ] {
        let refused = answer(&["--set", set]);
        assert!(exit(&refused) != 0 && said(&refused).contains(problem), "{set}: {}", said(&refused));
    }
    assert_eq!(state(&world), before);
    let done = answer(&["--set", "score=0.9", "--set", r#"messages=[{"content": "From the terminal"}]"#]);
    assert_eq!(exit(&done), 0, "{}", said(&done));
    let after = state(&world);
    assert_eq!(after["metadata"]["score"], 0.9);
    assert_eq!(
        texts(&after)[..7],
        [
            "Look at it",
            "from the left",
            "Shorter",
            "It is too long",
            "from the left",
            "Take it",
            "From the terminal"
        ]
    );
    let added =
        (&after["messages"][3]["role"], &after["messages"][3]["agent"], &after["messages"][6]["role"]);
    assert_eq!(added, (&json!("assistant"), &json!("critic"), &json!("user")));
    assert_eq!(std::fs::read_to_string(world.worktree().join("note.txt")).unwrap(), "score 0.9");
    let replayed = world.amelia(&["replay", &run]);
    assert!(said(&replayed).contains("the same"), "{}", said(&replayed));
    serving.kill().unwrap();
    serving.wait().unwrap();
}

#[test]
fn a_change_goes_to_the_node_that_asked_for_a_decision_and_to_no_other_question() {
    let world = world();
    define(
        &world,
        "workflows/decide.yaml",
        &DECIDE.replace("agent: left }", "agent: left, allow_human_input: true }"),
    );
    let asked = world.amelia(&["workflow", "run", "decide", "Look at it", "--input", "score=0.4"]);
    assert_eq!(exit(&asked), 6, "{}", said(&asked));
    for change in [["--modify", "Shorter"], ["--set", "score=1"]] {
        let refused = world.amelia(&["answer", "r1", change[0], change[1]]);
        let expected = format!("this question cannot be answered with {}", change[0]);
        assert!(exit(&refused) == 2 && said(&refused).contains(&expected), "{}", said(&refused));
    }
    let asked = world.amelia(&["answer", "r1", "-m", "Look again", "--follow"]);
    assert_eq!(exit(&asked), 6, "{}", said(&asked));
    let asked = world.amelia(&["answer", "r1", "--modify", "Shorter", "--follow"]);
    assert_eq!(exit(&asked), 6, "{}", said(&asked));
    assert_eq!(state(&world)["routing_key"], "modify");
    assert!(texts(&state(&world)).contains(&"Shorter"));
}
