//! What a run has made, as it is and as it was.

use serde_json::{Value, json};

use crate::approving::REVISED;
use crate::crew::{ARCHITECT, CONTENT, DEVELOPER, world};
use crate::serving::Server;
use crate::world::until;

fn paths(diff: &Value) -> Vec<&str> {
    let files = diff["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap());
    files.filter(|path| !path.ends_with(".md") || *path == "README.md").collect()
}

#[test]
fn what_was_committed_is_shown_by_moment_and_by_task_and_outlives_the_worktree() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let server = Server::start(&world);
    let run = server.order(&world);
    until("it waits for an approval", || server.status(&run) == "awaiting_approval");
    let early = server.shown(&run, "?format=row")["view"]["seq"].as_u64().unwrap();
    server.tell(&run, "approve", json!({}));
    until("it is done", || server.status(&run) == "completed");
    let detail = server.shown(&run, "");
    let worktree = world.worktree();
    assert_eq!((&detail["branch"], &detail["issue_id"]), (&json!("amelia/s-1"), &json!("S-1")));
    assert_eq!(detail["worktree"], json!(worktree));
    let (_, list) = server.ask("GET", "/workflows", None);
    assert_eq!(list["items"][0]["branch"], "amelia/s-1");
    let log = server.shown(&run, "/events?format=log&limit=500");
    let commits: Vec<u64> = log["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| !event["kind"]["task"]["committed"].is_null())
        .map(|event| event["seq"].as_u64().unwrap())
        .collect();
    let [first, second] = commits[..] else { panic!("{commits:?}") };
    let look = |query: &str| server.shown(&run, &format!("/diff{query}"));
    let check = |now: &Value| {
        assert_eq!(paths(now), ["README.md", "calc.sh"], "{now}");
        for (query, expected) in [
            (format!("?at={early}"), &[][..]),
            ("?at=0".to_owned(), &[]),
            (format!("?at={}", first - 1), &[]),
            (format!("?at={first}"), &["calc.sh"]),
            (format!("?at={}", second - 1), &["calc.sh"]),
            (format!("?at={second}"), &["README.md", "calc.sh"]),
            ("?task=1".to_owned(), &["calc.sh"]),
            ("?task=2&stat=true".to_owned(), &["README.md"]),
        ] {
            let diff = look(&query);
            assert_eq!(paths(&diff), expected, "{query}: {diff}");
            assert_eq!(diff["branch"], "amelia/s-1");
            let has_text = diff["diff"].as_str().unwrap().contains("calc.sh");
            assert_eq!(has_text, expected.contains(&"calc.sh"), "{query}: {diff}");
        }
    };
    check(&look(""));
    let (status, refused) = server.ask("GET", &format!("/workflows/{run}/diff?task=3"), None);
    assert_eq!((status, &refused["error"]["hint"]), (404, &json!("its tasks are 1, 2")), "{refused}");
    world.git(&["worktree", "remove", "--force", worktree.to_str().unwrap()]);
    check(&look(""));
    assert_eq!(server.shown(&run, "")["worktree"], Value::Null);
}

#[test]
fn every_plan_that_there_was_is_shown_with_what_was_said_to_it() {
    let world = world(&[ARCHITECT, REVISED, DEVELOPER, CONTENT], "");
    let server = Server::start(&world);
    let run = server.order(&world);
    until("it waits for an approval", || server.status(&run) == "awaiting_approval");
    let asked = || server.shown(&run, "/hitl/requests")["items"][0]["request_id"].clone();
    let first = asked();
    server.tell(&run, "reject", json!({"feedback": "call it sum.sh"}));
    until("it asks again", || server.status(&run) == "awaiting_approval" && asked() != first);
    server.tell(&run, "approve", json!({"feedback": "good"}));
    until("it is done", || server.status(&run) == "completed");
    let plans = server.shown(&run, "/plans")["items"].clone();
    let shown: Vec<(u64, &Value, bool)> = plans
        .as_array()
        .unwrap()
        .iter()
        .map(|plan| {
            let is_mended = plan["plan"].as_str().unwrap().contains("Add as sum.sh");
            (plan["revision"].as_u64().unwrap(), &plan["feedback"], is_mended)
        })
        .collect();
    assert_eq!(shown, [(1, &json!("call it sum.sh"), false), (2, &json!("good"), true)], "{plans}");
    assert!(plans[0]["sequence"].as_u64() < plans[1]["sequence"].as_u64(), "{plans}");
}

#[test]
fn a_log_says_who_speaks_and_what_is_done_as_the_live_view_does() {
    let world = crate::world::World::new(crate::world::FIX);
    assert!(world.run_do("chat", &[]).status.success());
    let log = crate::crew::logs(&world);
    let line =
        |text: &str| log.lines().find(|line| line.ends_with(text)).unwrap_or_else(|| panic!("{text}: {log}"));
    assert!(line("created: make the failing test pass").contains("• amelia      "), "{log}");
    assert!(line("I look at the code first.").contains("• Developer   "), "{log}");
    assert!(line("✓ Developer   edit calc.sh +1 -1").contains(':'), "{log}");
    assert!(line("✓ Developer   run echo ran >> runs.log; ./test.sh").contains(':'), "{log}");
}
