//! One visit of a node: what its agent sees, what it may set, where it stops, how many sub-agents work at the same time, and
//! what follows a tool that fails.

use std::process::Output;

use serde_json::{Value, json};

use crate::workflow_limits::{WORKING, define_agent, loops, world};
use crate::workflows::{define, exit, said, state, texts};
use crate::world::World;

#[test]
fn an_agent_with_inputs_sees_nothing_else_and_remembers_nothing() {
    let script = "\
rules:
  - when: { model: looker }
    reply: { text: The number is 42. }
  - when: { model: teller }
    reply: { text: I know my topic. }
";
    let world = World::new(script);
    define_agent(&world, "looker", "");
    define_agent(&world, "teller", "");
    let flow = "name: tell\nentry_point: look\nnodes:\n  look: { type: agent, agent: looker, outputs: [found] }\n  \
                tell: { type: agent, agent: teller, inputs: [topic] }\nedges:\n  - { from: look, to: tell }\n  \
                - { from: tell, to: __end__, condition: \"turns >= 4\" }\n  - { from: tell, to: look }\n";
    define(&world, "workflows/tell.yaml", flow);
    let done = world.amelia(&["workflow", "run", "tell", "Find the answer", "--input", "topic=rivers"]);
    assert_eq!(exit(&done), 0, "{}", said(&done));
    let bodies: Vec<Value> = world.server.requests().into_iter().map(|request| request.body).collect();
    let told: Vec<&Value> = bodies.iter().filter(|body| body["model"] == "teller").collect();
    assert_eq!(told.len(), 2);
    for body in &told {
        let text = body.to_string();
        assert!(text.contains("rivers"), "{text}");
        for other in ["42", "Find the answer", "I know my topic"] {
            assert!(!text.contains(other), "{other}: {text}");
        }
    }
    assert_eq!(told[0]["messages"], told[1]["messages"], "each visit begins anew");
}

