//! Teams that work by a plan: of their file, or made by an agent. Each run is replayed.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::checkpoints::request;
use crate::team_examples::{read, result, with_team};
use crate::workflows::{exit, said};
use crate::world::{World, until};

fn check_replay(world: &World) {
    let replayed = said(&world.amelia(&["replay", &world.run_id()]));
    assert!(replayed.contains("the same"), "{replayed}");
}

/// The example with another script.
fn river_plan(script: &str) -> World {
    with_team("river_plan", &read("river_plan.yaml"), script)
}

fn start(world: &World, expected: i32) -> String {
    let run = world.amelia(&["team", "run", "river_plan", "About rivers"]);
    assert_eq!(exit(&run), expected, "{}", said(&run));
    said(&run)
}

fn plan_of(world: &World) -> Value {
    let (status, plan) = request(world, "GET", &format!("/api/tasks/{}/plan", world.run_id()), "");
    assert_eq!(status, 200, "{plan}");
    plan
}

/// Ids and statuses.
fn statuses(plan: &Value) -> Vec<String> {
    let tasks = plan["tasks"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    tasks.map(|task| format!("{} {}", text(&task["task_id"]), text(&task["status"]))).collect()
}

pub(crate) fn serve(world: &World) -> std::process::Child {
    let serving = world.start(&["server"]);
    until("the server is there", || world.home().join("server.json").exists());
    serving
}

#[test]
fn agents_work_by_the_plan_and_read_the_results_of_the_tasks_before_theirs() {
    let world = river_plan(&read("river_plan.script.yaml"));
    let mut serving = serve(&world);
    let told = start(&world, 0);
    assert_eq!(told.matches("gets a task: Find the length of the Rhine.").count(), 1, "{told}");
    assert!(!told.contains("hands off to"), "each task is told once: {told}");
    let plan = plan_of(&world);
    assert_eq!(statuses(&plan), ["rhine completed", "elbe completed", "text completed", "1 completed"]);
    assert_eq!((&plan["goal"], &plan["execution_mode"]), (&json!("About rivers"), &json!("autonomous")));
    let added = &plan["tasks"][3];
    assert_eq!(
        (&added["assigned_agent"], &added["metadata"]),
        (&json!("scout"), &json!({"source": "an atlas"}))
    );
    check_tasks_of_turns(&world);
    let shown = said(&world.amelia(&["plan", "show", &world.run_id()]));
    assert!(shown.contains("Task text: Write about both rivers."), "{shown}");
    let exported = world.home().join("exported");
    let export = world.amelia(&["task", "export", &world.run_id(), "--to", exported.to_str().unwrap()]);
    assert_eq!(exit(&export), 0, "{}", said(&export));
    let file: Value = serde_json::from_slice(&std::fs::read(exported.join("plan.json")).unwrap()).unwrap();
    assert_eq!(file, plan);
    let bodies: Vec<Value> = world.server.requests().iter().map(|request| request.body.clone()).collect();
    let writer = bodies.iter().find(|body| body["model"] == "writer").unwrap().to_string();
    for expected in
        ["The Rhine is 1230 km long.", "The Elbe is 1094 km long.", "Expected output: One sentence"]
    {
        assert!(writer.contains(expected), "{expected}: {writer}");
    }
    assert!(writer.contains("plan_update_task") && !writer.contains("plan_add_task"), "{writer}");
    let lead = bodies.iter().find(|body| body["model"] == "lead").unwrap().to_string();
    assert!(lead.contains("rhine completed. elbe completed. text completed."), "the template: {lead}");
    serving.kill().unwrap();
    serving.wait().unwrap();
    check_replay(&world);
}

/// Each turn names the task that it works on; those of the lead work on none.
fn check_tasks_of_turns(world: &World) {
    let (status, page) =
        request(world, "GET", &format!("/api/tasks/{}/history?limit=100", world.run_id()), "");
    assert_eq!(status, 200, "{page}");
    let steps = page["items"].as_array().unwrap().iter();
    let named = steps.map(|step| format!("{} {}", step["agent_name"], step["task_id"]));
    let named: BTreeSet<String> = named.collect();
    let expected =
        [r#""lead" null"#, r#""scout" "1""#, r#""scout" "elbe""#, r#""scout" "rhine""#, r#""writer" "text""#];
    assert_eq!(named.iter().map(String::as_str).collect::<Vec<_>>(), expected, "{page}");
}

const FAILING: &str = "\
rules:
  - when: { model: scout, last: an atlas }
    reply: { text: The atlas is gone. }
  - when: { model: scout, last: length of the Rhine }
    reply: { text: The Rhine is 1230 km long. }
  - when: { model: scout, last: length of the Elbe, times: 1 }
    reply: { tool_calls: [{ name: plan_update_task, args: { task_id: elbe, status: failed, metadata: { source: an atlas } } }] }
  - when: { model: scout }
    reply: { text: The Elbe is 1094 km long. }
  - when: { model: writer }
    reply: { text: Both are long. }
  - when: { model: lead }
    reply: { tool_calls: [{ name: finish, args: { result: Done. } }] }
";

#[test]
fn a_task_that_fails_skips_those_behind_it_and_a_person_changes_the_plan() {
    let world = river_plan(FAILING);
    let mut serving = serve(&world);
    let asked = start(&world, 6);
    assert!(asked.contains("`elbe` (Find the length of the Elbe.)"), "{asked}");
    assert_eq!(statuses(&plan_of(&world)), ["rhine completed", "elbe failed", "text skipped"]);
    let run = world.run_id();
    let intervene = |details: Value| {
        let body = json!({"intervention_type": "plan_update", "details": details}).to_string();
        request(&world, "POST", &format!("/api/tasks/{run}/intervene"), &body)
    };
    for (details, expected) in [
        (json!({}), "either `plan` or `tasks` is needed"),
        (
            json!({"tasks": [{"task_id": "rhine", "dependencies": ["text"]}]}),
            "details.tasks[0]: tasks depend on each other",
        ),
        (
            json!({"tasks": [{"task_id": "elbe", "assigned_agent": "ghost"}]}),
            "details.tasks[0].assigned_agent: no agent `ghost`",
        ),
        (json!({"plan": {"tasks": [{"task_id": "1"}]}}), "details.plan.tasks[0]"),
    ] {
        let (status, body) = intervene(details);
        assert!(status == 422 && body.to_string().contains(expected), "{status}: {body}");
    }
    let (status, body) = intervene(json!({"tasks": [
        {"task_id": "elbe", "status": "pending", "metadata": {"source": null}},
        {"task_id": "map", "description": "Draw a map.", "status": "cancelled"},
    ]}));
    assert_eq!(status, 202, "{body}");
    let plan = plan_of(&world);
    assert_eq!(statuses(&plan), ["rhine completed", "elbe pending", "text pending", "map cancelled"]);
    let mut back = plan;
    back["tasks"].as_array_mut().unwrap().pop();
    let (status, body) = request(&world, "POST", &format!("/api/tasks/{run}/plan"), &back.to_string());
    assert_eq!(status, 202, "{body}");
    let done = world.amelia(&["answer", &run, "--message", "There is another atlas", "--wait"]);
    assert_eq!(exit(&done), 0, "{}", said(&done));
    assert_eq!(statuses(&plan_of(&world)), ["rhine completed", "elbe completed", "text completed"]);
    assert_eq!(result(&world), "Done.");
    serving.kill().unwrap();
    serving.wait().unwrap();
}

#[test]
fn an_agent_makes_the_plan_and_a_person_approves_it() {
    let team = "\
name: planners
default_llm: { provider: openai-compatible, base_url: 'http://127.0.0.1:8899/v1', model: lead }
agents:
  - { name: lead, role: leads, prompt_template: Plan., tools: [plan_add_task] }
  - { name: writer, role: writes, prompt_template: Write., llm_config: { provider: openai-compatible, base_url: 'http://127.0.0.1:8899/v1', model: writer } }
execution_config:
  mode: hitl
  human_intervention_points: [plan]
";
    let script = "\
rules:
  - when: { model: lead, last: Rivers are long }
    reply: { tool_calls: [{ name: finish, args: { result: Rivers are long. } }] }
  - when: { model: lead, last: no agent }
    reply: { tool_calls: [{ name: plan_add_task, args: { description: Write it., assigned_agent: writer } }] }
  - when: { model: lead, last: Write it }
    reply: { text: That is the plan. }
  - when: { model: lead }
    reply: { tool_calls: [{ name: plan_add_task, args: { description: Write it., assigned_agent: ghost } }] }
  - when: { model: writer }
    reply: { text: Rivers are long. }
";
    let world = with_team("planners", team, script);
    let asked = world.amelia(&["team", "run", "planners", "About rivers"]);
    assert_eq!(exit(&asked), 6, "{}", said(&asked));
    assert!(said(&asked).contains("team.plan"), "{}", said(&asked));
    let done = world.amelia(&["approve", &world.run_id(), "--wait"]);
    assert_eq!(exit(&done), 0, "{}", said(&done));
    assert_eq!(result(&world), "Rivers are long.");
    let log = said(&world.amelia(&["logs", &world.run_id(), "--type", "team.handed_off"]));
    assert!(log.contains("lead hands off to writer: Write it."), "{log}");
    check_replay(&world);
}
