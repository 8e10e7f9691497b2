use serde_json::json;

use crate::crew::{ARCHITECT, CONTENT, DEVELOPER, commits, logs, start, world};
use crate::serving::Server;
use crate::world::{text, until};

#[test]
fn the_demo_runs_the_main_job_and_ends_with_a_reviewed_commit() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("home");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_amelia"))
        .args(["demo", "--auto", "--dir"])
        .arg(&home)
        .env_remove("AMELIA_HOME")
        .output()
        .unwrap();
    let shown = text(&output.stdout);
    assert!(output.status.success(), "{shown}\n{}", text(&output.stderr));
    assert!(shown.contains("expected 5 and got -1"), "{shown}");
    assert!(shown.contains("review round 1: changes requested, 1 comment"), "{shown}");
    assert!(shown.contains("review round 2: approved"), "{shown}");
    assert!(
        shown.contains("fix: add instead of subtract") && shown.ends_with("$ ./test.sh\n  ok\n"),
        "{shown}"
    );
    assert_eq!(shown.matches("this is a scripted model").count(), 1, "{shown}");
    let events = std::process::Command::new(env!("CARGO_BIN_EXE_amelia"))
        .args(["--json", "logs", "r1", "--home"])
        .arg(&home)
        .output()
        .unwrap();
    assert!(text(&events.stdout).contains(r#""details":{"notice":"scripted_model"}"#), "programs know it");
}

/// A hook of the repository.
pub(crate) fn hook(world: &crate::world::World, script: &str) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let hook = world.repository().join(".git/hooks/pre-commit");
    std::fs::write(&hook, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    hook
}

#[test]
fn a_hook_that_refuses_the_commit_goes_to_the_developer_then_to_a_person_and_loses_nothing() {
    let helpless = r#####"
  - when: { model: developer, last: "a hook of this repository refused" }
    reply: { text: I cannot sign. }
"#####;
    let world = world(&[ARCHITECT, helpless, DEVELOPER, CONTENT], "");
    let hook = hook(&world, "echo 'sign it first'\nexit 1");
    let output = start(&world, &["--auto"]);
    assert_eq!(output.status.code(), Some(6), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("sign it first"), "{}", text(&output.stderr));
    let asked: Vec<String> = world.server.requests().iter().map(|request| format!("{request:?}")).collect();
    let told = asked.iter().filter(|request| request.contains("sign it first")).count();
    assert_eq!(told, 2, "twice to the Developer, then to a person");
    assert_eq!(commits(&world), Vec::<String>::new());
    std::fs::remove_file(&hook).unwrap();
    let output = world.amelia(&["resume", "--follow", &world.run_id(), "--approve"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(commits(&world).len(), 2);
}

#[test]
fn what_a_hook_refuses_is_mended_by_the_developer() {
    let mends = r#####"
  - when: { model: developer, last: "a hook of this repository refused" }
    reply: { tool_calls: [{ name: write_file, args: { path: SIGNED, content: "yes" } }] }
  - when: { model: developer, last: "created `SIGNED`" }
    reply: { text: Signed. }
"#####;
    let world = world(&[ARCHITECT, mends, DEVELOPER, CONTENT], "");
    hook(&world, "[ -e SIGNED ] || { echo 'sign it first'; exit 1; }");
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}\n{}", text(&output.stderr), logs(&world));
    assert_eq!(commits(&world).len(), 2);
    assert_eq!(world.git(&["show", "amelia/s-1:SIGNED"]), "yes");
}

#[test]
fn a_repository_inside_the_work_goes_to_the_developer_once_then_to_a_person() {
    let clones = r#####"
  - when: { model: developer, last: "git repositories inside it" }
    reply: { text: It shall stay. }
  - when: { model: developer, turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: "git init -q inner && touch inner/f" } }] }
  - when: { model: developer }
    reply: { text: Cloned. }
