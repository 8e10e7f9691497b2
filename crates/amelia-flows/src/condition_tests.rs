use serde_json::json;

use super::*;
use crate::chat::Chat;

fn variables(value: Value) -> BTreeMap<String, Value> {
    serde_json::from_value(value).unwrap()
}

fn evaluated(text: &str, given: Value) -> Result<Verdict, String> {
    Condition::parse(text).unwrap_or_else(|error| panic!("{text}: {error}")).evaluate(&variables(given))
}

#[test]
fn expressions_see_the_state_and_missing_keys_are_null() {
    let given = json!({
        "messages": [{"role": "user", "agent": "writer", "text": "hi"}],
        "last": "all good. DONE",
        "routing_key": "approve",
        "turns": 3,
        "cost_usd": 0.25,
        "metadata": {"score": 0.9, "tries": 2, "draft": "x"},
    });
    for text in [
        "state.score >= 0.8 && size(messages) < 20",
        "state['score'] >= 0.8 and len(messages) < 20",
        "metadata.tries == 2 && metadata.tries < 2.5",
        "metadata.tries + 1 == 3 && turns + metadata.tries == 5",
        "state.missing == null",
        "state.get('missing') == None or False",
        "not state.score == 0.8 and turns == 3",
        "not (turns > 3 or cost_usd > 1)",
        "messages.exists(m, m.agent == 'writer')",
        "last.contains('DONE') and last.matches('go+d')",
        "routing_key in ['approve', 'modify']",
        "'and not or True' == 'and not or True'",
        "turns > 2.5",
    ] {
        assert_eq!(evaluated(text, given.clone()), Ok(Verdict::Bool(true)), "{text}");
    }
    assert_eq!(evaluated("routing_key", given.clone()), Ok(Verdict::Label("approve".into())));
    assert_eq!(evaluated("turns > 5 ? 'stop' : 'again'", given), Ok(Verdict::Label("again".into())));
}

#[test]
fn values_that_do_not_fit_are_an_error_and_no_panic() {
    let given = json!({"metadata": {"score": "high", "half": 0.5}});
    for (text, expected) in [
        ("state.score >= 0.8", "`>=` cannot compare text with a number; `score` is \"high\""),
        ("state.missing > 3", "`>` cannot compare a missing value with a number; `missing` is not set"),
        ("state.missing", "its value is missing; `missing` is not set"),
        ("routing_key", "its value is missing; `routing_key` is not set"),
        ("state.score + 1 > 2", "`+` cannot be used with text and a number; `score` is \"high\""),
        (
            "state.half + 1 > 2",
            "`+` cannot be used with a whole number and a decimal number: write `1.0` for `1`; `half` is 0.5",
        ),
    ] {
        assert_eq!(evaluated(text, given.clone()), Err(expected.to_owned()), "{text}");
    }
}

#[test]
fn what_is_wrong_is_told_with_its_column() {
    let refused =
        |text: &str| Condition::parse(text).err().map(|error| error.to_string()).unwrap_or_default();
    for (text, expected) in [
        ("score > 1", "column 1: there is no variable `score`"),
        ("turns > 'x'", "column 7: a number cannot be compared with text"),
        ("size(messages)", "column 1: must be true, false or a label, but this is a number"),
        ("turns > 1 and frob(last)", "column 19: there is no function `frob`"),
        ("has(state.x)", "`has` is not needed"),
        ("state[last]", "column 7: a key must be a literal"),
        ("turns > ", "this is not an expression: it ends too early"),
        ("turns > > 1", "this is not an expression: `>` is not expected here"),
        ("1 if turns else 2", "column 3: `if` is Python"),
        ("last not in ['a']", "column 6: `not in` is written"),
        ("state.get('a', 1) > 2", "column 7: `.get` takes one key"),
        ("last == 'open", "column 9: this string is not closed"),
        ("messages.all(m, messages.all(n, true))", "cannot be nested"),
        ("1 < turns < 3", "true or false cannot be compared with a number"),
        ("last.foo == 1", "text has no key `foo`"),
        ("messages > 3", "lists and mappings have no order"),
    ] {
        assert!(refused(text).contains(expected), "{text}: {}", refused(text));
    }
    assert!(refused(&"a".repeat(3_000)).contains("longer than"));
}

