//! The notifications of document 002 that runs of teams send: each is said by a run in which it happens.

use std::collections::BTreeSet;

use crate::checkpoints::request;
use crate::team_examples::{
    BOTH_BANKS, BRIDGE_BOARD, GUARDED, RELEASE_STEPS, REMEMBERING, RIVER_REPORT, SIGN_OFF, WRITER_CRITIC,
    read, with_team, world,
};
use crate::team_people::tell;
use crate::team_plans::serve;
use crate::workflows::{exit, said};
use crate::world::World;

/// The types of the events of the only run.
fn types(world: &World) -> BTreeSet<String> {
    let mut serving = serve(world);
    let path = format!("/api/tasks/{}/events?format=agentx&limit=500", world.run_id());
    let (status, page) = request(world, "GET", &path, "");
    serving.kill().unwrap();
    serving.wait().unwrap();
    assert_eq!(status, 200, "{page}");
    let items = page["items"].as_array().unwrap().iter();
    items.map(|item| item["type"].as_str().unwrap().trim_start_matches("event_").to_owned()).collect()
}

fn check(world: &World, expected: &[&str]) {
    let found = types(world);
    for name in expected {
        assert!(found.contains(*name), "{name}: {found:?}");
    }
}

#[test]
fn each_way_of_working_together_sends_its_events() {
    let of_all = ["task_start", "agent_start", "agent_complete", "performance_metric", "task_complete"];
    for (example, expected) in [
        (&WRITER_CRITIC, &["agent_handoff"][..]),
        (&BOTH_BANKS, &["parallel_start", "parallel_sync"]),
        (&BRIDGE_BOARD, &["consensus_proposal", "consensus_vote", "consensus_reached"]),
        (&RELEASE_STEPS, &["tool_call", "tool_result"]),
        (&REMEMBERING, &["memory_store"]),
        (&RIVER_REPORT, &["artifact_created", "artifact_modified", "artifact_versioned"]),
        (&GUARDED, &["guardrail_violation"]),
        (&SIGN_OFF, &["hitl_request", "hitl_response", "task_paused", "task_resumed"]),
    ] {
        let world = world(example);
        let mut run = world.amelia(&["team", "run", example.name, "About rivers"]);
        while exit(&run) == 6 {
            run = world.amelia(&["approve", &world.run_id(), "--wait"]);
        }
        assert_eq!(exit(&run), 0, "{}", said(&run));
        check(&world, &[&of_all[..], expected].concat());
    }
}

#[test]
fn what_a_person_does_to_a_team_is_sent_and_so_are_breakpoints() {
    let team = read("writer_critic.yaml");
    let (before, _) = team.split_once("execution_config:").unwrap();
    let team = format!("{before}execution_config: {{ breakpoints: [critic] }}\n");
    let world = with_team("writer_critic", &team, &read("writer_critic.script.yaml"));
    tell(&world, &["team", "run", "writer_critic", "About rivers"], 6);
    let run = world.run_id();
    tell(&world, &["say", &run, "Mention the delta", "--agent", "critic"], 0);
    let changes = world.repository().join("changes.yaml");
    let policy =
        "guardrail_policies:\n  - { name: short, type: input_validation, rules: [{ max_length: 9999 }] }\n";
    std::fs::write(&changes, policy).unwrap();
    tell(&world, &["team", "change", &run, changes.to_str().unwrap()], 0);
    check(&world, &["breakpoint_hit", "task_paused", "user_intervention", "guardrail_policy_update"]);
}

#[test]
fn a_model_that_does_not_answer_at_first_is_an_error_with_its_recovery_and_a_failed_run_one_without() {
    let script = "\
rules:
  - when: { model: writer, times: 1 }
    reply: { error: { status: 503, message: busy, retry_after: 0 } }
  - when: { model: writer }
    reply: { text: I give up. }
";
    let world = with_team("checked", &read("checked.yaml"), script);
    tell(&world, &["team", "run", "checked", "About rivers"], 1);
    check(&world, &["error", "recovery", "health_check"]);
}

#[test]
fn memory_and_artifacts_of_a_run_are_read_over_http_and_a_version_is_restored() {
    let remembering = world(&REMEMBERING);
    tell(&remembering, &["team", "run", "remembering", "About rivers"], 0);
    let report = world(&RIVER_REPORT);
    tell(&report, &["team", "run", "river_report", "About rivers"], 0);
    let mut serving = [serve(&remembering), serve(&report)];
    let ask = |world: &World, method: &str, path: &str, body: &str| {
        let (status, answer) = request(world, method, &format!("/api/tasks/{}/{path}", world.run_id()), body);
        assert!((200..300).contains(&status), "{path}: {status} {answer}");
        answer
    };
    let memory = ask(&remembering, "GET", "memory", "");
    assert!(memory["long_term"]["items"].as_u64() >= Some(1), "{memory}");
    let found = ask(&remembering, "POST", "memory/search", r#"{"query": "Rhine"}"#);
    assert!(found["items"][0]["content"].as_str().unwrap().contains("1230"), "{found}");
    let artifacts = ask(&report, "GET", "artifacts", "");
    assert_eq!(artifacts["items"].as_array().unwrap().len(), 1, "{artifacts}");
    let versions = || ask(&report, "GET", "artifacts/documents/report.md/versions", "");
    assert_eq!(versions()["items"].as_array().unwrap().len(), 2);
    ask(&report, "POST", "artifacts/documents/report.md/restore/v1", "");
    let after = versions();
    assert_eq!(after["items"].as_array().unwrap().len(), 3, "{after}");
    for server in &mut serving {
        server.kill().unwrap();
        server.wait().unwrap();
    }
}
