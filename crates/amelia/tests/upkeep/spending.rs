//! `amelia usage` and `amelia compare`, over runs of a crew whose models say what they used.

use serde_json::{Value, json};

use crate::crew::{ARCHITECT, CHECKED, CONTENT, DEVELOPER, start, world};
use crate::world::{World, text};

fn json_of(world: &World, arguments: &[&str]) -> Value {
    let output = world.amelia(&[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn done() -> World {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], CHECKED);
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    world
}

#[test]
fn usage_adds_up_the_same_by_everything_and_its_unknown_price_is_not_nothing() {
    let world = done();
    let total = json_of(&world, &["usage"])["total"].clone();
    assert!(total["calls"].as_u64().unwrap() > 0, "{total}");
    assert_eq!(total["cost_usd"], Value::Null, "nobody knows the price of these models: {total}");
    for by in ["run", "agent", "model", "day"] {
        let usage = json_of(&world, &["usage", "--by", by]);
        let rows = usage["rows"].as_array().unwrap();
        let calls: u64 = rows.iter().map(|row| row["calls"].as_u64().unwrap()).sum();
        assert_eq!((&usage["by"], calls), (&json!(by), total["calls"].as_u64().unwrap()), "{usage}");
        assert!(rows.iter().all(|row| row[by].is_string()), "{usage}");
    }
    let shown = text(&world.amelia(&["usage", "--by", "agent"]).stdout);
    assert!(shown.starts_with("AGENT") && shown.contains("\ndeveloper "), "{shown}");
    assert!(shown.lines().skip(1).all(|line| line.ends_with("unknown")), "{shown}");
    let csv = text(&world.amelia(&["usage", "--by", "run", "--csv"]).stdout);
    assert!(csv.starts_with("run,title,tokens,cost_usd,calls,unpriced_calls,estimated_calls\r\n"), "{csv}");
    assert_eq!(csv.lines().count(), 2, "{csv}");
    assert_eq!(json_of(&world, &["usage", "--since", "2999-01-01"])["rows"], json!([]));
    // There is one run: all was spent by it.
    for by in ["run", "agent", "model", "day"] {
        let of_run = json_of(&world, &["usage", "r1", "--by", by]);
        assert_eq!((&of_run["by"], &of_run["total"]), (&json!(by), &total), "{of_run}");
    }
    let shown = text(&world.amelia(&["usage", "r1"]).stdout);
    assert!(shown.starts_with("AGENT") && shown.contains("\ndeveloper "), "{shown}");
    assert_eq!(world.amelia(&["usage", "r7"]).status.code(), Some(4));
}

#[test]
fn usage_of_nothing_is_nothing_and_a_day_that_is_none_is_refused() {
    let world = World::new(&format!("rules:\n{CONTENT}"));
    assert_eq!(text(&world.amelia(&["usage"]).stdout), "nothing was spent\n");
    assert_eq!(json_of(&world, &["usage"])["rows"], json!([]));
    assert_eq!(world.amelia(&["usage", "--since", "yesterday"]).status.code(), Some(2));
}

#[test]
fn two_runs_are_compared_by_what_they_have_done() {
    let world = done();
    let first = world.run_id();
    // As long as the usual name: the crew is told its branch, and counts what it is told.
    let again = start(&world, &["--auto", "--branch", "amelia/s-2"]);
    assert!(again.status.success(), "{}", text(&again.stderr));
    let second = world.run_id();
    assert_ne!(first, second);
    let compared = json_of(&world, &["compare", &first, &second]);
    assert_eq!(compared["a"]["tasks"], json!({"done": 2, "total": 2}), "{compared}");
    assert_eq!(compared["different"], json!([]), "the same crew did the same: {compared}");
    let shown = text(&world.amelia(&["compare", &first, &second]).stdout);
    let words: Vec<Vec<&str>> = shown.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(words.contains(&vec!["status", "completed", "completed"]), "{shown}");
    assert!(words.contains(&"tasks 2 of 2 done 2 of 2 done".split(' ').collect()), "{shown}");
    assert!(words.contains(&vec!["review", "rounds", "2", "2"]), "one of each task: {shown}");
    let checks = "last checks 1 of 1 passed 1 of 1 passed";
    assert!(words.contains(&checks.split(' ').collect()), "a commit does not forget them: {shown}");
    assert!(words.contains(&vec!["README.md", "+1", "-0", "+1", "-0"]), "{shown}");
    assert!(shown.ends_with("plans are the same\n"), "{shown}");
    assert_eq!(world.amelia(&["compare", &first, "ffff"]).status.code(), Some(4));
}

#[test]
fn a_plan_is_shown_with_what_it_will_probably_cost() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], CHECKED);
    assert_eq!(start(&world, &[]).status.code(), Some(6), "the plan waits");
    assert_eq!(
        json_of(&world, &["plan", "show"])["estimate"],
        Value::Null,
        "there is nothing to compare with"
    );
    assert!(!text(&world.amelia(&["plan", "show"]).stdout).contains("Estimate"));
    let done = world.amelia(&["approve", "--follow"]);
    assert!(done.status.success(), "{}", text(&done.stderr));

    assert_eq!(start(&world, &["--branch", "amelia/s-2"]).status.code(), Some(6), "the plan waits");
    let estimate = json_of(&world, &["plan", "show"])["estimate"].clone();
    let by_agent = json_of(&world, &["usage", "--by", "agent"]);
    let rows = by_agent["rows"].as_array().unwrap();
    let after_plan = rows.iter().filter(|row| row["agent"] != "architect");
    let tokens: u64 = after_plan.map(|row| row["tokens"].as_u64().unwrap()).sum();
    assert_eq!((&estimate["tokens"], &estimate["runs"]), (&json!(tokens), &json!(1)), "{estimate}");
    assert_eq!(estimate["cost_usd"], Value::Null, "these models have no price");
    let shown = text(&world.amelia(&["plan", "show"]).stdout);
    assert!(
        shown.contains("\nEstimate: about ") && shown.contains("in the last run with profile crew)"),
        "{shown}"
    );
    assert_eq!(json_of(&world, &["inbox"])[0]["estimate"], estimate);
    let inbox = text(&world.amelia(&["inbox"]).stdout);
    assert!(inbox.contains(&format!("\n  estimate: {}\n", estimate["text"].as_str().unwrap())), "{inbox}");
}
