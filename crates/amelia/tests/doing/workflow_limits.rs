//! `max_iterations` of a node, of a workflow and of an agent: reached, a person is asked, and the run continues from there.

use crate::workflows::{define, exit, said, state, texts};
use crate::world::World;

/// A world with the agent `worker`, which has these tools and this limit, and a workflow in which it works again and again.
pub(crate) fn world(script: &str, agent: &str, workflow: &str) -> World {
    let world = World::new(script);
    define_agent(&world, "worker", agent);
    define(&world, "workflows/loops.yaml", workflow);
    world
}

/// An agent that is also the name of its model. `more` goes into its file.
pub(crate) fn define_agent(world: &World, name: &str, more: &str) {
    let url = world.server.url();
    let agent = format!(
        "name: {name}\nrole: works\nsystem_prompt: Work.\nllm_config: {{ endpoint: {url}/v1, model: {name} }}\n{more}\n"
    );
    define(world, &format!("agents/{name}.yaml"), &agent);
}

/// A loop that ends after so many turns. `node` is for the agent's node, `whole` for the workflow.
pub(crate) fn loops(turns: u32, node: &str, whole: &str) -> String {
    format!(
        "name: loops\nentry_point: work\n{whole}nodes:\n  work: {{ type: agent, agent: worker{node} }}\n  check: {{ type: \
         condition }}\nedges:\n  - {{ from: work, to: check }}\n  - {{ from: check, to: __end__, condition: \"turns >= \
         {turns}\" }}\n  - {{ from: check, to: work }}\n"
    )
}

pub(crate) const WORKING: &str = "rules:\n  - when: { model: worker }\n    reply: { text: It is done. }\n";

#[test]
fn a_node_that_was_visited_as_often_as_it_may_is_visited_again_only_after_a_yes() {
    let world = world(WORKING, "", &loops(5, ", max_iterations: 2", ""));
    let asked = world.amelia(&["workflow", "run", "loops", "Work"]);
    assert_eq!((exit(&asked), world.server.requests().len()), (6, 2), "{}", said(&asked));
    let question = "`work` was visited 2 times, which is its limit: visit it again?";
    assert!(said(&asked).contains(question), "{}", said(&asked));
    let asked = world.amelia(&["answer", "r1", "Yes", "--follow"]);
    assert_eq!((exit(&asked), world.server.requests().len()), (6, 4), "{}", said(&asked));
    assert!(said(&asked).contains("`work` was visited 4 times"), "{}", said(&asked));
    let done = world.amelia(&["answer", "r1", "Yes", "--follow"]);
    assert_eq!((exit(&done), world.server.requests().len()), (0, 5), "{}", said(&done));
    let replayed = world.amelia(&["replay", "r1"]);
    assert!(said(&replayed).contains("the same"), "{}", said(&replayed));
}

#[test]
fn a_no_at_the_limit_of_a_node_stops_the_run() {
    let world = world(WORKING, "", &loops(5, ", max_iterations: 1", ""));
    let asked = world.amelia(&["workflow", "run", "loops", "Work"]);
    assert!(said(&asked).contains("`work` was visited once, which is its limit"), "{}", said(&asked));
    let stopped = world.amelia(&["answer", "r1", "--reject", "--follow"]);
    assert_eq!((exit(&stopped), world.server.requests().len()), (1, 1), "{}", said(&stopped));
    assert!(said(&stopped).contains("a person stopped the agent"), "{}", said(&stopped));
}

/// The answer to the agent's own question is not taken for an answer about the limit.
#[test]
fn an_agent_may_ask_in_a_visit_that_a_person_has_allowed() {
    let script = "\
rules:
  - when: { model: worker, last: Blue }
    reply: { text: It is blue. }
  - when: { model: worker, turn: 0 }
    reply: { text: I begin. }
  - when: { model: worker }
    reply: { tool_calls: [{ name: ask_human, args: { question: Which colour? } }] }
";
    let world = world(script, "tools: [ask_human]", &loops(2, ", max_iterations: 1", ""));
    let asked = world.amelia(&["workflow", "run", "loops", "Work"]);
    assert!(said(&asked).contains("visit it again?"), "{}", said(&asked));
    let asked = world.amelia(&["answer", "r1", "Yes", "--follow"]);
    assert_eq!(exit(&asked), 6, "{}", said(&asked));
    assert!(said(&asked).contains("Which colour?"), "{}", said(&asked));
    let done = world.amelia(&["answer", "r1", "Blue", "--follow"]);
    assert_eq!(exit(&done), 0, "{}", said(&done));
    assert_eq!(texts(&state(&world)), ["Work", "I begin.", "It is blue."]);
}

#[test]
fn a_workflow_that_has_used_up_its_visits_asks_before_the_next_one() {
    let world = world(WORKING, "", &loops(3, "", "max_iterations: 3\n"));
    let asked = world.amelia(&["workflow", "run", "loops", "Work"]);
    assert_eq!((exit(&asked), world.server.requests().len()), (6, 2), "{}", said(&asked));
    assert!(said(&asked).contains("3 steps are used up before `check`: continue?"), "{}", said(&asked));
    let done = world.amelia(&["resume", "r1", "--approve"]);
    assert_eq!((exit(&done), world.server.requests().len()), (0, 3), "{}", said(&done));
    let replayed = world.amelia(&["replay", "r1"]);
    assert!(said(&replayed).contains("the same"), "{}", said(&replayed));
}

#[test]
fn an_agent_that_has_used_up_its_model_calls_asks_and_continues_its_conversation() {
    let script = "\
rules:
  - when: { model: worker, turn: 0 }
    reply: { tool_calls: [{ name: list_files, args: {} }] }
  - when: { model: worker, turn: 1 }
    reply: { tool_calls: [{ name: read_file, args: { path: calc.sh } }] }
  - when: { model: worker, turn: 2 }
    reply: { text: I have read it. }
";
    let once = loops(1, "", "");
    let world = world(script, "tools: [list_files, read_file]\nmax_iterations: 2", &once);
    let asked = world.amelia(&["workflow", "run", "loops", "Read"]);
    assert_eq!((exit(&asked), world.server.requests().len()), (6, 2), "{}", said(&asked));
    assert!(said(&asked).contains(": continue?"), "{}", said(&asked));
    let done = world.amelia(&["answer", "r1", "Go on", "--follow"]);
    assert_eq!((exit(&done), world.server.requests().len()), (0, 3), "{}", said(&done));
    assert!(world.server.requests()[2].body.to_string().contains("Go on"));
    assert_eq!(texts(&state(&world)), ["Read", "I have read it."]);
}
