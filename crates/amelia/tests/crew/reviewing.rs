use crate::crew::{ARCHITECT, CHECKED, DEVELOPER, commits, logs, start, world};
use crate::world::{orphans, text, until};

pub(crate) const CRITICAL: &str = r#####"
  - when: { model: reviewer, turn: 0 }
    reply: { tool_calls: [{ name: submit_review, args: { approved: false, severity: major, comments: [{ text: It is not nice., file: calc.sh, line: 2 }, { text: Somebody else should look at it. }] } }] }
"#####;

pub(crate) const IMPLEMENT: &str = r#####"
  - when: { model: evaluator, turn: 0 }
    reply: { tool_calls: [{ name: submit_evaluation, args: { decisions: [{ number: 1, title: Nicer, disposition: implement, reason: it is right }, { number: 2, title: Later, disposition: defer, reason: not now }] } }] }
"#####;

pub(crate) const ALWAYS_WORKS: &str = r#####"
  - when: { model: developer, last: "Implement these" }
    reply: { text: I did. }
"#####;

#[test]
fn a_failing_check_goes_back_to_the_developer_without_a_review() {
    let lazy = r#####"
  - when: { model: developer, text: "### Task 1:", turn: 0 }
    reply: { text: I believe it is right. }
  - when: { model: developer, last: "Not all passed", turn: 1 }
    reply: { tool_calls: [{ name: edit_file, args: { path: calc.sh, edits: [{ old: '$1 - $2', new: '$1 + $2' }] } }] }
  - when: { model: developer, text: "### Task 1:", turn: 2 }
    reply: { text: Now it is. }
"#####;
    let world = world(&[ARCHITECT, lazy, DEVELOPER, crate::crew::CONTENT], CHECKED);
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let log = logs(&world);
    let (failed, review) =
        (log.find("tests failed with exit code 1").unwrap(), log.find("review round").unwrap());
    assert!(failed < review, "{log}");
    let asked: Vec<String> = world.server.requests().iter().map(|request| format!("{request:?}")).collect();
    assert!(asked.iter().any(|request| request.contains("expected 5")), "the output of the check is told");
}

#[test]
fn a_check_that_fails_for_ever_or_never_ends_is_a_question() {
    let stubborn = r#####"
  - when: { model: developer }
    reply: { text: It is right. }
"#####;
    let checks = "max_review_rounds: 2\nchecks: [{ name: slow, command: 'sleep 601 & sleep 602', timeout: 1 }, { name: wrong, command: 'exit 3' }]";
    let world = world(&[ARCHITECT, stubborn], checks);
    let output = start(&world, &["--auto"]);
    assert_eq!(output.status.code(), Some(6), "{}", text(&output.stderr));
    let message = text(&output.stderr);
    assert!(
        message.contains("waiting (checks fail): the checks `slow`, `wrong` failed 2 times in a row"),
        "{message}"
    );
    assert!(
        message.contains("resume r1 --approve (with the same checks); ")
            && message.contains("resume r1 --accept (the work as it is); ")
            && message.contains("cancel r1"),
        "{message}"
    );
    assert!(text(&world.amelia(&["status"]).stdout).contains("waiting: checks fail"));
    assert!(logs(&world).contains("slow took too long, wrong failed with exit code 3"), "{}", logs(&world));
    let run = world.run_id();
    until("its children are gone with it", || orphans(&run).is_empty());
}

#[test]
fn verdicts_that_contradict_themselves_and_decisions_about_nothing_are_refused() {
    let confused = r#####"
  - when: { model: reviewer, turn: 0 }
    reply: { tool_calls: [{ name: submit_review, args: { approved: true, severity: critical, comments: [{ text: terrible }] } }] }
  - when: { model: reviewer, turn: 1, last: cannot be approved }
    reply: { tool_calls: [{ name: submit_review, args: { approved: false, severity: major, comments: [{ text: terrible }] } }] }
  - when: { model: evaluator, turn: 0 }
    reply: { tool_calls: [{ name: submit_evaluation, args: { decisions: [{ number: 7, title: t, disposition: reject, reason: r }] } }] }
  - when: { model: evaluator, turn: 1, last: there is no comment 7 }
    reply: { tool_calls: [{ name: submit_evaluation, args: { decisions: [] } }] }
  - when: { model: evaluator, turn: 2, last: "without a decision: 1" }
    reply: { tool_calls: [{ name: submit_evaluation, args: { decisions: [{ number: 1, title: t, disposition: reject, reason: it is not }] } }] }
"#####;
    let world = world(&[ARCHITECT, DEVELOPER, confused], "");
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}\n{}", text(&output.stderr), logs(&world));
    assert_eq!(commits(&world).len(), 2);
}

