use serde_json::json;

use super::*;

fn team(more: &serde_json::Value) -> TeamConfig {
    let mut team: TeamConfig = serde_json::from_value(json!({
        "name": "news",
        "agents": [
            {"name": "writer", "role": "writes", "prompt_template": "Write about {{ task.prompt }}."},
            {"name": "critic", "role": "judges", "prompt_template": "critic.md"},
        ],
    }))
    .unwrap();
    let mut whole = serde_json::to_value(&team).unwrap();
    for (key, value) in more.as_object().unwrap() {
        whole[key] = value.clone();
    }
    team = serde_json::from_value(whole).unwrap();
    team
}

fn rule(from: &str, to: &str, condition: &str) -> serde_json::Value {
    json!({"from_agent": from, "to_agent": to, "condition": condition})
}

fn found(team: &TeamConfig, critic: &str) -> Vec<String> {
    let texts = BTreeMap::from([("critic.md".to_owned(), critic.to_owned())]);
    let problems = check(team, &texts, &KnownNames::default());
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn templates_are_tried_with_every_value_that_they_will_see() {
    let everything = "{{ task.id }} {{ task.title }} {{ agent.name }} {{ agent.role }} {{ team.name }} {{ team.description }}\
                      {% for a in agents %}{{ a.name }}: {{ a.role }}{% endfor %}{% for t in tools %}{{ t.name }}{{ t.description }}{% endfor %}\
                      {% for h in history %}{{ h.agent }}{{ h.role }}{{ h.text }}{{ h.at }}{% endfor %}\
                      {% for m in memory %}{{ m.key }}{{ m.text }}{{ m.type }}{{ m.score }}{% endfor %}\
                      {{ plan.goal }}{% for t in plan.tasks %}{{ t.task_id }}{{ t.status }}{% endfor %}{{ now }}{{ range(3) | join }}";
    assert_eq!(found(&team(&json!({})), everything), [""; 0]);
    for (template, expected) in [
        ("a\nb {{ taks.prompt }}", "`critic.md`, there is no variable `taks`; the variables are "),
        ("a\n\n{{ task.prmpt }}", "`critic.md`, line 3: `task.prmpt` is not set; `task` has "),
        ("{% if %}", "`critic.md`, line 1: "),
        ("{{ task.prompt | shout }}", "`critic.md`, line 1: "),
        ("{% include 'secrets' %}", "`critic.md`, line 1: "),
        ("{% for i in range(99999) %}{% for j in range(99999) %}x{% endfor %}{% endfor %}", "`critic.md`, "),
    ] {
        let problems = found(&team(&json!({})), template);
        assert!(problems[0].starts_with(&format!("agents[1].prompt_template: {expected}")), "{problems:?}");
        assert_eq!(problems.len(), 1, "{problems:?}");
    }
}

#[test]
fn conditions_are_true_or_false() {
    let rules = json!([
        rule("writer", "critic", "turns >"),
        rule("writer", "critic", "scor > 1"),
        rule("writer", "critic", "'yes'"),
        rule("critic", "writer", "last.contains('again')"),
    ]);
    let problems = found(&team(&json!({"handoff_rules": rules})), "x");
    assert_eq!(problems.len(), 3, "{problems:?}");
    assert!(problems[0].starts_with("handoff_rules[0].condition: column "), "{problems:?}");
    assert!(problems[1].contains("column 1: there is no variable `scor`"), "{problems:?}");
    assert!(problems[2].contains("must be true or false"), "{problems:?}");
}

#[test]
fn only_a_cycle_that_is_always_true_and_without_any_limit_is_refused() {
    let cycle =
        |condition: &str| json!([rule("writer", "critic", condition), rule("critic", "writer", "True")]);
    let problems = found(&team(&json!({"handoff_rules": cycle("1 < 2")})), "x");
    assert!(problems[0].starts_with("handoff_rules: critic → writer → critic is a cycle"), "{problems:?}");
    assert_eq!(found(&team(&json!({"handoff_rules": cycle("turns < 9")})), "x"), [""; 0]);
    for limit in [
        json!({"execution_config": {"max_steps": 5}}),
        json!({"execution_config": {"timeout": 5}}),
        json!({"execution_config": {"stop_on": [{"max_messages": 3}]}}),
        json!({"budget": {"usd": 1.0}}),
    ] {
        let mut bounded = limit;
        bounded["handoff_rules"] = cycle("true");
        assert_eq!(found(&team(&bounded), "x"), [""; 0], "{bounded}");
    }
}

#[test]
fn criteria_and_conditions_of_breakpoints_are_read() {
    let execution = json!({
        "success_criteria": ["text_mention:DONE", "cel:turns > 3", "cel:", "cel:turn > 3", "file:*.md", "file:[", "The text is short."],
        "failure_criteria": ["", "check:cargo test"],
        "breakpoints": ["tool:shell if args.command.contains('rm')", "error if nope", "agent:writer"],
    });
    let problems = found(&team(&json!({"execution_config": execution})), "x");
    let at = |path: &str| {
        problems.iter().any(|problem| problem.starts_with(&format!("execution_config.{path}: ")))
    };
    for path in [
        "success_criteria[2]",
        "success_criteria[3]",
        "success_criteria[5]",
        "failure_criteria[0]",
        "breakpoints[1]",
    ] {
        assert!(at(path), "{path} in {problems:?}");
    }
    assert_eq!(problems.len(), 5, "{problems:?}");
}

#[test]
fn points_that_are_never_asked_at_are_noted() {
    let points =
        |mode: &str| json!({"execution_config": {"mode": mode, "human_intervention_points": ["end"]}});
    assert_eq!(notes(&team(&points("autonomous"))).len(), 1);
    assert_eq!(notes(&team(&points("hitl"))).len(), 0);
}

#[test]
fn a_team_is_not_inside_itself_and_not_too_deep() {
    let with = |name: &str, inner: Option<&str>| {
        let mut team = team(&json!({"name": name}));
        team.agents[1].team = inner.map(str::to_owned);
        team
    };
    let look = |teams: &[TeamConfig]| {
        let mut find = |name: &str| teams.iter().find(|team| team.name == name).cloned();
        nested(&teams[0], &mut find).map_err(|problems| problems[0].to_string())
    };
    let deep = [with("a", Some("b")), with("b", Some("c")), with("c", None)];
    assert_eq!(look(&deep).unwrap().keys().collect::<Vec<_>>(), ["b", "c"]);
    let deeper = [with("a", Some("b")), with("b", Some("c")), with("c", Some("d")), with("d", None)];
    assert_eq!(
        look(&deeper).unwrap_err(),
        "agents[1].team: more than 3 teams are inside each other: a → b → c → d"
    );
    let round = [with("a", Some("b")), with("b", Some("a"))];
    assert_eq!(look(&round).unwrap_err(), "agents[1].team: `a` is inside itself: a → b → a");
    let own = [with("a", Some("a"))];
    assert_eq!(look(&own).unwrap_err(), "agents[1].team: `a` is inside itself: a → a");
}

#[test]
fn the_rules_of_guardrail_policies_are_checked() {
    let policy = json!([{"name": "p", "kind": "content_filter", "rules": [{"patterns": ["("]}]}]);
    let problems = found(&team(&json!({"guardrail_policies": policy})), "Judge.");
    let expected = "guardrail_policies[0].rules[0].patterns[0]: is not a regular expression: unclosed group";
    assert_eq!(problems, [expected]);
}