#[test]
fn deep_expressions_are_refused_and_what_is_allowed_fits_a_small_stack() {
    let refused = |text: &str| Condition::parse(text).err().map(|error| error.message).unwrap_or_default();
    for deep in ["(", "[", "!", "-", "not ", "turns > 1 ? true : "] {
        let found = refused(&deep.repeat(30));
        assert!(found.contains("nested too deeply") || found.contains("too long"), "{deep}: {found}");
    }
    assert!(refused(&["turns > 1"; 70].join(" && ")).contains("too long"));
    let deepest = [
        format!("{}turns > 1{}", "(".repeat(24), ")".repeat(24)),
        format!("{}(turns > 1)", "!".repeat(23)),
        format!("{} > 1", ["turns"; 24].join(" + ")),
        format!("{}true", "turns > 1 ? true : ".repeat(24)),
        ["turns > 1"; 32].join(" && "),
        format!("state{} == null", ".x".repeat(70)),
    ];
    // As small as the stack of a worker of the runtime.
    let small = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
    let evaluate = move || deepest.map(|text| evaluated(&text, json!({"turns": 3})).is_ok());
    assert_eq!(small.spawn(evaluate).unwrap().join().unwrap(), [true, true, true, true, true, false]);
}

#[test]
fn an_expression_goes_through_at_most_a_thousand_values() {
    let given = |count: usize| {
        let items: Vec<usize> = (1..=count).collect();
        let scores: serde_json::Map<String, Value> =
            items.iter().map(|item| (item.to_string(), json!(item))).collect();
        json!({"metadata": {"items": items, "scores": scores}})
    };
    for text in [
        "state.items.all(item, item > 0)",
        "size(state.items) > 0 && state.items.exists(item, item == 1)",
        "state.items.filter(item, item > 0).exists(item, item == 1)",
        "size(state.items.map(item, item + 1)) > 2",
        "state.scores.all(name, name != '')",
    ] {
        assert_eq!(evaluated(text, given(1_000)), Ok(Verdict::Bool(true)), "{text}");
        let expected = "it goes through a list of 1001 values, and the most are 1000".to_owned();
        assert_eq!(evaluated(text, given(1_001)), Err(expected), "{text}");
    }
    assert_eq!(
        evaluated("size(state.items) == 5000 && 5000 in state.items", given(5_000)),
        Ok(Verdict::Bool(true))
    );
}

#[test]
fn the_tasks_of_a_plan_are_a_list_and_empty_without_one() {
    let decided = |text: &str, plan: Value| {
        let metadata = serde_json::from_value(json!({"plan": plan})).unwrap();
        let state = Chat::begin("", metadata, jiff::Timestamp::UNIX_EPOCH);
        Condition::parse(text).unwrap().evaluate(&state)
    };
    let tasks = json!([{"task_id": "1", "status": "completed"}, {"task_id": "2", "status": "pending"}]);
    let is_open = "plan.exists(task, task.status == 'pending') && size(plan) == 2";
    for plan in [tasks.clone(), json!({"goal": "g", "tasks": tasks})] {
        assert_eq!(decided(is_open, plan), Ok(Verdict::Bool(true)));
    }
    for plan in [Value::Null, json!("1. Write it"), json!({"goal": "g"})] {
        assert_eq!(decided("plan == []", plan.clone()), Ok(Verdict::Bool(true)), "{plan}");
    }
    let refused = Condition::parse("plan > 3").err().unwrap().message;
    assert!(refused.contains("lists and mappings have no order"), "{refused}");
}
