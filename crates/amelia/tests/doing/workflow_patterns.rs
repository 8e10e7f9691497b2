//! Patterns one after the other, an improver of its own, and reasoning without tools.

use serde_json::{Value, json};

use crate::workflow_limits::define_agent;
use crate::workflows::{define, exit, said, state, texts};
use crate::world::World;

/// The thinker tries to call a tool while it reasons.
const MODELS: &str = r#"
rules:
  - when: { model: thinker, turn: 0 }
    reply: { tool_calls: [{ name: list_files, args: {} }] }
  - when: { model: thinker, last: Now give your answer }
    reply: { text: Rivers flow downhill. }
  - when: { model: thinker }
    reply: { text: "Water is heavy, so it flows." }
  - when: { model: writer }
    reply: { text: A draft about rivers. }
  - when: { model: critic, last: edited }
    reply: { tool_calls: [{ name: submit_critique, args: { accepted: true, score: 0.9, feedback: good } }] }
  - when: { model: critic }
    reply: { tool_calls: [{ name: submit_critique, args: { accepted: false, score: 0.2, feedback: say why they flow } }] }
  - when: { model: editor }
    reply: { text: An edited text about rivers that flow downhill. }
"#;

const BOTH: &str = r#"
name: both
patterns: [cot, { pattern: reflection, rounds: 2 }]
nodes:
  agent:     { type: agent, agent: thinker }
  generator: { type: agent, agent: writer }
  critic:    { type: agent, agent: critic }
  improver:  { type: agent, agent: editor }
"#;

fn world() -> World {
    let world = World::new(MODELS);
    define_agent(&world, "thinker", "tools: [list_files]");
    for name in ["writer", "critic", "editor"] {
        define_agent(&world, name, "tools: []");
    }
    define(&world, "workflows/both.yaml", BOTH);
    world
}

/// The requests of a model, in their order.
fn of(world: &World, model: &str) -> Vec<Value> {
    let requests = world.server.requests().into_iter().map(|request| request.body);
    requests.filter(|body| body["model"] == model).collect()
}

#[test]
fn the_answer_of_a_pattern_is_the_word_of_the_next_and_the_improver_improves() {
    let world = world();
    let done = world.amelia(&["workflow", "run", "both", "About rivers"]);
    assert_eq!(exit(&done), 0, "{}", said(&done));
    let state = state(&world);
    assert_eq!(
        texts(&state),
        [
            "About rivers",
            "Rivers flow downhill.",
            "A draft about rivers.",
            "An edited text about rivers that flow downhill."
        ]
    );
    assert_eq!((&state["routing_key"], &state["metadata"]["score"]), (&json!("accepted"), &json!(0.9)));
    let [draft] = of(&world, "writer").try_into().unwrap();
    assert!(draft.to_string().contains("Rivers flow downhill."), "{draft}");
    assert!(
        !draft.to_string().contains("Water is heavy"),
        "the reasoning is not part of the answer: {draft}"
    );
    let [edit] = of(&world, "editor").try_into().unwrap();
    let edit = edit.to_string();
    assert!(edit.contains("A draft about rivers.") && edit.contains("say why they flow"), "{edit}");
    let replayed = world.amelia(&["replay", &world.run_id()]);
    assert!(said(&replayed).contains("the same"), "{}", said(&replayed));
}

#[test]
fn reasoning_has_no_tools_and_the_answer_has_them() {
    let world = world();
    let done = world.amelia(&["workflow", "run", "both", "About rivers"]);
    assert_eq!(exit(&done), 0, "{}", said(&done));
    let [first, second, last] = of(&world, "thinker").try_into().unwrap();
    let tools = |body: &Value| body["tools"].as_array().map_or(0, Vec::len);
    assert_eq!((tools(&first), tools(&second), tools(&last)), (0, 0, 1));
    // A model that calls one all the same is told that there is none, and sees no file.
    let told = second["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(told["role"], "tool", "{second}");
    assert!(!told.to_string().contains("calc.sh"), "{told}");
}
