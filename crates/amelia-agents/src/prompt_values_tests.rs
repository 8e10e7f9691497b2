//! Every template with each of its optional values, and without any of them.

use serde_json::{Value, json};

use super::*;

/// A template, the values that it always has, and for every optional one: words that only it brings.
struct Case {
    name: &'static str,
    always: Value,
    optional: Vec<(Value, &'static str)>,
}

fn case(name: &'static str, always: Value, optional: Vec<(Value, &'static str)>) -> Case {
    Case { name, always, optional }
}

fn architect() -> Vec<Case> {
    let issue = json!({"key": "", "title": "It fails", "description": ""});
    let described = json!({"key": "", "title": "It fails", "description": "With a zero."});
    let keyed = json!({"key": "S-1", "title": "It fails", "description": ""});
    vec![
        case(
            "architect.system",
            json!({"directory": "/tree"}),
            vec![(json!({"can_ask": true}), "ask once, precisely, with `ask_human`")],
        ),
        case(
            "architect.start",
            json!({"issue": issue}),
            vec![
                (json!({"issue": described}), "With a zero."),
                (json!({"issue": keyed}), "S-1: It fails"),
                (json!({"design": "Use a loop."}), "agreed on. Follow it:\n\n<untrusted source=\"design\">"),
                (json!({"plan": "# Plan"}), "There is a plan already"),
                (
                    json!({"checks": [{"command": "./a"}, {"command": "./b"}]}),
                    "no task has to end with a step for them: `./a`, `./b`.",
                ),
            ],
        ),
        case(
            "architect.revise",
            json!({}),
            vec![
                (json!({"plan": "# Plan"}), "Your last plan:\n\n<untrusted source=\"plan\">\n# Plan"),
                (json!({"problems": ["no goal", "no tasks"]}), "no goal\nno tasks"),
                (json!({"feedback": "Smaller."}), "sent it back with this feedback:\n\nSmaller."),
            ],
        ),
    ]
}

