//! Workflows and agents from files: run, killed, answered, replayed, refused.

use std::process::Output;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::world::{World, random};

/// A writer that improves its text once, a critic, and two who look at different things.
const MODELS: &str = r#"
rules:
  - when: { model: critic, text: second draft }
    reply: { delay_ms: 10, text: '{"score": 0.9, "feedback": "good"}' }
  - when: { model: critic }
    reply: { delay_ms: 10, text: '{"score": 0.4, "feedback": "too short"}' }
  - when: { model: writer, text: too short, turn: 1 }
    reply:
      delay_ms: 10
      tool_calls: [{ name: write_file, args: { path: essay.txt, content: "second draft\n" } }]
  - when: { model: writer, turn: 2 }
    reply: { delay_ms: 10, text: This is the second draft. }
  - when: { model: writer }
    reply: { delay_ms: 10, text: first draft }
  - when: { model: left }
    reply: { delay_ms: 10, text: from the left }
  - when: { model: right, system: outputs }
    reply: { text: never }
  - when: { model: right, turn: 0 }
    reply:
      delay_ms: 10
      tool_calls: [{ name: update_state, args: { updates: { right: [1, 2] } } }]
  - when: { model: right }
    reply: { delay_ms: 10, text: from the right }
"#;

pub(crate) const ESSAY: &str = r#"
name: essay
entry_point: write
nodes:
  write: { type: agent, agent: writer }
  review: { type: agent, agent: critic, outputs: [score, feedback] }
  gate: { type: human, prompt: "Publish with {{ state.score }}?" }
  save: { type: tool, tool: write_file, arguments: { path: note.txt, content: "{{ state.topic }}: {{ state.feedback }}" } }
edges:
  - { from: write, to: review }
  - { from: review, to: gate, condition: "state['score'] >= 0.8 and turns < 10" }
  - { from: review, to: write }
  - { from: gate, to: { approve: save, reject: __end__ } }
"#;

const BOTH: &str = r#"
name: both
entry_point: look
nodes:
  look: { type: parallel, parallel_tasks: [left, right] }
  left: { type: agent, agent: left, outputs: [left] }
  right: { type: agent, agent: right, outputs: [right] }
  decide: { type: condition }
  save: { type: tool, tool: write_file, arguments: { path: both.txt, content: "{{ state.left }} {{ state.right }}" } }
edges:
  - { from: look, to: decide }
  - { from: decide, to: save, condition: "size(state.right) == 2" }
  - { from: decide, to: __end__ }
checkpoints: [save]
"#;

/// A world with these definitions in its repository.
pub(crate) fn world() -> World {
    let world = World::new(MODELS);
    for (name, tools) in [("writer", "[write_file]"), ("critic", "[]"), ("left", "[]"), ("right", "[]")] {
        let text = format!(
            "name: {name}\nrole: {name}\nsystem_prompt: You are {name}.\ntools: {tools}\n\
             llm_config: {{ endpoint: {}/v1, model: {name} }}\n",
            world.server.url()
        );
        define(&world, &format!("agents/{name}.yaml"), &text);
    }
    define(&world, "workflows/essay.yaml", ESSAY);
    define(&world, "workflows/both.yaml", BOTH);
    world
}