"#####;
    let world = world(&[ARCHITECT, clones, CONTENT], "");
    let output = start(&world, &["--auto"]);
    assert_eq!(output.status.code(), Some(6), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("git repositories inside the work"), "{}", text(&output.stderr));
    let asked: Vec<String> = world.server.requests().iter().map(|request| format!("{request:?}")).collect();
    let told = asked.iter().filter(|request| request.contains("git repositories inside it")).count();
    assert_eq!((told, commits(&world)), (1, Vec::<String>::new()));
}

/// The sample with a submodule, `lib`, and a Developer who initialises it and does this inside.
fn in_a_submodule(command: &str) -> crate::world::World {
    let works = format!(
        r#####"
  - when: {{ model: developer, last: "was not committed there" }}
    reply: {{ text: It shall stay. }}
  - when: {{ model: developer, text: "### Task 1:", turn: 0 }}
    reply: {{ tool_calls: [{{ name: shell, args: {{ command: "git -c protocol.file.allow=always submodule --quiet update --init && cd lib && echo new >> calc.sh && {command}" }} }}] }}
  - when: {{ model: developer, text: "### Task 1:" }}
    reply: {{ text: Done. }}
"#####
    );
    let world = world(&[ARCHITECT, &works, DEVELOPER, CONTENT], "");
    let library = world.repository().join("../library");
    let library = library.to_str().unwrap();
    world.git(&["clone", "-q", ".", library]);
    world.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "lib"]);
    world.git(&["commit", "-q", "-m", "A library"]);
    world
}

#[test]
fn an_edit_in_a_submodule_goes_to_the_developer_once_then_to_a_person() {
    let world = in_a_submodule("true");
    let output = start(&world, &["--auto"]);
    assert_eq!(output.status.code(), Some(6), "{}\n{}", text(&output.stderr), logs(&world));
    assert!(text(&output.stderr).contains("submodules have changes"), "{}", text(&output.stderr));
    let asked: Vec<String> = world.server.requests().iter().map(|request| format!("{request:?}")).collect();
    let told = asked.iter().filter(|request| request.contains("was not committed there")).count();
    assert_eq!((told, commits(&world)), (1, Vec::<String>::new()));
}

#[test]
fn a_commit_that_only_a_submodule_of_the_worktree_has_is_named_in_the_end() {
    let world = in_a_submodule("git -c user.name=a -c user.email=a@a.test commit -qam inside");
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}\n{}", text(&output.stderr), logs(&world));
    let inside = world.git(&["-C", world.worktree().join("lib").to_str().unwrap(), "rev-parse", "HEAD"]);
    let named = format!("lib at {}", inside.trim());
    let warned = logs(&world).lines().filter(|line| line.contains(" ! ") && line.contains(&named)).count();
    assert_eq!(warned, 1, "{}", logs(&world));
    let why = text(&world.amelia(&["why", &world.run_id()]).stdout);
    assert!(why.contains(&named) && why.contains("push"), "{why}");
}

#[test]
fn an_unknown_author_is_noticed_before_a_model_is_asked() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    world.git(&["config", "user.useConfigOnly", "true"]);
    world.git(&["config", "user.name", ""]);
    let output = start(&world, &["--auto"]);
    assert!(text(&output.stderr).contains("git does not know who you are"), "{}", text(&output.stderr));
    assert_eq!(world.server.requests().len(), 0);
}

#[test]
fn a_task_that_changes_nothing_has_no_commit_and_says_so() {
    let idle = r#####"
  - when: { model: developer, turn: 0 }
    reply: { text: There is nothing to do. }
"#####;
    let world = world(&[ARCHITECT, idle, CONTENT], "plan_path_pattern: ./runs.log");
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(logs(&world).contains("task 1 changed nothing"), "{}", logs(&world));
    assert_eq!(commits(&world), Vec::<String>::new());
}

