//! From an issue to reviewed commits, with a person who wants to be asked, and a server that is killed in the middle.

use crate::crew::{By, Cast};
use crate::world::{orphans, text, until};

#[test]
fn claude_in_every_role() {
    carried_out([By::Claude, By::Claude, By::Claude]);
}

#[test]
fn codex_in_every_role() {
    carried_out([By::Codex, By::Codex, By::Codex]);
}

#[test]
fn claude_plans_codex_works_and_a_model_reviews() {
    carried_out([By::Claude, By::Codex, By::Api]);
}

fn carried_out(roles: [By; 3]) {
    let Some(cast) = Cast::new(roles, "permissions: commands") else { return };
    let world = &cast.world;
    let mut server = cast.serving();
    let order = world.amelia(&["start", "S-1", "--title", "It does not add", "--no-autostart"]);
    assert!(order.status.success(), "{}", text(&order.stderr));
    until("the plan is there", || at(&cast, |status| status["waiting"] == "approval"));
    assert!(world.amelia(&["approve", "--no-autostart"]).status.success());
    allow(&cast, "go");

    // The command is under way: the server dies.
    let log = world.worktree().join("runs.log");
    until("the command has begun", || std::fs::read_to_string(&log).is_ok_and(|text| text.contains("begun")));
    server.kill().unwrap();
    server.wait().unwrap();
    let mut server = cast.serving();
    // It goes on by itself, and asks about the next command.
    allow(&cast, "README.md");
    until("it is done", || at(&cast, |status| status == "completed"));
    server.kill().unwrap();
    server.wait().unwrap();

    let subjects = world.git(&["log", "--format=%s", "--reverse", "main..amelia/s-1"]);
    let subjects: Vec<&str> = subjects.lines().collect();
    assert_eq!(subjects, ["feat(S-1): Add instead of subtract", "docs: say how it is used"]);
    assert!(world.git(&["show", "amelia/s-1:calc.sh"]).contains("$1 + $2"));
    assert_eq!(world.git(&["show", "amelia/s-1:README.md"]), "calc.sh A B\n");
    let run = world.run_id();
    until("nobody is left", || orphans(&run).is_empty());
    replayed(&cast);
}

/// Waits until the run asks for leave to do something, and gives it.
fn allow(cast: &Cast, about: &str) {
    until("it asks for leave", || at(cast, |_| cast.permission().is_some_and(|asked| asked.contains(about))));
    let allowed = cast.world.amelia(&["approve", "--no-autostart"]);
    assert!(allowed.status.success(), "{}", text(&allowed.stderr));
}

/// Whether the status is so; a failure ends the test.
fn at(cast: &Cast, is_so: impl Fn(&serde_json::Value) -> bool) -> bool {
    let status = cast.status();
    if status == "failed" {
        let asked = cast.world.server.requests();
        let last = asked.last().map(|request| format!("{:?}", request.outcome)).unwrap_or_default();
        panic!("{}\n{last}", cast.world.run().unwrap()["view"]["failure"]);
    }
    is_so(&status)
}

/// Without any network: the same log, the same tree.
fn replayed(cast: &Cast) {
    let run = cast.world.run_id();
    let asked = cast.world.server.requests().len();
    let played = cast.world.wrapped(&["unshare", "-n"], &["replay", &run]).output().unwrap();
    let shown = text(&played.stdout) + &text(&played.stderr);
    assert!(played.status.success(), "{shown}");
    assert!(shown.contains("the same tree"), "{shown}");
    assert_eq!(cast.world.server.requests().len(), asked, "nobody was asked");
}

#[test]
fn the_documented_script_for_claude_does_the_main_job() {
    let script = crate::documented::script("Programs: `claude` and `codex`");
    let Some(cast) = Cast::playing(&script, [By::Claude; 3], "") else { return };
    let done = cast.world.amelia(&["start", "S-1", "--title", "Print a greeting", "--auto"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert_eq!(cast.world.git(&["show", "amelia/s-1:hello.sh"]), "echo Hello\n");
}