#[test]
fn without_a_repository_a_workflow_works_in_a_directory_of_its_own() {
    let world = world();
    let outside = world.home().join("../outside");
    let from = world.repository().join(".amelia");
    for kind in ["agents", "workflows"] {
        let to = outside.join(".amelia").join(kind);
        std::fs::create_dir_all(&to).unwrap();
        for entry in std::fs::read_dir(from.join(kind)).unwrap().flatten() {
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
    let amelia = |arguments: &[&str]| world.command(arguments).current_dir(&outside).output().unwrap();
    let asked = amelia(&["workflow", "run", "both", "Look"]);
    assert_eq!(exit(&asked), 6, "{}", said(&asked));
    let done = amelia(&["approve"]);
    assert_eq!(exit(&done), 0, "{}", said(&done));
    let workspaces: Vec<_> = std::fs::read_dir(world.home().join("workspaces"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(workspaces.len(), 1);
    assert_eq!(std::fs::read_to_string(workspaces[0].join("both.txt")).unwrap(), "from the left [1, 2]");
    let diff = said(&amelia(&["diff", "r1"]));
    assert!(diff.contains("+from the left [1, 2]"), "{diff}");
    let replayed = amelia(&["replay", "r1"]);
    assert!(said(&replayed).contains("the same"), "{}", said(&replayed));
    let refused = amelia(&["workflow", "run", "both", "--base", "main"]);
    assert_eq!(exit(&refused), 5, "{}", said(&refused));
    assert!(said(&refused).contains("and `base` needs one"), "{}", said(&refused));
    let writer = std::fs::read_to_string(outside.join(".amelia/agents/writer.yaml")).unwrap();
    std::fs::write(outside.join(".amelia/agents/writer.yaml"), writer.replace("[write_file]", "[git_log]"))
        .unwrap();
    let refused = amelia(&["agent", "run", "writer", "Look"]);
    assert!(said(&refused).contains("and the tool `git_log` needs one"), "{}", said(&refused));
}

#[test]
fn an_agent_that_names_no_model_has_that_of_the_profile() {
    let world = world();
    define(&world, "agents/plain.yaml", "name: plain\nrole: looks\nsystem_prompt: Look.\n");
    let run = || world.amelia(&["agent", "run", "plain", "Look"]);
    let without = run();
    assert_eq!(exit(&without), 2, "{}", said(&without));
    assert!(said(&without).contains("the agent `plain` has no `llm_config`"), "{}", said(&without));
    let file = world.home().join("profile.yaml");
    let apply = |agent: &str| {
        let profile =
            format!("name: work\nrepo_root: {:?}\nagents:\n  developer: {agent}\n", world.repository());
        std::fs::write(&file, profile).unwrap();
        let applied = world.amelia(&["config", "profile", "apply", "-f", file.to_str().unwrap()]);
        assert_eq!(exit(&applied), 0, "{}", said(&applied));
    };
    apply("{ driver: claude, model: opus }");
    let program = run();
    assert_eq!(exit(&program), 2, "{}", said(&program));
    assert!(said(&program).contains("`work` is `claude`, which is a program"), "{}", said(&program));
    apply(&format!(
        "{{ driver: api, model: left, options: {{ provider: openai-compatible, base_url: \"{}/v1\" }} }}",
        world.server.url()
    ));
    let done = run();
    assert!(exit(&done) == 0 && said(&done).contains("from the left"), "{}", said(&done));
    // The model is that of the start, whatever becomes of the profile.
    apply("{ driver: claude, model: opus }");
    let replayed = world.amelia(&["replay", "r1"]);
    assert!(said(&replayed).contains("the same"), "{}", said(&replayed));
}

pub(crate) fn define(world: &World, file: &str, text: &str) {
    let path = world.repository().join(".amelia").join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

pub(crate) fn said(output: &Output) -> String {
    let both = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    String::from_utf8(both).unwrap()
}

pub(crate) fn exit(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

/// What the run knows at its end.
pub(crate) fn state(world: &World) -> Value {
    let run = world.run_id();
    let all = world.amelia(&["checkpoints", &run, "--json"]);
    let all: Value = serde_json::from_slice(&all.stdout).unwrap();
    let last = all.as_array().unwrap().last().unwrap()["number"].to_string();
    let shown = world.amelia(&["checkpoints", &run, "--at", &last, "--json"]);
    serde_json::from_slice(&shown.stdout).unwrap_or_else(|_| panic!("{}", said(&shown)))
}

pub(crate) fn texts(state: &Value) -> Vec<&str> {
    state["messages"].as_array().unwrap().iter().map(|message| message["text"].as_str().unwrap()).collect()
}

const WRITTEN: [&str; 5] = [
    "About rivers",
    "first draft",
    r#"{"score": 0.4, "feedback": "too short"}"#,
    "This is the second draft.",
    r#"{"score": 0.9, "feedback": "good"}"#,
];

#[test]
fn a_workflow_loops_asks_a_person_and_ends_with_what_it_made() {
    let world = world();
    let asked = world.amelia(&["workflow", "run", "essay", "About rivers", "--input", "topic=rivers"]);
    assert_eq!(exit(&asked), 6, "{}", said(&asked));
    assert!(said(&asked).contains("the run asks: Publish with 0.9?"), "{}", said(&asked));
    assert!(!said(&asked).contains("plan"), "{}", said(&asked));
    let inbox = said(&world.amelia(&["inbox"]));
    assert!(inbox.contains("Publish with 0.9?") && !inbox.contains("plan show"), "{inbox}");

    let approved = world.amelia(&["approve", "--feedback", "Go ahead"]);
    assert_eq!(exit(&approved), 0, "{}", said(&approved));
    let state = state(&world);
    assert_eq!(texts(&state)[..5], WRITTEN);
    assert_eq!((texts(&state)[5], &state["routing_key"]), ("Go ahead", &Value::from("approve")));
    assert_eq!(state["metadata"]["score"], 0.9);
    let worktree = world.worktree();
    assert_eq!(std::fs::read_to_string(worktree.join("note.txt")).unwrap(), "rivers: good");
    assert_eq!(std::fs::read_to_string(worktree.join("essay.txt")).unwrap(), "second draft\n");

    let replayed = world.amelia(&["replay", &world.run_id()]);
    assert!(said(&replayed).contains("the same"), "{}", said(&replayed));
}

#[test]
fn tasks_run_at_the_same_time_and_a_rejected_checkpoint_asks_again() {
    let world = world();
    let asked = world.amelia(&["workflow", "run", "both", "Look"]);
    assert!(said(&asked).contains("run `save` now?"), "{}", said(&asked));
    let rejected = world.amelia(&["reject", "--feedback", "not yet"]);
    assert_eq!(exit(&rejected), 1, "{}", said(&rejected));
    assert!(said(&rejected).contains("rejected the checkpoint before `save`"), "{}", said(&rejected));
    let asked = world.amelia(&["resume", &world.run_id()]);
    assert_eq!(exit(&asked), 6, "{}", said(&asked));
    let approved = world.amelia(&["approve"]);
    assert_eq!(exit(&approved), 0, "{}", said(&approved));
    let both = std::fs::read_to_string(world.worktree().join("both.txt")).unwrap();
    assert_eq!(both, "from the left [1, 2]");
    let state = state(&world);
    let mut left_and_right = texts(&state)[1..3].to_vec();
    left_and_right.sort_unstable();
    assert_eq!(left_and_right, ["from the left", "from the right"]);
}

#[test]
fn one_agent_from_a_file_takes_a_task() {
    let world = world();
    let done = world.amelia(&["agent", "run", "left", "Where are you?"]);
    assert_eq!(exit(&done), 0, "{}", said(&done));
    assert!(said(&done).contains("from the left"), "{}", said(&done));
}

/// The writer and the critic without files: nothing is ever written.
const TALK: &str = r#"
name: talk
entry_point: look
nodes:
  look: { type: agent, agent: left }
  gate: { type: human, prompt: "Enough?" }
  again: { type: agent, agent: left }
edges:
  - { from: look, to: gate }
  - { from: gate, to: again }
"#;

#[test]
fn a_workflow_whose_tools_use_no_files_has_no_worktree() {
    let world = world();
    define(&world, "workflows/talk.yaml", TALK);
    let worktrees = || {
        let listed = world.git(&["worktree", "list", "--porcelain"]);
        (listed.matches("worktree ").count() - 1, world.git(&["branch", "--list", "amelia/*"]))
    };
    let asked = world.amelia(&["workflow", "run", "talk", "Look"]);
    assert_eq!((exit(&asked), worktrees()), (6, (0, String::new())), "{}", said(&asked));
    let run = world.run_id();
    let changed = world.amelia(&["diff", &run]);
    assert_eq!(exit(&changed), 0, "{}", said(&changed));
    let done = world.amelia(&["approve"]);
    assert_eq!((exit(&done), worktrees()), (0, (0, String::new())), "{}", said(&done));
    let replayed = world.amelia(&["replay", &run]);
    assert!(said(&replayed).contains("the same"), "{}", said(&replayed));
    let forked = world.amelia(&["fork", &run, "--at", "2"]);
    assert_eq!((exit(&forked), worktrees()), (0, (0, String::new())), "{}", said(&forked));
    // Another definition may need one.
    let agent = world.repository().join(".amelia/agents/left.yaml");
    let text = std::fs::read_to_string(&agent).unwrap();
    std::fs::write(&agent, text.replace("tools: []", "tools: [write_file]")).unwrap();
    let forked = world.amelia(&["fork", &run, "--at", "2", "--definition-from-file"]);
    assert_eq!((exit(&forked), worktrees().0), (0, 1), "{}", said(&forked));
}

#[test]
fn a_condition_that_cannot_be_decided_fails_the_run_and_keeps_its_place() {
    let world = world();
    define(&world, "workflows/essay.yaml", &ESSAY.replace("state['score'] >=", "state.feedback >="));
    let failed = world.amelia(&["workflow", "run", "essay", "About rivers", "--json"]);
    assert_eq!(exit(&failed), 1, "{}", said(&failed));
    let why = said(&world.amelia(&["why", &world.run_id()]));
    assert!(why.contains("the route after `review` cannot be chosen, because"), "{why}");
    // The nodes before it do not run again.
    let asked_before = world.server.requests().len();
    world.amelia(&["resume", &world.run_id()]);
    assert_eq!(world.server.requests().len(), asked_before);
}

#[test]
fn a_run_keeps_the_definition_that_it_was_started_with() {
    let world = world();
    world.amelia(&["workflow", "run", "essay", "About rivers", "--input", "topic=rivers"]);
    define(&world, "workflows/essay.yaml", "name: essay");
    std::fs::remove_dir_all(world.repository().join(".amelia/agents")).unwrap();
    let approved = world.amelia(&["approve"]);
    assert_eq!(exit(&approved), 0, "{}", said(&approved));
}

#[test]
fn what_is_wrong_in_a_file_is_told_with_its_line_and_column() {
    let world = world();
    let wrong = "name: wrong\nentry_point: a\nnodes:\n  a: {type: agent, agent: absent}\n  b: {type: robot}\n\
                 edges:\n  - {from: a, to: b, condition: 'scor > 1'}\n";
    define(&world, "workflows/wrong.yaml", wrong);
    let validated = world.amelia(&["workflow", "validate"]);
    assert_eq!(exit(&validated), 2);
    let text = said(&validated);
    assert!(text.contains("wrong.yaml:5:7: nodes.b.type: expected one of agent, tool"), "{text}");
    assert!(text.contains("2 workflows valid"), "{text}");
    define(&world, "workflows/wrong.yaml", &wrong.replace("robot", "condition"));
    let text = said(&world.amelia(&["workflow", "validate", "wrong"]));
    assert!(text.contains("wrong.yaml:4:20: nodes.a.agent: there is no agent `absent`"), "{text}");
    assert!(
        text.contains("wrong.yaml:7:22: edges[0].condition: column 1: there is no variable `scor`"),
        "{text}"
    );
    let refused = world.amelia(&["workflow", "run", "wrong", "x"]);
    assert_eq!(exit(&refused), 2, "{}", said(&refused));
    let absent = world.amelia(&["workflow", "run", "absent", "x"]);
    assert_eq!(exit(&absent), 4, "{}", said(&absent));
    assert!(said(&absent).contains("available: both, essay, wrong"), "{}", said(&absent));
    define(&world, "workflows/essay.json", "{}");
    assert!(said(&world.amelia(&["workflow", "validate", "essay"])).contains("defines `essay`, too"));
    let bomb = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\n\
                d: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e]\n";
    let large = format!("name: {}", "x".repeat(5_000_000));
    for (bad, expected) in [
        (bomb, "its aliases stand for more than 100000 values"),
        (large.as_str(), "bad.yaml:1:1: is larger than 1024 KB"),
        ("{{{{", "bad.yaml:"),
        ("- a", "bad.yaml:"),
        ("", "bad.yaml:"),
        ("name: [1", "bad.yaml:"),
    ] {
        define(&world, "workflows/bad.yaml", bad);
        let refused = world.amelia(&["workflow", "validate", "bad"]);
        let text: String = said(&refused).chars().take(500).collect();
        assert_eq!(exit(&refused), 2, "{text}");
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

/// Random moments at which this workflow is killed in a test run. Besides, the examples of workflows (12) and of teams (8)
/// are each killed 4 times at random moments and after every seventh or fifth commit; `make chaos` takes every commit.
const KILLS: u32 = 30;

#[test]
fn whatever_the_moment_of_the_kill_a_workflow_ends_the_same() {
    let mut seed = 0xD1B5_4A32_D192_ED03_u64;
    let mut kills = 0;
    while kills < KILLS {
        kills += one_run(KILLS - kills, &mut seed);
    }
}

/// One run, killed until it has ended; says how often.
fn one_run(most: u32, seed: &mut u64) -> u32 {
    let world = world();
    let kills = killed_until_completed(&world, "essay", &["--input", "topic=rivers"], most, seed);
    let state = state(&world);
    assert_eq!(texts(&state)[..5], WRITTEN, "{state}");
    let worktree = world.worktree();
    let log = said(&world.amelia(&["logs", &world.run_id()]));
    let file = |name: &str| std::fs::read_to_string(worktree.join(name)).unwrap_or_default();
    assert_eq!(file("note.txt"), "rivers: good", "{log}");
    // This model does not call again when it is told that a call was interrupted.
    let is_told = log.contains("write essay.txt: interrupted");
    assert!(file("essay.txt") == "second draft\n" || is_told, "{log}");
    let replayed = world.amelia(&["replay", &world.run_id()]);
    assert!(said(&replayed).contains("the same"), "{}", said(&replayed));
    kills.max(1)
}

/// Runs a workflow about rivers, kills it at moments between 0 and 400 ms until it has been killed `most` times, and
/// approves whatever it asks. Says how often it was killed.
pub(crate) fn killed_until_completed(
    world: &World,
    name: &str,
    more: &[&str],
    most: u32,
    seed: &mut u64,
) -> u32 {
    let start = [&["workflow", "run", name, "About rivers", "--quiet"], more].concat();
    killed_until_completed_from(world, &start, most, seed)
}

/// The same for any command that starts a run.
pub(crate) fn killed_until_completed_from(world: &World, start: &[&str], most: u32, seed: &mut u64) -> u32 {
    let mut arguments: Vec<String> = start.iter().map(|argument| (*argument).to_owned()).collect();
    // One that has begun is continued.
    if let Some(row) = world.run() {
        let run = row["run"]["id"].as_str().unwrap().to_owned();
        arguments = vec!["resume".to_owned(), run, "--quiet".to_owned()];
    }
    let mut kills = 0;
    for tries in 0.. {
        assert!(tries < 100, "{:?}", world.run());
        let started = Instant::now();
        let mut child = world.start(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        let delay = Duration::from_millis(random(seed) % 400);
        while child.try_wait().unwrap().is_none() {
            if kills < most && started.elapsed() > delay {
                child.kill().unwrap();
                child.wait().unwrap();
                kills += 1;
                break;
            }
            std::thread::yield_now();
        }
        let Some(row) = world.run() else { continue };
        let run = row["run"]["id"].as_str().unwrap().to_owned();
        arguments = match &row["view"]["status"] {
            Value::String(status) if status == "completed" => break,
            Value::Object(waiting) if waiting.get("waiting") == Some(&Value::from("question")) => {
                ["answer", run.as_str(), "--message", "continue", "--quiet"].map(str::to_owned).to_vec()
            }
            Value::Object(_) => vec!["approve".to_owned(), run, "--quiet".to_owned()],
            _ => vec!["resume".to_owned(), run, "--quiet".to_owned()],
        };
    }
    kills
}