fn developer() -> Vec<Case> {
    let step = |code: Option<&str>| json!({"number": 2, "step": {"description": "Add it", "code": code}});
    let item = json!({"title": "Zero", "issue": "It divides."});
    let with = |more: Value| {
        let mut all = item.clone();
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"items": [all]})
    };
    let failed = json!({"name": "test", "command": "./t", "end": "failed with exit code 1", "output": "no"});
    let guided = || (json!({"guidance": "Use tabs."}), "The person you work for adds: Use tabs.");
    vec![
        case(
            "developer.system",
            json!({"directory": "/tree"}),
            vec![
                (json!({"can_ask": true}), "contradicts the issue or is wrong as a whole"),
                (json!({"can_ask": true}), "ask with `ask_human`"),
                (json!({"can_ask": false}), "If it contradicts the issue, follow the plan and say so."),
                (json!({"can_ask": false}), "stop and say why"),
            ],
        ),
        case(
            "developer.task",
            json!({"goal": "It adds.", "task": "### Task 1", "number": 1, "total": 2}),
            vec![
                (json!({"issue": {"title": "It fails", "description": ""}}), "The issue, for context"),
                (json!({"issue": {"title": "It fails", "description": "Why?"}}), "Why?"),
                (json!({"done": ["Read it"]}), "done and committed:\n\n<untrusted source=\"plan\">\nRead it"),
                (json!({"plan_path": "docs/plan.md"}), "The whole plan is in the file `docs/plan.md`."),
                (json!({"told": [{"words": "Use tabs."}]}), "say otherwise:\n\n- Use tabs."),
                (
                    json!({"told": [{"words": "Use tabs.", "place": "task 1"}]}),
                    "- Use tabs. (said during task 1)",
                ),
                (
                    json!({"told": [{"words": "Use tabs.", "asked": "Tabs?"}]}),
                    "They said this about:\n\n<untrusted source=\"what they were asked\">\nTabs?\n</untrusted>",
                ),
                (json!({"note": "Hurry."}), "The person who approved the plan adds: Hurry."),
            ],
        ),
        case(
            "developer.checks",
            json!({"checks": []}),
            vec![(json!({"checks": [failed]}), "## test failed with exit code 1"), guided()],
        ),
        case(
            "developer.revise",
            json!({"round": 2, "items": [item]}),
            vec![
                (with(json!({"file": "a.py"})), "1. Zero (a.py)"),
                (with(json!({"file": "a.py", "line": 3})), "1. Zero (a.py:3)"),
                (with(json!({"suggestion": "Check it."})), "Suggested: Check it."),
                (
                    json!({"clarified": {"words": "The sum.", "asked": "Which?"}}),
                    "source=\"what they were asked\">\nWhich?\n</untrusted>\n\nTheir answer: The sum.",
                ),
                (
                    json!({"clarified": {"words": "The sum."}}),
                    "unclear findings mean. Their answer: The sum.",
                ),
                (json!({"base": "0123"}), "The changes of this worktree since commit 0123 were reviewed"),
                guided(),
            ],
        ),
        case(
            "developer.steps",
            json!({"total": 4, "steps": [step(None)]}),
            vec![(json!({"steps": [step(Some("x = 1"))]}), "```\nx = 1\n```")],
        ),
        case(
            "developer.step",
            json!({"name": "step 1", "command": "./t", "end": "failed", "output": "no"}),
            vec![
                (json!({"expected": "PASS"}), "The plan expects:\n\n<untrusted source=\"plan\">\nPASS"),
                guided(),
            ],
        ),
        case(
            "developer.interrupted",
            json!({"name": "step 1", "command": "./t"}),
            vec![(
                json!({"expected": "PASS"}),
                "The plan expects of it:\n\n<untrusted source=\"plan\">\nPASS",
            )],
        ),
        case("developer.hook", json!({"output": "lint"}), vec![(json!({"output": "no tabs"}), "no tabs")]),
        case(
            "developer.repository",
            json!({"output": "lib"}),
            vec![
                (json!({"is_submodule": true}), "the one commit that you make yourself"),
                (json!({"is_submodule": false}), "remove the `.git` inside each"),
            ],
        ),
        case(
            "developer.conflict",
            json!({"directory": "/part"}),
            vec![(json!({"files": ["a.py"], "text": "<<<<<<< HEAD"}), "Files with conflicts:")],
        ),
    ]
}

fn reviewer() -> Vec<Case> {
    let item = json!({"title": "Zero", "file": "a.py", "line": 3, "issue": "It divides.", "reason": "Where?",
                      "disposition": "reject"});
    vec![
        case(
            "reviewer.system",
            json!({"directory": "/tree"}),
            vec![(json!({"persona": "Security"}), "Leave to others what is not about Security")],
        ),
        case(
            "reviewer.start",
            json!({"round": 1, "base": "0123", "diff": "+a"}),
            vec![
                (json!({"issue": {"title": "It fails", "description": ""}}), "The issue:"),
                (json!({"issue": {"title": "It fails", "description": "Why?"}}), "Why?"),
                (
                    json!({"task": "### Task 1", "number": 1, "total": 1}),
                    "The task that was to be done (1 of 1)",
                ),
                (json!({"task": "t", "number": 1, "total": 2}), "Later tasks do the rest of the plan."),
                (
                    json!({"task": "t", "number": 1, "total": 1, "is_last": true}),
                    "This is the last task of the plan: what the issue asks and the repository, as it is now, does not do is a \
                     finding",
                ),
                (
                    json!({"task": "t", "number": 2, "total": 2, "is_last_parallel": true, "others": ["Read it"]}),
                    "<untrusted source=\"plan\">\nRead it\n</untrusted>\n\nWhat the issue asks and no task of the plan covers",
                ),
                (
                    json!({"task": "t", "number": 1, "total": 1, "is_last": true, "is_persons_plan": true}),
                    "This is the last task of the plan. The person wrote or changed the plan",
                ),
                (json!({"told": [{"words": "Use tabs."}]}), "say otherwise.\n\n- Use tabs."),
                (
                    json!({"told": [{"words": "Use tabs.", "asked": "Tabs?"}]}),
                    "They said this about:\n\n<untrusted source=\"what they were asked\">\nTabs?\n</untrusted>",
                ),
                (
                    json!({"task": "t", "number": 2, "total": 2, "has_git_diff": true}),
                    "`git_diff` with `base` set to `HEAD` shows what is not committed yet",
                ),
                (
                    json!({"task": "t", "number": 2, "total": 2, "runs_git": true}),
                    "`git diff HEAD` and `git status --short` show what is not committed yet",
                ),
                (json!({"checks": [{"command": "./t", "end": "passed"}]}), "- ./t: passed"),
                (json!({"checks": []}), "No checks were run"),
                (json!({"round": 2, "earlier": [item]}), "raise again what is not fixed"),
                (json!({"round": 2}), "The last round left nothing to fix"),
                (json!({"answered": [item]}), "- Zero: reject: Where?"),
                (
                    json!({"plan_path": "docs/plan.md"}),
                    "The file `docs/plan.md` is the plan. Do not review it.",
                ),
                (json!({"diff": " "}), "The change is empty"),
                (
                    json!({"cut": true, "runs_git": true}),
                    "List all files with `git diff --numstat --no-renames 0123` and `git status --short`",
                ),
                (json!({"cut": true}), "Read the files that the task names and that you do not see here"),
                (json!({"cut": true, "has_git_diff": true}), "List all files with `git_diff` and `stat`"),
                (json!({"is_given": true}), "The files of the repository are the person's checkout"),
                (json!({"is_given": true, "cut": true}), "the rest cannot be seen"),
            ],
        ),
        case(
            "reviewer.clarify",
            json!({"items": [{"title": "Zero", "issue": "It divides.", "reason": "Where?"}]}),
            vec![(json!({"items": [item]}), "1. Zero (a.py:3)")],
        ),
    ]
}

