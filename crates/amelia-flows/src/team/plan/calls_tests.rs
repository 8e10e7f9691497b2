use super::*;

/// A plan after these calls, and what the last one said.
fn after(scope: &PlanScope, calls: &[(&str, Value)]) -> (Plan, Result<String, String>) {
    let mut plan = Plan { goal: "Rivers".to_owned(), ..Plan::default() };
    let mut said = Ok(String::new());
    for (tool, args) in calls {
        said = called(&mut plan, scope, tool, args.as_object().unwrap());
    }
    (plan, said)
}

fn scope() -> PlanScope {
    PlanScope { agents: vec!["writer".to_owned(), "critic".to_owned()], own: None }
}

fn add(args: Value) -> (&'static str, Value) {
    (ADD, args)
}

fn update(args: Value) -> (&'static str, Value) {
    (UPDATE, args)
}

/// Two tasks, one behind the other.
fn two() -> Vec<(&'static str, Value)> {
    vec![
        add(json!({"description": "Look"})),
        add(json!({"description": "Write", "dependencies": ["1"], "assigned_agent": "writer"})),
    ]
}

fn refused(call: (&'static str, Value)) -> String {
    let (before, _) = after(&scope(), &two());
    let calls: Vec<_> = two().into_iter().chain([call]).collect();
    let (plan, said) = after(&scope(), &calls);
    assert_eq!(plan, before, "a call that is refused changes nothing");
    said.unwrap_err()
}

#[test]
fn tasks_are_added_with_free_numbers_and_all_that_is_known_of_them() {
    let (plan, said) = after(
        &scope(),
        &[
            add(json!({"description": "Look", "task_id": "2"})),
            add(json!({"description": "Think"})),
            add(json!({
                "description": "Write", "assigned_agent": "writer", "dependencies": ["2", "1", "2"],
                "priority": "high", "estimated_duration": "15m", "metadata": {"words": 50},
            })),
        ],
    );
    let ids: Vec<&str> = plan.tasks.iter().map(|task| task.id.as_str()).collect();
    assert_eq!(ids, ["2", "1", "3"]);
    let expected = json!({
        "task_id": "3", "description": "Write", "status": "pending", "assigned_agent": "writer", "priority": 1,
        "dependencies": ["2", "1"], "estimated_duration": "15m", "metadata": {"words": 50},
    });
    assert_eq!(serde_json::from_str::<Value>(&said.unwrap()).unwrap(), expected);
    let (_, read) = after(&scope(), &[two().remove(0), (READ, json!({}))]);
    let read: Value = serde_json::from_str(&read.unwrap()).unwrap();
    assert_eq!((&read["goal"], &read["tasks"][0]["description"]), (&json!("Rivers"), &json!("Look")));
}

#[test]
fn a_task_is_changed_by_the_tool_for_it() {
    let calls = two().into_iter().chain([
        update(
            json!({"task_id": "1", "description": "Look well", "priority": 7, "metadata": {"a": 1, "b": 2}}),
        ),
        update(json!({"task_id": "1", "status": "completed", "metadata": {"a": null}})),
        ("plan_assign_task", json!({"task_id": "2", "assigned_agent": "critic"})),
        ("plan_estimate_duration", json!({"task_id": "2", "estimated_duration": "2h"})),
        ("plan_set_dependencies", json!({"task_id": "2", "dependencies": []})),
    ]);
    let (plan, said) = after(&scope(), &calls.collect::<Vec<_>>());
    said.unwrap();
    let (one, other) = (&plan.tasks[0], &plan.tasks[1]);
    assert_eq!((one.title.as_str(), one.priority, one.status), ("Look well", Some(7), TaskStatus::Completed));
    assert_eq!(json!(one.metadata), json!({"b": 2}));
    assert_eq!(other.agent.as_ref().unwrap().as_str(), "critic");
    assert_eq!((other.estimated_duration.as_deref(), other.dependencies.len()), (Some("2h"), 0));
}

#[test]
fn a_task_waits_for_those_before_it_and_is_not_changed_when_it_has_ended() {
    for status in ["in_progress", "completed"] {
        let found = refused(update(json!({"task_id": "2", "status": status})));
        assert_eq!(found, "the task `2` depends on `1`, which is pending");
    }
    let failed = two().into_iter().chain([
        update(json!({"task_id": "1", "status": "failed"})),
        update(json!({"task_id": "1", "status": "completed"})),
    ]);
    let (plan, said) = after(&scope(), &failed.collect::<Vec<_>>());
    assert_eq!(said.unwrap_err(), "the task `1` is failed: set it to pending first, to work on it again");
    assert_eq!(plan.tasks[1].status, TaskStatus::Skipped, "the one behind it");
    let behind = two().into_iter().chain([
        update(json!({"task_id": "1", "status": "cancelled"})),
        add(json!({"description": "More", "dependencies": ["1"]})),
    ]);
    let (_, said) = after(&scope(), &behind.collect::<Vec<_>>());
    assert_eq!(said.unwrap_err(), "the task `1` is cancelled, so nothing can wait for it");
    let begun = two().into_iter().chain([
        update(json!({"task_id": "1", "status": "in_progress"})),
        ("plan_assign_task", json!({"task_id": "1", "assigned_agent": "critic"})),
    ]);
    let (_, said) = after(&scope(), &begun.collect::<Vec<_>>());
    assert!(said.unwrap_err().starts_with("the task `1` is in_progress: only the agent"));
}

#[test]
fn what_does_not_fit_is_refused_with_its_reason() {
    for (call, expected) in [
        (add(json!({})), "`description` is missing"),
        (add(json!({"description": " "})), "`description` must not be empty"),
        (add(json!({"description": "x", "task_id": "1"})), "there is a task `1` already"),
        (
            add(json!({"description": "x", "dependencies": ["9"]})),
            "task `3` depends on `9`, which is not in the plan",
        ),
        (
            add(json!({"description": "x", "agent": "writer"})),
            "there is no field `agent`; there are: description",
        ),
        (
            add(json!({"description": "x", "assigned_agent": "ghost"})),
            "no agent `ghost` can work on tasks; use one of: writer, critic",
        ),
        (add(json!({"description": "x", "priority": "urgent"})), "`priority` must be a whole number, high"),
        (add(json!({"description": "x".repeat(17_000)})), "the call is larger than 16 KB"),
        (update(json!({"task_id": "7", "status": "failed"})), "there is no task `7`; there are: 1, 2"),
        (update(json!({"task_id": "1", "status": "done"})), "`done` is no status; use one of: pending,"),
        (update(json!({"task_id": "1", "metadata": 5})), "`metadata` must be an object"),
        (
            ("plan_set_dependencies", json!({"task_id": "1", "dependencies": ["2"]})),
            "tasks depend on each other: 1 → 2 → 1",
        ),
        (("plan_drop", json!({})), "there is no tool `plan_drop` for plans"),
    ] {
        let found = refused(call);
        assert!(found.starts_with(expected), "{found}");
    }
}

#[test]
fn an_agent_that_works_on_a_task_changes_only_this_one() {
    let own = PlanScope { own: Some("1".to_owned()), ..scope() };
    let mut plan = after(&scope(), &two()).0;
    let args = |id: &str| json!({"task_id": id, "status": "failed"}).as_object().unwrap().clone();
    let other = called(&mut plan, &own, UPDATE, &args("2")).unwrap_err();
    assert_eq!(other, "you work on the task `1`, and can change only this one");
    called(&mut plan, &own, UPDATE, &args("1")).unwrap();
    assert_eq!(plan.tasks[0].status, TaskStatus::Failed);
}