#[test]
fn several_personas_review_at_once_and_their_findings_are_merged() {
    let personas = r#####"
  - when: { model: reviewer, system: "an eye for Security", turn: 0 }
    reply: { tool_calls: [{ name: submit_review, args: { approved: false, severity: major, comments: [{ text: It evaluates its arguments., file: calc.sh, line: 2 }] } }] }
  - when: { model: reviewer, system: "an eye for Quality", turn: 0 }
    reply: { tool_calls: [{ name: submit_review, args: { approved: true, severity: minor, comments: [{ text: it evaluates its arguments, file: calc.sh, line: 2 }] } }] }
  - when: { model: evaluator, turn: 0 }
    reply: { tool_calls: [{ name: submit_evaluation, args: { decisions: [{ number: 1, title: t, disposition: defer, reason: later }] } }] }
"#####;
    let strategy = "strategy: competitive\npersonas: [Security, Quality]";
    let world = world(&[ARCHITECT, DEVELOPER, personas], strategy);
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}\n{}", text(&output.stderr), logs(&world));
    assert!(logs(&world).contains("deferred: t (later)"), "{}", logs(&world));
}

#[test]
fn local_changes_are_reviewed_without_a_plan_and_mended_only_when_asked() {
    let fixer = r#####"
  - when: { model: developer, last: "Implement these", turn: 0 }
    reply: { tool_calls: [{ name: write_file, args: { path: note.txt, content: "mended\n" } }] }
  - when: { model: developer, turn: 1 }
    reply: { text: Mended. }
  - when: { model: reviewer, text: mended, turn: 0 }
    reply: { tool_calls: [{ name: submit_review, args: { approved: true, severity: none } }] }
"#####;
    let world = world(&[fixer, CRITICAL, IMPLEMENT], "");
    let nothing = world.amelia(&["review"]);
    assert_eq!(nothing.status.code(), Some(5), "{}", text(&nothing.stderr));
    let refusal = text(&nothing.stderr);
    assert!(refusal.contains("nothing has changed") && refusal.contains("review --base REF"), "{refusal}");
    let note = world.repository().join("note.txt");
    std::fs::write(&note, "new\n").unwrap();
    let report = world.amelia(&["review"]);
    let shown = text(&report.stdout);
    assert_eq!(report.status.code(), Some(7), "it has findings: {}", text(&report.stderr));
    assert!(
        shown.contains("1. calc.sh:2 It is not nice.") && shown.contains("implement it is right"),
        "{shown}"
    );
    assert_eq!(std::fs::read_to_string(&note).unwrap(), "new\n", "only a report");
    let head = world.git(&["rev-parse", "--short=7", "HEAD"]);
    let listed = format!("your changes since {}, which were reviewed; the run changed nothing:", head.trim());
    assert!(shown.contains(&format!("{listed}\n  note.txt")), "{shown}");
    assert!(!shown.contains("worktree "), "it has none: {shown}");
    assert!(shown.contains("status r1") && !shown.contains("diff r1"), "{shown}");
    let status = text(&world.amelia(&["status", "r1"]).stdout);
    assert!(
        status.contains("1. calc.sh:2 It is not nice.") && status.contains("implement it is right"),
        "{status}"
    );
    let why = text(&world.amelia(&["why", "r1"]).stdout);
    assert!(why.contains("status r1") && !why.contains("diff r1"), "{why}");
    let fixed = world.amelia(&["review", "--fix"]);
    assert!(fixed.status.success(), "{}", text(&fixed.stderr));
    let shown = text(&fixed.stdout);
    assert!(shown.contains(" with the fixes of the run, in your checkout:"), "{shown}");
    assert_eq!(std::fs::read_to_string(&note).unwrap(), "mended\n");
    for (role, words) in [
        ("reviewer", "There is no task. Judge whether"),
        ("evaluator", "There is no task: choose implement"),
        ("developer", "The changes of this worktree since commit"),
    ] {
        let asked = world.server.requests();
        let told = asked.iter().find(|request| request.model == role).unwrap().body.to_string();
        assert!(told.contains(words) && !told.contains("### Task 1"), "{role}: {told}");
    }
}

#[test]
fn a_review_whose_findings_are_all_rejected_says_one_verdict_everywhere() {
    let rejects = r#####"
  - when: { model: evaluator, turn: 0 }
    reply: { tool_calls: [{ name: submit_evaluation, args: { decisions: [{ number: 1, title: Nicer, disposition: reject, reason: it is nice }, { number: 2, title: Later, disposition: reject, reason: no need }] } }] }
"#####;
    let world = world(&[CRITICAL, rejects], "");
    std::fs::write(world.repository().join("note.txt"), "new\n").unwrap();
    let report = world.amelia(&["review"]);
    let shown = text(&report.stdout);
    assert!(report.status.success(), "{}", text(&report.stderr));
    let verdict = "Review: no changes needed, 2 findings rejected";
    assert!(logs(&world).contains("no changes needed after round 1"), "{}", logs(&world));
    assert!(shown.contains(verdict) && !shown.contains("Review: changes requested"), "{shown}");
    for command in ["status", "why"] {
        let shown = text(&world.amelia(&[command, "r1"]).stdout);
        assert!(shown.contains(verdict), "{command}: {shown}");
    }
}