fn evaluator() -> Vec<Case> {
    let comment = |more: Value| {
        let mut all = json!({"text": "It divides."});
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"comments": [all]})
    };
    vec![
        case(
            "evaluator.system",
            json!({"directory": "/tree"}),
            vec![(json!({"has_git_diff": true}), "with `git_diff` and its `path`")],
        ),
        case(
            "evaluator.start",
            comment(json!({})),
            vec![
                (json!({"task": "### Task 1"}), "The task:\n\n<untrusted source=\"plan\">\n### Task 1"),
                (json!({"task": null}), "choose implement for every correct comment"),
                (json!({"issue": {"title": "It fails", "description": ""}}), "The issue:"),
                (json!({"issue": {"title": "It fails", "description": "Why?"}}), "Why?"),
                (json!({"issue": {"title": "It fails"}, "design": "No PDF."}), "the design counts"),
                (json!({"change": "+a", "base": "main"}), "The change, against main."),
                (json!({"runs_git": true, "base": "main"}), "`git diff main -- PATH`"),
                (json!({"issue": {"title": "It fails"}, "task": "t"}), "the task counts."),
                (
                    json!({"issue": {"title": "It fails"}, "task": "t", "is_last": true}),
                    "a correct comment about something that the issue asks belongs to it.",
                ),
                (
                    json!({"issue": {"title": "It fails"}, "task": "t", "is_last_parallel": true, "others": ["Read it"]}),
                    "belongs to this one. The other tasks, which are done before or at the same time:\n\n\
                     <untrusted source=\"plan\">\nRead it\n</untrusted>",
                ),
                (json!({"told": [{"words": "Use tabs."}]}), "say otherwise.\n\n- Use tabs."),
                (
                    json!({"told": [{"words": "Use tabs.", "asked": "Tabs?"}]}),
                    "They said this about:\n\n<untrusted source=\"what they were asked\">\nTabs?\n</untrusted>",
                ),
                (json!({"diff": "+a"}), "The files of the repository are the person's checkout"),
                (json!({"diff": "+a", "cut": true}), "the rest cannot be seen"),
                (comment(json!({"file": "a.py"})), "\na.py\nIt divides."),
                (comment(json!({"file": "a.py", "line": 3})), "\na.py:3\nIt divides."),
                (comment(json!({"suggestion": "Check it."})), "Suggested: Check it."),
                (
                    json!({"clarified": {"words": "The sum."}}),
                    "was asked what they mean. Their answer: The sum.",
                ),
                (
                    json!({"clarified": {"words": "The sum.", "asked": "Which?"}}),
                    "Their answer is about these, in this order: The sum.",
                ),
            ],
        ),
    ]
}