#[test]
fn commits_that_the_developer_made_itself_are_named_as_those_of_the_task() {
    for parallel in [1, 2] {
        let works = r#####"
  - when: { model: developer, text: "### Task 1:", turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: "sed -i 's/-/+/' calc.sh && git add -A && git commit -qm own1 && touch own && git add -A && git commit -qm own2" } }] }
"#####;
        let beside = ARCHITECT.replace("depends_on: [\"1\"], ", "");
        let world = world(&[&beside, works, DEVELOPER, CONTENT], &format!("parallel_tasks: {parallel}"));
        let output = start(&world, &["--auto"]);
        assert!(output.status.success(), "{}\n{}", text(&output.stderr), logs(&world));
        let log = logs(&world);
        assert!(!log.contains("changed nothing"), "{log}");
        for subject in ["own1", "own2"] {
            let commit = world.git(&["log", "--format=%H", "--grep", subject, "amelia/s-1"]);
            let named = format!("task 1: committed {}: {subject}", &commit[..7]);
            assert_eq!(log.matches(&named).count(), 1, "{log}");
        }
        let run = world.run_id();
        let why = text(&world.amelia(&["why", &run]).stdout);
        assert!(!why.contains("no change"), "{why}");
    }
}

#[test]
fn tasks_whose_numbers_begin_alike_are_all_committed() {
    let architect = r#####"
  - when: { model: architect }
    reply:
      tool_calls:
        - name: write_plan
          args:
            goal: Several files are written one after the other, so that each of them can be looked at alone.
            architecture: Plain files next to each other in one directory, with nothing that would connect them.
            tasks:
              - { number: "10", title: Ten, steps: [{ description: Write it }] }
              - { number: "1", title: One, steps: [{ description: Write it }] }
              - { number: "2.1", title: Two one, steps: [{ description: Write it }] }
              - { number: "2", title: Two, steps: [{ description: Write it }] }
"#####;
    let mut developer = String::new();
    for id in ["10", "1", "2.1", "2"] {
        developer += &format!(
            "  - when: {{ model: developer, text: \"### Task {id}:\", turn: 0 }}\n    reply: {{ tool_calls: [{{ name: write_file, args: {{ path: f{id}.txt, content: x }} }}] }}\n"
        );
    }
    developer += "  - when: { model: developer }\n    reply: { text: Written. }\n";
    let world = world(&[architect, &developer, CONTENT], "");
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(commits(&world), ["feat(S-1): Ten", "feat(S-1): One", "feat(S-1): Two one", "feat(S-1): Two"]);
    let files = world.git(&["ls-tree", "--name-only", "amelia/s-1"]);
    assert!(["f10.txt", "f1.txt", "f2.1.txt", "f2.txt"].iter().all(|file| files.contains(file)), "{files}");
}

#[test]
fn a_worktree_that_somebody_removed_is_not_made_anew() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    start(&world, &[]);
    std::fs::remove_dir_all(world.worktree()).unwrap();
    let refused = world.amelia(&["approve", "--follow"]);
    assert_eq!(refused.status.code(), Some(1), "{}", text(&refused.stderr));
    assert!(text(&refused.stderr).contains("is gone"), "{}", text(&refused.stderr));
    let run = world.run_id();
    assert!(text(&refused.stderr).contains(&format!("amelia worktree restore {run}")));
    let why = text(&world.amelia(&["why", &run]).stdout);
    assert!(why.contains("next") && why.contains("worktree restore r1; then"), "{why}");
    let restored = world.amelia(&["worktree", "restore", &run]);
    assert!(restored.status.success(), "{}", text(&restored.stderr));
    assert!(world.worktree().join(".git").exists());
    let cancelled = world.amelia(&["cancel", &run]);
    assert!(cancelled.status.success(), "{}", text(&cancelled.stderr));
}

