//! A scripted crew for the sample repository, one piece of script per role, and a profile that casts it.

use std::process::Output;

use crate::world::{World, text};

pub(crate) const ARCHITECT: &str = r#####"
  - when: { model: architect, turn: 0 }
    reply: { tool_calls: [{ name: read_file, args: { path: calc.sh } }] }
  - when: { model: architect, turn: 1 }
    reply:
      tool_calls:
        - name: write_plan
          args:
            goal: The sample adds its two numbers and says how it is used, as the issue asks for it.
            architecture: It stays one shell script with one test beside it, nothing is added to that.
            tasks:
              - { number: "1", title: Add instead of subtract, files: [{ operation: modify, path: calc.sh }], steps: [{ description: Replace the minus }] }
              - { number: "2", title: Say how it is used, depends_on: ["1"], files: [{ operation: create, path: README.md }], steps: [{ description: Write it }], commit_message: "docs: say how it is used" }
"#####;

pub(crate) const DEVELOPER: &str = r#####"
  - when: { model: developer, text: "### Task 1:", turn: 0 }
    reply: { tool_calls: [{ name: edit_file, args: { path: calc.sh, edits: [{ old: '$1 - $2', new: '$1 + $2' }] } }, { name: shell, args: { command: "echo ran >> runs.log" } }] }
  - when: { model: developer, text: "### Task 1:", turn: 1 }
    reply: { text: It adds now. }
  - when: { model: developer, text: "### Task 2:", turn: 0 }
    reply: { tool_calls: [{ name: write_file, args: { path: README.md, content: "calc.sh A B\n" } }] }
  - when: { model: developer, text: "### Task 2:", turn: 1 }
    reply: { text: It says so now. }
"#####;

pub(crate) const CONTENT: &str = r#####"
  - when: { model: reviewer, turn: 0 }
    reply: { tool_calls: [{ name: submit_review, args: { approved: true, severity: none, comments: [] } }] }
"#####;

/// A world whose model plays these pieces, with the profile `crew` in it. `more` goes into the profile; a role in it is not
/// played by the model.
pub(crate) fn world(pieces: &[&str], more: &str) -> World {
    let is_usual = |role: &&str| !more.contains(&format!("    {role}: "));
    let usual: Vec<&str> = ROLES.into_iter().filter(is_usual).collect();
    cast_world(pieces, &usual, "repo_root", more)
}

pub(crate) const ROLES: [&str; 4] = ["architect", "developer", "reviewer", "evaluator"];

/// The same with these roles played by the model, and the repository said by this field.
pub(crate) fn cast_world(pieces: &[&str], roles: &[&str], root: &str, more: &str) -> World {
    let world = World::new(&format!("rules:\n{}", pieces.concat()));
    cast_profile(&world, roles, root, more);
    world
}

/// The profile `crew`, with these roles played by the model.
pub(crate) fn cast_profile(world: &World, roles: &[&str], root: &str, more: &str) {
    let url = world.server.url();
    let agent = |role: &&str| {
        format!("    {role}: {{ driver: api, model: {role}, options: {{ base_url: '{url}/v1' }} }}\n")
    };
    let agents: String = roles.iter().map(agent).collect();
    let profile = format!(
        "name: crew\n{root}: {}\nretry: {{ max_retries: 0 }}\nagents:\n{agents}{more}\n",
        world.repository().display()
    );
    let file = world.repository().join("../crew.yaml");
    std::fs::write(&file, profile).unwrap();
    let kept = world.amelia(&["config", "profile", "apply", "-f", file.to_str().unwrap()]);
    assert!(kept.status.success(), "{}", text(&kept.stderr));
}

pub(crate) const CHECKED: &str = "checks: [{ name: tests, command: ./test.sh, timeout: 30 }]";

pub(crate) fn start(world: &World, more: &[&str]) -> Output {
    let fixed =
        ["start", "--follow", "S-1", "--title", "It does not add", "--description", "2 and 3 give -1"];
    world.amelia(&fixed.iter().chain(more).copied().collect::<Vec<_>>())
}

/// Subjects of the commits on the run's branch, oldest first.
pub(crate) fn commits(world: &World) -> Vec<String> {
    let log = world.git(&["log", "--format=%s", "--reverse", "main..amelia/s-1"]);
    log.lines().map(str::to_owned).collect()
}

pub(crate) fn logs(world: &World) -> String {
    text(&world.amelia(&["logs", &world.run_id()]).stdout)
}

pub(crate) fn status(world: &World) -> String {
    world.run().unwrap()["view"]["status"].to_string()
}