fn others() -> Vec<Case> {
    let check = |timeout: u32| json!([{"command": "./t", "timeout": timeout}]);
    let shell = json!({"program": "bash", "timeout_seconds": 300, "max_timeout_seconds": 3600});
    vec![
        case("oracle.system", json!({}), vec![]),
        case(
            "single.system",
            json!({"directory": "/tree"}),
            vec![
                (json!({"read_only": true}), "Answer the question in it"),
                (json!({"read_only": false}), "Make the smallest change"),
                (json!({"can_ask": true}), "ask with `ask_human`"),
            ],
        ),
        case(
            "common.system",
            json!({"directory": "/tree", "base": "0123", "date": "2026-03-01"}),
            vec![
                (json!({"system": "linux"}), "The machine: linux."),
                (json!({"branch": "b"}), "on the branch `b`"),
                (json!({"works": true}), "Nothing confines them"),
                (json!({"works": true, "is_sandboxed": true}), "Your sandbox lets them write only"),
                (json!({"works": false}), "Your role is read-only"),
                (json!({"shell": shell}), "`shell` runs bash without a terminal"),
                (json!({"layout": ["README.md"]}), "<untrusted source=\"file names\">\nREADME.md"),
                (json!({"works": true, "checks": check(600)}), "- `./t` (may take up to 600 seconds)"),
                (
                    json!({"works": true, "checks": check(600), "shell": shell}),
                    "- `./t` (may take up to 600 seconds: set `timeout_seconds`)",
                ),
                (
                    json!({"works": true, "checks": check(60), "shell": shell}),
                    "- `./t` (may take up to 60 seconds)",
                ),
                (
                    json!({"conventions": [{"path": "AGENTS.md", "text": "Tabs.", "is_cut": false}]}),
                    "<conventions source=\"AGENTS.md\">\nTabs.",
                ),
                (
                    json!({"conventions": [{"path": "AGENTS.md", "text": "Tabs.", "is_cut": true}]}),
                    "Only the beginning fits here",
                ),
                (json!({"more_conventions": ["web/AGENTS.md"]}), "Read the one nearest"),
                (
                    json!({"skills": [{"name": "release", "path": "S.md", "description": "Cut one."}]}),
                    "- release: Cut one. (S.md)",
                ),
                (json!({"skills": [{"name": "release", "path": "S.md"}]}), "- release (S.md)"),
                (json!({"can_ask": true}), "The result of `ask_human` is their answer."),
            ],
        ),
    ]
}

/// What a template makes of these values.
fn filled(name: &str, always: &Value, more: &Value) -> String {
    let mut values = always.clone();
    values.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let text = Prompts::default().render(name, &values);
    assert!(
        !text.contains("{{") && !text.contains("{%"),
        "{name} could not be filled with {values}:\n{text}"
    );
    text
}

#[test]
fn every_template_is_filled_with_and_without_each_optional_value() {
    for Case { name, always, optional } in
        [architect(), developer(), reviewer(), evaluator(), others()].into_iter().flatten()
    {
        let bare = filled(name, &always, &json!({}));
        assert!(!bare.is_empty(), "{name}");
        for (more, words) in optional {
            let text = filled(name, &always, &more);
            assert!(text.contains(words), "{name} does not say `{words}` with {more}:\n{text}");
            assert_eq!(bare.contains(words), text == bare, "{name}: `{words}` without {more}:\n{bare}");
        }
    }
}

#[test]
fn no_template_is_left_out_here() {
    let cases = [architect(), developer(), reviewer(), evaluator(), others()].into_iter().flatten();
    let mut tested: Vec<&str> = cases.map(|case| case.name).collect();
    let mut shipped: Vec<&str> = SHIPPED.iter().map(|(name, _)| *name).collect();
    tested.sort_unstable();
    shipped.sort_unstable();
    assert_eq!(tested, shipped);
}