#[test]
fn an_evaluator_that_decides_nothing_is_a_question() {
    let silent = r#####"
  - when: { model: evaluator }
    reply: { text: Hard to say. }
"#####;
    let world = world(&[ARCHITECT, DEVELOPER, CRITICAL, silent], "");
    let output = start(&world, &["--auto"]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(6), "{message}");
    assert!(message.contains("the evaluator decided nothing"), "{message}");
    assert_eq!(commits(&world), Vec::<String>::new());
}

#[test]
fn a_result_that_is_only_said_is_a_result_and_a_reminder_asks_for_its_shape() {
    let talks = r#####"
  - when: { model: reviewer, turn: 0 }
    reply: { text: I like it. }
  - when: { model: reviewer, turn: 1 }
    reply: { text: '{"approved": true, "severity": "none", "comments": []}' }
"#####;
    let world = world(&[ARCHITECT, DEVELOPER, talks], "");
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}\n{}", text(&output.stderr), logs(&world));
    assert_eq!(commits(&world).len(), 2);
    let requests = world.server.requests();
    let asked: Vec<_> = requests.iter().filter(|request| request.body["model"] == "reviewer").collect();
    let shapes: Vec<_> = asked.iter().map(|request| request.body.get("response_format").cloned()).collect();
    assert_eq!(shapes.len(), 4, "once, and once more, for each task");
    let wanted = shapes[1].as_ref().unwrap();
    assert_eq!((&shapes[0], &wanted["json_schema"]["name"]), (&None, &"submit_review_arguments".into()));
    assert!(wanted["json_schema"]["schema"]["properties"]["approved"].is_object(), "{wanted}");
    assert!(asked[1].body["tools"].to_string().contains("submit_review"), "the tool is still there");
}

#[test]
fn a_role_that_only_talks_is_reminded_in_the_same_conversation() {
    let talks = r#####"
  - when: { model: reviewer, turn: 0 }
    reply: { tool_calls: [{ name: read_file, args: { path: calc.sh } }] }
  - when: { model: reviewer, turn: 1 }
    reply: { text: I find it good. }
  - when: { model: reviewer, turn: 2, last: "not submitted a result" }
    reply: { tool_calls: [{ name: submit_review, args: { approved: true, severity: none, comments: [] } }] }
"#####;
    let world = world(&[ARCHITECT, DEVELOPER, talks], "");
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}\n{}", text(&output.stderr), logs(&world));
    let asked: Vec<String> = world.server.requests().iter().map(|request| format!("{request:?}")).collect();
    let reminded: Vec<&String> =
        asked.iter().filter(|request| request.contains("not submitted a result")).collect();
    assert_eq!(reminded.len(), 2, "once for each task");
    for request in reminded {
        assert!(request.contains("I find it good.") && request.contains("+ $2"), "{request}");
    }
}

#[test]
fn a_check_that_outlasts_the_time_of_its_run_is_ended_and_the_run_asks() {
    let checks = "checks: [{ name: slow, command: 'test -e ../go || sleep 600', timeout: 900 }]";
    let world = world(&[ARCHITECT, DEVELOPER, crate::crew::CONTENT], checks);
    let output = start(&world, &["--auto", "--max-time", "4"]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(6), "{message}\n{}", logs(&world));
    assert!(message.contains("the run has used its time limit of 4 s"), "{message}");
    std::fs::write(world.worktree().join("../go"), "").unwrap();
    let run = world.run_id();
    let more = world.amelia(&["resume", "--follow", &run, "--max-time", "300"]);
    assert!(more.status.success(), "{}\n{}", text(&more.stderr), logs(&world));
    let played = world.amelia(&["replay", &run]);
    assert!(played.status.success(), "{}{}", text(&played.stdout), text(&played.stderr));
}

#[test]
fn a_reviewer_of_a_later_round_is_told_what_was_to_be_fixed_and_nothing_else_of_it() {
    let satisfied = r#####"
  - when: { model: reviewer, last: "This is round 2" }
    reply: { tool_calls: [{ name: submit_review, args: { approved: true, severity: none } }] }
"#####;
    let pieces = [ARCHITECT, ALWAYS_WORKS, DEVELOPER, satisfied, CRITICAL, IMPLEMENT];
    let world = world(&pieces, "max_review_rounds: 2");
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}\n{}", text(&output.stderr), logs(&world));
    let asked = world.server.requests();
    let words = |place: usize| asked[place].body["messages"][1]["content"].as_str().unwrap().to_owned();
    let reviews: Vec<String> =
        (0..asked.len()).filter(|place| asked[*place].model == "reviewer").map(words).collect();
    assert!(!reviews[0].contains("of the last round"), "{}", reviews[0]);
    let earlier = reviews[1].split("of the last round were to be fixed").nth(1).unwrap();
    let earlier = earlier.split("Verify each of them").next().unwrap();
    assert!(earlier.contains("Nicer (calc.sh:2): It is not nice."), "{earlier}");
    assert!(!earlier.contains("Somebody else should look"), "it was deferred: {earlier}");
}
