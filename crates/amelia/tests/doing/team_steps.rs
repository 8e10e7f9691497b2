//! Steps of teams that a person or a command does. Each run is replayed.

use crate::team_examples::{CREW, result, with_team, world};
use crate::team_people::{check_replay, tell};

#[test]
fn a_person_sends_the_plan_back_and_a_command_sends_the_change_back() {
    let world = world(&CREW);
    let asked = tell(&world, &["team", "run", "crew", "About rivers"], 6);
    assert!(asked.contains("Is this the plan?") && asked.contains("Goal: a script"), "{asked}");
    let run = world.run_id();
    tell(&world, &["reject", &run, "--feedback", "Name the file", "--wait"], 6);
    let bodies = world.server.requests();
    let last = bodies.last().unwrap().body.to_string();
    assert!(last.contains("has rejected this and said") && last.contains("Name the file"), "{last}");
    tell(&world, &["approve", &run, "--wait"], 0);
    assert_eq!(result(&world), "The script prints a sentence about rivers.");
    let log = |kind: &str| -> Vec<String> {
        tell(&world, &["logs", &run, "--type", kind], 0).lines().map(str::to_owned).collect()
    };
    let checks = log("task.checked");
    assert_eq!(checks.len(), 2, "{checks:?}");
    assert!(
        checks[0].contains("failed with exit code 1") && checks[1].contains("check passed"),
        "{checks:?}"
    );
    let handoffs = log("team.handed_off");
    let handoffs = handoffs.iter().filter_map(|line| Some(line.split_once(" hands off to ")?.1));
    assert_eq!(
        handoffs.collect::<Vec<_>>(),
        ["developer: approve: approve", "reviewer: check: pass", "evaluator: review: approve"],
        "from agent to agent, over the steps of others"
    );
    check_replay(&world);
}

const ALONE: &str = "\
name: alone
default_llm: { provider: openai-compatible, base_url: 'http://127.0.0.1:8899/v1', model: writer }
agents:
  - { name: writer, role: writes, prompt_template: Write. }
collaboration_patterns:
  - name: checked
    type: custom
    agents: [writer]
    config:
      workflow:
        - { step: look, check: 'test -f calc.sh', next_on_pass: write }
        - { step: write, agent: writer, next_on_success: accept }
        - { step: accept, ask: 'Is {{ task.prompt }} in it?' }
";

/// For teams whose agents are not asked.
const SILENT: &str = "rules:\n  - reply: { text: Nothing. }\n";

#[test]
fn a_command_gives_the_run_its_files_and_may_be_the_first_step_and_a_person_the_last() {
    let team = ALONE.replace(
        "ask: 'Is {{ task.prompt }} in it?' }",
        "ask: 'Is {{ task.prompt }} in it?', next_on_reject: write }",
    );
    let script = "\
rules:
  - when: { model: writer, last: has rejected this }
    reply: { text: A longer text., tool_calls: [{ name: report, args: { outcome: success } }] }
  - when: { model: writer, last: passed }
    reply: { text: A text., tool_calls: [{ name: report, args: { outcome: success } }] }
";
    let world = with_team("alone", &team, script);
    let asked = tell(&world, &["team", "run", "alone", "About rivers"], 6);
    assert!(asked.contains("Is About rivers in it?") && asked.contains("A text."), "{asked}");
    assert!(world.worktree().join("calc.sh").exists());
    let run = world.run_id();
    let log = tell(&world, &["logs", &run, "--type", "team.handed_off"], 0);
    assert!(!log.contains("hands off to"), "there is one agent: {log}");
    tell(&world, &["reject", &run, "--feedback", "Longer", "--wait"], 6);
    tell(&world, &["approve", &run, "--wait"], 0);
    assert_eq!(result(&world), "A longer text.");
    check_replay(&world);
}

#[test]
fn a_command_whose_program_is_not_installed_asks_a_person_and_no_agent() {
    let world = with_team("alone", &ALONE.replace("test -f calc.sh", "no-such-program-anywhere"), SILENT);
    let asked = tell(&world, &["team", "run", "alone", "About rivers"], 6);
    assert!(asked.contains("`no-such-program-anywhere` is not installed on this machine"), "{asked}");
    assert_eq!(world.server.requests().len(), 0);
    let again = tell(&world, &["resume", &world.run_id(), "--approve"], 6);
    assert!(again.contains("is not installed"), "{again}");
    tell(&world, &["cancel", &world.run_id()], 0);
}

#[test]
fn a_step_that_cannot_be_done_is_refused_with_its_place() {
    for (from, to, expected) in [
        ("{{ task.prompt }}", "{{ agent.name }}", "workflow[2].ask: there is no variable `agent`"),
        (
            "check: 'test -f calc.sh', next_on_pass",
            "check: 'test -f calc.sh', next_on_success",
            "workflow[0]",
        ),
        ("agent: writer, next", "agent: writer, ask: Why, next", "exactly one of `agent`, `ask` and `check`"),
        ("next_on_success: accept", "next_on_success: write", "is never reached"),
    ] {
        let team = ALONE.replace(from, to);
        let world = with_team("alone", &team, SILENT);
        let found = tell(&world, &["team", "validate", "alone"], 2);
        assert!(found.contains(expected), "{expected}: {found}");
    }
}
