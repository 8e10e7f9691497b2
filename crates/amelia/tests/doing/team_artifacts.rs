//! Artifacts of teams: made by tools and by files of a directory without a repository, looked at, compared and restored.

use std::process::Output;

use serde_json::Value;

use crate::team_examples::with_team;
use crate::workflows::{exit, said};
use crate::world::World;

/// A team of the home, for a directory that is no repository.
pub(crate) fn outside(team: &str, script: &str) -> (World, tempfile::TempDir) {
    let world = World::new(script);
    let teams = world.home().join("teams");
    std::fs::create_dir_all(&teams).unwrap();
    std::fs::write(teams.join("desk.yaml"), team.replace("http://127.0.0.1:8899", &world.server.url()))
        .unwrap();
    (world, tempfile::tempdir().unwrap())
}

fn artifact(world: &World, arguments: &[&str]) -> Output {
    world.amelia(&[&["artifact"], arguments].concat())
}

fn listed(world: &World) -> Vec<(String, String)> {
    let output = artifact(world, &["list", &world.run_id(), "--json"]);
    let items: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |item: &Value, key: &str| item[key].as_str().unwrap().to_owned();
    items["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (text(item, "path"), text(item, "version")))
        .collect()
}

pub(crate) const DESK: &str = "\
name: desk
default_llm: { provider: openai-compatible, base_url: 'http://127.0.0.1:8899/v1', model: clerk }
agents:
  - { name: clerk, role: writes files, prompt_template: Write the files., tools: [write_file, shell] }
";

const DESK_SCRIPT: &str = "\
rules:
  - when: { turn: 0 }
    reply: { tool_calls: [{ name: write_file, args: { path: notes.md, content: \"one\\n\" } }] }
  - when: { turn: 1 }
    reply: { tool_calls: [{ name: shell, args: { command: \"echo two >> notes.md; mkdir -p out; echo x > out/a.csv; ln -s /etc/passwd link; rm -f gone\" } }] }
  - when: { turn: 2 }
    reply: { tool_calls: [{ name: create_artifact, args: { path: copy.md, from_file: notes.md, tags: [kept] } }] }
  - when: { turn: 3 }
    reply: { tool_calls: [{ name: create_artifact, args: { path: ../out.md, content: x } }] }
  - when: { turn: 4, last: \"`.` and `..` are not allowed\" }
    reply: { tool_calls: [{ name: create_artifact, args: { path: secret, from_file: link } }] }
  - when: { turn: 5, last: leads outside }
    reply: { text: Done. }
";

#[test]
fn without_a_repository_files_that_tools_write_are_artifacts_with_versions() {
    let (world, elsewhere) = outside(DESK, DESK_SCRIPT);
    let run =
        world.command(&["team", "run", "desk", "Write"]).current_dir(elsewhere.path()).output().unwrap();
    assert_eq!(exit(&run), 0, "{}", said(&run));
    let expected = [("documents/copy.md", "v1"), ("documents/notes.md", "v2"), ("out/a.csv", "v1")];
    assert_eq!(listed(&world), expected.map(|(path, version)| (path.to_owned(), version.to_owned())));
    let id = world.run_id();
    let notes = "documents/notes.md";
    let diff = said(&artifact(&world, &["diff", &id, notes]));
    assert!(diff.contains("+two"), "{diff}");
    // After its end, too: the file itself is as it was then.
    let restored = artifact(&world, &["restore", &id, notes, "v1"]);
    assert_eq!(exit(&restored), 0, "{}", said(&restored));
    assert_eq!(said(&artifact(&world, &["get", &id, notes])), "one\n");
    let versions = said(&artifact(&world, &["versions", &id, notes]));
    assert!(versions.contains("v3") && versions.contains("restored v1"), "{versions}");
    let workspace = std::fs::read_dir(world.home().join("workspaces")).unwrap().next().unwrap().unwrap();
    assert_eq!(std::fs::read_to_string(workspace.path().join("notes.md")).unwrap(), "one\n");
    let missing = artifact(&world, &["restore", &id, notes, "v9"]);
    assert_eq!(exit(&missing), 4, "{}", said(&missing));
    assert!(said(&missing).contains("there are v1 to v3"), "{}", said(&missing));
    let missing = artifact(&world, &["get", &id, "documents/none.md"]);
    assert_eq!(exit(&missing), 4);
    assert!(said(&missing).contains("`amelia artifact list r1` lists them"), "{}", said(&missing));
    let exported = elsewhere.path().join("files");
    world.amelia(&["task", "export", &id, "--to", exported.to_str().unwrap()]);
    for (file, text) in [
        ("documents/notes.md", "one\n"),
        ("documents/.versions/notes.md/v1", "one\n"),
        ("documents/.versions/notes.md/v2", "one\ntwo\n"),
        ("out/a.csv", "x\n"),
    ] {
        assert_eq!(std::fs::read_to_string(exported.join("artifacts").join(file)).unwrap(), text, "{file}");
    }
    assert!(exported.join("artifacts/documents/.metadata.json").exists());
    let of_home = world.home().join("tasks").join(&id).join("artifacts/documents/copy.md");
    assert_eq!(std::fs::read_to_string(of_home).unwrap(), "one\ntwo\n");
    let replayed = world.amelia(&["replay", &id]);
    assert!(said(&replayed).contains("the same"), "{}", said(&replayed));
}

const BANKS: &str = "\
name: banks
default_llm: { provider: openai-compatible, base_url: 'http://127.0.0.1:8899/v1', model: left }
agents:
  - { name: left, role: writes, prompt_template: Write. }
  - { name: right, role: writes, prompt_template: Write., llm_config: { provider: openai-compatible, base_url: 'http://127.0.0.1:8899/v1', model: right } }
collaboration_patterns:
  - { name: both, type: parallel, agents: [left, right] }
";

#[test]
fn two_agents_that_write_one_artifact_at_the_same_time_make_a_conflict_and_lose_nothing() {
    let script = "\
rules:
  - when: { model: left, turn: 0 }
    reply: { tool_calls: [{ name: create_artifact, args: { path: report.md, content: of left } }] }
  - when: { model: right, turn: 0 }
    reply: { delay_ms: 300, tool_calls: [{ name: create_artifact, args: { path: report.md, content: of right } }] }
  - when: { model: left }
    reply: { text: Left is done. }
  - when: { model: right, last: which you have not seen }
    reply: { text: Right has seen the conflict. }
";
    let world = with_team("banks", BANKS, script);
    let run = world.amelia(&["team", "run", "banks", "Write"]);
    assert_eq!(exit(&run), 0, "{}", said(&run));
    assert!(said(&run).contains("Right has seen the conflict"), "{}", said(&run));
    let id = world.run_id();
    let versions = said(&artifact(&world, &["versions", &id, "documents/report.md"]));
    assert!(versions.contains("conflicts with v1"), "{versions}");
    let get =
        |version: &str| said(&artifact(&world, &["get", &id, "documents/report.md", "--version", version]));
    assert_eq!((get("v1"), get("v2")), ("of left".to_owned(), "of right".to_owned()));
}