#[test]
fn an_agent_sets_only_the_outputs_of_its_node() {
    let script = "\
rules:
  - when: { model: worker, turn: 0 }
    reply: { tool_calls: [{ name: update_state, args: { updates: { answer: 1, budget: 5 } } }] }
  - when: { model: worker, turn: 1, last: \"`budget` cannot be set here; possible: answer, routing_key, next_action\" }
    reply: { tool_calls: [{ name: update_state, args: { updates: { answer: 2, next_action: rest } } }] }
  - when: { model: worker, turn: 2 }
    reply: { text: It is 2. }
";
    let world = world(script, "", &loops(1, ", outputs: [answer]", ""));
    let done = world.amelia(&["workflow", "run", "loops", "Work"]);
    assert_eq!(exit(&done), 0, "{}", said(&done));
    let state = state(&world);
    assert_eq!((&state["metadata"], &state["next_action"]), (&json!({"answer": 2}), &json!("rest")));
}

#[test]
fn a_run_stops_inside_a_visit_after_an_event_and_before_a_call() {
    let script = "\
rules:
  - when: { model: worker, turn: 0 }
    reply: { tool_calls: [{ name: list_files, args: {} }] }
  - when: { model: worker, turn: 1 }
    reply: { tool_calls: [{ name: read_file, args: { path: calc.sh } }] }
  - when: { model: worker, turn: 2 }
    reply: { text: I have read it. }
";
    let world = world(script, "tools: [list_files, read_file]", &loops(1, "", ""));
    let breakpoints = ["--breakpoint", "event:agent.returned", "--breakpoint", "tool:read_*"];
    let stopped = |stop: &Output, question: &str, requests: usize| {
        assert_eq!((exit(stop), world.server.requests().len()), (6, requests), "{}", said(stop));
        let why = said(&world.amelia(&["why", "r1"]));
        assert!(why.contains(question), "{why}");
    };
    let go_on = || world.amelia(&["continue", "r1", "--wait"]);
    let after_event = "breakpoint event:agent.returned, before the next turn of worker";
    let begun = world.amelia(&[&["workflow", "run", "loops", "Read"], &breakpoints[..]].concat());
    stopped(&begun, after_event, 1);
    stopped(&go_on(), "breakpoint tool:read_*, before worker uses read_file calc.sh", 2);
    let logged = || said(&world.amelia(&["logs", "r1", "--type", "agent.returned"]));
    assert_eq!(logged().lines().count(), 1, "the second call has not begun: {}", logged());
    stopped(&go_on(), after_event, 2);
    assert_eq!(logged().lines().count(), 2);
    let done = go_on();
    assert_eq!((exit(&done), world.server.requests().len()), (0, 3), "{}", said(&done));
    assert_eq!(texts(&state(&world)), ["Read", "I have read it."]);
    let replayed = world.amelia(&["replay", "r1"]);
    assert!(said(&replayed).contains("the same"), "{}", said(&replayed));
}

/// The numbers of events of this name that sub-agents have written.
fn of_sub_agents(world: &World, name: &str) -> Vec<u64> {
    let logged = world.amelia(&["logs", &world.run_id(), "--type", name, "--json"]);
    let text = String::from_utf8(logged.stdout).unwrap();
    let events = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let of_sessions = events.filter(|event| !event["session"].is_null());
    of_sessions.map(|event| event["seq"].as_u64().unwrap()).collect()
}

#[test]
fn no_more_sub_agents_work_at_the_same_time_than_the_server_allows() {
    let script = "\
rules:
  - when: { model: manager, turn: 0 }
    reply:
      tool_calls:
        - { name: delegate, args: { agent: worker, task: Look left. } }
        - { name: delegate, args: { agent: worker, task: Look right. } }
        - { name: delegate, args: { agent: worker, task: Look up. } }
  - when: { model: manager }
    reply: { text: All have looked. }
  - when: { model: worker }
    reply: { delay_ms: 200, text: There is nothing. }
";
    for (at_once, are_together) in [("1", false), ("3", true)] {
        let world = World::new(script);
        define_agent(&world, "worker", "");
        define_agent(&world, "manager", "sub_agents: [worker]");
        let set = world.amelia(&["config", "server", "set", "sub_agents.at_once", at_once]);
        assert_eq!(exit(&set), 0, "{}", said(&set));
        let done = world.amelia(&["agent", "run", "manager", "Look"]);
        assert_eq!(exit(&done), 0, "{}", said(&done));
        let (started, ended) = (of_sub_agents(&world, "run.started"), of_sub_agents(&world, "run.completed"));
        assert_eq!((started.len(), ended.len()), (3, 3));
        // Each begins after the end of the one before, or all before the first end.
        let in_turn = started.iter().skip(1).zip(&ended).all(|(start, end)| start > end);
        let together = started.iter().all(|start| *start < ended[0]);
        assert_eq!((in_turn, together), (!are_together, are_together), "{started:?} {ended:?}");
    }
}

#[test]
fn a_tool_that_fails_may_lead_back_to_an_agent() {
    let world = world(WORKING, "", &loops(1, "", ""));
    let text = "name: tests\nentry_point: try\nnodes:\n  try: {type: tool, tool: shell, outputs: [log], arguments: {command: \
                'test -f done || { echo missing; exit 3; }'}, config: {on_failure: continue}}\n  \
                fix: {type: tool, tool: write_file, arguments: {path: done, content: '{{ state.log }}'}}\nedges:\n  \
                - {from: try, to: {success: __end__, failure: fix}}\n  - {from: fix, to: try}\n";
    define(&world, "workflows/tests.yaml", text);
    let done = world.amelia(&["workflow", "run", "tests", "x"]);
    assert_eq!(exit(&done), 0, "{}", said(&done));
    assert_eq!(state(&world)["routing_key"], "success");
    let log = std::fs::read_to_string(world.worktree().join("done")).unwrap();
    assert!(log.contains("missing") && log.contains("3"), "{log}");
    let refused = text
        .replace("type: tool, tool: write_file", "config: {on_failure: continue}, type: tool, tool: nope");
    define(&world, "workflows/tests.yaml", &refused);
    assert!(said(&world.amelia(&["workflow", "validate", "tests"])).contains("there is no tool `nope`"));
}