#[test]
fn what_the_user_edits_in_place_while_an_agent_asks_is_not_committed() {
    let asks = r#####"
  - when: { model: developer, text: "### Task 1:", turn: 1 }
    reply: { tool_calls: [{ name: ask_human, args: { question: "Which colour?" } }] }
  - when: { model: developer, text: "### Task 1:", turn: 2 }
    reply: { text: It adds now. }
"#####;
    let world = world(&[ARCHITECT, asks, DEVELOPER, CONTENT], "");
    start(&world, &["--in-place", "--auto"]);
    let own = world.repository().join("notes.txt");
    std::fs::write(&own, "mine\n").unwrap();
    let shown = || text(&world.amelia(&["diff", &world.run_id()]).stdout);
    assert!(shown().contains("calc.sh") && !shown().contains("notes.txt"), "{}", shown());
    let done = world.amelia(&["answer", &world.run_id(), "--message", "green", "--follow"]);
    assert!(done.status.success(), "{}\n{}", text(&done.stderr), logs(&world));
    let files = world.git(&["log", "--name-only", "--format=", "HEAD~2..HEAD"]);
    assert!(files.contains("calc.sh") && !files.contains("notes.txt"), "{files}");
    assert!(shown().contains("README.md") && !shown().contains("notes.txt"), "{}", shown());
    assert_eq!(std::fs::read_to_string(&own).unwrap(), "mine\n");
}

#[test]
fn what_the_user_edits_in_place_while_a_plan_waits_is_not_committed() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    start(&world, &["--in-place"]);
    let own = world.repository().join("notes.txt");
    std::fs::write(&own, "mine\n").unwrap();
    std::fs::write(world.repository().join("test.sh"), "#!/bin/sh\n# mine\n").unwrap();
    let noted = || std::fs::read_dir(world.home().join("own-edits")).unwrap().count();
    assert_eq!(noted(), 1);
    let done = world.amelia(&["approve", "--follow"]);
    assert!(done.status.success(), "{}\n{}", text(&done.stderr), logs(&world));
    assert_eq!(noted(), 0, "it is of use no more");
    let files = world.git(&["log", "--name-only", "--format=", "HEAD~2..HEAD"]);
    assert!(files.contains("calc.sh") && files.contains("README.md"), "{files}");
    assert!(!files.contains("notes.txt") && !files.contains("test.sh"), "{files}");
    assert_eq!(std::fs::read_to_string(&own).unwrap(), "mine\n");
    assert!(world.git(&["status", "--porcelain"]).contains("test.sh"));
}

#[test]
fn changes_after_the_review_are_not_committed_silently() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let server = Server::start(&world);
    let run = server.order(&world);
    until("it waits for an approval", || server.status(&run) == "awaiting_approval");
    server.ask("PUT", &format!("/workflows/{run}/breakpoints"), Some(json!({"nodes": ["commit"]})));
    server.tell(&run, "approve", json!({}));
    let late = |content: &str| {
        until("it stops before the commit", || server.shown(&run, "")["why"]["waiting_for"] == "breakpoint");
        std::fs::write(world.worktree().join("late.txt"), content).unwrap();
        server.tell(&run, "continue", json!({}));
    };
    late("first");
    late("second");
    until("it asks", || server.shown(&run, "")["why"]["waiting_for"] == "escalation");
    let asked = server.shown(&run, "")["pending_requests"][0]["prompt"].to_string();
    assert!(asked.contains("late.txt changed once more after the review: commit it as it is?"), "{asked}");
    let log = logs(&world);
    assert!(log.contains("late.txt changed after the review: it is checked and reviewed again"), "{log}");
    assert!(log.contains("task 1: review round 2: approved"), "{log}");
    assert_eq!(commits(&world).len(), 0);
    server.ask("PUT", &format!("/workflows/{run}/breakpoints"), Some(json!({"nodes": []})));
    let done = world.amelia(&["resume", &run, "--approve", "--wait"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert_eq!(commits(&world), ["feat(S-1): Add instead of subtract", "docs: say how it is used"]);
    drop(server);
    let played = world.amelia(&["replay", &run]);
    assert!(played.status.success(), "{}{}", text(&played.stdout), text(&played.stderr));
}
