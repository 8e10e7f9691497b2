//! The inbox as a process: open questions, and runs that stopped without one.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::crew::{ARCHITECT, start, world};
use crate::world::{World, text, until};

/// An answer that is not there before its run is killed.
const SLOW: &str = r#"
  - when: { model: developer, text: look slowly }
    reply: { text: Done., delay_ms: 600000 }
"#;

/// A run whose plan waits, one that has failed because no rule answers its model, and one that lost its process.
fn three_runs() -> World {
    let world = world(&[ARCHITECT, SLOW], "");
    assert_eq!(start(&world, &[]).status.code(), Some(6), "the plan waits");
    // A server would continue what was interrupted.
    assert!(world.amelia(&["server", "stop"]).status.success());
    let failed = world.amelia(&["do", "look"]);
    assert_eq!(failed.status.code(), Some(1), "{}", text(&failed.stderr));
    let mut child = world.start(&["do", "look slowly"]);
    until("the model is asked", || {
        world.server.requests().iter().any(|request| request.body.to_string().contains("look slowly"))
    });
    child.kill().unwrap();
    child.wait().unwrap();
    world
}

fn json_of(world: &World, arguments: &[&str]) -> Value {
    let output = world.amelia(&[arguments, &["--json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text(&output.stderr)))
}

#[test]
fn the_inbox_holds_questions_and_runs_that_failed_or_were_interrupted() {
    let world = three_runs();
    let shown = text(&world.amelia(&["inbox"]).stdout);
    for words in
        ["approve r1", "\nr2 look  failed ", " resume r2", "\nr3 look slowly  interrupted ", " resume r3"]
    {
        assert!(shown.contains(words), "{words:?} is not in:\n{shown}");
    }
    let inbox = json_of(&world, &["inbox"]);
    let items = inbox.as_array().unwrap();
    let word = |item: &Value, name: &str| item[name].as_str().unwrap().to_owned();
    let kinds: Vec<(String, String)> =
        items.iter().map(|item| (word(item, "short_id"), word(item, "kind"))).collect();
    let expected = [("r1", "approval"), ("r2", "failed"), ("r3", "interrupted")];
    assert_eq!(kinds, expected.map(|(run, kind)| (run.to_owned(), kind.to_owned())));
    let failed = json_of(&world, &["status", "r2"]);
    assert_eq!(items[1]["prompt"], failed["error"]);
    assert_eq!(items[1]["context"]["error_code"], failed["error_code"]);
    let fields = |item: &Value| item.as_object().unwrap().keys().cloned().collect::<BTreeSet<String>>();
    assert!(items.iter().all(|item| fields(item) == fields(&items[0])), "{inbox}");
}
