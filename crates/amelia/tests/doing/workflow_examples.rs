//! The workflows in `examples/workflows`, which the documentation tells people to copy: each runs with its script, ends
//! the same after kills at any moment, and is replayed without a model.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::json;

use crate::workflows::{define, exit, killed_until_completed, said, state, texts};
use crate::world::{World, until};

/// What is left behind by an example.
struct Example {
    name: &'static str,
    /// Its last message; one that ends with a file is known by that.
    last: &'static str,
    file: Option<(&'static str, &'static str)>,
    asks: Option<&'static str>,
}

impl Example {
    const fn of(name: &'static str, last: &'static str) -> Self {
        Self { name, last, file: None, asks: None }
    }
}

const ESSAY: Example = Example {
    file: Some(("note.txt", "Rivers carve valleys and carry soil to the sea.")),
    asks: Some("Publish it with a score of 0.9?"),
    ..Example::of("essay", "")
};
const GATE: Example = Example {
    file: Some(("post.md", "Rivers are long.")),
    asks: Some("Publish this? Rivers are long."),
    ..Example::of("gate", "")
};
const DIGEST: Example = Example {
    file: Some(("notes.json", r#"["where rivers begin", "how water travels", "where rivers end"]"#)),
    ..Example::of("digest", "")
};
const REFLECTION: Example = Example::of("reflection", "Rivers carve valleys and carry soil to the sea.");
const DEBATE: Example = Example::of("debate", "Use spaces.");
const TOT: Example = Example::of("tot", "Cache pages until they change.");
const GUIDE: Example = Example {
    file: Some(("guide.md", "Rivers are long, and none is longer than the Nile (6650 km).")),
    ..Example::of("guide", "")
};
const ALL: [Example; 12] = [
    Example::of("react", "The repository has a README."),
    Example::of("cot", "There are 9 apples."),
    REFLECTION,
    DEBATE,
    TOT,
    Example::of("supervisor", "The text is finished."),
    Example::of("parallel", "It is fast and expensive."),
    Example::of("delegate", "There is a README, and rivers are long."),
    ESSAY,
    GATE,
    DIGEST,
    GUIDE,
];

pub(crate) fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/workflows")
}

fn read(file: &str) -> String {
    std::fs::read_to_string(examples().join(file)).unwrap()
}

fn names_in(directory: &str) -> Vec<String> {
    let entries = std::fs::read_dir(examples().join(directory)).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

/// A repository with all examples, and a model that follows the script of one.
fn world(example: &Example) -> World {
    let world = World::new(&read(&format!("{}.script.yaml", example.name)));
    for file in names_in("agents") {
        let text = read(&format!("agents/{file}")).replace("http://127.0.0.1:8899", &world.server.url());
        define(&world, &format!("agents/{file}"), &text);
    }
    for file in names_in("workflows") {
        define(&world, &format!("workflows/{file}"), &read(&format!("workflows/{file}")));
    }
    for file in ["mcp_servers.yaml", "servers/library.py"] {
        define(&world, file, &read(file));
    }
    if example.name == GUIDE.name {
        let trusted = world.amelia(&["trust", "--yes"]);
        assert_eq!(exit(&trusted), 0, "{}", said(&trusted));
    }
    world
}

#[test]
fn every_example_is_short_and_has_a_test() {
    let tested: Vec<String> = ALL.iter().map(|example| format!("{}.yaml", example.name)).collect();
    for file in names_in("workflows") {
        assert!(tested.contains(&file), "{file} has no test");
        assert!(read(&format!("workflows/{file}")).lines().count() < 50, "{file}");
    }
}

#[test]
fn every_example_runs_and_is_replayed() {
    for example in ALL {
        let world = world(&example);
        let run = world.amelia(&["workflow", "run", example.name, "About rivers"]);
        if let Some(question) = example.asks {
            assert_eq!(exit(&run), 6, "{}", said(&run));
            assert!(said(&run).contains(question), "{}", said(&run));
            let approved = world.amelia(&["approve"]);
            assert_eq!(exit(&approved), 0, "{}", said(&approved));
        } else {
            assert_eq!(exit(&run), 0, "{}: {}", example.name, said(&run));
        }
        if !example.last.is_empty() {
            assert_eq!(said(&run).matches(example.last).count(), 1, "it is said once: {}", said(&run));
        }
        check_end(&world, &example);
    }
}

#[test]
fn whatever_the_moment_of_the_kill_an_example_ends_the_same() {
    let mut seed = 0x2545_F491_4F6C_DD1D_u64;
    for example in ALL {
        let world = world(&example);
        killed_until_completed(&world, example.name, &[], 4, &mut seed);
        check_end(&world, &example);
    }
}

/// The process ends after a commit and before it hears of it, then it is resumed: at every seventh commit, or at every one
/// with `AMELIA_EVERY_COMMIT`. `AMELIA_EXAMPLE` names the only example to run.
#[test]
fn whatever_the_commit_after_which_it_dies_an_example_ends_the_same() {
    let distance = if std::env::var_os("AMELIA_EVERY_COMMIT").is_some() { 1 } else { 7 };
    let only = std::env::var("AMELIA_EXAMPLE").ok();
    for (place, example) in (1..).zip(ALL) {
        if only.as_ref().is_some_and(|only| only != example.name) {
            continue;
        }
        for last in (0..).map(|round| 1 + (place + round * distance) % distance + round * distance) {
            let world = world(&example);
            let mut command = world.command(&["workflow", "run", example.name, "About rivers", "--quiet"]);
            let run = command.env("AMELIA_DIE_AFTER_COMMITS", last.to_string()).output().unwrap();
            if exit(&run) != -1 {
                break;
            }
            killed_until_completed(&world, example.name, &[], 0, &mut 0);
            check_end(&world, &example);
        }
    }
}

fn check_end(world: &World, example: &Example) {
    let name = example.name;
    let state = state(world);
    match example.file {
        Some((file, text)) => {
            assert_eq!(std::fs::read_to_string(world.worktree().join(file)).unwrap(), text, "{name}");
        }
        None => assert_eq!(texts(&state).last(), Some(&example.last), "{name}: {state}"),
    }
    let asked = world.server.requests().len();
    let replayed = world.amelia(&["replay", &world.run_id()]);
    assert!(said(&replayed).contains("the same"), "{name}: {}", said(&replayed));
    assert_eq!(world.server.requests().len(), asked, "{name}: a replay asks no model");
}

#[test]
fn a_pattern_says_how_it_ended_and_what_it_found() {
    let world = world(&REFLECTION);
    world.amelia(&["workflow", "run", "reflection", "About rivers"]);
    let accepted = state(&world);
    assert_eq!((&accepted["routing_key"], &accepted["metadata"]["score"]), (&json!("accepted"), &json!(0.9)));
    assert_eq!(texts(&accepted)[1..], ["Rivers are long.", REFLECTION.last]);
    // One round is not enough: the draft is kept, and the run says so.
    let once = read("workflows/reflection.yaml").replace("rounds: 3", "rounds: 1");
    define(&world, "workflows/reflection.yaml", &once);
    world.amelia(&["workflow", "run", "reflection", "About rivers"]);
    let exhausted = state(&world);
    assert_eq!(exhausted["routing_key"], "exhausted");
    assert_eq!(texts(&exhausted)[1..], ["Rivers are long."]);
}

#[test]
fn the_sides_of_a_debate_hear_each_other_and_the_judge_names_one() {
    let world = self::world(&DEBATE);
    world.amelia(&["workflow", "run", "debate", "Tabs or spaces?"]);
    let state = state(&world);
    assert_eq!(state["metadata"]["winner"], "against");
    let asked: Vec<String> = world.server.requests().iter().map(|request| request.body.to_string()).collect();
    let second = asked.iter().find(|body| body.contains("skeptic") && body.contains("Spaces look")).unwrap();
    assert!(second.contains("Tabs are configurable"), "{second}");
    let judged = asked.last().unwrap();
    assert!(judged.contains("Not every viewer") && judged.contains("Every editor"), "{judged}");
}

#[test]
fn the_best_idea_of_a_step_is_continued() {
    let world = self::world(&TOT);
    world.amelia(&["workflow", "run", "tot", "Make it faster"]);
    let bodies: Vec<String> =
        world.server.requests().iter().map(|request| request.body.to_string()).collect();
    let last_step: Vec<&String> =
        bodies.iter().filter(|body| body.contains("Write the complete answer")).collect();
    assert_eq!(last_step.len(), 2);
    for body in last_step {
        assert!(body.contains("Cache what is read often") && !body.contains("Buy a larger"), "{body}");
    }
    assert_eq!(state(&world)["metadata"]["score"], 0.8);
}

#[test]
fn a_list_that_is_none_fails_the_run_with_its_name() {
    let world = self::world(&DIGEST);
    let wrong = read("workflows/digest.yaml").replace("over: topics", "over: nothing");
    define(&world, "workflows/digest.yaml", &wrong);
    let failed = world.amelia(&["workflow", "run", "digest", "x"]);
    assert_eq!(exit(&failed), 1, "{}", said(&failed));
    assert!(
        said(&failed).contains("`nothing` of `each` is not set, but must be a list"),
        "{}",
        said(&failed)
    );
}

#[test]
fn a_run_waits_for_something_outside_and_a_person_may_add_a_message() {
    let world = self::world(&GATE);
    let text = "name: waits\nentry_point: write\nnodes:\n  write: {type: agent, agent: writer, allow_human_input: true}\n  \
                wait: {type: wait, event: deployed}\n  after: {type: agent, agent: writer}\n\
                edges:\n  - {from: write, to: wait}\n  - {from: wait, to: {event: after, timeout: __end__}}\n";
    define(&world, "workflows/waits.yaml", text);
    let asked = world.amelia(&["workflow", "run", "waits", "x"]);
    assert_eq!(exit(&asked), 6, "{}", said(&asked));
    assert!(said(&asked).contains("do you want to add a message after `write`?"), "{}", said(&asked));
    let run = world.run_id();
    let answer = |words: &[&str]| world.amelia(&[&["answer", run.as_str(), "--follow"], words].concat());
    let asked = answer(&["-m", "Shorter, please"]);
    assert!(said(&asked).contains("waits for `deployed`: has it happened?"), "{}", said(&asked));
    // It has not, yet.
    let asked = answer(&["--reject"]);
    assert!(said(&asked).contains("waits for `deployed`"), "{}", said(&asked));
    let done = answer(&["-m", "v2 is live"]);
    assert_eq!(exit(&done), 0, "{}", said(&done));
    let state = state(&world);
    assert_eq!(texts(&state)[2..4], ["Shorter, please", "v2 is live"]);
}

#[test]
fn the_problems_of_all_agents_are_listed() {
    let world = self::world(&GATE);
    let listed = said(&world.amelia(&["workflow", "list"]));
    let line = listed.lines().find(|line| line.starts_with("gate")).unwrap();
    assert!(line.contains("3 nodes  You decide whether a draft is published"), "{listed}");
    for agent in ["writer", "critic"] {
        define(&world, &format!("agents/{agent}.yaml"), &format!("name: {agent}\nrole: x\n"));
    }
    let text = said(&world.amelia(&["workflow", "validate", "essay"]));
    assert!(text.contains("writer.yaml:1:1") && text.contains("critic.yaml:1:1"), "{text}");
}

/// A manager whose sub-agents can ask.
fn delegating(script: &str) -> World {
    let world = World::new(script);
    for agent in ["manager", "researcher", "writer"] {
        let text =
            read(&format!("agents/{agent}.yaml")).replace("http://127.0.0.1:8899", &world.server.url());
        let text = text.replace("tools: []", "tools: [ask_human]").replace("[list_files,", "[ask_human,");
        define(&world, &format!("agents/{agent}.yaml"), &text);
    }
    define(&world, "workflows/delegate.yaml", &read("workflows/delegate.yaml"));
    world
}

/// A sub-agent asks while another one works: a person sees it and answers at once, and the answer is kept over a kill.
#[test]
fn a_question_of_a_sub_agent_is_answered_while_another_one_works() {
    let script = "\
rules:
  - when: { model: manager, turn: 0 }
    reply:
      tool_calls:
        - { name: delegate, args: { agent: researcher, task: Look. } }
        - { name: delegate, args: { agent: writer, task: Write. } }
  - when: { model: manager }
    reply: { text: Both are done. }
  - when: { model: researcher, turn: 0 }
    reply: { tool_calls: [{ name: ask_human, args: { question: Which river? } }] }
  - when: { model: researcher, last: The Rhine. }
    reply: { text: It is the Rhine. }
  - when: { model: writer, turn: 0 }
    reply: { delay_ms: 6000, text: Rivers are long. }
";
    for is_killed in [false, true] {
        let world = delegating(script);
        let serve = || {
            let mut server = world.command(&["server"]);
            server.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        };
        let mut server = serve();
        until("the server is there", || world.home().join("server.json").exists());
        let mut child = world.start(&["workflow", "run", "delegate", "About rivers"]);
        let asks = || said(&world.amelia(&["inbox"])).contains("Which river?");
        until("it asks", asks);
        let run = world.run_id();
        assert_eq!(world.run().unwrap()["view"]["status"], "running", "the writer is still at work");
        let answered = world.amelia(&["answer", &run, "The Rhine.", "--quiet"]);
        assert!(!asks(), "{}", said(&answered));
        if is_killed {
            server.kill().unwrap();
            server.wait().unwrap();
            server = serve();
        }
        until("it is done", || world.run().unwrap()["view"]["status"] == "completed");
        child.wait().unwrap();
        server.kill().unwrap();
        server.wait().unwrap();
        assert_eq!(texts(&state(&world)).last(), Some(&"Both are done."));
        let log = said(&world.amelia(&["logs", &run, "--type", "human.requested"]));
        assert_eq!(log.matches("Which river?").count(), 1, "{log}");
        let replayed = world.amelia(&["replay", &run]);
        assert!(said(&replayed).contains("the same"), "{is_killed}: {}", said(&replayed));
    }
}

/// Two sub-agents of one answer both ask: both questions are there at once, each answer reaches the one that asked, and a
/// replay asks in the same order.
#[test]
fn two_sub_agents_ask_at_the_same_time() {
    let script = "\
rules:
  - when: { model: manager, turn: 0 }
    reply:
      tool_calls:
        - { name: delegate, args: { agent: researcher, task: Look. } }
        - { name: delegate, args: { agent: writer, task: Write. } }
  - when: { model: manager }
    reply: { text: Both are done. }
  - when: { model: researcher, turn: 0 }
    reply: { delay_ms: 60, tool_calls: [{ name: ask_human, args: { question: Which river? } }] }
  - when: { model: researcher, last: The Rhine. }
    reply: { text: It is the Rhine. }
  - when: { model: writer, turn: 0 }
    reply: { tool_calls: [{ name: ask_human, args: { question: How long? } }] }
  - when: { model: writer, last: One line. }
    reply: { text: Rivers are long. }
";
    let world = delegating(script);
    let asked = world.amelia(&["workflow", "run", "delegate", "About rivers"]);
    assert_eq!(exit(&asked), 6, "{}", said(&asked));
    let open = world.amelia(&["inbox", "--json"]);
    let open: serde_json::Value = serde_json::from_slice(&open.stdout).unwrap();
    let questions: Vec<(String, String)> = open
        .as_array()
        .unwrap()
        .iter()
        .map(|item| {
            (item["request_id"].as_str().unwrap().to_owned(), item["prompt"].as_str().unwrap().to_owned())
        })
        .collect();
    assert_eq!(questions.len(), 2, "{open}");
    for (index, (id, prompt)) in questions.iter().enumerate() {
        let words = if prompt == "Which river?" { "The Rhine." } else { "One line." };
        let answered = world.amelia(&["answer", &world.run_id(), id, "--message", words, "--wait"]);
        assert_eq!(exit(&answered), [6, 0][index], "{}", said(&answered));
    }
    assert_eq!(texts(&state(&world)).last(), Some(&"Both are done."));
    for request in world.server.requests() {
        let (body, model) = (request.body.to_string(), &request.body["model"]);
        assert!(model != "writer" || !body.contains("Rhine"), "one session knows of the other: {body}");
        assert!(
            model != "researcher" || !body.contains("One line."),
            "one session knows of the other: {body}"
        );
    }
    let replayed = world.amelia(&["replay", &world.run_id()]);
    assert!(said(&replayed).contains("the same"), "{}", said(&replayed));
}

#[test]
fn a_run_keeps_the_limits_of_sub_agents_that_the_server_had() {
    let delegate = ALL.iter().find(|example| example.name == "delegate").unwrap();
    let world = self::world(delegate);
    for (key, value) in [("depth", "2"), ("per_run", "1"), ("at_once", "3")] {
        let set = world.amelia(&["config", "server", "set", &format!("sub_agents.{key}"), value]);
        assert_eq!(exit(&set), 0, "{}", said(&set));
    }
    world.amelia(&["workflow", "run", "delegate", "About rivers"]);
    let limits = world.run().unwrap()["run"]["spec"]["input"]["sub_agents"].clone();
    assert_eq!(limits, json!({"depth": 2, "per_run": 1, "at_once": 3}));
    let logged = said(&world.amelia(&["logs", &world.run_id(), "--json"]));
    assert!(logged.contains("this run has reached its limit of sub-agents (1)"), "{logged}");
}

#[test]
fn a_fork_follows_the_edited_file_and_is_replayed() {
    let world = self::world(&GATE);
    let asked = world.amelia(&["workflow", "run", "gate", "About rivers"]);
    assert_eq!(exit(&asked), 6, "{}", said(&asked));
    let file = names_in("workflows").into_iter().find(|name| name == "gate.yaml").unwrap();
    let old = read(&format!("workflows/{file}"));
    let run = world.run_id();
    let all = world.amelia(&["checkpoints", &run, "--json"]);
    let all: serde_json::Value = serde_json::from_slice(&all.stdout).unwrap();
    let last = all.as_array().unwrap().last().unwrap()["number"].to_string();
    let fork = || world.amelia(&["fork", &run, "--at", &last, "--definition-from-file"]);
    // What the checkpoint needs is gone.
    define(&world, "workflows/gate.yaml", &old.replace("ask", "question"));
    let refused = fork();
    assert_eq!(exit(&refused), 5, "{}", said(&refused));
    assert!(
        said(&refused).contains("no longer has what this checkpoint needs: the node `ask`"),
        "{}",
        said(&refused)
    );
    define(&world, "workflows/gate.yaml", "name: gate\nnodes: 3\n");
    assert_eq!(exit(&fork()), 2, "a file with problems is refused");
    define(&world, "workflows/gate.yaml", &old.replace("post.md", "other.md"));
    let forked = fork();
    assert_eq!(exit(&forked), 0, "{}", said(&forked));
    assert!(
        said(&forked).contains("the definition was read again: node `publish` changed"),
        "{}",
        said(&forked)
    );
    let status = said(&world.amelia(&["status", "r2"]));
    assert!(status.contains("the definition was read again: node `publish` changed"), "{status}");
    let why = said(&world.amelia(&["why", "r2"]));
    assert!(why.contains("node `publish` changed"), "{why}");
    let logged = said(&world.amelia(&["logs", "r2"]));
    assert!(logged.contains("reads the definition of `gate` again: node `publish` changed"), "{logged}");
    let done = world.amelia(&["resume", "r2", "--approve", "--wait"]);
    assert_eq!(exit(&done), 0, "{}", said(&done));
    let diff = said(&world.amelia(&["diff", "r2"]));
    assert!(diff.contains("other.md") && !diff.contains("post.md"), "{diff}");
    let replayed = world.amelia(&["replay", "r2"]);
    assert!(said(&replayed).contains("the same"), "{}", said(&replayed));
}

#[test]
fn a_run_is_exported_as_the_files_of_document_004() {
    let world = self::world(&GATE);
    world.amelia(&["workflow", "run", "gate", "About rivers"]);
    let directory = tempfile::tempdir().unwrap();
    let to = directory.path().join("files");
    let exported = world.amelia(&["task", "export", "--to", to.to_str().unwrap()]);
    assert_eq!(exit(&exported), 0, "{}", said(&exported));
    let file = |name: &str| -> serde_json::Value {
        serde_json::from_str(&std::fs::read_to_string(to.join(name)).unwrap()).unwrap()
    };
    assert_eq!(file("task.json")["description"], "About rivers");
    assert_eq!(file("trace.json")["task_id"], world.run_id());
    let count = std::fs::read_dir(&to).unwrap().count() - 2;
    let last = file(&format!("checkpoint_{count:03}.json"));
    assert_eq!((&last["sequence"], &last["awaiting_human"]), (&json!(count), &json!(true)));
    assert_eq!(last["state"]["messages"][0]["content"], "About rivers");
    // A server writes the same files by itself, with the checkpoints at which the run waits or ends.
    let own = world.home().join("tasks").join(world.run_id());
    let files = |directory: &Path| {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        let read = |entry: std::fs::DirEntry| (entry.file_name(), std::fs::read(entry.path()).unwrap());
        entries.map(read).collect::<std::collections::BTreeMap<_, _>>()
    };
    let mut waiting = files(&to);
    let is_last = |name: &std::ffi::OsStr| name.to_str() == Some(&format!("checkpoint_{count:03}.json"));
    waiting.retain(|name, _| !name.to_string_lossy().starts_with("checkpoint_") || is_last(name));
    assert_eq!(waiting.len(), 3);
    until("the files are written", || files(&own) == waiting);
    assert_eq!(exit(&world.amelia(&["approve"])), 0);
    let status = || -> Option<serde_json::Value> {
        let text = std::fs::read_to_string(own.join("task.json")).ok()?;
        Some(serde_json::from_str::<serde_json::Value>(&text).ok()?["status"].clone())
    };
    until("the end is written", || status() == Some(json!("completed")));
    until("the last checkpoint is written", || files(&own).len() == waiting.len() + 1);
    let missing = world.amelia(&["task", "export", "r99"]);
    assert_eq!(exit(&missing), 4, "{}", said(&missing));
}
